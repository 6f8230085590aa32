"""Rows of fused kernels: a product or convolution, then a bias, then an activation.

`extras` are the bias, if there is one, and the slopes if the activation is 'prelu'; they broadcast to the result.
"""

from __future__ import annotations

from tfpy.engine.handle import Handle
from tfpy.engine.kernels import KERNELS, kernel
from tfpy.engine.spec import Spec
from tfpy.engine.windows import Window

ACTIVATIONS = {
    "linear": None,
    "relu": "Relu",
    "relu6": "Relu6",
    "elu": "Elu",
    "sigmoid": "Sigmoid",
    "leakyrelu": "LeakyRelu",
    "prelu": "Prelu",
}
"""The kernel of each activation of TF.js; 'leakyrelu' takes its slope as an attribute, 'prelu' as an input."""


def _matmul(
    a: Handle,
    b: Handle,
    *extras: Handle,
    transpose_a: bool,
    transpose_b: bool,
    activation: str,
    leakyrelu_alpha: float,
) -> Spec:
    out: Spec = KERNELS["BatchMatMul"].infer(a, b, transpose_a=transpose_a, transpose_b=transpose_b)
    return out


def _conv(x: Handle, filter: Handle, *extras: Handle, window: Window, activation: str, leakyrelu_alpha: float) -> Spec:
    out: Spec = KERNELS["Conv2D"].infer(x, filter, window=window)
    return out


def _depthwise(
    x: Handle, filter: Handle, *extras: Handle, window: Window, activation: str, leakyrelu_alpha: float
) -> Spec:
    out: Spec = KERNELS["DepthwiseConv2dNative"].infer(x, filter, window=window)
    return out


_TAIL = "activation leakyrelu_alpha"  # the activation is one of ACTIVATIONS
kernel("_FusedMatMul", "a b *extras", _matmul, attrs=f"transpose_a transpose_b {_TAIL}", label="fused.mat_mul")
kernel("FusedConv2D", "x filter *extras", _conv, attrs=f"window {_TAIL}", label="fused.conv2d")
kernel("FusedDepthwiseConv2D", "x filter *extras", _depthwise, attrs=f"window {_TAIL}", label="fused.depthwise_conv2d")
