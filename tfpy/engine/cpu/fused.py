"""numpy kernels that add a bias and apply an activation where the result lies, and its gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.batches import by_batch
from tfpy.engine.cpu.conv import convolved, result_shape
from tfpy.engine.cpu.elementwise import positive
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.threads import run_sharded, spans
from tfpy.engine.cpu.windows import widened
from tfpy.engine.windows import Window

_PLAIN = {"relu6": "Relu6", "elu": "Elu", "sigmoid": "Sigmoid"}
_BLOCK = 1 << 15
_SHARD = 1 << 17


def _finished(y: Array, extras: tuple[Array, ...], activation: str, leakyrelu_alpha: float) -> Array:
    if len(extras) > (activation == "prelu"):
        bias = widened(extras[0], y.shape)
        y = np.add(y, bias, out=y if np.broadcast_shapes(y.shape, bias.shape) == y.shape else None)
    if activation == "relu":
        return positive(y, out=y)
    if activation == "leakyrelu":
        return KERNELS["LeakyRelu"](y, alpha=leakyrelu_alpha)
    if activation == "prelu":
        return KERNELS["Prelu"](y, extras[-1])
    return KERNELS[_PLAIN[activation]](y) if activation in _PLAIN else y


def _fused(kernel: str) -> Callable[..., Array]:
    def run(a: Array, b: Array, *extras: Array, activation: str, leakyrelu_alpha: float, **attrs: Any) -> Array:
        return _finished(KERNELS[kernel](a, b, **attrs), extras, activation, leakyrelu_alpha)

    return run


def _fill_lines(
    y: Array, x: Array, filter: Array, *extras: Array, window: Window, activation: str, leakyrelu_alpha: float
) -> None:
    """Bias and activation on the lines of the convolution just made, while they are in the cache."""
    along = tuple([np.concatenate([extra] * window.out[-1]) for extra in extras])
    for lines in convolved(y, x, filter, window):
        found = _finished(lines, along, activation, leakyrelu_alpha)
        if found is not lines:
            lines[...] = found


_by_lines = by_batch(_fill_lines, (0,), result_shape)
_whole = _fused("Conv2D")


def _fused_conv(x: Array, filter: Array, *extras: Array, **attrs: Any) -> Array:
    by_channel = all(extra.shape == filter.shape[-1:] for extra in extras)
    return (_by_lines if by_channel else _whole)(x, filter, *extras, **attrs)


def _relu_grad(dy: Array, x: Array) -> Array:
    """dy where x is above 0, in blocks that stay in the cache."""
    if dy.shape != x.shape or not dy.flags.c_contiguous or not x.flags.c_contiguous:
        return np.multiply(dy, KERNELS["Step"](x, alpha=0.0))
    out = np.empty_like(dy)
    slopes, factors, products = x.reshape(-1), dy.reshape(-1), out.reshape(-1)

    def work(start: int, end: int) -> None:
        for begin in range(start, end, _BLOCK):
            block = slice(begin, min(begin + _BLOCK, end))
            above: Array = slopes[block] > 0
            if np.isnan(np.maximum.reduce(slopes[block])):
                above = KERNELS["Step"](slopes[block], alpha=0.0)
            np.multiply(factors[block], above, out=products[block])

    run_sharded(work, spans(out.size, out.size, _SHARD))
    return out


FUSED = {
    "FusedConv2D": _fused_conv,
    "FusedDepthwiseConv2D": _fused("DepthwiseConv2dNative"),
    "_FusedMatMul": _fused("BatchMatMul"),
}
KERNELS.update(FUSED)
KERNELS["ReluGrad"] = _relu_grad  # what plans run in place of two kernels
