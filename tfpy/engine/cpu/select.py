"""The k largest of each row in the order in which TF.js leaves them if they need not be sorted.

That is the order of the selection algorithm (R. W. Floyd and R. L. Rivest, "Algorithm 489: SELECT", 1975), which runs
here on all rows at once: one round partitions the open interval of each row, with all exchanges made together.
"""

from __future__ import annotations

import numpy as np

from tfpy.engine.backend import Array

_SAMPLED_ELEMENTS = 600  # from this many on, selection starts with a sample


def selected(order: Array, k: int) -> Array:
    """For rows of indices in sorted order, the first k of them in the order that results from selection.

    Args:
        order: a matrix; in each row the indices of the row's elements, the largest first.
        k: how many.
    """
    rows, size = order.shape
    places = np.argsort(order, axis=1)  # the rank of each element at its position: this is partitioned
    if k < size and rows:
        _select(places, k, np.zeros(rows, np.int64), np.full(rows, size - 1))
    return np.take_along_axis(order, places[:, :k], axis=1)


def _select(a: Array, k: int, left: Array, right: Array) -> None:
    """Exchange elements until a[k] is in place, those before it are smaller, and those after it larger."""
    while (active := np.flatnonzero(right > left)).size:
        sampled = active[right[active] - left[active] > _SAMPLED_ELEMENTS]
        if sampled.size:
            inner = a[sampled]
            _select(inner, k, *_sample(k, left[sampled], right[sampled]))
            a[sampled] = inner
        part = a[active]
        pivot = _partition(part, k, left[active], right[active])
        a[active] = part
        left[active] = np.where(pivot <= k, pivot + 1, left[active])
        right[active] = np.where(k <= pivot, pivot - 1, right[active])


def _sample(k: int, left: Array, right: Array) -> tuple[Array, Array]:
    """The interval in which the k-th smallest is expected, from a sample of a good size."""
    n, i = right - left + 1, k - left + 1
    z = np.log(n)
    s = 0.5 * np.exp(2 * z / 3)
    deviation = 0.5 * np.sqrt(z * s * (n - s) / n) * np.sign(i - n / 2)
    low = np.floor(k - i * s / n + deviation).astype(np.int64)
    high = np.floor(k + (n - i) * s / n + deviation).astype(np.int64)
    return np.maximum(left, low), np.minimum(right, high)


def _partition(a: Array, k: int, left: Array, right: Array) -> Array:
    """Move elements smaller than a[k] before it and larger ones after it; returns its new position.

    Two pointers that meet exchange the first element that is too large with the last one that is too small, the second
    with the last but one, and so on.
    """
    row, column = np.arange(len(a)), np.arange(a.shape[1])
    t = a[row, k].copy()
    a[row, k] = a[row, left]
    ends = a[row, right]
    at_left = ends > t
    a[row, left], a[row, right] = np.where(at_left, t, ends), np.where(at_left, ends, t)
    inside = (column > left[:, None]) & (column < right[:, None])
    smaller = inside & (a < t[:, None])
    middle = left + smaller.sum(axis=1)
    behind = column > middle[:, None]
    from_row, from_column = np.nonzero(inside & ~smaller & ~behind)
    to_row, to_column = np.nonzero((smaller & behind)[:, ::-1])
    to_column = a.shape[1] - 1 - to_column
    large = a[from_row, from_column]
    a[from_row, from_column], a[to_row, to_column] = a[to_row, to_column], large
    pivot = np.where(at_left, middle, middle + 1)
    border = np.where(at_left, left, right)
    a[row, border], a[row, pivot] = a[row, pivot], a[row, border]
    return pivot
