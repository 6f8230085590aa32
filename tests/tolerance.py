"""Tolerances of numerical comparisons: constants, never computed from results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# (relative, absolute per largest expected magnitude) of one op against the same op in float64.
# `exact` accumulates convolutions in float32, as TF.js does.
FORWARD = {"cpu": (2e-6, 1e-6), "exact": (1e-6, 5e-7), "webgl": (2e-6, 1e-6)}

# Of float32 results against independently computed ones: relative, or absolute for values around 1.
ROUNDING = 1e-6  # a few ops
ACCUMULATED = 1e-5  # layers, sequences and steps, whose rounding errors accumulate
TRAINED = 1e-4  # training, gradients through many ops, and other long computations

# Of float64 results against the same computation in another order.
DOUBLE = 1e-12

# Of GPU results against numpy's in float32: GLSL allows lower accuracy of exp, log and similar functions.
GPU_FUNCTION = 5e-6  # one function
GPU_FUNCTIONS = 2e-5  # several functions in sequence

# Of a gradient against a central difference, both in float64; and the step sizes of the differences.
GRADIENT = 1e-6
SECOND_GRADIENT = 2e-5
STEP, SECOND_STEP = 1e-6, 1e-5

# Of a float32 sum against the float64 sum, relative to the sum of the magnitudes of its terms.
SUMS = 16 * 2.0**-24


def central_difference(function: Callable[[float], Any], step: float) -> float:
    """The numerical derivative of a function at 0."""
    return (float(function(step)) - float(function(-step))) / (2 * step)


def assert_sums(found: Any, expected: Any, magnitudes: Any) -> None:
    """Check sums up to a few rounding errors of the sum of the magnitudes of their terms."""
    assert np.shape(found) == np.shape(expected)
    error = np.abs(found - expected)
    assert (error <= SUMS * magnitudes).all(), f"off by up to {np.max(error / magnitudes)} of the magnitudes"


def assert_products(found: Any, a: Any, b: Any) -> None:
    """Check matrix products."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    assert_sums(found, a @ b, np.abs(a) @ np.abs(b))
