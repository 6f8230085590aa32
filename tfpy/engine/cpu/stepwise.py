"""Sums that add up as the TF.js cpu backend does: into a float32 array, which rounds after every part.

Convolutions add one product at a time, matrix products those of a block, scattered updates one after the other.

Only the backend `exact` uses them, in place of the kernels of the same name which round once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.exact import rounded
from tfpy.engine.cpu.index import block_numbers, counted
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.windows import cells, covered, padded
from tfpy.engine.windows import Window


def _conv(x: Array, filter: Array, window: Window) -> Array:
    array, extent = padded(x, window)
    y = np.zeros((x.shape[0], *window.out, filter.shape[-1]), x.dtype)
    for at, values in cells(covered(array, window, extent), window):
        for channel in range(x.shape[-1]):
            y = rounded(y + values[..., channel, None] * filter[(*at, channel)])
    return y


def _depthwise(x: Array, filter: Array, window: Window) -> Array:
    array, extent = padded(x, window)
    y = np.zeros((x.shape[0], *window.out, *filter.shape[-2:]), x.dtype)
    for at, values in cells(covered(array, window, extent), window):
        y = rounded(y + values[..., None] * filter[at])
    return y.reshape(*y.shape[:-2], filter.shape[-2] * filter.shape[-1])


_BLOCK = 48


def _matmul(a: Array, b: Array, transpose_a: bool, transpose_b: bool) -> Array:
    a = a.swapaxes(-1, -2) if transpose_a else a
    b = b.swapaxes(-1, -2) if transpose_b else b
    y = np.matmul(a[..., :_BLOCK], b[..., :_BLOCK, :])
    for start in range(_BLOCK, a.shape[-1], _BLOCK):
        block = slice(start, start + _BLOCK)
        y = rounded(rounded(y) + np.matmul(a[..., block], b[..., block, :]))
    return y


def _added(places: Array, values: Array, count: int) -> Array:
    """Sums of the values of each place, each of them rounded after every value."""
    floats = values.dtype == np.float64
    out = np.zeros((count, *values.shape[1:]), np.float32 if floats else values.dtype)
    np.add.at(out, places, values.astype(out.dtype))
    return out.astype(values.dtype)


def _scatter_nd(indices: Array, updates: Array, shape: tuple[int, ...]) -> Array:
    depth = indices.shape[-1]
    places = block_numbers("scatter_nd", indices, shape)
    blocks = updates.reshape((len(places), *shape[depth:]))
    return _added(places, blocks, math.prod(shape[:depth])).reshape(shape)


def _dense_bincount(x: Array, weights: Array, size: int, binary_output: bool) -> Array:
    if binary_output or weights.dtype != np.float64:
        return KERNELS["DenseBincount"](x, weights, size, binary_output)
    return _added(*counted(x, weights, size)).reshape((*x.shape[:-1], size))


STEPWISE: dict[str, Callable[..., Any]] = {
    "BatchMatMul": _matmul,
    "Conv2D": _conv,
    "Conv3D": _conv,
    "DenseBincount": _dense_bincount,
    "DepthwiseConv2dNative": _depthwise,
    "ScatterNd": _scatter_nd,
}
