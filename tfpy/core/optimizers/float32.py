"""Arithmetic in float32 on Python's numbers: TF.js keeps the powers of the betas of Adam and its variants in it."""

from __future__ import annotations

import math

import numpy as np

_BEYOND_FLOAT32 = 2.0**128 - 2.0**103  # from here on the nearest float32 is infinite


def float32(number: float) -> float:
    """The nearest float32; infinite out of range, without a numpy warning."""
    if abs(number) < _BEYOND_FLOAT32:
        return float(np.float32(number))
    return number if math.isnan(number) else math.copysign(math.inf, number)


def float32_product(a: float, b: float) -> float:
    """The product in float32 arithmetic, in which TF.js keeps the powers of the betas."""
    return float32(float32(a) * float32(b))


def float32_power(beta: float, exponent: int) -> float:
    """A power of a beta: multiplied step by step, which gives other numbers than `beta**exponent`."""
    power = float32(beta)
    for _ in range(exponent - 1):
        last, power = power, float32_product(power, beta)
        if power == last:
            break
    return power


def one_minus(power: float) -> float:
    """1 less a power of a beta: what the average of that beta is divided by."""
    return float32(1 - float32(power))
