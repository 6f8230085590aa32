"""Loading weights into a model: given by name, or from a saved model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tfpy.core.convert import to_tensor
from tfpy.core.io.artifacts import ModelArtifacts
from tfpy.core.io.buffers import CompositeArrayBuffer
from tfpy.core.io.errors import ModelFileError
from tfpy.core.io.handlers import load_artifacts
from tfpy.core.io.load_options import LoadOptions
from tfpy.core.io.safe_tensors import load_safetensors
from tfpy.core.io.specs import read_specs
from tfpy.core.io.weights import decode
from tfpy.core.results import named_tensors
from tfpy.core.system.urls import ending, path_of
from tfpy.core.tensor import Tensor
from tfpy.layers.saving.keras.found import found_keras_file
from tfpy.layers.saving.weight_names import load_named

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel


def load_weights(model: LayersModel, weights: Any, strict: bool) -> None:
    """Set the weights of a model by name."""
    if isinstance(weights, (Mapping, list, tuple)):
        values, source = dict(named_tensors("load_weights", "weights", weights)), "load_weights"
    elif (keras_file := found_keras_file(weights)) is not None:
        from tfpy.layers.saving.keras.reader import opened, write_keras_weights  # imported lazily

        with opened(keras_file) as file:
            write_keras_weights(model, file, strict)
        return
    else:
        values, source = _weights_of(weights)
    tensors = {name: to_tensor("load_weights", str(name), value, "any") for name, value in values.items()}
    load_named(model, tensors, strict, source)


def _weights_of(place: Any) -> tuple[dict[str, Tensor], str]:
    """The weights of a saved model by name, without the optimizer's."""
    path = path_of(place)
    if path is not None and ending(path) == ".safetensors":
        return load_safetensors(path), str(path)
    artifacts, source = load_artifacts("load_weights", "weights", place, LoadOptions())
    return decoded(artifacts, source)[0], source


def decoded(artifacts: ModelArtifacts, source: str) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The weights of artifacts by name, and the state of the optimizer by name."""
    if artifacts.weight_data is None:
        return {}, {}
    if artifacts.weight_specs is None:
        raise ModelFileError(f"{source}: has the bytes of weights, but no weightSpecs to describe them.")
    specs = read_specs(artifacts.weight_specs, source)
    values = decode(CompositeArrayBuffer(artifacts.weight_data), specs, source)
    state = {spec.name: values.pop(spec.name) for spec in specs if spec.group == "optimizer"}
    return values, state
