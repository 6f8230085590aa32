"""Rounding double precision to single precision values."""

from __future__ import annotations

import numpy as np

from tfpy.engine.backend import Array


def rounded(values: Array) -> Array:
    """Double precision rounded to float32 or complex64 values; other dtypes unchanged."""
    if values.dtype == np.float64:
        return values.astype(np.float32).astype(np.float64)
    if values.dtype == np.complex128:
        return values.astype(np.complex64).astype(np.complex128)
    return values
