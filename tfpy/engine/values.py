"""Numbers as JavaScript has them: what its typed arrays make of a value, and how it prints one."""

from __future__ import annotations

import math

import numpy as np

from tfpy.engine.backend import Array


def to_int32(array: Array) -> Array:
    """Truncated towards zero and wrapped modulo 2³²; NaN and infinities become 0."""
    kind = array.dtype.kind
    if kind in "biu":
        return array.astype(np.int32)
    real = (array.real if kind == "c" else array).astype(np.float64)
    with np.errstate(invalid="ignore"):
        wrapped = np.fmod(np.trunc(real), 2.0**32)
    return np.where(np.isfinite(wrapped), wrapped, 0.0).astype(np.int64).astype(np.int32)


def to_bool(array: Array) -> Array:
    """Whether each number differs from 0; NaN does."""
    return array.astype(np.bool_)


def number_text(value: float) -> str:
    """A number as JavaScript's toString gives it: the fewest digits that read back."""
    value = float(value)
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    # Python has the same digits; the two differ in where the exponent begins.
    digits, _, exponent = repr(value).partition("e")
    power = int(exponent or 0)
    if -7 < power < 0:
        return f"{value:.{len(digits.replace('.', '').lstrip('-')) - 1 - power}f}"
    if 0 < power < 21:
        return digits.replace(".", "").ljust(power + 1 + (value < 0), "0")
    text = digits.removesuffix(".0") + (f"e{power:+d}" if power else "")
    return "0" if text == "-0" else text
