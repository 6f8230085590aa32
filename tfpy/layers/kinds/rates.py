"""Rates of dropout and of noise."""

from __future__ import annotations

from typing import Any

from tfpy.engine.warn import warn_user


def dropout_rate(where: str, option: str, given: Any) -> float:
    """A fraction, limited to [0, 1] as in TF.js; with a warning if it was outside, since then nothing is dropped."""
    rate = min(max(float(given), 0.0), 1.0)
    if rate != given:
        warn_user(f"{where}: {option} is {given}, not a fraction from 0 to 1, so nothing is dropped, as in TF.js.")
    return rate


def drops(rate: float, training: bool) -> bool:
    """Whether a layer with that rate changes its input: a rate of 1 drops nothing, as in TF.js."""
    return training and 0 < rate < 1
