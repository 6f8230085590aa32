"""Errors of saved models, and the limits on their files, so that a hostile one does no harm."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tfpy.core.calling.registry import export
from tfpy.engine.errors import show
from tfpy.engine.printable import visible

# The largest model.json that is read, and the deepest nesting in it. The largest real ones have a few MB; a model
# inside a model takes five levels.
MAX_JSON_BYTES = 64 * 2**20
MAX_JSON_DEPTH = 128
# The largest archive accepted from a server: it is kept in memory.
MAX_ARCHIVE_BYTES = 2**30
# The limit for string weights: their length is only known when they are read.
MAX_STRING_BYTES = 256 * 2**20
# How far an archive may unpack: this much in any case, and beyond that this many times its own size.
_FREE_UNPACKED_BYTES = 64 * 2**20
MAX_UNPACKING_FACTOR = 100


def max_unpacked_bytes(size: int) -> int:
    """How many bytes an archive or a compressed file of this size may unpack to."""
    return _FREE_UNPACKED_BYTES + MAX_UNPACKING_FACTOR * size


@export(namespace="io", doc="Models / Loading")
class ModelFileError(ValueError):
    """A saved model that cannot be loaded: the message names the file, the field in it, and what is wrong.

    Control characters in it, which file names and file contents may bring in, are shown as escape sequences.
    """

    def __str__(self) -> str:
        return "\n".join(map(visible, super().__str__().split("\n")))


class ModelReadError(ModelFileError, OSError):
    """A file of a saved model that cannot be read or written."""


class ModelNotFoundError(ModelReadError, FileNotFoundError):
    """A file of a saved model that does not exist."""


def field_error(source: str, field: str, expected: str, found: object) -> ModelFileError:
    """An error saying what a field of a file must be, and what it is."""
    return ModelFileError(f"{source}: {field} must be {expected}, but is {show(found)}.")


@contextmanager
def errors_of_file(source: str, otherwise: str) -> Iterator[None]:
    """Turn errors inside a `with` into errors of a file, which may contain anything, and so cause any error.

    Args:
        source: the file, and the location in it.
        otherwise: the message for errors whose own message does not explain what is wrong.

    Raises:
        ModelFileError: instead of the error. Warnings turned into errors are unchanged.
    """
    try:
        yield
    except (ValueError, TypeError, RuntimeError) as error:
        raise ModelFileError(f"{source}: {error}") from error
    except Warning:
        raise
    except Exception as error:
        raise ModelFileError(f"{source}: {otherwise} ({type(error).__name__}: {error}).") from error


def list_in(source: str, field: str, value: object) -> Sequence[Any]:
    """A field that must be a list."""
    if not isinstance(value, (list, tuple)):
        raise field_error(source, field, "a list", value)
    return value


def object_in(source: str, field: str, value: object) -> Mapping[str, Any]:
    """A field that must be an object."""
    if not isinstance(value, Mapping):
        raise field_error(source, field, "an object", value)
    return value
