"""numpy kernels of normalization."""

from __future__ import annotations

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.cpu.windows import widened


def _batch_norm(x: Array, mean: Array, variance: Array, offset: Array, scale: Array, variance_epsilon: float) -> Array:
    y = np.asarray(np.subtract(x, widened(mean, x.shape)))
    np.multiply(y, widened(scale / np.sqrt(variance + variance_epsilon), x.shape), out=y)
    return np.add(y, widened(offset, x.shape), out=y)


def _lrn(x: Array, depth_radius: int, bias: float, alpha: float, beta: float) -> Array:
    """Sums of squares, all at once by a band of ones, unless a 0 would make NaN of what is not finite."""
    channels = x.shape[-1]
    squares = np.square(x).reshape(x.size // max(1, channels), channels)
    near = neighbours(channels, depth_radius)
    sums = squares @ near.astype(x.dtype)
    if not np.isfinite(sums).all():
        sums = np.stack([squares[:, row].sum(axis=1) for row in near], axis=1)
    return x * np.power(bias + alpha * sums, -beta).reshape(x.shape)


def neighbours(count: int, radius: int) -> Array:
    """The matrix of which of `count` channels are at most `radius` apart."""
    index = np.arange(count)
    return np.abs(index[:, None] - index) <= radius


KERNELS.update({"FusedBatchNorm": _batch_norm, "LRN": _lrn})
