"""The masks of layers as nodes: boolean values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from tfpy.layers.base import Layer
from tfpy.layers.kinds.conv_recurrent import ConvLSTM2D
from tfpy.layers.kinds.core import Embedding, Masking
from tfpy.layers.kinds.merge import Add, Average, Concatenate, Dot, Maximum, Minimum, Multiply, Subtract
from tfpy.layers.kinds.recurrent import GRU, LSTM, RNN, SimpleRNN
from tfpy.layers.kinds.wrappers import Bidirectional
from tfpy.layers.saving.onnx.builder import Builder, Value
from tfpy.layers.symbolic import PartialShape

Masks = Sequence["Value | None"]


def unlike(b: Builder, x: Value, number: float) -> Value:
    """A mask of the elements of a value that differ from a number."""
    wanted = b.cast(x, "float32")
    return b.each("Not", b.each("Equal", wanted, b.constant(number), dtype="bool"))


def any_along_last(b: Builder, x: Value) -> Value:
    """Whether any element along the last axis is true; the axis stays, with size 1."""
    return b.cast(b.reduced("ReduceMax", b.cast(x, "float32"), [-1], True), "bool")


def _without_last(b: Builder, x: Value) -> Value:
    """A value without its last axis, which has size 1."""
    return Value(b.node("Squeeze", b.plain(x), b.integers(x.rank - 1)), x.shape[:-1], x.dtype)


def with_axes(b: Builder, x: Value, *axes: int) -> Value:
    """A value with additional axes of size 1, at these positions of the result."""
    shape = list(x.shape)
    for axis in axes:
        shape.insert(axis, 1)
    return Value(b.node("Unsqueeze", b.plain(x), b.integers(*axes)), tuple(shape), x.dtype)


def all_of(b: Builder, masks: Sequence[Value | None]) -> Value | None:
    """The logical and of the masks that are not None."""
    given = [mask for mask in masks if mask is not None]
    return reduce(lambda x, y: _both(b, x, y), given) if given else None


def _both(b: Builder, x: Value, y: Value) -> Value:
    return Value(b.node("And", b.plain(x), b.plain(y)), (None,) * max(x.rank, y.rank), "bool")


def may_broadcast(mask: PartialShape, shape: PartialShape) -> bool | None:
    """Whether a mask broadcasts to the shape of a value; None if that depends on unknown sizes.

    If the ranks are equal, the first axes are the same batch, and other unknown sizes belong to the same sequence.
    """
    ahead = len(shape) - len(mask)
    pairs = list(zip(mask, shape[ahead:], strict=True))[0 if ahead else 1 :] if ahead >= 0 else []
    if ahead < 0 or any(m not in (1, None, n) and n is not None for m, n in pairs):
        return False
    return True if not ahead and all(m in (1, n) for m, n in pairs) else None


# The masks of outputs, computed from the inputs and their masks.


def _of_embedding(b: Builder, layer: Embedding, inputs: list[Value], masks: Masks) -> Value | None:
    return unlike(b, inputs[0], 0)  # only called for layers that support masking


def _of_masking(b: Builder, layer: Masking, inputs: list[Value], masks: Masks) -> Value | None:
    return _without_last(b, any_along_last(b, unlike(b, inputs[0], layer.mask_value)))


def _of_sequences(b: Builder, layer: RNN, inputs: list[Value], masks: Masks) -> Value | None:
    return masks[0] if layer.return_sequences else None


def _of_both_ways(b: Builder, layer: Bidirectional, inputs: list[Value], masks: Masks) -> Value | None:
    return masks[0] if layer.forward_layer.return_sequences else None


def _of_merge(b: Builder, layer: Any, inputs: list[Value], masks: Masks) -> Value | None:
    return all_of(b, masks)


def _of_concatenate(b: Builder, layer: Concatenate, inputs: list[Value], masks: Masks) -> Value | None:
    if not any(mask is not None for mask in masks):
        return None
    parts = [_part(b, x, mask) for x, mask in zip(inputs, masks, strict=True)]
    axis = layer.axis % inputs[0].rank
    joined = Value(b.node("Concat", *map(b.plain, parts), axis=axis), (None,) * inputs[0].rank, "bool")
    every = b.cast(b.reduced("ReduceMin", b.cast(joined, "float32"), [-1], True), "bool")
    return _without_last(b, every)


def _part(b: Builder, x: Value, mask: Value | None) -> Value:
    """The mask of one of the concatenated inputs, with a last axis of size 1 at least."""
    if mask is not None:
        return with_axes(b, mask, mask.rank) if mask.rank < x.rank else mask
    sizes = b.sizes([*((x, axis) for axis in range(x.rank - 1)), 1])
    ones = b.node("Expand", b.constant(True, np.bool_), sizes)
    return Value(ones, (*x.shape[:-1], 1), "bool")


def _none(b: Builder, layer: Any, inputs: list[Value], masks: Masks) -> Value | None:
    return None


# For other layers that support masking, the mask is that of the first input.
MASKS: dict[type[Layer], Callable[[Builder, Any, list[Value], Masks], Value | None]] = {
    Bidirectional: _of_both_ways,
    Concatenate: _of_concatenate,
    Dot: _none,
    Embedding: _of_embedding,
    Masking: _of_masking,
    **dict.fromkeys((GRU, LSTM, RNN, SimpleRNN, ConvLSTM2D), _of_sequences),
    **dict.fromkeys((Add, Average, Maximum, Minimum, Multiply, Subtract), _of_merge),
}
