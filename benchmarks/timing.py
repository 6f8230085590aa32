"""Timing side by side: the contenders take turns, so that noise of the machine hits all of them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def medians(contenders: Mapping[str, Callable[[], object]], repeats: int = 15, inner: int = 1) -> dict[str, float]:
    """The median time of one call of each contender, in seconds.

    Args:
        contenders: functions by name.
        repeats: how many rounds are made, after one to warm up.
        inner: how many calls are timed together in a round.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for turn in range(repeats + 1):
        for name, function in contenders.items():
            start = time.perf_counter()
            for _ in range(inner):
                function()
            if turn:
                times[name].append((time.perf_counter() - start) / inner)
    return {name: statistics.median(found) for name, found in times.items()}


def table(title: str, rows: list[tuple[str, dict[str, float]]], base: str) -> None:
    """Print times in microseconds and as ratios to those of a contender."""
    print(f"\n{title}")
    for name, found in rows:
        ratios = "  ".join(
            f"{who} {seconds * 1e6:10.1f} µs" + ("" if who == base else f" ({seconds / found[base]:5.2f} x)")
            for who, seconds in found.items()
        )
        print(f"  {name:24} {ratios}")
