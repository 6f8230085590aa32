"""numpy kernels of linear algebra, on matrices in the last two axes."""

from __future__ import annotations

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS

_BLOCK_COLUMNS = 32  # reduced one by one before the rest of the matrix is updated by matrix products


def _qr(x: Array, full_matrices: bool) -> list[Array]:
    """Householder's method in blocks of columns (Golub and Van Loan, Matrix Computations, 5.2.3)."""
    *lead, rows, columns = x.shape
    r = x.copy()
    blocks = []
    for j in range(0, columns, _BLOCK_COLUMNS):
        width = min(_BLOCK_COLUMNS, columns - j)
        v, t = _reflectors(r[..., j:, j : j + width])
        rest = r[..., j:, j + width :]
        rest -= v @ (t.swapaxes(-1, -2) @ (v.swapaxes(-1, -2) @ rest))
        blocks.append((j, v, t))
    inner = rows if full_matrices else columns
    q = np.broadcast_to(np.eye(rows, inner, dtype=x.dtype), (*lead, rows, inner)).copy()
    for j, v, t in reversed(blocks):
        part = q[..., j:, j:]
        part -= v @ (t @ (v.swapaxes(-1, -2) @ part))
    return [q, np.triu(r[..., :inner, :])]


def _reflectors(block: Array) -> tuple[Array, Array]:
    """Reduce a block of columns to a triangle, in place, by the reflections I - V · T · Vᵀ that are returned.

    Each reflection maps its column to -sign · length along the first axis, even if there is nothing left to reduce:
    this matches the signs of TF.js.
    """
    *lead, _, columns = block.shape
    v = np.zeros(block.shape, block.dtype)
    t = np.zeros((*lead, columns, columns), block.dtype)
    for j in range(columns):
        column = block[..., j:, j]
        length = np.sqrt(np.square(column).sum(axis=-1))
        head = column[..., 0]
        target = np.where(head > 0, -length, length)
        pivot = np.where(length != 0, head - target, 1)
        v[..., j:, j] = column / pivot[..., None]
        v[..., j, j] = 1
        tau = np.where(length != 0, -pivot / np.where(length != 0, target, 1), 0)[..., None]
        w = v[..., j:, j, None]
        rest = block[..., j:, j:]
        rest -= w * (tau[..., None] * (w.swapaxes(-1, -2) @ rest))
        earlier = v[..., j:, :j].swapaxes(-1, -2) @ w
        t[..., :j, j] = -tau * (t[..., :j, :j] @ earlier)[..., 0]
        t[..., j, j] = tau[..., 0]
    return v, t


def _triangular_solve(a: Array, b: Array, lower: bool, transposed: bool) -> Array:
    """Substitution row by row, for all columns and matrices at once."""
    if transposed:
        a, lower = a.swapaxes(-1, -2), not lower
    x = b.copy()
    size = a.shape[-1]
    for i in range(size) if lower else reversed(range(size)):
        x[..., i, :] /= a[..., i, i, None]
        rest = slice(i + 1, None) if lower else slice(0, i)
        x[..., rest, :] -= a[..., rest, i, None] * x[..., i, None, :]
    return x


KERNELS["Qr"] = _qr
KERNELS["TriangularSolve"] = _triangular_solve
