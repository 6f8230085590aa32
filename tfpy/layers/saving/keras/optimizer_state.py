"""The state of an optimizer as Keras keeps it: arrays in an order that goes by the optimizer's class.

First the number of steps and the learning rate (which Keras 2, and schedules of rates, leave out), then the slots:
group by group, in a group variable by variable, for each variable all slots of the group.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tfpy.core.convert import to_tensor
from tfpy.core.io.faults import ModelFileError
from tfpy.core.memory import tidy
from tfpy.core.optimizers.base import Optimizer
from tfpy.core.optimizers.classes import NadamOptimizer, RMSPropOptimizer
from tfpy.core.tensor import Tensor
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
_MOST_STEPS = 2**31 - 1
STATE_BY_NUMBER = "optimizer/vars"
"""Where the arrays are in a `.keras` archive's weights."""

_STATE_BY_NAME = "optimizer_weights"  # where they are in an `.h5` file, which lists their names


class _Place(NamedTuple):
    """A slot of a variable."""

    variable: LayerVariable
    slot: str

    def name(self) -> str:
        """What `get_weights` calls it."""
        return f"{self.variable.name}/{self.slot}"


def _places(optimizer: Optimizer, variables: Sequence[LayerVariable]) -> list[_Place] | None:
    """The slots in the order of Keras; None for an optimizer of which there is no telling."""
    groups = _GROUPS.get(optimizer.get_class_name())
    if groups is None and optimizer.slot_names and type(optimizer).get_weights is Optimizer.get_weights:
        groups = [optimizer.slot_names]  # of a class of the user's own, which Keras would make variable by variable
    if isinstance(optimizer, RMSPropOptimizer):
        groups = [("rms",), *[("momentum",)] * bool(optimizer.momentum), *[("mg",)] * optimizer.centered]
    if groups is None:
        return None
    return [_Place(variable, slot) for group in groups for variable in variables for slot in group]


# Writing


def keras_state(model: LayersModel) -> list[Array]:
    """The state of a model's optimizer, as Keras 3 has it; nothing of a class of the user's with state of its own."""
    optimizer: Optimizer = model.optimizer
    places = _places(optimizer, model.trainable_weights)
    if places is None:
        return []
    rate = optimizer.learning_rate
    state: list[Array] = [np.array(optimizer.iterations, np.int64), np.array(rate, np.float32)]
    slots = {entry["name"]: entry["tensor"] for entry in optimizer.get_weights()}
    for place in places:
        slot = slots.get(place.name())
        values = _initial(optimizer, place) if slot is None else dispatch.read(slot, "save")
        state.append(values * _scale(optimizer, rate))
    if isinstance(optimizer, NadamOptimizer):
        state.append(np.array(optimizer.momentum_product, np.float32))
    return state


def _initial(optimizer: Optimizer, place: _Place) -> Array:
    return np.full(place.variable.shape, optimizer.initial_slot(place.slot), np.float32)


def _scale(optimizer: Optimizer, rate: float) -> np.float32:
    """What slots are multiplied with to be Keras's: its momentum is what is added to a variable, ours a gradient."""
    return np.float32(-rate if optimizer.get_class_name() == "Momentum" else 1)


# Reading


def restore_keras_state(model: LayersModel, hdf5: Hdf5) -> None:
    """Set the state of a model's optimizer, if a file has it; what does not fit is left, with a warning.

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
    shapes = [place.variable.shape for place in places]
    if first not in (1, 2) or [a.shape for a in arrays] != [()] * first + shapes + [()] * last:
        if len(arrays) > 2:
            warn_user(f"{hdf5.source}: the state of the optimizer does not fit the model, and is left.")
        return
    numbers = [hdf5.read(array, ()).item() for array in arrays[:first]]
    tidy(lambda: optimizer.set_weights(_as_ours(optimizer, numbers, places, arrays[first:], hdf5)))


def _as_ours(
    optimizer: Optimizer, numbers: Sequence[Any], places: Sequence[_Place], arrays: Sequence[Any], hdf5: Hdf5
) -> list[dict[str, Tensor | str]]:
    """The state as `set_weights` takes it, from the numbers at the beginning and the arrays of the slots."""
    steps, *rate = numbers
    if not 0 <= steps <= _MOST_STEPS:
        raise ModelFileError(f"{hdf5.source}: the number of steps must be from 0 to {_MOST_STEPS}, but is {steps}.")
    scale = _scale(optimizer, rate[0] if rate else optimizer.learning_rate)
    found = {}
    for place, array in zip(places, arrays, strict=False):
        values = hdf5.read(array, place.variable.shape).astype(np.float32)
        found[place.name()] = values / scale if scale else np.zeros_like(values)
    for place in [_Place(p.variable, slot) for p in places for slot in optimizer.slot_names]:
        found.setdefault(place.name(), _initial(optimizer, place))  # the momentum of a RMSProp without
    entries = [("iter", np.array(steps, np.int32)), *found.items()]
    return [{"name": name, "tensor": to_tensor("load", name, values)} for name, values in entries]


def _arrays(hdf5: Hdf5) -> list[Any]:
    """What a file says of the optimizer, in its order; nothing where the order is that of Keras before 2.11."""
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
