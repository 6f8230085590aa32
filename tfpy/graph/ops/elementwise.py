"""Ops of elements: arithmetic, functions, comparisons, logic."""

from __future__ import annotations

from typing import Any

from tfpy.graph.mappers import Call, maps, same

_SAME = {
    "Abs ComplexAbs": "abs",
    "Acos": "acos",
    "Acosh": "acosh",
    "Add AddV2 BiasAdd": "add",
    "Asin": "asin",
    "Asinh": "asinh",
    "Atan": "atan",
    "Atan2": "atan2",
    "Atanh": "atanh",
    "BitwiseAnd": "bitwise_and",
    "Ceil": "ceil",
    "Complex": "complex",
    "Cos": "cos",
    "Cosh": "cosh",
    "Div RealDiv": "div",
    "DivNoNan": "div_no_nan",
    "Elu": "elu",
    "Equal": "equal",
    "Erf": "erf",
    "Exp": "exp",
    "Expm1": "expm1",
    "Floor": "floor",
    "FloorDiv": "floor_div",
    "FloorMod Mod": "mod",
    "Greater": "greater",
    "GreaterEqual": "greater_equal",
    "Imag": "imag",
    "IsFinite": "is_finite",
    "IsInf": "is_inf",
    "IsNan": "is_nan",
    "Less": "less",
    "LessEqual": "less_equal",
    "Log": "log",
    "Log1p": "log1p",
    "LogicalAnd": "logical_and",
    "LogicalNot": "logical_not",
    "LogicalOr": "logical_or",
    "Maximum": "maximum",
    "Minimum": "minimum",
    "Mul": "mul",
    "Neg": "neg",
    "NotEqual": "not_equal",
    "Pow": "pow",
    "Prelu": "prelu",
    "Real": "real",
    "Reciprocal": "reciprocal",
    "Relu": "relu",
    "Relu6": "relu6",
    "Round": "round",
    "Rsqrt": "rsqrt",
    "Select SelectV2": "where",
    "Selu": "selu",
    "Sigmoid": "sigmoid",
    "Sign": "sign",
    "Sin": "sin",
    "Sinh": "sinh",
    "Softplus": "softplus",
    "Sqrt": "sqrt",
    "Square": "square",
    "SquaredDifference": "squared_difference",
    "Sub": "sub",
    "Tan": "tan",
    "Tanh": "tanh",
}
for _names, _core in _SAME.items():
    same(_names, _core)


@maps("AddN", "add_n")
def _add_n(call: Call, add_n: Any) -> Any:
    return add_n(call.values)


@maps("ClipByValue", "clip_by_value")
def _clip_by_value(call: Call, clip_by_value: Any) -> Any:
    return clip_by_value(call.tensor(0), call.number(1), call.number(2))


@maps("LeakyRelu", "leaky_relu")
def _leaky_relu(call: Call, leaky_relu: Any) -> Any:
    return leaky_relu(call.tensor(0), call.attrs.number("alpha", 0.2))


@maps("Cast", "cast")
def _cast(call: Call, cast: Any) -> Any:
    return cast(call.tensor(0), call.attrs.dtype("DstT"))
