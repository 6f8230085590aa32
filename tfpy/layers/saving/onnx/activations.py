"""Activations as nodes: by name, and as layers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import cast

from tfpy.layers.activations import Activation as Function
from tfpy.layers.activations import LayerActivation, name_of
from tfpy.layers.kinds.advanced_activations import ELU, HIDDEN, LeakyReLU, PReLU, ReLU, Softmax, ThresholdedReLU
from tfpy.layers.kinds.core import Activation
from tfpy.layers.saving.onnx.builder import Builder, Call, Kind, UnsupportedError, Value
from tfpy.layers.saving.onnx.masks import may_broadcast
from tfpy.layers.symbolic import to_list


def _gelu(b: Builder, x: Value) -> Value:
    """0.5 · x · (1 + erf(x / √2))."""
    part = b.each("Erf", b.each("Div", x, b.constant(math.sqrt(2))))
    return _half(b, x, part)


def _gelu_new(b: Builder, x: Value) -> Value:
    """0.5 · x · (1 + tanh(√(2/π) · (x + 0.044715 · x³)))."""
    cube = b.each("Mul", b.each("Mul", b.each("Mul", x, x.name), x.name), b.constant(0.044715))
    inner = b.each("Mul", b.each("Add", cube, x.name), b.constant(math.sqrt(2 / math.pi)))
    return _half(b, x, b.each("Tanh", inner))


def _half(b: Builder, x: Value, part: Value) -> Value:
    """0.5 · x · (1 + part)."""
    return b.each("Mul", b.each("Mul", b.each("Add", part, b.constant(1)), x.name), b.constant(0.5))


def _mish(b: Builder, x: Value) -> Value:
    return b.each("Mul", b.each("Tanh", b.each("Softplus", x)), x.name)


def _swish(b: Builder, x: Value) -> Value:
    return b.each("Mul", b.each("Sigmoid", x), x.name)


def _clipped(b: Builder, x: Value, highest: float) -> Value:
    return b.each("Clip", x, b.constant(0), b.constant(highest))


def _along_last(kind: str) -> Callable[[Builder, Value], Value]:
    return lambda b, x: b.each(kind, x, axis=x.stored(-1))


_FUNCTIONS: dict[str, Callable[[Builder, Value], Value]] = {
    "elu": lambda b, x: b.each("Elu", x),
    "exponential": lambda b, x: b.each("Exp", x),
    "gelu": _gelu,
    "gelu_new": _gelu_new,
    "hard_sigmoid": lambda b, x: b.each("HardSigmoid", x, alpha=0.2, beta=0.5),
    "hard_sigmoid6": lambda b, x: b.each("HardSigmoid", x, alpha=1 / 6, beta=0.5),
    "hard_silu": lambda b, x: b.each("HardSwish", x),
    "hard_swish": lambda b, x: b.each("HardSwish", x),
    "leaky_relu": lambda b, x: b.each("LeakyRelu", x, alpha=0.2),
    "linear": lambda b, x: x,
    "log_softmax": _along_last("LogSoftmax"),
    "mish": _mish,
    "relu": lambda b, x: b.each("Relu", x),
    "relu6": lambda b, x: _clipped(b, x, 6),
    "selu": lambda b, x: b.each("Selu", x),
    "sigmoid": lambda b, x: b.each("Sigmoid", x),
    "silu": _swish,
    "softmax": _along_last("Softmax"),
    "softplus": lambda b, x: b.each("Softplus", x),
    "softsign": lambda b, x: b.each("Softsign", x),
    "swish": _swish,
    "tanh": lambda b, x: b.each("Tanh", x),
}


def activated(b: Builder, activation: Function, x: Value) -> Value:
    """A value with an activation applied.

    Raises:
        UnsupportedError: the activation is a user-defined function or layer.
    """
    if isinstance(activation, LayerActivation):
        kind = b.kind_of(activation.layer)
        if kind is None:
            raise UnsupportedError(f"its activation {activation.name!r} is a user-defined layer")
        (found,) = to_list(kind.export(b, activation.layer, [x], Call({}, None, [])))
        return cast("Value", found)
    name = name_of(activation)
    if name is None:
        raise UnsupportedError(f"its activation {activation.name!r} is a user-defined function")
    return _FUNCTIONS[name](b, x)


def _activation(b: Builder, layer: Activation, inputs: list[Value], call: Call) -> Value:
    return activated(b, layer.activation, inputs[0])


def _relu(b: Builder, layer: ReLU, inputs: list[Value], call: Call) -> Value:
    (x,) = inputs
    y = b.each("ThresholdedRelu", x, alpha=layer.threshold) if layer.threshold else x
    if layer.max_value is not None:
        y = _clipped(b, y, layer.max_value)
    elif not layer.threshold:
        y = b.each("Relu", x)
    if not layer.negative_slope:
        return y
    below = b.each("Min", b.each("Sub", x, b.constant(layer.threshold)), b.constant(0))
    return b.each("Add", y, b.each("Mul", below, b.constant(layer.negative_slope)).name)


def _leaky_relu(b: Builder, layer: LeakyReLU, inputs: list[Value], call: Call) -> Value:
    return b.each("LeakyRelu", inputs[0], alpha=float(layer.alpha))


def _prelu(b: Builder, layer: PReLU, inputs: list[Value], call: Call) -> Value:
    return b.with_weight("PRelu", inputs[0], layer.alpha, layer.alpha.shape)


def _elu(b: Builder, layer: ELU, inputs: list[Value], call: Call) -> Value:
    return b.each("Elu", inputs[0], alpha=float(layer.alpha))


def _thresholded_relu(b: Builder, layer: ThresholdedReLU, inputs: list[Value], call: Call) -> Value:
    return b.each("ThresholdedRelu", inputs[0], alpha=float(layer.theta))


def _softmax(b: Builder, layer: Softmax, inputs: list[Value], call: Call) -> Value:
    x = inputs[0]
    if call.mask is not None:
        fits = may_broadcast(call.mask.shape, x.shape)
        if fits is None:
            raise UnsupportedError("whether its mask fits its inputs depends on their sizes")
        x = mask_scores(b, x, call.mask) if fits else x
    axes = to_list(layer.axis)
    if len(axes) == 1:
        return b.each("Softmax", x, axis=x.stored(axes[0]))
    powers = b.each("Exp", b.each("Sub", x, b.reduced("ReduceMax", x, axes, True).name))
    return b.each("Div", powers, b.reduced("ReduceSum", powers, axes, True).name)


def mask_scores(b: Builder, x: Value, mask: Value) -> Value:
    """Scores, reduced by 10⁹ where a mask hides them."""
    name = b.node("Mul", b.node("Sub", b.constant(1), b.plain(b.cast(mask, x.dtype))), b.constant(HIDDEN))
    return replace(x, name=b.node("Add", b.plain(x), name), order=None)


KINDS = {
    Activation: Kind(_activation),
    ELU: Kind(_elu),
    LeakyReLU: Kind(_leaky_relu),
    PReLU: Kind(_prelu),
    ReLU: Kind(_relu),
    Softmax: Kind(_softmax),
    ThresholdedReLU: Kind(_thresholded_relu),
}
