"""Running sums and sums by index, rounded after each term."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.exact.rounding import rounded
from tfpy.engine.cpu.index import block_numbers, counted
from tfpy.engine.cpu.table import KERNELS


def _in_float32(kernel: str) -> Callable[..., Array]:
    """The kernel in float32: correct if each of its steps adds or multiplies two numbers."""

    def run(x: Array, **attrs: Any) -> Array:
        compute = KERNELS[kernel]
        return compute(x.astype(np.float32), **attrs).astype(x.dtype) if x.dtype == np.float64 else compute(x, **attrs)

    return run


def _steps(start: float, step: float, count: int) -> Array:
    values = np.empty(count)
    value = np.float32(start)
    for i in range(count):
        values[i] = value
        value = np.float32(float(value) + step)
    return values


def _range(start: float, step: float, count: int, dtype: Any) -> Array:
    return KERNELS["Range"](start, step, count, dtype) if dtype == np.int32 else _steps(start, step, count)


def _linspace(start: float, stop: float, count: int, dtype: Any) -> Array:
    return _steps(start, (stop - start) / (count - 1) if count > 1 else 0.0, count)


def _mean(x: Array, axes: tuple[int, ...], keep_dims: bool) -> Array:
    """The sum of the elements, each divided by their count, as in TF.js's mean."""
    count = math.prod([x.shape[i] for i in axes])
    return KERNELS["Sum"](rounded(x / count) if count else x, axes, keep_dims)


def _sums_by_place(places: Array, values: Array, count: int) -> Array:
    """Sums of the values by place, rounded after every value."""
    floats = values.dtype == np.float64
    out = np.zeros((count, *values.shape[1:]), np.float32 if floats else values.dtype)
    np.add.at(out, places, values.astype(out.dtype))
    return out.astype(values.dtype)


def _scatter_nd(indices: Array, updates: Array, shape: tuple[int, ...]) -> Array:
    depth = indices.shape[-1]
    places = block_numbers("scatter_nd", indices, shape)
    blocks = updates.reshape((len(places), *shape[depth:]))
    return _sums_by_place(places, blocks, math.prod(shape[:depth])).reshape(shape)


def _dense_bincount(x: Array, weights: Array, size: int, binary_output: bool) -> Array:
    if binary_output or weights.dtype != np.float64:
        return KERNELS["DenseBincount"](x, weights, size, binary_output)
    return _sums_by_place(*counted(x, weights, size)).reshape((*x.shape[:-1], size))


SUMS: Mapping[str, Callable[..., Any]] = {
    "Cumprod": _in_float32("Cumprod"),
    "Cumsum": _in_float32("Cumsum"),
    "DenseBincount": _dense_bincount,
    "LinSpace": _linspace,
    "Mean": _mean,
    "Range": _range,
    "ScatterNd": _scatter_nd,
}
