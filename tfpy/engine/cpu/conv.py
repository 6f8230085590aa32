"""numpy kernels of convolution: matrix products on blocks of columns that stay in the cache.

A column holds what the window covers at one position. With few channels its runs in memory are short, and the columns
are laid out the other way round, cell by cell; BLAS reads either layout.

Products with few filters are thin, and BLAS is slow at them. So neighboring positions of a line are combined: one
wider window with a filter for each of these positions, zero outside that position's own window. That is an ordinary
convolution, with wider products on fewer columns.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.batches import by_batch, like_input, summed, window_rows
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.windows import Index, blocks, cells, cropped, extended, finite, flipped, frame, padded, patches
from tfpy.engine.spec import Shape
from tfpy.engine.windows import Window

# Smaller blocks would fit into faster caches, but more and shorter products cost more than that saves.
_COLUMN_BYTES = 1 << 21
_PRODUCT_BYTES = 1 << 20
_FEW_CHANNELS = 4

# Up to this many channels and filters, which are columns of matrices, products are thin; positions are combined up to
# the wider limits. For the input's gradient the saved sums outweigh the multiplications by 0.
_THIN_COLUMNS = 16
_WIDE_COLUMNS = 48
_WIDE_COLUMNS_BY_INPUT = 64


@functools.lru_cache(maxsize=512)
def _combined_positions(window: Window, channels: int, filters: int, wide: int = _WIDE_COLUMNS) -> tuple[int, Window]:
    """How many neighboring positions to combine, until products are wide or the window doubles; the wider window."""
    *_, size = window.size
    *_, stride = window.strides
    if not 0 < filters <= _THIN_COLUMNS or channels > _THIN_COLUMNS or window.dilations[-1] > 1:
        return 1, window
    most = min(wide // filters, size // stride + 1)
    count = max([n for n in range(1, most + 1) if window.out[-1] % n == 0], default=1)
    wider = window._replace(
        size=(*window.size[:-1], size + (count - 1) * stride),
        strides=(*window.strides[:-1], count * stride),
        out=(*window.out[:-1], window.out[-1] // count),
    )
    return count, wider


def _wider_filters(filter: Array, window: Window, count: int, wider: Window) -> Array:
    """The filters of the wider window."""
    *_, channels, filters = filter.shape
    spread = np.zeros((*wider.size, channels, count, filters), filter.dtype)
    _filters_by_position(spread, window)[...] = filter
    return spread.reshape(*wider.size, channels, -1)


def _filters_by_position(spread: Array, window: Window) -> Array:
    """A view (places, *cells, channels, filters) of the wider window's filters: the filter of each position."""
    *outer, cell, channel, place, one = spread.strides
    *_, channels, count, filters = spread.shape
    strides = (window.strides[-1] * cell + place, *outer, cell, channel, one)
    return np.ndarray((count, *window.size, channels, filters), spread.dtype, spread, 0, strides)


def _im2col(x: Array, window: Window, filters: int) -> Iterator[tuple[Index, Array]]:
    """Blocks of positions, each with the matrix (places, cells · channels), which the next block overwrites."""
    batch, channels = x.shape[0], x.shape[-1]
    width = window.cells * channels
    if window.is_identity:
        yield (), x.reshape(-1, width)
        return
    array, extent = padded(x, window)
    views = patches(array, window, extent)
    by_cell = channels <= _FEW_CHANNELS and window.size[-1] * channels < window.out[-1]
    n = len(window.size) + 1
    buffer = np.empty(0, x.dtype)
    for index in blocks(batch, window.out, max(width, filters) * x.itemsize, _COLUMN_BYTES):
        view = views[index]
        if by_cell:
            view = view.transpose(*range(n, 2 * n), *range(n))
        if buffer.size < view.size:
            buffer = np.empty(view.size, x.dtype)
        block = buffer[: view.size].reshape(view.shape)
        np.copyto(block, view)
        yield index, block.reshape(width, -1).T if by_cell else block.reshape(-1, width)


def convolved(y: Array, x: Array, filter: Array, window: Window) -> Iterator[Array]:
    """Fill y with the convolution, and yield it line by line: blocks (lines, places · filters), still in the cache."""
    line = y.shape[-2] * y.shape[-1]
    if not y.size:
        return
    if not filter.size:
        y.fill(0)
        yield y.reshape(-1, line)
        return
    count, wider = _combined_positions(window, *filter.shape[-2:])
    weights = filter
    if count > 1 and finite(x):
        weights, window = _wider_filters(filter, window, count, wider), wider
    weights = weights.reshape(-1, weights.shape[-1])
    y = y.reshape(len(y), *window.out, weights.shape[-1])
    for index, columns in _im2col(x, window, weights.shape[-1]):
        block = y[index]
        np.matmul(columns, weights, out=block.reshape(-1, weights.shape[-1]))
        yield block.reshape(-1, line)


def _conv(y: Array, x: Array, filter: Array, window: Window) -> None:
    for _ in convolved(y, x, filter, window):
        pass


def _conv_filter(x: Array, dy: Array, window: Window) -> Array:
    """The gradient of the filter: Σ over positions of column ⊗ dy."""
    channels, filters = x.shape[-1], dy.shape[-1]
    count, wider = _combined_positions(window, channels, filters)
    if count == 1:
        return _filter_products(x, dy, window)
    spread = _filter_products(x, dy.reshape(len(dy), *wider.out, count * filters), wider)
    parts = _filters_by_position(spread.reshape(*wider.size, channels, count, filters), window)
    return np.add.reduce(parts, axis=0)


