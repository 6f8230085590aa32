"""Layers that normalize their inputs to a given mean and variance, or length, as nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tfpy.layers.kinds.normalization import (
    MIN_LENGTH,
    BatchNormalization,
    GroupNormalization,
    LayerNormalization,
    UnitNormalization,
)
from tfpy.layers.saving.onnx.builder import Builder, Call, Kind, Value, channels_in_front
from tfpy.layers.symbolic import to_list


def _batch_normalization(b: Builder, layer: BatchNormalization, inputs: list[Value], call: Call) -> Value:
    x = inputs[0]
    order = channels_in_front(x.rank, layer.axis)
    size = layer.moving_mean.shape[0]
    gamma = b.weight(layer.gamma) or b.constant(np.ones(size))
    beta = b.weight(layer.beta) or b.constant(np.zeros(size))
    moving = (b.weight(layer.moving_mean), b.weight(layer.moving_variance))
    name = b.node("BatchNormalization", b.arranged(x, order), gamma, beta, *moving, epsilon=float(layer.epsilon))
    return replace(x, name=name, order=order)


def _layer_normalization(b: Builder, layer: LayerNormalization, inputs: list[Value], call: Call) -> Value:
    x = inputs[0]
    axes = to_list(layer.axis)
    if axes != list(range(axes[0], x.rank)):
        shape = [n or 1 if i in axes else 1 for i, n in enumerate(x.shape)]
        return _scaled(b, layer, normalized(b, x, axes, layer.epsilon), shape)
    ones = np.ones([x.shape[axis] or 0 for axis in axes])
    weights = (b.weight(layer.gamma) or b.constant(ones), b.weight(layer.beta))
    name = b.node("LayerNormalization", b.plain(x), *weights, axis=axes[0], epsilon=float(layer.epsilon))
    return replace(x, name=name, order=None)


def normalized(b: Builder, x: Value, axes: Sequence[int], epsilon: float) -> Value:
    """A value normalized to mean 0 and variance 1 along axes."""
    centered = b.each("Sub", x, b.reduced("ReduceMean", x, axes, True).name)
    variance = b.reduced("ReduceMean", b.each("Mul", centered, centered.name), axes, True)
    return b.each("Div", centered, b.each("Sqrt", b.each("Add", variance, b.constant(epsilon))).name)


def _scaled(b: Builder, layer: Any, y: Value, shape: Sequence[int]) -> Value:
    """A value scaled and shifted by a layer's weights, in a shape that broadcasts to it."""
    for kind, weight in (("Mul", layer.gamma), ("Add", layer.beta)):
        y = y if weight is None else b.with_weight(kind, y, weight, shape)
    return y


def _group_normalization(b: Builder, layer: GroupNormalization, inputs: list[Value], call: Call) -> Value:
    x = inputs[0]
    axis = layer.axis % x.rank
    channels = x.shape[axis]
    order = channels_in_front(x.rank, axis)
    front = b.arranged(x, order)
    groups = channels if layer.groups == -1 else layer.groups
    grouped = Value(b.node("Reshape", front, b.integers(0, groups or 1, -1)), (None, groups, None))
    even = normalized(b, grouped, [2], layer.epsilon)
    y = replace(x, name=b.node("Reshape", even.name, b.node("Shape", front)), order=order)
    return _scaled(b, layer, y, [channels or 1 if i == axis else 1 for i in range(x.rank)])


def _unit_normalization(b: Builder, layer: UnitNormalization, inputs: list[Value], call: Call) -> Value:
    return l2_normalized(b, inputs[0], to_list(layer.axis), MIN_LENGTH)


def l2_normalized(b: Builder, x: Value, axes: Sequence[int], least: float) -> Value:
    """A value normalized to length 1 along axes, with a lower bound on its squared length."""
    squares = b.reduced("ReduceSum", b.each("Mul", x, x.name), axes, True)
    return b.each("Div", x, b.each("Sqrt", b.each("Max", squares, b.constant(least))).name)


KINDS = {
    BatchNormalization: Kind(_batch_normalization),
    GroupNormalization: Kind(_group_normalization),
    LayerNormalization: Kind(_layer_normalization),
    UnitNormalization: Kind(_unit_normalization),
}
