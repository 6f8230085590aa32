"""Untrusted HDF5 files, read safely: nothing outside the file is opened, and sizes are bounded."""

from __future__ import annotations

import contextlib
import functools
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from tfpy.core.io.errors import (
    MAX_JSON_BYTES,
    MAX_UNPACKING_FACTOR,
    ModelFileError,
    ModelReadError,
    max_unpacked_bytes,
)
from tfpy.core.system.extras import optional_module

F = TypeVar("F", bound=Callable[..., Any])

# What h5py raises for a damaged file.
_DAMAGE = (OSError, LookupError, ValueError, RuntimeError, TypeError, ArithmeticError, MemoryError)

SIGNATURE = b"\x89HDF\r\n\x1a\n"
MAX_OBJECTS = 100_000
MAX_DEPTH = 64
# Compression and other filters built into HDF5 and h5py. Others are plugins: code that would be loaded.
_FILTERS = frozenset({1, 2, 3, 32000})


def package() -> Any:
    """h5py; an ImportError naming the extra if it is missing."""
    return optional_module("h5py", "keras", "Reading and writing Keras's files")


@contextlib.contextmanager
def reading(file: Path | bytes, source: str) -> Iterator[Hdf5]:
    """An HDF5 file, or one in memory, open for reading. HDF5's errors become a ModelFileError."""
    place = io.BytesIO(file) if isinstance(file, bytes) else os.fspath(file)
    size = len(file) if isinstance(file, bytes) else file.stat().st_size
    with contextlib.ExitStack() as stack:
        try:
            opened = stack.enter_context(package().File(place, "r"))
        except _DAMAGE as error:
            raise ModelReadError(f"{source}: is not an HDF5 file, or is damaged: {error}.") from error
        yield Hdf5(opened, size, source)


def _careful(method: F) -> F:
    """A method that reads: HDF5's errors become a ModelFileError."""

    @functools.wraps(method)
    def call(self: Hdf5, *args: Any) -> Any:
        try:
            return method(self, *args)
        except ModelFileError:
            raise
        except _DAMAGE as error:
            raise ModelReadError(f"{self.source}: is damaged: {error}.") from error

    return cast("F", call)


class Hdf5:
    """An open HDF5 file.

    Args:
        root: the file.
        size: the bytes that it has.
        source: its name in messages.
    """

    def __init__(self, root: Any, size: int, source: str) -> None:
        self.root = root
        self.source = source
        self._left = max_unpacked_bytes(size)

    @_careful
    def child(self, group: Any, path: str) -> Any:
        """The group or array that a group has under a path of names; None if there is none.

        Raises:
            ModelFileError: a link on the way, to this file or another one: links are not followed.
        """
        h5py = package()
        for name in path.split("/"):
            if not isinstance(group, h5py.Group):
                return None
            link = group.get(name, getlink=True)
            if link is not None and not isinstance(link, h5py.HardLink):
                raise ModelFileError(f"{self.source}: {group.name}/{name} is a link; links are not followed.")
            group = None if link is None else group[name]
        return group

    @_careful
    def array(self, group: Any, path: str) -> Any:
        """The array that a group has under a path; None if there is none."""
        found = self.child(group, path)
        return found if isinstance(found, package().Dataset) else None

    @_careful
    def arrays(self, group: Any) -> dict[str, Any]:
        """All arrays under a group by their paths."""
        h5py = package()
        found: dict[str, Any] = {}
        waiting = [("", group, 0)]
        seen = 0
        while waiting:
            before, place, depth = waiting.pop()
            for name in place:
                seen += 1
                if seen > MAX_OBJECTS or depth > MAX_DEPTH:
                    raise ModelFileError(f"{self.source}: has more entries, or deeper nesting, than any saved model.")
                part = self.child(place, name)
                if isinstance(part, h5py.Group):
                    waiting.append((f"{before}{name}/", part, depth + 1))
                elif isinstance(part, h5py.Dataset):
                    found[before + name] = part
        return found

    @_careful
    def read(self, array: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """The numbers of an array that must have a shape.

        Raises:
            ModelFileError: a wrong shape, not numbers, numbers that are not in the file, or more than it may unpack to.
        """
        where = f"{self.source}: {array.name}"
        if array.shape != shape:
            raise ModelFileError(
                f"{where} is of shape {list(array.shape or ())}, but that of the model is {list(shape)}."
            )
        if array.dtype.kind not in "fiub":
            raise ModelFileError(f"{where} must hold numbers, but is of type {array.dtype}.")
        if array.is_virtual or array.external:
            raise ModelFileError(f"{where} is stored in another file; external files are not opened.")
        made = array.id.get_create_plist()
        if not {made.get_filter(i)[0] for i in range(made.get_nfilters())} <= _FILTERS:
            raise ModelFileError(f"{where} uses an unsupported compression.")
        self._left -= array.nbytes
        if self._left < 0:
            raise ModelFileError(f"{where}: the file would unpack to more than {MAX_UNPACKING_FACTOR} times its size.")
        return np.asarray(array[()])

    @_careful
    def text(self, group: Any, name: str) -> str | None:
        """An attribute that is a string; None if there is none."""
        value = group.attrs.get(name)
        if value is None:
            return None
        if not isinstance(value, (str, bytes)) or len(value) > MAX_JSON_BYTES:
            raise ModelFileError(f"{self.source}: the attribute {name} must be a string of reasonable length.")
        return _text(value)

    @_careful
    def texts(self, group: Any, name: str) -> list[str] | None:
        """An attribute that is a list of strings, in one piece or, as Keras writes long ones, in several."""
        parts = [group.attrs.get(name)]
        if parts[0] is None:
            parts = []
            while (part := group.attrs.get(f"{name}{len(parts)}")) is not None:
                parts.append(part)
        found = [item for part in parts for item in np.asarray(part, object).reshape(-1).tolist()]
        if not parts:
            return None
        if len(found) > MAX_OBJECTS or not all(isinstance(item, (str, bytes)) for item in found):
            raise ModelFileError(f"{self.source}: the attribute {name} must be a list of strings.")
        return [_text(item) for item in found]


def _text(value: str | bytes) -> str:
    """A string; invalid UTF-8 in it is replaced."""
    data = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    return data.decode("utf-8", "replace")
