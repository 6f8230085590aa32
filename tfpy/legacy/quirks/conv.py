"""Convolutions and poolings as deeplearn.js's CPU kernels compute them.

All of them are computed here as operations without padding on images that have been given margins, or cut, to what the
kernel reads. Margins may be negative: for 'same' deeplearn.js takes ⌊((out - 1) · stride + field - in) / 2⌋ on one side
even where that is below 0, and then leaves out the first row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from tfpy.core.convert import TensorLike, number, to_tensor
from tfpy.core.grads import grad
from tfpy.core.ops import conv as core_conv
from tfpy.core.ops import depthwise
from tfpy.core.ops import pool as core_pool
from tfpy.core.ops.arith import add
from tfpy.core.ops.common import as_float, full, run_untracked
from tfpy.core.ops.slice import slice_
from tfpy.core.ops.unary import neg
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import Array, current
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.windows import check_rounding
from tfpy.legacy.ops import conv, pool
from tfpy.legacy.ops.common import of_rank
from tfpy.legacy.ops.conv import (
    as_images,
    as_sequences,
    batch_of,
    checked_bias,
    checked_filter,
    checked_filter_shape,
    checked_transpose,
    like_input,
    with_bias,
)
from tfpy.legacy.quirks import quirk
from tfpy.legacy.quirks.sums import in_double
from tfpy.legacy.windows import Pad, Pair, pair, window

_SWAPPED = (
    "rows begin at the left margin and columns at the upper one; a numeric pad takes the number of columns from the "
    "filter's height and the vertical stride, and it must be whole or rounded on demand; 'same' may have negative "
    "margins; sums are rounded once, with the bias. TF.js: each axis has its own margins, none below 0; numbers of "
    "columns are rounded down."
)


Windows = tuple[Pair, Pair, Pad, str | None]  # their size, the strides, the pad, and how sizes are rounded


class _Axis(NamedTuple):
    """Along one axis: how many windows, how long, how far apart, and the margin before the first."""

    windows: int
    field: int
    stride: int
    margin: int


def _axes(
    op: str, shape: Sequence[int], field: Pair, strides: Pair, pad: Pad, rounding: str | None = None
) -> tuple[_Axis, _Axis]:
    """The windows along height and width."""
    check_rounding(op, pad, rounding)
    fields, steps = pair(op, "filter_size", field), pair(op, "strides", strides)
    if min(steps) < 1:
        raise argument_error(op, "strides", "1 or more", strides)
    if not isinstance(pad, str):
        counts = [window(op, n, fields[0], steps[0], pad, rounding)[0] for n in shape[1:3]]
        margins = [pad, pad]
    else:
        counts = [window(op, n, f, s, pad, None)[0] for n, f, s in zip(shape[1:3], fields, steps, strict=True)]
        totals = [(c - 1) * s + f - n for c, s, f, n in zip(counts, steps, fields, shape[1:3], strict=True)]
        margins = [math.floor(t / 2) if pad == "same" else 0 for t in totals]
    if min(counts) < 0:
        raise argument_error(op, "filter_size", f"no larger than the image of shape {list(shape[1:3])}", field)
    rows, columns = (_Axis(*a) for a in zip(counts, fields, steps, margins, strict=True))
    return rows, columns


def _fitted(x: Tensor, rows: tuple[int, int], columns: tuple[int, int], outside: float = 0) -> Tensor:
    """Images with margins before and of sizes as given: (margin, size) for rows and columns; negative ones cut off."""
    begin, size, paddings = [0], [x.shape[0]], [(0, 0)]
    for (margin, total), n in zip((rows, columns), x.shape[1:3], strict=True):
        first = max(0, -margin)
        count = max(0, min(n, total - margin) - first)
        before = min(max(0, margin), total)
        begin.append(min(first, n))
        size.append(count)
        paddings.append((before, total - before - count))
    inner = run("Slice", x, begin=(*begin, 0), size=(*size, x.shape[3]))
    return run("PadV2", inner, paddings=(*paddings, (0, 0)), constant_value=outside)


def _read(x: Tensor, rows: _Axis, columns: _Axis, outside: float = 0) -> Tensor:
    """The images as a kernel reads them."""
    sizes = [(a.margin, max(0, (a.windows - 1) * a.stride + a.field)) for a in (rows, columns)]
    return _fitted(x, sizes[0], sizes[1], outside)


def _swapped(rows: _Axis, columns: _Axis) -> tuple[_Axis, _Axis]:
    return rows._replace(margin=columns.margin), columns._replace(margin=rows.margin)


def _strides(rows: _Axis, columns: _Axis) -> list[int]:
    return [rows.stride, columns.stride]


def _with_windows(op: str, out: Tensor, given: Tensor, batched: bool) -> Tensor:
    """The result, unless it is empty and must be reshaped: deeplearn.js rejects new shapes with a 0.

    Only results: a graph may have nodes of such shapes.
    """
    if 0 in out.shape and not batched and not current().symbolic:
        raise argument_error(op, "x", "no smaller than a window", given)
    return out


@quirk("math.conv2d", _SWAPPED, instead_of=conv.conv2d)
def conv2d_swapped(
    x: TensorLike,
    filter: TensorLike,
    bias: TensorLike | None,
    strides: Pair,
    pad: Pad,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    given = of_rank("conv2d", "x", x, 3, 4)
    images = batch_of(given)
    weights = checked_filter("conv2d", images, filter)
    offset = checked_bias("conv2d", weights, bias)
    out = _convolution(images, weights, offset, strides, pad, dim_rounding_mode)
    return like_input(_with_windows("conv2d", out, given, given.rank == 4), given.rank)


def _convolution(
    images: Tensor, weights: Tensor, bias: Tensor | None, strides: Pair, pad: Pad, rounding: str | None
) -> Tensor:
    axes = _swapped(*_axes("conv2d", images.shape, weights.shape[:2], strides, pad, rounding))

    def rounded(x: Tensor, w: Tensor, *b: Tensor) -> Tensor:
        return with_bias(core_conv.conv2d(x, w, _strides(*axes), "valid"), *(b or [None]))

    def exact(x: Array, w: Array, *b: Array) -> Array:
        windows = _windows(x, axes).transpose(0, 1, 2, 4, 5, 3)
        # `matmul`, since `tensordot` leaves out what is multiplied by a single 0, NaN too.
        sums: Array = np.matmul(windows.reshape(-1, math.prod(w.shape[:3])), w.reshape(-1, w.shape[3]))
        offset = b[0] if b else 0.0
        return sums.reshape(*windows.shape[:3], w.shape[3]) + offset

    return in_double(exact, rounded, _read(images, *axes), weights, *([] if bias is None else [bias]))


def _windows(images: Array, axes: tuple[_Axis, _Axis]) -> Array:
    """A view of shape [batch, rows, columns, channels, height, width]."""
    rows, columns = axes
    if not rows.windows or not columns.windows:  # the image may be smaller than a window, which numpy rejects
        return np.empty((images.shape[0], rows.windows, columns.windows, images.shape[3], rows.field, columns.field))
    windows = np.lib.stride_tricks.sliding_window_view(images, (rows.field, columns.field), axis=(1, 2))
    return windows[:, :: rows.stride, :: columns.stride]


@quirk("math.conv1d", "as conv2d on images of one row: " + _SWAPPED, instead_of=conv.conv1d)
def conv1d_swapped(
    x: TensorLike,
    filter: TensorLike,
    bias: TensorLike | None,
    stride: int,
    pad: Pad,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    given = of_rank("conv1d", "x", x, 2, 3)
    rows, weights, offset = as_images(given, filter, bias)
    out = _convolution(rows, weights, offset, [1, stride], pad, dim_rounding_mode)
    return as_sequences(_with_windows("conv1d", out, given, False), given.rank)


@quirk("math.depthwiseConv2D", "as conv2d: " + _SWAPPED, instead_of=conv.depthwise_conv2d)
def depthwise_swapped(
    x: TensorLike,
    filter: TensorLike,
    strides: Pair,
    pad: Pad,
    rates: Pair = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    given = of_rank("depthwise_conv2d", "x", x, 3, 4)
    images = batch_of(given)
    weights = checked_filter("depthwise_conv2d", images, filter)
    if pair("depthwise_conv2d", "rates", rates) != (1, 1):
        raise argument_error("depthwise_conv2d", "rates", "1", rates)
    axes = _swapped(*_axes("depthwise_conv2d", images.shape, weights.shape[:2], strides, pad, dim_rounding_mode))

    def rounded(x: Tensor, w: Tensor) -> Tensor:
        out: Tensor = depthwise.depthwise_conv2d(x, w, _strides(*axes), "valid")
        return out

    def exact(x: Array, w: Array) -> Array:
        each: Array = np.einsum("nrcdhw,hwdm->nrcdm", _windows(x, axes), w, optimize=True)
        return each.reshape(*each.shape[:3], w.shape[2] * w.shape[3])

    out = in_double(exact, rounded, _read(images, *axes), weights)
    return like_input(_with_windows("depthwise_conv2d", out, given, given.rank == 4), given.rank)


@quirk("math.conv2dDerInput", "as conv2d: " + _SWAPPED, instead_of=conv.conv2d_der_input)
def der_input_swapped(
    in_shape: Sequence[int],
    dy: TensorLike,
    filter: TensorLike,
    strides: Pair,
    pad: Pad,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    slopes, weights, shape = checked_transpose(in_shape, dy, filter)
    rows, columns = _axes("conv2d_der_input", shape, weights.shape[:2], strides, pad, dim_rounding_mode)
    if slopes.shape[1] < rows.windows or slopes.shape[2] < columns.windows:
        expected = f"of inner sizes [{rows.windows}, {columns.windows}], as the convolution of {list(in_shape)} has"
        raise argument_error("conv2d_der_input", "dy", expected, dy)
    slopes = slice_(slopes, [0, 0, 0, 0], [-1, rows.windows, columns.windows, -1])  # what is more is not read
    spread = [(a.windows - 1) * a.stride + a.field for a in (rows, columns)]
    whole = core_conv.conv2d_transpose(slopes, weights, [shape[0], *spread, shape[3]], _strides(rows, columns), "valid")
    top = rows.field - columns.field + columns.margin
    left = columns.field - rows.field + rows.margin
    return like_input(_fitted(whole, (-top, shape[1]), (-left, shape[2])), len(in_shape))


@quirk("math.conv2dTranspose", "as conv2dDerInput: " + _SWAPPED, instead_of=conv.conv2d_transpose)
def transpose_swapped(
    x: TensorLike,
    filter: TensorLike,
    output_shape: Sequence[int] | Handle | None,
    strides: Pair,
    pad: Pad,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    return conv.transpose_by(der_input_swapped, x, filter, output_shape, strides, pad, dim_rounding_mode)


_MARGINS = (
    "'same' may have negative margins, and a numeric pad takes the number of columns from the filter's height and the "
    "vertical stride, and it must be whole or rounded on demand. TF.js: no margin is below 0, each axis has its own "
    "sizes, and numbers of columns are rounded down."
)


@quirk("math.conv2dDerFilter", _MARGINS, instead_of=conv.conv2d_der_filter)
def der_filter_with_margins(
    x: TensorLike,
    dy: TensorLike,
    filter_shape: Sequence[int],
    strides: Pair,
    pad: Pad,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    images, slopes, shape = checked_filter_shape(x, dy, filter_shape)
    images, slopes = as_float(images), as_float(slopes)
    axes = _axes("conv2d_der_filter", images.shape, shape[:2], strides, pad, dim_rounding_mode)
    read = _read(images, *axes)
    return grad(lambda f: core_conv.conv2d(read, f, _strides(*axes), "valid"))(full(shape, 0), slopes)


def _pooled(name: str, op: Callable[..., Tensor], x: TensorLike, windows: Windows, outside: float) -> Tensor:
    given = as_float(of_rank(name, "x", x, 3, 4))
    images = batch_of(given)
    axes = _axes(name, images.shape, *windows)
    read = _read(images, *axes, outside=outside)
    out = op(read, [a.field for a in axes], _strides(*axes), "valid")
    return like_input(_with_windows(name, out, given, given.rank == 4), given.rank)


_HOLES = "a window with NaN gives NaN (its gradient passes NaN over); "


def _largest(name: str, x: TensorLike, windows: Windows) -> Tensor:
    """The largest number of each window; NaN is passed over."""
    return _pooled(name, core_pool.max_pool, x, windows, -math.inf)


def _with_holes(out: Tensor, name: str, x: TensorLike, windows: Windows) -> Tensor:
    """The result of a pooling, with NaN for each window that has one."""
    holes = _largest(name, as_float(run_untracked("IsNan", as_float(of_rank(name, "x", x, 3, 4)))), windows)
    return add(out, run("Select", run("Greater", holes, number(0)), full(out.shape, math.nan), full(out.shape, 0)))


@quirk("math.maxPool", _HOLES + _MARGINS + " NaN is passed over.", instead_of=core_pool.max_pool)
def max_pool_with_margins(
    x: TensorLike, filter_size: Pair, strides: Pair, pad: Pad, dim_rounding_mode: str | None = None
) -> Tensor:
    windows = filter_size, strides, pad, dim_rounding_mode
    return _with_holes(_largest("max_pool", x, windows), "max_pool", x, windows)


@quirk("math.minPool", _HOLES + _MARGINS + " NaN is passed over.", instead_of=pool.min_pool)
def min_pool_with_margins(
    x: TensorLike, filter_size: Pair, strides: Pair, pad: Pad, dim_rounding_mode: str | None = None
) -> Tensor:
    windows = filter_size, strides, pad, dim_rounding_mode
    given = as_float(to_tensor("min_pool", "x", x))  # bool arrays have no negative
    return _with_holes(neg(_largest("min_pool", neg(given), windows)), "min_pool", given, windows)


@quirk(
    "math.avgPool",
    "the sum over a window is divided by the size of the whole window, what is outside the image counting as 0; "
    + _MARGINS
    + " The sum is divided by the number of pixels inside the image.",
    instead_of=pool.avg_pool,
)
def avg_pool_of_whole_windows(
    x: TensorLike, filter_size: Pair, strides: Pair, pad: Pad, dim_rounding_mode: str | None = None
) -> Tensor:
    return _pooled("avg_pool", core_pool.avg_pool, x, (filter_size, strides, pad, dim_rounding_mode), 0)


@quirk(
    "math.resizeBilinear3D",
    "NaN everywhere when corners are aligned and the new image has one row or one column. TF.js: the first ones.",
    instead_of=pool.resize_bilinear3d,
)
def resize_through_zero(x: TensorLike, new_shape2d: Sequence[int], align_corners: bool = False) -> Tensor:
    resized = pool.resize_bilinear3d(x, new_shape2d, align_corners)
    return full(resized.shape, math.nan) if align_corners and 1 in resized.shape[:2] else resized


@quirk("math.maxPoolBackprop", "the gradient of maxPool: " + _MARGINS, instead_of=pool.max_pool_backprop)
def max_pool_gradient(
    dy: TensorLike,
    x: TensorLike,
    filter_size: Pair,
    strides: Pair,
    pad: Pad,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    given = of_rank("max_pool_backprop", "x", x, 3, 4)
    slopes = as_float(of_rank("max_pool_backprop", "dy", dy, given.rank))
    windows = filter_size, strides, pad, dim_rounding_mode
    return grad(lambda t: _largest("max_pool_backprop", t, windows))(given, slopes)


@quirk("math.avgPoolBackprop", "the gradient of avgPool: whole windows.", instead_of=pool.avg_pool_backprop)
def avg_pool_gradient(dy: TensorLike, x: TensorLike, filter_size: Pair, strides: Pair, pad: Pad) -> Tensor:
    given = of_rank("avg_pool_backprop", "x", x, 3, 4)
    slopes = as_float(of_rank("avg_pool_backprop", "dy", dy, given.rank))
    return grad(lambda t: avg_pool_of_whole_windows(t, filter_size, strides, pad))(given, slopes)
