"""Losses of labels and predictions, optionally reduced to a scalar: `tf.losses`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from tfpy.core.calling.registry import export, op
from tfpy.core.convert import TensorLike, number
from tfpy.core.ops.arith import add, div, minimum, mul, sub
from tfpy.core.ops.common import as_float, full, real, sum_over
from tfpy.core.ops.reduce import Axis, log_sum_exp, mean, sum_
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import current
from tfpy.engine.errors import argument_error


@export(doc="Training / Losses")
class Reduction(IntEnum):
    """How the per-element losses become one.

    Attributes:
        NONE: the losses are kept as they are.
        SUM: they are added up.
        MEAN: their sum is divided by the sum of the weights.
        SUM_BY_NONZERO_WEIGHTS: their sum is divided by the number of weights that are not 0.

    Source: TF.js `tf.Reduction`.
    """

    NONE = 0
    MEAN = 1
    SUM = 2
    SUM_BY_NONZERO_WEIGHTS = 3


_REDUCTIONS = tuple(Reduction)
_DEFAULT = Reduction.SUM_BY_NONZERO_WEIGHTS


@op(namespace="losses", doc="Training / Losses")
def compute_weighted_loss(
    losses: TensorLike, weights: TensorLike | None = None, reduction: Reduction = _DEFAULT
) -> Tensor:
    """Losses multiplied by weights and reduced.

    Args:
        losses: the per-element losses, of any shape.
        weights: weights that broadcast to the losses; 1 by default.
        reduction: how they are reduced.

    Returns:
        A scalar; with Reduction.NONE a tensor of the losses' shape. NaN if all weights are 0.

    Raises:
        ValueError: shapes that do not broadcast, or an unknown reduction.

    Source: TF.js `tf.losses.computeWeightedLoss`.
    """
    values = real("compute_weighted_loss", losses, "float32", "losses")
    factors = None if weights is None else real("compute_weighted_loss", weights, "float32", "weights")
    if reduction not in _REDUCTIONS:
        expected = "one of " + ", ".join(f"Reduction.{r.name}" for r in _REDUCTIONS)
        raise argument_error("compute_weighted_loss", "reduction", expected, reduction)
    weighted = values if factors is None else mul(values, factors)
    if reduction == Reduction.NONE:
        return weighted
    if reduction == Reduction.MEAN and factors is None:
        return mean(weighted)
    total = sum_(weighted)
    if reduction == Reduction.SUM:
        return total
    if factors is None:
        return div(total, number(values.size))
    if reduction == Reduction.MEAN:
        share = div(total, sum_(factors))
        return div(share, number(values.size / factors.size)) if values.size > factors.size > 0 else share
    spread = mul(factors, full(values.shape, 1))
    return div(total, as_float(sum_(run("NotEqual", spread, number(0)))))


def _pair(name: str, labels: TensorLike, predictions: TensorLike, names: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Labels and predictions as float tensors of one shape."""
    a, b = real(name, labels, argument=names[0]), real(name, predictions, argument=names[1])
    if a.spec.shape != b.spec.shape:
        raise argument_error(name, names[1], f"of shape {list(a.shape)}, that of {names[0]}", b)
    return as_float(a), as_float(b)


_NAMES = ("labels", "predictions")


@op(namespace="losses", doc="Training / Losses")
def absolute_difference(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None, reduction: Reduction = _DEFAULT
) -> Tensor:
    """|labels - predictions|.

    Args:
        labels: the true values.
        predictions: the predicted values, of the same shape.
        weights: weights that broadcast to the losses; 1 by default.
        reduction: how the losses are reduced.

    Returns:
        A scalar; without a reduction a tensor of the shape of the predictions.

    Raises:
        ValueError: shapes that do not fit, or an unknown reduction.

    Source: TF.js `tf.losses.absoluteDifference`.
    """
    a, b = _pair("absolute_difference", labels, predictions, _NAMES)
    return compute_weighted_loss(run("Abs", sub(a, b)), weights, reduction)


