"""Parts of the numpy kernels of convolution and pooling: padded inputs, views of windows, blocks that fit the cache.

Arrays are (batch, *inner, channels). The views are strided: nothing is copied until a kernel reads them.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tfpy.engine.backend import Array
from tfpy.engine.errors import ShapeError
from tfpy.engine.spec import MAX_SIZE, Shape
from tfpy.engine.windows import Window

Index = tuple[Any, ...]

_SMALL_BYTES = 1 << 19
"""Below this size, filling a whole extended array is faster than filling only the margins around the input."""


class Frame(NamedTuple):
    """An extent that contains both the input and all positions of the window; an entry for each inner dimension.

    Attributes:
        sizes: the extent.
        lead: where the input starts.
        start: where the first position of the window starts.
    """

    sizes: Shape
    lead: Shape
    start: Shape

    def inner(self, sizes: Shape) -> Index:
        """The index of an input of these inner sizes."""
        return (slice(None), *[slice(a, a + n) for a, n in zip(self.lead, sizes, strict=True)])


@functools.lru_cache(maxsize=512)
def frame(window: Window, sizes: Shape) -> Frame:
    """The extent for a window over an input of these inner sizes."""
    lead = tuple([max(0, before) for before, _ in window.pads])
    start = tuple([max(0, -before) for before, _ in window.pads])
    ends = zip(start, window.covered, lead, sizes, strict=True)
    return Frame(tuple([max(s + c, a + n) for s, c, a, n in ends]), lead, start)


def padded(x: Array, window: Window, value: float = 0) -> tuple[Array, Frame]:
    """x padded with a value as far as the window reaches; x itself if there is no padding."""
    sizes = x.shape[1:-1]
    extent = frame(window, sizes)
    if extent.sizes == sizes:
        return x, extent
    shape = _extended_shape(x.shape, extent)
    if x.nbytes < _SMALL_BYTES:
        out = np.full(shape, value, x.dtype) if value else np.zeros(shape, x.dtype)
    else:
        out = np.empty(shape, x.dtype)
        _fill_around(out, extent.lead, sizes, value)
    out[extent.inner(sizes)] = x
    return out, extent


def _fill_around(array: Array, starts: Shape, lengths: Shape, value: float) -> None:
    """Fill the margins around a block of an extended array."""
    for axis, (start, length) in enumerate(zip(starts, lengths, strict=True), start=1):
        lead = (slice(None),) * axis
        array[(*lead, slice(start))] = value
        array[(*lead, slice(start + length, None))] = value


def _extended_shape(shape: Shape, extent: Frame) -> Shape:
    """The shape with the inner sizes that the window reaches over."""
    found = (shape[0], *extent.sizes, shape[-1])
    if math.prod(found) > MAX_SIZE:
        raise ShapeError(f"shape {list(shape)} with its padding, {list(found)}, has over {MAX_SIZE} elements.")
    return found


def extended(out: Array, window: Window, tiled: bool = False) -> tuple[Array, Frame]:
    """Zeros as far as the window reaches over an input of out's shape; out itself if there is no padding.

    If it is `tiled` by the window's positions, which will be written to, only the margins around them are zeroed.
    """
    extent = frame(window, out.shape[1:-1])
    own = extent.sizes == out.shape[1:-1]
    array = out if own else np.empty(_extended_shape(out.shape, extent), out.dtype)
    if tiled:
        _fill_around(array, extent.start, window.covered, 0)
    else:
        array.fill(0)
    return array, extent


def cropped(array: Array, extent: Frame, out: Array) -> None:
    """Write to out the part of an extended array that belongs to the input, unless it is out's own memory."""
    if array is not out:
        out[...] = array[extent.inner(out.shape[1:-1])]


def patches(array: Array, window: Window, extent: Frame) -> Array:
    """The view (batch, *places, *cells, channels) of an extended array: what the window covers at each position."""
    batch, *inner, channel = array.strides
    steps = [b * s for b, s in zip(inner, window.strides, strict=True)]
    gaps = [b * d for b, d in zip(inner, window.dilations, strict=True)]
    shape = (array.shape[0], *window.out, *window.size, array.shape[-1])
    strides = (batch, *steps, *gaps, channel)
    if array.flags.c_contiguous:  # the same as below in a third of the time
        offset = sum([b * s for b, s in zip(inner, extent.start, strict=True)])
        return np.ndarray(shape, array.dtype, array, offset, strides)
    return as_strided(array[(slice(None), *[slice(s, None) for s in extent.start])], shape, strides)


def flipped(filter: Array, window: Window) -> Array:
    """The filter of `Window.flipped`: (*window, …) with the cells in reverse order."""
    return filter[(slice(None, None, -1),) * len(window.size)]


def finite(factors: Array) -> bool:
    """Whether all are finite, so that products with 0 are 0; also False if their sum overflows."""
    return bool(np.isfinite(np.add.reduce(factors, None)))


def cell(views: Array, at: Shape) -> Array:
    """The elements under one cell of the window at each position: (batch, *places, channels)."""
    index: Index = (..., *at, slice(None))
    return views[index]


def cells(views: Array, window: Window, backwards: bool = False) -> Iterator[tuple[Shape, Array]]:
    """Each cell of the window in row-major order, or reversed, and what it covers."""
    order = list(np.ndindex(window.size))
    for at in reversed(order) if backwards else order:
        yield at, cell(views, at)


def first_matches(
    candidates: Iterable[tuple[Shape, Array]], y: Array, certain: int = 0
) -> Iterator[tuple[Shape, Array]]:
    """For each cell, where it is the first one whose value equals y.

    If one of the first `certain` cells is known to, the last of these is not compared.
    """
    free: Array | None = None
    for number, (at, values) in enumerate(candidates, start=1):
        if free is None:
            found = values == y
            free = ~found
        elif number == certain:
            found = free
        else:
            found = values == y
            found &= free
            free ^= found
        yield at, found


def selected(values: Array, found: Array, all_finite: bool, out: Array | None = None) -> Array:
    """The values where they were found, and 0 elsewhere, where a product would be NaN unless the values are finite."""
    if all_finite:
        return np.multiply(values, found, out=out)
    if out is None:
        out = np.empty(values.shape, values.dtype)
    out[...] = 0
    np.copyto(out, values, where=found)
    return out


def blocks(batch: int, out: Shape, bytes_per_place: int, budget: int) -> Iterator[Index]:
    """Indices that split (batch, *places) into contiguous blocks of about `budget` bytes: images, or lines of one."""
    image = max(1, math.prod(out) * bytes_per_place)
    if image <= budget or out[0] <= 1:
        step = max(1, budget // image)
        for b in range(0, batch, step):
            yield (slice(b, b + step),)
        return
    step = max(1, budget * out[0] // image)
    for b in range(batch):
        for row in range(0, out[0], step):
            yield (slice(b, b + 1), slice(row, row + step))
