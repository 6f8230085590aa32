"""Rows of the merge layers."""

from __future__ import annotations

import numpy as np
from layers.table import Row, row

TWO = ((2, 3), (2, 3))
THREE = ((2, 3, 4), (2, 1, 4), (2, 4))

ROWS: list[Row] = [
    row("add", {}, *TWO, reference=lambda a, b: a + b),
    row("add", {}, *THREE, reference=lambda a, b, c: a + b + c[:, None]),
    row("subtract", {}, *TWO, reference=lambda a, b: a - b),
    row("multiply", {}, *THREE, reference=lambda a, b, c: a * b * c[:, None]),
    row("average", {}, *TWO, (2, 3), reference=lambda a, b, c: (a + b + c) / 3),
    row("maximum", {}, *THREE, reference=lambda a, b, c: np.maximum(np.maximum(a, b), c[:, None])),
    row("minimum", {}, *TWO, reference=np.minimum),
    row("concatenate", {}, (2, 3), (2, 1), (2, 4), reference=lambda *inputs: np.concatenate(inputs, -1)),
    row("concatenate", {"axis": 1}, (2, 3, 4), (2, 2, 4), reference=lambda *inputs: np.concatenate(inputs, 1)),
    row("dot", {"axes": 1}, *TWO, reference=lambda a, b: (a * b).sum(1, keepdims=True)),
    row("dot", {"axes": -1, "normalize": True}, *TWO, reference=lambda a, b: (
        (a * b).sum(1, keepdims=True) / np.linalg.norm(a, axis=1, keepdims=True) / np.linalg.norm(b, axis=1, keepdims=True))),
    row("dot", {"axes": 2}, (2, 3, 4), (2, 5, 4), reference=lambda a, b: np.einsum("nik,njk->nij", a, b)),
    row("dot", {"axes": [1, 2]}, (2, 4, 3), (2, 5, 4), reference=lambda a, b: np.einsum("nki,njk->nij", a, b)),
    row("dot", {"axes": [2, 1]}, (2, 3, 4), (2, 4), reference=lambda a, b: np.einsum("nik,nk->ni", a, b)),
]  # fmt: skip
