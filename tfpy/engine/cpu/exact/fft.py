"""Fourier transforms, rounded after each stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.exact.rounding import rounded


def _fourier(x: Array, sign: int) -> Array:
    """Cooley and Tukey's method for a power of two, the sum of the definition for any other length."""
    size = x.shape[-1]
    if not x.size:
        return x
    if size & (size - 1):
        out = _definition(x, sign)
        return out / size if sign > 0 else out
    out = _halved(x, sign)
    return rounded(out.real / size) + 1j * rounded(out.imag / size) if sign > 0 else out


def _halved(x: Array, sign: int) -> Array:
    size = x.shape[-1]
    if size == 1:
        return x
    even, odd = _halved(x[..., ::2], sign), _halved(x[..., 1::2], sign)
    turned = rounded(_times(rounded(_unit(np.arange(size // 2) / size, sign)), odd))
    return np.concatenate([rounded(even + turned), rounded(even - turned)], axis=-1)


def _definition(x: Array, sign: int) -> Array:
    size = x.shape[-1]
    out = np.zeros(x.shape, x.dtype)
    for column in range(size):
        out += _times(x[..., column, None], _unit(np.arange(size) * column / size, sign))
    return out


def _unit(turns: Array, sign: int) -> Array:
    angle = sign * 2 * np.pi * turns
    return np.cos(angle) + 1j * np.sin(angle)


def _times(a: Array, b: Array) -> Array:
    """The product part by part: numpy's own may fuse a multiplication with an addition."""
    out = np.empty(np.broadcast_shapes(a.shape, b.shape), np.complex128)
    out.real = a.real * b.real - a.imag * b.imag
    out.imag = a.real * b.imag + a.imag * b.real
    return out


FFT: Mapping[str, Callable[..., Any]] = {"FFT": partial(_fourier, sign=-1), "IFFT": partial(_fourier, sign=1)}
