"""Sparse tensors as lists of indices and values: which elements go where."""

from __future__ import annotations

import math

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error
from tfpy.engine.spec import strides_of


def filled_rows(indices: Array, rows: int) -> tuple[Array, Array, Array, Array]:
    """Give every empty row one element.

    Args:
        indices: one index per row; its first number is the row of the sparse tensor.
        rows: how many rows the tensor has.

    Returns:
        The indices sorted by row; for each of them the number of its element, or the number of elements for a new one;
        which rows were empty; and the new position of each element.
    """
    op, count = "sparse_fill_empty_rows", len(indices)
    if rows < 0:
        raise argument_error(op, "dense_shape", "sizes of 0 or more", [rows])
    row = indices[:, 0].astype(np.int64)
    outside = (row < 0) | (row >= rows)
    if outside.any():
        at = int(np.argmax(outside))
        raise argument_error(op, "indices", f"in a row from 0 to {rows - 1}", f"row {row[at]} at {at}")
    counts = np.bincount(row, minlength=rows)
    empty = counts == 0
    starts = np.cumsum(np.maximum(counts, 1)) - np.maximum(counts, 1)
    order = np.argsort(row, kind="stable")
    place = np.empty(count, np.int64)
    place[order] = np.arange(count) - (np.cumsum(counts) - counts)[row[order]] + starts[row[order]]
    total = count + int(empty.sum())
    picks, out = np.full(total, count), np.zeros((total, indices.shape[1]), np.int64)
    picks[place], out[place] = np.arange(count), indices
    out[starts[empty], 0] = np.flatnonzero(empty)
    return out, picks, empty, place


def reshaped(indices: Array, shape: list[int], wanted: list[int]) -> tuple[Array, list[int]]:
    """Indices into one shape as indices into another of equal size, and that shape with its -1 resolved."""
    op, size = "sparse_reshape", math.prod(shape)
    sizes = list(wanted)
    if sizes.count(-1) > 1 or min(sizes, default=0) < -1:
        raise argument_error(op, "new_shape", "sizes of 0 or more, and one -1 at most", wanted)
    if -1 in sizes:
        known = math.prod(n for n in sizes if n != -1)
        if known == 0 or size % known:
            raise argument_error(op, "new_shape", f"a shape of {size} elements", wanted)
        sizes[sizes.index(-1)] = size // known
    if math.prod(sizes) != size:
        raise argument_error(op, "new_shape", f"a shape of {size} elements", wanted)
    if indices.shape[1] != len(shape) or ((indices < 0) | (indices >= shape)).any():
        raise argument_error(op, "input_indices", f"indices into shape {shape}", indices)
    flat = indices.astype(np.int64) @ np.array(strides_of(shape), np.int64)
    out = np.zeros((len(indices), len(sizes)), np.int64)
    for axis, stride in enumerate(strides_of(sizes)):
        out[:, axis] = flat // max(stride, 1)
        flat = flat % max(stride, 1)
    return out, sizes


def checked_segments(op: str, ids: Array, indices: Array, rows: int) -> int:
    """The number of segments, from ascending ids; checks that the indices refer to existing rows."""
    if (np.diff(ids) < 0).any() or (ids.size and ids[0] < 0):
        raise argument_error(op, "segment_ids", "0 or more, and ascending", ids.tolist())
    if ((indices < 0) | (indices >= rows)).any():
        raise argument_error(op, "indices", f"from 0 to {rows - 1}", indices.tolist())
    return int(ids[-1]) + 1 if ids.size else 0
