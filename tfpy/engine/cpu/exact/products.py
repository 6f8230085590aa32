"""Sums of products: convolutions, rounded after each product; matrix products, after each block of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.exact.rounding import rounded
from tfpy.engine.cpu.matmul import transposed_if
from tfpy.engine.cpu.windows import cells, padded, patches
from tfpy.engine.windows import Window

_BLOCK = 48  # products: the blocks of TF.js


def _conv(x: Array, filter: Array, window: Window) -> Array:
    array, extent = padded(x, window)
    y = np.zeros((x.shape[0], *window.out, filter.shape[-1]), x.dtype)
    for at, values in cells(patches(array, window, extent), window):
        for channel in range(x.shape[-1]):
            y = rounded(y + values[..., channel, None] * filter[(*at, channel)])
    return y


def _depthwise(x: Array, filter: Array, window: Window) -> Array:
    array, extent = padded(x, window)
    y = np.zeros((x.shape[0], *window.out, *filter.shape[-2:]), x.dtype)
    for at, values in cells(patches(array, window, extent), window):
        y = rounded(y + values[..., None] * filter[at])
    return y.reshape(*y.shape[:-2], filter.shape[-2] * filter.shape[-1])


def _matmul(a: Array, b: Array, transpose_a: bool, transpose_b: bool) -> Array:
    a, b = transposed_if(a, transpose_a), transposed_if(b, transpose_b)
    y = np.matmul(a[..., :_BLOCK], b[..., :_BLOCK, :])
    for start in range(_BLOCK, a.shape[-1], _BLOCK):
        block = slice(start, start + _BLOCK)
        y = rounded(rounded(y) + np.matmul(a[..., block], b[..., block, :]))
    return y


PRODUCTS: Mapping[str, Callable[..., Any]] = {
    "BatchMatMul": _matmul,
    "Conv2D": _conv,
    "Conv3D": _conv,
    "DepthwiseConv2dNative": _depthwise,
}
