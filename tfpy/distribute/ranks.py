"""Ranks: processes that train a model together, each on its part of every batch."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from tfpy.core.registry import export
from tfpy.core.tensor import Tensor
from tfpy.distribute.meeting import Listeners, Meeting
from tfpy.engine import dispatch, rng
from tfpy.layers.callbacks.base import Callback, CallbackList, History
from tfpy.layers.training.run_state import Arrays, pack, restore_model, state_of_model, unpack
from tfpy.layers.training.sharing import PartOfStep, Sharing
from tfpy.layers.training.steps import Batch
from tfpy.layers.training.trainable import TrainableModel


class Group(Protocol):
    """What processes can say to each other. All of them must call the same method, or they wait for ever.

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


@export(namespace="distribute", doc="Distribution")
class Ranks(Sharing):
    """Processes that train together, as one of them sees them; `tf.distribute.mpi()` gives it.

    Attributes:
        rank: the number of this process, from 0.
        size: how many processes there are.
        first: whether the rank is 0: that process shows and writes what all have found.

    Source: beyond TF.js.
    """

    def __init__(self, group: Group, again: Callable[[], Ranks]) -> None:
        self._group = group
        self._again = again
        self.rank = group.rank
        self.size = group.size
        self.first = group.rank == 0
        # The weights' data when all processes last had the same.
        self._agreed: WeakKeyDictionary[TrainableModel, list[Any]] = WeakKeyDictionary()

    def __repr__(self) -> str:
        return f"Ranks(rank={self.rank}, size={self.size})"

    def __reduce__(self) -> tuple[Any, ...]:
        return self._again, ()  # a copy of a model has the same processes

    # Agreeing

    def meet(self, place: str, said: Any = None) -> list[Any]:
        """Wait until all processes are here: what each of them says.

        Raises:
            RuntimeError: another process is elsewhere.
        """
        found = self._group.gather((place, said))
        for rank, (other, _) in enumerate(found):
            if other != found[0][0]:
                raise RuntimeError(
                    "distribute: all processes must do the same with the same data, but rank 0 has come to "
                    f"{found[0][0]}, rank {rank} to {other}. Random numbers without a seed that are not tfpy's, or a "
                    "step that only some of the processes run, make them differ."
                )
        return [other for _, other in found]

    def compare(self, place: str, things: Sequence[str]) -> None:
        """Make sure that all processes are here and name the same things.

        Raises:
            RuntimeError: they differ.
        """
        first, *others = self.meet(place, list(things))
        for rank, other in enumerate(others, 1):
            for mine, own in zip([*first, "nothing"], [*other, "nothing"], strict=False):
                if mine != own:
                    raise RuntimeError(
                        f"distribute: all processes must train the same model in the same way, but rank 0 has {mine}, "
                        f"rank {rank} {own}."
                    )

    def agree(self, place: str, model: TrainableModel, optimizer: Any) -> None:
        """Let all processes have what callbacks, which only the first one calls, have done to the model.

        Raises:
            RuntimeError: another process is elsewhere.
        """
        changed = not _are(_payloads(model), self._agreed.get(model))
        said = changed, optimizer.iterations, model.stop_training, optimizer.learning_rate
        found = self.meet(f"{place}, with {type(optimizer).__name__}", said)
        _, iterations, stop, rate = found[0]
        if any(other[0] or other[1] != iterations for other in found):
            self.take_model(model)
        if optimizer.learning_rate != rate:
            optimizer.learning_rate = rate
        model.stop_training = stop

    def take_model(self, model: TrainableModel) -> None:
        """Have the weights and the state of the optimizer that the first process has."""
        arrays: Arrays = {}
        state = self._group.broadcast((pack(state_of_model(model), arrays), arrays) if self.first else None)
        if not self.first:
            restore_model(model, unpack(*state))
        self._agreed[model] = _payloads(model)

    def take(self, value: Any) -> Any:
        """What the first process has."""
        return self._group.broadcast(value if self.first else None)

    def share_random_numbers(self) -> None:
        """Let the streams without a seed be the same in all processes."""
        rng.restore_source(self.take(rng.source_state()))

    # Training

    def callbacks(self, callbacks: Sequence[Callback], history: History) -> CallbackList:
        meeting = Meeting(self, history)
        return Listeners([*callbacks, meeting], None if self.first else [history, meeting])

    def step(self, model: TrainableModel, optimizer: Any, batch: Batch, run: PartOfStep) -> list[Tensor]:
        self.agree(f"a batch of {batch.size} samples ({_fingerprint(batch):08x})", model, optimizer)
        start, end = (batch.size * rank // self.size for rank in (self.rank, self.rank + 1))
        share = (end - start) / batch.size
        if start == end:  # more processes than samples: this one computes what counts for nothing, to take part
            start, end = 0, 1
        with self._own_random_numbers(optimizer.iterations):
            found = run(batch.batch(start, end), lambda values: self._means(model, values, share))
        self._agreed[model] = _payloads(model)
        return found

    @contextmanager
    def _own_random_numbers(self, step: int) -> Iterator[None]:
        """Draw other random numbers than the other processes and steps; the stream that is the same for all stays."""
        shared = rng.source_state()
        rng.set_seed(f"{rng.fresh()}, step {step}, rank {self.rank}")
        try:
            yield
        finally:
            rng.restore_source(shared)

    def _means(self, model: TrainableModel, values: list[Tensor], share: float) -> list[Tensor]:
        """The means over all processes; weights that the step has set, such as moving averages, become theirs, too."""
        before = self._agreed[model]
        moved = [w for w, p in zip(model.weights, before, strict=True) if w.payload is not p and w.dtype == "float32"]
        arrays = [dispatch.read(tensor, "mean") for tensor in (*values, *moved)]
        flat = np.concatenate([array.ravel() for array in arrays])
        flat = flat * flat.dtype.type(share) if share else np.zeros_like(flat)
        ends = np.cumsum([array.size for array in arrays])[:-1]
        parts = np.split(self._group.sum(flat), ends)
        means = [
            dispatch.make(Tensor, p.reshape(array.shape), "float32") for p, array in zip(parts, arrays, strict=True)
        ]
        for weight, mean in zip(moved, means[len(values) :], strict=True):
            weight.assign(mean)
        return means[: len(values)]


def _payloads(model: TrainableModel) -> list[Any]:
    return [weight.payload for weight in model.weights]


def _are(payloads: list[Any], others: list[Any] | None) -> bool:
    """Whether payloads are the very same objects as others."""
    return (
        others is not None
        and len(payloads) == len(others)
        and all(a is b for a, b in zip(payloads, others, strict=True))
    )


def _fingerprint(batch: Batch) -> int:
    """A number that nearly always tells one batch from another: of its first sample."""
    found = 0
    for tensor in (*batch.inputs, *batch.targets):
        found = zlib.crc32(dispatch.read(tensor.slice(0, 1), "mean").tobytes(), found)
    return found
