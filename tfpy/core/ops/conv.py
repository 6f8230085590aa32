"""Convolutions in one to three dimensions, and their transposes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import Kind, TensorLike, to_tensor
from tfpy.core.ops.common import as_float, cast_to, zero_gradient
from tfpy.core.ops.spatial import Numbers, Padding, inner_pad, to_channels_last_batch
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import array_as_list, as_int, as_shape
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient
from tfpy.engine.windows import Window, sliding_window


@op(chain=True, doc="Operations / Convolution")
def conv1d(
    x: TensorLike,
    filter: TensorLike,
    stride: Numbers,
    pad: Padding,
    data_format: str = "NWC",
    dilation: Numbers = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """Slide a filter along sequences, summing the products at each position.

    Args:
        x: a float32 tensor (batch, width, in channels), or without the batch axis.
        filter: a float32 tensor (width, in channels, out channels).
        stride: how far the filter moves per step.
        pad: 'same' or 'valid', 0, or pairs (before, after) for each dimension.
        data_format: 'NWC', or 'NCW' for channels before the width.
        dilation: the spacing of the filter's cells.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad; truncated by default.

    Returns:
        A tensor (batch, out width, out channels), in the layout of x.

    Raises:
        ValueError: shapes, or a pad, stride or dilation that does not fit, or both stride and dilation above 1.
        TypeError: not float32.

    Source: TF.js `tf.conv1d`, a `conv2d` of height 1. As there, a pad of 0 counts the places by that height, so that
    the filter goes on to the last element.
    """
    t, restore = to_channels_last_batch("conv1d", "x", x, 1, data_format)
    w = convolution_filter("conv1d", filter, 3, t.shape[-1])
    flat = run("Reshape", t, shape=(t.shape[0], 1, *t.shape[1:]))
    kernel = run("Reshape", w, shape=(1, *w.shape))
    strides, dilations = (1, _single("stride", stride)), (1, _single("dilation", dilation))
    pads = _pad_of_one_row(pad, data_format)
    window = sliding_window("conv1d", flat.shape[1:-1], kernel.shape[:2], strides, pads, dilations, dim_rounding_mode)
    check_steps("conv1d", window)
    y = run("Conv2D", flat, kernel, window=window)
    return restore(run("Reshape", y, shape=(y.shape[0], *y.shape[2:])))


def _single(argument: str, value: Numbers) -> int:
    """The single number that conv1d takes, which may be in a list."""
    value = array_as_list(value)
    if isinstance(value, Sequence):
        if len(value) != 1:
            raise argument_error("conv1d", argument, "one number", value)
        return value[0]
    return value


def _pad_of_one_row(pad: Padding, data_format: str) -> Any:
    """The pad of a sequence as that of an image of height 1."""
    pad = array_as_list(pad)
    if isinstance(pad, str):
        return pad
    if not isinstance(pad, Sequence):
        if as_int("conv1d", "pad", pad) != 0:
            raise argument_error("conv1d", "pad", "'same', 'valid', 0, or pairs (before, after)", pad)
        return pad
    if len(pad) == 4:  # TF.js uses them as the pad of the image
        return inner_pad("conv1d", pad, 2)
    return [(0, 0), *inner_pad("conv1d", pad, 1, data_format)]


@op(chain=True, doc="Operations / Convolution")
def conv2d(
    x: TensorLike,
    filter: TensorLike,
    strides: Numbers,
    pad: Padding,
    data_format: str = "NHWC",
    dilations: Numbers = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """Slide a filter over images, summing the products at each position.

    Args:
        x: a float32 tensor (batch, height, width, in channels), or without the batch axis.
        filter: a float32 tensor (height, width, in channels, out channels).
        strides: how far the filter moves per step: one number, or one for height and one for width.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension.
        data_format: 'NHWC', or 'NCHW' for channels before height and width.
        dilations: the spacing of the filter's cells: one number or two.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad; truncated by default.

    Returns:
        A tensor (batch, out height, out width, out channels), in the layout of x.

    Raises:
        ValueError: shapes, a pad, strides or dilations that do not fit, or both strides and dilations above 1.
        TypeError: not float32.

    Source: TF.js `tf.conv2d`. The gradient is defined for dilations, too, beyond TF.js.
    """
    t, restore = to_channels_last_batch("conv2d", "x", x, 2, data_format)
    w = convolution_filter("conv2d", filter, 4, t.shape[-1])
    pads = inner_pad("conv2d", pad, 2, data_format)
    window = sliding_window("conv2d", t.shape[1:-1], w.shape[:2], strides, pads, dilations, dim_rounding_mode)
    check_steps("conv2d", window)
    return restore(run("Conv2D", t, w, window=window))


@op(doc="Operations / Convolution")
def conv3d(
    x: TensorLike,
    filter: TensorLike,
    strides: Numbers,
    pad: Padding,
    data_format: str = "NDHWC",
    dilations: Numbers = 1,
) -> Tensor:
    """Slide a filter over volumes, summing the products at each position.

    Args:
        x: a tensor (batch, depth, height, width, in channels), or without the batch axis.
        filter: a tensor (depth, height, width, in channels, out channels).
        strides: how far the filter moves per step: one number or three.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension.
        data_format: 'NDHWC', or 'NCDHW' for channels before the spatial dimensions.
        dilations: the spacing of the filter's cells: one number or three.

    Returns:
        A tensor (batch, out depth, out height, out width, out channels), in the layout and dtype of x.

    Raises:
        ValueError: shapes, a pad, strides or dilations that do not fit, or both strides and dilations above 1.
        TypeError: strings.

    Source: TF.js `tf.conv3d`. 'NCDHW' and the gradient with dilations are beyond TF.js.
    """
    t, restore = to_channels_last_batch("conv3d", "x", x, 3, data_format, "numeric")
    w = as_float(convolution_filter("conv3d", filter, 5, t.shape[-1], "numeric"))
    pads = inner_pad("conv3d", pad, 3, data_format)
    window = sliding_window("conv3d", t.shape[1:-1], w.shape[:3], strides, pads, dilations)
    check_steps("conv3d", window)
    return restore(cast_to(run("Conv3D", as_float(t), w, window=window), t.dtype))


@op(chain=True, doc="Operations / Convolution")
def conv2d_transpose(
    x: TensorLike,
    filter: TensorLike,
    output_shape: Sequence[int],
    strides: Numbers,
    pad: Padding,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The transpose of `conv2d`: at each position, add the filter times x.

    Args:
        x: a tensor (batch, height, width, in channels), or without the batch axis.
        filter: a tensor (height, width, out channels, in channels).
        output_shape: the shape of the result, whose `conv2d` with this filter would have the shape of x.
        strides: how far the filter moves per step: one number or two.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad; truncated by default.

    Returns:
        A float32 tensor of the output shape.

    Raises:
        ValueError: shapes that do not fit, or an invalid pad or invalid strides. TypeError: strings.

    Source: TF.js `tf.conv2dTranspose`; deeplearn.js `math.conv2dTranspose`.
    """
    return _transposed("conv2d_transpose", 2, x, filter, output_shape, strides, pad, dim_rounding_mode)


