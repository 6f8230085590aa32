"""Resuming an interrupted training run: its position, and skipping the batches that it had trained on."""

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
    """The position of a training run.

    Attributes:
        epoch: the current or next epoch.
        batch: the number of its completed batches.
        began: the states of the data's source and of the random streams when the epoch began.
    """

    epoch: int
    batch: int
    began: tuple[dict[str, Any], list[Any]]


class EpochIterator:
    """Iterates over the epochs of a training run and their batches. It can start where an earlier run was interrupted.

    Args:
        source: yields the batches.
        epochs: the epochs to run.
        validate: evaluates the validation data.
        skip_validation: reads it without evaluating.

    Attributes:
        epoch, batch: the current position, see `Position`.
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
        """The current position."""
        return Position(self.epoch, self.batch, self._began if self.batch else self._states())

    def batches(self) -> Iterator[Step]:
        """The batches of the next epoch, or the remaining ones of an earlier run."""
        if self.batch:
            return self._batches_left()
        self._began = self._states()
        return self.source.epoch(self._validated)

    def end_epoch(self) -> None:
        """Go on to the next epoch."""
        self.epoch, self.batch = self.epoch + 1, 0

    def set_start(self, where: str, position: Position) -> None:
        """Set the position to start from, as saved by an earlier run; `fast_forward` goes there.

        Args:
            where: the caller, for messages.
            position: the position of that run.

        Raises:
            ValueError, TypeError: an invalid position, or that of a run on other data.
        """
        epoch, batch, began = position
        start, stop = self.epochs.start, self.epochs.stop
        if not (start, 0) <= (epoch, batch) <= (stop, 0):
            raise ValueError(f"it is from batch {batch} of epoch {epoch}, not from epochs {start} to {stop}")
        self.source.restore(where, began[0])  # its error is more specific than one about the number of batches
        steps = self.source.steps
        if steps is not None and batch > steps:
            raise ValueError(f"it is from batch {batch} of an epoch, not from an epoch of {steps}")
        self.epoch, self.batch, self._began = position

    def fast_forward(self, restore: Callable[[], None]) -> None:
        """Skip the epochs before the position of `set_start`, and then, as its epoch begins, the batches before it.

        Their data is read, since later data may depend on it, but not trained on.

        Args:
            restore: restores everything else; called when the position is reached, which within an epoch is after
                `on_epoch_begin` of the callbacks. `batch` is less than in the position if the epoch has become shorter.
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
    """A callback that receives the `TrainingRun` itself, after all callbacks have been called."""

    def resume(self, run: TrainingRun) -> None:
        """Before the first epoch: it may set the start of `run.iterator` and fast-forward to it."""

    def after_batch(self, run: TrainingRun) -> None:
        """After a batch."""

    def after_epoch(self, run: TrainingRun) -> None:
        """After an epoch."""