@op(namespace="losses", doc="Training / Losses")
def mean_squared_error(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None, reduction: Reduction = _DEFAULT
) -> Tensor:
    """(labels - predictions)².

    Args:
        labels: the true values.
        predictions: the predicted values, of the same shape.
        weights: weights that broadcast to the losses; 1 by default.
        reduction: how the losses are reduced.

    Returns:
        A scalar; without a reduction a tensor of the shape of the predictions.

    Raises:
        ValueError: shapes that do not fit, or an unknown reduction.

    Source: TF.js `tf.losses.meanSquaredError`.
    """
    a, b = _pair("mean_squared_error", labels, predictions, _NAMES)
    return compute_weighted_loss(run("SquaredDifference", a, b), weights, reduction)


@op(namespace="losses", doc="Training / Losses")
def cosine_distance(
    labels: TensorLike,
    predictions: TensorLike,
    axis: Axis,
    weights: TensorLike | None = None,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """1 - Σ labels · predictions along an axis; both are assumed to have length 1.

    Args:
        labels: the true vectors.
        predictions: the predicted vectors, of the same shape.
        axis: the axis of the vectors.
        weights: weights that broadcast to the losses; 1 by default.
        reduction: how the losses are reduced.

    Returns:
        A scalar; without a reduction a tensor in which the axis has size 1.

    Raises:
        ValueError: shapes that do not fit, an axis out of range, or an unknown reduction.

    Source: TF.js `tf.losses.cosineDistance`.
    """
    a, b = _pair("cosine_distance", labels, predictions, _NAMES)
    return compute_weighted_loss(sub(number(1), sum_(mul(a, b), axis, True)), weights, reduction)


@op(namespace="losses", doc="Training / Losses")
def hinge_loss(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None, reduction: Reduction = _DEFAULT
) -> Tensor:
    """max(0, 1 - (2 · labels - 1) · predictions).

    Args:
        labels: the true classes, 0 or 1.
        predictions: the scores, of the same shape.
        weights: weights that broadcast to the losses; 1 by default.
        reduction: how the losses are reduced.

    Returns:
        A scalar; without a reduction a tensor of the shape of the predictions.

    Raises:
        ValueError: shapes that do not fit, or an unknown reduction.

    Source: TF.js `tf.losses.hingeLoss`.
    """
    a, b = _pair("hinge_loss", labels, predictions, _NAMES)
    signs = sub(mul(number(2), a), number(1))
    return compute_weighted_loss(run("Relu", sub(number(1), mul(signs, b))), weights, reduction)


@op(namespace="losses", doc="Training / Losses")
def huber_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    delta: float = 1.0,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """Half the squared error up to an error of delta, and linear beyond: ½q² + delta · (e - q), q = min(e, delta).

    Args:
        labels: the true values.
        predictions: the predicted values, of the same shape.
        weights: weights that broadcast to the losses; 1 by default.
        delta: where the loss becomes linear.
        reduction: how the losses are reduced.

    Returns:
        A scalar; without a reduction a tensor of the shape of the predictions.

    Raises:
        ValueError: shapes that do not fit, or an unknown reduction.

    Source: TF.js `tf.losses.huberLoss`.
    """
    a, b = _pair("huber_loss", labels, predictions, _NAMES)
    error = run("Abs", sub(b, a))
    quadratic = minimum(error, number(delta))
    linear = sub(error, quadratic)
    losses = add(mul(number(0.5), run("Square", quadratic)), mul(number(delta), linear))
    return compute_weighted_loss(losses, weights, reduction)


@op(namespace="losses", doc="Training / Losses")
def log_loss(
    labels: TensorLike,
    predictions: TensorLike,
    weights: TensorLike | None = None,
    epsilon: float = 1e-7,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """-l · log(p + epsilon) - (1 - l) · log(1 - p + epsilon).

    Args:
        labels: the true probabilities.
        predictions: the predicted probabilities, of the same shape.
        weights: weights that broadcast to the losses; 1 by default.
        epsilon: keeps the logarithms finite.
        reduction: how the losses are reduced.

    Returns:
        A scalar; without a reduction a tensor of the shape of the predictions.

    Raises:
        ValueError: shapes that do not fit, or an unknown reduction.

    Source: TF.js `tf.losses.logLoss`.
    """
    a, b = _pair("log_loss", labels, predictions, _NAMES)
    one, small = number(1), number(epsilon)
    first = run("Neg", mul(a, run("Log", add(b, small))))
    second = mul(sub(one, a), run("Log", add(sub(one, b), small)))
    return compute_weighted_loss(sub(first, second), weights, reduction)


@op(namespace="losses", doc="Training / Losses")
def sigmoid_cross_entropy(
    multi_class_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike | None = None,
    label_smoothing: float = 0,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """The cross entropy of labels and the sigmoid of logits: max(x, 0) - x · l + log(1 + e^-|x|).

    Args:
        multi_class_labels: the true probabilities.
        logits: the scores, of the same shape.
        weights: weights that broadcast to the losses; 1 by default.
        label_smoothing: how far, from 0 to 1, the labels are moved towards ½.
        reduction: how the losses are reduced.

    Returns:
        A scalar; without a reduction a tensor of the shape of the logits.

    Raises:
        ValueError: shapes that do not fit, or an unknown reduction.

    Source: TF.js `tf.losses.sigmoidCrossEntropy`.
    """
    labels, x = _pair("sigmoid_cross_entropy", multi_class_labels, logits, ("multi_class_labels", "logits"))
    if label_smoothing > 0:
        labels = _smoothed(labels, label_smoothing, 2)
    # In TF.js's order, in which the gradients with respect to x are then added up.
    above, hit = run("Relu", x), mul(x, labels)
    rest = run("Log1p", run("Exp", run("Neg", run("Abs", x))))
    return compute_weighted_loss(add(sub(above, hit), rest), weights, reduction)


@op(namespace="losses", doc="Training / Losses")
def softmax_cross_entropy(
    onehot_labels: TensorLike,
    logits: TensorLike,
    weights: TensorLike | None = None,
    label_smoothing: float = 0,
    reduction: Reduction = _DEFAULT,
) -> Tensor:
    """The cross entropy of labels and the softmax of logits over the last axis.

    Args:
        onehot_labels: the true probabilities.
        logits: the scores, of the same shape.
        weights: weights that broadcast to the losses, which lack the last axis; 1 by default.
        label_smoothing: how far, from 0 to 1, the labels are moved towards equal probabilities.
        reduction: how the losses are reduced.

    Returns:
        A scalar; without a reduction a tensor of the shape of the logits without the last axis.

    Raises:
        ValueError: shapes that do not fit, or an unknown reduction.

    Source: TF.js `tf.losses.softmaxCrossEntropy`. The gradient with respect to the labels is that of the formula;
        TF.js gives another one.
    """
    labels, x = _pair("softmax_cross_entropy", onehot_labels, logits, ("onehot_labels", "logits"))
    if not x.rank:
        raise argument_error("softmax_cross_entropy", "logits", "of rank 1 or more", x)
    if label_smoothing > 0:
        labels = _smoothed(labels, label_smoothing, labels.shape[-1])
    return compute_weighted_loss(softmax_cross_entropy_rows(labels, x), weights, reduction)


def softmax_cross_entropy_rows(labels: Tensor, logits: Tensor) -> Tensor:
    """The cross entropy of each row."""
    by_steps = current().in_steps
    logs = sub(logits, log_sum_exp(logits, -1, keep_dims=True)) if by_steps else run("LogSoftmax", logits)
    return sum_over(run("Neg", mul(logs, labels)), (logits.rank - 1,))


def _smoothed(labels: Tensor, part: float, classes: int) -> Tensor:
    return add(mul(labels, sub(number(1), number(part))), number(part / max(classes, 1)))
