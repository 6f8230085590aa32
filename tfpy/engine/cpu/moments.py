"""numpy kernels of moments, and the gradient of normalization by the input's own moments."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.lines import along_line, as_lines, block_count, each_block
from tfpy.engine.cpu.normalization import Epilogue, apply_in_place, batch_norm
from tfpy.engine.cpu.reduce import sum_of_rows, sums_along_rows
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.spec import are_first, are_last, reduced_shape

Axes = tuple[int, ...]

_SMALL_ELEMENTS = 1 << 17
_ROW_BLOCK_ELEMENTS = 1 << 17
_ROW_SHARD_ELEMENTS = 1 << 17

_sum = KERNELS["Sum"]


def _moments(x: Array, axes: Axes) -> list[Array]:
    shape = reduced_shape(x.shape, axes, True)
    count = math.prod(shape)
    if x.size < _SMALL_ELEMENTS or not (are_first(axes) or are_last(axes, x.ndim)):
        mean = _sum(x, axes, True) * (count / x.size)
        return [mean, _sum(np.square(np.subtract(x, mean)), axes, True) * (count / x.size)]
    if are_first(axes):
        found = _of_columns(as_lines(x, count), count)
    else:
        found = _of_rows(np.ascontiguousarray(x).reshape(count, -1))
    return [moment.reshape(shape) for moment in found]


def _of_columns(lines: Array, channels: int) -> tuple[Array, Array]:
    parts, count = np.empty((block_count(lines), lines.shape[1]), lines.dtype), lines.size // channels

    def add_up(number: int, part: slice) -> None:
        np.add.reduce(lines[part], axis=0, out=parts[number])

    def add_squares(number: int, part: slice) -> None:
        centered = np.subtract(lines[part], center)
        np.einsum("ij,ij->j", centered, centered, out=parts[number])

    each_block(lines, add_up)
    mean = sum_of_rows(parts.reshape(-1, channels)) / count
    center = along_line(mean, lines.shape[1] // channels)
    each_block(lines, add_squares)
    return mean, sum_of_rows(parts.reshape(-1, channels)) / count


def _of_rows(rows: Array) -> tuple[Array, Array]:
    count, width = rows.shape
    mean, variance = np.empty(count, rows.dtype), np.empty(count, rows.dtype)

    def work(number: int, part: slice) -> None:
        mean[part, None] = sums_along_rows(rows[part]) / width
        centered = np.subtract(rows[part], mean[part, None])
        variance[part] = np.einsum("ij,ij->i", centered, centered) / width

    each_block(rows, work, _ROW_BLOCK_ELEMENTS)
    return mean, variance


def _normalize(x: Array, mean: Array, variance: Array, offset: Array, scale: Array, axes: Axes, **attrs: Any) -> Array:
    if x.size >= _SMALL_ELEMENTS and are_last(axes, x.ndim):
        return _normalized_rows(x, mean, variance, offset, scale, **attrs)
    return batch_norm(x, mean, variance, offset, scale, **attrs)


def _normalized_rows(
    x: Array,
    mean: Array,
    variance: Array,
    offset: Array,
    scale: Array,
    variance_epsilon: float,
    epilogue: Epilogue = (),
) -> Array:
    y = np.empty(x.shape, x.dtype)
    rows, found = np.ascontiguousarray(x).reshape(mean.size, -1), y.reshape(mean.size, -1)
    center, inverse = mean.reshape(-1, 1), (1 / np.sqrt(variance + variance_epsilon)).reshape(-1, 1)
    factor, shift = (v.reshape(-1) for v in (scale, offset))

    def work(number: int, part: slice) -> None:
        out = np.subtract(rows[part], center[part], out=found[part])
        out *= inverse[part]
        out *= factor
        out += shift
        apply_in_place(out, epilogue)

    each_block(rows, work, _ROW_BLOCK_ELEMENTS, _ROW_SHARD_ELEMENTS)
    return y


def _normalize_grad(
    dy: Array,
    x: Array,
    mean: Array,
    variance: Array,
    offset: Array,
    scale: Array,
    axes: Axes,
    variance_epsilon: float,
    wanted: tuple[int, ...],
) -> list[Array]:
    """With r = 1 / √(variance + ε), x̂ = (x - mean) · r and g = scale · dy: dx = r · (g - Σ g / n - x̂ · Σ g x̂ / n)."""
    inverse = (1 / np.sqrt(variance + variance_epsilon)).reshape(-1)
    first = are_first(axes)
    shape = x.shape[len(axes) :] if first else x.shape[-len(axes) :]
    factors = np.broadcast_to(scale, shape).reshape(-1)
    go_back = _back_by_columns if first else _back_by_rows
    dx = np.empty(x.shape if 0 in wanted else 0, x.dtype)
    doffset, dscale = go_back(dx, np.ascontiguousarray(dy), x, mean.reshape(-1), inverse, factors)
    found = {0: dx, 3: doffset.reshape(shape), 4: dscale.reshape(shape)}
    return [found[i] for i in wanted]


def _back_by_columns(dx: Array, dy: Array, x: Array, mean: Array, inverse: Array, scale: Array) -> tuple[Array, Array]:
    """Fill dx, unless it is empty; the gradients of offset and scale."""
    lines = as_lines(x, len(mean))
    found = (dx if dx.size else np.empty(x.shape, x.dtype)).reshape(lines.shape)
    slopes, width, count = dy.reshape(lines.shape), lines.shape[1], x.size // len(mean)
    sums = np.empty((block_count(lines), width), lines.dtype)
    places = width // len(mean)
    products, center = np.empty_like(sums), along_line(mean, places)

    def add_up(number: int, part: slice) -> None:
        np.add.reduce(slopes[part], axis=0, out=sums[number])
        centered = np.subtract(lines[part], center, out=found[part])
        np.einsum("ij,ij->j", centered, slopes[part], out=products[number])

    each_block(lines, add_up)
    doffset = sum_of_rows(sums.reshape(-1, len(mean)))
    dscale = sum_of_rows(products.reshape(-1, len(mean))) * inverse
    if not dx.size:
        return doffset, dscale
    factor = scale * inverse
    by_x, by_place, by_slope = (
        along_line(v, places) for v in (-factor * inverse * dscale / count, -factor * doffset / count, factor)
    )

    def go_back(number: int, part: slice) -> None:
        out = found[part]
        out *= by_x
        out += by_place
        out += slopes[part] * by_slope

    each_block(lines, go_back)
    return doffset, dscale


def _back_by_rows(dx: Array, dy: Array, x: Array, mean: Array, inverse: Array, scale: Array) -> tuple[Array, Array]:
    """Fill dx, unless it is empty; the gradients of offset and scale."""
    rows = np.ascontiguousarray(x).reshape(len(mean), -1)
    slopes, found, width = dy.reshape(rows.shape), dx.reshape(-1, rows.shape[1]), rows.shape[1]
    sums = np.empty((block_count(rows, _ROW_BLOCK_ELEMENTS), width), rows.dtype)
    products = np.empty_like(sums)

    def work(number: int, part: slice) -> None:
        normal = np.subtract(rows[part], mean[part, None])
        normal *= inverse[part, None]
        np.add.reduce(slopes[part], axis=0, out=sums[number])
        np.einsum("ij,ij->j", normal, slopes[part], out=products[number])
        if not len(found):
            return
        out = np.multiply(slopes[part], scale, out=found[part])
        normal *= np.einsum("ij,ij->i", out, normal)[:, None] / width
        out -= sums_along_rows(out) / width
        out -= normal
        out *= inverse[part, None]

    each_block(rows, work, _ROW_BLOCK_ELEMENTS, _ROW_SHARD_ELEMENTS)
    return np.add.reduce(sums, axis=0), np.add.reduce(products, axis=0)


MOMENTS: dict[str, Any] = {
    "Moments": _moments,
    "NormalizeByMoments": _normalize,
    "NormalizeByMomentsGrad": _normalize_grad,
}
KERNELS.update(MOMENTS)
