"""Kernels that read elements from elsewhere, as maps of the index: none of them needs its own shader."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.gl import maps
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.elementwise import CASTS
from tfpy.engine.gl.fusion import fuse, is_on_host, read, view
from tfpy.engine.gl.maps import NOWHERE
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.templates import WIDTH
from tfpy.engine.gl.trace import VIEW, Expression, Indexed, Trace
from tfpy.engine.gl.value import Value, bits
from tfpy.engine.spec import Spec
from tfpy.engine.value_checks import check_indices

Values = tuple[Value, ...]


def _reshape(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    return view(device, out, values[0], None) if out.dtype in WIDTH else None


def _moved(where: Any) -> Any:
    """A kernel whose result is its input under a map, created from the input's shape and the attributes."""

    def build(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
        if out.dtype not in WIDTH:
            return None
        return view(device, out, values[0], where(values[0].spec.shape, **attrs))

    return build


def _block(shape: tuple[int, ...], begin: tuple[int, ...], size: tuple[int, ...]) -> maps.Map | None:
    return maps.sliced(shape, tuple([(b, 1, n) for b, n in zip(begin, size, strict=True)]))


def _reversed(shape: tuple[int, ...], axes: tuple[int, ...]) -> maps.Map | None:
    return maps.sliced(shape, tuple([(n - 1, -1, n) if i in axes else (0, 1, n) for i, n in enumerate(shape)]))


def _parts(device: Device, values: Values, sizes: list[int], axis: int, outs: list[Spec]) -> list[Value] | None:
    """Consecutive blocks along an axis."""
    x = values[0]
    if x.spec.dtype not in WIDTH or not x.spec.size:
        return None
    whole = [(0, 1, n) for n in x.spec.shape]
    made, start = [], 0
    for size, out in zip(sizes, outs, strict=True):
        index = (*whole[:axis], (start, 1, size), *whole[axis + 1 :])
        made.append(view(device, out, x, maps.sliced(x.spec.shape, index)))
        start += size
    return made


def _split(device: Device, values: Values, attrs: Attrs, outs: list[Spec]) -> list[Value] | None:
    return _parts(device, values, list(attrs["sizes"]), attrs["axis"], outs) if all(attrs["sizes"]) else None


def _unpack(device: Device, values: Values, attrs: Attrs, outs: list[Spec]) -> list[Value] | None:
    return _parts(device, values, [1] * len(outs), attrs["axis"], outs)


_PLACE = Expression(f"({{0}} == {NOWHERE} ? 0u : {{0}})", "uint")


class MaskedGather:
    """Elements of the input where the map, the value's first, leads to one; the value's last parameter elsewhere."""

    def __init__(self, dtype: str, spreads: bool = False) -> None:
        self.spreads = spreads
        self._choose = Expression(f"({{0}} == {NOWHERE} ? {{p}} : {{1}})", dtype, (dtype,))

    def trace(self, trace: Trace, v: Value, index: int) -> int:
        return self.element(trace, v, trace.map(v, 0, index))

    def element(self, trace: Trace, v: Value, place: int) -> int:
        """The input's element at a position, or the parameter if that is NOWHERE."""
        found = trace.value(v.inputs[0], trace.add(_PLACE, 0, place))
        return trace.add(self._choose, trace.words_of(v) + len(v.words) - 1, place, found)


class _Gather(MaskedGather):
    """Elements of the first input at the positions given by the second; 0 for positions out of range.

    Parameters: the size of the axis, the elements of a batch and outer index, those after the axis, and the 0.
    """

    def trace(self, trace: Trace, v: Value, index: int) -> int:
        pick = trace.value(v.inputs[1], trace.map(v, 1, index))
        return self.element(trace, v, trace.add(_GATHERED, trace.words_of(v), index, pick))


_GATHERED = Expression(
    f"(uint({{1}}) < {{p}} ? ({{0}} / {{q}} * {{p}} + uint({{1}})) * {{r}} + {{0}} % {{r}} : {NOWHERE})",
    "uint",
    ("uint",) * 3,
)
_PAD = {dtype: MaskedGather(dtype) for dtype in ("float32", "int32", "bool")}
_GATHER = {dtype: _Gather(dtype) for dtype in ("float32", "int32", "bool")}


def _pad(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x = values[0]
    if out.dtype not in _PAD or not x.spec.size:
        return None
    where = maps.padded(x.spec.shape, attrs["paddings"])
    return fuse(device, out, _PAD[out.dtype], values, (where,), [bits(attrs["constant_value"], out.dtype)])


def integers_on_host(device: Device, v: Value) -> Array | None:
    """Whole numbers, if the host has them, or has what they are cast from or a reshape of."""
    shape = v.spec.shape
    while not is_on_host(v):
        if not _has_numbers_of_input(v):
            return None
        v = v.inputs[0]
    with np.errstate(invalid="ignore"):  # NaN is not an index
        return read(device, v).astype(np.int32).reshape(shape)


_NUMBER_CASTS = (CASTS["int32", "float32"], CASTS["float32", "int32"])


def _has_numbers_of_input(v: Value) -> bool:
    return (v.maps is None and v.op in _NUMBER_CASTS) or (
        v.maps == (None,) and v.op is VIEW and v.inputs[0].spec.size == v.spec.size
    )


def _gather(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    """Indices that the host has are checked; of others, those out of range yield 0."""
    x, indices = values
    axis, lead = attrs["axis"], attrs["batch_dims"]
    if out.dtype not in _GATHER or not x.spec.size:
        return None
    numbers = integers_on_host(device, indices)
    if numbers is not None:
        check_indices(numbers, x.spec.shape, axis)
    shape = x.spec.shape
    batch, outer, tail = math.prod(shape[:lead]), math.prod(shape[lead:axis]), math.prod(shape[axis + 1 :])
    picks = indices.spec.size // batch
    where = maps.strided((batch, outer, picks, tail), (picks, 0, 1, 0))
    words = (shape[axis], picks * tail, tail, 0)
    return fuse(device, out, _GATHER[out.dtype], values, (None, where), words)


# Parameters: the length of a row, the on value, the off value.
_ONE_HOT = {
    dtype: Indexed("(int({1} % {p}) == {0} ? {q} : {r})", dtype, ("uint", dtype, dtype))
    for dtype in ("float32", "int32", "bool")
}


def _one_hot(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    if out.dtype not in _ONE_HOT:
        return None
    depth = attrs["depth"]
    where = maps.strided((values[0].spec.size, depth), (1, 0))
    words = (depth, *[bits(attrs[name], out.dtype) for name in ("on_value", "off_value")])
    return fuse(device, out, _ONE_HOT[out.dtype], values, (where,), words)


def _fill(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    if out.dtype not in ("float32", "int32", "bool"):
        return None
    return Value(out, word=bits(attrs["value"], out.dtype))


def _range(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    """Whole numbers; a range of floats accumulates rounding errors, which is left to the CPU."""
    start, step = float(attrs["start"]), float(attrs["step"])
    if out.dtype != "int32" or not (start.is_integer() and step.is_integer()):
        return None
    return fuse(device, out, _COUNTED, (), None, [bits(start, "int32"), bits(step, "int32")])


_COUNTED = Indexed("{p} + int({0}) * {q}", "int32", ("int32", "int32"))

_UNIFORM = Indexed("m_uniform(uvec3({2}, {0}, {1}), {p})", "float32", ("uint",))


def _uniform(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
    words = tuple([maps.strided((out.size,), (0,), place) for place in range(2)])
    return fuse(device, out, _UNIFORM, values * 2, words, (-(-out.size // 3),)) if out.dtype == "float32" else None


KERNELS.update(
    {
        "BroadcastTo": _moved(lambda source, shape: maps.broadcast(source, shape)),
        "Fill": _fill,
        "GatherV2": _gather,
        "Identity": lambda device, values, attrs, out: values[0],
        "OneHot": _one_hot,
        "PadV2": _pad,
        "Range": _range,
        "RandomUniform": _uniform,
        "Reshape": _reshape,
        "Reverse": _moved(_reversed),
        "Slice": _moved(_block),
        "SplitV": _split,
        "StridedSlice": _moved(lambda source, index, shape: maps.sliced(source, index)),
        "Tile": _moved(maps.tiled),
        "Unpack": _unpack,
    }
)
