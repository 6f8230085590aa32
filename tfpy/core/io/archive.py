"""Models in zip archives, read in memory: nothing is unpacked to disk, and never more than the archive may hold."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from pathlib import Path
from typing import Self

from tfpy.core.io.artifacts import JSON_NAME
from tfpy.core.io.errors import (
    MAX_UNPACKING_FACTOR,
    ModelFileError,
    ModelNotFoundError,
    ModelReadError,
    max_unpacked_bytes,
)
from tfpy.core.io.folder import json_name
from tfpy.core.io.reading import WeightFiles
from tfpy.engine.errors import some_of

MAX_ENTRIES = 100_000


class ZipReader:
    """A zip archive, whose entries are read one by one, with a limit on their total unpacked size.

    Args:
        file: the archive, or its bytes.
        label: its name in messages.
    """

    def __init__(self, file: Path | bytes, label: str) -> None:
        self.label = label
        size = len(file) if isinstance(file, bytes) else file.stat().st_size
        self._left = max_unpacked_bytes(size)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(file) if isinstance(file, bytes) else file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise ModelFileError(f"{label}: is not a readable zip archive: {error}.") from error
        self.entries = {info.filename: info for info in self._zip.infolist()}
        if len(self.entries) > MAX_ENTRIES:
            count = len(self.entries)
            raise ModelFileError(f"{label}: has {count} entries; no saved model has more than {MAX_ENTRIES}.")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._zip.close()

    def size(self, name: str) -> int:
        """The declared size of an entry in bytes; 0 if there is none."""
        return self.entries[name].file_size if name in self.entries else 0

    def read(self, name: str, limit: int) -> bytes:
        """The bytes of an entry, at most one beyond the limit."""
        info = self.entries.get(name)
        if info is None:
            raise ModelNotFoundError(f"{self.label}: {name} is missing from the archive.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
            raise ModelFileError(f"{self.label}: {name} is encrypted, or uses an unsupported compression.")
        size = min(limit + 1, info.file_size)
        if size > self._left:
            raise ModelFileError(
                f"{self.label}: {name} would unpack to {size} bytes, more than {MAX_UNPACKING_FACTOR} times the size "
                "of the archive; it is not read."
            )
        try:
            with self._zip.open(info) as file:
                data = file.read(size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
            raise ModelReadError(f"{self.label}: {name} is damaged: {error}.") from error
        self._left -= len(data)
        return data


class Archive(ZipReader):
    """A zip archive with a model.json at its top or in a folder, and weight files beside it.

    Args:
        file: the archive, or its bytes.
        label: its name in messages.
        weights: where the weight files are, if not in the archive.
    """

    def __init__(self, file: Path | bytes, label: str, weights: WeightFiles | None) -> None:
        super().__init__(file, label)
        self._weights = weights
        self._model_json = self._find_json()
        self.label = f"{label}:{self._model_json}"

    def _find_json(self) -> str:
        """The model.json nearest to the top.

        Raises:
            ModelFileError: there is none, or several are equally near.
        """
        names = [name for name in self.entries if not name.startswith("__MACOSX/")]
        if "metadata.json" in names and "config.json" in names:
            raise ModelFileError(f"{self.label}: is a .keras file; tf.load_layers_model reads it from its path.")
        files = [name for name in names if name.endswith(".json")]
        top = min((name.count("/") for name in files), default=0)
        nearest = sorted(name for name in files if name.count("/") == top)
        models = [name for name in nearest if posixpath.basename(name) == JSON_NAME]
        if len(models) > 1:
            raise ModelFileError(
                f"{self.label}: has {len(models)} models, but an archive must have exactly one: {some_of(models)}."
            )
        folder = posixpath.dirname((models or nearest or [""])[0])
        inside = [posixpath.basename(n) for n in names if posixpath.dirname(n) == folder]
        return posixpath.join(folder, json_name(inside, self.label))

    def read_json(self, limit: int) -> bytes:
        return self.read(self._model_json, limit)

    def weight_place(self, path: str) -> str:
        if self._weights is not None:
            return self._weights.weight_place(path)
        return posixpath.normpath(posixpath.join(posixpath.dirname(self._model_json), path.replace("\\", "/")))

    def read_weights(self, place: str, limit: int) -> bytes:
        return self.read(place, limit) if self._weights is None else self._weights.read_weights(place, limit)
