"""The command line: `tfpy --help` lists the commands."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from tfpy._version import VERSION
from tfpy.core.system.extras import optional_module
from tfpy.core.system.terminal import say, visible

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

    with _faults_as_text():
        run(quick)


@app.command()
def doctor() -> None:
    """Say what GPU there is, whether its results are right, how fast it is, and what to do if there is none."""
    from tfpy.engine.gl.doctor import report

    with _faults_as_text():
        print(report())


@contextmanager
def _faults_as_text() -> Iterator[None]:
    """Show errors of files and of missing extras as one line each, and warnings, too."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UserWarning)
        warnings.showwarning = lambda message, *_: say(f"warning: {message}")
        try:
            yield
        except (ValueError, ImportError) as error:
            say(error)
            raise typer.Exit(1) from None


def _not_empty(name: str | None) -> str | None:
    """A path or URL; an empty one is most likely a variable of the shell that was not set."""
    if name == "":
        raise typer.BadParameter("is empty.")
    return name


def _path(name: str) -> Path:
    """A path; an empty one would be the current folder."""
    _not_empty(name)
    return Path(name)


def _kind_of_weights(name: str | None) -> str | None:
    if name is not None:
        from tfpy.core.io.specs import STORED_AS

        if name not in STORED_AS:
            raise typer.BadParameter(f"must be one of {', '.join(STORED_AS)}, but is {name!r}.")
    return name


_Source = Annotated[
    str, typer.Argument(callback=_not_empty, help="A folder, model.json, zip, .keras or .h5 file, or a URL.")
]


@app.command()
def summary(model: _Source) -> None:
    """Say what is in a saved model: layers and shapes, or the inputs, outputs and ops of a graph."""
    from tfpy.saved_models import described

    with _faults_as_text():
        print(*map(visible, described(model)), sep="\n")


@app.command()
def convert(
    source: _Source,
    target: Annotated[
        str,
        typer.Argument(
            callback=_not_empty, help="A folder for TF.js's files; or a path that ends in .zip, .keras, .h5 or .onnx."
        ),
    ],
    include_optimizer: Annotated[bool, typer.Option("--include-optimizer", help="With how it is compiled.")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="Write nothing that will not be understood there.")] = False,
    quantize: Annotated[
        str | None,
        typer.Option("--quantize", callback=_kind_of_weights, help="Weights in fewer bytes: float16, uint16 or uint8."),
    ] = None,
) -> None:
    """Save a model in another format: of Keras for the browser, of the browser for Keras or ONNX, folder or zip."""
    from tfpy.saved_models import converted

    with _faults_as_text():
        converted(source, target, include_optimizer, strict, quantize)


@app.command()
def check_browser(model: _Source) -> None:
    """Show what TF.js would refuse of the converted model, or compute differently; exit with 1 if there is any."""
    from tfpy.saved_models import refused

    with _faults_as_text():
        found = [*map(visible, refused(model))]
    print(*found or ["TF.js loads it, and computes the same."], sep="\n")
    raise typer.Exit(bool(found))


@app.command()
def migrate(
    paths: Annotated[
        list[Path],
        typer.Argument(
            parser=_path,
            metavar="PATHS",
            help="Python files, or folders with such files (not hidden ones, nor virtual environments).",
        ),
    ],
    diff: Annotated[bool, typer.Option("--diff", help="Show the changes.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 if a file is to change.")] = False,
    in_place: Annotated[bool, typer.Option("--in-place", help="Write the files.")] = False,
) -> None:
    """Rewrite scripts from the deeplearn.js API (tfpy.legacy) to the new one."""
    with _faults_as_text():
        optional_module("libcst", "migrate", "tfpy migrate")
    from tfpy.migrate.files import run

    raise typer.Exit(run(paths, diff, check, in_place))


@app.command()
def js2py(
    path: Annotated[
        Path,
        typer.Argument(
            parser=_path,
            metavar="PATH",
            help="A script for TF.js: .js, .mjs, .cjs or .ts; an .html page; or a folder with scripts and pages "
            "that import each other (not those in hidden folders and in node_modules).",
        ),
    ],
    out: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--out",
            callback=_not_empty,
            help="The Python file; without it, or with -, to print. For a folder: a folder, which gets its layout.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
) -> None:
    """Turn scripts for TF.js or deeplearn.js into Python for tfpy; exit with 1 if something is left to do by hand."""
    from tfpy.js2py.project.files import run

    with _faults_as_text():
        code = run(path, out, force)
    raise typer.Exit(code)


def main() -> None:
    """Run the command line. Errors of the system, such as a file's name or a full disk, are shown as one line."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as stderr has it: not every terminal has all characters
    try:
        try:
            app(prog_name="tfpy")
        finally:
            print(end="", flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what was not printed would be tried again at the very end
        sys.exit(visible(f"tfpy: {error}"))
