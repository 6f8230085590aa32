"""numpy kernels of pooling.

Forward one dimension after the other, each with as many operations on strided views as the window has cells there;
backward cell by cell, on blocks that stay in the cache.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.batches import by_batch
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.windows import Frame, blocks, cell, cells, covered, first_matches, frame, padded, unpadded
from tfpy.engine.spec import Shape
from tfpy.engine.windows import Window

_BLOCK_BYTES = 1 << 18


def lowest(dtype: np.dtype[Any]) -> float:
    """What no element of the dtype is below."""
    if dtype.kind == "f":
        return -np.inf
    return 0 if dtype.kind == "b" else int(np.iinfo(dtype).min)


def _lines(window: Window, extent: Frame) -> Iterator[tuple[int, list[slice]]]:
    """For each inner axis the slices along it that the cells see."""
    fields = zip(window.size, window.strides, window.dilations, window.out, extent.start, strict=True)
    for axis, (size, stride, dilation, out, start) in enumerate(fields, start=1):
        firsts = [start + t * dilation for t in range(size)]
        yield axis, [slice(f, f + (out - 1) * stride + 1 if out else f, stride) for f in firsts]


def _reduced(ufunc: np.ufunc, array: Array, window: Window, extent: Frame) -> Array:
    """A ufunc over the cells at each place."""
    whole = array
    for axis, slices in _lines(window, extent):
        lead = (slice(None),) * axis
        total = array[(*lead, slices[0])]
        if len(slices) > 1:
            total = ufunc(total, array[(*lead, slices[1])])
        for at in slices[2:]:
            ufunc(total, array[(*lead, at)], out=total)
        array = total
    return array.copy() if np.may_share_memory(array, whole) else array


@functools.lru_cache(maxsize=256)
def _counts(window: Window, sizes: Shape) -> Array:
    """How many cells lie on the input at each place."""
    total = np.ones(())
    fields = zip(window.size, window.strides, window.dilations, window.pads, window.out, sizes, strict=True)
    for size, stride, dilation, (before, _), out, n in fields:
        at = np.arange(out)[:, None] * stride - before + np.arange(size) * dilation
        total = np.multiply.outer(total, ((at >= 0) & (at < n)).sum(1))
    return total


def _max(x: Array, window: Window) -> Array:
    """The largest in each window; numbers win over NaN, as in TF.js."""
    array, extent = padded(x, window, lowest(x.dtype))
    y = _reduced(np.fmax, array, window, extent)
    if x.dtype.kind == "i" and array is not x:
        y[:, _counts(window, x.shape[1:-1]) == 0] = 0  # -∞ as an integer
    return y


def _avg(x: Array, window: Window, least: int = 0) -> Array:
    """The mean of the elements in each window, padding not counted."""
    array, extent = padded(x, window)
    y = _reduced(np.add, array, window, extent)
    return np.divide(y, divisor(x.shape[1:-1], window, least, x.dtype), out=y)


def _avg_grad(dy: Array, window: Window, input_shape: Shape, least: int = 0) -> Array:
    sizes = input_shape[1:-1]
    extent = frame(window, sizes)
    array = dy / divisor(sizes, window, least, dy.dtype)
    for axis, slices in reversed(list(_lines(window, extent))):
        lead = (slice(None),) * axis
        shape = (*array.shape[:axis], extent.sizes[axis - 1], *array.shape[axis + 1 :])
        spread = np.zeros(shape, dy.dtype)
        for at in slices:
            spread[(*lead, at)] += array
        array = spread
    return unpadded(array, extent, sizes)


def divisor(sizes: Shape, window: Window, least: int, dtype: np.dtype[Any]) -> Array:
    """The counts of `_counts`, at least `least`: one number where they are all the same."""
    counts = _counts(window, sizes)
    if counts.size and counts.min() == counts.max():
        return np.maximum(counts.flat[0], least).astype(dtype)
    return np.maximum(counts, least).astype(dtype)[..., None]


def _max_grad(dy: Array, input: Array, output: Array, window: Window, last: bool) -> Array:
    """dy where the largest elements were."""
    array, extent = padded(input, window, lowest(input.dtype))
    dx = np.zeros(array.shape, dy.dtype)
    sources, targets = covered(array, window, extent), covered(dx, window, extent)
    apart = all(s >= r for s, r in zip(window.strides, window.reach, strict=True))
    for index in blocks(len(dy), window.out, dy.shape[-1] * dy.itemsize, _BLOCK_BYTES):
        block = dy[index]
        product = np.empty_like(block)
        for at, found in first_matches(cells(sources[index], window, last), output[index]):
            target = cell(targets[index], at)
            if apart:
                np.multiply(block, found, out=target)
            else:
                np.multiply(block, found, out=product)
                target += product
    return unpadded(dx, extent, input.shape[1:-1])


def _max_pick(x: Array, input: Array, output: Array, window: Window, last: bool) -> Array:
    array, extent = padded(input, window, lowest(input.dtype))
    values = padded(x, window)[0]
    sources, picks = covered(array, window, extent), covered(values, window, extent)
    y = np.zeros(output.shape, x.dtype)
    for index in blocks(len(y), window.out, y.shape[-1] * y.itemsize, _BLOCK_BYTES):
        total = y[index]
        for at, found in first_matches(cells(sources[index], window, last), output[index]):
            total += cell(picks[index], at) * found
    return y


def _max_with_argmax(x: Array, window: Window, include_batch_in_index: bool) -> list[Array]:
    """The largest, and their flat indices in an image (or in the batch); -1 where there are only NaN."""
    y = _max(x, window)
    array, extent = padded(x, window, lowest(x.dtype))
    views = covered(array, window, extent)
    batch, height, width, channels = x.shape
    rows = np.arange(window.out[0])[:, None] * window.strides[0] - window.pads[0][0]
    columns = np.arange(window.out[1]) * window.strides[1] - window.pads[1][0]
    corner = ((rows * width + columns) * channels)[..., None] + np.arange(channels)
    if include_batch_in_index:
        corner = corner + (np.arange(batch) * (height * width * channels))[:, None, None, None]
    indices = np.full(y.shape, -1, np.int32)
    for (row, column), found in first_matches(cells(views, window), y):
        step = (row * window.dilations[0] * width + column * window.dilations[1]) * channels
        np.copyto(indices, corner + step, where=found, casting="same_kind")
    return [y, indices]


for _suffix, _last, _least in (("", False, 0), ("3D", True, 1)):
    KERNELS[f"MaxPool{_suffix}Grad"] = by_batch(functools.partial(_max_grad, last=_last), (0, 1, 2), products=False)
    KERNELS[f"MaxPool{_suffix}Pick"] = functools.partial(_max_pick, last=_last)
    KERNELS[f"AvgPool{_suffix}"] = by_batch(functools.partial(_avg, least=_least), (0,), products=False)
    KERNELS[f"AvgPool{_suffix}Grad"] = by_batch(functools.partial(_avg_grad, least=_least), (0,), products=False)
    KERNELS[f"MaxPool{_suffix}"] = by_batch(_max, (0,), products=False)
KERNELS["MaxPoolWithArgmax"] = _max_with_argmax
