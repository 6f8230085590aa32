"""The local store: models by name, where TF.js has the browser's local storage and IndexedDB.

`localstorage://my-model` and `indexeddb://my-model` are folders under `$TFPY_MODELS`, `~/.tfpy/models` by default.
"""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tfpy.core.calling.ready import ReadyDict
from tfpy.core.calling.registry import export
from tfpy.core.io.artifacts import (
    JSON_NAME,
    ModelArtifacts,
    ModelArtifactsInfo,
    SaveResult,
    artifacts_from,
    get_model_artifacts_info_for_json,
)
from tfpy.core.io.errors import MAX_JSON_BYTES, ModelFileError, ModelNotFoundError
from tfpy.core.io.files import FileSystem
from tfpy.core.io.folder import read_file
from tfpy.core.io.handlers import handler_for, load_artifacts, save_artifacts
from tfpy.core.io.json_text import parse_json
from tfpy.core.io.load_handler import Loaded, LoadHandler
from tfpy.core.io.load_options import LoadOptions, read_load_options
from tfpy.core.io.router import register_load_router, register_save_router
from tfpy.core.io.specs import read_manifest
from tfpy.core.results import Entries
from tfpy.core.system.urls import has_scheme
from tfpy.engine.errors import argument_error

SCHEMES = ("localstorage", "indexeddb")


class StoredModel(LoadHandler):
    """A model in the local store."""

    def __init__(self, url: str, options: LoadOptions | None = None) -> None:
        self.url = url
        scheme, _, name = url.partition("://")
        if not name:
            raise argument_error("the local store", "url", f"{scheme}:// and a name", url)
        self.folder = _root(scheme.lower()) / _folder_name(name)
        # A folder's name may end like that of a file of another format.
        self._file = self.folder / JSON_NAME
        self._options = options or LoadOptions()

    @property
    def exists(self) -> bool:
        """Whether the model exists."""
        try:
            return self._file.is_file()
        except OSError:  # an invalid folder name
            return False

    def read(self) -> Loaded:
        self.check()
        return Loaded(FileSystem(str(self._file), self._options).load(), self.url)

    def save(self, artifacts: ModelArtifacts) -> SaveResult:
        """Write the model, replacing one of the same name."""
        return FileSystem(str(self._file)).save(artifacts)

    def check(self) -> None:
        """Raise ModelNotFoundError if the model does not exist."""
        if not self.exists:
            raise ModelNotFoundError(f"{self.url}: no such model; tf.io.list_models() lists the existing ones.")

    def remove(self) -> None:
        """Delete it."""
        import shutil

        shutil.rmtree(self.folder)

    def info(self) -> ModelArtifactsInfo:
        """When it was saved, and its size in bytes: 0 if damaged, so that it can be listed and removed."""
        try:
            return self._read_info()
        except (ValueError, OSError):  # such as an invalid file name
            kinds = ("model_topology_bytes", "weight_specs_bytes", "weight_data_bytes")
            return ModelArtifactsInfo(
                {"date_saved": self._date(), "model_topology_type": "JSON"} | dict.fromkeys(kinds, 0)
            )

    def _date(self) -> datetime:
        return datetime.fromtimestamp(self._file.stat().st_mtime, UTC)

    def _read_info(self) -> ModelArtifactsInfo:
        model_json = parse_json(read_file(self._file, MAX_JSON_BYTES), str(self._file))
        groups = read_manifest(model_json.get("weightsManifest") or [], str(self._file))
        artifacts = artifacts_from(model_json, b"")
        counted = {
            "date_saved": self._date(),
            "weight_data_bytes": sum((self.folder / path).stat().st_size for group in groups for path in group.paths),
        }
        return ModelArtifactsInfo({**get_model_artifacts_info_for_json(artifacts), **Entries(counted)})


def _root(scheme: str) -> Path:
    given = os.environ.get("TFPY_MODELS")
    return (Path(given) if given else Path.home() / ".tfpy" / "models") / scheme


# What a folder's name cannot have everywhere: capitals, where they are not told from small letters; dots that lead
# elsewhere or that Windows drops; and the names of its devices.
_ESCAPED = re.compile(r"[^a-z0-9._~-]|^\.|\.\Z|^(?:con|prn|aux|nul)(?=\.|\Z)|^(?:com|lpt)(?=\d(?:\.|\Z))")


