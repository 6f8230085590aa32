"""How far numbers may be off, by backend: constants, never computed from results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# (relative, absolute per largest expected magnitude) of one op against the same op in float64.
# `exact` adds up convolutions in float32, as TF.js does.
FORWARD = {"cpu": (2e-6, 1e-6), "exact": (1e-6, 5e-7), "webgl": (2e-6, 1e-6)}

# Of results in float32 against those that something else computes: relative, or absolute of numbers around 1.
ROUNDING = 1e-6  # of a few ops
ACCUMULATED = 1e-5  # of layers, sequences and steps, whose roundings accumulate
TRAINED = 1e-4  # of trainings, gradients through many ops, and other long computations

# Of results in float64 against the same computed in another order.
DOUBLE = 1e-12

# Of a GPU's results against numpy's in float32: GLSL lets exp, log and the like be less exact.
GPU_FUNCTION = 5e-6  # of one of them
GPU_FUNCTIONS = 2e-5  # of several in turn

# Of a gradient against a central difference, both in float64, and the steps of the differences.
GRADIENT = 1e-6
SECOND_GRADIENT = 2e-5
STEP, SECOND_STEP = 1e-6, 1e-5

# Of a sum in float32 against the same in float64, by what the magnitudes of its terms add up to.
SUMS = 16 * 2.0**-24


def central_difference(function: Callable[[float], Any], step: float) -> float:
    """The slope of a function at 0."""
    return (float(function(step)) - float(function(-step))) / (2 * step)


def assert_sums(found: Any, expected: Any, magnitudes: Any) -> None:
    """Sums are the expected ones but for a few roundings of what the magnitudes of their terms add up to."""
    assert np.shape(found) == np.shape(expected)
    off = np.abs(found - expected)
    assert (off <= SUMS * magnitudes).all(), f"off by up to {np.max(off / magnitudes)} of the magnitudes"


def assert_products(found: Any, a: Any, b: Any) -> None:
    """Matrices are the products of others."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    assert_sums(found, a @ b, np.abs(a) @ np.abs(b))
