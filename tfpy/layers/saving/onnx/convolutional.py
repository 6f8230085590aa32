"""Convolutions and poolings as nodes, which take images with their channels in front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tfpy.layers.kinds import convolutional, pooling, separable
from tfpy.layers.kinds.convolutional import Sliding
from tfpy.layers.saving.onnx.activations import activated
from tfpy.layers.saving.onnx.builder import Array, Builder, Call, Kind, Order, Refused, Value, channels_in_front
from tfpy.layers.spatial import channel_axis, inner_axes


def order_of(layer: Any) -> Order | None:
    """The order of the axes in which nodes take the images of a layer."""
    n = layer.dimensions
    return channels_in_front(n + 2, channel_axis(layer.data_format, n))


def inner_sizes(layer: Any, x: Value) -> list[int | None]:
    """The sizes of the images, as far as they are known."""
    return [x.shape[axis] for axis in inner_axes(layer.data_format, layer.dimensions)]


def padding_of(
    padding: str, sizes: Sequence[int | None], windows: Sequence[int], strides: Sequence[int], rates: Sequence[int]
) -> dict[str, Any]:
    """How much is put around images, as attributes of a node.

    With 'same' it depends on the sizes, unless strides or windows are 1; where these are not known nodes find it
    themselves, but not all of them do for windows that leave something out.

    Raises:
        Refused: they would have to.
    """
    reach = [(window - 1) * rate for window, rate in zip(windows, rates, strict=True)]
    if padding == "valid":
        return {}
    if padding == "causal":
        return {"pads": [*reach, *[0] * len(reach)]}
    steps = list(zip(sizes, reach, strides, strict=True))
    if any(size is None and r and stride != 1 for size, r, stride in steps):
        if any(stride > r + 1 for _, r, stride in steps):
            raise Refused("its windows leave something out, how much depends on sizes that are not known")
        return {"auto_pad": "SAME_UPPER"}
    totals = [max(r - ((size or 1) - 1) % stride, 0) for size, r, stride in steps]
    return {"pads": [*(n // 2 for n in totals), *(n - n // 2 for n in totals)]}


def filters_in_front(kernel: Array) -> Array:
    """Filters (…, channels, filters) as (filters, channels, …)."""
    return np.moveaxis(kernel, (-1, -2), (0, 1))


def _one_by_one(kernel: Array) -> Array:
    """Filters (…, channels, multiplier), each for a channel, as (channels · multiplier, 1, …)."""
    moved = np.moveaxis(kernel, (-2, -1), (0, 1))
    return moved.reshape(-1, 1, *moved.shape[2:])


def _slid(b: Builder, layer: Sliding, x: Value, kernel: str, bias: Any, **more: Any) -> Value:
    """A value with filters slid over it as a layer's options say."""
    padding = padding_of(layer.padding, inner_sizes(layer, x), layer.kernel_size, layer.strides, layer.dilation_rate)
    steps = {"strides": list(layer.strides), "dilations": list(layer.dilation_rate), **padding, **more}
    biases = [] if bias is None else [b.weight(bias)]
    order = order_of(layer)
    name = b.node("Conv", b.arranged(x, order), kernel, *biases, kernel_shape=list(layer.kernel_size), **steps)
    return replace(x, name=name, order=order)


def _convolution(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
    kernel = b.weight(layer.kernel, filters_in_front, "filters-first")
    return activated(b, layer.activation, _slid(b, layer, inputs[0], kernel, layer.bias))


def _depthwise(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
    return activated(b, layer.activation, _by_channel(b, layer, inputs[0], layer.bias))


def _by_channel(b: Builder, layer: Any, x: Value, bias: Any) -> Value:
    kernel = b.weight(layer.depthwise_kernel, _one_by_one, "by-channel")
    return _slid(b, layer, x, kernel, bias, group=layer.depthwise_kernel.shape[-2])


def _separable(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
    channels = _by_channel(b, layer, inputs[0], None)
    kernel = b.weight(layer.pointwise_kernel, filters_in_front, "filters-first")
    mixed = b.each("Conv", channels, kernel, *([] if layer.bias is None else [b.weight(layer.bias)]))
    return activated(b, layer.activation, mixed)


def _transposed(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
    x, order = inputs[0], order_of(layer)
    # What the windows reach beyond the steps is cut off with 'same', and what they leave out is added.
    beyond = [size - stride for size, stride in zip(layer.kernel_size, layer.strides, strict=True)]
    cut = [max(n, 0) if layer.padding == "same" else 0 for n in beyond]
    kernel = b.weight(layer.kernel, filters_in_front, "channels-first")
    name = b.node(
        "ConvTranspose", b.arranged(x, order), kernel, *([] if layer.bias is None else [b.weight(layer.bias)]),
        kernel_shape=list(layer.kernel_size), strides=list(layer.strides), output_padding=[max(-n, 0) for n in beyond],
        pads=[*(n // 2 for n in cut), *(n - n // 2 for n in cut)],
    )  # fmt: skip
    return activated(b, layer.activation, replace(x, name=name, order=order))


def _pooled(kind: str, **attributes: Any) -> Kind:
    """Layers that make one value of each window."""

    def export(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
        x, order = inputs[0], order_of(layer)
        steps = (layer.pool_size, layer.strides, [1] * layer.dimensions)
        name = b.node(
            kind, b.arranged(x, order), kernel_shape=list(layer.pool_size), strides=list(layer.strides),
            **padding_of(layer.padding, inner_sizes(layer, x), *steps), **attributes,
        )  # fmt: skip
        return replace(x, name=name, order=order)

    return Kind(export)


def _reduced(kind: str) -> Kind:
    """Layers that make one value of each channel."""

    def export(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
        return b.reduced(kind, inputs[0], inner_axes(layer.data_format, layer.dimensions))

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
