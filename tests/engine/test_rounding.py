"""Rounding as by JavaScript's Math.round; the expected values are recorded from Node."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tfpy.engine.javascript_numbers import round_half_up

ROUNDED = [(0.49999999999999994, 0), (-0.5, 0), (0.5, 1), (1.5, 2), (2.5, 3), (-1.5, -1), (2.0**52 + 1, 2**52 + 1)]


@pytest.mark.parametrize(("value", "expected"), ROUNDED)
def test_rounding_of_number_equals_math_round(value: float, expected: int) -> None:
    assert round_half_up(value) == expected
    assert isinstance(round_half_up(value), int)


def test_rounding_of_array_equals_math_round() -> None:
    values, expected = zip(*ROUNDED, (math.inf, math.inf), (-math.inf, -math.inf), strict=True)
    np.testing.assert_array_equal(round_half_up(np.array(values)), expected)
    assert round_half_up(np.float32([0.5])).dtype == np.float32
