"""Elementwise numpy kernels."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.table import KERNELS, PLANNED
from tfpy.engine.cpu.where import where
from tfpy.engine.javascript_numbers import to_bool, to_int32
from tfpy.engine.rows.elementwise import SELU_SCALE, SELU_SCALE_ALPHA

# A ufunc is faster with an array than with a number, which it has to convert to one.
_TYPES = (np.float32, np.float64, np.int32, np.complex64, np.complex128)
_ZEROS = {x.dtype: x for x in (np.zeros((), dtype) for dtype in _TYPES)}
_ONES = {x.dtype: x for x in (np.ones((), dtype) for dtype in _TYPES)}

# Abramowitz & Stegun, Handbook of Mathematical Functions, formula 7.1.26: the one that TF.js evaluates.
_ERF_P = 0.3275911
_ERF_A = (0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429)


def _is_float(x: Array) -> bool:
    return x.dtype.kind in "fc"


def _neg(x: Array) -> Array:
    return x if x.dtype.kind == "b" else np.negative(x)


def _sign(x: Array) -> Array:
    if not _is_float(x):
        return x if x.dtype.kind == "b" else np.sign(x)
    return np.subtract(x > 0, x < 0, dtype=x.dtype)


def _round(x: Array) -> Array:
    return np.rint(x) if _is_float(x) else x


def _rsqrt(x: Array) -> Array:
    return np.divide(_ONES.get(x.dtype, 1), np.sqrt(x))


def _sigmoid(x: Array) -> Array:
    y = np.asarray(np.exp(np.negative(x)))
    one = _ONES[y.dtype]
    np.add(y, one, out=y)
    return np.divide(one, y, out=y)


def _in_pieces(kernel: Callable[..., Array]) -> Callable[..., Array]:
    """A kernel that makes several passes over floats, on pieces that stay in the cache."""

    def run(x: Array, **attrs: Any) -> Array:
        if x.size <= _PIECE_ELEMENTS or x.dtype.kind != "f" or not x.flags.c_contiguous:
            return kernel(x, **attrs)
        y = np.empty(x.shape, x.dtype)
        given, found = x.reshape(-1), y.reshape(-1)
        for start in range(0, x.size, _PIECE_ELEMENTS):
            piece = slice(start, start + _PIECE_ELEMENTS)
            found[piece] = kernel(given[piece], **attrs)
        return y

    return run


@_in_pieces
def _softplus(x: Array) -> Array:
    """log(1 + eˣ); if eˣ is tiny or huge compared to 1, the sum is skipped, as in TF.js."""
    threshold = math.log(1.1920928955078125e-7) + 2
    e = np.exp(x)
    return where(x < threshold, e, where(x > -threshold, x, np.log1p(e)))


@_in_pieces
def _elu(x: Array) -> Array:
    return where(x >= 0, x, np.expm1(x))


@_in_pieces
def _selu(x: Array) -> Array:
    return where(x >= 0, x * SELU_SCALE, np.expm1(x) * SELU_SCALE_ALPHA)


@_in_pieces
def _erf(x: Array) -> Array:
    y = np.asarray(np.abs(x))
    t = np.asarray(_ERF_P * y)
    t += 1
    np.reciprocal(t, out=t)
    *rest, last = _ERF_A
    series = np.asarray(last * t)
    for a in reversed(rest):
        series += a
        series *= t
    np.multiply(y, np.negative(y, out=t), out=y)
    np.exp(y, out=y)
    y *= series
    np.subtract(1, y, out=y)
    y *= _sign(x)
    return y


_MAX_EXACT_QUOTIENT = 2.0**29
_FEW_ELEMENTS = 1 << 10
_PIECE_ELEMENTS = 1 << 17  # smaller pieces make threads contend


def positive_part(x: Array, out: Array | None = None) -> Array:
    """x where it is above 0, else 0: numpy is fastest with a zero array, for large arrays with a line of zeros."""
    if x.size < _FEW_ELEMENTS:
        return np.maximum(x, _ZEROS[x.dtype], out=out)
    line = x.shape[max(1, x.ndim - 2) :] if x.ndim > 1 else x.shape
    return np.maximum(x, np.zeros(line, x.dtype), out=out)


def _relu(x: Array) -> Array:
    return x if x.dtype.kind == "b" else positive_part(x)


def relu6(x: Array, out: Array | None = None) -> Array:
    """x, clipped to [0, 6]."""
    if x.dtype.kind == "b":
        return x
    y = np.asarray(positive_part(x, out=out))
    return np.clip(y, y.dtype.type(0), y.dtype.type(6), out=y)


@_in_pieces
def _leaky_relu(x: Array, alpha: float) -> Array:
    return where(x < 0, x * alpha, x)


def _prelu(x: Array, alpha: Array) -> Array:
    return where(x < 0, x * alpha, x)


@_in_pieces
def _step(x: Array, alpha: float) -> Array:
    if alpha == 0 and _is_float(x):  # the gradient of relu
        if x.size < _FEW_ELEMENTS:  # the same in two fast calls, including NaN
            y = np.asarray(positive_part(x))
            return np.sign(y, out=y)
        if not np.isnan(np.maximum.reduce(x, None)):
            return (x > 0).astype(x.dtype)
    if _is_float(x):
        slope = where(x > 0, x.dtype.type(1), x.dtype.type(alpha))
        unknown = np.isnan(x)
        return where(unknown, x, slope) if unknown.any() else slope
    return _like(np.where(x > 0, 1.0, alpha), x)


def _clip(x: Array, clip_value_min: float, clip_value_max: float, out: Array | None = None) -> Array:
    if _is_float(x):
        return x.clip(clip_value_min, clip_value_max, out=out)
    return _like(np.minimum(np.maximum(x, clip_value_min), clip_value_max), x)


def _like(values: Array, x: Array) -> Array:
    """Computed values in the dtype of x, truncated as in a typed array."""
    if values.dtype == x.dtype:
        return values
    if x.dtype == np.bool_:
        return to_bool(values)
    return to_int32(values) if x.dtype == np.int32 else values.astype(x.dtype)


def _sub(a: Array, b: Array) -> Array:
    try:
        return np.subtract(a, b)
    except TypeError:  # numpy does not subtract booleans
        return np.not_equal(a, b)


def _div_no_nan(a: Array, b: Array) -> Array:
    if a.dtype == np.int32:
        return np.floor_divide(a, b)
    return where(b == 0, np.zeros((), a.dtype), np.divide(a, b))


def _floor_div(a: Array, b: Array) -> Array:
    """Quotients are computed in float64, as in TF.js: in float32 they may round up to a whole number, or to 0."""
    if a.dtype == np.int32:
        return np.floor_divide(a, b)
    return to_int32(np.floor(np.divide(a, b, dtype=np.float64)))


def _mod(a: Array, b: Array) -> Array:
    """The remainder with the divisor's sign; NaN where an infinite divisor has the other sign, as in TF.js."""
    if not _is_float(a):
        return np.mod(a, b)
    if a.dtype == np.float32 and (found := _mod_by_quotient(a, b)) is not None:
        return found
    remainder = np.fmod(a, b)
    # In float64, as in TF.js: in float32 the sum may round to the divisor, whose remainder is 0.
    moved = np.fmod(np.add(remainder, b, dtype=np.float64), b)
    return np.where((a < 0) == (b < 0), remainder, moved).astype(a.dtype)


