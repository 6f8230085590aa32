"""numpy kernels of depthwise convolution: products of slabs, cell by cell, on blocks that stay in the cache.

Several filters for a channel are the same as one filter for each of its copies.
"""

from __future__ import annotations

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.batches import by_batch, like_input, summed
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.windows import blocks, cells, covered, cropped, extended, padded
from tfpy.engine.spec import Shape
from tfpy.engine.windows import Window

_BLOCK_BYTES = 1 << 19


def _copies(x: Array, multiplier: int) -> Array:
    return x if multiplier == 1 else np.repeat(x, multiplier, axis=-1)


def _lines(filter: Array, window: Window) -> Array:
    """The filter (*window, channels) with a copy for each place of a line, so that products run over whole lines."""
    return np.repeat(filter.reshape(*window.size, 1, -1), window.out[-1], axis=-2)


def _conv(y: Array, x: Array, filter: Array, window: Window) -> None:
    array, extent = padded(_copies(x, filter.shape[-1]), window)
    views, weights = covered(array, window, extent), _lines(filter, window)
    for index in blocks(x.shape[0], window.out, array.shape[-1] * x.itemsize, _BLOCK_BYTES):
        total, product = y[index], None
        for at, values in cells(views[index], window):
            if product is None:
                np.multiply(values, weights[at], out=total)
                product = np.empty_like(total)
            else:
                np.multiply(values, weights[at], out=product)
                total += product


def _conv_input(dx: Array, dy: Array, filter: Array, window: Window, input_shape: Shape) -> None:
    multiplier = filter.shape[-1]
    copies = dx if multiplier == 1 else np.empty((*dx.shape[:-1], dy.shape[-1]), dy.dtype)
    array, extent = extended(copies, window)
    views, weights = covered(array, window, extent), _lines(filter, window)
    for index in blocks(dy.shape[0], window.out, dy.shape[-1] * dy.itemsize, _BLOCK_BYTES):
        block = dy[index]
        product = np.empty_like(block)
        for at, target in cells(views[index], window):
            np.multiply(block, weights[at], out=product)
            target += product
    cropped(array, extent, copies)
    if copies is not dx:
        np.add.reduce(copies.reshape(*dx.shape, multiplier), axis=-1, out=dx)


def _conv_filter(x: Array, dy: Array, window: Window) -> Array:
    channels = x.shape[-1]
    multiplier = dy.shape[-1] // max(1, channels)
    array, extent = padded(_copies(x, multiplier), window)
    views = covered(array, window, extent)
    total = np.zeros((*window.size, dy.shape[-1]), dy.dtype)
    for index in blocks(dy.shape[0], window.out, dy.shape[-1] * dy.itemsize, _BLOCK_BYTES):
        block = dy[index]
        ones = np.ones(block.size // max(1, dy.shape[-1]), dy.dtype)
        product = np.empty_like(block)
        for at, values in cells(views[index], window):
            np.multiply(values, block, out=product)
            total[at] += ones @ product.reshape(len(ones), dy.shape[-1])
    return total.reshape(*window.size, channels, multiplier)


def _shape(x: Array, filter: Array, window: Window) -> Shape:
    return (len(x), *window.out, filter.shape[-2] * filter.shape[-1])


KERNELS.update(
    {
        "DepthwiseConv2dNative": by_batch(_conv, (0,), _shape, products=False),
        "DepthwiseConv2dNativeBackpropFilter": summed(_conv_filter, (0, 1), products=False),
        "DepthwiseConv2dNativeBackpropInput": by_batch(_conv_input, (0,), like_input, products=False),
    }
)
