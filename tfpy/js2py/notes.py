"""Notes on places that are not converted, or that a person should check."""

from __future__ import annotations

from typing import NamedTuple

MARK = "# js2py: "


class Note(NamedTuple):
    """A remark on a place of the script.

    Attributes:
        line: the line in the script, from 1.
        text: what to do or check.
        left: whether the place is not converted; then it raises NotImplementedError when it runs.
    """

    line: int
    text: str
    left: bool


class Conversion(NamedTuple):
    """A converted script.

    Attributes:
        code: the Python code.
        notes: what a person must do or check, in the order of the script's lines.
    """

    code: str
    notes: list[Note]

    @property
    def is_complete(self) -> bool:
        """Whether everything is converted."""
        return not any(note.left for note in self.notes)


class NotConvertedError(Exception):
    """Something has no counterpart; the statement is left for a person to convert."""


class ScriptError(ValueError):
    """A script that does not parse.

    Attributes:
        line: the line of the error, from 1.
        column: the column, from 1.
    """

    def __init__(self, line: int, column: int, text: str) -> None:
        super().__init__(f"line {line}, column {column}: {text}")
        self.line = line
        self.column = column
        self.text = text