def _mod_by_quotient(a: Array, b: Array) -> Array | None:
    """a - ⌊a / b⌋ · b, which is exact in float64 for float32 values with quotients up to 2²⁹; None beyond that.

    It takes an eighth of `fmod`'s time.
    """
    quotient = np.asarray(np.divide(a, b, dtype=np.float64))
    np.floor(quotient, out=quotient)
    if not (
        quotient.size
        and quotient.min() > -_MAX_EXACT_QUOTIENT
        and quotient.max() < _MAX_EXACT_QUOTIENT
        and np.isfinite(b).all()
    ):
        return None
    np.multiply(quotient, b, out=quotient)
    remainder = np.subtract(a, quotient, out=quotient)
    return where(remainder == b, np.zeros((), remainder.dtype), remainder).astype(a.dtype)


def _pow(a: Array, b: Array) -> Array:
    """Powers; those of 1 and -1 with a non-finite exponent are NaN, as in JavaScript, and not 1, as in C."""
    if _is_float(a):
        powers = np.power(a, b)
        finite = np.isfinite(b)
        return powers if finite.all() else np.where(finite | (np.abs(a) != 1), powers, np.nan)
    return to_int32(np.power(a.astype(np.float64), b))


def _squared_difference(a: Array, b: Array) -> Array:
    d = np.asarray(_sub(a, b))
    return np.multiply(d, d, out=d)


def _atan2(a: Array, b: Array) -> Array:
    return np.arctan2(a, b) if _is_float(a) else to_int32(np.arctan2(a.astype(np.float64), b))


