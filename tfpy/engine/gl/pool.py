"""Pooling, as reductions over the window's cells (see window_reduction.py)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tfpy.engine.gl import maps
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.elementwise import broadcast
from tfpy.engine.gl.fusion import defer, fuse
from tfpy.engine.gl.im2col import GAPPED, broadcast_view, col2im_view, im2col_view, within_limit
from tfpy.engine.gl.reduce import OPERATIONS, reduction
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.trace import Expression, Trace
from tfpy.engine.gl.value import Value, bits, constant, float_bits
from tfpy.engine.gl.window_reduction import MAX_POOL, SUM, Accumulation, over_cells
from tfpy.engine.spec import Shape, Spec, spec
from tfpy.engine.windows import Window, divisor

Values = tuple[Value, ...]

_LEAST = float_bits(-math.inf)
_MANY_CELLS, _FEW_RESULTS = 32, 1 << 14  # for which several threads share the cells
_DIVIDE = Expression("m_div({0}, {1})", "float32")


def _pooled(device: Device, operation: str, x: Value, window: Window, pad: int, out: Spec) -> Value:
    operand = im2col_view(x, window, pad)
    if window.cells < _MANY_CELLS or out.size > _FEW_RESULTS:
        return over_cells(device, SUM if operation == "Sum" else MAX_POOL, [operand], window.cells, out)
    seen = fuse(device, spec((window.cells, *out.shape), out.dtype), GAPPED[out.dtype], (x,), (operand.where,), (pad,))
    task = reduction(operation, OPERATIONS[operation, out.dtype], 1, window.cells, out.size)
    return defer(device, out, task, (seen,))


def _max_pool(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, window = values[0], attrs["window"]
    if out.dtype != "float32" or not x.spec.size:
        return None
    return _pooled(device, "MaxPool", x, window, _LEAST, out)


def _divided(device: Device, v: Value, window: Window, inner: Shape, least: int) -> Value:
    """v, a result of pooling, divided by the number of cells that lie on the input of these inner sizes."""
    counts = divisor(inner, window, least, np.dtype(np.float32))
    if counts.size == 1:
        by = Value(spec(counts.shape, "float32"), word=float_bits(counts.item()))
    else:
        by = constant(device, ("cells inside", window, inner, least), "float32", lambda: counts)
    return fuse(device, v.spec, _DIVIDE, (v, by), broadcast((v, by), v.spec))


def _avg_pool(least: int) -> Builder:
    def build(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
        x, window = values[0], attrs["window"]
        if out.dtype != "float32" or not x.spec.size:
            return None
        total = _pooled(device, "Sum", x, window, 0, out)
        return _divided(device, total, window, x.spec.shape[1:-1], least)

    return build


def _avg_grad(least: int) -> Builder:
    def build(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
        dy, window = values[0], attrs["window"]
        if out.dtype != "float32" or not dy.spec.size:
            return None
        slopes = _divided(device, dy, window, out.shape[1:-1], least)
        return over_cells(device, SUM, [col2im_view(slopes, window, out.shape)], window.cells, out)

    return build


# {0} is what the window covers, {1} the largest of it.
_FIRST = Accumulation("0x7fffffff", "{0} == {1} ? min({a}, int({k})) : {a}")
_LAST = Accumulation("-1", "{0} == {1} ? int({k}) : {a}")
# {0} is the chosen cell, {1} a number, which counts at that cell.
CHOSEN = Accumulation("0.", "{0} == int({k}) ? {a} + {1} : {a}")
NOBODY = bits(-2, "int32")
"""A cell that is not chosen."""


def _chosen_cell(device: Device, x: Value, y: Value, window: Window, last: bool) -> Value:
    """The number of the first or last cell with the largest element of the window."""
    views = [im2col_view(x, window, _LEAST), broadcast_view(y, window)]
    return over_cells(device, _LAST if last else _FIRST, views, window.cells, spec(y.spec.shape, "int32"))


def _max_grad(last: bool) -> Builder:
    def build(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
        dy, x, y = values
        window = attrs["window"]
        if x.spec.dtype != "float32" or out.dtype != "float32" or not y.spec.size:
            return None
        cell = _chosen_cell(device, x, y, window, last)
        views = [col2im_view(cell, window, out.shape, NOBODY), col2im_view(dy, window, out.shape)]
        return over_cells(device, CHOSEN, views, window.cells, out)

    return build


def _max_pick(last: bool) -> Builder:
    def build(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
        x, given, y = values
        window = attrs["window"]
        if given.spec.dtype != "float32" or out.dtype != "float32" or not x.spec.size:
            return None
        cell = _chosen_cell(device, given, y, window, last)
        return over_cells(device, CHOSEN, [broadcast_view(cell, window), im2col_view(x, window, 0)], window.cells, out)

    return build


class _Argmax:
    """From a chosen cell to the element's index in the image: the value's map gives that of the first.

    Parameters: what the first cell lies before the map's index, cells in a row of the window, how far apart rows and
    cells are.
    """

    _INDEX = Expression(
        "({0} == 0x7fffffff ? -1 : int({1}) - {p} + {0} / {q} * {r} + {0} % {q} * {s})", "int32", ("int32",) * 4
    )

    def trace(self, trace: Trace, v: Value, index: int) -> int:
        cell = trace.value(v.inputs[0], index)
        return trace.add(self._INDEX, trace.words_of(v), cell, trace.map(v, 0, index))


_ARGMAX = _Argmax()
_ABOVE_LEAST = Expression("({1} < -3.4028235e38 ? -1 : {0})", "int32")


def _max_with_argmax(device: Device, values: Values, attrs: Attrs, outs: Sequence[Spec]) -> list[Value] | None:
    x, window = values[0], attrs["window"]
    if x.spec.dtype != "float32" or not x.spec.size or not outs[0].size:
        return None
    y = _max_pool(device, values, {"window": window}, outs[0])
    assert y is not None
    cell = _chosen_cell(device, x, y, window, False)
    _, height, width, channels = x.spec.shape
    (down, across), (over, beside) = window.strides, window.dilations
    image = height * width * channels if attrs["include_batch_in_index"] else 0
    where = maps.strided(outs[1].shape, (image, down * width * channels, across * channels, 1))
    before = (window.pads[0][0] * width + window.pads[1][0]) * channels
    words = [bits(n, "int32") for n in (before, window.size[1], over * width * channels, beside * channels)]
    found = fuse(device, outs[1], _ARGMAX, (cell,), (where,), words)
    return [y, fuse(device, outs[1], _ABOVE_LEAST, (found, y))]


KERNELS["MaxPoolWithArgmax"] = within_limit(_max_with_argmax)
for _suffix, _is_last, _least in (("", False, 0), ("3D", True, 1)):
    KERNELS[f"AvgPool{_suffix}"] = within_limit(_avg_pool(_least))
    KERNELS[f"AvgPool{_suffix}Grad"] = within_limit(_avg_grad(_least))
    KERNELS[f"MaxPool{_suffix}"] = within_limit(_max_pool)
    KERNELS[f"MaxPool{_suffix}Grad"] = within_limit(_max_grad(_is_last))
    KERNELS[f"MaxPool{_suffix}Pick"] = within_limit(_max_pick(_is_last))
