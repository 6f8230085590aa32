"""`tfpy js2py` on a file: reading, converting, writing, and what is said of it."""

from __future__ import annotations

import sys
from pathlib import Path

from tfpy.core.io.scripts import FileError, read_script
from tfpy.js2py import convert
from tfpy.js2py.notes import Conversion, ScriptError

_TYPESCRIPT = (".ts", ".mts", ".cts")


def run(path: Path, out: str | None, force: bool) -> int:
    """Convert a file, and say what is left to do.

    Args:
        path: the script.
        out: where the Python goes; None or "-" for the standard output.
        force: whether a file that is there is written over.

    Returns:
        The exit code: 0 if the Python is complete, 1 if something is left to do or the file cannot be converted.
    """
    try:
        target = None if out in (None, "-") else Path(str(out))
        if target is not None and target.exists() and not force:
            raise FileError(f"{target} is there already; --force writes over it.")
        conversion = _converted(path)
        _write(conversion.code, target)
    except FileError as error:
        print(error, file=sys.stderr)
        return 1
    _say(path, conversion)
    return int(not conversion.is_complete)


def _converted(path: Path) -> Conversion:
    try:
        source = read_script(path, "utf-8-sig")
        return convert(source, path.suffix in _TYPESCRIPT)
    except FileError as error:
        raise FileError(f"{path}: {error}.") from None
    except ScriptError as error:
        raise FileError(f"{path}:{error.line}:{error.column}: {error.text}") from None
    except SyntaxError as error:
        raise FileError(f"{path}: the result would not parse: {error.msg}. This is a fault of tfpy.") from error
    except RecursionError:
        raise FileError(f"{path}: is nested too deeply.") from None


def _write(code: str, target: Path | None) -> None:
    if target is None:
        print(code, end="")
        return
    try:
        target.write_text(code, encoding="utf-8", newline="\n")
    except OSError as error:
        raise FileError(f"{target}: cannot be written: {error.strerror or error}.") from None


def _say(path: Path, conversion: Conversion) -> None:
    """What is left to do and to look at, on the standard error output, so that the Python may go to a pipe."""
    for note in conversion.notes:
        print(f"{path}:{note.line}: {note.text if note.left else f'check: {note.text}'}", file=sys.stderr)
    left = sum(note.left for note in conversion.notes)
    checks = len(conversion.notes) - left
    done = "Converted." if not left else "Not complete."
    print(f"{done} Places left to do: {left}; to check: {checks}. All are marked `# js2py:`.", file=sys.stderr)
