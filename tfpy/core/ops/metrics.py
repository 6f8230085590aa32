"""How far predictions are from the truth, sample by sample: `tf.metrics`."""

from __future__ import annotations

import sys

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, number
from tfpy.core.ops.arith import add, div, mul, sub
from tfpy.core.ops.common import as_float, cast_to, full, real, run_untracked
from tfpy.core.ops.compare import equal, greater
from tfpy.core.ops.reduce import arg_max, mean, sum_
from tfpy.core.ops.shape import squeeze
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import current
from tfpy.engine.errors import ShapeError, argument_error
from tfpy.engine.spec import Shape, broadcast_shapes


def _pair(name: str, y_true: TensorLike, y_pred: TensorLike) -> tuple[Tensor, Tensor]:
    """The truth and the predictions as tensors of real numbers, of rank 1 or more."""
    pair = real(name, y_true, argument="y_true"), real(name, y_pred, argument="y_pred")
    for argument, t in zip(("y_true", "y_pred"), pair, strict=True):
        if t.rank == 0:
            raise argument_error(name, argument, "of rank 1 or more", t)
    return pair


def _broadcastable_pair(name: str, y_true: TensorLike, y_pred: TensorLike) -> tuple[Tensor, Tensor]:
    """The same, of shapes that broadcast."""
    labels, found = _pair(name, y_true, y_pred)
    _check_fit(name, labels.shape, found, found.shape)
    return labels, found


def _check_fit(name: str, own: Shape, found: Tensor, other: Shape) -> None:
    """Raise ValueError if shapes of labels and predictions, or parts of these shapes, do not broadcast."""
    try:
        broadcast_shapes(own, other)
    except ShapeError:
        up_to = "" if other == found.shape else ", up to the last axis"
        expected = f"of a shape that broadcasts with {list(own)}, that of y_true{up_to}"
        raise argument_error(name, "y_pred", expected, found) from None


def _clipped(x: Tensor, low: float, high: float) -> Tensor:
    return run("ClipByValue", as_float(x), clip_value_min=low, clip_value_max=high)


def above_zero(labels: Tensor, high: float = sys.float_info.max) -> Tensor:
    """Labels clipped to [epsilon, `high`] in their own dtype, as in TF.js: an integer 0 stays 0."""
    numbers = cast_to(labels, "int32") if labels.dtype == "bool" else labels
    return run("ClipByValue", numbers, clip_value_min=current().epsilon(), clip_value_max=high)


@op(namespace="metrics", doc="Metrics")
def binary_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The fraction of each sample's labels that the predictions, thresholded at ½, agree with.

    Args:
        y_true: labels 0 or 1.
        y_pred: probabilities, of the same shape; more than ½ counts as 1.

    Returns:
        A float32 tensor without the last axis.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.binaryAccuracy`.
    """
    labels, found = _broadcastable_pair("binary_accuracy", y_true, y_pred)
    return mean(equal(labels, cast_to(greater(found, number(0.5)), labels.dtype)), -1)


@op(namespace="metrics", doc="Metrics")
def categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """1 for each sample whose largest prediction is at the index of its largest label, else 0.

    Args:
        y_true: labels, one-hot.
        y_pred: probabilities, of the same shape.

    Returns:
        A float32 tensor without the last axis.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.categoricalAccuracy`.
    """
    name = "categorical_accuracy"
    labels, found = _pair(name, y_true, y_pred)
    _check_fit(name, labels.shape[:-1], found, found.shape[:-1])
    return cast_to(equal(arg_max(labels, -1), arg_max(found, -1)), "float32")


@op(namespace="metrics", doc="Metrics")
def sparse_categorical_accuracy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """1 for each sample whose largest prediction is at the index given by its label, else 0.

    Args:
        y_true: the index of the true class of each sample; a last axis of size 1 is ignored.
        y_pred: probabilities of the classes in the last axis.

    Returns:
        A float32 tensor of the labels' shape.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.sparseCategoricalAccuracy`.
    """
    name = "sparse_categorical_accuracy"
    labels, found = _pair(name, y_true, y_pred)
    if labels.rank == found.rank:
        if labels.shape[-1] != 1:
            expected = "of one index per sample, of a rank less than y_pred or with a last axis of size 1"
            raise argument_error(name, "y_true", expected, labels)
        labels = squeeze(labels, -1)
    _check_fit(name, labels.shape, found, found.shape[:-1])
    return cast_to(equal(labels, cast_to(arg_max(found, -1), labels.dtype)), "float32")


@op(namespace="metrics", doc="Metrics")
def precision(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The fraction of predicted 1s that are correct; 0 if there are none.

    Args:
        y_true: labels 0 or 1.
        y_pred: predictions 0 or 1, of the same shape; other values are ignored.

    Returns:
        A float32 scalar.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.precision`.
    """
    labels, found = _broadcastable_pair("precision", y_true, y_pred)
    return _fraction(_count_both(labels, 1, found, 1), _count_both(labels, 0, found, 1))


