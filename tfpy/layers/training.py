"""Training and testing steps and loops: what happens to each batch, and what is reported of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tfpy.core.convert import to_tensor
from tfpy.core.ops.arith import add, mul
from tfpy.core.ops.common import full
from tfpy.core.tensor import Tensor
from tfpy.engine import rng
from tfpy.engine.scope import end_scope, outlive_scopes, start_scope
from tfpy.layers.callbacks import CallbackList
from tfpy.layers.data_adapter import batches, rows
from tfpy.layers.losses import Loss
from tfpy.layers.metrics import Metric
from tfpy.layers.weights import LayerVariable

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel


class Output(NamedTuple):
    """How one output of a compiled model is judged."""

    name: str
    loss: Loss | None
    metrics: list[tuple[str, Metric]]


class Compiled(NamedTuple):
    """What `compile` has settled: the optimizer, losses and metrics of the outputs, labels of what is reported."""

    optimizer: Any
    outputs: list[Output]
    labels: list[str]


def labels_of(outputs: Sequence[Output]) -> list[str]:
    """The names under which losses and metrics are reported; a name that occurs again gets a number."""
    several = len(outputs) > 1
    found = ["loss"]
    found += [f"{o.name}_loss" for o in outputs] if several else []
    found += [f"{o.name}_{name}" if several else name for o in outputs for name, _ in o.metrics]
    return [label if found.count(label) == 1 or found.index(label) == i else f"{label}_{found[:i].count(label)}"
            for i, label in enumerate(found)]  # fmt: skip


class Batch(NamedTuple):
    """The tensors of some samples."""

    inputs: list[Tensor]
    targets: list[Tensor]
    weights: list[Tensor | None]

    @property
    def size(self) -> int:
        return self.inputs[0].shape[0]

    def batch(self, start: int, end: int, indices: npt.NDArray[np.int32] | None = None) -> Batch:
        """Consecutive samples, or those of the given indices."""
        if indices is None:
            return self._map(lambda t: rows(t, start, end))
        picked = to_tensor("fit", "indices", indices)
        return self._map(lambda t: t.gather(picked))

    def _map(self, part: Callable[[Tensor], Tensor]) -> Batch:
        weights = [None if w is None else part(w) for w in self.weights]
        return Batch([part(t) for t in self.inputs], [part(t) for t in self.targets], weights)


def train_step(
    model: LayersModel, compiled: Compiled, batch: Batch, variables: Sequence[LayerVariable]
) -> list[Tensor]:
    """One step of the optimizer on a batch: the loss before it, and the metrics."""
    reported: list[Tensor] = []

    def total_loss() -> Tensor:
        outputs, _ = model.graph.run(batch.inputs, training=True)
        reported.clear()
        total, singles = _losses(compiled, batch, outputs)
        reported.extend(singles if len(singles) > 1 else [])
        reported.extend(_metrics(compiled, batch, outputs))
        total = total.mean()
        for loss in model.calculate_losses():
            total = add(total, loss)
        return total

    loss = compiled.optimizer.minimize(total_loss, True, variables)
    return [loss, *reported]


def test_step(model: LayersModel, compiled: Compiled, batch: Batch) -> list[Tensor]:
    """The loss, without that of regularizers, and the metrics of a batch."""
    outputs, _ = model.graph.run(batch.inputs)
    _, singles = _losses(compiled, batch, outputs)
    total = singles[0]
    for single in singles[1:]:
        total = add(total, single)
    return [total, *(singles if len(singles) > 1 else []), *_metrics(compiled, batch, outputs)]


def _losses(compiled: Compiled, batch: Batch, outputs: Sequence[Tensor]) -> tuple[Tensor, list[Tensor]]:
    """The losses of all outputs for each sample, added up, and the mean of each."""
    total: Tensor | None = None
    singles = []
    for output, target, weight, found in zip(compiled.outputs, batch.targets, batch.weights, outputs, strict=True):
        loss = full((), 0) if output.loss is None else to_tensor("loss", output.name, output.loss(target, found))
        if weight is not None:
            loss = loss.mul(weight)
        singles.append(loss.mean())
        total = loss if total is None else add(total, loss)
    assert total is not None
    return total, singles


def _metrics(compiled: Compiled, batch: Batch, outputs: Sequence[Tensor]) -> list[Tensor]:
    return [
        to_tensor("metric", name, metric(target, found)).mean()
        for output, target, found in zip(compiled.outputs, batch.targets, outputs, strict=True)
        for name, metric in output.metrics
    ]


def test_loop(model: LayersModel, compiled: Compiled, data: Batch, batch_size: int) -> list[Tensor]:
    """Loss and metrics of all samples: the mean of those of the batches, weighted by their sizes."""
    totals: list[Tensor] = [full((), 0) for _ in compiled.labels]
    for start, end in batches(data.size, batch_size):
        start_scope("test")
        try:
            found = test_step(model, compiled, data.batch(start, end))
            totals = [outlive_scopes(add(t, f.mul(end - start))) for t, f in zip(totals, found, strict=True)]
        finally:
            end_scope()
    return [t.div(data.size) for t in totals]


class FitOptions(NamedTuple):
    """What `fit` was asked for."""

    batch_size: int
    epochs: int
    initial_epoch: int
    shuffle: bool
    seed: rng.Seed | None
    validation: Batch | None


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

    def logs(self) -> dict[str, Any]:
        """The means by name."""
        return {label: mul(1 / self._seen, total) for label, total in self._totals.items()}


def fit_loop(model: LayersModel, compiled: Compiled, data: Batch, options: FitOptions, callbacks: CallbackList) -> None:
    """The epochs of `fit`."""
    variables = model.trainable_weights
    order = np.arange(data.size, dtype=np.int32)
    shuffler = rng.Shuffler(options.seed)
    callbacks.call("on_train_begin", {})
    model.stop_training = False
    for epoch in range(options.initial_epoch, options.epochs):
        callbacks.call("on_epoch_begin", epoch, {})
        if options.shuffle:
            order = shuffler.shuffle(order)
        means = EpochMeans()
        epoch_logs: dict[str, Any] = {}
        spans = batches(data.size, options.batch_size)
        for number, (start, end) in enumerate(spans):
            batch_logs: dict[str, Any] = {"batch": number, "size": end - start}
            callbacks.call("on_batch_begin", number, dict(batch_logs))
            start_scope("fit")
            try:
                picked = order[start:end] if options.shuffle else None
                found = train_step(model, compiled, data.batch(start, end, picked), variables)
                means.add(compiled.labels, found, end - start)
                batch_logs |= _named(compiled.labels, found)
                if number == len(spans) - 1 and options.validation is not None:
                    values = test_loop(model, compiled, options.validation, options.batch_size)
                    epoch_logs |= _named([f"val_{label}" for label in compiled.labels], values)
            finally:
                end_scope()
            callbacks.call("on_batch_end", number, batch_logs)
            if model.stop_training:
                break
        epoch_logs |= means.logs()
        callbacks.call("on_epoch_end", epoch, epoch_logs)
        if model.stop_training:
            break
    callbacks.call("on_train_end", {})


def _named(labels: Sequence[str], values: Sequence[Tensor]) -> dict[str, Any]:
    """Reported values, which outlive the scope of their batch."""
    return {label: outlive_scopes(value) for label, value in zip(labels, values, strict=True)}
