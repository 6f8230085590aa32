"""HDF5 files of others, read with care: nothing outside of the file is opened, and nothing larger than it may be."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy.core.extras import optional_module
from tfpy.core.io.faults import (
    FREE_UNPACKED_BYTES,
    MAX_JSON_BYTES,
    MAX_UNPACKING_FACTOR,
    ModelFileError,
    ModelReadError,
)

SIGNATURE = b"\x89HDF\r\n\x1a\n"
MAX_OBJECTS = 100_000
MAX_DEPTH = 64
# Compression, and what goes with it, that HDF5 and h5py have built in. Others are plugins: code that would be loaded.
_FILTERS = frozenset({1, 2, 3, 32000})


def package() -> Any:
    """h5py. ImportError naming the extra if it is not there."""
    return optional_module("h5py", "keras", "Reading and writing Keras's files")


@contextlib.contextmanager
def reading(file: Path | bytes, source: str) -> Iterator[Hdf5]:
    """An HDF5 file, or one in memory, open to be read. What HDF5 finds wrong with it is a ModelFileError."""
    h5py = package()
    size = len(file) if isinstance(file, bytes) else file.stat().st_size
    try:
        with h5py.File(io.BytesIO(file) if isinstance(file, bytes) else os.fspath(file), "r") as opened:
            yield Hdf5(opened, size, source)
    except (ModelFileError, Warning):
        raise
    except OSError as error:
        raise ModelReadError(f"{source}: is no HDF5 file, or is damaged: {error}.") from error


class Hdf5:
    """An open HDF5 file.

    Args:
        root: the file.
        size: the bytes that it has.
        source: what messages call it.
    """

    def __init__(self, root: Any, size: int, source: str) -> None:
        self.root = root
        self.source = source
        self._left = FREE_UNPACKED_BYTES + MAX_UNPACKING_FACTOR * size

    def child(self, group: Any, path: str) -> Any:
        """What a group has under a path of names; None if there is nothing. Only what is in the file counts."""
        h5py = package()
        for name in path.split("/"):
            if not isinstance(group, h5py.Group):
                return None
            try:
                link = group.get(name, getlink=True)
                if link is not None and not isinstance(link, h5py.HardLink):
                    raise ModelFileError(f"{self.source}: {group.name}/{name} is a link, which is not followed.")
                group = None if link is None else group[name]
            except (OSError, KeyError, ValueError, RuntimeError, TypeError) as error:
                if isinstance(error, ModelFileError):
                    raise
                raise ModelReadError(f"{self.source}: {path} is damaged: {error}.") from error
        return group

    def datasets(self, group: Any) -> dict[str, Any]:
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
                    raise ModelFileError(f"{self.source}: has more in it, or deeper, than any saved model.")
                part = self.child(place, name)
                if isinstance(part, h5py.Group):
                    waiting.append((f"{before}{name}/", part, depth + 1))
                elif isinstance(part, h5py.Dataset):
                    found[before + name] = part
        return found

    def read(self, dataset: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """The numbers of an array that must have a shape.

        Raises:
            ModelFileError: another shape, no numbers, numbers that are not in the file, or more than it may unpack to.
        """
        where = f"{self.source}: {dataset.name}"
        if dataset.shape != shape:
            raise ModelFileError(
                f"{where} is of shape {list(dataset.shape or ())}, but that of the model is {list(shape)}."
            )
        if dataset.dtype.kind not in "fiub":
            raise ModelFileError(f"{where} must hold numbers, but is of type {dataset.dtype}.")
        if dataset.is_virtual or dataset.external:
            raise ModelFileError(f"{where} is kept in another file, which is not opened.")
        made = dataset.id.get_create_plist()
        if not {made.get_filter(i)[0] for i in range(made.get_nfilters())} <= _FILTERS:
            raise ModelFileError(f"{where} is packed in a way that is not read here.")
        self._left -= dataset.nbytes
        if self._left < 0:
            raise ModelFileError(f"{where}: the file would unpack to more than {MAX_UNPACKING_FACTOR} times its size.")
        try:
            return np.asarray(dataset[()])
        except (OSError, ValueError, RuntimeError, TypeError) as error:
            raise ModelReadError(f"{where} is damaged: {error}.") from error

    def text(self, group: Any, name: str) -> str | None:
        """An attribute that is a text; None if there is none."""
        value = self._attribute(group, name)
        if value is None:
            return None
        if not isinstance(value, (str, bytes)) or len(value) > MAX_JSON_BYTES:
            raise ModelFileError(f"{self.source}: the attribute {name} must be a text of a sensible length.")
        return _text(value)

    def texts(self, group: Any, name: str) -> list[str] | None:
        """An attribute that is a list of texts, in one piece or, as Keras writes long ones, in several."""
        parts = [self._attribute(group, name)]
        if parts[0] is None:
            parts = []
            while (part := self._attribute(group, f"{name}{len(parts)}")) is not None:
                parts.append(part)
        found = [item for part in parts for item in np.asarray(part, object).reshape(-1).tolist()]
        if not parts:
            return None
        if len(found) > MAX_OBJECTS or not all(isinstance(item, (str, bytes)) for item in found):
            raise ModelFileError(f"{self.source}: the attribute {name} must be a list of texts.")
        return [_text(item) for item in found]

    def _attribute(self, group: Any, name: str) -> Any:
        try:
            return group.attrs.get(name)
        except (OSError, KeyError, ValueError, RuntimeError, TypeError, MemoryError) as error:
            raise ModelReadError(f"{self.source}: the attribute {name} cannot be read: {error}.") from error


def _text(value: str | bytes) -> str:
    """A text; what is no UTF-8 in it is replaced."""
    data = value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    return data.decode("utf-8", "replace")
