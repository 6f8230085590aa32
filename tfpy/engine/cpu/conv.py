"""numpy kernels of convolution: matrix products on blocks of columns that stay in the cache.

A column holds what the window covers at one place. With few channels its runs in memory are short, and the columns are
laid out the other way round, cell by cell; BLAS reads either.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.batches import by_batch
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.windows import Index, blocks, cells, covered, frame, padded, unpadded
from tfpy.engine.spec import Shape
from tfpy.engine.windows import Window

_COLUMN_BYTES = 1 << 22
_PRODUCT_BYTES = 1 << 20
_FEW_CHANNELS = 4


def _columns(x: Array, window: Window) -> Iterator[tuple[Index, Array]]:
    """Blocks of places, and for each the matrix (places, cells · channels). It is overwritten by the next one."""
    batch, channels = x.shape[0], x.shape[-1]
    width = window.cells * channels
    if window.is_identity:
        yield (), x.reshape(-1, width)
        return
    array, extent = padded(x, window)
    views = covered(array, window, extent)
    by_cell = channels <= _FEW_CHANNELS
    n = len(window.size) + 1
    buffer = np.empty(0, x.dtype)
    for index in blocks(batch, window.out, width * x.itemsize, _COLUMN_BYTES):
        view = views[index]
        if by_cell:
            view = view.transpose(*range(n, 2 * n), *range(n))
        if buffer.size < view.size:
            buffer = np.empty(view.size, x.dtype)
        block = buffer[: view.size].reshape(view.shape)
        np.copyto(block, view)
        yield index, block.reshape(width, -1).T if by_cell else block.reshape(-1, width)


def _conv(x: Array, filter: Array, window: Window) -> Array:
    out_channels = filter.shape[-1]
    shape = (x.shape[0], *window.out, out_channels)
    if 0 in shape or not filter.size:
        return np.zeros(shape, x.dtype)
    y = np.empty(shape, x.dtype)
    weights = filter.reshape(-1, out_channels)
    for index, columns in _columns(x, window):
        np.matmul(columns, weights, out=y[index].reshape(-1, out_channels))
    return y


def _conv_filter(x: Array, dy: Array, window: Window) -> Array:
    """The gradient of the filter: Σ over places of column ⊗ dy."""
    channels, out_channels = x.shape[-1], dy.shape[-1]
    total = np.zeros((window.cells * channels, out_channels), dy.dtype)
    if dy.size and total.size:
        for index, columns in _columns(x, window):
            total += columns.T @ dy[index].reshape(-1, out_channels)
    return total.reshape(*window.size, channels, out_channels)


def _conv_input(dy: Array, filter: Array, window: Window, input_shape: Shape) -> Array:
    """The gradient of the input: each place's dy, times the filter, added where the window lay."""
    channels, out_channels = filter.shape[-2:]
    if not dy.size or not filter.size:
        return np.zeros(input_shape, dy.dtype)
    if window.is_identity:
        return (dy.reshape(-1, out_channels) @ filter.reshape(channels, out_channels).T).reshape(input_shape)
    sizes = input_shape[1:-1]
    extent = frame(window, sizes)
    by_cell = channels <= _FEW_CHANNELS
    if by_cell:
        dx = np.moveaxis(np.zeros((channels, input_shape[0], *extent.sizes), dy.dtype), 0, -1)
    else:
        dx = np.zeros((input_shape[0], *extent.sizes, channels), dy.dtype)
    (_add_by_cell if by_cell else _add_products)(covered(dx, window, extent), dy, filter, window)
    return unpadded(dx, extent, sizes)


def _add_products(views: Array, dy: Array, filter: Array, window: Window) -> None:
    """A matrix product for each cell."""
    channels, out_channels = filter.shape[-2:]
    transposed = np.ascontiguousarray(filter.swapaxes(-1, -2))
    for index in blocks(dy.shape[0], window.out, channels * dy.itemsize, _PRODUCT_BYTES):
        rows = dy[index].reshape(-1, out_channels)
        shape = (*dy[index].shape[:-1], channels)
        product = np.empty((len(rows), channels), dy.dtype)
        for at, target in cells(views[index], window):
            np.matmul(rows, transposed[at], out=product)
            target += product.reshape(shape)


def _add_by_cell(views: Array, dy: Array, filter: Array, window: Window) -> None:
    """One product for all cells, laid out cell by cell and channel by channel as the views are."""
    channels, out_channels = filter.shape[-2:]
    weights = filter.reshape(-1, out_channels)
    for index in blocks(dy.shape[0], window.out, len(weights) * dy.itemsize, _COLUMN_BYTES):
        block = dy[index]
        product = (weights @ block.reshape(-1, out_channels).T).reshape(*window.size, channels, *block.shape[:-1])
        for at, target in cells(views[index], window):
            target += np.moveaxis(product[at], 0, -1)


for _kernel, _version in (("Conv2D", ""), ("Conv3D", "V2")):
    KERNELS[_kernel] = by_batch(_conv, (0,))
    KERNELS[f"{_kernel}BackpropFilter{_version}"] = by_batch(_conv_filter, (0, 1), summed=True)
    KERNELS[f"{_kernel}BackpropInput{_version}"] = by_batch(_conv_input, (0,))
