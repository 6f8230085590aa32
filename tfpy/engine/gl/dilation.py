"""Morphological dilation: the largest x + filter in each window, and kernels that depend on its cell."""

from __future__ import annotations

import math

from tfpy.engine.gl import maps
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, fuse
from tfpy.engine.gl.maps import Dimension
from tfpy.engine.gl.reduce import OPERATIONS, Operation, reduction
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.trace import Expression, Indexed
from tfpy.engine.gl.value import Value, are_floats, bits, float_bits
from tfpy.engine.gl.windowed import CHOSEN, FIRST, over_cells, places_of, spread, windows_of
from tfpy.engine.rows.conv import DILATION_OUTSIDE
from tfpy.engine.spec import Spec, spec, strides_of
from tfpy.engine.windows import Window

Values = tuple[Value, ...]

_PLUS = Expression("{0} + {1}", "float32")
_LARGEST = Operation(
    "float", "x", "m_isnan(b) ? a : (b > a ? b : a)", f"uintBitsToFloat({float_bits(DILATION_OUTSIDE):#x}u)"
)
# {0} is the chosen cell, {1} a number, {2} the index, of which a cell has {p} elements; there are {q} cells.
_AT_CELL = Indexed("({0} == int({2} / {p} % {q}) ? {1} : 0.)", "float32", ("uint", "uint"))


def _filter_of(device: Device, weights: Value, window: Window, batch: int) -> Value:
    """The filter, broadcast to all positions: (*cells, batch, *places, channels)."""
    n, channels = len(window.size), weights.spec.shape[-1]
    axes = (*window.size, batch, *window.out, channels)
    strides = strides_of(weights.spec.shape)
    dimensions = [Dimension(((axis, 1),), strides[axis]) for axis in range(n)]
    return spread(device, weights, axes, (*dimensions, Dimension(((2 * n + 1, 1),), 1)))


def _sums(device: Device, x: Value, weights: Value, window: Window) -> Value:
    seen = windows_of(device, x, window, float_bits(DILATION_OUTSIDE))
    return fuse(device, seen.spec, _PLUS, (seen, _filter_of(device, weights, window, x.spec.shape[0])))


def _largest(device: Device, x: Value, weights: Value, window: Window, out: Spec) -> Value:
    return defer(
        device, out, reduction("Dilation", _LARGEST, 1, window.cells, out.size), (_sums(device, x, weights, window),)
    )


def _chosen(device: Device, x: Value, weights: Value, window: Window, out: Spec) -> Value:
    """The number of the first cell with the largest sum."""
    y, sums = _largest(device, x, weights, window, out), _sums(device, x, weights, window)
    every = maps.strided((window.cells, out.size), (0, 1))
    cells = fuse(device, spec(sums.spec.shape, "int32"), FIRST, (sums, y), (None, every), (out.size,))
    return over_cells(device, cells, "Min", spec(out.shape, "int32"))


def _dilation(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, weights = values
    return _largest(device, x, weights, attrs["window"], out) if are_floats(*values) else None


def _to_input(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, weights, dy = values
    if not are_floats(*values):
        return None
    window = attrs["window"]
    chosen = _chosen(device, x, weights, window, dy.spec)
    cells = places_of(device, chosen, window, out.shape, bits(-2, "int32"))
    slopes = places_of(device, dy, window, out.shape)
    return over_cells(device, fuse(device, slopes.spec, CHOSEN, (cells, slopes), None, (out.size,)), "Sum", out)


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
    seen = windows_of(device, u, window, 0)
    sums = fuse(device, seen.spec, _PLUS, (seen, _filter_of(device, v, window, u.spec.shape[0])))
    every = maps.strided((window.cells, out.size), (0, 1))
    return over_cells(device, fuse(device, sums.spec, CHOSEN, (chosen, sums), (every, None), (out.size,)), "Sum", out)


KERNELS.update(
    {
        "Dilation2D": _dilation,
        "Dilation2DBackpropFilter": _to_filter,
        "Dilation2DBackpropInput": _to_input,
        "Dilation2DPick": _pick,
    }
)
