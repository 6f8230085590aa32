"""Elementwise kernels: one GLSL expression for each dtype. Kernels without one run on the CPU."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from tfpy.engine.gl import maps
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import fuse
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.trace import Expression
from tfpy.engine.gl.value import Maps, Value, bits
from tfpy.engine.rows.elementwise import SELU_SCALE, SELU_SCALE_ALPHA
from tfpy.engine.spec import Spec

Table = Mapping[str, Mapping[str, str]]

# {0} is the element. By kernel, then by dtype.
UNARY: Table = {
    "Abs": {"float32": "abs({0})", "int32": "abs({0})", "bool": "{0}"},
    "Acos": {"float32": "m_acos({0})"},
    "Acosh": {"float32": "m_acosh({0})"},
    "Asin": {"float32": "m_asin({0})"},
    "Asinh": {"float32": "m_asinh({0})"},
    "Atan": {"float32": "m_atan({0})"},
    "Atanh": {"float32": "m_atanh({0})"},
    "Ceil": {"float32": "ceil({0})"},
    "Cos": {"float32": "m_cos({0})"},
    "Cosh": {"float32": "m_cosh({0})"},
    "Elu": {"float32": "({0} >= 0. ? {0} : m_expm1_below({0}))"},
    "Erf": {"float32": "m_erf({0})"},
    "Exp": {"float32": "m_exp({0})"},
    "Expm1": {"float32": "m_expm1({0})"},
    "Floor": {"float32": "floor({0})"},
    "Log": {"float32": "m_log({0})"},
    "Log1p": {"float32": "m_log1p({0})"},
    "LogicalNot": {"bool": "!{0}"},
    "Neg": {"float32": "-{0}", "int32": "-{0}", "bool": "{0}", "complex64": "-{0}"},
    "Reciprocal": {"float32": "m_div(1., {0})"},
    "Relu": {"float32": "m_relu({0})", "int32": "max({0}, 0)", "bool": "{0}"},
    "Relu6": {"float32": "m_relu6({0})", "int32": "clamp({0}, 0, 6)", "bool": "{0}"},
    "Round": {"float32": "roundEven({0})", "int32": "{0}", "bool": "{0}"},
    "Rsqrt": {"float32": "m_div(1., m_sqrt({0}))"},
    "Selu": {"float32": f"({{0}} >= 0. ? {{0}} * {SELU_SCALE} : m_expm1_below({{0}}) * {SELU_SCALE_ALPHA})"},
    "Sigmoid": {"float32": "m_sigmoid({0})"},
    "Sign": {"float32": "(float({0} > 0.) - float({0} < 0.))", "int32": "sign({0})", "bool": "{0}"},
    "Sin": {"float32": "m_sin({0})"},
    "Sinh": {"float32": "m_sinh({0})"},
    "Softplus": {"float32": "m_softplus({0})"},
    "Sqrt": {"float32": "m_sqrt({0})"},
    "Square": {"float32": "{0} * {0}", "int32": "{0} * {0}", "complex64": "m_cmul({0}, {0})"},
    "Tan": {"float32": "m_tan({0})"},
    "Tanh": {"float32": "m_tanh({0})"},
}

TESTS: Table = {
    "IsFinite": {"float32": "m_isfinite({0})", "int32": "({0} == {0})", "bool": "({0} == {0})"},
    "IsInf": {"float32": "m_isinf({0})", "int32": "({0} != {0})", "bool": "({0} != {0})"},
    "IsNan": {"float32": "m_isnan({0})", "int32": "({0} != {0})", "bool": "({0} != {0})"},
}

# {0} and {1} are the elements of two inputs of one dtype.
BINARY: Table = {
    "Add": {"float32": "{0} + {1}", "int32": "{0} + {1}", "bool": "({0} || {1})", "complex64": "{0} + {1}"},
    "Atan2": {"float32": "m_atan2({0}, {1})"},
    "BitwiseAnd": {"int32": "({0} & {1})"},
    "DivNoNan": {"float32": "({1} == 0. ? 0. : m_div({0}, {1}))", "int32": "m_floordiv({0}, {1})"},
    "EluGrad": {"float32": "({1} >= 0. ? {0} : ({1} + 1.) * {0})"},
    "LogicalAnd": {"bool": "({0} && {1})"},
    "LogicalOr": {"bool": "({0} || {1})"},
    "LogicalXor": {"bool": "({0} != {1})"},
    "Maximum": {"float32": "m_max({0}, {1})", "int32": "max({0}, {1})", "bool": "({0} || {1})"},
    "Minimum": {"float32": "m_min({0}, {1})", "int32": "min({0}, {1})", "bool": "({0} && {1})"},
    "Mod": {"float32": "m_mod({0}, {1})", "int32": "m_floormod({0}, {1})"},
    "Multiply": {
        "float32": "{0} * {1}",
        "int32": "{0} * {1}",
        "bool": "({0} && {1})",
        "complex64": "m_cmul({0}, {1})",
    },
    "Pow": {"float32": "m_pow({0}, {1})"},
    "Prelu": {"float32": "({0} < 0. ? {0} * {1} : {0})"},
    "RealDiv": {"float32": "m_div({0}, {1})"},
    "SigmoidGrad": {"float32": "{0} * ({1} * (1. - {1}))"},
    "SquaredDifference": {"float32": "({0} - {1}) * ({0} - {1})", "int32": "({0} - {1}) * ({0} - {1})"},
    "TanhGrad": {"float32": "(1. - {1} * {1}) * {0}"},
    "Sub": {"float32": "{0} - {1}", "int32": "{0} - {1}", "bool": "({0} != {1})", "complex64": "{0} - {1}"},
}

_ORDERED = {
    "Greater": {"float32": "({0} > {1})", "int32": "({0} > {1})", "bool": "({0} && !{1})"},
    "GreaterEqual": {"float32": "({0} >= {1})", "int32": "({0} >= {1})", "bool": "({0} || !{1})"},
    "Less": {"float32": "({0} < {1})", "int32": "({0} < {1})", "bool": "(!{0} && {1})"},
    "LessEqual": {"float32": "({0} <= {1})", "int32": "({0} <= {1})", "bool": "(!{0} || {1})"},
}
_EQUAL = dict.fromkeys(("float32", "int32", "bool", "complex64"), "({0} == {1})")
_UNEQUAL = dict.fromkeys(("float32", "int32", "bool", "complex64"), "({0} != {1})")
COMPARISONS: Table = {**_ORDERED, "Equal": _EQUAL, "NotEqual": _UNEQUAL}

CAST = {
    ("float32", "int32"): "m_to_int({0})",
    ("float32", "bool"): "((floatBitsToUint({0}) & 0x7fffffffu) != 0u)",
    ("float32", "complex64"): "vec2({0}, 0.)",
    ("int32", "float32"): "float({0})",
    ("int32", "bool"): "({0} != 0)",
    ("int32", "complex64"): "vec2(float({0}), 0.)",
    ("bool", "float32"): "float({0})",
    ("bool", "int32"): "int({0})",
    ("bool", "complex64"): "vec2(float({0}), 0.)",
    ("complex64", "float32"): "{0}.x",
    ("complex64", "int32"): "m_to_int({0}.x)",
    ("complex64", "bool"): "((floatBitsToUint({0}.x) & 0x7fffffffu) != 0u)",
}


def one_input(by_dtype: Mapping[str, str], result: str | None = None) -> Builder:
    """A kernel of one input; the result has its dtype, unless another is given."""
    known = {dtype: Expression(text, result or dtype) for dtype, text in by_dtype.items()}

    def build(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
        expression = known.get(values[0].spec.dtype)
        return None if expression is None else fuse(device, out, expression, values)

    return build


def two_inputs(by_dtype: Mapping[str, str], result: str | None = None) -> Builder:
    """A kernel of two inputs, which are broadcast to the shape of the result."""
    known = {dtype: Expression(text, result or dtype) for dtype, text in by_dtype.items()}

    def build(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
        a, b = values
        expression = known.get(a.spec.dtype)
        if expression is None:
            return None
        if a.spec.shape == b.spec.shape:
            return fuse(device, out, expression, values)
        return fuse(device, out, expression, values, broadcast(values, out))

    return build


def broadcast(values: tuple[Value, ...], out: Spec) -> Maps | None:
    """The maps of inputs that are broadcast; a number needs none."""
    found = [None if v.word is not None else maps.broadcast(v.spec.shape, out.shape) for v in values]
    return None if found.count(None) == len(found) else tuple(found)


def _cast(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
    source = values[0].spec.dtype
    if source == out.dtype:
        return values[0]
    expression = CASTS.get((source, out.dtype))
    return None if expression is None else fuse(device, out, expression, values)


def _select(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
    if values[0].spec.dtype != "bool" or out.dtype not in _CHOICES:
        return None
    return fuse(device, out, _CHOICES[out.dtype], values, broadcast(values, out))


def _with_numbers(text: str, *names: str) -> Builder:
    """A kernel of one float32 input with attributes that are parameters of its expression."""
    expression = Expression(text, "float32", ("float32",) * len(names))

    def build(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value:
        return fuse(device, out, expression, values, None, [bits(attrs[name], "float32") for name in names])

    return build


def _by_dtype(**builders: Builder) -> Builder:
    def build(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Any:
        builder = builders.get(values[0].spec.dtype)
        return None if builder is None else builder(device, values, attrs, out)

    return build


def _clip_int(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value:
    """Fractional limits are compared as they are, and truncated if they are the result."""
    low, high = (min(max(float(attrs[f"clip_value_{end}"]), -(2.0**31)), 2.0**31 - 1) for end in ("min", "max"))
    words = [n & 0xFFFFFFFF for n in (math.ceil(low), int(low), math.floor(high), int(high))]
    return fuse(device, out, _CLIP_INT, values, None, words)


def _step_int(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value:
    return fuse(device, out, _STEP_INT, values, None, [bits(attrs["alpha"], "int32")])


CASTS = {pair: Expression(text, pair[1]) for pair, text in CAST.items()}
_CHOICES = {d: Expression("({0} ? {1} : {2})", d) for d in ("float32", "int32", "bool", "complex64")}
_CLIP_INT = Expression("({0} < {p} ? {q} : ({0} > {r} ? {s} : {0}))", "int32", ("int32",) * 4)
_STEP_INT = Expression("({0} > 0 ? 1 : {p})", "int32", ("int32",))

KERNELS.update({name: one_input(by_dtype) for name, by_dtype in UNARY.items()})
KERNELS.update({name: one_input(by_dtype, "bool") for name, by_dtype in TESTS.items()})
KERNELS.update({name: two_inputs(by_dtype) for name, by_dtype in BINARY.items()})
KERNELS.update({name: two_inputs(by_dtype, "bool") for name, by_dtype in COMPARISONS.items()})
KERNELS.update(
    {
        "Cast": _cast,
        "ClipByValue": _by_dtype(
            float32=_with_numbers("m_min(m_max({0}, {p}), {q})", "clip_value_min", "clip_value_max"),
            int32=_clip_int,
        ),
        "Complex": two_inputs({"float32": "vec2({0}, {1})"}, "complex64"),
        "ComplexAbs": one_input({"complex64": "m_hypot({0})"}, "float32"),
        "FloorDiv": two_inputs(
            {"float32": "m_to_int(m_floor_quotient({0}, {1}))", "int32": "m_floordiv({0}, {1})"}, "int32"
        ),
        "Imag": one_input({"complex64": "{0}.y"}, "float32"),
        "LeakyRelu": _by_dtype(float32=_with_numbers("({0} < 0. ? {0} * {p} : {0})", "alpha")),
        "Real": one_input({"complex64": "{0}.x"}, "float32"),
        "Select": _select,
        "Step": _by_dtype(
            float32=_with_numbers("(m_isnan({0}) ? {0} : ({0} > 0. ? 1. : {p}))", "alpha"), int32=_step_int
        ),
    }
)
