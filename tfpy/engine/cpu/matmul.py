"""numpy kernels of matrix products. A transposed operand is a view: BLAS reads it without a copy.

Large products are split into shards of rows (columns, or matrices), each with BLAS on one thread: as fast as BLAS's
own threads on an idle machine, and many times faster on a busy one, where those wait for each other.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.blas import blas_state, one_blas_thread
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.threads import run_sharded, spans

# Below this many multiplications, by a matrix and by a vector, OpenBLAS uses one thread anyway.
_ONE_THREAD_MULTIPLICATIONS = 1 << 18
_ONE_THREAD_MULTIPLICATIONS_BY_VECTOR = 9216

# From this many elements on, clearing the result takes longer than calling `matmul`.
_LARGE_RESULT = 1 << 14

# How many multiplications make a shard worthwhile.
_SHARD_MULTIPLICATIONS = 5 << 20


def product_function(size: int) -> Callable[..., Array]:
    """The faster of numpy's functions for the product of two matrices, by the number of elements in the result.

    `dot` clears the result before BLAS overwrites it; `matmul` does not, but takes 0.4 µs longer to begin.
    """
    return np.dot if size < _LARGE_RESULT else np.matmul


def product(a: Array, b: Array) -> Array:
    """The matrix product of the last two dimensions; leading ones broadcast."""
    if a.ndim == b.ndim == 2:
        m, n, size = len(a), b.shape[1], a.size
        if size == 1 or (n == 1 and b.size == 1):  # `dot` skips multiplications by a single 0, even of NaN
            return np.multiply(a, b)
        work = size * n
        alone = _ONE_THREAD_MULTIPLICATIONS if m > 1 and n > 1 else _ONE_THREAD_MULTIPLICATIONS_BY_VECTOR
        if work >= 2 * _SHARD_MULTIPLICATIONS:
            return sharded_product(a, b)
        multiply = product_function(m * n)
        if multiply is np.matmul:
            a, b = _for_blas(a), _for_blas(b)
        if work < alone or blas_state.alone:
            return multiply(a, b)
        return one_blas_thread.run(multiply, a, b)
    a, b = _for_blas(a), _for_blas(b)
    m, n = a.shape[-2], b.shape[-1]
    if b.shape[:-2] == a.shape[:-2]:
        out = np.empty((*a.shape[:-2], m, n), np.result_type(a, b))
        cuts = spans(len(a), a.size * n, _SHARD_MULTIPLICATIONS)
        run_sharded(lambda i, j: np.matmul(a[i:j], b[i:j], out=out[i:j]), cuts)
        return out
    out = np.empty((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), m, n), np.result_type(a, b))
    run_sharded(lambda i, j: np.matmul(a, b, out=out), [(0, 1)])
    return out


def is_sharded(a: Array, b: Array) -> bool:
    """Whether the product of two matrices has work for more than one core."""
    return a.ndim == b.ndim == 2 and a.size * b.shape[1] >= 2 * _SHARD_MULTIPLICATIONS


def sharded_product(a: Array, b: Array, finish: Callable[[Array, slice], None] | None = None) -> Array:
    """The product of two matrices in shards of rows, or of columns if there are more of these.

    Args:
        a, b: the matrices.
        finish: called with each shard of the product, to modify it in place, and its columns.
    """
    a, b = _for_blas(a), _for_blas(b)
    m, n = len(a), b.shape[1]
    out = np.empty((m, n), np.result_type(a, b))

    def work(start: int, end: int) -> None:
        rows, columns = (slice(start, end), slice(None)) if m >= n else (slice(None), slice(start, end))
        part = out[rows, columns]
        np.matmul(a[rows], b[:, columns], out=part)
        if finish is not None:
            finish(part, columns)

    run_sharded(work, spans(max(m, n), a.size * n, _SHARD_MULTIPLICATIONS))
    return out


def _for_blas(x: Array) -> Array:
    """Copies a matrix that is a broadcast row, column or number: `matmul` before numpy 2.3 is slow on it."""
    return np.ascontiguousarray(x) if 0 in x.strides[-2:] else x


def transposed_if(a: Array, transpose: bool) -> Array:
    """Matrices, transposed if requested."""
    return a.swapaxes(-1, -2) if transpose else a


def _batch_matmul(a: Array, b: Array, transpose_a: bool, transpose_b: bool) -> Array:
    return product(transposed_if(a, transpose_a), transposed_if(b, transpose_b))


KERNELS["BatchMatMul"] = _batch_matmul
