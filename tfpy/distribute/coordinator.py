"""What processes that train together tell each other, so that all do the same with the same numbers."""

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
from tfpy.layers.model import LayersModel
from tfpy.layers.training.compiling import compiled_of
from tfpy.layers.training.run_state import Arrays, pack, restorer, state_of_model, unpack
from tfpy.layers.weights import LayerVariable

if TYPE_CHECKING:
    from tfpy.core.optimizers.base import Optimizer


class Group(Protocol):
    """How processes talk. All of them must call the same method, or they wait for ever.

    Attributes:
        rank: the number of this process.
        size: how many there are.
    """

    rank: int
    size: int

    def gather(self, value: Any) -> list[Any]:
        """What each process gives, in the order of the ranks."""
        ...

    def broadcast(self, value: Any) -> Any:
        """What the first process gives."""
        ...

    def sum(self, array: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The sum of the arrays of all processes, with the same bits everywhere."""
        ...


class _Agreed(NamedTuple):
    """What all processes last had the same of a model.

    Attributes:
        log_names: the list of them, which each `compile` makes anew.
        weights: the weights' data.
        settings, slots: those of the optimizer.
    """

    log_names: list[str]
    weights: list[Any]
    settings: str
    slots: Any


class _Said(NamedTuple):
    """What a process says of a model: whether it was compiled, or changed in another way than by a step, since all had
    the same; and what callbacks may have set.
    """

    compiled: bool
    changed: bool
    iterations: int
    stop_training: bool
    learning_rate: float


class Agreement:
    """Has all processes do the same, with the same models. Before they exchange anything, they `gather_at` a place."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self._agreed: WeakKeyDictionary[LayersModel, _Agreed] = WeakKeyDictionary()

    def gather_at(self, place: str, said: Any = None) -> list[Any]:
        """Wait until all processes are here: what each of them says.

        Raises:
            RuntimeError: another process is elsewhere.
        """
        found = self.group.gather((place, said))
        for rank, (other, _) in enumerate(found):
            if other != found[0][0]:
                raise RuntimeError(
                    "distribute: all processes must do the same with the same data, but rank 0 has come to "
                    f"{found[0][0]}, rank {rank} to {other}. Random numbers without a seed that are not tfpy's, or a "
                    "step that only some of the processes run, make them differ."
                )
        return [other for _, other in found]

    def compare(self, place: str, things: Iterable[str]) -> None:
        """Make sure that all processes name the same things.

        Raises:
            RuntimeError: they differ, or another process is elsewhere.
        """
        first, *others = self.gather_at(place, list(things))
        for rank, other in enumerate(others, 1):
            for mine, own in zip([*first, "nothing"], [*other, "nothing"], strict=False):
                if mine != own:
                    raise RuntimeError(
                        f"distribute: all processes must train the same model in the same way, but rank 0 has {mine}, "
                        f"rank {rank} {own}."
                    )

    def broadcast(self, value: Any) -> Any:
        """What the first process has."""
        return self.group.broadcast(value if self.group.rank == 0 else None)

    def broadcast_random_numbers(self) -> None:
        """Let the streams without a seed go on from where they are in the first process."""
        rng.restore_source(self.broadcast(rng.source_state()))

    # Models

    def agree(self, place: str, model: LayersModel, optimizer: Optimizer) -> None:
        """Let all processes have what callbacks, which only the first one calls, have done to a model.

        Raises:
            RuntimeError: another process is elsewhere, or has compiled another model, or in another way.
        """
        said: list[_Said] = self.gather_at(f"{place}, with {type(optimizer).__name__}", self._said(model, optimizer))
        first = said[0]
        if any(other.compiled for other in said):
            self.compare(place, fingerprint(model, optimizer))
        if any(other.compiled or other.changed or other.iterations != first.iterations for other in said):
            self.broadcast_model(model, optimizer)
        if optimizer.learning_rate != first.learning_rate:
            optimizer.learning_rate = first.learning_rate
        model.stop_training = first.stop_training

    def _said(self, model: LayersModel, optimizer: Optimizer) -> _Said:
        known = self._agreed.get(model)
        compiled = known is None or known.log_names is not _log_names(model)
        changed = (
            known is None
            or known.slots is not optimizer._slots
            or known.settings != settings(optimizer)
            or bool(self.written(model))
        )
        return _Said(compiled, changed, optimizer.iterations, model.stop_training, optimizer.learning_rate)

    def broadcast_model(self, model: LayersModel, optimizer: Optimizer) -> None:
        """Have the weights that the first process has, and its optimizer's settings and state."""
        arrays: Arrays = {}
        first = self.group.rank == 0
        told = (
            (pack("distribute", state_of_model(model, optimizer), arrays), arrays, _plain(optimizer)) if first else None
        )
        state, arrays, plain = self.group.broadcast(told)
        if not first:
            restorer("distribute", model, optimizer, unpack(state, arrays))()
            vars(optimizer).update(plain)
        self.agreed(model, optimizer)

    def agreed(self, model: LayersModel, optimizer: Optimizer) -> None:
        """Note that all processes have the same model now, and the same optimizer."""
        weights = _payloads(model.weights)
        self._agreed[model] = _Agreed(_log_names(model), weights, settings(optimizer), optimizer._slots)

    def written(self, model: LayersModel) -> list[LayerVariable]:
        """The weights that have been written since all processes had the same; at first all."""
        weights = model.weights
        payloads = _payloads(weights)
        agreed = self._agreed.get(model)
        if agreed is None or len(agreed.weights) != len(payloads):
            return weights
        return [w for w, payload, other in zip(weights, payloads, agreed.weights, strict=True) if payload is not other]


def _log_names(model: LayersModel) -> list[str]:
    return compiled_of(model, "distribute").log_names


def _plain(optimizer: Optimizer) -> dict[str, Any]:
    """What an optimizer is set to and keeps from step to step, beside its slots, as far as it can be sent."""
    return {name: value for name, value in vars(optimizer).items() if _is_plain(value)}


def _is_plain(value: Any) -> bool:
    if isinstance(value, list):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (Number, str, Clipping))


def _payloads(weights: Sequence[LayerVariable]) -> list[Any]:
    """What tells whether a weight has been written: its data on the current backend, to which a step would move it."""
    backend = current()
    for weight in weights:
        if weight.backend is not backend:
            move(weight, backend)
    return [weight.payload for weight in weights]
