"""Convolutions, pooling, and the normalizations that go with them."""

from __future__ import annotations

from typing import Any

from tfpy.core.ops import fused
from tfpy.core.ops.conv import conv1d, conv2d, conv2d_transpose, conv3d
from tfpy.core.ops.depthwise import depthwise_conv2d
from tfpy.core.ops.dilation import dilation2d
from tfpy.core.ops.normalization import batch_norm, local_response_normalization
from tfpy.core.ops.pool import avg_pool, avg_pool3d, max_pool, max_pool3d, max_pool_with_argmax
from tfpy.engine.errors import argument_error
from tfpy.graph.mappers import Call, Op, maps


def _format(call: Call, default: str = "NHWC") -> str:
    return str(call.attrs.text("data_format", default).upper())


def _inner(call: Call, name: str, data_format: str = "NHWC", count: int = 2) -> list[int]:
    """The spatial entries of strides and similar attributes, which have a number for every axis."""
    numbers: list[int] = call.attrs.numbers(name, [1] * (count + 2))
    return numbers[2 : 2 + count] if data_format.startswith("NC") else numbers[1 : 1 + count]


def _pad(call: Call) -> Any:
    """The padding: a string, or pairs for every axis."""
    word = call.attrs.text("padding").lower()
    if word != "explicit":
        return word
    numbers = call.attrs.numbers("explicit_paddings")
    if len(numbers) != 8:
        raise argument_error(call.node.label, "explicit_paddings", "a pair for each of 4 axes", numbers)
    return [[numbers[2 * i], numbers[2 * i + 1]] for i in range(4)]


@maps("Conv1D")
def _conv1d(call: Call) -> Any:
    stride, dilation = call.attrs.number("stride"), call.attrs.number("dilation", 1)
    return conv1d(call.tensor(0), call.tensor(1), stride, _pad(call), _format(call, "NWC"), dilation)


@maps("Conv2D")
def _conv2d(call: Call) -> Any:
    return _convolved(call, conv2d)


@maps("DepthwiseConv2d DepthwiseConv2dNative")
def _depthwise_conv2d(call: Call) -> Any:
    return _convolved(call, depthwise_conv2d)


def _convolved(call: Call, convolve: Op) -> Any:
    layout = _format(call)
    strides, dilations = _inner(call, "strides", layout), _inner(call, "dilations", layout)
    return convolve(call.tensor(0), call.tensor(1), strides, _pad(call), layout, dilations)


def fused_parts(call: Call) -> dict[str, Any]:
    """The parts that are fused with a product or convolution: a bias, an activation, the slopes of the activation.

    Raises:
        ValueError: an unsupported part, or a wrong number of inputs.
    """
    names = [name.lower() for name in call.attrs.texts("fused_ops")]
    biased = names[:1] == ["biasadd"]
    activation = next(iter(names[1:] if biased else names), None)
    if "fusedbatchnorm" in names or len(names) > 1 + biased:
        raise argument_error(call.node.label, "fused_ops", "a BiasAdd and an activation", names)
    slopes = activation == "prelu"
    if biased and call.attrs.number("num_args") != 1 + slopes:
        raise argument_error(call.node.label, "num_args", f"{1 + slopes} with {names}", call.attrs.number("num_args"))
    return {
        "bias": call.tensor(2) if biased else None,
        "activation": "linear" if activation is None else activation,
        "prelu_activation_weights": call.tensor(2 + biased) if slopes else None,
        "leakyrelu_alpha": call.attrs.number("leakyrelu_alpha", 0.2),
    }


def _fused(call: Call, convolve: Op) -> Any:
    layout = _format(call)
    return convolve(
        x=call.tensor(0),
        filter=call.tensor(1),
        strides=_inner(call, "strides", layout),
        pad=_pad(call),
        data_format=layout,
        dilations=_inner(call, "dilations", layout),
        **fused_parts(call),
    )


maps("_FusedConv2D")(lambda call: _fused(call, fused.conv2d))
maps("FusedDepthwiseConv2dNative")(lambda call: _fused(call, fused.depthwise_conv2d))


@maps("Conv2DBackpropInput Conv2dTranspose")
def _conv2d_transpose(call: Call) -> Any:
    return conv2d_transpose(call.tensor(2), call.tensor(1), call.sizes(0), _inner(call, "strides"), _pad(call))


@maps("Conv3D")
def _conv3d(call: Call) -> Any:
    layout = _format(call, "NDHWC")
    layout = "NDHWC" if layout == "NHWC" else layout
    strides, dilations = _inner(call, "strides", layout, 3), _inner(call, "dilations", layout, 3)
    return conv3d(call.tensor(0), call.tensor(1), strides, _pad(call), layout, dilations)


@maps("Dilation2D")
def _dilation2d(call: Call) -> Any:
    strides, rates = _inner(call, "strides"), _inner(call, "rates")
    return dilation2d(call.tensor(0), call.tensor(1), strides, _pad(call), rates, "NHWC")


def _pools(name: str, pool: Op, count: int) -> None:
    maps(name)(
        lambda call: pool(
            call.tensor(0), _inner(call, "ksize", count=count), _inner(call, "strides", count=count), _pad(call)
        )
    )


_pools("AvgPool", avg_pool, 2)
_pools("MaxPool", max_pool, 2)
_pools("AvgPool3D", avg_pool3d, 3)
_pools("MaxPool3D", max_pool3d, 3)


@maps("MaxPoolWithArgmax", outputs="output argmax")
def _max_pool_with_argmax(call: Call) -> Any:
    size, strides = _inner(call, "ksize"), _inner(call, "strides")
    counted = call.attrs.flag("include_batch_in_index")
    return list(max_pool_with_argmax(call.tensor(0), size, strides, _pad(call), counted))


@maps("FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3", outputs="y")
def _batch_norm(call: Call) -> Any:
    x, scale, offset, mean, variance = (call.tensor(i) for i in range(5))
    return batch_norm(x, mean, variance, offset, scale, call.attrs.number("epsilon", 0.001))


@maps("LRN")
def _lrn(call: Call) -> Any:
    radius, bias = call.attrs.number("depth_radius", 5), call.attrs.number("bias", 1)
    return local_response_normalization(
        call.tensor(0), radius, bias, call.attrs.number("alpha", 1), call.attrs.number("beta", 0.5)
    )
