"""numpy kernels of matrix products. A transposed operand is a view: BLAS reads it as it lies.

Large products are cut into shards of rows (columns, or matrices), each with BLAS on one thread: as fast as BLAS's own
threads on an idle machine, and many times faster on a busy one, where those wait for each other.
"""

from __future__ import annotations

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.blas import blas_state, one_blas_thread
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.threads import run_sharded, spans

# Below so many multiplications, by a matrix and by a vector, OpenBLAS stays on one thread by itself.
_ONE_THREAD_MULTIPLICATIONS = 1 << 18
_ONE_THREAD_MULTIPLICATIONS_BY_VECTOR = 9216

# So many multiplications make a shard worth its while.
_SHARD_MULTIPLICATIONS = 5 << 20


def product(a: Array, b: Array) -> Array:
    """The matrix product of the last two dimensions; those before broadcast."""
    if a.ndim == b.ndim == 2:
        m, n, size = len(a), b.shape[1], a.size
        if size == 1 or (n == 1 and b.size == 1):  # `dot` leaves out what is multiplied by a single 0, NaN too
            return np.multiply(a, b)
        work = size * n
        # `dot` is BLAS at once; `matmul` looks around for half a microsecond first.
        alone = _ONE_THREAD_MULTIPLICATIONS if m > 1 and n > 1 else _ONE_THREAD_MULTIPLICATIONS_BY_VECTOR
        if work < alone or (blas_state.alone and work < 2 * _SHARD_MULTIPLICATIONS):
            return a.dot(b)
        if work < 2 * _SHARD_MULTIPLICATIONS:
            return one_blas_thread.run(a.dot, b)
        a, b = _for_blas(a), _for_blas(b)
        out = np.empty((m, n), np.result_type(a, b))
        if m >= n:
            run_sharded(lambda i, j: np.matmul(a[i:j], b, out=out[i:j]), spans(m, work, _SHARD_MULTIPLICATIONS))
        else:
            run_sharded(lambda i, j: np.matmul(a, b[:, i:j], out=out[:, i:j]), spans(n, work, _SHARD_MULTIPLICATIONS))
        return out
    a, b = _for_blas(a), _for_blas(b)
    m, n = a.shape[-2], b.shape[-1]
    if a.ndim == 3 and b.shape[:-2] == a.shape[:-2]:
        out = np.empty((len(a), m, n), np.result_type(a, b))
        cuts = spans(len(a), a.size * n, _SHARD_MULTIPLICATIONS)
        run_sharded(lambda i, j: np.matmul(a[i:j], b[i:j], out=out[i:j]), cuts)
        return out
    out = np.empty((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), m, n), np.result_type(a, b))
    run_sharded(lambda i, j: np.matmul(a, b, out=out), [(0, 1)])
    return out


def _for_blas(x: Array) -> Array:
    """A matrix that is a row, a column or a number repeated is written out: `matmul` before numpy 2.3 is slow on it."""
    return np.ascontiguousarray(x) if 0 in x.strides[-2:] else x


def _batch_matmul(a: Array, b: Array, transpose_a: bool, transpose_b: bool) -> Array:
    return product(a.swapaxes(-1, -2) if transpose_a else a, b.swapaxes(-1, -2) if transpose_b else b)


KERNELS["BatchMatMul"] = _batch_matmul
