"""Rows of convolutions, their gradients, and morphological dilation.

Inputs are (batch, *inner, channels), filters (*window, in channels, out channels). The attribute `window` is an
`engine.windows.Window`; other layouts of data are transposed by the ops.
"""

from __future__ import annotations

from tfpy.engine.errors import ShapeError
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import kernel
from tfpy.engine.spec import Shape, Spec, spec
from tfpy.engine.windows import Window

DILATION_OUTSIDE = -(2**53 - 1)
"""The padding of Dilation2D's input, as in TF.js: JavaScript's Number.MIN_SAFE_INTEGER."""


def _check_channels(x: Handle, filter: Handle, axis: int) -> None:
    if x.spec.shape[-1] != filter.spec.shape[axis]:
        raise ShapeError(
            f"input of shape {list(x.spec.shape)} and filter {list(filter.spec.shape)} differ in channels."
        )


def _conv(x: Handle, filter: Handle, *, window: Window) -> Spec:
    _check_channels(x, filter, -2)
    return spec((x.spec.shape[0], *window.out, filter.spec.shape[-1]), x.spec.dtype)


def _conv_input(dy: Handle, filter: Handle, *, window: Window, input_shape: Shape) -> Spec:
    _check_channels(dy, filter, -1)
    return spec(input_shape, dy.spec.dtype)


def _conv_filter(x: Handle, dy: Handle, *, window: Window) -> Spec:
    return spec((*window.size, x.spec.shape[-1], dy.spec.shape[-1]), dy.spec.dtype)


for _dimensions, _input, _filter in (
    ("2D", "Conv2DBackpropInput", "Conv2DBackpropFilter"),
    ("3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"),
):
    _label = f"conv{_dimensions.lower()}"
    kernel(f"Conv{_dimensions}", "x filter", _conv, attrs="window", label=_label)
    kernel(_input, "dy filter", _conv_input, attrs="window input_shape", label=f"{_label}_transpose")
    kernel(_filter, "x dy", _conv_filter, attrs="window", label=f"{_label} (gradient of the filter)")


# Depthwise: filters are (*window, channels, multiplier); channel c has the outputs c · multiplier + m.


def _depthwise(x: Handle, filter: Handle, *, window: Window) -> Spec:
    _check_channels(x, filter, -2)
    channels, multiplier = filter.spec.shape[-2:]
    return spec((x.spec.shape[0], *window.out, channels * multiplier), x.spec.dtype)


def _depthwise_input(dy: Handle, filter: Handle, *, window: Window, input_shape: Shape) -> Spec:
    return spec(input_shape, dy.spec.dtype)


def _depthwise_filter(x: Handle, dy: Handle, *, window: Window) -> Spec:
    channels = x.spec.shape[-1]
    return spec((*window.size, channels, dy.spec.shape[-1] // max(1, channels)), dy.spec.dtype)


kernel("DepthwiseConv2dNative", "x filter", _depthwise, attrs="window", label="depthwise_conv2d")
kernel("DepthwiseConv2dNativeBackpropInput", "dy filter", _depthwise_input, attrs="window input_shape")
kernel("DepthwiseConv2dNativeBackpropFilter", "x dy", _depthwise_filter, attrs="window")


# Dilation: the largest x + filter in the window; filters are (*window, channels).


def _dilation(x: Handle, filter: Handle, *, window: Window) -> Spec:
    _check_channels(x, filter, -1)
    return spec((x.spec.shape[0], *window.out, x.spec.shape[-1]), x.spec.dtype)


def _like_x(x: Handle, filter: Handle, dy: Handle, *, window: Window) -> Spec:
    return spec(x.spec.shape, dy.spec.dtype)


def _like_filter(x: Handle, filter: Handle, dy: Handle, *, window: Window) -> Spec:
    return spec(filter.spec.shape, dy.spec.dtype)


def _picked(x: Handle, filter: Handle, u: Handle, v: Handle, *, window: Window) -> Spec:
    """u like x and v like the filter: their sum at the cell that x + filter is largest at."""
    return spec((x.spec.shape[0], *window.out, x.spec.shape[-1]), u.spec.dtype)


kernel("Dilation2D", "x filter", _dilation, attrs="window")
kernel("Dilation2DBackpropInput", "x filter dy", _like_x, attrs="window")
kernel("Dilation2DBackpropFilter", "x filter dy", _like_filter, attrs="window")
kernel("Dilation2DPick", "x filter u v", _picked, attrs="window")
