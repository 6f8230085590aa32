"""Linear algebra, rounded after each op that TF.js composes it of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.exact.rounding import rounded


def _qr(x: Array, full_matrices: bool) -> list[Array]:
    """Householder's method column by column; rounding errors below the diagonal are kept, as in TF.js."""
    *lead, rows, columns = x.shape
    r = x.copy()
    q = np.broadcast_to(np.eye(rows), (*lead, rows, rows)).copy()
    for j in range(columns):
        column = r[..., j:, j, None]
        length = rounded(np.sqrt(rounded(np.sum(rounded(np.square(column)), axis=-2, keepdims=True))))
        sign = np.where(column[..., :1, :] > 0, -1.0, 1.0)
        pivot = rounded(column[..., :1, :] - sign * length)
        w = rounded(column / pivot)
        w[..., 0, 0] = 1
        turned = rounded(rounded(-sign * pivot / length) * w)
        rest, part = r[..., j:, :], q[..., j:]
        rest[...] = rounded(rest - rounded(turned @ rounded(w.swapaxes(-1, -2) @ rest)))
        part[...] = rounded(part - rounded(rounded(part @ w) @ turned.swapaxes(-1, -2)))
    inner = rows if full_matrices else columns
    return [q[..., :inner].copy(), r[..., :inner, :].copy()]


LINALG: Mapping[str, Callable[..., Any]] = {"Qr": _qr}
