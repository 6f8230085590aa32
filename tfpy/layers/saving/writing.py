"""Writing a model: its topology, its weights, or all of it, in the formats of TF.js, Keras and ONNX."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfpy._version import VERSION
from tfpy.core.calling.ready import ReadyNone
from tfpy.core.io.artifacts import ModelArtifacts, SaveResult
from tfpy.core.io.buffers import concatenate_array_buffers
from tfpy.core.io.handlers import save_artifacts
from tfpy.core.io.json_text import json_text
from tfpy.core.io.new_files import whole_characters
from tfpy.core.io.quantization import quantized
from tfpy.core.io.safe_tensors import save_safetensors
from tfpy.core.io.weights import encode_weights
from tfpy.core.system.urls import ending, path_of
from tfpy.engine.errors import argument_error
from tfpy.engine.warn import warn_user
from tfpy.layers.config import plain
from tfpy.layers.inner_layers import warn_of_unlisted
from tfpy.layers.saving.optimizer_state import optimizer_weights
from tfpy.layers.saving.tfjs_compatibility import browser_faults, sentences
from tfpy.layers.saving.topology import written
from tfpy.layers.saving.training_config import training_config_of
from tfpy.layers.saving.unreturned import warn_of_unreturned
from tfpy.layers.saving.weight_names import check_weights
from tfpy.layers.training.training_state import is_compiled

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel

# The version of TF.js whose format is written.
FORMAT_VERSION = "tfjs-layers 4.22.0"
MAX_METADATA_BYTES = 2**20
# Files that are Keras's.
KERAS_SUFFIXES = (".keras", ".h5", ".hdf5")


def to_json(model: LayersModel) -> str:
    """The topology of a model in the format of TF.js and Keras."""
    return json_text(
        {
            **written(plain(model)),
            "keras_version": FORMAT_VERSION,
            "backend": "tensor_flow.js",
        },
        f"model {model.name}",
    )


def save(
    model: LayersModel,
    place: Any,
    *,
    trainable_only: bool,
    include_optimizer: bool,
    strict: bool | None,
    quantize: str | None,
) -> SaveResult:
    """Save a model in the format given by the ending of the destination."""
    check_weights(model)
    path = path_of(place)
    kind = "" if path is None else ending(path)
    if quantize is not None and kind in (*KERAS_SUFFIXES, ".onnx"):
        raise argument_error("save", "quantize", f"None for a file that ends with {kind}", quantize)
    if strict is not False:
        warn_of_unlisted("save", model)
        warn_of_unreturned("save", model)
    if path is not None and path.name.lower().endswith(".weights.h5"):
        raise ValueError(f"save: {path} can hold only weights; use save_weights, or another ending.")
    if path is not None and kind in KERAS_SUFFIXES:
        from tfpy.layers.saving.keras.writer import save_keras  # imported lazily

        with whole_characters(path):
            return save_keras(model, path, include_optimizer, strict)
    if path is not None and kind == ".onnx":
        return _save_onnx(model, path, include_optimizer=include_optimizer, trainable_only=trainable_only)
    artifacts = _artifacts(model, trainable_only, include_optimizer)
    if strict is not False:
        _look_for_faults(model, artifacts, bool(strict))
    given = artifacts if quantize is None else quantized(artifacts, quantize)
    return save_artifacts("save", "handler_or_url", place, given)


def _save_onnx(model: LayersModel, path: Path, **options: bool) -> SaveResult:
    from tfpy.layers.saving.onnx.file import save_onnx  # imported lazily

    for option, given in options.items():
        if given:
            raise argument_error("save", option, "False for an ONNX file, which holds only the inference graph", given)
    with whole_characters(path):
        return save_onnx(model, path)


def _look_for_faults(model: LayersModel, artifacts: ModelArtifacts, strict: bool) -> None:
    """Raise for or warn about what TF.js would reject or compute differently."""
    found = sentences(browser_faults(artifacts, [weight.original_name for weight in model.weights]))
    text = f"model {model.name}: {' '.join(found)}"
    if found and strict:
        raise ValueError(f"save: {text} Nothing was saved.")
    if found:
        warn_user(text)


def _artifacts(model: LayersModel, trainable_only: bool, include_optimizer: bool) -> ModelArtifacts:
    data, specs = encode_weights(model.get_named_weights(trainable_only=trainable_only))
    parts: dict[str, Any] = {
        "model_topology": model.to_json(return_string=False),
        "format": "layers-model",
        "generated_by": f"tfpy v{VERSION}",
    }
    if include_optimizer and is_compiled(model):
        parts["training_config"] = training_config_of(model)
        more = encode_weights(optimizer_weights(model), "optimizer")
        data, specs = concatenate_array_buffers([data, more.data]), [*specs, *more.specs]
    if (metadata := model.get_user_defined_metadata()) is not None:
        parts["user_defined_metadata"] = metadata
    return ModelArtifacts({**parts, "weight_data": data, "weight_specs": specs})


def save_weights(model: LayersModel, path: str | os.PathLike[str]) -> ReadyNone:
    """Write the weights of a model alone."""
    check_weights(model)
    file = path_of(path)
    if file is not None and ending(file) == ".safetensors":
        return save_safetensors({w.name: w.tensor for w in model.get_named_weights()}, file)
    if file is None or not file.name.lower().endswith(".weights.h5"):
        raise argument_error("save_weights", "path", "a path that ends with .safetensors or .weights.h5", path)
    from tfpy.layers.saving.keras.writer import save_keras_weights  # imported lazily

    return save_keras_weights(model, file)


def as_metadata(given: Any) -> dict[str, Any]:
    """User-defined metadata as stored in a file."""
    where = "set_user_defined_metadata"
    if not isinstance(given, Mapping):
        raise argument_error(where, "user_defined_metadata", "a dict", given, TypeError)
    text = json_text(given, where)
    if len(text.encode()) > MAX_METADATA_BYTES:
        warn_user(f"The model's metadata have more than {MAX_METADATA_BYTES} bytes.")
    noted: dict[str, Any] = json.loads(text)
    return noted
