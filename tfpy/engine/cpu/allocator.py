"""Memory: reuse, the only process-wide setting that the numpy backend changes, and alignment.

By default glibc returns the memory of large arrays to the system as soon as they are freed, and for the next array of
that size every page is mapped and zeroed again, which takes longer than most kernels. Here freed memory stays with
the process, for the next array. Peak memory is the same. The environment variable TFPY_MALLOC=0 leaves the settings
unchanged; on other systems and C libraries they are never changed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from tfpy.engine.backend import Array

# The parameters of mallopt(3) and the largest values that all versions of glibc accept.
_MMAP_THRESHOLD = -3
_TRIM_THRESHOLD = -1
_LARGEST_THRESHOLDS = 1 << 30, 1 << 25
_NEVER = (1 << 31) - 1

_CACHE_LINE = 64


def keep_freed_memory() -> bool:
    """Have the C library keep freed memory for later arrays; returns whether it will."""
    if sys.platform != "linux" or os.environ.get("TFPY_MALLOC") == "0":
        return False
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return False
    kept = any(mallopt(_MMAP_THRESHOLD, size) for size in _LARGEST_THRESHOLDS)
    return bool(mallopt(_TRIM_THRESHOLD, _NEVER)) and kept


def aligned_empty(shape: Sequence[int], dtype: np.dtype[Any]) -> Array:
    """`np.empty`, beginning at a multiple of 64 bytes, the size of a cache line.

    BLAS multiplies a matrix and a vector a third faster with the matrix aligned; numpy aligns to 16 bytes only.
    """
    size = prod(shape) * dtype.itemsize
    memory = np.empty(size + _CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % _CACHE_LINE
    return memory[start : start + size].view(dtype).reshape(shape)
