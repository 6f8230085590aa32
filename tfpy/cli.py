"""The command line: `tfpy demo`, `tfpy doctor`."""

from __future__ import annotations

from typing import Annotated

import typer

from tfpy.version import VERSION

app = typer.Typer(add_completion=False, no_args_is_help=True, help="tfpy: TensorFlow.js and deeplearn.js in Python.")


def _show_version(wanted: bool) -> None:
    if wanted:
        print(VERSION)
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of all commands."""


@app.command()
def demo(quick: Annotated[bool, typer.Option(help="A few seconds only.")] = False) -> None:
    """Train three small models: sums, speakers, and a line in both generations of the API."""
    from tfpy.demo import run

    run(quick)


@app.command()
def doctor() -> None:
    """Say what GPU there is, whether its results are right, how fast it is, and what to do if there is none."""
    from tfpy.engine.gl.doctor import report

    print(report())


def main() -> None:
    """Run the command line."""
    app(prog_name="tfpy")
