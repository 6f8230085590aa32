"""numpy kernels that resize images, one dimension after the other; backward, as sums over elements read repeatedly.

Linear interpolation processes blocks of new rows that stay in the cache, and only the old rows that these need.
"""

from __future__ import annotations

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.threads import run_sharded, spans_in_turns
from tfpy.engine.cpu.windows import Index
from tfpy.engine.resizing import Interpolation, bilinear_interpolation, nearest_interpolation

_BLOCK_ELEMENTS = 1 << 17
_SHARD_ELEMENTS = 1 << 19  # that make a shard worthwhile

Size = tuple[int, int]


def _lerp(x: Array, line: Interpolation, factors: Array, axis: int, out: Array | None = None) -> Array:
    """Interpolate between the elements of a line; the factors are its fractions, as returned by `_along`."""
    first = x.take(line.first, axis=axis)
    difference = x.take(line.second, axis=axis)
    difference -= first
    difference *= factors
    return np.add(difference, first, out=difference if out is None else out)


def _along(values: Array, axis: int, like: Array) -> Array:
    """A vector as factors along the second or third axis of a tensor of rank 4.

    Along the third it is repeated for each channel, so that numpy's inner loops run over whole lines.
    """
    values = values.astype(like.dtype)
    return values[:, None, None] if axis == 1 else np.repeat(values[:, None], like.shape[3], axis=1)


def _sum_back(values: Array, index: Array, size: int, axis: int) -> Array:
    """The sums of the slices with the same index: the first of each, then the second ones, and so on.

    Indices are in ascending order.
    """
    present, starts, counts = np.unique(index, return_index=True, return_counts=True)
    total = values.take(starts, axis=axis)
    lead: Index = (slice(None),) * axis
    for turn in range(1, counts.max(initial=0)):
        more = np.flatnonzero(counts > turn)
        if len(more) == len(present):
            total += values.take(starts + turn, axis=axis)
        else:
            total[(*lead, more)] += values.take(starts[more] + turn, axis=axis)
    if len(present) == size:
        return total
    out = np.zeros((*values.shape[:axis], size, *values.shape[axis + 1 :]), values.dtype)
    out[(*lead, present)] = total
    return out


def _bilinear(images: Array, size: Size, align_corners: bool, half_pixel_centers: bool) -> Array:
    batch, height, width, channels = images.shape
    out = np.empty((batch, *size, channels), images.dtype)
    across = bilinear_interpolation(width, size[1], align_corners, half_pixel_centers)
    down = bilinear_interpolation(height, size[0], align_corners, half_pixel_centers)
    factors = _along(across.fraction, 2, images)
    together, rows = _block(batch, *out.shape[1:])
    parts = [(slice(a, a + rows), *down.part(a, a + rows)) for a in range(0, size[0], rows)]

    def shard(start: int, end: int) -> None:
        for number in range(start, end):
            first, (part, used, among) = number // len(parts) * together, parts[number % len(parts)]
            old = images[first : first + together]
            old = old if len(used) == height else old.take(used, axis=1)
            new = out[first : first + together, part]
            _lerp(_lerp(old, across, factors, 2), among, _along(among.fraction, 1, images), 1, new)

    count = -(-batch // together) * len(parts)
    run_sharded(shard, spans_in_turns(count, out.size, _SHARD_ELEMENTS))
    return out


def _block(batch: int, height: int, width: int, channels: int) -> tuple[int, int]:
    """How many images, or how many rows of one, are computed at a time."""
    row = max(1, width * channels)
    return max(1, min(batch, _BLOCK_ELEMENTS // (row * max(1, height)))), max(1, min(height, _BLOCK_ELEMENTS // row))


def _bilinear_grad(dy: Array, size: Size, align_corners: bool, half_pixel_centers: bool) -> Array:
    for axis in (1, 2):
        line = bilinear_interpolation(size[axis - 1], dy.shape[axis], align_corners, half_pixel_centers)
        second, first = (dy * _along(factors, axis, dy) for factors in (line.fraction, 1 - line.fraction))
        n = size[axis - 1]
        dy = _sum_back(first, line.first, n, axis) + _sum_back(second, line.second, n, axis)
    return dy


def _nearest(images: Array, size: Size, align_corners: bool, half_pixel_centers: bool) -> Array:
    for axis in (2, 1):
        line = nearest_interpolation(images.shape[axis], size[axis - 1], align_corners, half_pixel_centers)
        images = images.take(line, axis=axis)
    return images


def _nearest_grad(dy: Array, size: Size, align_corners: bool, half_pixel_centers: bool) -> Array:
    for axis in (1, 2):
        line = nearest_interpolation(size[axis - 1], dy.shape[axis], align_corners, half_pixel_centers)
        dy = _sum_back(dy, line, size[axis - 1], axis)
    return dy


KERNELS.update(
    {
        "ResizeBilinear": _bilinear,
        "ResizeBilinearGrad": _bilinear_grad,
        "ResizeNearestNeighbor": _nearest,
        "ResizeNearestNeighborGrad": _nearest_grad,
    }
)
