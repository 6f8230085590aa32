"""Activations that TF.js composes of several ops, and their gradients, rounded after each of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.exact.rounding import rounded


def _exponentials(logits: Array) -> tuple[Array, Array, Array]:
    """logits minus their maximum, e to that power, and the sum of these."""
    shifted = rounded(logits - np.max(logits, axis=-1, keepdims=True))
    powers = rounded(np.exp(shifted))
    return shifted, powers, rounded(np.sum(powers, axis=-1, keepdims=True))


def _softmax(logits: Array) -> Array:
    if not logits.size:
        return logits
    _, powers, total = _exponentials(logits)
    return powers / total


def _log_softmax(logits: Array) -> Array:
    if not logits.size:
        return logits
    shifted, _, total = _exponentials(logits)
    return shifted - rounded(np.log(total))


def _softmax_grad(dy: Array, y: Array) -> Array:
    weighted = rounded(dy * y)
    return weighted - rounded(rounded(np.sum(weighted, axis=-1, keepdims=True)) * y)


def _tanh_grad(dy: Array, y: Array) -> Array:
    return rounded(1 - rounded(y * y)) * dy


def _sigmoid_grad(dy: Array, y: Array) -> Array:
    return dy * rounded(y * rounded(1 - y))


ACTIVATIONS: Mapping[str, Callable[..., Any]] = {
    "LogSoftmax": _log_softmax,
    "SigmoidGrad": _sigmoid_grad,
    "Softmax": _softmax,
    "SoftmaxGrad": _softmax_grad,
    "TanhGrad": _tanh_grad,
}
