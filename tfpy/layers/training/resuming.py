"""Resuming a training that was cut off: how far it had come, and skipping the batches that it had trained on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy.engine import rng
from tfpy.layers.callbacks.base import Callback
from tfpy.layers.training.batch_sources import BatchSource, Step, nothing

if TYPE_CHECKING:
    from tfpy.layers.training.loops import TrainingRun


class Position(NamedTuple):
    """How far a training has come.

    Attributes:
        epoch: the epoch that it is in, or comes next.
        batch: how many batches of it are done.
        began: the states of the data's source and of the random streams when the epoch began.
    """

    epoch: int
    batch: int
    began: tuple[dict[str, Any], list[Any]]


class EpochIterator:
    """Iterates over the epochs of a training and their batches. It can start where an earlier run was cut off.

    Args:
        source: gives the batches.
        epochs: the epochs to go through.
        validate: evaluates the validation data.
        skip_validation: reads it and evaluates nothing.

    Attributes:
        epoch, batch: how far it has come, see `Position`.
    """

    def __init__(
        self, source: BatchSource, epochs: range, validate: Callable[[], None], skip_validation: Callable[[], None]
    ) -> None:
        self.source = source
        self.epochs = epochs
        self.epoch = epochs.start
        self.batch = 0
        self._began = self._states()
        self._validate = validate
        self._skip_validation = skip_validation
        self._skipping = False
        self._restore: Callable[[], None] = nothing

    def position(self) -> Position:
        """How far the training has come."""
        return Position(self.epoch, self.batch, self._began if self.batch else self._states())

    def batches(self) -> Iterator[Step]:
        """The batches of the next epoch, or those that an earlier run has left of it."""
        if self.batch:
            return self._batches_left()
        self._began = self._states()
        return self.source.epoch(self._validated)

    def end_epoch(self) -> None:
        """Go on to the next epoch."""
        self.epoch, self.batch = self.epoch + 1, 0

    def set_start(self, where: str, position: Position) -> None:
        """Set the position to start from, where an earlier run was; `fast_forward` goes there.

        Args:
            where: who asks for it, for messages.
            position: how far that run had come.

        Raises:
            ValueError, TypeError: there is no such place, or it was a run on other data.
        """
        epoch, batch, began = position
        start, stop = self.epochs.start, self.epochs.stop
        if not (start, 0) <= (epoch, batch) <= (stop, 0):
            raise ValueError(f"it is of batch {batch} of epoch {epoch}, and not of epochs {start} to {stop}")
        self.source.restore(where, began[0])  # what it says of other data says more than their number of batches
        steps = self.source.steps
        if steps is not None and batch > steps:
            raise ValueError(f"it is of batch {batch} of an epoch, and not of an epoch of {steps}")
        self.epoch, self.batch, self._began = position

    def fast_forward(self, restore: Callable[[], None]) -> None:
        """Skip the epochs before the position of `set_start`, and then, as its epoch begins, the batches before it.

        Their data are read, since later data may depend on them, but not trained on.

        Args:
            restore: restores everything else; called when the position is reached, which within an epoch is after
                callbacks have been told that it begins. `batch` is less than in the position if the epoch has become
                shorter.
        """
        self._skipping = True
        self.source.fast_forward(self.epoch - self.epochs.start, self._validated)
        self._skipping = False
        if self.batch:
            self._restore = restore
        else:
            restore()

    def _batches_left(self) -> Iterator[Step]:
        rng.restore_source(self._began[1])
        steps = self.source.epoch(self._validated)
        self._skipping = True
        done = 0
        for step in itertools.islice(steps, self.batch):
            step.within()
            step.after()
            done += 1
        self._skipping = False
        self.batch = done
        self._restore()
        return steps

    def _validated(self) -> None:
        (self._skip_validation if self._skipping else self._validate)()

    def _states(self) -> tuple[dict[str, Any], list[Any]]:
        return self.source.state(), rng.source_state()


class RunCallback(Callback):
    """A callback that is given the `TrainingRun` itself, after all callbacks have been called."""

    def resume(self, run: TrainingRun) -> None:
        """Before the first epoch: it may set where `run.iterator` starts, and fast-forward to there."""

    def after_batch(self, run: TrainingRun) -> None:
        """After a batch."""

    def after_epoch(self, run: TrainingRun) -> None:
        """After an epoch."""