@op(namespace="metrics", doc="Metrics")
def recall(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The fraction of true 1s that are predicted as 1; 0 if there are none.

    Args:
        y_true: labels 0 or 1.
        y_pred: predictions 0 or 1, of the same shape; other values are ignored.

    Returns:
        A float32 scalar.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.recall`.
    """
    labels, found = _broadcastable_pair("recall", y_true, y_pred)
    return _fraction(_count_both(labels, 1, found, 1), _count_both(labels, 1, found, 0))


def _count_both(a: Tensor, value_a: int, b: Tensor, value_b: int) -> Tensor:
    """How often one tensor has a given value where a second tensor has another."""
    return as_float(sum_(run("LogicalAnd", equal(a, number(value_a)), equal(b, number(value_b)))))


def _fraction(part: Tensor, rest: Tensor) -> Tensor:
    whole = add(part, rest)
    return run("Select", run_untracked("Greater", whole, number(0)), div(part, whole), full((), 0))


@op(namespace="metrics", doc="Metrics")
def binary_crossentropy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean cross entropy of labels and probabilities: -t · log p - (1 - t) · log(1 - p).

    Args:
        y_true: labels from 0 to 1.
        y_pred: probabilities, of the same shape; clipped to [epsilon, 1 - epsilon].

    Returns:
        A float32 tensor without the last axis.

    Raises:
        ValueError: a scalar, or shapes that differ. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.binaryCrossentropy`, which computes it from the logits.
    """
    labels, found = _pair("binary_crossentropy", y_true, y_pred)
    if labels.shape != found.shape:
        raise argument_error("binary_crossentropy", "y_pred", f"of shape {list(labels.shape)}, that of y_true", found)
    p = _clipped(found, current().epsilon(), 1 - current().epsilon())
    x = run("Log", div(p, sub(number(1), p)))
    # In TF.js's order, in which the gradient accumulates the contributions to x.
    above, below = run("Relu", x), run("Neg", run("Abs", x))
    return mean(add(sub(above, mul(x, labels)), run("Log1p", run("Exp", below))), -1)


@op(namespace="metrics", doc="Metrics")
def categorical_crossentropy(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The cross entropy of labels and probabilities, which are normalized to sum to 1: -Σ t · log p.

    Args:
        y_true: labels, one-hot.
        y_pred: probabilities of the classes in the last axis; clipped to [epsilon, 1 - epsilon].

    Returns:
        A float32 tensor without the last axis.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.categoricalCrossentropy`.
    """
    labels, found = _broadcastable_pair("categorical_crossentropy", y_true, y_pred)
    scaled = div(as_float(found), sum_(as_float(found), -1, True))
    p = _clipped(scaled, current().epsilon(), 1 - current().epsilon())
    return run("Neg", sum_(mul(as_float(labels), run("Log", p)), -1))


@op(namespace="metrics", doc="Metrics")
def cosine_proximity(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The negative cosine of the angle between true and predicted vectors.

    Args:
        y_true: the true vectors, in the last axis.
        y_pred: the predicted vectors, of the same shape.

    Returns:
        A float32 tensor without the last axis.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.cosineProximity`.
    """
    a, b = _broadcastable_pair("cosine_proximity", y_true, y_pred)
    return run("Neg", sum_(mul(l2_normalized(a), l2_normalized(b)), -1))


def l2_normalized(x: Tensor, axis: int = -1) -> Tensor:
    """The vectors along an axis, normalized to length 1, in float32 whatever the dtype."""
    x = as_float(x)
    squares = sum_(mul(x, x), axis, True)
    return div(x, run("Sqrt", run("Maximum", squares, number(current().epsilon()))))


@op(namespace="metrics", doc="Metrics")
def mean_absolute_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of |p - t|.

    Args:
        y_true: the true values.
        y_pred: the predicted values, of the same shape.

    Returns:
        A float32 tensor without the last axis.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.meanAbsoluteError`.
    """
    labels, found = _broadcastable_pair("mean_absolute_error", y_true, y_pred)
    return mean(run("Abs", sub(found, labels)), -1)


@op(namespace="metrics", doc="Metrics")
def mean_absolute_percentage_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of 100 · |(t - p) / t|; |t| is at least epsilon.

    Args:
        y_true: the true values; an integer 0 stays 0 and yields infinity.
        y_pred: the predicted values, of the same shape.

    Returns:
        A float32 tensor without the last axis.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.meanAbsolutePercentageError`.
    """
    return _percentage_error("mean_absolute_percentage_error", y_true, y_pred)


@op(namespace="metrics", doc="Metrics")
def mean_squared_error(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The mean of (p - t)².

    Args:
        y_true: the true values.
        y_pred: the predicted values, of the same shape.

    Returns:
        A float32 tensor without the last axis.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.meanSquaredError`.
    """
    return _squared_error("mean_squared_error", y_true, y_pred)


@op(namespace="metrics", doc="Metrics")
def mape(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """`mean_absolute_percentage_error` as a separate function, under the name used in logs.

    Args:
        y_true: the true values.
        y_pred: the predicted values, of the same shape.

    Returns:
        A float32 tensor without the last axis.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.mape`.
    """
    return _percentage_error("mape", y_true, y_pred)


@op(namespace="metrics", doc="Metrics")
def MAPE(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """`mean_absolute_percentage_error` as a separate function, under the name used in logs.

    Args:
        y_true: the true values.
        y_pred: the predicted values, of the same shape.

    Returns:
        A float32 tensor without the last axis.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.MAPE`.
    """
    return _percentage_error("MAPE", y_true, y_pred)


@op(namespace="metrics", doc="Metrics")
def mse(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """`mean_squared_error` as a separate function, under the name used in logs.

    Args:
        y_true: the true values.
        y_pred: the predicted values, of the same shape.

    Returns:
        A float32 tensor without the last axis.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.mse`.
    """
    return _squared_error("mse", y_true, y_pred)


@op(namespace="metrics", doc="Metrics")
def MSE(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """`mean_squared_error` as a separate function, under the name used in logs.

    Args:
        y_true: the true values.
        y_pred: the predicted values, of the same shape.

    Returns:
        A float32 tensor without the last axis.

    Raises:
        ValueError: a scalar, or shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.MSE`.
    """
    return _squared_error("MSE", y_true, y_pred)


@op(namespace="metrics", doc="Metrics")
def r2_score(y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    """The coefficient of determination: 1 minus the squared error over the squared deviation from the mean.

    Args:
        y_true: the true values.
        y_pred: the predicted values, of the same shape.

    Returns:
        A float32 scalar.

    Raises:
        ValueError: shapes that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.metrics.r2Score`.
    """
    labels, found = (as_float(t) for t in _broadcastable_pair("r2_score", y_true, y_pred))
    errors = sum_(run("Square", sub(labels, found)))
    deviations = sum_(run("Square", sub(labels, mean(labels))))
    return sub(number(1), div(errors, deviations))


def _squared_error(name: str, y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    labels, found = _broadcastable_pair(name, y_true, y_pred)
    return mean(run("Square", sub(found, labels)), -1)


def _percentage_error(name: str, y_true: TensorLike, y_pred: TensorLike) -> Tensor:
    labels, found = _broadcastable_pair(name, y_true, y_pred)
    size = above_zero(run("Abs", labels))
    return mul(number(100), mean(run("Abs", div(sub(labels, found), size)), -1))
