"""Scripts that the commands turn into others: read with care."""

from __future__ import annotations

from pathlib import Path

LARGEST = 1_000_000  # bytes; what people write by hand is far smaller


class FileError(Exception):
    """A file cannot be converted; the text says why."""


def read_script(path: Path, encoding: str = "utf-8", newline: str | None = None) -> str:
    """The text of a script.

    Args:
        path: the file.
        encoding: UTF-8, with or without a mark at the beginning.
        newline: what is done with the ends of lines, as `open` takes it.

    Raises:
        FileError: it is no text, too large, or cannot be read.
    """
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise FileError(f"has {size} bytes; files of more than {LARGEST} are no scripts")
        with path.open(encoding=encoding, newline=newline) as file:
            return file.read()
    except UnicodeDecodeError:
        raise FileError("is no text in UTF-8") from None
    except OSError as error:
        raise FileError(f"cannot be read: {error.strerror or error}") from None
