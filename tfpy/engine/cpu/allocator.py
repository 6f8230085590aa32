"""Memory that is used again: the one setting of the process that the numpy backend makes.

By default glibc gives the memory of large arrays back to the system as soon as they are freed, and the next array of
that size has every page of it mapped and zeroed anew, which takes longer than most kernels. Here freed memory stays
with the process, for the next array. Peak memory is the same. The environment variable TFPY_MALLOC=0 leaves everything
as it is, and other systems and C libraries are left as they are, too.
"""

from __future__ import annotations

import os
import sys

# The parameters of mallopt(3) and the largest values that versions of glibc take.
_MMAP_THRESHOLD = -3
_TRIM_THRESHOLD = -1
_LARGEST_THRESHOLDS = 1 << 30, 1 << 25
_NEVER = (1 << 31) - 1


def keep_freed_memory() -> bool:
    """Have the C library keep freed memory for later arrays; whether it will."""
    if sys.platform != "linux" or os.environ.get("TFPY_MALLOC") == "0":
        return False
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return False
    kept = any(mallopt(_MMAP_THRESHOLD, size) for size in _LARGEST_THRESHOLDS)
    return bool(mallopt(_TRIM_THRESHOLD, _NEVER)) and kept
