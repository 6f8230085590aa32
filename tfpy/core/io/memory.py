"""Models in memory: given as artifacts, as a parsed model.json, as files in hand, or to a function."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tfpy.core.io.artifacts import ModelArtifacts, SaveResult, artifacts_from, as_save_result
from tfpy.core.io.faults import MAX_JSON_BYTES, ModelFileError, ModelNotFoundError
from tfpy.core.io.files import Folder, read_file
from tfpy.core.io.http import HttpServer, is_http_scheme
from tfpy.core.io.json_text import check_depth, parse_json
from tfpy.core.io.load_options import LoadOptions
from tfpy.core.io.reading import Place, read_parts, read_pieces
from tfpy.core.ready import finish
from tfpy.core.registry import export
from tfpy.core.results import Entries
from tfpy.engine.errors import argument_error


class InMemory:
    """Loads a model whose artifacts are at hand."""

    def __init__(self, artifacts: ModelArtifacts, label: str = "model artifacts") -> None:
        self._artifacts = artifacts
        self.label = label

    def load(self) -> ModelArtifacts:
        """The artifacts."""
        return self._artifacts


class ToFunction:
    """Saves a model by calling a function with its artifacts."""

    def __init__(self, function: Callable[[ModelArtifacts], Any]) -> None:
        self._function = function

    def save(self, artifacts: ModelArtifacts) -> SaveResult:
        """What the function returns."""
        return as_save_result(finish(self._function(artifacts)))


@export(namespace="io", doc="Models / Loading")
def from_memory(
    model_artifacts: Mapping[str, Any],
    weight_specs: Sequence[Any] | None = None,
    weight_data: Any = None,
    training_config: Mapping[str, Any] | None = None,
) -> InMemory:
    """A handler that loads a model whose parts are at hand.

    Args:
        model_artifacts: {'modelTopology', 'weightSpecs', 'weightData', …}, or the topology alone.
        weight_specs: what the weights are, if the first argument is the topology.
        weight_data: their bytes.
        training_config: how it was compiled.

    Source: TF.js `tf.io.fromMemory`.
    """
    if not isinstance(model_artifacts, Mapping):
        raise argument_error("from_memory", "model_artifacts", "a dict", model_artifacts, TypeError)
    given = Entries(model_artifacts)
    if given.get("model_topology") is None and given.get("weight_specs") is None:
        parts = {
            "model_topology": model_artifacts,
            "weight_specs": weight_specs,
            "weight_data": weight_data,
            "training_config": training_config,
        }
        given = Entries({name: value for name, value in parts.items() if value is not None})
    return InMemory(ModelArtifacts(given))


@export(namespace="io", doc="Models / Loading")
def from_memory_sync(
    model_artifacts: Mapping[str, Any],
    weight_specs: Sequence[Any] | None = None,
    weight_data: Any = None,
    training_config: Mapping[str, Any] | None = None,
) -> InMemory:
    """The same as `from_memory`.

    Source: TF.js `tf.io.fromMemorySync`.
    """
    return from_memory(model_artifacts, weight_specs, weight_data, training_config)


@export(namespace="io", doc="Models / Loading")
def with_save_handler(save_handler: Callable[[ModelArtifacts], Any]) -> ToFunction:
    """A handler that saves a model by calling a function with its artifacts.

    Args:
        save_handler: called with the ModelArtifacts; returns {'modelArtifactsInfo': …} or nothing. It may be `async`.

    Source: TF.js `tf.io.withSaveHandler`.
    """
    if not callable(save_handler):
        raise argument_error(
            "with_save_handler", "save_handler", "a function of the artifacts", save_handler, TypeError
        )
    return ToFunction(save_handler)


@export(namespace="io", doc="Models / Loading")
def with_save_handler_sync(save_handler: Callable[[ModelArtifacts], Any]) -> ToFunction:
    """The same as `with_save_handler`.

    Source: TF.js `tf.io.withSaveHandlerSync`.
    """
    return with_save_handler(save_handler)


@export(namespace="io", doc="Models / Loading")
def browser_files(files: Sequence[Any]) -> Files:
    """A handler that loads a model from files in hand.

    Args:
        files: the model.json, then the weight files in any order: paths, or open binary files with a `name`.

    Raises:
        ValueError: no file, or files that are not those that the model.json names.

    Source: TF.js `tf.io.browserFiles`.
    """
    if not isinstance(files, (list, tuple)) or not files:
        raise argument_error("browser_files", "files", "a list of at least one file", files)
    return Files(files)


class Files:
    """Loads a model from its JSON and its weight files, told apart by their names."""

    def __init__(self, files: Sequence[Any]) -> None:
        self._json, *others = files
        self.label = _name(self._json)
        self._weights = {_base(_name(file)): file for file in others}
        self._wanted: list[str] = []

    def load(self) -> ModelArtifacts:
        """The artifacts; only the topology if there are no weight files."""
        self._wanted = []
        model_json = parse_json(self.read_json(MAX_JSON_BYTES), self.label)
        if not self._weights:
            return artifacts_from({k: v for k, v in model_json.items() if k != "weightsManifest"}, None)
        artifacts = read_parts(model_json, self, LoadOptions())
        unused = sorted(set(self._weights) - set(self._wanted))
        if unused:
            raise ModelFileError(f"{self.label}: does not name the weight files {', '.join(unused)}, which were given.")
        return artifacts

    def read_json(self, limit: int) -> bytes:
        return _read(self._json, limit)

    def weight_place(self, path: str) -> str:
        name = _base(path)
        if name in self._wanted:
            raise ModelFileError(f"{self.label}: names two weight files {name}.")
        if name not in self._weights:
            raise ModelNotFoundError(f"{self.label}: its weight file {name} was not given.")
        self._wanted.append(name)
        return name

    def read_weights(self, place: str, limit: int) -> bytes:
        return _read(self._weights[place], limit)


def _name(file: Any) -> str:
    if isinstance(file, (str, os.PathLike)):
        return os.fspath(file)
    name = getattr(file, "name", None)
    if not isinstance(name, str) or not hasattr(file, "read"):
        raise argument_error("browser_files", "files", "paths, or open binary files with a name", file, TypeError)
    return name


def _base(name: str) -> str:
    return name.replace("\\", "/").rsplit("/", 1)[-1]


def _read(file: Any, limit: int) -> bytes:
    if isinstance(file, (str, os.PathLike)):
        return read_file(Path(file), limit)
    return read_pieces(file.read, limit)


class Parsed:
    """Loads a model from a parsed model.json, whose weight files are where `weight_path_prefix` says; from artifacts
    in a dict; or from a topology alone.
    """

    def __init__(self, given: Mapping[str, Any], options: LoadOptions) -> None:
        self._given = given
        self._options = options
        self.label = "the given model.json"

    def load(self) -> ModelArtifacts:
        """The artifacts."""
        given = Entries(self._given)
        if any(given.get(part) is not None for part in ("weight_specs", "weight_data", "get_weight_stream")):
            return ModelArtifacts(given)
        if given.get("model_topology") is None:
            check_depth(self._given, self.label)
            return ModelArtifacts({"model_topology": self._given})
        return read_parts(dict(given), self._place(), self._options)

    def _place(self) -> Place:
        prefix = self._options.get("weight_path_prefix")
        if prefix is None and self._given_files():
            expected = "given, for the model.json names weight files"
            raise argument_error("load", "weight_path_prefix", expected, None)
        if prefix is not None and is_http_scheme(prefix):
            return HttpServer(prefix, self._options)
        return Folder(Path(self.label), prefix)

    def _given_files(self) -> bool:
        manifest = Entries(self._given).get("weights_manifest") or []
        return any(isinstance(group, Mapping) and group.get("paths") for group in manifest)
