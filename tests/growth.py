"""The growth of run time, as a ratio of processor times, so that tests do not depend on the machine and its load."""

from __future__ import annotations

import time
from collections.abc import Callable


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times longer ten times as much work takes: about 10 for linear time, 100 for quadratic time."""
    return min(_seconds(work, 10 * size) for _ in range(3)) / min(_seconds(work, size) for _ in range(3))


def _seconds(work: Callable[[int], object], size: int) -> float:
    start = time.process_time()
    work(size)
    return time.process_time() - start
