"""numpy kernel of projective transformations of images. Positions are computed in double, as in TF.js."""

from __future__ import annotations

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.javascript_numbers import round_half_up

Size = tuple[int, int]


def _transform(
    image: Array,
    transforms: Array,
    interpolation: str,
    fill_mode: str,
    fill_value: float,
    output_shape: Size,
) -> Array:
    batch, height, width, _ = image.shape
    y, x, somewhere = _positions(transforms.astype(np.float64), output_shape)
    x, y = _mapped(x, width, fill_mode), _mapped(y, height, fill_mode)
    images = np.arange(batch)[:, None, None]
    fill = np.asarray(fill_value, image.dtype)

    def read(rows: Array, columns: Array) -> Array:
        inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
        at = np.where(inside, rows, 0).astype(np.intp), np.where(inside, columns, 0).astype(np.intp)
        return np.where(inside[..., None], image[(images, *at)], fill)

    if interpolation == "nearest":
        out = read(round_half_up(y), round_half_up(x))
    else:
        y0, x0 = np.floor(y), np.floor(x)
        fy, fx = (y - y0)[..., None].astype(image.dtype), (x - x0)[..., None].astype(image.dtype)
        above = (1 - fx) * read(y0, x0) + fx * read(y0, x0 + 1)
        below = (1 - fx) * read(y0 + 1, x0) + fx * read(y0 + 1, x0 + 1)
        out = (1 - fy) * above + fy * below
    return np.where(somewhere[..., None], out, fill)


def _positions(transforms: Array, output_shape: Size) -> tuple[Array, Array, Array]:
    """The row and column that each element comes from, and whether there is such a position."""
    a0, a1, a2, b0, b1, b2, c0, c1 = (t[:, None, None] for t in transforms.T)
    row = np.arange(output_shape[0])[:, None]
    column = np.arange(output_shape[1])
    projection = c0 * column + c1 * row + 1
    somewhere = projection != 0
    divisor = np.where(somewhere, projection, 1)
    return (b0 * column + b1 * row + b2) / divisor, (a0 * column + a1 * row + a2) / divisor, somewhere


def _mapped(at: Array, size: int, mode: str) -> Array:
    """Positions with those outside of an image moved into it, according to the fill mode."""
    if mode == "constant":
        return at
    if mode != "nearest":
        before, after = at < 0, at > size - 1
        if size <= 1:
            at = np.where(before | after, 0, at)
        else:
            moved = _reflected if mode == "reflect" else _wrapped
            at = np.where(before, moved(at, size, True), np.where(after, moved(at, size, False), at))
    return np.clip(at, 0, size - 1)


def _reflected(at: Array, size: int, before: bool) -> Array:
    period = 2 * size
    if before:
        at = period * np.trunc(-at / period) + at
        return np.where(at < -size, at + period, -at - 1)
    at = at - period * np.trunc(at / period)
    return np.where(at >= size, period - at - 1, at)


def _wrapped(at: Array, size: int, before: bool) -> Array:
    if before:
        return at + size * (np.trunc(-at / (size - 1)) + 1)
    return at - size * np.trunc(at / (size - 1))


KERNELS["Transform"] = _transform
