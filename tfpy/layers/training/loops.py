"""The loops over batches: a `TrainingRun` trains on them, `test_loop` only looks at them."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy.core.ops.arith import add, mul
from tfpy.core.ops.common import full
from tfpy.core.tensor import Tensor
from tfpy.core.types import Logs
from tfpy.engine import rng
from tfpy.engine.dispatch import settle
from tfpy.engine.scope import Scope, close_scope, open_scope, outlive_scopes
from tfpy.layers.callbacks.base import Callback
from tfpy.layers.callbacks.callback_list import CallbackList
from tfpy.layers.training.batch_sources import BatchSource, Step, nothing
from tfpy.layers.training.compiling import optimizer_for
from tfpy.layers.training.steps import Compiled, test_step, train_step
from tfpy.layers.unlisted import warn_of_unlisted

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel


class Validation(NamedTuple):
    """The validation data.

    Attributes:
        evaluate: gives the loss and metrics.
        skip: goes through the data without a look at it, where what a data set gives depends on what it gave.
    """

    evaluate: Callable[[], list[Tensor]]
    skip: Callable[[], None] = nothing


class EpochMeans:
    """The means of what the batches of an epoch report, weighted by their sizes; computed as TF.js does, in float32."""

    def __init__(self) -> None:
        self._seen = 0
        self._totals: dict[str, Tensor] = {}

    def add(self, labels: Sequence[str], values: Sequence[Tensor], size: int) -> None:
        """Take in what a batch reports."""
        self._seen += size
        for label, value in zip(labels, values, strict=True):
            part = mul(value, size)
            before = self._totals.get(label)
            self._totals[label] = outlive_scopes(part if before is None else add(before, part))
        settle([total] for total in self._totals.values())

    def state(self) -> dict[str, Any]:
        """What was reported so far, as plain values."""
        return {"seen": self._seen, "totals": {name: float(total) for name, total in self._totals.items()}}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what was reported before."""
        self._seen = state["seen"]
        self._totals = {name: outlive_scopes(full((), total)) for name, total in state["totals"].items()}

    def logs(self) -> dict[str, Any]:
        """The means by name; none if there was no batch."""
        return {label: mul(1 / self._seen, total) for label, total in self._totals.items()}


