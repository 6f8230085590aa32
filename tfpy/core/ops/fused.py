"""Products and convolutions together with a bias and an activation.

A single kernel computes everything if no gradient is recorded and the backend has that kernel; otherwise the parts run
one by one. The results are the same up to rounding, so every activation has its gradient.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.arith import add
from tfpy.core.ops.common import binary_operands, real
from tfpy.core.ops.conv import check_steps, convolution_filter
from tfpy.core.ops.depthwise import depthwise_window
from tfpy.core.ops.spatial import Numbers, Padding, inner_pad, is_channels_first, to_channels_last_batch
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import current
from tfpy.engine.dispatch import infer
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import no_gradient
from tfpy.engine.kernels import KERNELS
from tfpy.engine.rows.fused import ACTIVATIONS
from tfpy.engine.spec import Shape, broadcasts_to
from tfpy.engine.state import local
from tfpy.engine.windows import sliding_window

no_gradient("_FusedMatMul", "FusedConv2D", "FusedDepthwiseConv2D")


@op(namespace="fused", options="args", doc="Operations / Matrices")
def mat_mul(
    args: Mapping[str, Any] | None = None,
    *,
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    bias: TensorLike | None = None,
    activation: str = "linear",
    prelu_activation_weights: TensorLike | None = None,
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    """The product of two matrices, or of batches of them, with a bias and an activation.

    Args:
        args: all of these as a dict.
        a: a tensor of rank 2 or more; its last two dimensions are the matrices.
        b: a tensor of rank 2 or more; the dimensions before the last two broadcast with a's.
        transpose_a: whether a's matrices are transposed first.
        transpose_b: whether b's matrices are transposed first.
        bias: a tensor that broadcasts to the product.
        activation: 'linear', 'relu', 'relu6', 'elu', 'sigmoid', 'leakyrelu' or 'prelu'.
        prelu_activation_weights: the slopes of 'prelu' below 0: a tensor that broadcasts to the product.
        leakyrelu_alpha: the slope of 'leakyrelu' below 0.

    Returns:
        A tensor of shape [..., rows of a, columns of b], after transposing.

    Raises:
        ValueError: shapes that do not fit, or an unknown activation. TypeError: strings.

    Source: TF.js `tf.fused.matMul`.
    """
    x, y = binary_operands("fused.mat_mul", a, b)
    attrs = {"transpose_a": bool(transpose_a), "transpose_b": bool(transpose_b)}
    epilogue = _Epilogue("fused.mat_mul", bias, activation, prelu_activation_weights, leakyrelu_alpha)
    return epilogue.after("BatchMatMul", "_FusedMatMul", x, y, attrs)


@op(namespace="fused", options="args", doc="Operations / Convolution")
def conv2d(
    args: Mapping[str, Any] | None = None,
    *,
    x: TensorLike,
    filter: TensorLike,
    strides: Numbers,
    pad: Padding,
    data_format: str = "NHWC",
    dilations: Numbers = 1,
    dim_rounding_mode: str | None = None,
    bias: TensorLike | None = None,
    activation: str = "linear",
    prelu_activation_weights: TensorLike | None = None,
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    """`conv2d` with a bias and an activation.

    Args:
        args: all of these as a dict.
        x: a float32 tensor (batch, height, width, in channels), or without the batch axis.
        filter: a float32 tensor (height, width, in channels, out channels).
        strides: as in `conv2d`, like the next four.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension.
        data_format: 'NHWC', or 'NCHW' for channels before height and width.
        dilations: the spacing of the filter's cells.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad.
        bias: a tensor that broadcasts to the result: usually one number for each out channel.
        activation: 'linear', 'relu', 'relu6', 'elu', 'sigmoid', 'leakyrelu' or 'prelu'.
        prelu_activation_weights: the slopes of 'prelu' below 0: a number, one for each channel, or one for each
            element of an image.
        leakyrelu_alpha: the slope of 'leakyrelu' below 0.

    Returns:
        A tensor of shape [batch, height, width, filters], or [height, width, filters] for one image.

    Raises:
        ValueError: as in `conv2d`, an unknown activation, or parameters that do not fit. TypeError: not float32.

    Source: TF.js `tf.fused.conv2d`.
    """
    name = "fused.conv2d"
    t, restore = to_channels_last_batch(name, "x", x, 2, data_format)
    w = convolution_filter(name, filter, 4, t.shape[-1])
    pads = inner_pad(name, pad, 2, data_format)
    window = sliding_window(name, t.shape[1:-1], w.shape[:2], strides, pads, dilations, dim_rounding_mode)
    check_steps(name, window)
    epilogue = _Epilogue(name, bias, activation, prelu_activation_weights, leakyrelu_alpha, data_format)
    return restore(epilogue.after("Conv2D", "FusedConv2D", t, w, {"window": window}))


@op(namespace="fused", options="args", doc="Operations / Convolution")
def depthwise_conv2d(
    args: Mapping[str, Any] | None = None,
    *,
    x: TensorLike,
    filter: TensorLike,
    strides: Numbers,
    pad: Padding,
    data_format: str = "NHWC",
    dilations: Numbers = 1,
    dim_rounding_mode: str | None = None,
    bias: TensorLike | None = None,
    activation: str = "linear",
    prelu_activation_weights: TensorLike | None = None,
    leakyrelu_alpha: float = 0.2,
) -> Tensor:
    """`depthwise_conv2d` with a bias and an activation.

    Args:
        args: all of these as a dict.
        x: a float32 tensor (batch, height, width, in channels), or without the batch axis.
        filter: a float32 tensor (height, width, in channels, multiplier).
        strides: as in `depthwise_conv2d`, like the next four.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension.
        data_format: 'NHWC', or 'NCHW' for channels before height and width.
        dilations: the spacing of the filters' cells.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad.
        bias: a tensor that broadcasts to the result: usually one number for each out channel.
        activation: 'linear', 'relu', 'relu6', 'elu', 'sigmoid', 'leakyrelu' or 'prelu'.
        prelu_activation_weights: the slopes of 'prelu' below 0: a number, one for each channel, or one for each
            element of an image.
        leakyrelu_alpha: the slope of 'leakyrelu' below 0.

    Returns:
        A tensor of shape [batch, height, width, channels · multiplier], or without the batch for one image.

    Raises:
        ValueError: as in `depthwise_conv2d`, an unknown activation, or parameters that do not fit.
        TypeError: not float32.

    Source: TF.js `tf.fused.depthwiseConv2d`.
    """
    name = "fused.depthwise_conv2d"
    t, restore = to_channels_last_batch(name, "x", x, 2, data_format)
    w = to_tensor(name, "filter", filter, "float32")
    pads = inner_pad(name, pad, 2, data_format)
    window = depthwise_window(name, t, w, strides, pads, dilations, dim_rounding_mode)
    epilogue = _Epilogue(name, bias, activation, prelu_activation_weights, leakyrelu_alpha, data_format)
    return restore(epilogue.after("DepthwiseConv2dNative", "FusedDepthwiseConv2D", t, w, {"window": window}))


class _Epilogue:
    """The bias and the activation that follow a product or convolution."""

    def __init__(
        self,
        name: str,
        bias: TensorLike | None,
        activation: str,
        weights: TensorLike | None,
        alpha: float,
        data_format: str = "NHWC",
    ) -> None:
        if not isinstance(activation, str) or activation not in ACTIVATIONS:
            raise argument_error(name, "activation", "one of " + ", ".join(map(repr, ACTIVATIONS)), activation)
        self.name = name
        self.activation = activation
        self.alpha = float(alpha)
        self.bias = None if bias is None else self._parameter("bias", bias, data_format)
        self.slopes: Tensor | None = None
        if weights is not None:
            slopes = self._parameter("prelu_activation_weights", weights, data_format)
            if activation == "prelu":
                self.slopes = real(name, slopes, "float32", "prelu_activation_weights")
        elif activation == "prelu":
            raise argument_error(name, "prelu_activation_weights", "given with 'prelu'", weights)

    def _parameter(self, argument: str, value: TensorLike, data_format: str) -> Tensor:
        """A parameter as a tensor with the channels last."""
        t = to_tensor(self.name, argument, value)
        if t.rank == 3 and is_channels_first(self.name, data_format, 2):
            return run("Transpose", t, perm=(1, 2, 0))
        return t

    def after(self, kernel: str, fused: str, a: Tensor, b: Tensor, attrs: dict[str, Any]) -> Tensor:
        """The kernel's result with the bias and the activation applied."""
        self._check(infer(KERNELS[kernel], (a, b), attrs).shape)
        extras = [t for t in (self.bias, self.slopes) if t is not None]
        floats = all(t.dtype == "float32" for t in (a, b, *extras))
        if floats and not local.state.tapes and current().implements(fused):
            return run(fused, a, b, *extras, **attrs, activation=self.activation, leakyrelu_alpha=self.alpha)
        y = run(kernel, a, b, **attrs)
        return self._activated(y if self.bias is None else add(y, self.bias))

    def _activated(self, y: Tensor) -> Tensor:
        kernel = ACTIVATIONS[self.activation]
        if kernel is None:
            return y
        if self.slopes is not None:
            return run(kernel, y, self.slopes)
        return run(kernel, y, alpha=self.alpha) if self.activation == "leakyrelu" else run(kernel, y)

    def _check(self, shape: Shape) -> None:
        for argument, t in (("bias", self.bias), ("prelu_activation_weights", self.slopes)):
            if t is not None and not broadcasts_to(t.shape, shape):
                raise argument_error(self.name, argument, f"a tensor that broadcasts to {list(shape)}", t)
