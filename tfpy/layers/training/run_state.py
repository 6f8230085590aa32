"""The state that a model's further training depends on, as plain values and arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy.core.convert import Kind, to_tensor
from tfpy.core.memory import tidy
from tfpy.core.optimizers.base import Optimizer
from tfpy.core.optimizers.state import MAX_ITERATIONS, SlotName, State, by_variable, state_of, steps_made
from tfpy.core.tensor import Tensor
from tfpy.core.variable import find_variable
from tfpy.engine.arguments import as_count, as_number
from tfpy.engine.errors import argument_error, show, unknown_name_error
from tfpy.layers.base import Layer
from tfpy.layers.inner_layers import layers_in
from tfpy.layers.weights import LayerVariable, in_creation_order

if TYPE_CHECKING:
    from tfpy.layers.trainable_model import TrainableModel


@contextmanager
def entry(name: str) -> Iterator[None]:
    """Lets errors of reading a part of the state name it.

    Raises:
        ValueError: whatever else is raised, since a damaged file can cause any exception in its reader.
    """
    try:
        yield
    except Exception as error:
        reason = error if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise ValueError(f"its entry {name!r}: {reason}") from error


def state_of_model(model: TrainableModel, optimizer: Optimizer) -> dict[str, Any]:
    """The weights, the state of their optimizer, and the states that layers keep from batch to batch."""
    weights = in_creation_order(model.weights)
    position = {weight.name: i for i, weight in enumerate(weights)}
    own_state = _has_own_state(optimizer)
    slots: list[list[Any]] = []
    for name, tensor in state_of(optimizer)[0 if own_state else 1 :]:
        if name.variable in position:
            slots.append([position[name.variable], name.slot, tensor])
        elif own_state and (name.variable is None or find_variable(name.variable) is None):
            slots.append([None, str(name), tensor])
    return {
        "optimizer": optimizer.get_class_name(),
        "weights": weights,
        "iterations": optimizer.iterations,
        "learning_rate": optimizer.learning_rate,
        "slots": slots,
        "states": [layer.states for layer in _keeping_states(model)],
    }


def restorer(where: str, model: TrainableModel, optimizer: Optimizer, state: dict[str, Any]) -> Callable[[], None]:
    """A function that restores a result of `state_of_model`; everything is checked beforehand.

    The optimizer keeps its slots for the weights of other models.

    Args:
        where: who asks for it, for messages.
        model, optimizer: the objects to restore.
        state: the result of `state_of_model`.

    Raises:
        ValueError: an invalid state, or that of another model.
    """
    weights = in_creation_order(model.weights)
    with entry("model.weights"):
        values = _of_weights(where, weights, state["weights"])
    with entry("model.optimizer"):
        _check_optimizer(optimizer, state["optimizer"])
    with entry("model.states"):
        states = _of_layers(where, _keeping_states(model), state["states"])
    own_state = _has_own_state(optimizer)
    with entry("model.slots"):
        entries = state["slots"]
        slots = _of_own_state(where, weights, entries) if own_state else _of_slots(where, optimizer, weights, entries)
    with entry("model.learning_rate"):
        rate = as_number(where, "learning_rate", state["learning_rate"])
    with entry("model.iterations"):
        iterations = as_count(where, "iterations", state["iterations"])
        if iterations > MAX_ITERATIONS:
            raise argument_error(where, "iterations", f"at most {MAX_ITERATIONS}", iterations)

    def restore() -> None:
        optimizer.set_state_of(weights, slots if own_state else [steps_made(iterations), *slots])
        optimizer.iterations = iterations
        if optimizer.learning_rate != rate:
            optimizer.set_learning_rate(rate)
        for layer, kept in states:
            layer.reset_states(kept)
        for weight, value in zip(weights, values, strict=True):
            weight.assign(value)

    return lambda: tidy(restore)


def _check_optimizer(optimizer: Optimizer, name: Any) -> None:
    if name != optimizer.get_class_name():
        raise ValueError(f"it is from training with {show(name)}, not {optimizer.get_class_name()}")


def _of_weights(where: str, weights: list[LayerVariable], values: list[Any]) -> list[Tensor]:
    shapes, own = [_shape(value) for value in values], [list(weight.shape) for weight in weights]
    if shapes != own:
        raise ValueError(f"it is from a model with weights of shapes {shapes}, not {own}")
    return [_tensor(where, weight.name, value, weight.dtype) for weight, value in zip(weights, values, strict=True)]


def _of_layers(where: str, layers: list[Any], states: list[Any]) -> list[tuple[Layer, list[Tensor]]]:
    """The layers that had states, with these states."""
    if len(states) != len(layers):
        raise ValueError(f"it is from a model with {len(states)} stateful layers, not {len(layers)}")
    had = [(layer, values) for layer, values in zip(layers, states, strict=True) if any(v is not None for v in values)]
    return [(layer, _of_states(where, layer, layer.states, values)) for layer, values in had]


def _of_states(where: str, layer: Layer, own: list[Tensor | None], values: list[Any]) -> list[Tensor]:
    """The states of a layer, which must match its current ones, if it has any before its first batch."""
    shapes = [_shape(value) for value in values]
    if len(values) != len(own) or any(o is not None and list(o.shape) != s for o, s in zip(own, shapes, strict=True)):
        raise ValueError(f"its states of shapes {shapes} do not fit layer {layer.name}")
    kinds: list[Kind] = ["numeric" if state is None else state.dtype for state in own]
    return [_tensor(where, f"a state of {layer.name}", v, kind) for v, kind in zip(values, kinds, strict=True)]


def _of_slots(where: str, optimizer: Optimizer, weights: list[LayerVariable], slots: list[Any]) -> State:
    """The slots under the optimizer's names."""
    found: dict[SlotName, Tensor] = {}
    for place, slot, value in slots:
        weight = weights[as_count(where, "the weight of a slot", place)]
        if slot not in optimizer.slot_names:
            raise unknown_name_error("slot", slot, optimizer.slot_names)
        if _shape(value) != list(weight.shape):
            own = list(weight.shape)
            raise ValueError(f"the slot {slot} of a weight of shape {own} is of shape {_shape(value)}")
        found[SlotName(weight.name, slot)] = _tensor(where, f"the slot {slot}", value, "float32")
    if by_variable(found.items(), optimizer.slot_names) is None:
        raise ValueError(f"it lacks some of the slots {', '.join(optimizer.slot_names)}")
    return list(found.items())


def _has_own_state(optimizer: Optimizer) -> bool:
    """Whether a custom class has its own `get_weights`, whose entries need not belong to weights."""
    return type(optimizer).get_weights is not Optimizer.get_weights


def _of_own_state(where: str, weights: list[LayerVariable], entries: list[Any]) -> State:
    """The state of such an optimizer under its own names."""
    found = []
    for place, text, value in entries:
        name = SlotName.parse(str(text))
        if place is not None:
            name = name._replace(variable=weights[as_count(where, "the weight of a slot", place)].name)
        found.append((name, _tensor(where, str(name), value, "numeric")))
    return found


def _shape(value: Any) -> list[int]:
    return list(np.shape(value))


def _tensor(where: str, what: str, value: Any, kind: Kind) -> Tensor:
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "fiub":
        raise ValueError(f"{what} must be an array of numbers, but is {show(value)}")
    return to_tensor(where, what, value, kind)


def _keeping_states(model: Layer) -> list[Any]:
    """The layers in a model that keep states from batch to batch, including nested ones."""
    return [layer for layer in layers_in(model) if layer.built and layer.stateful and hasattr(layer, "states")]
