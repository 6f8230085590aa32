"""The loops over batches: a `TrainingRun` trains on them, `test_loop` only looks at them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy.core.ops.arith import add, mul
from tfpy.core.ops.common import full
from tfpy.core.tensor import Tensor
from tfpy.core.types import Logs
from tfpy.engine.dispatch import settle
from tfpy.engine.scope import outlive_scopes, run_in_scope
from tfpy.layers.callbacks.callback_list import CallbackList
from tfpy.layers.inner_layers import warn_of_unlisted
from tfpy.layers.training.batch_sources import BatchSource, Step, nothing
from tfpy.layers.training.compile_config import CompileConfig
from tfpy.layers.training.compiling import optimizer_for
from tfpy.layers.training.resuming import EpochIterator, RunCallback
from tfpy.layers.training.steps import test_step, train_step

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel


class Validation(NamedTuple):
    """The validation data.

    Attributes:
        evaluate: gives the loss and metrics.
        skip: reads the data and evaluates nothing, for data sets whose next pass depends on the last one.
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
        """The sums so far, as plain values."""
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
        iterator: goes through the epochs, and knows how far it has come.
        means, logs: what the batches of the epoch and the validation have reported.
    """

    def __init__(
        self,
        model: LayersModel,
        compiled: CompileConfig,
        source: BatchSource,
        epochs: range,
        validation: Validation | None,
        callbacks: CallbackList,
    ) -> None:
        self.model = model
        self.compiled = compiled
        self.callbacks = callbacks
        self.iterator = EpochIterator(
            source, epochs, self._validate, nothing if validation is None else validation.skip
        )
        self.means = EpochMeans()
        self.logs: Logs = {}
        self._validation = validation
        self._run_callbacks = [c for c in callbacks.callbacks if isinstance(c, RunCallback)]

    def train(self) -> None:
        """Run all epochs, or those that an earlier run has left."""
        self.callbacks.call("on_train_begin", {})
        self.model.stop_training = False
        for callback in self._run_callbacks:
            callback.resume(self)
        while self.iterator.epoch < self.iterator.epochs.stop and not self.model.stop_training:
            self._train_epoch()
        self.callbacks.call("on_train_end", {})
        warn_of_unlisted("fit", self.model)

    def _validate(self) -> None:
        if self._validation is None:
            return
        labels = [f"val_{label}" for label in self.compiled.log_names]
        self.logs.update(_named(labels, self._validation.evaluate()))

    def _train_epoch(self) -> None:
        """One epoch, or what is left of it; its logs are those of the validation first, as in TF.js."""
        epoch, resumed = self.iterator.epoch, self.iterator.batch > 0
        self.callbacks.call("on_epoch_begin", epoch, {})
        if not resumed:
            self.means, self.logs = EpochMeans(), {}
        steps = self.iterator.batches()
        if not (resumed and self.model.stop_training):
            for step in steps:  # as in TF.js, the flag counts after a batch: set before an epoch, it lets one through
                self._train_on(step)
                if self.model.stop_training:
                    break
        self.callbacks.call("on_epoch_end", epoch, self.logs | self.means.logs())
        self.iterator.end_epoch()
        for callback in self._run_callbacks:
            callback.after_epoch(self)

    def _train_on(self, step: Step) -> None:
        batch = self.iterator.batch
        batch_logs: Logs = {"batch": batch, "size": step.size}
        self.callbacks.call("on_batch_begin", batch, dict(batch_logs))
        run_in_scope(partial(self._learn_from, step, batch_logs), "fit")
        self.callbacks.call("on_batch_end", batch, batch_logs)
        step.after()
        self.iterator.batch += 1
        for callback in self._run_callbacks:
            callback.after_batch(self)

    def _learn_from(self, step: Step, logs: Logs) -> None:
        """Do a step, and write to the logs what is reported of it."""
        optimizer = optimizer_for(self.model, self.compiled)
        if optimizer is not self.compiled.optimizer:
            self.compiled = self.compiled._replace(optimizer=optimizer)
        found = train_step(self.model, self.compiled, step.take(), self.compiled.trained("fit"))
        self.means.add(self.compiled.log_names, found, step.size)
        logs |= _named(self.compiled.log_names, found)
        step.within()


def _named(labels: Sequence[str], values: Sequence[Tensor]) -> Logs:
    """Reported values, which outlive the scope of their batch."""
    return {label: outlive_scopes(value) for label, value in zip(labels, values, strict=True)}


def test_loop(model: LayersModel, compiled: CompileConfig, steps: Iterable[Step]) -> list[Tensor]:
    """Loss and metrics of all batches: the mean of theirs, weighted by their sizes.

    Raises:
        ValueError: there is no batch.
    """
    totals: list[Tensor] = [full((), 0) for _ in compiled.log_names]
    seen = 0
    for step in steps:
        run_in_scope(partial(_add, model, compiled, step, totals), "test")
        seen += step.size
    if not seen:
        raise ValueError("evaluate: there is no batch to evaluate on.")
    return [t.div(seen) for t in totals]


def _add(model: LayersModel, compiled: CompileConfig, step: Step, totals: list[Tensor]) -> None:
    """Add what is reported of a batch to the sums."""
    found = test_step(model, compiled, step.take())
    totals[:] = [outlive_scopes(add(t, f.mul(step.size))) for t, f in zip(totals, found, strict=True)]
    settle([total] for total in totals)
