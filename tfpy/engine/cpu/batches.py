"""Kernels run on shards of the batch: convolutions and pooling, whose samples do not depend on each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.threads import run_sharded, spans

Kernel = Callable[..., Array]

# So many multiplications (or comparisons, …) make a shard worth its while: about a fifth of a millisecond.
_PRODUCTS = 1 << 22
_SINGLE_OPS = 1 << 19


def by_batch(kernel: Kernel, batched: Sequence[int], products: bool = True, summed: bool = False) -> Kernel:
    """A kernel that runs shard by shard.

    Args:
        kernel: takes arrays and a `window`.
        batched: the places of those arrays whose first axis is the batch.
        products: whether its work is matrix products, the filter's size for each place; or single operations.
        summed: whether the parts of the result are added up, always in the same order, and not joined.
    """

    def run(*arrays: Array, **attrs: Any) -> Array:
        batch = len(arrays[batched[0]])
        cuts = spans(batch, _work(arrays, attrs, products), _PRODUCTS if products else _SINGLE_OPS)
        parts: dict[int, Array] = {}

        def shard(a: int, b: int) -> None:
            own = [x[a:b] if i in batched else x for i, x in enumerate(arrays)]
            parts[a] = kernel(*own, **_for_shard(attrs, b - a))

        run_sharded(shard, cuts)
        if len(cuts) == 1:
            return parts[0]
        ordered = [parts[a] for a, _ in cuts]
        if not summed:
            return np.concatenate(ordered)
        total = ordered[0]
        for part in ordered[1:]:
            total += part
        return total

    return run


def _work(arrays: Sequence[Array], attrs: dict[str, Any], products: bool) -> int:
    """About how many operations a kernel takes."""
    window = attrs["window"]
    places = len(arrays[0]) * int(np.prod(window.out)) * window.cells
    channels = [x.shape[-1] for x in arrays[:2]]
    return places * (channels[0] * channels[1] if products else channels[0])


def _for_shard(attrs: dict[str, Any], size: int) -> dict[str, Any]:
    if "input_shape" not in attrs:
        return attrs
    return {**attrs, "input_shape": (size, *attrs["input_shape"][1:])}
