"""Kernels that run on shards of the batch: convolutions and pooling, whose samples are independent.

If a batch is a single image, convolutions are split along its rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.threads import run_sharded, spans_in_turns
from tfpy.engine.spec import Shape
from tfpy.engine.windows import Window

Kernel = Callable[..., Array]
Rows = Callable[[Mapping[str, Any], int, int, int], tuple[dict[str, Window], slice]]

# How many multiplications of matrix products (or single multiplications, comparisons, …) make a shard worthwhile:
# about a fifth of a millisecond.
_SHARD_MULTIPLICATIONS = 1 << 23
_SHARD_OPERATIONS = 1 << 19

# The time per element copied to a column, or of the result, in multiplications of matrix products.
_COPY_COST = 10
_WRITE_COST = 30


def window_rows(attrs: Mapping[str, Any], rows: int, start: int, stop: int) -> tuple[dict[str, Window], slice]:
    """The rows that a window covers."""
    window, met = attrs["window"].along_rows(rows, start, stop)
    return {"window": window}, met


def by_batch(
    fill: Callable[..., None],
    batched: Sequence[int],
    shape: Callable[..., Shape],
    products: bool = True,
    rows: Rows | None = None,
) -> Kernel:
    """A kernel that runs in shards, each of which fills its part of the result.

    Args:
        fill: takes the array to fill, arrays and a `window`.
        batched: the positions of those arrays whose first axis is the batch.
        shape: returns the shape of the result, given the same arguments except the first.
        products: whether its work is matrix products, the filter's size for each position; or single operations.
        rows: given the windows by name, the number of rows of the first array, and the start and stop of the wanted
            rows of the result, it returns the windows and the rows of the first array that these are computed from.
    """

    def run(*arrays: Array, **attrs: Any) -> Array:
        out = np.empty(shape(*arrays, **attrs), arrays[0].dtype)
        by_rows = None if len(out) != 1 else rows

        def shard(a: int, b: int) -> None:
            if by_rows is None:
                fill(out[a:b], *_shard_of(arrays, batched, a, b), **attrs)
            else:
                windows, met = by_rows(attrs, arrays[0].shape[1], a, b)
                fill(out[:, a:b], arrays[0][:, met], *arrays[1:], **{**attrs, **windows})

        count = len(arrays[batched[0]]) if by_rows is None else out.shape[1]
        run_sharded(shard, _shard_bounds(count, arrays, attrs, products))
        return out

    return run


def summed(kernel: Kernel, batched: Sequence[int], products: bool = True) -> Kernel:
    """A kernel that runs in shards, and whose results are added up, always in the same order."""

    def run(*arrays: Array, **attrs: Any) -> Array:
        parts: dict[int, Array] = {}

        def shard(a: int, b: int) -> None:
            parts[a] = kernel(*_shard_of(arrays, batched, a, b), **attrs)

        cuts = _shard_bounds(len(arrays[batched[0]]), arrays, attrs, products)
        run_sharded(shard, cuts)
        total = parts[0]
        for a, _ in cuts[1:]:
            total += parts[a]
        return total

    return run


def like_output(x: Array, *arrays: Array, window: Window, **attrs: Any) -> Shape:
    """The shape of a kernel's result that has x's channels at each position."""
    return (len(x), *window.out, x.shape[-1])


def like_input(*arrays: Array, input_shape: Shape, **attrs: Any) -> Shape:
    """The shape of the gradient of an input."""
    return input_shape


def _shard_of(arrays: Sequence[Array], batched: Sequence[int], a: int, b: int) -> list[Array]:
    """A shard's part of the arrays."""
    return [x[a:b] if i in batched else x for i, x in enumerate(arrays)]


def _shard_bounds(count: int, arrays: Sequence[Array], attrs: dict[str, Any], products: bool) -> list[tuple[int, int]]:
    return spans_in_turns(
        count, _work(arrays, attrs, products), _SHARD_MULTIPLICATIONS if products else _SHARD_OPERATIONS
    )


def _work(arrays: Sequence[Array], attrs: dict[str, Any], products: bool) -> int:
    """The approximate number of operations of a kernel."""
    window = attrs["window"]
    places = len(arrays[0]) * math.prod(window.out) * window.cells
    channels = arrays[0].shape[-1]
    if not products:
        return places * channels
    # by the input, the first array has the filters, and the result the channels
    filters = attrs["input_shape"][-1] if "input_shape" in attrs else arrays[1].shape[-1]
    return places * channels * (filters + _COPY_COST) + places // max(1, window.cells) * filters * _WRITE_COST
