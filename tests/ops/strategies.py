"""Hypothesis strategies for shapes and arrays, and the exceptions that ops may raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

ALLOWED_ERRORS = (ValueError, TypeError, RuntimeError)
Array = np.ndarray

sizes = st.integers(0, 4)
shapes = st.lists(sizes, min_size=0, max_size=4).map(tuple)
seeds = st.integers(0, 2**32 - 1)


def floats_of(shape: Sequence[int], seed: int) -> Array:
    """Random values that are exact in float32."""
    return np.random.default_rng(seed).integers(-64, 65, tuple(shape)) / 32


@st.composite
def arrays(draw: Any, shape: Any = shapes) -> Array:
    return floats_of(draw(shape), draw(seeds))


@st.composite
def int_arrays(draw: Any, shape: Any = shapes, low: int = -3, high: int = 5) -> Array:
    return np.random.default_rng(draw(seeds)).integers(low, high + 1, draw(shape)).astype(np.int32)


def shapes_of_rank(low: int, high: int, smallest: int = 0, largest: int = 4) -> Any:
    return st.lists(st.integers(smallest, largest), min_size=low, max_size=high).map(tuple)
