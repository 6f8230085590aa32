"""Ranks: the strategy in which each process trains on its part of every batch."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy.core.calling.registry import export
from tfpy.core.tensor import Tensor
from tfpy.distribute.coordinator import Coordinator
from tfpy.distribute.synchronization import PartialCallbackList, Synchronization
from tfpy.engine import dispatch, rng
from tfpy.layers.callbacks.base import Callback
from tfpy.layers.callbacks.callback_list import CallbackList
from tfpy.layers.callbacks.history import History
from tfpy.layers.trainable_model import TrainableModel
from tfpy.layers.training.batch import Batch
from tfpy.layers.training.strategy import ReplicaStep, Strategy


@export(namespace="distribute", doc="Distribution")
class Ranks(Strategy):
    """Processes that train together, from the view of one of them, as returned by `tf.distribute.mpi()`.

    Attributes:
        rank: the number of this process, from 0.
        size: the number of processes.
        first: whether the rank is 0. Only that process prints and saves results.

    Source: beyond TF.js.
    """

    def __init__(self, coordinator: Coordinator, recreate: Callable[[], Ranks]) -> None:
        self._coordinator = coordinator
        self._recreate = recreate
        self.rank = coordinator.group.rank
        self.size = coordinator.group.size
        self.first = self.rank == 0

    def __repr__(self) -> str:
        return f"Ranks(rank={self.rank}, size={self.size})"

    def __reduce__(self) -> tuple[Any, ...]:
        return self._recreate, ()  # a copy of a model has the same processes

    def callbacks(self, callbacks: Sequence[Callback], history: History) -> CallbackList:
        """The callbacks of a training run; only the first process calls those of the user."""
        synchronization = Synchronization(self._coordinator, history)
        everyone = [*callbacks, synchronization]
        return CallbackList(everyone) if self.first else PartialCallbackList(everyone, [history, synchronization])

    def step(self, model: TrainableModel, optimizer: Any, batch: Batch, run: ReplicaStep) -> list[Tensor]:
        """Run a step on this process's part of a batch."""
        place = f"a batch of {batch.size} samples ({_fingerprint(batch):08x})"
        self._coordinator.synchronize(place, model, optimizer)
        start, end = (batch.size * rank // self.size for rank in (self.rank, self.rank + 1))
        share = (end - start) / batch.size
        if start == end:  # more processes than samples: this one computes a sample with weight 0
            start, end = 0, 1
        with self._own_random_numbers(optimizer.iterations):
            found = run(batch.rows(start, end), lambda values, steps: self._means(model, values, share, steps))
        self._coordinator.mark_synchronized(model, optimizer)
        return found

    @contextmanager
    def _own_random_numbers(self, step: int) -> Iterator[None]:
        """Draw random numbers specific to this process and step inside a `with`; then restore the common stream."""
        shared = rng.source_state()
        rng.set_seed(f"{rng.fresh()}, step {step}, rank {self.rank}")
        try:
            yield
        finally:
            rng.restore_source(shared)

    def _means(self, model: TrainableModel, values: list[Tensor], share: float, steps: Tensor | None) -> list[Tensor]:
        """The means over all processes. Weights assigned by the step, such as moving averages, are averaged too."""
        written = [weight for weight in self._coordinator.changed_weights(model) if weight.dtype == "float32"]
        arrays = [dispatch.read(tensor, "mean") for tensor in (*values, *written)]
        flat = np.concatenate([array.ravel() for array in arrays])
        counts = self._coordinator.gather_at(f"the means of {flat.size} numbers", _count(steps) if share else 0.0)
        own = sum(array.size for array in arrays[: len(values)])
        if share:
            flat[:own] *= counts[self.rank] / sum(counts) if any(counts) else share
            flat[own:] *= share
        else:
            flat[:] = 0  # not a product with 0, which would keep NaN
        total = self._coordinator.group.sum(flat)
        parts = np.split(total, np.cumsum([array.size for array in arrays])[:-1])
        shapes = [array.shape for array in arrays]
        means = [dispatch.make(Tensor, p.reshape(s), "float32") for p, s in zip(parts, shapes, strict=True)]
        for weight, mean in zip(written, means[len(values) :], strict=True):
            weight.assign(mean)
        return means[: len(values)]


def _count(steps: Tensor | None) -> float:
    """The number of unmasked steps of a part; 0 without a mask."""
    return 0.0 if steps is None else float(dispatch.read(steps, "mean"))


def _fingerprint(batch: Batch) -> int:
    """A checksum of the first sample, which nearly always differs between batches."""
    found = 0
    for tensor in (*batch.inputs, *batch.targets):
        found = zlib.crc32(_bytes_of(dispatch.read(tensor.slice(0, 1), "mean")), found)
    return found


def _bytes_of(array: npt.NDArray[Any]) -> bytes:
    """The bytes of an array; for an array of strings, which holds only pointers, those of their representation."""
    return repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
