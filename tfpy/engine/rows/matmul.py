"""Rows of matrix products."""

from __future__ import annotations

import functools

from tfpy.engine.dtypes import DType
from tfpy.engine.errors import ShapeError
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import kernel
from tfpy.engine.spec import Shape, Spec, broadcast_shapes, spec


def _matmul(a: Handle, b: Handle, *, transpose_a: bool, transpose_b: bool) -> Spec:
    return _product(a.spec.shape, b.spec.shape, transpose_a, transpose_b, a.spec.dtype)


@functools.lru_cache(maxsize=4096)
def _product(x: Shape, y: Shape, transpose_a: bool, transpose_b: bool, dtype: DType) -> Spec:
    if len(x) < 2 or len(y) < 2:
        raise ShapeError(f"needs two matrices or batches of them, but got shapes {list(x)} and {list(y)}.")
    rows, inner = (x[-1], x[-2]) if transpose_a else (x[-2], x[-1])
    inner_b, columns = (y[-1], y[-2]) if transpose_b else (y[-2], y[-1])
    if inner != inner_b:
        raise ShapeError(
            f"inner sizes {inner} and {inner_b} differ: shapes {list(x)} and {list(y)}, "
            f"transpose_a={transpose_a}, transpose_b={transpose_b}."
        )
    return spec((*broadcast_shapes(x[:-2], y[:-2]), rows, columns), dtype)


kernel("BatchMatMul", "a b", _matmul, attrs="transpose_a transpose_b", label="mat_mul")
