"""Rounding as JavaScript's Math.round does it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def round_half_up(value: Any) -> Any:
    """Math.round of a number, an int, or of an array.

    Not floor(x + 0.5), which makes 1 of the largest number below 0.5.
    """
    if not isinstance(value, np.ndarray):
        low = math.floor(value)
        return low + (value - low >= 0.5)
    with np.errstate(invalid="ignore"):  # infinite ones have no distance from their floor
        floor = np.floor(value)
        return floor + (value - floor >= 0.5)