class TrainingRun:
    """The epochs of one `fit` or `fit_dataset`.

    Attributes:
        epoch: the epoch that it is in, or comes next.
        batch: how many batches of it are done.
        means, logs: what its batches and the validation have reported.
        began: what the source and the random streams were when the epoch began.
    """

    def __init__(
        self,
        model: LayersModel,
        compiled: Compiled,
        source: BatchSource,
        epochs: range,
        validation: Validation | None,
        callbacks: CallbackList,
    ) -> None:
        self.model = model
        self.compiled = compiled
        self.source = source
        self.epochs = epochs
        self.callbacks = callbacks
        self.epoch = epochs.start
        self.batch = 0
        self.means = EpochMeans()
        self.logs: Logs = {}
        self.began: tuple[dict[str, Any], list[Any]] = {}, []
        self._validation = validation
        self._keepers = [c for c in callbacks.callbacks if isinstance(c, RunKeeper)]
        self._skipping = False
        self._then: Callable[[], None] = nothing

    def train(self) -> None:
        """Run all epochs, or those that an earlier run has left."""
        self.callbacks.call("on_train_begin", {})
        self.model.stop_training = False
        for keeper in self._keepers:
            keeper.resume(self)
        while self.epoch < self.epochs.stop and not self.model.stop_training:
            self._train_epoch()
        self.callbacks.call("on_train_end", {})
        warn_of_unlisted("fit", self.model)

    def state_of_data(self) -> tuple[dict[str, Any], list[Any]]:
        """What the source and the random streams are now."""
        return self.source.state(), rng.source_state()

    def begin_at(self, began: tuple[dict[str, Any], list[Any]], epoch: int, batch: int) -> None:
        """Begin where another run was.

        Args:
            began: the state of its data when the epoch began.
            epoch, batch: where it was.

        Raises:
            ValueError, TypeError: this run has no such place, or it was a run on other data.
        """
        start, stop = self.epochs.start, self.epochs.stop
        if not (start, 0) <= (epoch, batch) <= (stop, 0):
            raise ValueError(f"it is of batch {batch} of epoch {epoch}, and not of epochs {start} to {stop}")
        self.source.restore(began[0])  # what it says of other data says more than their number of batches
        steps = self.source.steps
        if steps is not None and batch > steps:
            raise ValueError(f"it is of batch {batch} of an epoch, and not of an epoch of {steps}")
        self.epoch, self.batch, self.began = epoch, batch, began

    def catch_up(self, then: Callable[[], None]) -> None:
        """Go through the data up to the place of `begin_at`, of its own epoch when that begins.

        Args:
            then: makes everything what it was there; called when that has been done. `batch` is less than it was said
                to be if the epoch has become shorter.
        """
        self._skipping = True
        self.source.catch_up(self.epoch - self.epochs.start, self._validate)
        self._skipping = False
        if self.batch:
            self._then = then
        else:
            then()

    def _validate(self) -> None:
        if self._validation is None:
            return
        if self._skipping:
            self._validation.skip()
            return
        labels = [f"val_{label}" for label in self.compiled.labels]
        self.logs.update(_named(labels, self._validation.evaluate()))

    def _train_epoch(self) -> None:
        """One epoch, or what is left of it; its logs are those of the validation first, as in TF.js."""
        self.callbacks.call("on_epoch_begin", self.epoch, {})
        skipped = self.batch
        if not skipped:
            self.means, self.logs = EpochMeans(), {}
            if self._keepers:
                self.began = self.state_of_data()
        steps = self.source.epoch(self._validate)
        if skipped:
            self._skip(steps)
        if not (skipped and self.model.stop_training):
            for step in steps:  # as in TF.js, the flag counts after a batch: who sets it before an epoch gets one
                self._train_on(step)
                if self.model.stop_training:
                    break
        self.callbacks.call("on_epoch_end", self.epoch, self.logs | self.means.logs())
        self.epoch, self.batch = self.epoch + 1, 0
        for keeper in self._keepers:
            keeper.after_epoch(self)

    def _skip(self, steps: Iterator[Step]) -> None:
        """Go through the batches that an earlier run was trained on."""
        rng.restore_source(self.began[1])
        self._skipping = True
        done = 0
        for step in itertools.islice(steps, self.batch):
            step.within()
            step.after()
            done += 1
        self._skipping = False
        self.batch = done
        self._then()

    def _train_on(self, step: Step) -> None:
        batch_logs: Logs = {"batch": self.batch, "size": step.size}
        self.callbacks.call("on_batch_begin", self.batch, dict(batch_logs))
        scope = Scope("fit")
        try:
            open_scope(scope)
            optimizer = optimizer_for(self.model, self.compiled)
            if optimizer is not self.compiled.optimizer:
                self.compiled = self.compiled._replace(optimizer=optimizer)
            found = train_step(self.model, self.compiled, step.take(), self.compiled.trained("fit"))
            self.means.add(self.compiled.labels, found, step.size)
            batch_logs |= _named(self.compiled.labels, found)
            step.within()
        finally:
            close_scope(scope)
        self.callbacks.call("on_batch_end", self.batch, batch_logs)
        step.after()
        self.batch += 1
        for keeper in self._keepers:
            keeper.after_batch(self)


class RunKeeper(Callback):
    """A callback that is told of the run itself, when all callbacks have been told of what happened.

    Attributes:
        writes: whether this process is to write files; of several that train together one does.
    """

    writes = True

    def resume(self, run: TrainingRun) -> None:
        """Before the first epoch: it may call `run.begin_at` and `run.catch_up`."""

    def after_batch(self, run: TrainingRun) -> None:
        """After a batch."""

    def after_epoch(self, run: TrainingRun) -> None:
        """After an epoch."""


def _named(labels: Sequence[str], values: Sequence[Tensor]) -> Logs:
    """Reported values, which outlive the scope of their batch."""
    return {label: outlive_scopes(value) for label, value in zip(labels, values, strict=True)}


def test_loop(model: LayersModel, compiled: Compiled, steps: Iterable[Step]) -> list[Tensor]:
    """Loss and metrics of all batches: the mean of theirs, weighted by their sizes.

    Raises:
        ValueError: there is no batch.
    """
    totals: list[Tensor] = [full((), 0) for _ in compiled.labels]
    seen = 0
    for step in steps:
        scope = Scope("test")
        try:
            open_scope(scope)
            found = test_step(model, compiled, step.take())
            totals = [outlive_scopes(add(t, f.mul(step.size))) for t, f in zip(totals, found, strict=True)]
            settle([total] for total in totals)
        finally:
            close_scope(scope)
        seen += step.size
    if not seen:
        raise ValueError("evaluate: there is no batch to evaluate on.")
    return [t.div(seen) for t in totals]
