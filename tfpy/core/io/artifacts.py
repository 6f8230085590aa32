"""The parts of a saved model, in memory and as the JSON of a model.json."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from tfpy.core.calling.ready import Ready, finish
from tfpy.core.calling.registry import export
from tfpy.core.io.buffers import CompositeArrayBuffer, pieces_of
from tfpy.core.io.errors import ModelFileError, field_error
from tfpy.core.io.json_text import json_text
from tfpy.core.io.specs import get_weight_specs
from tfpy.core.results import Entries
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error

JSON_NAME = "model.json"
# The parts of a model that a model.json stores unchanged.
_IN_JSON = (
    "model_topology",
    "format",
    "generated_by",
    "converted_by",
    "signature",
    "user_defined_metadata",
    "model_initializer",
    "initializer_signature",
    "training_config",
)


@export(namespace="io", doc="Models / Loading")
class ModelArtifacts(Entries, Ready):
    """The parts of a saved model, by key or attribute in either spelling; None for missing ones.

    `model_topology`, `weight_specs` (a list of {'name', 'shape', 'dtype', …}), `weight_data` (bytes, or a list of
    them), `get_weight_stream` (instead, a function that returns an iterable of bytes),
    `format`, `generated_by`, `converted_by`, `training_config`, `signature`, `user_defined_metadata`,
    `model_initializer`, `initializer_signature`.

    Source: TF.js `tf.io.ModelArtifacts`.
    """

    known = (*_IN_JSON, "weight_specs", "weight_data", "get_weight_stream")


class ModelArtifactsInfo(Entries, Ready):
    """When a model was saved, and the bytes of its parts."""

    known = ("date_saved", "model_topology_type", "model_topology_bytes", "weight_specs_bytes", "weight_data_bytes")


class SaveResult(Entries, Ready):
    """The report of a save handler."""

    known = ("model_artifacts_info", "responses", "errors")


def save_result_of(topology_type: str, weights: Iterable[Tensor]) -> SaveResult:
    """The report of a model just saved in another library's format."""
    size = sum(weight.spec.nbytes for weight in weights)
    info = {"date_saved": datetime.now(UTC), "model_topology_type": topology_type, "weight_data_bytes": size}
    return SaveResult({"model_artifacts_info": ModelArtifactsInfo(info)})


def entries_of(where: str, argument: str, given: Any) -> Entries:
    """The entries of a user's dict, which are read in either spelling."""
    if not isinstance(given, Mapping):
        raise argument_error(where, argument, "a dict", given, TypeError)
    return Entries(given)


def as_artifacts(given: Any, where: str) -> ModelArtifacts:
    """Artifacts as a handler returned them: ours, or any mapping."""
    if isinstance(given, ModelArtifacts):
        return given
    if not isinstance(given, Mapping):
        raise argument_error(
            where, "artifacts", "a dict with modelTopology, weightSpecs and weightData", given, TypeError
        )
    return ModelArtifacts(given)


def with_weight_data(artifacts: ModelArtifacts, source: str) -> ModelArtifacts:
    """Artifacts with their weights' bytes in memory, if they have weights: a stream is read.

    Raises:
        ModelFileError: weights are described, but there are no bytes of them; or what should be bytes is not.
    """
    if artifacts.weight_data is None and artifacts.get_weight_stream is not None:
        rest = {name: value for name, value in artifacts.items() if name != "getWeightStream"}
        artifacts = ModelArtifacts({**rest, "weight_data": _streamed(artifacts.get_weight_stream, source)})
    if artifacts.weight_data is None and artifacts.weight_specs:
        raise ModelFileError(f"{source}: has weightSpecs, but neither weightData nor a getWeightStream.")
    try:
        CompositeArrayBuffer(artifacts.weight_data)
    except TypeError:
        raise field_error(source, "weightData", "bytes, or a list of them", artifacts.weight_data) from None
    return artifacts


def _streamed(get_weight_stream: Any, source: str) -> list[Any]:
    """The pieces of the stream that a function returns, which may be `async`."""
    if not callable(get_weight_stream):
        raise field_error(source, "getWeightStream", "a function", get_weight_stream)
    stream = finish(get_weight_stream())
    pieces = pieces_of(stream)
    if pieces is None:
        raise field_error(source, "what getWeightStream returns", "an iterable of bytes", stream)
    return pieces


