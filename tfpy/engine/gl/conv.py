"""Convolutions: matrix products with views of what the window covers.

The gradient of the input is one with the view in the other direction: the places at which the window covers an element
of the input.
"""

from __future__ import annotations

import math

from tfpy.engine.gl import maps
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, view
from tfpy.engine.gl.im2col import col2im_dimensions, im2col_dimensions, spread
from tfpy.engine.gl.maps import Dimension
from tfpy.engine.gl.matmul import TIMES, Sizes, product
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.value import Value
from tfpy.engine.spec import Spec, spec, strides_of
from tfpy.engine.windows import Window

Values = tuple[Value, ...]


def _im2col(device: Device, x: Value, window: Window) -> Value:
    """The matrix (batch · places, cells · channels)."""
    n, (batch, *_, channels) = len(window.size), x.spec.shape
    axes = (batch, *window.out, *window.size, channels)
    return spread(device, x, axes, im2col_dimensions(x.spec.shape, window, 0, 1, 1 + n, 1 + 2 * n))


def _conv(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, weights = values
    if out.dtype not in TIMES or not (x.spec.size and weights.spec.size):
        return None
    window, channels = attrs["window"], out.shape[-1]
    sizes = Sizes(1, out.size // channels, channels, window.cells * x.spec.shape[-1], 0, 0)
    return defer(device, out, product(sizes, False, False), (_im2col(device, x, window), weights), leaves=3)


def _conv_filter(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, dy = values
    if out.dtype not in TIMES or not (x.spec.size and dy.spec.size):
        return None
    window, channels = attrs["window"], out.shape[-1]
    sizes = Sizes(1, out.size // channels, channels, dy.spec.size // channels, 0, 0)
    return defer(device, out, product(sizes, True, False), (_im2col(device, x, window), dy), leaves=3)


def _conv_input(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    dy, weights = values
    if out.dtype not in TIMES or not (dy.spec.size and weights.spec.size):
        return None
    window = attrs["window"]
    if _has_phases(window):
        return _conv_input_by_phase(device, dy, weights, window, out)
    n, (batch, *inner, channels), last = len(window.size), out.shape, dy.spec.shape[-1]
    axes = (batch, *inner, *window.size, last)
    dimensions = col2im_dimensions(dy.spec.shape, window, 0, 1, 1 + n, ((1 + 2 * n, 1),))
    places = spread(device, dy, axes, dimensions)
    by_channel = spec((channels, window.cells, last), out.dtype)
    factors = view(device, by_channel, weights, maps.transposed((window.cells, channels, last), (1, 0, 2)))
    sizes = Sizes(1, out.size // channels, channels, window.cells * last, 0, 0)
    return defer(device, out, product(sizes, False, True), (places, factors), leaves=3)


def _has_phases(window: Window) -> bool:
    """Whether windows skip positions: then only some of their cells cover a given element."""
    return set(window.strides) != {1} and set(window.dilations) == {1}


def _conv_input_by_phase(device: Device, dy: Value, weights: Value, window: Window, out: Spec) -> Value:
    """One product for all elements of a stride (phases): the places that cover them are the same, the cells differ.

    An element at step · i + phase, counted from the padding, is covered at place i - t by the cell step · t + phase,
    if there is such a cell; otherwise by a zero. The general method multiplies by 0 for each cell that does not cover
    the element.
    """
    n, (batch, *inner, channels), last = len(window.size), out.shape, dy.spec.shape[-1]
    steps, pads = window.strides, [before for before, _ in window.pads]
    firsts = [before // step for before, step in zip(pads, steps, strict=True)]
    ends = [(size - 1 + before) // step + 1 for size, before, step in zip(inner, pads, steps, strict=True)]
    counts = [end - first for end, first in zip(ends, firsts, strict=True)]
    taps = [-(-size // step) for size, step in zip(window.size, steps, strict=True)]

    places = [Dimension(((0, 1),), strides_of(dy.spec.shape)[0])]
    for j, (stride, first) in enumerate(zip(strides_of(dy.spec.shape)[1:-1], firsts, strict=True)):
        places.append(Dimension(((1 + j, 1), (1 + n + j, -1)), stride, first, 1, window.out[j]))
    places.append(Dimension(((1 + 2 * n, 1),), 1))
    rows = spread(device, dy, (batch, *counts, *taps, last), tuple(places))

    cells = []
    for j, (size, step, stride) in enumerate(zip(window.size, steps, strides_of(weights.spec.shape), strict=False)):
        cells.append(Dimension(((j, 1), (n + 1 + j, step)), stride, 0, 1, size if size % step else 0))
    cells += [Dimension(((n, 1),), last), Dimension(((1 + 2 * n, 1),), 1)]
    factors = spread(device, weights, (*steps, channels, *taps, last), tuple(cells))

    sizes = Sizes(1, batch * math.prod(counts), math.prod(steps) * channels, math.prod(taps) * last, 0, 0)
    by_phase = (batch, *counts, *steps, channels)
    phases = defer(device, spec(by_phase, out.dtype), product(sizes, False, True), (rows, factors), leaves=3)
    order = (0, *[axis for j in range(n) for axis in (1 + j, 1 + n + j)], 1 + 2 * n)
    whole = (batch, *[count * step for count, step in zip(counts, steps, strict=True)], channels)
    joined = view(device, spec(whole, out.dtype), phases, maps.transposed(by_phase, order))
    begins = [
        (0, 1, batch),
        *[(p % s, 1, size) for p, s, size in zip(pads, steps, inner, strict=True)],
        (0, 1, channels),
    ]
    return view(device, out, joined, maps.sliced(whole, tuple(begins)))


KERNELS.update(
    {
        "Conv2D": _conv,
        "Conv2DBackpropFilter": _conv_filter,
        "Conv2DBackpropInput": _conv_input,
        "Conv3D": _conv,
        "Conv3DBackpropFilterV2": _conv_filter,
        "Conv3DBackpropInputV2": _conv_input,
    }
)