@op(doc="Operations / Convolution")
def conv3d_transpose(
    x: TensorLike, filter: TensorLike, output_shape: Sequence[int], strides: Numbers, pad: Padding
) -> Tensor:
    """The transpose of `conv3d`: at each position, add the filter times x.

    Args:
        x: a tensor (batch, depth, height, width, in channels), or without the batch axis.
        filter: a tensor (depth, height, width, out channels, in channels).
        output_shape: the shape of the result, whose `conv3d` with this filter would have the shape of x.
        strides: how far the filter moves per step: one number or three.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension.

    Returns:
        A float32 tensor of the output shape.

    Raises:
        ValueError: shapes that do not fit, or an invalid pad or invalid strides. TypeError: strings.

    Source: TF.js `tf.conv3dTranspose`. The gradient is beyond TF.js.
    """
    return _transposed("conv3d_transpose", 3, x, filter, output_shape, strides, pad, None)


_KERNELS_BY_INPUT = {2: "Conv2DBackpropInput", 3: "Conv3DBackpropInputV2"}


def _transposed(
    op_name: str,
    n: int,
    x: TensorLike,
    filter: TensorLike,
    output_shape: Sequence[int],
    strides: Numbers,
    pad: Padding,
    rounding: str | None,
) -> Tensor:
    t, restore = to_channels_last_batch(op_name, "x", x, n, kind="numeric")
    w = as_float(convolution_filter(op_name, filter, n + 2, t.shape[-1], "numeric", axis=-1))
    shape = as_shape(op_name, output_shape, "output_shape")
    if len(shape) == n + 1:
        shape = (1, *shape)
    if len(shape) != n + 2 or (shape[0], shape[-1]) != (t.shape[0], w.shape[-2]):
        expected = f"of {n} inner sizes with batch size {t.shape[0]} and the filter's {w.shape[-2]} channels"
        raise argument_error(op_name, "output_shape", expected, output_shape)
    window = sliding_window(op_name, shape[1:-1], w.shape[:n], strides, inner_pad(op_name, pad, n), 1, rounding)
    if window.out != t.shape[1:-1]:
        expected = f"a shape that the convolution takes to {list(t.shape[1:-1])}, the inner sizes of x"
        raise argument_error(op_name, "output_shape", expected, output_shape)
    return restore(run(_KERNELS_BY_INPUT[n], as_float(t), w, window=window, input_shape=shape))


