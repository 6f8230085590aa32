"""Morphological dilation: the largest x + filter in each window, and kernels that depend on its cell."""

from __future__ import annotations

import math

from tfpy.engine.gl import maps
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, fuse
from tfpy.engine.gl.im2col import broadcast_view, col2im_view, im2col_view, within_limit
from tfpy.engine.gl.maps import Dimension
from tfpy.engine.gl.pool import CHOSEN, NOBODY
from tfpy.engine.gl.reduce import OPERATIONS, reduction
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.trace import Indexed
from tfpy.engine.gl.value import Value, are_floats, float_bits
from tfpy.engine.gl.window_reduction import Accumulation, CellView, over_cells
from tfpy.engine.rows.conv import DILATION_OUTSIDE
from tfpy.engine.spec import Spec, spec, strides_of
from tfpy.engine.windows import Window

Values = tuple[Value, ...]

# {0} is what the window covers, {1} the filter, {2} the largest sum of both.
_LARGEST = Accumulation(
    f"uintBitsToFloat({float_bits(DILATION_OUTSIDE):#x}u)", "{0} + {1} > {a} || m_isnan({a}) ? {0} + {1} : {a}"
)
_FIRST = Accumulation("0x7fffffff", "{0} + {1} == {2} ? min({a}, int({k})) : {a}")
# {0} is the chosen cell, {1} and {2} are numbers whose sum counts at that cell.
_CHOSEN = Accumulation("0.", "{0} == int({k}) ? {1} + {2} : {a}")
# {0} is the chosen cell, {1} a number, {2} the index, of which a cell has {p} elements; there are {q} cells.
_AT_CELL = Indexed("({0} == int({2} / {p} % {q}) ? {1} : 0.)", "float32", ("uint", "uint"))


def _terms(x: Value, weights: Value, window: Window, outside: int) -> list[CellView]:
    """What the window covers, and the filter, which is the same at all places."""
    n, batch, channels = len(window.size), x.spec.shape[0], weights.spec.shape[-1]
    axes = (*window.size, batch, *window.out, channels)
    steps = zip((*range(n), 2 * n + 1), strides_of(weights.spec.shape), strict=True)
    dimensions = tuple([Dimension(((axis, 1),), stride) for axis, stride in steps])
    return [im2col_view(x, window, outside), CellView(weights, maps.gapped(axes, dimensions))]


def _largest(device: Device, x: Value, weights: Value, window: Window, out: Spec) -> Value:
    views = _terms(x, weights, window, float_bits(DILATION_OUTSIDE))
    return over_cells(device, _LARGEST, views, window.cells, out)


def _chosen(device: Device, x: Value, weights: Value, window: Window, out: Spec) -> Value:
    """The number of the first cell with the largest sum."""
    y = _largest(device, x, weights, window, out)
    views = [*_terms(x, weights, window, float_bits(DILATION_OUTSIDE)), broadcast_view(y, window)]
    return over_cells(device, _FIRST, views, window.cells, spec(out.shape, "int32"))


def _dilation(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, weights = values
    return _largest(device, x, weights, attrs["window"], out) if are_floats(*values) else None


def _to_input(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, weights, dy = values
    if not are_floats(*values):
        return None
    window = attrs["window"]
    chosen = _chosen(device, x, weights, window, dy.spec)
    views = [col2im_view(chosen, window, out.shape, NOBODY), col2im_view(dy, window, out.shape)]
    return over_cells(device, CHOSEN, views, window.cells, out)


def _to_filter(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, weights, dy = values
    if not are_floats(*values):
        return None
    window, channels = attrs["window"], out.shape[-1]
    chosen = _chosen(device, x, weights, window, dy.spec)
    places = dy.spec.size // channels
    shape = (places, window.cells, channels)
    every = maps.strided(shape, (channels, 0, 1))
    parts = fuse(device, spec(shape, "float32"), _AT_CELL, (chosen, dy), (every, every), (channels, window.cells))
    return defer(device, out, reduction("Sum", OPERATIONS["Sum", "float32"], 1, places, math.prod(out.shape)), (parts,))


def _pick(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, weights, u, v = values
    if not are_floats(*values):
        return None
    window = attrs["window"]
    chosen = _chosen(device, x, weights, window, out)
    views = [broadcast_view(chosen, window), *_terms(u, v, window, 0)]
    return over_cells(device, _CHOSEN, views, window.cells, out)


KERNELS.update(
    {
        "Dilation2D": within_limit(_dilation),
        "Dilation2DBackpropFilter": within_limit(_to_filter),
        "Dilation2DBackpropInput": within_limit(_to_input),
        "Dilation2DPick": within_limit(_pick),
    }
)
