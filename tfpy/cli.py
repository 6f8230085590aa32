"""The command line: `tfpy demo`, `tfpy doctor`, `tfpy migrate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tfpy._version import VERSION
from tfpy.core.extras import optional_module

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


@app.command()
def migrate(
    paths: Annotated[list[Path], typer.Argument(help="Python files, or folders with such files.")],
    diff: Annotated[bool, typer.Option("--diff", help="Show the changes.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 if a file is to change.")] = False,
    in_place: Annotated[bool, typer.Option("--in-place", help="Write the files.")] = False,
) -> None:
    """Rewrite scripts from the deeplearn.js API (tfpy.legacy) to the new one."""
    try:
        optional_module("libcst", "migrate", "tfpy migrate")
    except ImportError as error:
        print(error)
        raise typer.Exit(1) from None
    from tfpy.migrate.files import run

    raise typer.Exit(run(paths, diff, check, in_place))


def main() -> None:
    """Run the command line."""
    app(prog_name="tfpy")
