"""The basic layers as nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tfpy.layers.kinds.core import Dense, Dropout, Embedding, Flatten, Masking, RepeatVector
from tfpy.layers.kinds.noise import (
    AlphaDropout,
    GaussianDropout,
    GaussianNoise,
    SpatialDropout1D,
    SpatialDropout2D,
    SpatialDropout3D,
)
from tfpy.layers.saving.onnx.activations import activated
from tfpy.layers.saving.onnx.builder import Builder, Call, Kind, Value, as_order
from tfpy.layers.saving.onnx.masks import any_along_last, unlike, with_axes


def _dense(b: Builder, layer: Dense, inputs: list[Value], call: Call) -> Value:
    return activated(b, layer.activation, affine(b, inputs[0], b.weight(layer.kernel), b.weight(layer.bias)))


def affine(b: Builder, x: Value, kernel: str, bias: str) -> Value:
    """The product of the last axis of a value with a matrix, plus a vector, if there is one."""
    if x.rank == 2:
        return replace(x, name=b.node("Gemm", b.plain(x), kernel, bias), order=None)
    if x.stored(-1) != x.rank - 1:
        x = replace(x, name=b.plain(x), order=None)
    product = b.each("MatMul", x, kernel)
    return b.each("Add", product, bias) if bias else product


def _same(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
    return inputs[0]


def _flatten(b: Builder, layer: Flatten, inputs: list[Value], call: Call) -> Value:
    x = inputs[0]
    if layer.data_format == "channelsFirst":
        x = permuted(x, [0, *range(2, x.rank), 1])
    (shape,) = call.shapes
    return b.reshaped(x, [(x, 0), shape[1] or 0], shape)


def permuted(x: Value, axes: list[int]) -> Value:
    """A value with its axes permuted, without moving any data yet."""
    now = x.order or tuple(range(x.rank))
    order = as_order([axes.index(axis) for axis in now])
    return replace(x, shape=tuple(x.shape[axis] for axis in axes), order=order)


def _repeat_vector(b: Builder, layer: RepeatVector, inputs: list[Value], call: Call) -> Value:
    spread = with_axes(b, inputs[0], 1)
    return replace(spread, name=b.node("Tile", spread.name, b.integers(1, layer.n, 1)))


def _embedding(b: Builder, layer: Embedding, inputs: list[Value], call: Call) -> Value:
    index = b.plain(b.cast(inputs[0], "int32"))
    return Value(b.node("Gather", b.weight(layer.embeddings), index, axis=0), call.shapes[0])


def _masking(b: Builder, layer: Masking, inputs: list[Value], call: Call) -> Value:
    x = inputs[0]
    seen = b.cast(any_along_last(b, unlike(b, x, layer.mask_value)), "float32")
    return b.each("Mul", x, seen.name)


_NOISE = (Dropout, AlphaDropout, GaussianDropout, GaussianNoise, SpatialDropout1D, SpatialDropout2D, SpatialDropout3D)

KINDS = {
    Dense: Kind(_dense),
    Embedding: Kind(_embedding, any_dtype=True),
    Flatten: Kind(_flatten, any_dtype=True),
    Masking: Kind(_masking),
    RepeatVector: Kind(_repeat_vector, any_dtype=True),
    **dict.fromkeys(_NOISE, Kind(_same, any_dtype=True)),
}
