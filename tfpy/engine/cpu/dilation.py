"""numpy kernels of morphological dilation: the largest x + filter in each window."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.windows import (
    blocks,
    cell,
    cells,
    cropped,
    extended,
    finite,
    first_matches,
    padded,
    patches,
    selected,
)
from tfpy.engine.rows.conv import DILATION_OUTSIDE
from tfpy.engine.spec import Shape
from tfpy.engine.windows import Window

_BLOCK_BYTES = 1 << 18


def _dilation(x: Array, filter: Array, window: Window) -> Array:
    array, extent = padded(x, window, DILATION_OUTSIDE)
    views = patches(array, window, extent)
    y = np.full((len(x), *window.out, x.shape[-1]), DILATION_OUTSIDE, x.dtype)
    for index in blocks(len(x), window.out, x.shape[-1] * x.itemsize, _BLOCK_BYTES):
        total = y[index]
        for at, values in cells(views[index], window):
            np.fmax(total, values + filter[at], out=total)
    return y


def _matches(x: Array, filter: Array, window: Window) -> Iterator[tuple[Shape, Array]]:
    """For each cell, where its x + filter is the first maximum."""
    array, extent = padded(x, window, DILATION_OUTSIDE)
    views = patches(array, window, extent)
    sums = ((at, values + filter[at]) for at, values in cells(views, window))
    return first_matches(sums, _dilation(x, filter, window))


def _dilation_input(x: Array, filter: Array, dy: Array, window: Window) -> Array:
    dx = np.empty(x.shape, dy.dtype)
    array, extent = extended(dx, window)
    views = patches(array, window, extent)
    all_finite = finite(dy)
    for at, found in _matches(x, filter, window):
        target = cell(views, at)
        target += selected(dy, found, all_finite)
    cropped(array, extent, dx)
    return dx


def _dilation_filter(x: Array, filter: Array, dy: Array, window: Window) -> Array:
    total = np.zeros_like(filter, dtype=dy.dtype)
    inner = tuple(range(dy.ndim - 1))
    all_finite = finite(dy)
    for at, found in _matches(x, filter, window):
        total[at] = np.add.reduce(selected(dy, found, all_finite), axis=inner)
    return total


def _dilation_pick(x: Array, filter: Array, u: Array, v: Array, window: Window) -> Array:
    array, extent = padded(u, window)
    views = patches(array, window, extent)
    y = np.zeros((len(x), *window.out, x.shape[-1]), u.dtype)
    all_finite = finite(u) and finite(v)
    for at, found in _matches(x, filter, window):
        y += selected(cell(views, at) + v[at], found, all_finite)
    return y


KERNELS.update(
    {
        "Dilation2D": _dilation,
        "Dilation2DBackpropFilter": _dilation_filter,
        "Dilation2DBackpropInput": _dilation_input,
        "Dilation2DPick": _dilation_pick,
    }
)