def as_save_result(given: Any) -> SaveResult:
    """The result of a save handler, which may return any mapping or nothing."""
    return given if isinstance(given, SaveResult) else SaveResult(given if isinstance(given, Mapping) else {})


def model_json_of(artifacts: ModelArtifacts, manifest: Sequence[Any] | None) -> dict[str, Any]:
    """The content of the model.json of a model whose weights are at the locations in the manifest."""
    entries = {name: getattr(artifacts, name) for name in _IN_JSON}
    always = {"model_topology", "format", "generated_by", "converted_by"}
    kept = {name: value for name, value in entries.items() if value is not None or name in always}
    return {**Entries(kept), **({} if manifest is None else {"weightsManifest": list(manifest)})}


@export(namespace="io", doc="Models / Loading")
def get_model_artifacts_for_json_sync(
    model_json: Mapping[str, Any], weight_specs: Sequence[Any] | None = None, weight_data: Any = None
) -> ModelArtifacts:
    """The artifacts of a model from the content of its model.json.

    Args:
        model_json: the parsed JSON.
        weight_specs: the specs of the weights; required if the JSON has a weightsManifest.
        weight_data: their bytes; required likewise.

    Raises:
        ValueError: a manifest without specs or data.

    Source: TF.js `tf.io.getModelArtifactsForJSONSync`.
    """
    given = entries_of("get_model_artifacts_for_json", "model_json", model_json)
    found = {name: given[name] for name in _IN_JSON if given.get(name) is not None}
    if given.get("weights_manifest") is not None:
        for argument, value in (("weight_specs", weight_specs), ("weight_data", weight_data)):
            if value is None:
                expected = "given, since model_json has a weightsManifest"
                raise argument_error("get_model_artifacts_for_json", argument, expected, None)
        found |= {"weight_specs": weight_specs, "weight_data": weight_data}
    return ModelArtifacts(found)


@export(namespace="io", doc="Models / Loading")
def get_model_artifacts_for_json(model_json: Mapping[str, Any], load_weights: Callable[[Any], Any]) -> ModelArtifacts:
    """The artifacts of a model from the content of its model.json, the weights fetched by a function.

    Args:
        model_json: the parsed JSON.
        load_weights: called with the weightsManifest, if there is one; returns [weight_specs, weight_data]. It may be
            `async`.

    Returns:
        The artifacts; awaitable.

    Source: TF.js `tf.io.getModelArtifactsForJSON`.
    """
    where = "get_model_artifacts_for_json"
    manifest = entries_of(where, "model_json", model_json).get("weights_manifest")
    loaded = (None, None) if manifest is None else finish(load_weights(manifest))
    if not isinstance(loaded, (list, tuple)) or len(loaded) != 2:
        expected = "a function that returns [weight_specs, weight_data]"
        raise argument_error(where, "load_weights", expected, loaded, TypeError)
    return get_model_artifacts_for_json_sync(model_json, *loaded)


@export(namespace="io", doc="Models / Loading")
def get_model_artifacts_info_for_json(model_artifacts: Mapping[str, Any]) -> ModelArtifactsInfo:
    """The date and the sizes in bytes that save handlers return as `model_artifacts_info`.

    Source: TF.js `tf.io.getModelArtifactsInfoForJSON`.
    """
    artifacts = as_artifacts(model_artifacts, "get_model_artifacts_info_for_json")

    def size(value: Any) -> int:
        return 0 if value is None else len(json_text(value, "model_artifacts").encode())

    return ModelArtifactsInfo(
        {
            "date_saved": datetime.now(UTC),
            "model_topology_type": "JSON",
            "model_topology_bytes": size(artifacts.model_topology),
            "weight_specs_bytes": size(artifacts.weight_specs),
            "weight_data_bytes": CompositeArrayBuffer(artifacts.weight_data).byte_length,
        }
    )


def artifacts_from(model_json: Mapping[str, Any], data: Any) -> ModelArtifacts:
    """The artifacts of a model whose model.json has been read and whose weights' bytes are in memory."""
    manifest = model_json.get("weightsManifest")
    specs = None if manifest is None else get_weight_specs(manifest)
    return get_model_artifacts_for_json_sync(model_json, specs, data)
