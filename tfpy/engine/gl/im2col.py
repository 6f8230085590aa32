"""Views of an input by the windows that slide over it: im2col, and in the other direction col2im.

What the window covers at each of its places is a view of the input (see maps.py), with 0 or -∞ in the padding; it is
never stored. In the other direction it is a view of the results: the places at which the window covers an element of
the input.
"""

from __future__ import annotations

from typing import Any

from tfpy.engine.gl import maps
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import fuse, view
from tfpy.engine.gl.maps import Dimension
from tfpy.engine.gl.table import Attrs, Builder
from tfpy.engine.gl.trace import SPREAD
from tfpy.engine.gl.value import Value
from tfpy.engine.gl.views import MaskedGather
from tfpy.engine.gl.window_reduction import CellView
from tfpy.engine.spec import Shape, spec, strides_of
from tfpy.engine.windows import Window

GAPPED = {dtype: MaskedGather(dtype, spreads=True) for dtype in ("float32", "int32")}
"""Reads the elements at the indices of a map with gaps, and the last parameter in the gaps."""


def spread(device: Device, x: Value, axes: Shape, dimensions: tuple[Dimension, ...], pad: int = 0) -> Value:
    """x viewed as an array of the shape `axes`, with `pad` where the dimensions have no input element."""
    out = spec(axes, x.spec.dtype)
    if any(d.size or d.divisor > 1 for d in dimensions):
        return fuse(device, out, GAPPED[x.spec.dtype], (x,), (maps.gapped(axes, dimensions),), (pad,))
    strides = [0] * len(axes)
    for d in dimensions:
        for axis, step in d.steps:
            strides[axis] += step * d.stride
    where = maps.strided(axes, tuple(strides), sum(d.offset * d.stride for d in dimensions))
    return view(device, out, x, None) if where is None else fuse(device, out, SPREAD, (x,), (where,))


def im2col_dimensions(
    shape: Shape, window: Window, batch: int, places: int, cells: int, channel: int
) -> tuple[Dimension, ...]:
    """The part of an input of this shape that the window covers.

    Args:
        batch, channel: the axes of the batch and the channels.
        places, cells: the first axes of the window's positions and its cells.
    """
    strides = strides_of(shape)
    dimensions = [Dimension(((batch, 1),), strides[0])]
    fields = zip(window.strides, window.dilations, window.pads, window.covered, shape[1:-1], strict=True)
    for j, (step, dilation, (before, _), extent, size) in enumerate(fields):
        inside = before <= 0 and extent - before <= size
        steps = ((places + j, step), (cells + j, dilation))
        dimensions.append(Dimension(steps, strides[1 + j], -before, 1, 0 if inside else size))
    return (*dimensions, Dimension(((channel, 1),), 1))


def col2im_dimensions(
    shape: Shape, window: Window, batch: int, inputs: int, cells: int, channel: tuple[tuple[int, int], ...]
) -> tuple[Dimension, ...]:
    """The places, in a result of that shape, at which a cell covers an input element; `channel` gives the channels."""
    strides = strides_of(shape)
    dimensions = [Dimension(((batch, 1),), strides[0])]
    for j, (step, dilation, (before, _)) in enumerate(zip(window.strides, window.dilations, window.pads, strict=True)):
        steps = ((inputs + j, 1), (cells + j, -dilation))
        dimensions.append(Dimension(steps, strides[1 + j], before, step, window.out[j]))
    return (*dimensions, Dimension(channel, 1))


def im2col_view(x: Value, window: Window, pad: int) -> CellView:
    """What the window covers at each place, in an array (*places, channels) for every cell."""
    n, (batch, *_, channels) = len(window.size), x.spec.shape
    axes = (*window.size, batch, *window.out, channels)
    return CellView(x, maps.gapped(axes, im2col_dimensions(x.spec.shape, window, n, n + 1, 0, 2 * n + 1)), pad)


def col2im_view(dy: Value, window: Window, shape: Shape, pad: int = 0) -> CellView:
    """The places that cover each element of an input of that shape with every cell."""
    n = len(window.size)
    dimensions = col2im_dimensions(dy.spec.shape, window, n, n + 1, 0, ((2 * n + 1, 1),))
    return CellView(dy, maps.gapped((*window.size, *shape), dimensions), pad)


def broadcast_view(y: Value, window: Window) -> CellView:
    """An array of results, which are the same for every cell."""
    return CellView(y, maps.gapped((window.cells, y.spec.size), (Dimension(((1, 1),), 1),)))


def within_limit(build: Builder) -> Builder:
    """The kernel, which leaves windows with more cells than a thread may count to the CPU."""

    def checked(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Any) -> Any:
        return build(device, values, attrs, out) if attrs["window"].cells <= device.most_iterations else None

    return checked
