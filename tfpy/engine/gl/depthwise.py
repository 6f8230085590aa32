"""Depthwise convolution, as reductions over the window's cells (see window_reduction.py)."""

from __future__ import annotations

import math

from tfpy.engine.gl import maps
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer
from tfpy.engine.gl.im2col import col2im_dimensions, im2col_dimensions, within_limit
from tfpy.engine.gl.maps import Dimension
from tfpy.engine.gl.reduce import OPERATIONS, reduction
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.value import Value
from tfpy.engine.gl.window_reduction import SUM_OF_PRODUCTS, CellView, over_cells
from tfpy.engine.spec import Shape, Spec, spec, strides_of
from tfpy.engine.windows import Window

Values = tuple[Value, ...]

_ENOUGH_SUMS = 1 << 17  # of a part of the places each, four to a thread


def _depthwise(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, weights = values
    if out.dtype != "float32" or not (x.spec.size and weights.spec.size):
        return None
    window: Window = attrs["window"]
    n, (channels, multiplier) = len(window.size), weights.spec.shape[-2:]
    axes = (*window.size, x.spec.shape[0], *window.out, channels, multiplier)
    seen = maps.gapped(axes, im2col_dimensions(x.spec.shape, window, n, n + 1, 0, 2 * n + 1))
    factors = maps.gapped(axes, _filter_dimensions(weights, n, 2 * n + 1, 2 * n + 2))
    return over_cells(device, SUM_OF_PRODUCTS, [CellView(x, seen), CellView(weights, factors)], window.cells, out)


def _filter_dimensions(weights: Value, n: int, channel: int, multiple: int) -> tuple[Dimension, ...]:
    """A depthwise filter, over the first axes and those that are given; it is the same for the others."""
    axes = (*range(n), channel, multiple)
    return tuple([Dimension(((axis, 1),), s) for axis, s in zip(axes, strides_of(weights.spec.shape), strict=True)])


def _depthwise_input(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    dy, weights = values
    if out.dtype != "float32" or not (dy.spec.size and weights.spec.size):
        return None
    window: Window = attrs["window"]
    n, multiplier = len(window.size), weights.spec.shape[-1]
    axes = (*window.size, multiplier, *out.shape)
    channel = ((2 * n + 2, multiplier), (n, 1))
    places = maps.gapped(axes, col2im_dimensions(dy.spec.shape, window, n + 1, n + 2, 0, channel))
    factors = maps.gapped(axes, _filter_dimensions(weights, n, 2 * n + 2, n))
    views = [CellView(dy, places), CellView(weights, factors)]
    return over_cells(device, SUM_OF_PRODUCTS, views, window.cells * multiplier, out)


def _depthwise_filter(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    """First the sums over some of the places, so that there are enough threads, then the sum of these."""
    x, dy = values
    window: Window = attrs["window"]
    if out.dtype != "float32" or not (x.spec.size and dy.spec.size) or window.out[-1] > device.most_iterations:
        return None
    n, multiplier = len(window.size), out.shape[-1]
    places = (x.spec.shape[0], *window.out)
    split = next((i for i in range(n) if math.prod((*places[:i], out.size)) >= _ENOUGH_SUMS), n)
    if math.prod(places[split:]) > device.most_iterations:
        split = n
    order = (*range(split, n + 1), *range(split), *range(n + 1, 2 * n + 3))
    axes = (*places, *out.shape)
    seen = _reordered(axes, im2col_dimensions(x.spec.shape, window, 0, 1, n + 1, 2 * n + 1), order)
    strides = strides_of(dy.spec.shape)
    dimensions = [Dimension(((axis, 1),), strides[axis]) for axis in range(n + 1)]
    slopes = _reordered(axes, (*dimensions, Dimension(((2 * n + 1, multiplier), (2 * n + 2, 1)), 1)), order)
    partial = spec((math.prod(places[:split]), out.size), out.dtype)
    views = [CellView(x, seen), CellView(dy, slopes)]
    sums = over_cells(device, SUM_OF_PRODUCTS, views, math.prod(places[split:]), partial)
    return defer(device, out, reduction("Sum", OPERATIONS["Sum", out.dtype], 1, *partial.shape), (sums,))


def _reordered(axes: Shape, dimensions: tuple[Dimension, ...], order: tuple[int, ...]) -> maps.Map:
    """The map from the axes in that order."""
    at = {axis: place for place, axis in enumerate(order)}
    moved = [d._replace(steps=tuple([(at[axis], step) for axis, step in d.steps])) for d in dimensions]
    return maps.gapped(tuple([axes[axis] for axis in order]), tuple(moved))


KERNELS.update(
    {
        "DepthwiseConv2dNative": within_limit(_depthwise),
        "DepthwiseConv2dNativeBackpropFilter": _depthwise_filter,
        "DepthwiseConv2dNativeBackpropInput": within_limit(_depthwise_input),
    }
)
