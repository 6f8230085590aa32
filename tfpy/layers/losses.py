"""The losses of models: for each sample, the mean over the last axis."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any

from tfpy.core.names import spellings
from tfpy.core.ops.arith import maximum, sub
from tfpy.core.ops.common import full
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import current
from tfpy.engine.errors import argument_error, unknown_name_error

Loss = Callable[[Tensor, Tensor], Tensor]

_LARGEST = sys.float_info.max


def mean_squared_error(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """(p - t)²."""
    return y_pred.sub(y_true).square().mean(-1)


def mean_absolute_error(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """|p - t|."""
    return y_pred.sub(y_true).abs().mean(-1)


def mean_absolute_percentage_error(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """100 · |t - p| / |t|."""
    clipped = y_true.abs().clip_by_value(current().epsilon, _LARGEST)
    return y_true.sub(y_pred).div(clipped).abs().mean(-1).mul(100)


def mean_squared_logarithmic_error(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """(log(1 + p) - log(1 + t))², both kept above 0."""
    first = y_pred.clip_by_value(current().epsilon, _LARGEST).add(1).log()
    second = y_true.clip_by_value(current().epsilon, _LARGEST).add(1).log()
    return first.sub(second).square().mean(-1)


def squared_hinge(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """max(0, 1 - t · p)²; the labels are -1 and 1."""
    return maximum(0, sub(1, y_true.mul(y_pred))).square().mean(-1)


def hinge(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """max(0, 1 - t · p); the labels are -1 and 1."""
    return maximum(0, sub(1, y_true.mul(y_pred))).mean(-1)


def categorical_hinge(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """max(0, 1 + the best wrong score - the right score)."""
    right = y_true.mul(y_pred).sum(-1)
    wrong = sub(1, y_true).mul(y_pred).max(-1)
    return maximum(0, wrong.sub(right).add(1))


def logcosh(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """log(cosh(p - t))."""
    d = y_pred.sub(y_true)
    return d.add(d.mul(-2).softplus()).sub(math.log(2)).mean(-1)


def categorical_crossentropy(y_true: Tensor, y_pred: Tensor, from_logits: bool = False) -> Tensor:
    """-Σ t · log p, the predictions scaled to sum up to 1."""
    p = y_pred.softmax() if from_logits else y_pred.div(y_pred.sum(-1, True))
    epsilon = current().epsilon
    return y_true.cast("float32").mul(p.clip_by_value(epsilon, 1 - epsilon).log()).sum(-1).neg()


def sparse_categorical_crossentropy(y_true: Tensor, y_pred: Tensor, from_logits: bool = False) -> Tensor:
    """The same for labels that are class indices."""
    epsilon = current().epsilon
    p = y_pred.clip_by_value(epsilon, 1 - epsilon)
    classes = p.shape[-1]
    labels = y_true.flatten().cast("float32").floor().cast("int32").one_hot(classes).reshape(p.shape)
    return categorical_crossentropy(labels, p, from_logits)


def binary_crossentropy(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """-t · log p - (1 - t) · log(1 - p), by way of the logits."""
    epsilon = current().epsilon
    p = y_pred.clip_by_value(epsilon, 1 - epsilon)
    x = p.div(sub(1, p)).log()
    return x.relu().sub(x.mul(y_true)).add(x.abs().neg().exp().log1p()).mean(-1)


def kullback_leibler_divergence(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """Σ t · log(t / p)."""
    epsilon = current().epsilon
    ratio = y_true.clip_by_value(epsilon, 1).div(y_pred.clip_by_value(epsilon, 1))
    return y_true.mul(ratio.log()).sum(-1)


def poisson(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """p - t · log p."""
    return y_pred.sub(y_true.mul(y_pred.add(current().epsilon).log())).mean(-1)


def cosine_proximity(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """Minus the cosine of the angle between t and p."""
    return normalized(y_true).mul(normalized(y_pred)).sum(-1).neg()


def normalized(x: Tensor, axis: int = -1) -> Tensor:
    """The vectors along an axis, made of length 1."""
    x = x.cast("float32") if x.dtype != "float32" else x
    total = x.square().sum(axis, True)
    return x.div(maximum(total, full(total.shape, current().epsilon)).sqrt())


_FUNCTIONS: dict[str, Loss] = {
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
    )
}
KNOWN = frozenset(_FUNCTIONS.values())
_SHORT = {
    "mse": mean_squared_error,
    "mae": mean_absolute_error,
    "mape": mean_absolute_percentage_error,
    "msle": mean_squared_logarithmic_error,
    "kld": kullback_leibler_divergence,
    "log_cosh": logcosh,
    "cosine": cosine_proximity,
}
_BY_NAME: dict[str, Loss] = {spelling: _FUNCTIONS[name] for spelling, name in spellings(_FUNCTIONS).items()} | _SHORT


def get_loss(identifier: Any) -> Loss:
    """The loss of a name in TF.js's or Keras's spelling, or a function itself."""
    if isinstance(identifier, str):
        if identifier not in _BY_NAME:
            raise unknown_name_error("loss", identifier, _BY_NAME)
        return _BY_NAME[identifier]
    if not callable(identifier):
        raise argument_error("compile", "loss", "a name or a function of (y_true, y_pred)", identifier, TypeError)
    function: Loss = identifier
    return function
