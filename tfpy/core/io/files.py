"""Models in folders and archives of the file system."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tfpy.core.calling.registry import export
from tfpy.core.io.artifacts import ModelArtifacts, SaveResult
from tfpy.core.io.errors import ModelFileError, ModelNotFoundError, ModelReadError
from tfpy.core.io.folder import Folder, json_name, read_file, read_folder
from tfpy.core.io.load_handler import Loaded, LoadHandler
from tfpy.core.io.load_options import LoadOptions, read_load_options
from tfpy.core.io.reading import is_archive, read_model
from tfpy.core.io.router import register_load_router, register_save_router
from tfpy.core.io.writing import write_model
from tfpy.core.system.urls import ending, has_scheme, local_path
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error


class FileSystem(LoadHandler):
    """Saves models to, and loads them from, a folder, a model.json in it, or a zip archive.

    A path that ends in '.json' is that file, one that ends in '.zip' is an archive; any other is a folder.
    """

    def __init__(self, path: str, options: LoadOptions | None = None, shard_bytes: int | None = None) -> None:
        self.path = Path(path)
        self._options = options or LoadOptions()
        self._shard_bytes = shard_bytes

    def read(self) -> Loaded:
        try:
            path = self._found()
        except ModelFileError:
            raise
        except OSError as error:
            raise ModelReadError(f"{self.path}: cannot be read: {error}.") from error
        prefix = self._options.get("weight_path_prefix")
        if is_archive(read_file(path, 7), str(path)):
            from tfpy.core.io.archive import Archive  # imported lazily

            with Archive(path, str(path), None if prefix is None else Folder(path, prefix)) as archive:
                return read_model(archive, self._options)
        if ending(path) in (".zip", ".keras", ".h5", ".hdf5"):
            raise ModelFileError(f"{path}: is neither a zip archive nor an HDF5 file, in spite of its name.")
        return read_folder(Folder(path, prefix), self._options)

    def _found(self) -> Path:
        """The model.json or the archive."""
        if not self.path.exists():
            hint = " The '~' is not expanded: give os.path.expanduser(path)." if self.path.parts[:1] == ("~",) else ""
            raise ModelNotFoundError(f"{self.path}: no such file or folder.{hint}")
        if not self.path.is_dir():
            return self.path
        return self.path / json_name([p.name for p in self.path.iterdir()], str(self.path))

    def save(self, artifacts: ModelArtifacts) -> SaveResult:
        """Write the model; an existing model stays whole until the new one is complete."""
        return write_model(self.path, artifacts, self._shard_bytes)


@export(namespace="io", doc="Models / Loading")
def file_system(
    path: str | os.PathLike[str],
    load_options: Mapping[str, Any] | None = None,
    weight_shard_size_bytes: int | None = None,
) -> FileSystem:
    """A handler that saves models to, and loads them from, the file system.

    Args:
        path: a folder, a .json file or a .zip archive; a file:// URL of one.
        load_options: `tf.io.LoadOptions` as a dict.
        weight_shard_size_bytes: split the saved weights into files of this many bytes; one file by default.

    Source: tfjs-node `tf.io.fileSystem`.
    """
    size = weight_shard_size_bytes
    if size is not None and as_int("file_system", "weight_shard_size_bytes", size) < 1:
        raise argument_error("file_system", "weight_shard_size_bytes", "1 or more", size)
    return FileSystem(local_path(os.fspath(path)), read_load_options(load_options, "file_system"), size)


def _router(url: Any, load_options: Any = None) -> FileSystem | None:
    if not has_scheme(url, "file"):
        return None
    return FileSystem(local_path(url), read_load_options(load_options, "load"))


register_load_router(_router)
register_save_router(_router)
