"""Convolutions over each channel separately, and those that mix the channels afterwards."""

from __future__ import annotations

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.conv import bilinear_gradients, check_steps
from tfpy.core.ops.spatial import Numbers, Padding, inner_pad, to_channels_last_batch
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error
from tfpy.engine.windows import Window, sliding_window


@op(chain=True, doc="Operations / Convolution")
def depthwise_conv2d(
    x: TensorLike,
    filter: TensorLike,
    strides: Numbers,
    pad: Padding,
    data_format: str = "NHWC",
    dilations: Numbers = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """Slide filters over each channel of images separately.

    Args:
        x: a float32 tensor (batch, height, width, in channels), or without the batch axis.
        filter: a float32 tensor (height, width, in channels, multiplier): `multiplier` filters for each channel.
        strides: how far the filters move per step: one number, or one for height and one for width.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension.
        data_format: 'NHWC', or 'NCHW' for channels before height and width.
        dilations: the spacing of the filters' cells: one number or two.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad; truncated by default.

    Returns:
        A tensor (batch, out height, out width, in channels · multiplier), in the layout of x. Channel c has
        the outputs from c · multiplier on.

    Raises:
        ValueError: shapes, a pad, strides or dilations that do not fit, or both strides and dilations above 1.
        TypeError: not float32.

    Source: TF.js `tf.depthwiseConv2d`. The gradient is defined for dilations and 'NCHW', too, beyond TF.js.
    """
    t, restore = to_channels_last_batch("depthwise_conv2d", "x", x, 2, data_format)
    w = to_tensor("depthwise_conv2d", "filter", filter, "float32")
    pads = inner_pad("depthwise_conv2d", pad, 2, data_format)
    window = depthwise_window("depthwise_conv2d", t, w, strides, pads, dilations, dim_rounding_mode)
    return restore(run("DepthwiseConv2dNative", t, w, window=window))


def depthwise_window(
    op_name: str,
    t: Tensor,
    w: Tensor,
    strides: Numbers,
    pads: Padding,
    dilations: Numbers,
    rounding: str | None,
    argument: str = "filter",
) -> Window:
    """The window of a depthwise filter, checked to fit an input (batch, height, width, channels)."""
    if w.rank != 4:
        raise argument_error(op_name, argument, "of rank 4", w)
    if w.shape[2] != t.shape[-1]:
        raise argument_error(op_name, argument, f"of size {t.shape[-1]}, the channels of x, in dimension 2", w)
    window = sliding_window(op_name, t.shape[1:-1], w.shape[:2], strides, pads, dilations, rounding)
    check_steps(op_name, window)
    return window


bilinear_gradients("DepthwiseConv2dNative", "DepthwiseConv2dNativeBackpropInput", "DepthwiseConv2dNativeBackpropFilter")


@op(chain=True, doc="Operations / Convolution")
def separable_conv2d(
    x: TensorLike,
    depthwise_filter: TensorLike,
    pointwise_filter: TensorLike,
    strides: Numbers,
    pad: Padding,
    dilation: Numbers = 1,
    data_format: str = "NHWC",
) -> Tensor:
    """`depthwise_conv2d`, then a 1 × 1 convolution that mixes the channels.

    Args:
        x: a float32 tensor (batch, height, width, in channels), or without the batch axis.
        depthwise_filter: a float32 tensor (height, width, in channels, multiplier).
        pointwise_filter: a float32 tensor (1, 1, in channels · multiplier, out channels).
        strides: how far the first filter moves per step: one number or two.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension.
        dilation: the spacing of the first filter's cells: one number or two.
        data_format: 'NHWC', or 'NCHW' for channels before height and width.

    Returns:
        A tensor (batch, out height, out width, out channels), in the layout of x.

    Raises:
        ValueError: shapes, a pad, strides or dilations that do not fit, or both strides and dilations above 1.
        TypeError: not float32.

    Source: TF.js `tf.separableConv2d`. 'NCHW' is beyond TF.js.
    """
    t, restore = to_channels_last_batch("separable_conv2d", "x", x, 2, data_format)
    first = to_tensor("separable_conv2d", "depthwise_filter", depthwise_filter, "float32")
    second = to_tensor("separable_conv2d", "pointwise_filter", pointwise_filter, "float32")
    pads = inner_pad("separable_conv2d", pad, 2, data_format)
    window = depthwise_window("separable_conv2d", t, first, strides, pads, dilation, None, "depthwise_filter")
    channels = first.shape[2] * first.shape[3]
    if second.rank != 4 or second.shape[:3] != (1, 1, channels):
        expected = f"of shape (1, 1, {channels}, out channels)"
        raise argument_error("separable_conv2d", "pointwise_filter", expected, second)
    y = run("DepthwiseConv2dNative", t, first, window=window)
    point = sliding_window("separable_conv2d", y.shape[1:-1], (1, 1), 1, "valid")
    return restore(run("Conv2D", y, second, window=point))
