"""Elementwise ops: arithmetic, functions, comparisons, logic."""

from __future__ import annotations

from typing import Any

from tfpy.core.ops.activation import elu, leaky_relu, prelu, relu, relu6, selu, sigmoid, softplus
from tfpy.core.ops.arith import (
    add,
    add_n,
    atan2,
    bitwise_and,
    div,
    div_no_nan,
    floor_div,
    maximum,
    minimum,
    mod,
    mul,
    pow_,
    squared_difference,
    sub,
)
from tfpy.core.ops.compare import equal, greater, greater_equal, less, less_equal, not_equal
from tfpy.core.ops.complex_numbers import complex_, imag, real
from tfpy.core.ops.logic import logical_and, logical_not, logical_or, where
from tfpy.core.ops.shape import cast
from tfpy.core.ops.trig import acos, acosh, asin, asinh, atan, atanh, cos, cosh, sin, sinh, tan, tanh
from tfpy.core.ops.unary import (
    abs_,
    ceil,
    clip_by_value,
    erf,
    exp,
    expm1,
    floor,
    is_finite,
    is_inf,
    is_nan,
    log,
    log1p,
    neg,
    reciprocal,
    round_,
    rsqrt,
    sign,
    sqrt,
    square,
)
from tfpy.graph.mappers import Call, Op, maps, same

_SAME: dict[str, Op] = {
    "Abs ComplexAbs": abs_,
    "Acos": acos,
    "Acosh": acosh,
    "Add AddV2 BiasAdd": add,
    "Asin": asin,
    "Asinh": asinh,
    "Atan": atan,
    "Atan2": atan2,
    "Atanh": atanh,
    "BitwiseAnd": bitwise_and,
    "Ceil": ceil,
    "Complex": complex_,
    "Cos": cos,
    "Cosh": cosh,
    "Div RealDiv": div,
    "DivNoNan": div_no_nan,
    "Elu": elu,
    "Equal": equal,
    "Erf": erf,
    "Exp": exp,
    "Expm1": expm1,
    "Floor": floor,
    "FloorDiv": floor_div,
    "FloorMod Mod": mod,
    "Greater": greater,
    "GreaterEqual": greater_equal,
    "Imag": imag,
    "IsFinite": is_finite,
    "IsInf": is_inf,
    "IsNan": is_nan,
    "Less": less,
    "LessEqual": less_equal,
    "Log": log,
    "Log1p": log1p,
    "LogicalAnd": logical_and,
    "LogicalNot": logical_not,
    "LogicalOr": logical_or,
    "Maximum": maximum,
    "Minimum": minimum,
    "Mul": mul,
    "Neg": neg,
    "NotEqual": not_equal,
    "Pow": pow_,
    "Prelu": prelu,
    "Real": real,
    "Reciprocal": reciprocal,
    "Relu": relu,
    "Relu6": relu6,
    "Round": round_,
    "Rsqrt": rsqrt,
    "Select SelectV2": where,
    "Selu": selu,
    "Sigmoid": sigmoid,
    "Sign": sign,
    "Sin": sin,
    "Sinh": sinh,
    "Softplus": softplus,
    "Sqrt": sqrt,
    "Square": square,
    "SquaredDifference": squared_difference,
    "Sub": sub,
    "Tan": tan,
    "Tanh": tanh,
}
for _names, _op in _SAME.items():
    same(_names, _op)


@maps("AddN")
def _add_n(call: Call) -> Any:
    return add_n(call.values)


@maps("ClipByValue")
def _clip_by_value(call: Call) -> Any:
    return clip_by_value(call.tensor(0), call.number(1), call.number(2))


@maps("LeakyRelu")
def _leaky_relu(call: Call) -> Any:
    return leaky_relu(call.tensor(0), call.attrs.number("alpha", 0.2))


@maps("Cast")
def _cast(call: Call) -> Any:
    return cast(call.tensor(0), call.attrs.dtype("DstT"))
