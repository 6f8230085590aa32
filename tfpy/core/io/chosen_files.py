"""Loading models from individually chosen files, as in a browser."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tfpy.core.calling.registry import export
from tfpy.core.io.artifacts import artifacts_from
from tfpy.core.io.errors import MAX_JSON_BYTES, ModelFileError, ModelNotFoundError
from tfpy.core.io.folder import read_file
from tfpy.core.io.json_text import parse_json
from tfpy.core.io.load_handler import Loaded, LoadHandler
from tfpy.core.io.load_options import LoadOptions
from tfpy.core.io.reading import read_parts, read_pieces
from tfpy.engine.errors import argument_error


class ChosenFiles(LoadHandler):
    """Loads a model from its JSON and its weight files, distinguished by name."""

    def __init__(self, files: Sequence[Any]) -> None:
        self._json, *others = files
        self._label = _name(self._json)
        self._weights = {_base(_name(file)): file for file in others}

    def read(self) -> Loaded:
        """Only the topology if there are no weight files."""
        model_json = parse_json(_read(self._json, MAX_JSON_BYTES), self._label)
        if not self._weights:
            topology = {name: value for name, value in model_json.items() if name != "weightsManifest"}
            return Loaded(artifacts_from(topology, None), self._label)
        files = _WeightsByName(self._weights, self._label)
        loaded = read_parts(model_json, files, LoadOptions())
        unused = sorted(self._weights.keys() - files.wanted)
        if unused:
            raise ModelFileError(
                f"{self._label}: does not name the weight files {', '.join(unused)}, which were given."
            )
        return loaded


class _WeightsByName:
    """Weight files by name; a model may name each only once."""

    def __init__(self, files: Mapping[str, Any], label: str) -> None:
        self.label = label
        self.wanted: set[str] = set()
        self._files = files

    def weight_place(self, path: str) -> str:
        name = _base(path)
        if name in self.wanted:
            raise ModelFileError(f"{self.label}: names two weight files {name}.")
        if name not in self._files:
            raise ModelNotFoundError(f"{self.label}: its weight file {name} was not given.")
        self.wanted.add(name)
        return name

    def read_weights(self, place: str, limit: int) -> bytes:
        return _read(self._files[place], limit)


def _name(file: Any) -> str:
    if isinstance(file, (str, os.PathLike)):
        return os.fspath(file)
    name = getattr(file, "name", None)
    if not isinstance(name, str) or not hasattr(file, "read") or isinstance(file, io.TextIOBase):
        raise argument_error("browser_files", "files", "paths, or open binary files with a name", file, TypeError)
    return name


def _base(name: str) -> str:
    return name.replace("\\", "/").rsplit("/", 1)[-1]


def _read(file: Any, limit: int) -> bytes:
    if isinstance(file, (str, os.PathLike)):
        return read_file(Path(file), limit)
    return read_pieces(file.read, limit)


@export(namespace="io", doc="Models / Loading")
def browser_files(files: Sequence[Any]) -> ChosenFiles:
    """A handler that loads a model from given files.

    Args:
        files: the model.json, then the weight files in any order: paths, or open binary files with a `name`.

    Raises:
        ValueError: no file, or files other than those that the model.json names.

    Source: TF.js `tf.io.browserFiles`.
    """
    if not isinstance(files, (list, tuple)) or not files:
        raise argument_error("browser_files", "files", "a list of at least one file", files)
    return ChosenFiles(files)