def _filter_products(x: Array, dy: Array, window: Window) -> Array:
    channels, filters = x.shape[-1], dy.shape[-1]
    total = np.zeros((window.cells * channels, filters), dy.dtype)
    if dy.size and total.size:
        for index, columns in _im2col(x, window, filters):
            total += columns.T @ dy[index].reshape(-1, filters)
    return total.reshape(*window.size, channels, filters)


def _conv_input(dx: Array, dy: Array, filter: Array, window: Window, input_shape: Shape) -> None:
    """The gradient of the input: dy at each position, times the filter, added at the window's cells."""
    channels, filters = filter.shape[-2:]
    if not dy.size or not filter.size:
        dx.fill(0)
        return
    if window.is_identity:
        np.matmul(dy.reshape(-1, filters), filter.reshape(channels, filters).T, out=dx.reshape(-1, channels))
        return
    if channels <= _FEW_CHANNELS:
        _add_by_cell(dx, dy, filter, window)
        return
    if _flipping_pays(dx, dy, window) and finite(filter):
        _conv(dx, dy, flipped(filter.swapaxes(-1, -2), window), window.flipped(dx.shape[1:-1]))
        return
    target, extent = extended(dx, window)
    count, wider = _combined_positions(window, channels, filters, _WIDE_COLUMNS_BY_INPUT)
    if 2 * wider.size[-1] < count * window.size[-1] and finite(dy):  # less than half of the sums are left
        dy = dy.reshape(len(dy), *wider.out, count * filters)
        _add_runs(patches(target, wider, extent), dy, _wider_filters(filter, window, count, wider), wider)
    else:
        _add_products(patches(target, window, extent), dy, filter, window)
    cropped(target, extent, dx)


def _flipping_pays(dx: Array, dy: Array, window: Window) -> bool:
    """Whether a convolution of dy takes less time than adding overlapping products to dx.

    It copies the window's cells of dy for each position of dx; adding reads and writes those of dx for each of dy.
    """
    return set(window.strides) == {1} and dx.size * dy.shape[-1] ** 2 <= 2 * dy.size * dx.shape[-1] ** 2


def _add_products(views: Array, dy: Array, filter: Array, window: Window) -> None:
    """A matrix product for each cell."""
    channels, filters = filter.shape[-2:]
    transposed = np.ascontiguousarray(filter.swapaxes(-1, -2))
    for index in blocks(dy.shape[0], window.out, channels * dy.itemsize, _PRODUCT_BYTES):
        rows = dy[index].reshape(-1, filters)
        shape = (*dy[index].shape[:-1], channels)
        product = np.empty((len(rows), channels), dy.dtype)
        for at, target in cells(views[index], window):
            np.matmul(rows, transposed[at], out=product)
            target += product.reshape(shape)


def _add_runs(views: Array, dy: Array, filter: Array, window: Window) -> None:
    """A product for each line of cells, added run by run: cells that no other position covers."""
    *outer, width = window.size
    channels, filters = filter.shape[-2:]
    run = window.strides[-1]
    for index in blocks(dy.shape[0], window.out, width * channels * dy.itemsize, _PRODUCT_BYTES):
        block, targets = dy[index], views[index]
        product = np.empty((*block.shape[:-1], width, channels), dy.dtype)
        for at in np.ndindex(*outer):
            line = filter[at].reshape(-1, filters).T
            np.matmul(block.reshape(-1, filters), line, out=product.reshape(-1, width * channels))
            for start in range(0, width, run):
                part = slice(start, start + run)
                target = targets[(..., *at, part, slice(None))]
                target += product[..., part, :]


def _add_by_cell(dx: Array, dy: Array, filter: Array, window: Window) -> None:
    """One product for all cells, laid out cell by cell and channel by channel, like the input's gradient then."""
    channels, filters = filter.shape[-2:]
    extent, n = frame(window, dx.shape[1:-1]), len(window.size)
    target = np.zeros((channels, len(dx), *extent.sizes), dx.dtype).transpose(*range(1, n + 2), 0)
    views = patches(target, window, extent)
    weights = filter.reshape(-1, filters)
    for index in blocks(dy.shape[0], window.out, len(weights) * dy.itemsize, _COLUMN_BYTES):
        block = dy[index]
        product = (weights @ block.reshape(-1, filters).T).reshape(*window.size, channels, *block.shape[:-1])
        channels_last = product.transpose(*range(n), *range(n + 1, product.ndim), n)
        for at, cell in cells(views[index], window):
            cell += channels_last[at]
    cropped(target, extent, dx)


def result_shape(x: Array, filter: Array, *extras: Array, window: Window, **attrs: Any) -> Shape:
    return (len(x), *window.out, filter.shape[-1])


for _kernel, _version in (("Conv2D", ""), ("Conv3D", "V2")):
    KERNELS[_kernel] = by_batch(_conv, (0,), result_shape, rows=window_rows)
    KERNELS[f"{_kernel}BackpropFilter{_version}"] = summed(_conv_filter, (0, 1))
    KERNELS[f"{_kernel}BackpropInput{_version}"] = by_batch(_conv_input, (0,), like_input)
