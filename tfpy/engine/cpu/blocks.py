"""Elementwise kernels on large arrays: in blocks that stay in the cache, on all cores.

What a kernel makes on its way is then as large as a block, and the second core helps where functions are expensive.
Every element is computed as in one piece.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.elementwise import ELEMENTWISE
from tfpy.engine.cpu.threads import run_sharded, spans

LARGE = 1 << 20  # elements: from here on it pays
_SHARD = 1 << 19
_BLOCK = 1 << 16


def blocked(kernel: str, compute: Callable[..., Any], arrays: Sequence[Array], attrs: Mapping[str, Any]) -> Any:
    """The result of an elementwise kernel; None where it is another, or its inputs are not laid out alike."""
    if kernel not in ELEMENTWISE:
        return None
    shape = max((a.shape for a in arrays), key=np.prod)
    flat = [_flat(a, shape) for a in arrays]
    if any(a is None for a in flat):
        return None
    first = compute(*_piece(flat, 0, 1), **attrs)
    out = np.empty(int(np.prod(shape)), first.dtype)

    def work(start: int, end: int) -> None:
        if isinstance(compute, np.ufunc):
            compute(*_piece(flat, start, end), out=out[start:end])
            return
        for begin in range(start, end, _BLOCK):
            stop = min(begin + _BLOCK, end)
            out[begin:stop] = compute(*_piece(flat, begin, stop), **attrs)

    run_sharded(work, spans(out.size, out.size, _SHARD))
    return out.reshape(shape)


def _flat(a: Array, shape: tuple[int, ...]) -> Array | None:
    """All elements in a row, or a scalar where they are one; None where they lie otherwise."""
    if not any(a.strides) or a.size == 1:  # a number broadcast to the shape, or a number
        return a[(0,) * a.ndim + (...,)]
    return a.reshape(-1) if a.shape == shape and a.flags.c_contiguous else None


def _piece(flat: Sequence[Any], start: int, end: int) -> list[Array]:
    return [a[start:end] if a.ndim else a for a in flat]
