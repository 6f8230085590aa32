"""Rows of the elementwise kernels."""

from __future__ import annotations

from typing import Any

from tfpy.engine.dtypes import DType
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import broadcast, broadcast_to_bool, kernel, same, to_bool
from tfpy.engine.spec import Spec, broadcast_shapes, spec

# Constants of Selu (Klambauer et al. 2017, "Self-Normalizing Neural Networks"), to the digits that TF.js has.
SELU_SCALE = 1.0507009873554805
SELU_SCALE_ALPHA = 1.7580993408473769

_UNARY = """
    Abs Acos Acosh Asin Asinh Atan Atanh Ceil Cos Cosh Elu Erf Exp Expm1 Floor Log Log1p Neg Reciprocal Relu Relu6
    Round Rsqrt Selu Sigmoid Sign Sin Sinh Softplus Sqrt Square Tan Tanh
"""
for _name in _UNARY.split():
    kernel(_name, "x", same)

kernel("LeakyRelu", "x", same, attrs="alpha", label="leaky_relu")
kernel("Step", "x", same, attrs="alpha")
kernel("ClipByValue", "x", same, attrs="clip_value_min clip_value_max", label="clip_by_value")
kernel("IsFinite", "x", to_bool, label="is_finite")
kernel("IsInf", "x", to_bool, label="is_inf")
kernel("IsNan", "x", to_bool, label="is_nan")
kernel("LogicalNot", "x", same, label="logical_not")

for _name, _label in {
    "Add": "add",
    "Atan2": "atan2",
    "BitwiseAnd": "bitwise_and",
    "DivNoNan": "div_no_nan",
    "LogicalAnd": "logical_and",
    "LogicalOr": "logical_or",
    "LogicalXor": "logical_xor",
    "Maximum": "maximum",
    "Minimum": "minimum",
    "Mod": "mod",
    "Multiply": "mul",
    "Pow": "pow",
    "RealDiv": "div",
    "SquaredDifference": "squared_difference",
    "Sub": "sub",
}.items():
    kernel(_name, "a b", broadcast, label=_label)

# Gradients of functions whose slope follows from their result y: dy times this slope.
kernel("EluGrad", "dy y", broadcast, label="gradient of elu")
kernel("SigmoidGrad", "dy y", broadcast, label="gradient of sigmoid")
kernel("TanhGrad", "dy y", broadcast, label="gradient of tanh")

for _name, _label in {
    "Equal": "equal",
    "Greater": "greater",
    "GreaterEqual": "greater_equal",
    "Less": "less",
    "LessEqual": "less_equal",
    "NotEqual": "not_equal",
}.items():
    kernel(_name, "a b", broadcast_to_bool, label=_label)


def _floor_div(a: Handle, b: Handle) -> Spec:
    return spec(broadcast_shapes(a.spec.shape, b.spec.shape), "int32")


def _prelu(x: Handle, alpha: Handle) -> Spec:
    return spec(broadcast_shapes(x.spec.shape, alpha.spec.shape), x.spec.dtype)


def _select(condition: Handle, t: Handle, e: Handle) -> Spec:
    shape = broadcast_shapes(t.spec.shape, e.spec.shape)
    return spec(broadcast_shapes(condition.spec.shape, shape), t.spec.dtype)


def _cast(x: Handle, *, dtype: DType) -> Spec:
    return spec(x.spec.shape, dtype)


def _complex(real: Handle, imag: Handle) -> Spec:
    return spec(broadcast_shapes(real.spec.shape, imag.spec.shape), "complex64")


def _part(x: Handle, **attrs: Any) -> Spec:
    return spec(x.spec.shape, "float32")


kernel("FloorDiv", "a b", _floor_div, label="floor_div")
kernel("Prelu", "x alpha", _prelu)
kernel("Select", "condition t e", _select, label="where")
kernel("Cast", "x", _cast, attrs="dtype")
kernel("Complex", "real imag", _complex)
kernel("Real", "x", _part)
kernel("Imag", "x", _part)
kernel("ComplexAbs", "x", _part, label="abs")
