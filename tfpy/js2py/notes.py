"""Notes on places that are not converted, or that a person should check."""

from __future__ import annotations

from typing import NamedTuple

MARK = "# js2py: "


class Note(NamedTuple):
    """A remark on a place of the script.

    Attributes:
        line: the line in the script, from 1.
        text: what is to be done or checked.
        left: whether the place is not converted; it raises NotImplementedError when it is reached.
    """

    line: int
    text: str
    left: bool


class Conversion(NamedTuple):
    """A converted script.

    Attributes:
        code: the Python.
        notes: what a person has to do or check, in the order of the script's lines.
    """

    code: str
    notes: list[Note]

    @property
    def is_complete(self) -> bool:
        """Whether everything is converted."""
        return not any(note.left for note in self.notes)


class NotConvertedError(Exception):
    """Something has no counterpart; the statement around it is left to a person."""


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
