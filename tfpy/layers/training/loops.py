"""The loops over batches: a `TrainingRun` trains on them, `test_loop` only evaluates them."""

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
from tfpy.layers.callbacks.named_values import NamedValues
from tfpy.layers.inner_layers import warn_of_unlisted
from tfpy.layers.training.batch_sources import BatchSource, Step, nothing
from tfpy.layers.training.compile_config import CompileConfig
from tfpy.layers.training.resuming import EpochIterator, RunCallback
from tfpy.layers.training.steps import test_step, train_step
from tfpy.layers.training.training_state import optimizer_for

if TYPE_CHECKING:
    from tfpy.layers.trainable_model import TrainableModel


class Validation(NamedTuple):
    """The validation data.

    Attributes:
        evaluate: returns the loss and metrics.
        skip: reads the data without evaluating, for data sets whose next pass depends on the last one.
    """

    evaluate: Callable[[], list[Tensor]]
    skip: Callable[[], None] = nothing


class EpochMeans:
    """The means of the values reported by the batches of an epoch, weighted by size; in float32, as in TF.js."""

    def __init__(self) -> None:
        self._seen = 0
        self._totals: dict[str, Tensor] = {}

    def add(self, labels: Sequence[str], values: Sequence[Tensor], size: int) -> None:
        """Add the values reported by a batch."""
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
        """Continue from earlier sums."""
        self._seen = state["seen"]
        self._totals = {name: outlive_scopes(full((), total)) for name, total in state["totals"].items()}

    def logs(self) -> dict[str, Any]:
        """The means by name; none if there was no batch."""
        return {label: mul(1 / self._seen, total) for label, total in self._totals.items()}


class TrainingRun:
    """The epochs of one `fit` or `fit_dataset`.

    Attributes:
        iterator: iterates over the epochs and keeps track of the position.
        means, logs: the values reported by the batches of the epoch and by the validation.
    """

    def __init__(
        self,
        model: TrainableModel,
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
        """Run all epochs, or the remaining ones of an earlier run."""
        self.callbacks.call("on_train_begin", {})
        self.model.stop_training = False
        self.iterator.source.begin()
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
        """One epoch, or the rest of it; in its logs those of the validation come first, as in TF.js."""
        epoch, resumed = self.iterator.epoch, self.iterator.batch > 0
        self.callbacks.call("on_epoch_begin", epoch, {})
        if not resumed:
            self.means, self.logs = EpochMeans(), {}
        steps = self.iterator.batches()
        if not (resumed and self.model.stop_training):
            for step in steps:  # as in TF.js, the flag is checked after a batch, even if set before the epoch
                self._train_on(step)
                if self.model.stop_training:
                    break
        self.callbacks.call("on_epoch_end", epoch, NamedValues(self.logs | self.means.logs()))
        self.iterator.end_epoch()
        for callback in self._run_callbacks:
            callback.after_epoch(self)

    def _train_on(self, step: Step) -> None:
        batch = self.iterator.batch
        batch_logs: Logs = NamedValues(batch=batch, size=step.size)
        self.callbacks.call("on_batch_begin", batch, dict(batch_logs))
        run_in_scope(partial(self._learn_from, step, batch_logs), "fit")
        self.callbacks.call("on_batch_end", batch, batch_logs)
        step.after()
        self.iterator.batch += 1
        for callback in self._run_callbacks:
            callback.after_batch(self)

    def _learn_from(self, step: Step, logs: Logs) -> None:
        """Run a step and write its reported values to the logs."""
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


def test_loop(where: str, model: TrainableModel, compiled: CompileConfig, steps: Iterable[Step]) -> list[Tensor]:
    """Loss and metrics over all batches: the means weighted by batch size.

    Args:
        where: the method, for messages.
        model: the model.
        compiled: the configuration set by `compile`.
        steps: the batches.

    Raises:
        ValueError: there are no batches.
    """
    totals: list[Tensor] = [full((), 0) for _ in compiled.log_names]
    seen = 0
    for step in steps:
        run_in_scope(partial(_add, model, compiled, step, totals), "test")
        seen += step.size
    if not seen:
        raise ValueError(f"{where}: there are no batches.")
    return [t.div(seen) for t in totals]


def _add(model: TrainableModel, compiled: CompileConfig, step: Step, totals: list[Tensor]) -> None:
    """Add the values reported for a batch to the sums."""
    found = test_step(model, compiled, step.take())
    totals[:] = [outlive_scopes(add(t, f.mul(step.size))) for t, f in zip(totals, found, strict=True)]
    settle([total] for total in totals)
