"""Steps of training, testing and predicting: the processing of a batch, and its reported values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tfpy.core.convert import to_tensor
from tfpy.core.ops.arith import add, div_no_nan
from tfpy.core.ops.common import full
from tfpy.core.optimizers.base import minimizes_as_usual
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import GradientError, IndependentError, show, some_of
from tfpy.layers.added_losses import with_added_losses
from tfpy.layers.training.batch import Batch
from tfpy.layers.training.compile_config import CompileConfig, OutputConfig
from tfpy.layers.training.planned import run_planned
from tfpy.layers.training.strategy import Mean, ReplicaStep, single_replica_mean
from tfpy.layers.weights import LayerVariable

if TYPE_CHECKING:
    from tfpy.layers.trainable_model import TrainableModel


def train_step(
    model: TrainableModel, compiled: CompileConfig, batch: Batch, variables: Sequence[LayerVariable]
) -> list[Tensor]:
    """One step of the optimizer on a batch: the loss before it, and the metrics.

    Raises:
        GradientError: the loss does not depend on the weights.
    """
    try:
        return _run_step(model, compiled, batch, lambda part, mean: _train(model, compiled, part, variables, mean))
    except IndependentError:
        raise GradientError(
            f"The loss does not depend on any of the trained weights ({some_of([v.name for v in variables])}). "
            "It may be constant, or computed with numpy: it must be computed from tensors by ops of tf."
        ) from None


def _run_step(model: TrainableModel, compiled: CompileConfig, batch: Batch, run: ReplicaStep) -> list[Tensor]:
    """Run a step on a batch, or, with a strategy, on this process's part of it."""
    strategy = compiled.strategy
    return run(batch, single_replica_mean) if strategy is None else strategy.step(model, compiled.optimizer, batch, run)


def _train(
    model: TrainableModel, compiled: CompileConfig, batch: Batch, variables: Sequence[LayerVariable], mean: Mean
) -> list[Tensor]:
    optimizer = compiled.optimizer
    if not minimizes_as_usual(optimizer):
        if compiled.strategy is not None:
            raise RuntimeError(f"fit: {optimizer!r} has its own minimize, which cannot be distributed over processes.")
        total_loss = _TotalLoss(model, compiled, batch)
        return [optimizer.minimize(total_loss, True, variables), *total_loss.reported]

    def gradients() -> tuple[list[Tensor], tuple[int, list[str]]]:
        total_loss = _TotalLoss(model, compiled, batch)
        loss, grads = optimizer.compute_gradients(total_loss, variables)
        reported = [loss, *total_loss.reported]
        return [*reported, *grads.values(), *total_loss.unmasked_steps], (len(reported), list(grads))

    key = "train", id(compiled.outputs), *[v.id for v in variables]
    found, (count, names) = _planned(model, key, compiled, batch, gradients)
    end = count + len(names)
    means = mean(found[:end], _first_or_none(found[end:]))
    optimizer.apply_gradients(dict(zip(names, means[count:], strict=True)))
    return means[:count]


class _TotalLoss:
    """The loss of a batch, including those added by layers, as the function that an optimizer minimizes.

    Attributes:
        reported: the result of `_reported`, once it has been called.
        unmasked_steps: the result of `_unmasked_steps` then.
    """

    def __init__(self, model: TrainableModel, compiled: CompileConfig, batch: Batch) -> None:
        self._model = model
        self._compiled = compiled
        self._batch = batch
        self.reported: list[Tensor] = []
        self.unmasked_steps: list[Tensor] = []

    def __call__(self) -> Tensor:
        model, compiled, batch = self._model, self._compiled, self._batch
        (outputs, masks), added = with_added_losses(lambda: model.graph.run(batch.inputs, training=True))
        found = _with_loss_masks(model, outputs, masks)
        losses, means = _losses(compiled, batch, found)
        self.reported = _reported(compiled, batch, found, means)
        self.unmasked_steps = _unmasked_steps(found, losses)
        total = losses.mean()
        for loss in [*model.calculate_losses(), *added]:
            total = add(total, loss)
        return total


def _planned(
    model: TrainableModel, key: tuple[Any, ...], compiled: CompileConfig, batch: Batch, compute: Callable[[], Any]
) -> Any:
    """The results of a step on a batch, replayed from the model's plans if possible."""
    inputs = [*batch.inputs, *batch.targets, *[w for w in batch.weights if w is not None]]
    weighted = tuple([w is not None for w in batch.weights])
    return run_planned(model, (*key, weighted), inputs, compute, compiled.outputs)


def test_step(model: TrainableModel, compiled: CompileConfig, batch: Batch) -> list[Tensor]:
    """The loss, without regularization, and the metrics of a batch."""
    return _run_step(model, compiled, batch, lambda part, mean: mean(*_test(model, compiled, part)))