def _folder_name(name: str) -> str:
    """A model's name as a folder's name, the same on all systems: other characters are escaped in hexadecimal."""
    return _ESCAPED.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), name)


def _stored(url: Any, where: str) -> StoredModel:
    if not isinstance(url, str) or not has_scheme(url, *SCHEMES):
        expected = "a URL of the local store, such as 'localstorage://my-model' or 'indexeddb://my-model'"
        raise argument_error(where, "url", expected, url)
    return StoredModel(url)


@export(namespace="io", doc="Models / Management")
def list_models() -> ReadyDict[str, ModelArtifactsInfo]:
    """The models in the local store.

    Returns:
        By URL, when each was saved and the bytes of its parts; awaitable.

    Source: TF.js `tf.io.listModels`.
    """
    found: ReadyDict[str, ModelArtifactsInfo] = ReadyDict()
    for scheme in SCHEMES:
        root = _root(scheme)
        for folder in sorted(root.iterdir()) if root.is_dir() else []:
            model = StoredModel(f"{scheme}://{unquote(folder.name)}")
            if model.folder == folder and model.exists:
                found[model.url] = model.info()
    return found


@export(namespace="io", doc="Models / Management")
def remove_model(url: str) -> ModelArtifactsInfo:
    """Remove a model from the local store.

    Args:
        url: its URL, 'localstorage://…' or 'indexeddb://…'.

    Returns:
        Its entry in `list_models`; awaitable.

    Raises:
        ModelFileError: there is no such model.

    Source: TF.js `tf.io.removeModel`.
    """
    model = _stored(url, "remove_model")
    model.check()
    info = model.info()
    model.remove()
    return info


@export(namespace="io", doc="Models / Management")
def copy_model(source_url: str, dest_url: str) -> ModelArtifactsInfo:
    """Copy a model from one place to another.

    Args:
        source_url: the source, in the local store, or any path or URL that models can be loaded from.
        dest_url: the destination, in the local store, or any path or URL that models can be saved to.

    Returns:
        The date, and the sizes of its parts in bytes; awaitable.

    Source: TF.js `tf.io.copyModel`.
    """
    return _copy("copy_model", source_url, dest_url)


@export(namespace="io", doc="Models / Management")
def move_model(source_url: str, dest_url: str) -> ModelArtifactsInfo:
    """Move a model from the local store to another location; the original is removed once the copy is complete.

    Raises:
        ValueError: the source is the destination; a URL outside the local store.

    Source: TF.js `tf.io.moveModel`.
    """
    source = _stored(source_url, "move_model")
    if _is_at(source.folder, handler_for("move_model", "save", "dest_url", dest_url, LoadOptions())):
        raise argument_error("move_model", "dest_url", "a place other than that of source_url", dest_url)
    info = _copy("move_model", source_url, dest_url)
    source.remove()
    return info


def _is_at(folder: Path, target: Any) -> bool:
    """Whether a handler would save to a folder, whatever URL or path it was found by."""
    there = target.folder if isinstance(target, StoredModel) else getattr(target, "path", None)
    return isinstance(there, Path) and there.resolve() in (folder.resolve(), folder.resolve() / JSON_NAME)


def _copy(where: str, source_url: str, dest_url: str) -> ModelArtifactsInfo:
    if source_url == dest_url:
        raise argument_error(where, "dest_url", "a URL other than source_url", dest_url)
    artifacts, _ = load_artifacts(where, "source_url", source_url, LoadOptions())
    result = save_artifacts(where, "dest_url", dest_url, artifacts)
    return ModelArtifactsInfo(result.model_artifacts_info or get_model_artifacts_info_for_json(artifacts))


def _router(url: Any, load_options: Any = None) -> StoredModel | None:
    if has_scheme(url, "downloads"):
        raise ModelFileError(f"{url}: downloads work only in browsers; give the path of a folder instead.")
    return StoredModel(url, read_load_options(load_options, "load")) if has_scheme(url, *SCHEMES) else None


register_load_router(_router)
register_save_router(_router)
