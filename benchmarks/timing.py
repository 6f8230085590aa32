"""Timing: alternating between contenders, so that noise of the machine affects all equally; and on a device."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def medians(contenders: Mapping[str, Callable[[], object]], repeats: int = 15, inner: int = 1) -> dict[str, float]:
    """The median time of one call of each contender, in seconds.

    Args:
        contenders: functions by name.
        repeats: the number of rounds, after one to warm up.
        inner: the number of calls that are timed together in a round.
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


def median_seconds(function: Callable[[], object], finish: Callable[[], object], seconds: float) -> float:
    """The median time of a call on a device, with many of them in flight.

    Args:
        function: the function to call, in batches that take a tenth of `seconds`.
        finish: waits until the device has finished all its work.
        seconds: the approximate duration of the measurement.
    """

    def batch(count: int) -> float:
        finish()
        start = time.perf_counter()
        for _ in range(count):
            function()
        finish()
        return time.perf_counter() - start

    for _ in range(3):
        batch(1)
    once = min(batch(1) for _ in range(3))
    count = max(1, int(seconds / 10 / once))
    return statistics.median(batch(count) / count for _ in range(7))


def table(title: str, rows: list[tuple[str, dict[str, float]]], base: str) -> None:
    """Print times in microseconds and as ratios to those of one contender."""
    print(f"\n{title}")
    for name, found in rows:
        ratios = "  ".join(
            f"{who} {seconds * 1e6:10.1f} µs" + ("" if who == base else f" ({seconds / found[base]:5.2f} x)")
            for who, seconds in found.items()
        )
        print(f"  {name:24} {ratios}")
