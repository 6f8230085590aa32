"""Convolution, pooling and local normalization: products and reductions of views of what a window covers.

What the window covers at each position is a view of the input (see maps.py), with 0 or -∞ in the padding; it is never
stored. A convolution is a matrix product with that view, the gradient of its input one with the view in the other
direction: the positions of the window that cover an input element. Kernels without a sum over channels are reductions
over the window's cells (see window_reduction.py).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.engine.gl import maps
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.elementwise import broadcast
from tfpy.engine.gl.fusion import defer, fuse, view
from tfpy.engine.gl.maps import Dimension
from tfpy.engine.gl.matmul import TIMES, Sizes, product
from tfpy.engine.gl.reduce import OPERATIONS, reduction
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.trace import SPREAD, Expression, Trace
from tfpy.engine.gl.value import Value, bits, constant, float_bits
from tfpy.engine.gl.views import MaskedGather
from tfpy.engine.gl.window_reduction import MAX_POOL, SUM, SUM_OF_PRODUCTS, Accumulation, CellView, over_cells
from tfpy.engine.spec import Shape, Spec, spec, strides_of
from tfpy.engine.windows import Window, divisor

Values = tuple[Value, ...]
_LEAST = float_bits(-math.inf)
_ENOUGH_SUMS = 1 << 17  # of a part of the places each, four to a thread
_MANY_CELLS, _FEW_RESULTS = 32, 1 << 14  # for which several threads share the cells
_GAPS = {dtype: MaskedGather(dtype, spreads=True) for dtype in ("float32", "int32")}
_DIVIDE = Expression("m_div({0}, {1})", "float32")


def spread(device: Device, x: Value, axes: Shape, dimensions: tuple[Dimension, ...], pad: int = 0) -> Value:
    """x viewed as an array of the shape `axes`, with `pad` where the dimensions have no input element."""
    out = spec(axes, x.spec.dtype)
    if any(d.size or d.divisor > 1 for d in dimensions):
        return fuse(device, out, _GAPS[x.spec.dtype], (x,), (maps.gapped(axes, dimensions),), (pad,))
    strides = [0] * len(axes)
    for d in dimensions:
        for axis, step in d.steps:
            strides[axis] += step * d.stride
    where = maps.strided(axes, tuple(strides), sum(d.offset * d.stride for d in dimensions))
    return view(device, out, x, None) if where is None else fuse(device, out, SPREAD, (x,), (where,))


def covered(shape: Shape, window: Window, batch: int, places: int, cells: int, channel: int) -> tuple[Dimension, ...]:
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


def covering(
    shape: Shape, window: Window, batch: int, inputs: int, cells: int, channel: tuple[tuple[int, int], ...]
) -> tuple[Dimension, ...]:
    """The places, in a result of that shape, at which a cell covers an input element; `channel` gives the channels."""
    strides = strides_of(shape)
    dimensions = [Dimension(((batch, 1),), strides[0])]
    for j, (step, dilation, (before, _)) in enumerate(zip(window.strides, window.dilations, window.pads, strict=True)):
        steps = ((inputs + j, 1), (cells + j, -dilation))
        dimensions.append(Dimension(steps, strides[1 + j], before, step, window.out[j]))
    return (*dimensions, Dimension(channel, 1))


# Convolutions


def _columns(device: Device, x: Value, window: Window) -> Value:
    """The matrix (batch · places, cells · channels)."""
    n, (batch, *_, channels) = len(window.size), x.spec.shape
    axes = (batch, *window.out, *window.size, channels)
    return spread(device, x, axes, covered(x.spec.shape, window, 0, 1, 1 + n, 1 + 2 * n))


def _conv(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, weights = values
    if out.dtype not in TIMES or not (x.spec.size and weights.spec.size):
        return None
    window, channels = attrs["window"], out.shape[-1]
    sizes = Sizes(1, out.size // channels, channels, window.cells * x.spec.shape[-1], 0, 0)
    return defer(device, out, product(sizes, False, False), (_columns(device, x, window), weights), leaves=3)


def _conv_filter(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, dy = values
    if out.dtype not in TIMES or not (x.spec.size and dy.spec.size):
        return None
    window, channels = attrs["window"], out.shape[-1]
    sizes = Sizes(1, out.size // channels, channels, dy.spec.size // channels, 0, 0)
    return defer(device, out, product(sizes, True, False), (_columns(device, x, window), dy), leaves=3)


def _conv_input(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    dy, weights = values
    if out.dtype not in TIMES or not (dy.spec.size and weights.spec.size):
        return None
    window = attrs["window"]
    if _has_phases(window):
        return _conv_input_by_phase(device, dy, weights, window, out)
    n, (batch, *inner, channels), last = len(window.size), out.shape, dy.spec.shape[-1]
    axes = (batch, *inner, *window.size, last)
    dimensions = covering(dy.spec.shape, window, 0, 1, 1 + n, ((1 + 2 * n, 1),))
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


def within_limit(build: Builder) -> Builder:
    """The kernel, which leaves windows with more cells than a thread may count to the CPU."""

    def checked(device: Device, values: Values, attrs: Attrs, out: Any) -> Any:
        return build(device, values, attrs, out) if attrs["window"].cells <= device.most_iterations else None

    return checked


# Depthwise


def _depthwise(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, weights = values
    if out.dtype != "float32" or not (x.spec.size and weights.spec.size):
        return None
    window: Window = attrs["window"]
    n, (channels, multiplier) = len(window.size), weights.spec.shape[-2:]
    axes = (*window.size, x.spec.shape[0], *window.out, channels, multiplier)
    seen = maps.gapped(axes, covered(x.spec.shape, window, n, n + 1, 0, 2 * n + 1))
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
    places = maps.gapped(axes, covering(dy.spec.shape, window, n + 1, n + 2, 0, channel))
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
    seen = _reordered(axes, covered(x.spec.shape, window, 0, 1, n + 1, 2 * n + 1), order)
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


# Pooling


def seen_by(x: Value, window: Window, pad: int) -> CellView:
    """What the window covers at each place, in an array (*places, channels) for every cell."""
    n, (batch, *_, channels) = len(window.size), x.spec.shape
    axes = (*window.size, batch, *window.out, channels)
    return CellView(x, maps.gapped(axes, covered(x.spec.shape, window, n, n + 1, 0, 2 * n + 1)), pad)


def places_of(dy: Value, window: Window, shape: Shape, pad: int = 0) -> CellView:
    """The places that cover each element of an input of that shape with every cell."""
    n = len(window.size)
    dimensions = covering(dy.spec.shape, window, n, n + 1, 0, ((2 * n + 1, 1),))
    return CellView(dy, maps.gapped((*window.size, *shape), dimensions), pad)


def at_every_cell(y: Value, window: Window) -> CellView:
    """An array of results, which are the same for every cell."""
    return CellView(y, maps.gapped((window.cells, y.spec.size), (Dimension(((1, 1),), 1),)))


def _pooled(device: Device, operation: str, x: Value, window: Window, pad: int, out: Spec) -> Value:
    operand = seen_by(x, window, pad)
    if window.cells < _MANY_CELLS or out.size > _FEW_RESULTS:
        return over_cells(device, SUM if operation == "Sum" else MAX_POOL, [operand], window.cells, out)
    seen = fuse(device, spec((window.cells, *out.shape), out.dtype), _GAPS[out.dtype], (x,), (operand.where,), (pad,))
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
        return over_cells(device, SUM, [places_of(slopes, window, out.shape)], window.cells, out)

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
    views = [seen_by(x, window, _LEAST), at_every_cell(y, window)]
    return over_cells(device, _LAST if last else _FIRST, views, window.cells, spec(y.spec.shape, "int32"))


def _max_grad(last: bool) -> Builder:
    def build(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
        dy, x, y = values
        window = attrs["window"]
        if x.spec.dtype != "float32" or out.dtype != "float32" or not y.spec.size:
            return None
        cell = _chosen_cell(device, x, y, window, last)
        views = [places_of(cell, window, out.shape, NOBODY), places_of(dy, window, out.shape)]
        return over_cells(device, CHOSEN, views, window.cells, out)

    return build


def _max_pick(last: bool) -> Builder:
    def build(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
        x, given, y = values
        window = attrs["window"]
        if given.spec.dtype != "float32" or out.dtype != "float32" or not x.spec.size:
            return None
        cell = _chosen_cell(device, given, y, window, last)
        return over_cells(device, CHOSEN, [at_every_cell(cell, window), seen_by(x, window, 0)], window.cells, out)

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


# Normalization

_RESPONSE = Expression("{0} * m_pow({p} + {q} * {1}, {r})", "float32", ("float32",) * 3)
_SUM_OF_SQUARES = Accumulation("0.", "fma({0}, {0}, {a})")


def _lrn(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, radius = values[0], attrs["depth_radius"]
    if out.dtype != "float32":
        return None
    width, channels = 2 * radius + 1, x.spec.shape[-1]
    near = Dimension(((0, 1), (2, 1)), 1, -radius, 1, channels)
    around = maps.gapped((width, x.spec.size // channels, channels), (Dimension(((1, 1),), channels), near))
    total = over_cells(device, _SUM_OF_SQUARES, [CellView(x, around)], width, out)
    words = [float_bits(n) for n in (attrs["bias"], attrs["alpha"], -attrs["beta"])]
    return fuse(device, out, _RESPONSE, (x, total), None, words)


KERNELS.update(
    {
        "Conv2D": _conv,
        "Conv2DBackpropFilter": _conv_filter,
        "Conv2DBackpropInput": _conv_input,
        "Conv3D": _conv,
        "Conv3DBackpropFilterV2": _conv_filter,
        "Conv3DBackpropInputV2": _conv_input,
        "DepthwiseConv2dNative": within_limit(_depthwise),
        "DepthwiseConv2dNativeBackpropFilter": _depthwise_filter,
        "DepthwiseConv2dNativeBackpropInput": within_limit(_depthwise_input),
        "LRN": _lrn,
        "MaxPoolWithArgmax": within_limit(_max_with_argmax),
    }
)
for _suffix, _is_last, _least in (("", False, 0), ("3D", True, 1)):
    KERNELS[f"AvgPool{_suffix}"] = within_limit(_avg_pool(_least))
    KERNELS[f"AvgPool{_suffix}Grad"] = within_limit(_avg_grad(_least))
    KERNELS[f"MaxPool{_suffix}"] = within_limit(_max_pool)
    KERNELS[f"MaxPool{_suffix}Grad"] = within_limit(_max_grad(_is_last))
    KERNELS[f"MaxPool{_suffix}Pick"] = within_limit(_max_pick(_is_last))
