"""Monitor: a value of the logs that should improve from epoch to epoch."""

from __future__ import annotations

import math

from tfpy.core.types import Logs
from tfpy.engine.errors import argument_error
from tfpy.engine.warn import warn_user


class Monitor:
    """A loss or metric, and the direction in which it improves.

    Args:
        where: the callback that monitors it, for messages.
        name: its name in the logs.
        mode: 'min' if lower is better, 'max' if higher is, 'auto': 'max' if the name contains 'acc'.
        min_delta: the smallest change that counts as an improvement (exclusive).
    """

    def __init__(self, where: str, name: str, mode: str, min_delta: float = 0) -> None:
        if not isinstance(name, str):
            raise argument_error(where, "monitor", "the name of a number in the logs", name, TypeError)
        if mode not in ("auto", "min", "max"):
            raise argument_error(where, "mode", "'auto', 'min' or 'max'", mode)
        self._where = where
        self._name = name
        self._min_delta = abs(min_delta)
        # The sign that makes improving values increase.
        self._sign = 1 if mode == "max" or (mode == "auto" and "acc" in name) else -1

    @property
    def worst(self) -> float:
        """A value that every finite number improves on."""
        return -self._sign * math.inf

    def value(self, logs: Logs | None) -> float | None:
        """The value in logs; None, with a warning, if it is missing."""
        value: float | None = (logs or {}).get(self._name)
        if value is None:
            known = ", ".join(logs or {})
            warn_user(f"{self._where}: there is no {self._name!r} in the logs, only {known}.")
        return value

    def improves(self, value: float, best: float) -> bool:
        """Whether a value is better than the best one so far."""
        return self._sign * value - self._min_delta > self._sign * best
