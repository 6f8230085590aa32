"""The losses of models: for each sample, the mean over the last axis. Those that are also metrics are defined there."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from typing import Any

from tfpy.core.naming.names import in_both_spellings
from tfpy.core.ops.arith import maximum, sub
from tfpy.core.ops.losses import softmax_cross_entropy_rows
from tfpy.core.ops.metrics import (
    MAPE,
    MSE,
    above_zero,
    binary_crossentropy,
    categorical_crossentropy,
    cosine_proximity,
    mape,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mse,
)
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_function_of
from tfpy.engine.backend import current
from tfpy.engine.errors import unknown_name_error

Loss = Callable[[Tensor, Tensor], Tensor]

_LARGEST = sys.float_info.max


def mean_squared_logarithmic_error(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The mean of (log(1 + p) - log(1 + t))², both kept above 0."""
    first = y_pred.clip_by_value(current().epsilon(), _LARGEST).add(1).log()
    second = above_zero(y_true).add(1).log()
    return first.sub(second).square().mean(-1)


def squared_hinge(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The mean of max(0, 1 - t · p)²; the labels are -1 and 1."""
    return maximum(0, sub(1, y_true.mul(y_pred))).square().mean(-1)


def hinge(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The mean of max(0, 1 - t · p); the labels are -1 and 1."""
    return maximum(0, sub(1, y_true.mul(y_pred))).mean(-1)


def categorical_hinge(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """max(0, 1 + the best wrong score - the right score)."""
    right = y_true.mul(y_pred).sum(-1)
    wrong = sub(1, y_true).mul(y_pred).max(-1)
    return maximum(0, wrong.sub(right).add(1))


def logcosh(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The mean of log(cosh(p - t))."""
    d = y_pred.sub(y_true)
    return d.add(d.mul(-2).softplus()).sub(math.log(2)).mean(-1)


def sparse_categorical_crossentropy(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The categorical cross entropy for labels that are class indices."""
    epsilon = current().epsilon()
    p = y_pred.clip_by_value(epsilon, 1 - epsilon)
    return categorical_crossentropy(_one_hot(y_true, p), p)


def _one_hot(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """Class indices as labels of the predictions' shape."""
    indices = y_true.flatten().cast("float32").floor().cast("int32")
    return indices.one_hot(y_pred.shape[-1]).reshape(y_pred.shape)


def binary_crossentropy_from_logits(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The mean cross entropy of labels and the sigmoid of the predictions."""
    overshoot = y_pred.abs().neg().exp().log1p()
    return y_pred.relu().sub(y_pred.mul(y_true)).add(overshoot).mean(-1)


def categorical_crossentropy_from_logits(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The cross entropy of labels and the softmax of the predictions."""
    return softmax_cross_entropy_rows(y_true.cast("float32"), y_pred)


def sparse_categorical_crossentropy_from_logits(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The same for labels that are class indices."""
    return softmax_cross_entropy_rows(_one_hot(y_true, y_pred).cast("float32"), y_pred)


def huber(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The mean of half the squared error up to an error of 1, and of the error less a half beyond."""
    error = y_pred.sub(y_true).abs()
    near = error.minimum(1)
    return near.square().mul(0.5).add(error.sub(near)).mean(-1)


def kullback_leibler_divergence(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """Σ t · log(t / p)."""
    epsilon = current().epsilon()
    ratio = above_zero(y_true, 1).div(y_pred.clip_by_value(epsilon, 1))
    return y_true.mul(ratio.log()).sum(-1)


def poisson(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The mean of p - t · log p."""
    return y_pred.sub(y_true.mul(y_pred.add(current().epsilon()).log())).mean(-1)


FUNCTIONS: dict[str, Loss] = {
    f.__name__: f
    for f in (
        mean_squared_error,
        mean_absolute_error,
        mean_absolute_percentage_error,
        mean_squared_logarithmic_error,
        squared_hinge,
        hinge,
        categorical_hinge,
        logcosh,
        categorical_crossentropy,
        sparse_categorical_crossentropy,
        binary_crossentropy,
        kullback_leibler_divergence,
        poisson,
        cosine_proximity,
        binary_crossentropy_from_logits,
        categorical_crossentropy_from_logits,
        sparse_categorical_crossentropy_from_logits,
        huber,
    )
}
KNOWN = tuple(FUNCTIONS.values())  # no set: a loss of the user may have no hash
# Those of two classes, of one-hot labels, and of class indices.
BINARY = (binary_crossentropy, binary_crossentropy_from_logits)
CATEGORICAL = (categorical_crossentropy, categorical_crossentropy_from_logits)
SPARSE = (sparse_categorical_crossentropy, sparse_categorical_crossentropy_from_logits)
OF_SCORES = (BINARY[1], CATEGORICAL[1], SPARSE[1])
_SHORT = {
    "mse": mean_squared_error,
    "mae": mean_absolute_error,
    "mape": mean_absolute_percentage_error,
    "msle": mean_squared_logarithmic_error,
    "kld": kullback_leibler_divergence,
    "log_cosh": logcosh,
    "cosine": cosine_proximity,
}
BY_NAME: dict[str, Loss] = in_both_spellings(FUNCTIONS) | _SHORT

# Functions that keep their own names in logs, and what they compute.
_SHORT_FUNCTIONS: tuple[tuple[Loss, Loss], ...] = (
    (mape, mean_absolute_percentage_error),
    (MAPE, mean_absolute_percentage_error),
    (mse, mean_squared_error),
    (MSE, mean_squared_error),
)


def unaliased(function: Loss) -> Loss:
    """The function behind a short alias of `tf.metrics`; any other function itself."""
    return next((full for short, full in _SHORT_FUNCTIONS if short is function), function)


def unknown(what: str, name: str, known: Iterable[str], listed: Iterable[str]) -> Exception:
    """The error for an unknown name of a loss or a metric, which lists the known ones in full."""
    error = unknown_name_error(what, name, known, listed)
    error.add_note(f"A {what} may also be a function of (y_true, y_pred): one of tf.losses or tf.metrics, or your own.")
    return error


def get_loss(identifier: Any) -> Loss:
    """The loss for a name in TF.js's or Keras's spelling, or a function itself."""
    if isinstance(identifier, str):
        if identifier not in BY_NAME:
            raise unknown("loss", identifier, BY_NAME, FUNCTIONS)
        return BY_NAME[identifier]
    return unaliased(as_function_of("compile", "loss", identifier, 2, "a name or a function of (y_true, y_pred)"))
