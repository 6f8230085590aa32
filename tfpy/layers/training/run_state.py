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
from tfpy.engine.errors import show
from tfpy.engine.spec import as_int, as_number
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
    kept = [[] if any(value is None for value in states) else states for states in state["states"]]
    for value in [*state["weights"], *(value for states in kept for value in states)]:
        _check_numbers("a weight or a state", value)
    for i, slot, value in state["slots"]:
        _check_numbers(f"the slot {slot}", value)
        if list(np.shape(value)) != own[i]:
            raise ValueError(f"the slot {slot} of a weight of shape {own[i]} is of shape {list(np.shape(value))}")
    rate = as_number("backup", "learning_rate", state["learning_rate"])
    steps = np.array(as_int("backup", "iterations", state["iterations"]), np.int32)

    def write() -> None:
        # What has checks of its own comes first.
        for layer, states in zip(layers, kept, strict=True):
            if states:
                layer.reset_states([to_tensor("backup", layer.name, value) for value in states])
        optimizer = model.optimizer
        named = [{"name": f"{weights[i].name}/{slot}", "tensor": value} for i, slot, value in state["slots"]]
        optimizer.set_weights([{"name": "iter", "tensor": steps}, *named])
        if optimizer.learning_rate != rate:
            optimizer.set_learning_rate(rate)
        for weight, value in zip(weights, state["weights"], strict=True):
            weight.assign(to_tensor("backup", weight.name, value, weight.dtype))

    tidy(write)


def _check_numbers(what: str, value: Any) -> None:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiub":
        raise ValueError(f"{what} must be an array of numbers, but is {show(value)}")


def _keeping_states(layer: Layer) -> Iterator[Layer]:
    """The layers in a model that keep states from batch to batch, those within others included."""
    inner = [*getattr(layer, "layers", ()), *(vars(layer).get(n) for n in ("layer", "forward_layer", "backward_layer"))]
    for part in inner:
        if isinstance(part, Layer):
            yield from _keeping_states(part)
    if layer.stateful and hasattr(layer, "states"):
        yield layer
