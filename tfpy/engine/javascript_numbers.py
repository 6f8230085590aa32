"""JavaScript's number semantics: conversion to typed arrays, printing, parsing and rounding."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from tfpy.engine.backend import Array

_SPACE = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
_DECIMAL = re.compile(r"[+-]?(?:Infinity|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)")
_WHOLE = re.compile(r"0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+")


def to_int32(array: Array) -> Array:
    """Truncated towards zero and wrapped modulo 2³²; NaN and infinities become 0."""
    kind = array.dtype.kind
    if kind in "biu":
        return array.astype(np.int32)
    real = array.real if kind == "c" else array
    if real.size and float(np.maximum.reduce(np.abs(real), None)) < 2.0**31:  # not so if one is NaN
        return real.astype(np.int32)
    with np.errstate(invalid="ignore"):
        wrapped = np.fmod(np.trunc(real.astype(np.float64)), 2.0**32)
    return np.where(np.isfinite(wrapped), wrapped, 0.0).astype(np.int64).astype(np.int32)


def to_bool(array: Array) -> Array:
    """Whether each number differs from 0; NaN does. For complex numbers the real part counts, as in TF.js."""
    return (array.real if array.dtype.kind == "c" else array).astype(np.bool_)


def number_text(value: float) -> str:
    """A number as JavaScript's toString prints it: with the fewest digits that round-trip."""
    value = float(value)
    if math.isnan(value) or math.isinf(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    # Python prints the same digits; the two differ in when they use an exponent.
    digits, _, exponent = repr(value).partition("e")
    power = int(exponent or 0)
    if -7 < power < 0:
        return f"{value:.{len(digits.replace('.', '').lstrip('-')) - 1 - power}f}"
    if 0 < power < 21:
        return digits.replace(".", "").ljust(power + 1 + (value < 0), "0")
    text = digits.removesuffix(".0") + (f"e{power:+d}" if power else "")
    return "0" if text == "-0" else text


def text_number(text: str) -> float | None:
    """The number that JavaScript's Number() parses from a string; None if that is not a number.

    Unlike Python it does not accept underscores, `inf` or digits of other scripts, and parses an empty string as 0.
    """
    if _DECIMAL.fullmatch(text):
        return float(text)
    text = text.strip(_SPACE)
    if not text:
        return 0.0
    if _DECIMAL.fullmatch(text):
        return float(text)
    if not _WHOLE.fullmatch(text):
        return None
    try:
        return float(int(text, 0))
    except OverflowError:
        return math.inf


def round_half_up(value: Any) -> Any:
    """Math.round of a number, an int, or of an array.

    Not floor(x + 0.5), which returns 1 for the largest number below 0.5.
    """
    if not isinstance(value, np.ndarray):
        low = math.floor(value)
        return low + (value - low >= 0.5)
    with np.errstate(invalid="ignore"):  # infinite ones have no distance from their floor
        floor = np.floor(value)
        return floor + (value - floor >= 0.5)
