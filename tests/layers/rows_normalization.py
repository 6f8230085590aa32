"""Rows of the normalization, noise and dropout layers."""

from __future__ import annotations

from typing import Any

import numpy as np
from layers.references import Array
from layers.table import Row, row

IMAGE = (3, 4, 5, 6)


def unit(x: Array, axes: Any, epsilon: float = 1e-3) -> Array:
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def batch_normalized(x: Array, g: Array, b: Array, m: Array, v: Array, epsilon: float = 1e-3) -> Array:
    return (x - m) / np.sqrt(v + epsilon) * g + b


def grouped(x: Array, g: Array, b: Array, groups: int) -> Array:
    parts = x.reshape(*x.shape[:-1], groups, -1)
    axes = (*range(1, x.ndim - 1), x.ndim)
    return unit(parts, axes).reshape(x.shape) * g + b


ROWS: list[Row] = [
    row("batch_normalization", {}, (4, 3), weights=[(3,)] * 4, positive=[3], reference=batch_normalized),
    row("batch_normalization", {"axis": 1, "epsilon": 0.1}, (4, 3, 5), weights=[(3,)] * 4, positive=[3],
        reference=lambda x, *w: batch_normalized(x, *(a[:, None] for a in w), epsilon=0.1)),
    row("batch_normalization", {"scale": False, "momentum": 0.5}, IMAGE, weights=[(6,)] * 3, positive=[2],
        reference=lambda x, b, m, v: batch_normalized(x, np.ones(6), b, m, v)),
    row("batch_normalization", {"center": False, "gamma_regularizer": "l2"}, (4, 3), weights=[(3,)] * 3, positive=[2],
        reference=lambda x, g, m, v: batch_normalized(x, g, np.zeros(3), m, v)),
    row("layer_normalization", {}, (2, 3, 5), weights=[(5,)] * 2, reference=lambda x, g, b: unit(x, -1) * g + b),
    row("layer_normalization", {"axis": [1, 2], "epsilon": 0.01}, (2, 3, 5), weights=[(3, 5)] * 2,
        reference=lambda x, g, b: unit(x, (1, 2), 0.01) * g + b),
    row("layer_normalization", {"axis": 1, "center": False}, (2, 3, 5), weights=[(3,)],
        reference=lambda x, g: unit(x, 1) * g[:, None]),
    row("layer_normalization", {"scale": False}, (2, 5), weights=[(5,)], reference=lambda x, b: unit(x, -1) + b),
    row("group_normalization", {"groups": 3}, IMAGE, weights=[(6,)] * 2, reference=lambda x, g, b: grouped(x, g, b, 3)),
    row("group_normalization", {"groups": -1}, IMAGE, weights=[(6,)] * 2, reference=lambda x, g, b: grouped(x, g, b, 6)),
    row("group_normalization", {"groups": 2, "axis": 1, "center": False}, (3, 4, 5), weights=[(4,)],
        reference=lambda x, g: unit(x.reshape(3, 2, 2, 5), (2, 3)).reshape(3, 4, 5) * g[:, None]),
    row("unit_normalization", {}, (2, 3, 5), reference=lambda x: x / np.sqrt((x**2).sum(-1, keepdims=True))),
    row("unit_normalization", {"axis": [1, 2]}, (2, 3, 5), reference=lambda x: x / np.sqrt((x**2).sum((1, 2), keepdims=True))),
    row("gaussian_noise", {"stddev": 0.5}, (2, 3), reference=lambda x: x),
    row("gaussian_dropout", {"rate": 0.3}, (2, 3), reference=lambda x: x),
    row("alpha_dropout", {"rate": 0.3, "noise_shape": [None, 1]}, (2, 3), reference=lambda x: x),
    row("spatial_dropout1d", {"rate": 0.3, "seed": 4}, (2, 3, 4), reference=lambda x: x),
    row("spatial_dropout2d", {"rate": 0.3}, IMAGE, reference=lambda x: x),
    row("spatial_dropout3d", {"rate": 0.3}, (2, 3, 2, 3, 2), reference=lambda x: x),
]  # fmt: skip
