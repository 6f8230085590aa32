"""Constraints match their formulas along each axis, for weights that satisfy them and weights that do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from tolerance import ACCUMULATED

import tfpy as tf

Array = np.ndarray[Any, Any]

W = np.array([[3, 4], [0.3, -0.4], [1, 0]])


def scale(norms: Array, low: float, high: float, rate: float = 1) -> Array:
    """The factor by which vectors of these norms are scaled."""
    return (rate * np.clip(norms, low, high) + (1 - rate) * norms) / norms


@pytest.mark.parametrize("axis", [0, 1, -1, [1], (0, 1)])
@pytest.mark.parametrize(
    ("make", "options", "factor"),
    [
        (tf.constraints.max_norm, {"max_value": 1.5}, lambda norms: scale(norms, 0, 1.5)),
        (tf.constraints.unit_norm, {}, lambda norms: scale(norms, 1, 1)),
        (
            tf.constraints.min_max_norm,
            {"min_value": 1.2, "max_value": 2, "rate": 0.25},
            lambda norms: scale(norms, 1.2, 2, 0.25),
        ),
    ],
)
def test_norm_constraint_matches_formula_along_axis(
    make: Any, options: Any, factor: Callable[[Array], Array], axis: Any
) -> None:
    found = make(axis=axis, **options).apply(tf.tensor(W))
    np.testing.assert_allclose(
        found.numpy(),
        W * factor(np.sqrt((W * W).sum(axis if isinstance(axis, int) else tuple(axis), keepdims=True))),
        rtol=ACCUMULATED,
    )


def test_non_neg_clips_negative_weights() -> None:
    np.testing.assert_array_equal(tf.constraints.non_neg().apply(tf.tensor(W)).numpy(), np.maximum(W, 0, dtype="f4"))
