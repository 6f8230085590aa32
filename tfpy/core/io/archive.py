"""Models in zip archives, read in memory: nothing is unpacked to the disk, and never more than the archive may hold."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from pathlib import Path
from typing import Self

from tfpy.core.io.faults import (
    FREE_UNPACKED_BYTES,
    MAX_UNPACKING_FACTOR,
    ModelFileError,
    ModelNotFoundError,
    ModelReadError,
)
from tfpy.core.io.files import json_name, local_path, read_file
from tfpy.core.io.router import LoadOptions

MAX_ENTRIES = 100_000


class Archive:
    """A zip archive with a model.json at its top or in a folder, and weight files beside it."""

    def __init__(self, path: Path, options: LoadOptions) -> None:
        self.label = str(path)
        self._prefix = options.weight_path_prefix
        self._left = FREE_UNPACKED_BYTES + MAX_UNPACKING_FACTOR * path.stat().st_size
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
            raise ModelFileError(f"{path}: is not a readable zip archive: {error}.") from error
        self._entries = {info.filename: info for info in self._zip.infolist()}
        self._model_json = self._find_json()
        self.label = f"{path}:{self._model_json}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._zip.close()

    def _find_json(self) -> str:
        """The model.json that is nearest to the top."""
        names = [name for name in self._entries if not name.startswith("__MACOSX/")]
        if len(names) > MAX_ENTRIES:
            raise ModelFileError(f"{self.label}: has {len(names)} entries; no saved model has more than {MAX_ENTRIES}.")
        if "metadata.json" in names and "config.json" in names:
            raise ModelFileError(f"{self.label}: is a .keras file; convert it to a model.json first.")
        folders = sorted({posixpath.dirname(n) for n in names if n.endswith(".json")}, key=lambda d: (d.count("/"), d))
        folder = folders[0] if folders else ""
        inside = [posixpath.basename(n) for n in names if posixpath.dirname(n) == folder]
        return posixpath.join(folder, json_name(inside, self.label))

    def read_json(self, limit: int) -> bytes:
        return self._read(self._model_json, limit)

    def weight_place(self, path: str) -> str:
        if self._prefix is not None:
            return str(Path(local_path(self._prefix)) / path)
        return posixpath.normpath(posixpath.join(posixpath.dirname(self._model_json), path.replace("\\", "/")))

    def read_weights(self, place: str, limit: int) -> bytes:
        return self._read(place, limit) if self._prefix is None else read_file(Path(place), limit)

    def _read(self, name: str, limit: int) -> bytes:
        info = self._entries.get(name)
        if info is None:
            raise ModelNotFoundError(f"{self.label}: {name} is missing in the archive.")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
            raise ModelFileError(f"{self.label}: {name} is encrypted, or packed in a way that is not read here.")
        size = min(limit + 1, info.file_size)
        if size > self._left:
            raise ModelFileError(
                f"{self.label}: {name} would unpack to {size} bytes, more than {MAX_UNPACKING_FACTOR} times what the "
                "archive has; it is not read."
            )
        try:
            with self._zip.open(info) as file:
                data = file.read(size)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
            raise ModelReadError(f"{self.label}: {name} is damaged: {error}.") from error
        self._left -= len(data)
        return data
