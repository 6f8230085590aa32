"""The command's reports, on standard error, so that the Python code can be piped."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tfpy.core.system.terminal import say
from tfpy.js2py.notes import Note, ScriptError
from tfpy.scripts import FileError


def say_notes(path: Path, notes: Sequence[Note]) -> None:
    """Print the notes of a script: what is left to do and to check."""
    for note in notes:
        say(f"{path}:{note.line}: {note.text if note.left else f'check: {note.text}'}")


def counts(notes: Sequence[Note]) -> str:
    """The number of places that are left."""
    left = sum(note.left for note in notes)
    return f"left to do: {left}; to check: {len(notes) - left}"


def summary(notes: Sequence[Note], has_faults: bool = False) -> str:
    """The last line: whether everything is converted, which it is not if a script has an error."""
    done = "Not complete." if has_faults or any(note.left for note in notes) else "Converted."
    return f"{done} Places {counts(notes)}. All are marked `# js2py:`."


def fault_of(path: Path, error: Exception) -> str:
    """The message for a script that cannot be converted."""
    if isinstance(error, ScriptError):
        return f"{path}:{error.line}:{error.column}: {error.text}"
    if isinstance(error, SyntaxError):
        return f"{path}: the result would not parse: {error.msg}. This is a fault of tfpy."
    if isinstance(error, RecursionError):
        return f"{path}: is nested too deeply."
    if isinstance(error, FileError):
        return f"{path}: {error}."
    return f"{path}: cannot be converted: {type(error).__name__}: {error}. This is a fault of tfpy."
