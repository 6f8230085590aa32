"""Convolution and pooling layers as nodes, which take channels-first images."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tfpy.layers.kinds import convolutional, pooling, separable
from tfpy.layers.kinds.convolutional import BaseConv
from tfpy.layers.saving.onnx.activations import activated
from tfpy.layers.saving.onnx.builder import Builder, Call, Kind, Order, Value, channels_in_front
from tfpy.layers.saving.onnx.nodes import Array
from tfpy.layers.saving.onnx.windows import windowed
from tfpy.layers.spatial import channel_axis, inner_axes


def order_of(layer: Any) -> Order | None:
    """The order of axes in which nodes take a layer's images."""
    n = layer.dimensions
    return channels_in_front(n + 2, channel_axis(layer.data_format, n))


def _inner_sizes(layer: Any, x: Value) -> list[int | None]:
    """The sizes of the images, as far as known."""
    return [x.shape[axis] for axis in inner_axes(layer.data_format, layer.dimensions)]


def filters_in_front(kernel: Array) -> Array:
    """Filters (…, channels, filters) as (filters, channels, …)."""
    return np.moveaxis(kernel, (-1, -2), (0, 1))


def _one_by_one(kernel: Array) -> Array:
    """Depthwise filters (…, channels, multiplier) as (channels · multiplier, 1, …)."""
    moved = np.moveaxis(kernel, (-2, -1), (0, 1))
    return moved.reshape(-1, 1, *moved.shape[2:])


def _convolve(b: Builder, layer: BaseConv, x: Value, kernel: str, bias: Any, **more: Any) -> Value:
    """A value convolved with filters according to a layer's options."""
    order = order_of(layer)
    steps = (layer.padding, layer.kernel_size, layer.strides, layer.dilation_rate)
    images, attributes = windowed(b, b.arranged(x, order), _inner_sizes(layer, x), *steps)
    return replace(x, name=b.node("Conv", images, kernel, b.weight(bias), **attributes, **more), order=order)


def _convolution(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
    kernel = b.weight(layer.kernel, filters_in_front, "filters-first")
    return activated(b, layer.activation, _convolve(b, layer, inputs[0], kernel, layer.bias))


def _depthwise(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
    return activated(b, layer.activation, _by_channel(b, layer, inputs[0], layer.bias))


def _by_channel(b: Builder, layer: Any, x: Value, bias: Any) -> Value:
    kernel = b.weight(layer.depthwise_kernel, _one_by_one, "by-channel")
    return _convolve(b, layer, x, kernel, bias, group=layer.depthwise_kernel.shape[-2])


def _separable(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
    channels = _by_channel(b, layer, inputs[0], None)
    kernel = b.weight(layer.pointwise_kernel, filters_in_front, "filters-first")
    return activated(b, layer.activation, b.each("Conv", channels, kernel, b.weight(layer.bias)))


def _transposed(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
    x, order, same = inputs[0], order_of(layer), layer.padding == "same"
    # With 'same', elements beyond the last step are cut off, and missing ones are added at the end.
    beyond = [size - stride for size, stride in zip(layer.kernel_size, layer.strides, strict=True)]
    widened = [(0, 0)] * len(beyond)
    if same and layer.dimensions == 3:  # TF.js adds them on both sides there, which is done by larger windows
        widened = [(-(n // 2), n // 2 - n) if n < 0 else (0, 0) for n in beyond]
        beyond = [n + before + after for n, (before, after) in zip(beyond, widened, strict=True)]
    cut = [max(n, 0) if same else 0 for n in beyond]
    margins = [(0, 0), (0, 0), *widened]
    kernel = b.weight(layer.kernel, lambda w: np.pad(filters_in_front(w), margins), "channels-first")
    name = b.node(
        "ConvTranspose", b.arranged(x, order), kernel, b.weight(layer.bias),
        strides=list(layer.strides), output_padding=[max(-n, 0) for n in beyond],
        pads=[*(n // 2 for n in cut), *(n - n // 2 for n in cut)],
    )  # fmt: skip
    return activated(b, layer.activation, replace(x, name=name, order=order))


def _pooled(kind: str, **attributes: Any) -> Kind:
    """Layers that reduce each window to one value."""

    def export(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
        x, order = inputs[0], order_of(layer)
        steps = (layer.padding, layer.pool_size, layer.strides)
        images, windows = windowed(b, b.arranged(x, order), _inner_sizes(layer, x), *steps)
        return replace(x, name=b.node(kind, images, **windows, **attributes), order=order)

    return Kind(export)


def _reduced(kind: str) -> Kind:
    """Layers that reduce each channel to one value."""

    def export(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
        return b.reduced(kind, inputs[0], inner_axes(layer.data_format, layer.dimensions), bool(layer.keepdims))

    return Kind(export)


_CONVOLUTIONS = (convolutional.Conv1D, convolutional.Conv2D, convolutional.Conv3D)
_TRANSPOSED = (convolutional.Conv2DTranspose, convolutional.Conv3DTranspose)
_AVERAGE = (pooling.AveragePooling1D, pooling.AveragePooling2D, pooling.AveragePooling3D)
_MAXIMUM = (pooling.MaxPooling1D, pooling.MaxPooling2D, pooling.MaxPooling3D)
_ALL_AVERAGE = (pooling.GlobalAveragePooling1D, pooling.GlobalAveragePooling2D, pooling.GlobalAveragePooling3D)
_ALL_MAXIMUM = (pooling.GlobalMaxPooling1D, pooling.GlobalMaxPooling2D, pooling.GlobalMaxPooling3D)

KINDS: dict[Any, Kind] = {
    **dict.fromkeys(_CONVOLUTIONS, Kind(_convolution)),
    **dict.fromkeys(_TRANSPOSED, Kind(_transposed)),
    **dict.fromkeys((separable.DepthwiseConv1D, separable.DepthwiseConv2D), Kind(_depthwise)),
    **dict.fromkeys((separable.SeparableConv1D, separable.SeparableConv2D), Kind(_separable)),
    **dict.fromkeys(_AVERAGE, _pooled("AveragePool", count_include_pad=0)),
    **dict.fromkeys(_MAXIMUM, _pooled("MaxPool")),
    **dict.fromkeys(_ALL_AVERAGE, _reduced("ReduceMean")),
    **dict.fromkeys(_ALL_MAXIMUM, _reduced("ReduceMax")),
}
