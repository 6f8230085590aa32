"""Sources of batches: arrays that are in memory, or data sets that are read as training goes on."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tfpy.core.calling.ready import finish
from tfpy.core.memory import dispose
from tfpy.core.streams import elements_in
from tfpy.engine import rng
from tfpy.engine.arguments import as_int
from tfpy.engine.warn import warn_user
from tfpy.layers.training.batch import Batch, batch_spans
from tfpy.layers.training.datasets import PlainDataset


def nothing() -> None:
    """Do nothing."""


class Step(NamedTuple):
    """A batch to train or test on.

    Attributes:
        size: how many samples it has.
        take: creates its tensors; called in the scope of the step.
        within: called in that scope, after the model has been trained on the batch.
        after: called after the callbacks have been notified of the batch.
    """

    size: int
    take: Callable[[], Batch]
    within: Callable[[], None] = nothing
    after: Callable[[], None] = nothing


class BatchSource(Protocol):
    """The data of a `TrainingRun`.

    Attributes:
        samples: the number of samples per epoch, if known.
        steps: the number of batches per epoch, if known.
        batch_size: the number of samples per batch, if it is the same for all.
    """

    @property
    def samples(self) -> int | None: ...
    @property
    def steps(self) -> int | None: ...
    @property
    def batch_size(self) -> int | None: ...

    def begin(self) -> None:
        """Prepare for the epochs, even if there are none. Called once, before them and before `restore`."""
        ...

    def epoch(self, validate: Callable[[], None]) -> Iterator[Step]:
        """The batches of the next epoch. After the last one `validate` is called, by its step or the source."""
        ...

    def state(self) -> dict[str, Any]:
        """The state that further epochs depend on, apart from their number."""
        ...

    def restore(self, where: str, state: dict[str, Any]) -> None:
        """Continue from the saved state of a source of the same data.

        Args:
            where: the caller, for messages.
            state: the result of its `state`.

        Raises:
            ValueError, TypeError: an invalid state, or that of a source of other data; nothing is changed then.
        """
        ...

    def fast_forward(self, epochs: int, validate: Callable[[], None]) -> None:
        """Skip the epochs before that state, as far as later epochs depend on them.

        Args:
            epochs: their number.
            validate: iterates over the validation data; called after each epoch.
        """
        ...


class ArrayBatches:
    """Samples in memory, batch by batch, reordered each epoch if shuffled.

    As in TF.js the validation runs within the last step, before the callbacks are notified of its end.

    Args:
        data: the samples.
        batch_size: the number of samples per batch.
        shuffle: whether to reorder the samples each epoch; 'batch' reorders batches, whose samples stay together.
        seed: makes the order repeatable.
    """

    def __init__(self, data: Batch, batch_size: int, shuffle: bool | str = False, seed: rng.Seed | None = None) -> None:
        self._data = data
        self._shuffler = rng.Shuffler(seed) if shuffle else None
        self._by_batch = shuffle == "batch"
        self._order = np.arange(data.size, dtype=np.int32)
        self._spans = batch_spans(data.size, batch_size)
        self.samples = data.size
        self.steps = len(self._spans)
        self.batch_size = batch_size

    def is_finite(self) -> bool:
        """Whether the inputs contain neither NaN nor infinities."""
        return all(t.dtype != "float32" or bool(t.is_finite().all()) for t in self._data.inputs)

    def begin(self) -> None:
        pass

    def epoch(self, validate: Callable[[], None] = nothing) -> Iterator[Step]:
        if self._shuffler is not None:
            self._order = self._shuffled(self._shuffler)
        for number, (start, end) in enumerate(self._spans):
            last = number == self.steps - 1
            yield Step(end - start, partial(self._batch, start, end), within=validate if last else nothing)

    def state(self) -> dict[str, Any]:
        stream = None if self._shuffler is None else self._shuffler.state
        return {"order": self._order, "stream": stream, "batch_size": self.batch_size}

    def restore(self, where: str, state: dict[str, Any]) -> None:
        if state.keys() != self.state().keys():
            raise ValueError("it is not from training on arrays")
        order, size = state["order"], as_int(where, "batch_size", state["batch_size"])
        if not isinstance(order, np.ndarray) or order.dtype.kind not in "iu":
            raise ValueError("it has no sample order")
        if order.shape != self._order.shape or size != self.batch_size:
            own = f"{len(self._order)} samples in batches of {self.batch_size}"
            raise ValueError(f"it is from {order.size} samples in batches of {size}, not from {own}")
        if not np.array_equal(np.sort(order), np.arange(len(self._order))):
            raise ValueError("it has no sample order")
        if self._shuffler is not None:
            self._shuffler.state = state["stream"]
        self._order = order.astype(np.int32)

    def fast_forward(self, epochs: int, validate: Callable[[], None]) -> None:
        for _ in range(epochs):
            validate()

    def _shuffled(self, shuffler: rng.Shuffler) -> npt.NDArray[np.int32]:
        if not self._by_batch:
            return shuffler.shuffle(self._order)
        full = self.samples - self.samples % self.batch_size
        blocks = self._order[:full].reshape(-1, self.batch_size)
        shuffled = blocks[shuffler.shuffle(np.arange(len(blocks)))]
        return np.concatenate([shuffled.ravel(), self._order[full:]])

    def _batch(self, start: int, end: int) -> Batch:
        if self._shuffler is None:
            return self._data.rows(start, end)
        return self._data.gather(self._order[start:end])


class DatasetBatches:
    """The elements of a data set, each a batch.

    Without a limit an epoch is one pass; with a limit it is that many batches, and all epochs read one stream. As in
    TF.js the validation runs after the last step, and only if it was certainly the last one: not if training was
    stopped during a pass, or the data set ended early.

    Args:
        where: the method that reads it, for messages.
        argument: the name of its argument, for messages.
        dataset: has an `iterator()`.
        standardize: converts an element to a batch.
        limit: the number of batches per epoch; None for a whole pass.
        too_few: returns the warning if the data set ends early, from the number of batches read.
    """

    samples = None
    batch_size = None

    def __init__(
        self,
        where: str,
        argument: str,
        dataset: Any,
        standardize: Callable[[Any], Batch],
        limit: int | None,
        too_few: Callable[[int], str],
    ) -> None:
        self._where = where
        self._argument = argument
        self._dataset = dataset
        self._standardize = standardize
        self._limit = limit
        self._too_few = too_few
        self._elements: Iterator[Any] = iter(())

    @property
    def steps(self) -> int | None:
        size = getattr(self._dataset, "size", None)
        if self._limit is None and isinstance(size, (int, float)) and math.isfinite(size):
            return int(size)
        return self._limit

    def begin(self) -> None:
        # TF.js starts a stream before the first epoch even if each epoch starts its own, which affects shuffled data
        # sets.
        self._elements = self._start()

    def epoch(self, validate: Callable[[], None]) -> Iterator[Step]:
        if self._limit is None:
            self._elements = self._start()
        return self._steps(self._elements, validate)

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, where: str, state: dict[str, Any]) -> None:
        if state:
            raise ValueError("it is not from training on a data set")

    def fast_forward(self, epochs: int, validate: Callable[[], None]) -> None:
        for _ in range(epochs):  # the elements of a data set may depend on earlier passes, so it is read again
            for step in self.epoch(validate):
                step.after()

    def once(self) -> Iterator[Step]:
        """The batches of a new stream, for an evaluation."""
        return self._steps(self._start())

    def skip(self) -> None:
        """Read a new stream to its end without evaluating."""
        for _ in self.once():
            pass

    def _steps(self, elements: Iterator[Any], validate: Callable[[], None] | None = None) -> Iterator[Step]:
        done, after_all = 0, validate or nothing
        for element in elements:
            batch = self._standardize(element)
            done += 1
            last = done == self._limit
            try:
                yield _step_on(batch, after_all if last else nothing)
            finally:
                self._release(element)
            if last:
                return
        if self._limit is not None:
            warn_user(self._too_few(done))
            return
        if not done and validate is not None:  # an evaluation raises an error for this
            reason = "an iterator can be used only once; pass the generator function itself"
            empty = reason if isinstance(self._dataset, PlainDataset) else "the data set is empty"
            warn_user(f"fit: an epoch had no batches: {empty}.")
        after_all()

    def _start(self) -> Iterator[Any]:
        made = finish(self._dataset.iterator())
        of = "a function" if isinstance(self._dataset, PlainDataset) else "a data set with a method iterator()"
        return elements_in(self._where, self._argument, f"{of} that returns an iterator", made)

    def _release(self, element: Any) -> None:
        """Dispose the tensors of a used element, as TF.js does; those of a plain iterator belong to the user."""
        if not isinstance(self._dataset, PlainDataset):
            dispose(element)


def _step_on(batch: Batch, after: Callable[[], None]) -> Step:
    return Step(batch.size, lambda: batch, after=after)
