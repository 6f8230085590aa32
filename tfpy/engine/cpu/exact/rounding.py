"""Double precision rounded to what single precision can hold."""

from __future__ import annotations

import numpy as np

from tfpy.engine.backend import Array


def rounded(values: Array) -> Array:
    """Double precision rounded to float32 or complex64; other dtypes as they are."""
    if values.dtype == np.float64:
        return values.astype(np.float32).astype(np.float64)
    if values.dtype == np.complex128:
        return values.astype(np.complex64).astype(np.complex128)
    return values
