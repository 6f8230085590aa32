"""What processes that train together tell each other, so that all do the same with the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy.typing as npt

from tfpy.engine import rng
from tfpy.engine.backend import current
from tfpy.engine.dispatch import move
from tfpy.layers.model import LayersModel
from tfpy.layers.training.run_state import Arrays, pack, restorer, state_of_model, unpack
from tfpy.layers.weights import LayerVariable


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


class Agreement:
    """Has all processes do the same, with the same models. Whatever they exchange, they first `meet`."""

    def __init__(self, group: Group) -> None:
        self.group = group
        # The weights' data when all processes last had the same.
        self._agreed: WeakKeyDictionary[LayersModel, list[Any]] = WeakKeyDictionary()

    def meet(self, place: str, said: Any = None) -> list[Any]:
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

    def compare(self, place: str, things: Sequence[str]) -> None:
        """Make sure that all processes name the same things.

        Raises:
            RuntimeError: they differ, or another process is elsewhere.
        """
        first, *others = self.meet(place, list(things))
        for rank, other in enumerate(others, 1):
            for mine, own in zip([*first, "nothing"], [*other, "nothing"], strict=False):
                if mine != own:
                    raise RuntimeError(
                        f"distribute: all processes must train the same model in the same way, but rank 0 has {mine}, "
                        f"rank {rank} {own}."
                    )

    def take(self, value: Any) -> Any:
        """What the first process has."""
        return self.group.broadcast(value if self.group.rank == 0 else None)

    def take_random_numbers(self) -> None:
        """Let the streams without a seed go on from where they are in the first process."""
        rng.restore_source(self.take(rng.source_state()))

    # Models

    def agree(self, place: str, model: LayersModel, optimizer: Any) -> None:
        """Let all processes have what callbacks, which only the first one calls, have done to a model.

        Raises:
            RuntimeError: another process is elsewhere.
        """
        said = bool(self.written(model)), optimizer.iterations, model.stop_training, optimizer.learning_rate
        found = self.meet(f"{place}, with {type(optimizer).__name__}", said)
        _, iterations, stop, rate = found[0]
        if any(written or other != iterations for written, other, _, _ in found):
            self.take_model(model)
        if optimizer.learning_rate != rate:
            optimizer.learning_rate = rate
        model.stop_training = stop

    def take_model(self, model: LayersModel) -> None:
        """Have the weights and the state of the optimizer that the first process has."""
        arrays: Arrays = {}
        first = self.group.rank == 0
        state = self.group.broadcast((pack(state_of_model(model), arrays), arrays) if first else None)
        if not first:
            restorer(model, unpack(*state))()
        self.agreed(model)

    def agreed(self, model: LayersModel) -> None:
        """Note that all processes have the same weights now."""
        self._agreed[model] = _payloads(model.weights)

    def written(self, model: LayersModel) -> list[LayerVariable]:
        """The weights that have been written since all processes had the same; at first all."""
        weights = model.weights
        payloads = _payloads(weights)
        known = self._agreed.get(model, [])
        if len(known) != len(payloads):
            return weights
        return [w for w, payload, other in zip(weights, payloads, known, strict=True) if payload is not other]


def _payloads(weights: Sequence[LayerVariable]) -> list[Any]:
    """What tells whether a weight has been written: its data on the current backend, to which a step would move it."""
    backend = current()
    for weight in weights:
        if weight.backend is not backend:
            move(weight, backend)
    return [weight.payload for weight in weights]
