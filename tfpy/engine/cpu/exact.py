"""Kernels of the backend `exact` for which rounding the result alone is not enough.

They round to float32 where TF.js's cpu backend stores numbers on the way: after each step of a running sum, between
the parts of what it composes, after each stage of a Fourier transform. They take and give float64.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu import create, reduce  # noqa: F401  they fill the table that is read here
from tfpy.engine.cpu.table import KERNELS


def rounded(values: Array) -> Array:
    """What float32, or complex64, can hold of double precision; other dtypes as they are."""
    if values.dtype == np.float64:
        return values.astype(np.float32).astype(np.float64)
    if values.dtype == np.complex128:
        return values.astype(np.complex64).astype(np.complex128)
    return values


def _narrow(kernel: str) -> Any:
    """The kernel in float32: right where each of its steps adds or multiplies two numbers."""
    compute = KERNELS[kernel]

    def run(x: Array, **attrs: Any) -> Array:
        return compute(x.astype(np.float32), **attrs).astype(x.dtype) if x.dtype == np.float64 else compute(x, **attrs)

    return run


def _steps(start: float, step: float, count: int) -> Array:
    values = np.empty(count)
    value = np.float32(start)
    for i in range(count):
        values[i] = value
        value = np.float32(float(value) + step)
    return values


def _range(start: float, step: float, count: int, dtype: Any) -> Array:
    return KERNELS["Range"](start, step, count, dtype) if dtype == np.int32 else _steps(start, step, count)


def _linspace(start: float, stop: float, count: int, dtype: Any) -> Array:
    return _steps(start, (stop - start) / (count - 1) if count > 1 else 0.0, count)


def _mean(x: Array, axes: tuple[int, ...], keep_dims: bool) -> Array:
    """The sum of each element's share, as TF.js takes the mean."""
    count = math.prod([x.shape[i] for i in axes])
    return KERNELS["Sum"](rounded(x / count) if count else x, axes, keep_dims)


def _exponentials(logits: Array) -> tuple[Array, Array, Array]:
    """logits less their largest, e to that power, and the sum of these."""
    shifted = rounded(logits - np.max(logits, axis=-1, keepdims=True))
    powers = rounded(np.exp(shifted))
    return shifted, powers, rounded(np.sum(powers, axis=-1, keepdims=True))


def _softmax(logits: Array) -> Array:
    if not logits.size:
        return logits
    _, powers, total = _exponentials(logits)
    return powers / total


def _log_softmax(logits: Array) -> Array:
    if not logits.size:
        return logits
    shifted, _, total = _exponentials(logits)
    return shifted - rounded(np.log(total))


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


def _qr(x: Array, full_matrices: bool) -> list[Array]:
    """Householder's method column by column; what is left below the diagonal by rounding stays, as in TF.js."""
    *lead, rows, columns = x.shape
    r = x.copy()
    q = np.broadcast_to(np.eye(rows), (*lead, rows, rows)).copy()
    for j in range(columns):
        column = r[..., j:, j, None]
        length = rounded(np.sqrt(rounded(np.sum(rounded(np.square(column)), axis=-2, keepdims=True))))
        sign = np.where(column[..., :1, :] > 0, -1.0, 1.0)
        pivot = rounded(column[..., :1, :] - sign * length)
        w = rounded(column / pivot)
        w[..., 0, 0] = 1
        turned = rounded(rounded(-sign * pivot / length) * w)
        rest, part = r[..., j:, :], q[..., j:]
        rest[...] = rounded(rest - rounded(turned @ rounded(w.swapaxes(-1, -2) @ rest)))
        part[...] = rounded(part - rounded(rounded(part @ w) @ turned.swapaxes(-1, -2)))
    inner = rows if full_matrices else columns
    return [q[..., :inner].copy(), r[..., :inner, :].copy()]


def _tanh_grad(dy: Array, y: Array) -> Array:
    return rounded(1 - rounded(y * y)) * dy


def _sigmoid_grad(dy: Array, y: Array) -> Array:
    return dy * rounded(y * rounded(1 - y))


EXACT: dict[str, Any] = {
    "Cumprod": _narrow("Cumprod"),
    "Cumsum": _narrow("Cumsum"),
    "FFT": lambda x: _fourier(x, -1),
    "IFFT": lambda x: _fourier(x, 1),
    "LinSpace": _linspace,
    "LogSoftmax": _log_softmax,
    "Mean": _mean,
    "Qr": _qr,
    "Range": _range,
    "SigmoidGrad": _sigmoid_grad,
    "Softmax": _softmax,
    "TanhGrad": _tanh_grad,
}
