"""What a model's further training depends on, as plain values and arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tfpy.core.convert import to_tensor
from tfpy.core.memory import tidy
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.layers.base import Layer
from tfpy.layers.weights import as_made

if TYPE_CHECKING:
    from tfpy.layers.training.trainable import TrainableModel

Arrays = dict[str, npt.NDArray[Any]]
# Stands in plain values for an array.
_ARRAY = "array in this file"


def pack(value: Any, arrays: Arrays) -> Any:
    """A value as JSON has it; arrays and tensors in it are put among the arrays."""
    if isinstance(value, Tensor):
        value = dispatch.read(value, "backup")
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            raise TypeError("tensors of strings cannot be backed up")
        name = f"array{len(arrays)}"
        arrays[name] = value
        return {_ARRAY: name}
    if isinstance(value, dict):
        return {str(key): pack(v, arrays) for key, v in value.items()}
    return [pack(v, arrays) for v in value] if isinstance(value, (list, tuple)) else value


def unpack(value: Any, arrays: Arrays) -> Any:
    """The value that `pack` was given; tensors in it are arrays."""
    if isinstance(value, dict):
        if list(value) == [_ARRAY]:
            return arrays[value[_ARRAY]]
        return {key: unpack(v, arrays) for key, v in value.items()}
    return [unpack(v, arrays) for v in value] if isinstance(value, list) else value


def state_of_model(model: TrainableModel) -> dict[str, Any]:
    """The weights, the state of the optimizer, and the states that layers keep from batch to batch."""
    weights = as_made(model.weights)
    position = {weight.name: i for i, weight in enumerate(weights)}
    slots = []
    for entry in model.optimizer.get_weights()[1:]:
        variable, _, slot = entry["name"].rpartition("/")
        if variable in position:
            slots.append([position[variable], slot, entry["tensor"]])
    return {
        "weights": weights,
        "iterations": model.optimizer.iterations,
        "learning_rate": model.optimizer.learning_rate,
        "slots": slots,
        "states": [layer.states for layer in _keeping_states(model)],  # type: ignore[attr-defined]
    }


def restore_model(model: TrainableModel, state: dict[str, Any]) -> None:
    """Give a model what `state_of_model` said.

    Raises:
        ValueError: it is the state of another model; nothing is changed then.
    """
    shapes = [list(np.shape(value)) for value in state["weights"]]
    weights = as_made(model.weights)
    own = [list(weight.shape) for weight in weights]
    layers = list(_keeping_states(model))
    if shapes != own or len(layers) != len(state["states"]):
        raise ValueError(f"it is of a model with weights of the shapes {shapes}, and not {own}")

    def write() -> None:
        for weight, value in zip(weights, state["weights"], strict=True):
            weight.assign(to_tensor("backup", weight.name, value, weight.dtype))
        optimizer = model.optimizer
        named = [{"name": f"{weights[i].name}/{slot}", "tensor": value} for i, slot, value in state["slots"]]
        steps = np.array(state["iterations"], np.int32)
        optimizer.set_weights([{"name": "iter", "tensor": steps}, *named])
        if optimizer.learning_rate != state["learning_rate"]:
            optimizer.set_learning_rate(state["learning_rate"])
        for layer, states in zip(layers, state["states"], strict=True):
            if not any(value is None for value in states):
                layer.reset_states([to_tensor("backup", layer.name, value) for value in states])

    tidy(write)


def _keeping_states(layer: Layer) -> Iterator[Layer]:
    """The layers in a model that keep states from batch to batch, those within others included."""
    inner = [*getattr(layer, "layers", ()), *(vars(layer).get(n) for n in ("layer", "forward_layer", "backward_layer"))]
    for part in inner:
        if isinstance(part, Layer):
            yield from _keeping_states(part)
    if layer.stateful and hasattr(layer, "states"):
        yield layer
