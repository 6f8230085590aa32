"""numpy kernels that move elements without changing them."""

from __future__ import annotations

import math
from itertools import accumulate
from operator import add

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.spec import Shape
from tfpy.engine.value_checks import check_indices


def _concat(*inputs: Array, axis: int) -> Array:
    return np.concatenate(inputs, axis=axis)


def _pack(*inputs: Array, axis: int) -> Array:
    return np.stack(inputs, axis=axis)


def taken(x: Array, indices: Array | int, axis: int) -> Array:
    """`x.take`, keeping a single string as an object: a numpy bytes array would strip its trailing zeros."""
    found = x.take(indices, axis=axis)
    return found if type(found) is np.ndarray else np.asarray(found, x.dtype)


def _unpack(value: Array, axis: int) -> list[Array]:
    return [taken(value, i, axis) for i in range(value.shape[axis])]


def _split(x: Array, sizes: tuple[int, ...], axis: int) -> list[Array]:
    lead = (slice(None),) * axis
    parts = zip(sizes, accumulate(sizes), strict=True)
    return [_owned(x[(*lead, slice(end - n, end))], x) for n, end in parts]


def _slice(x: Array, begin: tuple[int, ...], size: tuple[int, ...]) -> Array:
    return x if size == x.shape else x[tuple(map(slice, begin, map(add, begin, size)))].copy()


def _strided_slice(x: Array, index: tuple[tuple[int, int, int], ...], shape: Shape) -> Array:
    return _owned(x[tuple([_python_slice(*i) for i in index])], x).reshape(shape)


def _python_slice(start: int, step: int, count: int) -> slice:
    stop = start + step * count
    return slice(start, stop if stop >= 0 else None, step) if count else slice(0, 0)


def _owned(view: Array, x: Array) -> Array:
    """A copy of a part of x, so that the part does not keep the whole alive; all of x is itself."""
    return view if view.size == x.size and view.flags.c_contiguous else view.copy()


def _pad(x: Array, paddings: tuple[tuple[int, int], ...], constant_value: float) -> Array:
    shape = tuple([n + a + b for n, (a, b) in zip(x.shape, paddings, strict=True)])
    out = np.full(shape, constant_value, x.dtype)
    out[tuple([slice(a, a + n) for n, (a, _) in zip(x.shape, paddings, strict=True)])] = x
    return out


def _gather(x: Array, indices: Array, axis: int, batch_dims: int) -> Array:
    if batch_dims == 0:
        try:
            return taken(x, indices.view(np.uint32), axis)  # as unsigned numbers, negative ones are out of range, too
        except IndexError:
            check_indices(indices, x.shape, axis)
            raise
    check_indices(indices, x.shape, axis)
    lead = x.shape[:batch_dims]
    count = math.prod(lead)
    rows = x.reshape(count, *x.shape[batch_dims:])
    picks = indices.reshape(count, *indices.shape[batch_dims:])
    parts = [taken(row, pick, axis - batch_dims) for row, pick in zip(rows, picks, strict=True)]
    shape = (*x.shape[:axis], *indices.shape[batch_dims:], *x.shape[axis + 1 :])
    return np.stack(parts).reshape(shape) if count else np.empty(shape, x.dtype)


_LARGE_ELEMENTS = 1 << 16


def _broadcast_to(x: Array, shape: tuple[int, ...]) -> Array:
    if math.prod(shape) >= _LARGE_ELEMENTS:
        return np.broadcast_to(x, shape)  # writing and reading that much takes longer than any kernel on it
    y = np.empty(shape, x.dtype)
    y[...] = x
    return y


_MANY_TERMS = 1 << 10  # sums of this many terms lose digits if added sequentially in single precision


def sum_segments(rows: Array, ids: Array, num_segments: int) -> Array:
    """Sums of the rows with the same id; ids out of range are left out."""
    width = math.prod(rows.shape[1:])
    flat, known = rows.reshape(ids.size, width), (ids >= 0) & (ids < num_segments)
    if not known.all():
        flat, ids = flat[known], ids[known]
    # Element by element, since numpy adds to single elements several times faster than to rows.
    places, numbers = (ids.astype(np.intp)[:, None] * width + np.arange(width)).reshape(-1), flat.reshape(-1)
    if rows.dtype == np.float32 and ids.size > _MANY_TERMS and np.bincount(ids).max() > _MANY_TERMS:
        out = np.bincount(places, numbers, num_segments * width).astype(rows.dtype)  # adds up in double precision
    else:
        out = np.zeros(num_segments * width, rows.dtype)
        np.add.at(out, places, numbers)
    return out.reshape((num_segments, *rows.shape[1:]))


def _segment_sum(x: Array, segment_ids: Array, num_segments: int) -> Array:
    rows = x.reshape((segment_ids.size, *x.shape[segment_ids.ndim :]))
    return sum_segments(rows, segment_ids.reshape(-1), num_segments)


KERNELS.update(
    {
        "BroadcastTo": _broadcast_to,
        "Concat": _concat,
        "GatherV2": _gather,
        "Identity": lambda x: x,
        "Pack": _pack,
        "PadV2": _pad,
        "Reshape": lambda x, shape: x.reshape(shape),
        "Reverse": lambda x, axes: np.flip(x, axes).copy(),
        "Slice": _slice,
        "SplitV": _split,
        "StridedSlice": _strided_slice,
        "Tile": np.tile,
        "Transpose": lambda x, perm: x.transpose(perm),
        "Unpack": _unpack,
        "UnsortedSegmentSum": _segment_sum,
    }
)
