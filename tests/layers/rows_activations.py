"""Rows of the activation layers."""

from __future__ import annotations

import numpy as np
from layers.references import softmax
from layers.table import Row, row

ROWS: list[Row] = [
    row("relu", {}, (2, 3), reference=lambda x: np.maximum(x, 0)),
    row("relu", {"negative_slope": 0.5, "threshold": 0.3}, (2, 3, 2), reference=lambda x: np.where(x > 0.3, x, 0.5 * (x - 0.3))),
    row("relu", {"negative_slope": 0.5, "max_value": 0.5}, (2, 3, 2), reference=lambda x: np.where(x > 0, np.minimum(x, 0.5), 0.5 * x)),
    row("relu", {"max_value": 0.5}, (2, 3, 2), reference=lambda x: np.clip(x, 0, 0.5)),
    row("leaky_relu", {}, (2, 3), reference=lambda x: np.where(x > 0, x, 0.3 * x)),
    row("leaky_relu", {"alpha": 0.1}, (2, 3), reference=lambda x: np.where(x > 0, x, 0.1 * x)),
    row("prelu", {}, (2, 3), weights=[(3,)], reference=lambda x, a: np.where(x > 0, x, a * x)),
    row("prelu", {"shared_axes": [1, 2], "alpha_regularizer": "l1"}, (2, 3, 4, 5), weights=[(1, 1, 5)],
        reference=lambda x, a: np.where(x > 0, x, a * x)),
    row("elu", {}, (2, 3), reference=lambda x: np.where(x > 0, x, np.expm1(x))),
    row("elu", {"alpha": 0.5}, (2, 3), reference=lambda x: np.where(x > 0, x, 0.5 * np.expm1(x))),
    row("thresholded_relu", {"theta": 0.2}, (4, 3), reference=lambda x: np.where(x > 0.2, x, 0)),
    row("softmax", {}, (2, 3), reference=softmax),
    row("softmax", {"axis": 1}, (2, 3, 4), reference=lambda x: np.swapaxes(softmax(np.swapaxes(x, 1, 2)), 1, 2)),
    row("softmax", {"axis": [1, 2]}, (2, 3, 4), reference=lambda x: softmax(x.reshape(2, 12)).reshape(2, 3, 4)),
]  # fmt: skip
