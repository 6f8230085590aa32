"""numpy kernels that reduce along axes, or run along one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.lazy import LARGE_ELEMENTS
from tfpy.engine.cpu.lazy import total as total_of
from tfpy.engine.cpu.select import selected
from tfpy.engine.cpu.table import KERNELS, TOTALS
from tfpy.engine.spec import reduced_shape

Axes = tuple[int, ...]

_MANY_ROWS = 256
_LONG_ROW_ELEMENTS = 2048
_SHORT_ROW_ELEMENTS = 1024
_FEW_ELEMENTS = 1 << 12
_BLOCK_ROWS = 256  # added up sequentially: with more of them, digits are lost

# numpy's type stubs accept `reduce` only with a literal keepdims.
_add: Any = np.add.reduce
_multiply: Any = np.multiply.reduce
_and: Any = np.logical_and.reduce
_or: Any = np.logical_or.reduce


def _sum(x: Array, axes: Axes, keep_dims: bool) -> Array:
    if len(axes) == x.ndim:
        return total_of(x).reshape((1,) * x.ndim) if keep_dims else total_of(x)
    if axes and x.size and axes[-1] < x.ndim - 1 and x.flags.c_contiguous:
        first, last = axes[0], axes[-1] + 1
        count = math.prod(x.shape[first:last])
        if count >= _MANY_ROWS and len(axes) == last - first:
            total = sum_of_rows(x.reshape(math.prod(x.shape[:first]), count, -1))
            return total.reshape(reduced_shape(x.shape, axes, keep_dims))
    return _add(x, axis=axes, keepdims=keep_dims, dtype=x.dtype)


def sum_of_rows(rows: Array) -> Array:
    """The sums of many rows, (…, rows, width) -> (…, width).

    Short ones are first combined to fewer long rows, which numpy adds fifty times faster; many are added in blocks,
    since numpy adds rows sequentially, which loses digits.
    """
    *lead, count, width = rows.shape
    together = max(1, min(count, _LONG_ROW_ELEMENTS // max(1, width)))
    whole = count // together * together
    total = _sum_in_blocks(rows[..., :whole, :].reshape(*lead, whole // together, together * width))
    total = _sum_in_blocks(total.reshape(*lead, together, width))
    return total + _add(rows[..., whole:, :], axis=-2, dtype=rows.dtype) if whole < count else total


def sums_along_rows(x: Array) -> Array:
    """The sum along the last axis, which remains with size 1.

    `reduce` takes four times as long on many short rows, whose sums lose no digits if computed in one call.
    """
    if x.ndim != 2 or x.size < _FEW_ELEMENTS or x.shape[1] > _SHORT_ROW_ELEMENTS:
        return np.asarray(_add(x, axis=-1, keepdims=True))
    found: Array = np.einsum("ij->i", x)
    return found[:, None]


def _sum_in_blocks(rows: Array) -> Array:
    *lead, count, width = rows.shape
    if count <= _BLOCK_ROWS:
        return np.asarray(_add(rows, axis=-2, dtype=rows.dtype))
    whole = count // _BLOCK_ROWS * _BLOCK_ROWS
    parts = _add(rows[..., :whole, :].reshape(*lead, -1, _BLOCK_ROWS, width), axis=-2, dtype=rows.dtype)
    total = _sum_in_blocks(parts)
    return total + _add(rows[..., whole:, :], axis=-2, dtype=rows.dtype) if whole < count else total


def _mean(x: Array, axes: Axes, keep_dims: bool) -> Array:
    """The sum, divided: one pass over x, whereas TF.js divides every element first. Of no elements it is 0."""
    if 0 < x.size < LARGE_ELEMENTS and len(axes) == x.ndim and not keep_dims:
        return _add(x, None) / x.size  # equivalent to what follows, with one call less for losses
    total = _sum(x, axes, keep_dims)
    count = x.size // total.size if total.size else 0
    return total / count if count else total


def _prod(x: Array, axes: Axes, keep_dims: bool) -> Array:
    """In double precision, as in TF.js: a partial product may be far larger or smaller than the whole."""
    if x.dtype != np.float32:
        return _multiply(x, axis=axes, keepdims=keep_dims, dtype=x.dtype)
    return np.asarray(_multiply(x, axis=axes, keepdims=keep_dims, dtype=np.float64)).astype(np.float32)


def _extremum(ufunc: Any) -> Any:
    def reduce(x: Array, axes: Axes, keep_dims: bool) -> Array:
        if x.size:
            return ufunc.reduce(x, axis=axes, keepdims=keep_dims)
        # The extremum of no elements is NaN; for dtypes without NaN, 0.
        value = np.nan if x.dtype.kind == "f" else 0
        return np.full(reduced_shape(x.shape, axes, keep_dims), value, x.dtype)

    return reduce


def _all(x: Array, axes: Axes, keep_dims: bool) -> Array:
    if not x.size:  # TF.js starts from the first element, which does not exist: false
        return np.zeros(reduced_shape(x.shape, axes, keep_dims), np.bool_)
    return _and(x, axis=axes, keepdims=keep_dims)


def _any(x: Array, axes: Axes, keep_dims: bool) -> Array:
    return _or(x, axis=axes, keepdims=keep_dims)


def _arg_max(x: Array, axis: int) -> Array:
    """The first maximum; NaN loses against every number unless it is the first element."""
    found = x.argmax(axis)
    if x.dtype.kind == "f" and _is_nan_at(x, found, axis):
        numbers = np.where(np.isnan(x), -np.inf, x)
        first = np.isnan(np.take(x, 0, axis=axis))
        found = np.where(first, 0, np.argmax(numbers, axis=axis))
    return found.astype(np.int32)


def _is_nan_at(x: Array, found: Array, axis: int) -> bool:
    """Whether any maximum found by numpy, which prefers NaN, is NaN."""
    if 0 < x.size < _LONG_ROW_ELEMENTS:  # one call instead of ten
        largest = np.maximum.reduce(x, None)
        return bool(largest != largest)
    return bool(np.isnan(np.take_along_axis(x, np.expand_dims(found, axis), axis)).any())


def _arg_min(x: Array, axis: int) -> Array:
    # The complement of an integer reverses the order, like the negative, but cannot overflow.
    return _arg_max(np.negative(x) if x.dtype.kind == "f" else np.invert(x), axis)


def _cumulate(ufunc: np.ufunc, neutral: int) -> Any:
    def cumulate(x: Array, axis: int, exclusive: bool, reverse: bool) -> Array:
        if reverse:
            x = np.flip(x, axis)
        if exclusive and x.shape[axis]:
            head = np.full_like(x.take([0], axis=axis), neutral)
            x = np.concatenate([head, x.take(range(x.shape[axis] - 1), axis=axis)], axis=axis)
        out = ufunc.accumulate(x, axis=axis, dtype=x.dtype)
        return np.ascontiguousarray(np.flip(out, axis)) if reverse else out

    return cumulate


def _top_k(x: Array, k: int, sorted: bool) -> list[Array]:
    """The k largest of each row, largest first; equal values by their index, NaN last."""
    key = _descending_key(x)
    if sorted:
        order = _first_in_order(key, k)
    else:
        order = np.argsort(key, axis=-1, kind="stable")
        order = selected(order.reshape(math.prod(x.shape[:-1]), x.shape[-1]), k).reshape((*x.shape[:-1], k))
    order = order[..., :k]
    return [np.take_along_axis(x, order, axis=-1), order.astype(np.int32)]


_PARTITIONED_RATIO = 8  # from this many elements per wanted one on, rows are partitioned instead of sorted


def _first_in_order(key: Array, k: int) -> Array:
    """The indices of each row's smallest keys, equal ones by their index: k of them, or all."""
    size = key.shape[-1]
    if 0 < k * _PARTITIONED_RATIO <= size:
        found = np.sort(np.argpartition(key, k - 1, axis=-1)[..., :k], axis=-1)
        keys = np.take_along_axis(key, found, axis=-1)
        last = keys.max(axis=-1, keepdims=True)
        if (np.add.reduce(key <= last, axis=-1, dtype=np.intp) == k).all():  # not so if some are equal to the last
            return np.take_along_axis(found, np.argsort(keys, axis=-1, kind="stable"), axis=-1)
    return np.argsort(key, axis=-1, kind="stable")


def _descending_key(x: Array) -> Array:
    if x.dtype.kind == "f":
        return np.negative(x)
    return np.negative(x.astype(np.int64))


KERNELS.update(
    {
        "All": _all,
        "Any": _any,
        "ArgMax": _arg_max,
        "ArgMin": _arg_min,
        "Cumprod": _cumulate(np.multiply, 1),
        "Cumsum": _cumulate(np.add, 0),
        "Max": _extremum(np.maximum),
        "Mean": _mean,
        "Min": _extremum(np.minimum),
        "Prod": _prod,
        "Sum": _sum,
        "TopK": _top_k,
    }
)
TOTALS.update(("Mean", "Sum"))
