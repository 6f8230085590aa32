"""`np.where` for large arrays. numpy branches on each element, and half of the branches are mispredicted; branchless
selection of bits is several times faster.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy.engine.backend import Array

_FEW_ELEMENTS = 1 << 12
_BITS: dict[int, Any] = {4: np.int32, 8: np.int64}


def where(condition: Array, a: Any, b: Any) -> Array:
    """a where the condition is true, else b: arrays, or numpy scalars."""
    bits = _BITS.get(a.dtype.itemsize) if a.dtype == b.dtype and a.dtype.kind in "fic" else None
    shape = condition.shape
    if bits is None or condition.size < _FEW_ELEMENTS or not (_is_like(a, shape) and _is_like(b, shape)):
        return np.where(condition, a, b)
    picked = np.asarray(np.negative(condition.view(np.int8), dtype=bits))  # all bits set, or none
    np.bitwise_and(picked, np.bitwise_xor(a.view(bits), b.view(bits)), out=picked)
    return np.bitwise_xor(picked, b.view(bits), out=picked).view(a.dtype)


def _is_like(x: Any, shape: tuple[int, ...]) -> bool:
    return x.ndim == 0 or (x.shape == shape and x.flags.c_contiguous)
