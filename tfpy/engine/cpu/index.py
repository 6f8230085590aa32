"""numpy kernels that gather, count or scatter elements by indices."""

from __future__ import annotations

import math

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.array import sum_segments, taken
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.javascript_numbers import to_bool, to_int32
from tfpy.engine.spec import strides_of
from tfpy.engine.value_checks import check_counted, check_nd_indices


def block_numbers(op: str, indices: Array, shape: tuple[int, ...]) -> Array:
    """For each index, the number of the block that it points to, among the blocks of `shape` in order."""
    check_nd_indices(op, indices, shape)
    depth = indices.shape[-1]
    rows = indices.reshape(math.prod(indices.shape[:-1]), depth)
    return rows @ np.array(strides_of(shape[:depth]), np.int64)


def _gather_nd(x: Array, indices: Array) -> Array:
    x, indices = np.asarray(x), np.asarray(indices)  # see `table`: they may not have been computed yet
    depth = indices.shape[-1]
    tail = x.shape[depth:]
    blocks = x.reshape(math.prod(x.shape[:depth]), *tail)
    return taken(blocks, block_numbers("gather_nd", indices, x.shape), 0).reshape((*indices.shape[:-1], *tail))


def _scatter_nd(indices: Array, updates: Array, shape: tuple[int, ...]) -> Array:
    depth = indices.shape[-1]
    places = block_numbers("scatter_nd", indices, shape)
    blocks = updates.reshape((len(places), *shape[depth:]))
    return sum_segments(blocks, places, math.prod(shape[:depth])).reshape(shape)


def _tensor_scatter_update(tensor: Array, indices: Array, updates: Array) -> Array:
    indices, updates = np.asarray(indices), np.asarray(updates)  # see `table`: they may not have been computed yet
    depth = indices.shape[-1]
    places = block_numbers("tensor_scatter_update", indices, tensor.shape)
    out = tensor.copy()
    blocks = out.reshape((math.prod(tensor.shape[:depth]), *tensor.shape[depth:]))
    # If several updates have the same index, the last must win, which numpy does not guarantee: only it is passed on.
    reversed_places = places[::-1]
    last = len(places) - 1 - np.unique(reversed_places, return_index=True)[1]
    blocks[places[last]] = updates.reshape((len(places), *blocks.shape[1:]))[last]
    return out


def _search_sorted(sorted_sequence: Array, values: Array, side: str) -> Array:
    """Bisection of all rows at once, with TF.js's comparisons: NaN compares false."""
    size = sorted_sequence.shape[1]
    low = np.zeros(values.shape, np.int32)
    high = np.full(values.shape, size, np.int32)
    before = np.less if side == "left" else np.less_equal
    for _ in range(size.bit_length()):
        middle = (low + high) // 2
        found = np.take_along_axis(sorted_sequence, np.minimum(middle, size - 1), axis=1)
        open_ = low < high
        right = before(found, values)
        low = np.where(open_ & right, middle + 1, low)
        high = np.where(open_ & ~right, middle, high)
    return high


def counted(x: Array, weights: Array, size: int) -> tuple[Array, Array, int]:
    """Where each number of a row is counted, its weight, and how many positions there are.

    Numbers of `size` or more are omitted.
    """
    check_counted(x)
    rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
    inside = rows < size
    places = (rows + np.arange(len(rows))[:, None] * size)[inside]
    return places, weights.reshape(rows.shape)[inside], len(rows) * size


def _dense_bincount(x: Array, weights: Array, size: int, binary_output: bool) -> Array:
    """Sums of the weights of each number in each row."""
    places, values, count = counted(x, weights, size)
    counts: Array = np.bincount(places, values.astype(np.float64), minlength=count)
    if binary_output:
        counts = np.bincount(places, minlength=len(counts)) > 0
    if weights.dtype == np.int32:
        counts = to_int32(counts)
    out = to_bool(counts) if weights.dtype == np.bool_ else counts.astype(weights.dtype)
    return out.reshape((*x.shape[:-1], size))


KERNELS.update(
    {
        "DenseBincount": _dense_bincount,
        "GatherNd": _gather_nd,
        "ScatterNd": _scatter_nd,
        "SearchSorted": _search_sorted,
        "TensorScatterUpdate": _tensor_scatter_update,
    }
)
