"""numpy kernels of softmax along rows, its logarithm and its gradient, in blocks that stay in the cache."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.lines import each_block
from tfpy.engine.cpu.reduce import sums_along_rows
from tfpy.engine.cpu.table import KERNELS

# `exp` of numbers within ± this, and sums of them, do not overflow, and such sums are not 0.
_LARGEST_EXPONENT = 60

_BLOCK_ELEMENTS = 1 << 17
_SHARD_ELEMENTS = 1 << 17
_FEW_ELEMENTS = 1 << 12


def _by_rows(fill: Callable[..., None]) -> Callable[..., Array]:
    """The kernel whose result `fill(result, *inputs)` writes, along the last axis: all rows at once, or some."""

    def run(*arrays: Array) -> Array:
        shape = arrays[0].shape
        out = np.empty(shape, arrays[0].dtype)
        if out.size < _FEW_ELEMENTS:
            if out.size:
                fill(out, *arrays)
            return out
        rows = [np.ascontiguousarray(a).reshape(-1, shape[-1]) for a in (out, *arrays)]
        each_block(rows[0], lambda number, part: fill(*[r[part] for r in rows]), _BLOCK_ELEMENTS, _SHARD_ELEMENTS)
        return out

    return run


def _softmax(y: Array, logits: Array) -> None:
    np.exp(logits if _is_bounded(logits) else np.subtract(logits, _largest(logits), out=y), out=y)
    np.divide(y, sums_along_rows(y), out=y)


def _is_bounded(x: Array) -> bool:
    largest, smallest = np.maximum.reduce(x, None), np.minimum.reduce(x, None)
    return bool(largest <= _LARGEST_EXPONENT and smallest >= -_LARGEST_EXPONENT)  # both are false for NaN


def _log_softmax(y: Array, logits: Array) -> None:
    np.subtract(logits, _largest(logits), out=y)
    np.subtract(y, np.log(sums_along_rows(np.exp(y))), out=y)


def _softmax_grad(dx: Array, dy: Array, y: Array) -> None:
    np.multiply(dy, y, out=dx)
    np.subtract(dy, sums_along_rows(dx), out=dx)
    np.multiply(dx, y, out=dx)


def _largest(x: Array) -> Array:
    """The largest along the last axis, which remains with size 1."""
    if x.size < _FEW_ELEMENTS:
        return np.asarray(np.maximum.reduce(x, axis=-1, keepdims=True))
    found: Array = np.maximum.reduceat(x.reshape(-1), np.arange(0, x.size, x.shape[-1]))  # half the time of `reduce`
    return found[:, None]


KERNELS.update(
    {
        "LogSoftmax": _by_rows(_log_softmax),
        "Softmax": _by_rows(_softmax),
        "SoftmaxGrad": _by_rows(_softmax_grad),
    }
)