def convolution_filter(
    op_name: str, filter: TensorLike, rank: int, channels: int, kind: Kind = "float32", axis: int = -2
) -> Tensor:
    """The filter as a tensor, checked to have the rank and the input's channels in the right dimension."""
    w = to_tensor(op_name, "filter", filter, kind)
    if w.spec.dtype == "complex64":
        raise argument_error(op_name, "filter", "real numbers (it does not take complex64)", w, TypeError)
    shape = w.spec.shape
    if len(shape) != rank:
        raise argument_error(op_name, "filter", f"of rank {rank}", w)
    if shape[axis] != channels:
        raise argument_error(op_name, "filter", f"of size {channels}, the channels of x, in dimension {axis}", w)
    return w


def check_steps(op_name: str, window: Window) -> None:
    """Raise ValueError when both strides and dilations are above 1, which TF.js does not support."""
    if max(window.strides) > 1 and max(window.dilations) > 1:
        raise argument_error(op_name, "strides", f"1 with dilations {list(window.dilations)}", list(window.strides))


def bilinear_gradients(forward: str, by_input: str, by_filter: str) -> None:
    """The gradients of a convolution and of its two gradients: each is one of the other two."""

    def by_filter_of(n: Any, x: Tensor, dy: Tensor) -> Tensor:
        # For a depthwise filter without channels, x and dy do not determine the multiplier.
        spec = n.spec("filter")
        return run(by_filter, x, dy, window=n.attrs["window"]) if spec.size else zero_gradient(spec)

    gradient(
        forward,
        saves="x filter",
        x=lambda dy, n: run(by_input, dy, n.filter, window=n.attrs["window"], input_shape=n.shape("x")),
        filter=lambda dy, n: by_filter_of(n, n.x, dy),
    )
    gradient(
        by_input,
        saves="dy filter",
        dy=lambda ddx, n: run(forward, ddx, n.filter, window=n.attrs["window"]),
        filter=lambda ddx, n: by_filter_of(n, ddx, n.dy),
    )
    gradient(
        by_filter,
        saves="x dy",
        x=lambda ddw, n: run(by_input, n.dy, ddw, window=n.attrs["window"], input_shape=n.shape("x")),
        dy=lambda ddw, n: run(forward, n.x, ddw, window=n.attrs["window"]),
    )


bilinear_gradients("Conv2D", "Conv2DBackpropInput", "Conv2DBackpropFilter")
bilinear_gradients("Conv3D", "Conv3DBackpropInputV2", "Conv3DBackpropFilterV2")
