"""numpy kernels of normalization."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.elementwise import IN_PLACE
from tfpy.engine.cpu.lines import along_line, as_lines, each_block, widened
from tfpy.engine.cpu.table import KERNELS

_LARGE_ELEMENTS = 1 << 16


Epilogue = Sequence[tuple[str, Mapping[str, Any]]]
"""The kernels of `IN_PLACE` that a plan has fused with a normalization, and their attributes."""


def batch_norm(
    x: Array,
    mean: Array,
    variance: Array,
    offset: Array,
    scale: Array,
    variance_epsilon: float,
    epilogue: Epilogue = (),
) -> Array:
    factor = scale / np.sqrt(variance + variance_epsilon)
    if x.size >= _LARGE_ELEMENTS and all(map(_by_channel, (mean, factor, offset))):
        return _normalized_lines(x, mean, factor, offset, epilogue)
    y = np.asarray(np.subtract(x, widened(mean, x.shape)))
    np.multiply(y, widened(factor, x.shape), out=y)
    np.add(y, widened(offset, x.shape), out=y)
    apply_in_place(y, epilogue)
    return y


def apply_in_place(y: Array, epilogue: Epilogue) -> None:
    """Apply what a plan fused with a normalization, to its result."""
    for kernel, attrs in epilogue:
        IN_PLACE[kernel](y, **attrs, out=y)


def _by_channel(values: Array) -> bool:
    """Whether there is one number, or one for each channel."""
    return values.size == (values.shape[-1] if values.ndim else 1)


def _normalized_lines(x: Array, mean: Array, factor: Array, offset: Array, epilogue: Epilogue) -> Array:
    lines, y = as_lines(x, x.shape[-1]), np.empty(x.shape, x.dtype)
    found = y.reshape(lines.shape)
    places = lines.shape[1] // x.shape[-1]
    center, slope, shift = (_along(v.reshape(-1), places) for v in (mean, factor, offset))

    def work(number: int, part: slice) -> None:
        out = np.subtract(lines[part], center, out=found[part])
        out *= slope
        out += shift
        apply_in_place(out, epilogue)

    each_block(lines, work)
    return y


def _along(values: Array, places: int) -> Array:
    return values if values.size == 1 else along_line(values, places)


def _lrn(x: Array, depth_radius: int, bias: float, alpha: float, beta: float) -> Array:
    """Sums of squares by a product with a band matrix of ones, unless its zeros would make NaN of non-finite values."""
    channels = x.shape[-1]
    squares = np.square(x).reshape(x.size // max(1, channels), channels)
    near = neighbors(channels, depth_radius)
    sums = squares @ near.astype(x.dtype)
    if not np.isfinite(sums).all():
        sums = np.stack([squares[:, row].sum(axis=1) for row in near], axis=1)
    return x * np.power(bias + alpha * sums, -beta).reshape(x.shape)


def neighbors(count: int, radius: int) -> Array:
    """The matrix that tells which of `count` channels are at most `radius` apart."""
    index = np.arange(count)
    return np.abs(index[:, None] - index) <= radius


KERNELS.update({"FusedBatchNorm": batch_norm, "LRN": _lrn})
