"""Layers that merge several inputs into one output, as nodes."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any

from tfpy.engine.backend import current
from tfpy.layers.kinds import merge
from tfpy.layers.kinds.merge import Average, Concatenate, Dot
from tfpy.layers.saving.onnx.builder import Builder, Call, Kind, UnsupportedError, Value
from tfpy.layers.saving.onnx.core import permuted
from tfpy.layers.saving.onnx.masks import with_axes
from tfpy.layers.saving.onnx.normalization import l2_normalized
from tfpy.layers.symbolic import PartialShape


def _of_one_dtype(b: Builder, inputs: list[Value]) -> list[Value]:
    """Values cast to their common dtype."""
    dtypes = {value.dtype for value in inputs}
    if dtypes == {"bool"}:
        raise UnsupportedError("its inputs are of dtype bool")
    return [b.cast(value, "float32" if "float32" in dtypes else "int32") for value in inputs]


def _one_by_one(kind: str) -> Kind:
    """Layers that combine their inputs elementwise."""
    return Kind(lambda b, layer, inputs, call: _joined(b, kind, inputs, call), any_dtype=True)


def _joined(b: Builder, kind: str, inputs: list[Value], call: Call) -> Value:
    rank = max(x.rank for x in inputs)
    listed = [x if x.rank == rank else with_axes(b, x, *range(1, 1 + rank - x.rank)) for x in _of_one_dtype(b, inputs)]
    names, order = b.together(listed)
    name = reduce(lambda x, y: b.node(kind, x, y), names)
    return Value(name, call.shapes[0], listed[0].dtype, order)


def _average(b: Builder, layer: Average, inputs: list[Value], call: Call) -> Value:
    return b.each("Mul", _joined(b, "Add", inputs, call), b.constant(1 / len(inputs)))


def _concatenate(b: Builder, layer: Concatenate, inputs: list[Value], call: Call) -> Value:
    listed = [b.cast(value, inputs[0].dtype) for value in inputs]  # as in the op
    names, order = b.together(listed)
    shape = call.shapes[0]
    joined = Value("", shape, listed[0].dtype, order)
    name = b.node("Concat", *names, axis=joined.stored(layer.axis))
    return Value(name, shape, joined.dtype, order)


def _dot(b: Builder, layer: Dot, inputs: list[Value], call: Call) -> Value:
    i, j = layer.axes_of([x.shape for x in inputs])
    x, y = inputs
    if layer.normalize:
        x, y = (l2_normalized(b, v, [axis], current().epsilon()) for v, axis in zip(inputs, (i, j), strict=True))
    return batch_dot(b, x, y, i, j, call.shapes[0])


def batch_dot(b: Builder, x: Value, y: Value, i: int, j: int, shape: PartialShape) -> Value:
    """For each sample, the products summed over axis i of x and axis j of y, which have rank 2 or 3."""
    if x.rank == y.rank == 2:
        return replace(b.reduced("ReduceSum", b.each("Mul", x, b.plain(y)), [1], True), shape=shape)
    short = [k + 1 for k, v in enumerate((x, y)) if v.rank == 2]
    x, y = (with_axes(b, v, 2) if v.rank == 2 else v for v in (x, y))
    x, y = permuted(x, [0, 2, 1]) if i == 1 else x, permuted(y, [0, 2, 1]) if j == 2 else y
    name = b.node("MatMul", b.plain(x), b.plain(y))
    return Value(b.node("Squeeze", name, b.integers(*short)) if short else name, shape)


KINDS: dict[Any, Kind] = {
    Average: Kind(_average),
    Concatenate: Kind(_concatenate, any_dtype=True),
    Dot: Kind(_dot),
    merge.Add: _one_by_one("Add"),
    merge.Maximum: _one_by_one("Max"),
    merge.Minimum: _one_by_one("Min"),
    merge.Multiply: _one_by_one("Mul"),
    merge.Subtract: _one_by_one("Sub"),
}
