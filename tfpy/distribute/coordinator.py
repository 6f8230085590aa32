"""Coordinator: synchronizes the models of processes that train together, and detects differences between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary

import numpy.typing as npt

from tfpy.core.optimizers.clipping import Clipping
from tfpy.distribute.fingerprint import fingerprint, settings
from tfpy.engine import rng
from tfpy.engine.backend import current
from tfpy.engine.dispatch import move
from tfpy.layers.trainable_model import TrainableModel
from tfpy.layers.training.packing import Arrays, pack, unpack
from tfpy.layers.training.run_state import restorer, state_of_model
from tfpy.layers.training.training_state import compiled_of
from tfpy.layers.weights import LayerVariable

if TYPE_CHECKING:
    from tfpy.core.optimizers.base import Optimizer


class Group(Protocol):
    """Collective communication. All processes must call the same method; otherwise they wait forever.

    Attributes:
        rank: the number of this process, from 0.
        size: the number of processes.
    """

    rank: int
    size: int

    def gather(self, value: Any) -> list[Any]:
        """An all-gather: the values of all processes, by rank."""
        ...

    def broadcast(self, value: Any) -> Any:
        """The value of the first process."""
        ...

    def sum(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """An all-reduce: the sum of the arrays of all processes, with the same bits everywhere."""
        ...


class _Synchronized(NamedTuple):
    """The state of a model when it was last the same in all processes.

    Attributes:
        log_names: the list of the log names; each `compile` creates a new one.
        weights: the payloads of the weights.
        settings, slots: the settings and the slots of the optimizer.
    """

    log_names: list[str]
    weights: list[Any]
    settings: str
    slots: Any


class _Status(NamedTuple):
    """The state of a model in one process.

    Attributes:
        compiled: whether it has been compiled since the last synchronization.
        changed: whether it has been changed since then, other than by a training step.
        iterations, stop_training, learning_rate: values that callbacks may have set.
    """

    compiled: bool
    changed: bool
    iterations: int
    stop_training: bool
    learning_rate: float


class Coordinator:
    """Synchronizes processes. Each exchange of data starts with a barrier, `gather_at`."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self._synchronized: WeakKeyDictionary[TrainableModel, _Synchronized] = WeakKeyDictionary()

    def gather_at(self, place: str, value: Any = None) -> list[Any]:
        """Wait until all processes have called this, with the same place; the values of all processes, by rank.

        Raises:
            RuntimeError: another process has called it with another place.
        """
        found = self.group.gather((place, value))
        for rank, (other, _) in enumerate(found):
            if other != found[0][0]:
                raise RuntimeError(
                    "distribute: all processes must perform the same steps on the same data, but rank 0 is at "
                    f"{found[0][0]}, rank {rank} at {other}. Unseeded random numbers that are not tfpy's, or a "
                    "step that only some of the processes run, can cause this."
                )
        return [other for _, other in found]

    def compare(self, place: str, things: Iterable[str]) -> None:
        """Check that all processes pass the same descriptions.

        Raises:
            RuntimeError: they differ, or another process is at another place.
        """
        first, *others = self.gather_at(place, list(things))
        for rank, other in enumerate(others, 1):
            for expected, found in zip([*first, "nothing"], [*other, "nothing"], strict=False):
                if expected != found:
                    raise RuntimeError(
                        f"distribute: all processes must train the same model in the same way, but rank 0 has "
                        f"{expected}, rank {rank} {found}."
                    )

    def broadcast(self, value: Any) -> Any:
        """The value of the first process; those of the others are ignored."""
        return self.group.broadcast(value if self.group.rank == 0 else None)

    def broadcast_random_numbers(self) -> None:
        """Set the state of the unseeded random streams to that of the first process."""
        rng.restore_source(self.broadcast(rng.source_state()))

    # Models

    def synchronize(self, place: str, model: TrainableModel, optimizer: Optimizer) -> None:
        """Apply the changes that callbacks have made to a model in the first process; the others call no callbacks.

        Raises:
            RuntimeError: another process is at another place, or has compiled another model or with other arguments.
        """
        statuses: list[_Status] = self.gather_at(
            f"{place}, with {type(optimizer).__name__}", self._status(model, optimizer)
        )
        first = statuses[0]
        if any(other.compiled for other in statuses):
            self.compare(place, fingerprint(model, optimizer))
        if any(other.compiled or other.changed or other.iterations != first.iterations for other in statuses):
            self.broadcast_model(model, optimizer)
        if optimizer.learning_rate != first.learning_rate:
            optimizer.learning_rate = first.learning_rate
        model.stop_training = first.stop_training

    def _status(self, model: TrainableModel, optimizer: Optimizer) -> _Status:
        known = self._synchronized.get(model)
        compiled = known is None or known.log_names is not _log_names(model)
        changed = (
            known is None
            or known.slots is not optimizer._slots
            or known.settings != settings(optimizer)
            or bool(self.changed_weights(model))
        )
        return _Status(compiled, changed, optimizer.iterations, model.stop_training, optimizer.learning_rate)

    def broadcast_model(self, model: TrainableModel, optimizer: Optimizer) -> None:
        """Set the weights, and the settings and state of the optimizer, to those of the first process."""
        arrays: Arrays = {}
        first = self.group.rank == 0
        own = (
            (pack("distribute", state_of_model(model, optimizer), arrays), arrays, _plain(optimizer)) if first else None
        )
        state, arrays, plain = self.group.broadcast(own)
        if not first:
            restorer("distribute", model, optimizer, unpack(state, arrays))()
            vars(optimizer).update(plain)
        self.mark_synchronized(model, optimizer)

    def mark_synchronized(self, model: TrainableModel, optimizer: Optimizer) -> None:
        """Record that all processes have the same model and optimizer now."""
        weights = _payloads(model.weights)
        self._synchronized[model] = _Synchronized(_log_names(model), weights, settings(optimizer), optimizer._slots)

    def changed_weights(self, model: TrainableModel) -> list[LayerVariable]:
        """The weights that have changed since the last synchronization; all of them before the first one."""
        weights = model.weights
        payloads = _payloads(weights)
        last = self._synchronized.get(model)
        if last is None or len(last.weights) != len(payloads):
            return weights
        return [w for w, payload, other in zip(weights, payloads, last.weights, strict=True) if payload is not other]


def _log_names(model: TrainableModel) -> list[str]:
    return compiled_of(model, "distribute").log_names


def _plain(optimizer: Optimizer) -> dict[str, Any]:
    """The settings and state of an optimizer besides its slots, as far as they can be sent."""
    return {name: value for name, value in vars(optimizer).items() if _is_plain(value)}


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (Number, str, Clipping))


def _payloads(weights: Sequence[LayerVariable]) -> list[Any]:
    """The payloads of weights on the current backend, to which steps would move them. Changed weights have new ones."""
    backend = current()
    for weight in weights:
        if weight.backend is not backend:
            move(weight, backend)
    return [weight.payload for weight in weights]
