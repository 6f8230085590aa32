"""numpy kernels of matrix products. A transposed operand is a view: BLAS reads it as it lies."""

from __future__ import annotations

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS


def _batch_matmul(a: Array, b: Array, transpose_a: bool, transpose_b: bool) -> Array:
    if transpose_a:
        a = a.swapaxes(-1, -2)
    if transpose_b:
        b = b.swapaxes(-1, -2)
    return np.matmul(a, b)


KERNELS["BatchMatMul"] = _batch_matmul
