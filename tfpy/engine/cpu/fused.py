"""numpy kernels that add a bias and apply an activation where the result lies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.windows import widened

_PLAIN = {"relu6": "Relu6", "elu": "Elu", "sigmoid": "Sigmoid"}


def _finished(y: Array, extras: tuple[Array, ...], activation: str, leakyrelu_alpha: float) -> Array:
    if len(extras) > (activation == "prelu"):
        np.add(y, widened(extras[0], y.shape), out=y)
    if activation == "relu":
        return np.maximum(y, 0, out=y)
    if activation == "leakyrelu":
        return KERNELS["LeakyRelu"](y, alpha=leakyrelu_alpha)
    if activation == "prelu":
        return KERNELS["Prelu"](y, extras[-1])
    return KERNELS[_PLAIN[activation]](y) if activation in _PLAIN else y


def _fused(kernel: str) -> Callable[..., Array]:
    def run(a: Array, b: Array, *extras: Array, activation: str, leakyrelu_alpha: float, **attrs: Any) -> Array:
        return _finished(KERNELS[kernel](a, b, **attrs), extras, activation, leakyrelu_alpha)

    return run


FUSED = {
    "FusedConv2D": _fused("Conv2D"),
    "FusedDepthwiseConv2D": _fused("DepthwiseConv2dNative"),
    "_FusedMatMul": _fused("BatchMatMul"),
}
KERNELS.update(FUSED)
