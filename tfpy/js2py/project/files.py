"""`tfpy js2py` on a file or a folder: reading, converting, writing."""

from __future__ import annotations

from pathlib import Path

from tfpy.core.system.terminal import print_code, say
from tfpy.js2py.analysis.module import TYPESCRIPT
from tfpy.js2py.notes import Conversion, ScriptError
from tfpy.js2py.project.convert import convert
from tfpy.js2py.project.folders import run_folder
from tfpy.js2py.project.report import fault_of, say_notes, summary
from tfpy.js2py.project.sources import source_of
from tfpy.scripts import FileError, write_script


def run(path: Path, out: str | None, force: bool) -> int:
    """Convert a file, or the scripts of a folder, and report what is left to do.

    Args:
        path: the script or the folder.
        out: where the Python code goes; for a file, None or "-" means standard output.
        force: whether an existing file is overwritten.

    Returns:
        The exit code: 0 if the Python code is complete, 1 if something is left to do or something cannot be converted,
        2 if a folder is given without an output folder.
    """
    target = None if out in (None, "-") else Path(str(out))
    try:
        if not path.is_dir():
            return _run_file(path, target, force)
        if target is not None:
            return run_folder(path, target, force)
    except FileError as error:
        say(error)
        return 1
    say(f"{path} is a folder; --out says which folder the Python goes to.")
    return 2


def _run_file(path: Path, target: Path | None, force: bool) -> int:
    if target is not None and target.is_dir():
        raise FileError(f"{target} is a folder; the output for a script must be a file.")
    if target is not None and target.exists() and not force:
        raise FileError(f"{target} already exists; --force overwrites it.")
    conversion = _converted(path)
    _write(conversion.code, target)
    say_notes(path, conversion.notes)
    say(summary(conversion.notes))
    return int(not conversion.is_complete)


def _converted(path: Path) -> Conversion:
    try:
        return convert(source_of(path), path.suffix in TYPESCRIPT)
    except (FileError, ScriptError, SyntaxError, RecursionError) as error:
        raise FileError(fault_of(path, error)) from error


def _write(code: str, target: Path | None) -> None:
    if target is None:
        print_code(code)
        return
    try:
        write_script(target, code)
    except FileError as error:
        raise FileError(fault_of(target, error)) from None
