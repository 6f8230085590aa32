"""Rows of the kernels of linear algebra, on matrices in the last two axes."""

from __future__ import annotations

from tfpy.engine.errors import ShapeError
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import kernel
from tfpy.engine.spec import Spec, spec


def _qr(x: Handle, *, full_matrices: bool) -> list[Spec]:
    *lead, rows, columns = x.spec.shape
    if rows < columns:
        raise ShapeError(f"needs at least as many rows as columns, but got shape {list(x.spec.shape)}.")
    inner = rows if full_matrices else columns
    return [spec((*lead, rows, inner), x.spec.dtype), spec((*lead, inner, columns), x.spec.dtype)]


def _solve(a: Handle, b: Handle, *, lower: bool, transposed: bool) -> Spec:
    return b.spec


# The sign of each column is that of Householder's method as TF.js has it.
kernel("Qr", "x", _qr, attrs="full_matrices")
# The x for which a · x = b.
kernel("TriangularSolve", "a b", _solve, attrs="lower transposed", label="triangular_solve")
