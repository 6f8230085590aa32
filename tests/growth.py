"""The growth of run time, as a ratio of processor times, so that tests do not depend on the machine and its load."""

from __future__ import annotations

import time
from collections.abc import Callable


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times longer ten times as much work takes: about 10 for linear time, 100 for quadratic time."""
    return _seconds(work, 10 * size) / _seconds(work, size)


def _seconds(work: Callable[[int], object], size: int) -> float:
    """The least time of several runs: at least three, and more of short ones, which other load affects most."""
    times: list[float] = []
    while len(times) < 3 or (sum(times) < 0.05 and len(times) < 50):
        start = time.process_time()
        work(size)
        times.append(time.process_time() - start)
    return min(times)
