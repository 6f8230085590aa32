"""How long work takes, as a ratio: what is asked of it must not depend on the machine."""

from __future__ import annotations

import time
from collections.abc import Callable


def growth(work: Callable[[int], object], size: int) -> float:
    """How many times longer ten times as much work takes: about 10 where the time grows with the size, 100 for its
    square."""
    return min(_seconds(work, 10 * size) for _ in range(3)) / min(_seconds(work, size) for _ in range(3))


def _seconds(work: Callable[[int], object], size: int) -> float:
    start = time.perf_counter()
    work(size)
    return time.perf_counter() - start