def _test(model: TrainableModel, compiled: CompileConfig, batch: Batch) -> tuple[list[Tensor], Tensor | None]:
    """The loss and the metrics, and the number of steps, see `_unmasked_steps`."""

    def compute() -> tuple[list[Tensor], int]:
        outputs = _with_loss_masks(model, *model.graph.run(batch.inputs))
        samples, means = _losses(compiled, batch, outputs)
        weighted = [_weighted(mean, output) for mean, output in zip(means, compiled.outputs, strict=True)]
        total = weighted[0]
        for mean in weighted[1:]:
            total = add(total, mean)
        found = [total, *_reported(compiled, batch, outputs, means)]
        return [*found, *_unmasked_steps(outputs, samples)], len(found)

    found, count = _planned(model, ("test", id(compiled.outputs)), compiled, batch, compute)
    return found[:count], _first_or_none(found[count:])


def _first_or_none(steps: list[Tensor]) -> Tensor | None:
    return steps[0] if steps else None


# The key of prediction steps in a model's plans.
PREDICTION = ("predict", ())


def predict_step(model: TrainableModel, inputs: list[Tensor]) -> list[Tensor]:
    """The outputs of a model for given inputs."""

    def compute() -> tuple[list[Tensor], None]:
        return _distinct(model.graph.run(inputs)[0], inputs), None

    return run_planned(model, PREDICTION, inputs, compute)[0]


def _distinct(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> list[Tensor]:
    """Outputs that can be disposed independently of the inputs and each other: a layer may return its input itself."""
    taken = {t.id for t in inputs}
    found = []
    for t in outputs:
        found.append(t.clone() if t.id in taken else t)
        taken.add(t.id)
    return found


def _with_loss_masks(
    model: TrainableModel, outputs: Sequence[Tensor], masks: Sequence[Any]
) -> list[tuple[Tensor, Any]]:
    """The outputs, with the masks that their losses and metrics respect: by the rules of Keras, and none in TF.js."""
    return [*zip(outputs, masks if model.mask_rules.reach_losses else [None] * len(outputs), strict=True)]


def _masked(values: Tensor, mask: Tensor | None) -> Tensor:
    """Losses or metrics of steps: 0 where masked, the others scaled so that the overall mean is theirs."""
    if mask is None or mask.shape != values.shape:
        return values
    seen = mask.cast(values.dtype)
    return values.mul(seen).mul(div_no_nan(values.size, seen.sum()))


def _unmasked_steps(outputs: Sequence[tuple[Tensor, Any]], losses: Tensor) -> list[Tensor]:
    """The number of unmasked steps, if the losses are means over these; none for several outputs."""
    mask = outputs[0][1]
    counts = len(outputs) == 1 and mask is not None and mask.shape == losses.shape
    return [mask.cast("float32").sum()] if counts else []


def _losses(
    compiled: CompileConfig, batch: Batch, outputs: Sequence[tuple[Tensor, Any]]
) -> tuple[Tensor, list[Tensor]]:
    """The weighted sum of the outputs' losses for each sample, and the unweighted mean of each loss."""
    total: Tensor | None = None
    means = []
    rows = zip(compiled.outputs, batch.targets, batch.weights, outputs, strict=True)
    for output, target, weight, (found, mask) in rows:
        loss = (
            full((), 0)
            if output.loss is None
            else _as_returned_tensor(f"The loss of {output.name!r}", output.loss(target, found))
        )
        if weight is not None:
            loss = loss.mul(weight.reshape([-1] + [1] * (loss.rank - 1)) if loss.rank > 1 else weight)
        loss = _masked(loss, mask)
        means.append(loss.mean())
        part = _weighted(loss, output)
        total = part if total is None else _added(total, part, _weighted(means[-1], output))
    assert total is not None
    return total, means


def _as_returned_tensor(function: str, value: Any) -> Tensor:
    """The value of a loss or a metric."""
    try:
        return to_tensor(function, "value", value)
    except (TypeError, ValueError):
        raise TypeError(f"{function} must return a tensor or numbers, but returned {show(value)}.") from None


def _weighted(loss: Tensor, output: OutputConfig) -> Tensor:
    return loss if output.weight == 1 else loss.mul(output.weight)


def _added(total: Tensor, loss: Tensor, mean: Tensor) -> Tensor:
    """A sum with the mean of both. TF.js adds per sample, which fails for sequences combined with single values."""
    alike = loss.shape == total.shape or () in (loss.shape, total.shape)
    return add(total, loss if alike else mean)


def _reported(
    compiled: CompileConfig, batch: Batch, outputs: Sequence[tuple[Tensor, Any]], losses: list[Tensor]
) -> list[Tensor]:
    """The losses of the outputs of a batch if there are several, and the metrics."""
    metrics = [
        _masked(_as_returned_tensor(f"The metric {name or '<lambda>'!r}", metric(target, found)), mask).mean()
        for output, target, (found, mask) in zip(compiled.outputs, batch.targets, outputs, strict=True)
        for name, metric in output.metrics
    ]
    return [*losses, *metrics] if len(losses) > 1 else metrics
