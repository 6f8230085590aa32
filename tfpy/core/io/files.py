"""Models in folders and archives of the file system."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfpy.core.io.artifacts import ModelArtifacts, SaveResult
from tfpy.core.io.faults import ModelFileError, ModelNotFoundError, ModelReadError
from tfpy.core.io.reading import read_model
from tfpy.core.io.router import LoadOptions, register_load_router, register_save_router
from tfpy.core.io.writing import JSON_NAME, write_model
from tfpy.core.registry import export
from tfpy.core.urls import ending, has_scheme, local_path
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error

# What a single JSON file in a folder or archive may be called without being the model.
_NOT_THE_MODEL = ("metadata.json", "model_meta.json", "package.json")
_MOST_TRIES = 10


class FileSystem:
    """Saves models to, and loads them from, a folder, a model.json in it, or a zip archive.

    A path that ends with '.json' is that file, one that ends with '.zip' an archive; any other is a folder.
    """

    def __init__(self, path: str, options: LoadOptions | None = None, shard_bytes: int | None = None) -> None:
        self.path = Path(path)
        self.label = path
        self._options = options or LoadOptions()
        self._shard_bytes = shard_bytes

    def load(self) -> ModelArtifacts:
        """The model's artifacts."""
        try:
            path = self._found()
        except OSError as error:
            if isinstance(error, ModelFileError):
                raise
            raise ModelReadError(f"{self.path}: cannot be read: {error}.") from error
        prefix = self._options.weight_path_prefix
        if is_archive(read_file(path, 7), str(path)):
            from tfpy.core.io.archive import Archive

            with Archive(path, str(path), None if prefix is None else Folder(path, prefix)) as archive:
                self.label = archive.label
                return read_model(archive, self._options)
        if ending(path) in (".zip", ".keras", ".h5", ".hdf5"):
            raise ModelFileError(f"{path}: is not what its name says, but neither a zip archive nor an HDF5 file.")
        self.label = str(path)
        return _read_folder(Folder(path, prefix), self._options)

    def _found(self) -> Path:
        """The model.json or the archive."""
        if not self.path.exists():
            hint = " The '~' is not expanded: give os.path.expanduser(path)." if self.path.parts[:1] == ("~",) else ""
            raise ModelNotFoundError(f"{self.path}: there is no such file or folder.{hint}")
        if not self.path.is_dir():
            return self.path
        return self.path / json_name([p.name for p in self.path.iterdir()], str(self.path))

    def save(self, artifacts: ModelArtifacts) -> SaveResult:
        """Write the model; a model that was there stays whole until the new one is."""
        return write_model(self.path, artifacts, self._shard_bytes)


class Folder:
    """A model.json, and weight files beside it."""

    def __init__(self, model_json: Path, prefix: str | None = None) -> None:
        self.label = str(model_json)
        self._model_json = model_json
        self._prefix = model_json.parent if prefix is None else Path(local_path(prefix))

    def read_json(self, limit: int) -> bytes:
        return read_file(self._model_json, limit)

    def version(self) -> object:
        """Something that is another one when the model has been saved anew."""
        try:
            stat = self._model_json.stat()
        except OSError:
            return None
        return stat.st_ino, stat.st_mtime_ns, stat.st_size

    def weight_place(self, path: str) -> str:
        return str(self._prefix / path)

    def read_weights(self, place: str, limit: int) -> bytes:
        return read_file(Path(local_path(place)), limit)


def _read_folder(folder: Folder, options: LoadOptions) -> ModelArtifacts:
    """The model of a folder; read anew when another one was saved there meanwhile: its files belong together."""
    for _ in range(_MOST_TRIES):
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
        if not path.is_file():
            problem = "is no ordinary file" if path.exists() else "is missing"
            raise (ModelReadError if path.exists() else ModelNotFoundError)(f"{path}: {problem}.")
        with path.open("rb") as file:
            # Room is made for what the file has, not for what is expected of it.
            return file.read(min(limit + 1, os.fstat(file.fileno()).st_size))
    except (OSError, ValueError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelReadError(f"{path}: cannot be read: {error}.") from error


def json_name(names: list[str], where: str) -> str:
    """Which of the files of a folder is the model's JSON.

    Raises:
        ModelFileError: none is, or it cannot be told.
    """
    if JSON_NAME in names:
        return JSON_NAME
    others = [n for n in names if n.endswith(".json") and n not in _NOT_THE_MODEL]
    if len(others) == 1:
        return others[0]
    found = ", ".join(sorted(others)) if others else "no .json file"
    raise ModelNotFoundError(f"{where}: has no {JSON_NAME} ({found} there).")


def is_archive(start: bytes, label: str) -> bool:
    """Whether a file that begins so is a zip archive.

    Raises:
        ModelFileError: it is one of Keras.
    """
    if start.startswith(b"\x89HDF"):
        raise ModelFileError(f"{label}: is an HDF5 file; tf.load_layers_model reads it from its path.")
    return start.startswith((b"PK\x03\x04", b"PK\x05\x06"))


@export(namespace="io", doc="Models / Loading")
def file_system(
    path: str | os.PathLike[str],
    load_options: Mapping[str, Any] | None = None,
    weight_shard_size_bytes: int | None = None,
) -> FileSystem:
    """A handler that saves models to, and loads them from, the file system.

    Args:
        path: a folder, a .json file or a .zip archive; a file:// URL of one.
        load_options: as for `load_layers_model`.
        weight_shard_size_bytes: split the weights that are saved into files of so many bytes; one file by default.

    Source: tfjs-node `tf.io.fileSystem`.
    """
    size = weight_shard_size_bytes
    if size is not None and as_int("file_system", "weight_shard_size_bytes", size) < 1:
        raise argument_error("file_system", "weight_shard_size_bytes", "1 or more", size)
    return FileSystem(local_path(os.fspath(path)), LoadOptions.of(load_options, "file_system"), size)


def _router(url: Any, load_options: Any = None) -> FileSystem | None:
    if not has_scheme(url, "file"):
        return None
    return FileSystem(local_path(url), LoadOptions.of(load_options, "load"))


register_load_router(_router)
register_save_router(_router)
