"""Models in folders: a model.json and its weight files."""

from __future__ import annotations

import os
from pathlib import Path

from tfpy.core.io.artifacts import JSON_NAME
from tfpy.core.io.errors import ModelFileError, ModelNotFoundError, ModelReadError
from tfpy.core.io.load_handler import Loaded
from tfpy.core.io.load_options import LoadOptions
from tfpy.core.io.reading import read_model
from tfpy.core.system.urls import local_path

# Names that a single JSON file in a folder or archive may have without being the model.
_NOT_THE_MODEL = ("metadata.json", "model_meta.json", "package.json")
_MAX_TRIES = 10


class Folder:
    """A model.json and its weight files."""

    def __init__(self, model_json: Path, prefix: str | None = None) -> None:
        self.label = str(model_json)
        self._model_json = model_json
        self._prefix = model_json.parent if prefix is None else Path(local_path(prefix))

    def read_json(self, limit: int) -> bytes:
        return read_file(self._model_json, limit)

    def version(self) -> object:
        """A value that changes when the model is saved again."""
        try:
            stat = self._model_json.stat()
        except OSError:
            return None
        return stat.st_ino, stat.st_mtime_ns, stat.st_size

    def weight_place(self, path: str) -> str:
        return str(self._prefix / path)

    def read_weights(self, place: str, limit: int) -> bytes:
        return read_file(Path(local_path(place)), limit)


def read_folder(folder: Folder, options: LoadOptions) -> Loaded:
    """The model of a folder; reread if another one was saved there meanwhile: its files belong together."""
    for _ in range(_MAX_TRIES):
        version = folder.version()
        try:
            found = read_model(folder, options)
        except ModelFileError:
            if folder.version() == version:
                raise
        else:
            if folder.version() == version:
                return found
    return read_model(folder, options)


def read_file(path: Path, limit: int) -> bytes:
    """The bytes of a file, one more than the limit at most."""
    try:
        if not path.exists():
            raise ModelNotFoundError(f"{path}: is missing.")
        if not path.is_file():
            raise ModelReadError(f"{path}: is not a regular file.")
        with path.open("rb") as file:
            # Memory is allocated for the file's actual size, not the expected one.
            return file.read(min(limit + 1, os.fstat(file.fileno()).st_size))
    except ModelFileError:
        raise
    except (OSError, ValueError) as error:
        raise ModelReadError(f"{path}: cannot be read: {error}.") from error


def json_name(names: list[str], where: str) -> str:
    """Which of the files of a folder is the model's JSON.

    Raises:
        ModelFileError: none, or ambiguous.
    """
    if JSON_NAME in names:
        return JSON_NAME
    others = [n for n in names if n.endswith(".json") and n not in _NOT_THE_MODEL]
    if len(others) == 1:
        return others[0]
    found = ", ".join(sorted(others)) if others else "no .json file"
    raise ModelNotFoundError(f"{where}: has no {JSON_NAME} ({found} there).")
