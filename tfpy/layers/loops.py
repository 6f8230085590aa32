"""The loops over batches: `fit_loop` trains on them, `test_loop` only looks at them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tfpy.core.ops.arith import add, mul
from tfpy.core.ops.common import full
from tfpy.core.tensor import Tensor
from tfpy.engine.dispatch import settle
from tfpy.engine.scope import end_scope, outlive_scopes, start_scope
from tfpy.layers.batch_sources import BatchSource, Step
from tfpy.layers.callbacks import CallbackList, Logs
from tfpy.layers.training import Compiled, test_step, train_step
from tfpy.layers.weights import LayerVariable

if TYPE_CHECKING:
    from tfpy.layers.trainable import TrainableModel

Validation = Callable[[], list[Tensor]]
"""Gives the loss and metrics of the validation data."""


class EpochMeans:
    """The means of what the batches of an epoch report, weighted by their sizes; reckoned as TF.js does, in float32."""

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

    def logs(self) -> dict[str, Any]:
        """The means by name; none if there was no batch."""
        return {label: mul(1 / self._seen, total) for label, total in self._totals.items()}


def fit_loop(
    model: TrainableModel,
    compiled: Compiled,
    source: BatchSource,
    epochs: range,
    validation: Validation | None,
    callbacks: CallbackList,
) -> None:
    """The epochs of `fit` and `fit_dataset`."""
    variables = model.trainable_weights
    callbacks.call("on_train_begin", {})
    model.stop_training = False
    for epoch in epochs:
        callbacks.call("on_epoch_begin", epoch, {})
        logs = _train_epoch(model, compiled, source, variables, validation, callbacks)
        callbacks.call("on_epoch_end", epoch, logs)
        if model.stop_training:
            break
    callbacks.call("on_train_end", {})


def _train_epoch(
    model: TrainableModel,
    compiled: Compiled,
    source: BatchSource,
    variables: Sequence[LayerVariable],
    validation: Validation | None,
    callbacks: CallbackList,
) -> Logs:
    """One epoch; returns its logs, those of the validation first, as in TF.js."""
    means = EpochMeans()
    logs: Logs = {}

    def validate() -> None:
        if validation is not None:
            logs.update(_named([f"val_{label}" for label in compiled.labels], validation()))

    for number, step in enumerate(source.epoch(validate)):
        batch_logs: Logs = {"batch": number, "size": step.size}
        callbacks.call("on_batch_begin", number, dict(batch_logs))
        start_scope("fit")
        try:
            found = train_step(model, compiled, step.take(), variables)
            means.add(compiled.labels, found, step.size)
            batch_logs |= _named(compiled.labels, found)
            step.within()
        finally:
            end_scope()
        callbacks.call("on_batch_end", number, batch_logs)
        step.after()
        if model.stop_training:
            break
    return logs | means.logs()


def _named(labels: Sequence[str], values: Sequence[Tensor]) -> Logs:
    """Reported values, which outlive the scope of their batch."""
    return {label: outlive_scopes(value) for label, value in zip(labels, values, strict=True)}


def test_loop(model: TrainableModel, compiled: Compiled, steps: Iterable[Step]) -> list[Tensor]:
    """Loss and metrics of all batches: the mean of theirs, weighted by their sizes.

    Raises:
        ValueError: there is no batch.
    """
    totals: list[Tensor] = [full((), 0) for _ in compiled.labels]
    seen = 0
    for step in steps:
        start_scope("test")
        try:
            found = test_step(model, compiled, step.take())
            totals = [outlive_scopes(add(t, f.mul(step.size))) for t, f in zip(totals, found, strict=True)]
            settle([total] for total in totals)
        finally:
            end_scope()
        seen += step.size
    if not seen:
        raise ValueError("evaluate: there is no batch to evaluate on.")
    return [t.div(seen) for t in totals]
