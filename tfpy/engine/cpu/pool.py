"""numpy kernels of pooling.

Forward, one dimension after the other, with one operation on a strided view for each cell of the window there;
backward, cell by cell, on blocks that stay in the cache.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.batches import Kernel, by_batch, like_input, like_output
from tfpy.engine.cpu.table import KERNELS, PLANNED
from tfpy.engine.cpu.windows import (
    Frame,
    blocks,
    cell,
    cells,
    cropped,
    extended,
    finite,
    first_matches,
    frame,
    padded,
    patches,
    selected,
)
from tfpy.engine.spec import Shape
from tfpy.engine.windows import Window, cell_counts, divisor

_BLOCK_BYTES = 1 << 19
_FEW_CHANNELS = 16  # up to this many, the runs of a cell are short


def lowest(dtype: np.dtype[Any]) -> float:
    """The lowest number of a dtype."""
    if dtype.kind == "f":
        return -np.inf
    return 0 if dtype.kind == "b" else int(np.iinfo(dtype).min)


def _lines(window: Window, extent: Frame) -> Iterator[tuple[int, list[slice]]]:
    """For each inner axis, the slices along it that the cells cover."""
    fields = zip(window.size, window.strides, window.dilations, window.out, extent.start, strict=True)
    for axis, (size, stride, dilation, out, start) in enumerate(fields, start=1):
        firsts = [start + t * dilation for t in range(size)]
        yield axis, [slice(f, f + (out - 1) * stride + 1 if out else f, stride) for f in firsts]


def _reduce(out: Array, ufunc: np.ufunc, array: Array, window: Window, extent: Frame) -> None:
    """Reduce the cells at each position with a ufunc."""
    for axis, slices in _lines(window, extent):
        views = [array[(slice(None),) * axis + (at,)] for at in slices]
        target = out if axis == len(window.size) else None
        array = _over(ufunc, views, target)


def _over(ufunc: np.ufunc, views: list[Array], out: Array | None) -> Array:
    """Reduce arrays of one shape with a ufunc; a single one needs no computation."""
    if len(views) == 1:
        if out is None:
            return views[0]
        out[...] = views[0]
        return out
    total = ufunc(views[0], views[1], out=out)
    for view in views[2:]:
        ufunc(total, view, out=total)
    return total


def fill_max(y: Array, x: Array, window: Window) -> None:
    """The largest in each window; numbers take precedence over NaN, as in TF.js."""
    if not y.size:
        return
    array, extent = padded(x, window, lowest(x.dtype))
    _reduce(y, np.fmax, array, window, extent)
    if x.dtype.kind == "i" and array is not x:
        y[:, cell_counts(window, x.shape[1:-1]) == 0] = 0  # -∞ as an integer


def _avg(y: Array, x: Array, window: Window, least: int = 0) -> None:
    """The mean of the elements in each window, padding not counted."""
    if not y.size:
        return
    array, extent = padded(x, window)
    _reduce(y, np.add, array, window, extent)
    np.divide(y, divisor(x.shape[1:-1], window, least, x.dtype), out=y)


def _avg_grad(dx: Array, dy: Array, window: Window, input_shape: Shape, least: int = 0) -> None:
    sizes = input_shape[1:-1]
    extent = frame(window, sizes)
    array = dy / divisor(sizes, window, least, dy.dtype)
    for axis, slices in reversed(list(_lines(window, extent))):
        lead = (slice(None),) * axis
        shape = (*array.shape[:axis], extent.sizes[axis - 1], *array.shape[axis + 1 :])
        spread = np.zeros(shape, dy.dtype)
        for at in slices:
            target = spread[(*lead, at)]
            target += array
        array = spread
    cropped(array, extent, dx)


def _max_grad(
    dx: Array, dy: Array, input: Array, output: Array, window: Window, last: bool = False, certain: int = 0
) -> None:
    """dy where the largest elements were."""
    tiled = window.strides == window.size == window.reach
    few = dy.shape[-1] <= _FEW_CHANNELS
    if few and dy.size and tiled and len(window.size) == 2 and window.lies_inside(input.shape[1:-1]):
        _max_grad_by_line(dx, dy, input, output, window)
        return
    array, extent = padded(input, window, lowest(input.dtype))
    apart = all(s >= r for s, r in zip(window.strides, window.reach, strict=True))
    spread, extent = extended(dx, window, tiled=tiled)
    sources, targets = patches(array, window, extent), patches(spread, window, extent)
    all_finite = finite(dy)
    for index in blocks(len(dy), window.out, dy.shape[-1] * dy.itemsize, _BLOCK_BYTES):
        block = dy[index]
        product = None if apart else np.empty_like(block)
        for at, found in first_matches(cells(sources[index], window, last), output[index], certain):
            target = cell(targets[index], at)
            if product is None:
                selected(block, found, all_finite, target)
            else:
                target += selected(block, found, all_finite, product)
    cropped(spread, extent, dx)


def _max_grad_by_line(dx: Array, dy: Array, input: Array, output: Array, window: Window) -> None:
    """The same for adjacent windows that do not overlap: a line of cells at a time, whose runs are long.

    Results and slopes are repeated to the width of the line. Booleans are bytes, so that those of several channels are
    combined as one number.
    """
    (high, wide), (rows, columns), channels = window.size, window.out, dy.shape[-1]
    inside = slice(None), slice(rows * high), slice(columns * wide)
    shape = (rows, high, columns, wide, channels)
    if input[0][inside[1:]].size < input[0].size:
        dx.fill(0)
    source, target = (t[inside].reshape(len(t), *shape) for t in (input, dx))
    several = np.dtype(f"u{next(n for n in (8, 4, 2, 1) if channels % n == 0)}")
    all_finite = finite(dy)
    count = max(1, _BLOCK_BYTES // (wide * dy[0].nbytes))
    for start in range(0, len(dy), count):
        part = slice(start, start + count)
        values, slopes = (t[part].repeat(wide, axis=2).reshape(-1, rows, columns, wide, channels) for t in (output, dy))
        taken: Array | None = None
        for i in range(high):
            found = source[part, :, i] == values
            for j in range(wide):
                flags = found.view(several)[..., j, :]
                if taken is None:
                    taken = flags.copy()
                else:
                    flags &= ~taken
                    taken |= flags
            selected(slopes, found, all_finite, target[part, :, i])


def _max_relu_grad(dx: Array, dy: Array, input: Array, output: Array, window: Window) -> None:
    """The gradient of relu after that of pooling: it depends on whether the largest element in a window is above 0.

    If the input is NaN, so is the slope of relu, in the largest position or not.
    """
    if input.size and np.isnan(np.maximum.reduce(input, None)):
        _max_grad(dx, dy, input, output, window)
        np.multiply(dx, KERNELS["Step"](input, alpha=0.0), out=dx)
    else:
        _max_grad(dx, np.multiply(dy, output > 0), input, output, window, certain=window.cells)


def _max_pick(x: Array, input: Array, output: Array, window: Window, last: bool) -> Array:
    array, extent = padded(input, window, lowest(input.dtype))
    values = padded(x, window)[0]
    sources, picks = patches(array, window, extent), patches(values, window, extent)
    y = np.zeros(output.shape, x.dtype)
    all_finite = finite(x)
    for index in blocks(len(y), window.out, y.shape[-1] * y.itemsize, _BLOCK_BYTES):
        total = y[index]
        for at, found in first_matches(cells(sources[index], window, last), output[index]):
            total += selected(cell(picks[index], at), found, all_finite)
    return y


def _max_with_argmax(x: Array, window: Window, include_batch_in_index: bool) -> list[Array]:
    """The largest, and their flat indices in an image (or in the batch); -1 if nothing is above -∞."""
    y: Array = KERNELS["MaxPool"](x, window=window)
    array, extent = padded(x, window, lowest(x.dtype))
    views = patches(array, window, extent)
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
    if x.dtype.kind == "f":
        indices[y == lowest(x.dtype)] = -1
    return [y, indices]


def _of_input(dy: Array, input: Array, output: Array, **attrs: Any) -> Shape:
    return input.shape


def _sharded(
    fill: Callable[..., None], batched: tuple[int, ...], shape: Callable[..., Shape], **options: Any
) -> Kernel:
    return by_batch(functools.partial(fill, **options), batched, shape, products=False)


for _suffix, _last, _least in (("", False, 0), ("3D", True, 1)):
    KERNELS[f"MaxPool{_suffix}"] = _sharded(fill_max, (0,), like_output)
    KERNELS[f"MaxPool{_suffix}Grad"] = _sharded(_max_grad, (0, 1, 2), _of_input, last=_last)
    KERNELS[f"MaxPool{_suffix}Pick"] = functools.partial(_max_pick, last=_last)
    KERNELS[f"AvgPool{_suffix}"] = _sharded(_avg, (0,), like_output, least=_least)
    KERNELS[f"AvgPool{_suffix}Grad"] = _sharded(_avg_grad, (0,), like_input, least=_least)
KERNELS["MaxPoolWithArgmax"] = _max_with_argmax
PLANNED["MaxPoolReluGrad"] = _sharded(_max_relu_grad, (0, 1, 2), _of_input)