def _cast(x: Array, dtype: Any) -> Array:
    if dtype == np.int32:
        return to_int32(x)
    if dtype == np.bool_:
        return to_bool(x)
    return (x.real if x.dtype.kind == "c" and np.dtype(dtype).kind == "f" else x).astype(dtype)


def _tanh_grad(dy: Array, y: Array) -> Array:
    slope = np.asarray(np.square(y))
    return _times(np.subtract(1, slope, out=slope), dy)


def _sigmoid_grad(dy: Array, y: Array) -> Array:
    slope = np.asarray(np.subtract(1, y))
    return _times(np.multiply(y, slope, out=slope), dy)


def _elu_grad(dy: Array, y: Array) -> Array:
    slope = np.asarray(np.add(y, 1))
    return _times(np.minimum(slope, 1, out=slope), dy)


def _times(slope: Array, dy: Array) -> Array:
    """The product, in place in the slope if it has the shape of the result."""
    return np.multiply(slope, dy, out=slope if dy.ndim == 0 or dy.shape == slope.shape else None)


def _complex(real: Array, imag: Array) -> Array:
    shape = np.broadcast_shapes(real.shape, imag.shape)
    out = np.empty(shape, np.result_type(real.dtype, np.complex64))
    out.real, out.imag = real, imag
    return out


_TABLE: dict[str, Any] = {
    "Abs": np.abs,
    "Acos": np.arccos,
    "Acosh": np.arccosh,
    "Add": np.add,
    "Asin": np.arcsin,
    "Asinh": np.arcsinh,
    "Atan": np.arctan,
    "Atan2": _atan2,
    "Atanh": np.arctanh,
    "BitwiseAnd": np.bitwise_and,
    "Cast": _cast,
    "Ceil": np.ceil,
    "ClipByValue": _clip,
    "Complex": _complex,
    "ComplexAbs": np.abs,
    "Cos": np.cos,
    "Cosh": np.cosh,
    "DivNoNan": _div_no_nan,
    "Elu": _elu,
    "EluGrad": _elu_grad,
    "Equal": np.equal,
    "Erf": _erf,
    "Exp": np.exp,
    "Expm1": np.expm1,
    "Floor": np.floor,
    "FloorDiv": _floor_div,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
    "Imag": lambda x: x.imag.copy(),
    "IsFinite": np.isfinite,
    "IsInf": np.isinf,
    "IsNan": np.isnan,
    "LeakyRelu": _leaky_relu,
    "Less": np.less,
    "LessEqual": np.less_equal,
    "Log": np.log,
    "Log1p": np.log1p,
    "LogicalAnd": np.logical_and,
    "LogicalNot": np.logical_not,
    "LogicalOr": np.logical_or,
    "LogicalXor": np.logical_xor,
    "Maximum": np.maximum,
    "Minimum": np.minimum,
    "Mod": _mod,
    "Multiply": np.multiply,
    "Neg": _neg,
    "NotEqual": np.not_equal,
    "Pow": _pow,
    "Prelu": _prelu,
    "Real": lambda x: x.real.copy(),
    "RealDiv": np.divide,
    "Reciprocal": np.reciprocal,
    "Relu": _relu,
    "Relu6": relu6,
    "Round": _round,
    "Rsqrt": _rsqrt,
    "Select": where,
    "Selu": _selu,
    "Sigmoid": _sigmoid,
    "SigmoidGrad": _sigmoid_grad,
    "Sign": _sign,
    "Sin": np.sin,
    "Sinh": np.sinh,
    "Softplus": _softplus,
    "Sqrt": np.sqrt,
    "Square": np.square,
    "SquaredDifference": _squared_difference,
    "Step": _step,
    "Sub": _sub,
    "Tan": np.tan,
    "Tanh": np.tanh,
    "TanhGrad": _tanh_grad,
}
KERNELS.update(_TABLE)

IN_PLACE: Mapping[str, Callable[..., Array]] = {"ClipByValue": _clip, "Relu": positive_part, "Relu6": relu6}
"""Kernels that take an array `out` for their result, which may be their input, if that holds floats."""

OVERWRITING = {"Relu": "ReluInPlace", "Sub": "SubInPlace"}
"""Kernels of floats, with the kernel of plans that takes the array for its result after its inputs."""

PLANNED["ReluInPlace"] = positive_part
PLANNED["SubInPlace"] = np.subtract

# Kernels that compute each element from those of the inputs at the same position, with a dtype that pieces keep.
ELEMENTWISE = frozenset(_TABLE) - {"Cast", "Complex", "Imag", "Real"}
