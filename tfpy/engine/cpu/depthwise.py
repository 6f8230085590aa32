"""numpy kernels of depthwise convolution: sums of products, in one pass over lines of positions and channels.

Several filters for a channel are equivalent to one filter for each of its copies.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.batches import by_batch, like_input, summed, window_rows
from tfpy.engine.cpu.lines import along_line
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.windows import blocks, cells, cropped, extended, finite, flipped, padded, patches
from tfpy.engine.spec import Shape
from tfpy.engine.windows import Window

_BLOCK_BYTES = 1 << 19


def _copies(x: Array, multiplier: int) -> Array:
    return x if multiplier == 1 else np.repeat(x, multiplier, axis=-1)


def _per_copy(filter: Array) -> Array:
    """The filter (*window, channels, multiplier) as (*window, copies)."""
    return filter.reshape(*filter.shape[:-2], filter.shape[-2] * filter.shape[-1])


class _Lines(NamedTuple):
    """The elements under a window, (batch, *places, *cells, line), and the names of these axes for einsum.

    If neighboring positions are contiguous in memory, the last position axis and the channels are merged: numpy's
    inner loops run over whole lines.

    Attributes:
        length: the number of positions in a line.
    """

    views: Array
    length: int
    places: list[int]
    cells: list[int]
    line: list[int]

    def per_place(self, y: Array) -> Array:
        """An array (batch, *places, channels) as (batch, *places, line)."""
        return y if self.length == 1 else y.reshape(*y.shape[:-2], self.length * y.shape[-1])

    def per_cell(self, filter: Array) -> Array:
        """A filter (*cells, channels) as (*cells, line)."""
        return filter if self.length == 1 else along_line(filter, self.length)


def _lines(x: Array, window: Window) -> _Lines:
    array, extent = padded(np.ascontiguousarray(x), window)
    views = patches(array, window, extent)
    n = len(window.size)
    length = window.out[-1] if window.strides[-1] == 1 else 1
    if length != 1:
        views = views.transpose(*range(n), *range(n + 1, 2 * n + 1), n, 2 * n + 1)
        views = views.reshape(*views.shape[:-2], length * x.shape[-1])
    *axes, line = range(views.ndim)
    return _Lines(views, length, axes[:-n], axes[-n:], [line])


def _convolve(y: Array, x: Array, filter: Array, window: Window) -> None:
    """Fill y from x with as many channels as there are filters, (*window, channels)."""
    lines = _lines(x, window)
    axes = [*lines.places, *lines.cells, *lines.line], [*lines.cells, *lines.line], [*lines.places, *lines.line]
    np.einsum(lines.views, axes[0], lines.per_cell(filter), axes[1], axes[2], out=lines.per_place(y))


def _conv(y: Array, x: Array, filter: Array, window: Window) -> None:
    _convolve(y, _copies(x, filter.shape[-1]), _per_copy(filter), window)


def _conv_input(dx: Array, dy: Array, filter: Array, window: Window, input_shape: Shape) -> None:
    multiplier = filter.shape[-1]
    copies = dx if multiplier == 1 else np.empty((*dx.shape[:-1], dy.shape[-1]), dy.dtype)
    if set(window.strides) == {1} and dy.size and finite(filter):
        _convolve(copies, dy, flipped(_per_copy(filter), window), window.flipped(dx.shape[1:-1]))
    else:
        _scatter(copies, dy, _per_copy(filter), window)
    if copies is not dx:
        np.add.reduce(copies.reshape(*dx.shape, multiplier), axis=-1, out=dx)


def _scatter(dx: Array, dy: Array, filter: Array, window: Window) -> None:
    """dy at each position, times the filter, added at the window's cells: cell by cell, on blocks in the cache."""
    array, extent = extended(dx, window)
    views = patches(array, window, extent)
    weights = np.repeat(filter[..., None, :], window.out[-1], axis=-2)
    for index in blocks(dy.shape[0], window.out, dy.shape[-1] * dy.itemsize, _BLOCK_BYTES):
        block = dy[index]
        product = np.empty_like(block)
        for at, target in cells(views[index], window):
            np.multiply(block, weights[at], out=product)
            target += product
    cropped(array, extent, dx)


def _conv_filter(x: Array, dy: Array, window: Window) -> Array:
    channels = x.shape[-1]
    multiplier = dy.shape[-1] // max(1, channels)
    lines = _lines(_copies(x, multiplier), window)
    axes = [*lines.places, *lines.cells, *lines.line], [*lines.places, *lines.line], [*lines.cells, *lines.line]
    total = np.einsum(lines.views, axes[0], lines.per_place(dy), axes[1], axes[2])
    if lines.length != 1:
        total = np.add.reduce(total.reshape(*window.size, lines.length, dy.shape[-1]), axis=-2)
    return total.reshape(*window.size, channels, multiplier)


def _shape(x: Array, filter: Array, window: Window) -> Shape:
    return (len(x), *window.out, filter.shape[-2] * filter.shape[-1])


KERNELS.update(
    {
        "DepthwiseConv2dNative": by_batch(_conv, (0,), _shape, products=False, rows=window_rows),
        "DepthwiseConv2dNativeBackpropFilter": summed(_conv_filter, (0, 1), products=False),
        "DepthwiseConv2dNativeBackpropInput": by_batch(_conv_input, (0,), like_input, products=False),
    }
)
