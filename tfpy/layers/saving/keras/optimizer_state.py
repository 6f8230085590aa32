"""The state of an optimizer as Keras saves it: arrays in an order that depends on the class.

First the number of steps and the learning rate (omitted by Keras 2, and for schedules), then the slots: group by
group, in each group variable by variable, for each variable all slots of the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy.core.convert import to_tensor
from tfpy.core.io.errors import ModelFileError
from tfpy.core.memory import tidy
from tfpy.core.optimizers.base import Optimizer
from tfpy.core.optimizers.classes import NadamOptimizer, RMSPropOptimizer
from tfpy.core.optimizers.state import MAX_ITERATIONS, SlotName, State, listed, state_of, steps_made
from tfpy.engine import dispatch
from tfpy.engine.backend import Array
from tfpy.engine.warn import warn_user
from tfpy.layers.weights import LayerVariable

if TYPE_CHECKING:
    from tfpy.core.io.hdf5 import Hdf5
    from tfpy.layers.model import LayersModel

# The groups of slots of each class.
_GROUPS: dict[str, list[tuple[str, ...]]] = {
    "SGD": [],
    "Momentum": [("momentum",)],
    "Adagrad": [("accumulator",)],
    "Adadelta": [("accum_grad", "accum_var")],
    "Adam": [("m", "v")],
    "AdamW": [("m", "v")],
    "Nadam": [("m", "v")],
    "Adamax": [("m", "v")],
}
STATE_BY_NUMBER = "optimizer/vars"
"""The location of the arrays in the weights of a `.keras` archive."""

_STATE_BY_NAME = "optimizer_weights"  # their location in an `.h5` file, which lists their names

_Places = dict[SlotName, tuple[int, ...]]


def _places(optimizer: Optimizer, variables: Sequence[LayerVariable]) -> _Places | None:
    """The slots in Keras's order, with their shapes; None for an optimizer whose slots are unknown."""
    groups = _GROUPS.get(optimizer.get_class_name())
    if groups is None and optimizer.slot_names and type(optimizer).get_weights is Optimizer.get_weights:
        groups = [optimizer.slot_names]  # of a user-defined class; Keras would create them variable by variable
    if isinstance(optimizer, RMSPropOptimizer):
        groups = [("rms",), *[("momentum",)] * bool(optimizer.momentum), *[("mg",)] * optimizer.centered]
    if groups is None:
        return None
    return {SlotName(w.name, slot): w.shape for group in groups for w in variables for slot in group}


# Writing


def keras_state(model: LayersModel) -> list[Array]:
    """The state of a model's optimizer as Keras 3 saves it; empty for a user-defined class with its own state."""
    optimizer: Optimizer = model.optimizer
    places = _places(optimizer, model.trainable_weights)
    if places is None:
        return []
    rate = optimizer.learning_rate
    state: list[Array] = [np.array(optimizer.iterations, np.int64), np.array(rate, np.float32)]
    slots = dict(state_of(optimizer))
    for name, shape in places.items():
        slot = slots.get(name)
        values = _initial(optimizer, name, shape) if slot is None else dispatch.read(slot, "save")
        state.append(values * _scale(optimizer, rate))
    if isinstance(optimizer, NadamOptimizer):
        state.append(np.array(optimizer.momentum_product, np.float32))
    return state


def _initial(optimizer: Optimizer, name: SlotName, shape: tuple[int, ...]) -> Array:
    return np.full(shape, optimizer.initial_slot(name.slot), np.float32)


def _scale(optimizer: Optimizer, rate: float) -> np.float32:
    """The factor from our slots to Keras's: its momentum is an update of the variable, ours a gradient."""
    return np.float32(-rate if optimizer.get_class_name() == "Momentum" else 1)


# Reading


def restore_keras_state(model: LayersModel, hdf5: Hdf5) -> None:
    """Set the state of a model's optimizer, if a file has it; state that does not fit is ignored, with a warning.

    Raises:
        ModelFileError: the file is damaged.
    """
    arrays = _arrays(hdf5)
    optimizer: Optimizer = model.optimizer
    places = _places(optimizer, model.trainable_weights)
    if not arrays or places is None:
        return
    last = int(isinstance(optimizer, NadamOptimizer))
    first = len(arrays) - len(places) - last
    shapes = list(places.values())
    if first not in (1, 2) or [a.shape for a in arrays] != [()] * first + shapes + [()] * last:
        if len(arrays) > 2:
            warn_user(f"{hdf5.source}: the state of the optimizer does not fit the model, and is ignored.")
        return
    numbers = [hdf5.read(array, ()).item() for array in arrays[:first]]
    tidy(lambda: optimizer.set_weights(listed(_as_ours(optimizer, numbers, places, arrays[first:], hdf5))))


def _as_ours(optimizer: Optimizer, numbers: Sequence[Any], places: _Places, arrays: Sequence[Any], hdf5: Hdf5) -> State:
    """The state from the leading numbers and the arrays of the slots."""
    steps, *rate = numbers
    if not 0 <= steps <= MAX_ITERATIONS:
        raise ModelFileError(f"{hdf5.source}: the number of steps must be from 0 to {MAX_ITERATIONS}, but is {steps}.")
    scale = _scale(optimizer, rate[0] if rate else optimizer.learning_rate)
    found = {}
    for (name, shape), array in zip(places.items(), arrays, strict=False):
        with np.errstate(over="ignore"):  # values out of the range of float32 become infinite
            values = hdf5.read(array, shape).astype(np.float32)
            found[name] = values / scale if scale else np.zeros_like(values)
    for (variable, _), shape in places.items():
        for name in (SlotName(variable, slot) for slot in optimizer.slot_names):
            found.setdefault(name, _initial(optimizer, name, shape))  # the momentum of an RMSProp without one
    return [steps_made(steps), *((name, to_tensor("load", str(name), values)) for name, values in found.items())]


def _arrays(hdf5: Hdf5) -> list[Any]:
    """The arrays of the optimizer in a file, in its order; none if the file has the order of Keras before 2.11."""
    listed = hdf5.child(hdf5.root, _STATE_BY_NAME)
    if listed is not None:
        names = hdf5.texts(listed, "weight_names") or [""]
        if names[0].rpartition("/")[2].partition(":")[0] != "iteration":
            return []
    else:
        listed = hdf5.child(hdf5.root, STATE_BY_NUMBER)
        names = [] if listed is None else sorted(hdf5.arrays(listed), key=lambda name: (len(name), name))
    found = [hdf5.array(listed, name) for name in names]
    if None in found:
        raise ModelFileError(f"{hdf5.source}: lacks {names[found.index(None)]!r}, which it lists, of its optimizer.")
    return found
