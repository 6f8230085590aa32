"""Functions of one tensor, element by element: rounding, powers, exponentials."""

from __future__ import annotations

import math
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, number, to_tensor
from tfpy.core.ops.arith import add, div, div_no_nan, mul
from tfpy.core.ops.common import as_float, factor, full, keeping_dtype, real, run_untracked, zeros_rule
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_number
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient


@op(chain=True, legacy="abs", doc="Operations / Basic math")
def abs_(x: TensorLike) -> Tensor:
    """The absolute value; for a complex number its modulus, in float32.

    Args:
        x: a tensor of any shape; any dtype but string.

    Returns:
        A tensor of x's shape and dtype; float32 for complex numbers.

    Raises:
        TypeError: strings.

    Source: TF.js `tf.abs`; deeplearn.js `math.abs`. The gradient at 0 is -1, as in TF.js.
    """
    t = to_tensor("abs", "x", x)
    return run("ComplexAbs" if t.spec.dtype == "complex64" else "Abs", t)


def _modulus_gradient(dy: Tensor, n: Any) -> Tensor:
    """dy · x / |x|, and 0 at 0."""
    scale = div_no_nan(dy, run("ComplexAbs", n.x))
    return run("Complex", mul(scale, run("Real", n.x)), mul(scale, run("Imag", n.x)))


gradient("ComplexAbs", saves="x", x=_modulus_gradient)
gradient("Abs", saves="x", x=lambda dy, n: mul(dy, run("Step", as_float(n.x), alpha=-1.0)))


@op(chain=True, legacy="neg", doc="Operations / Basic math")
def neg(x: TensorLike) -> Tensor:
    """The negative: -x.

    Args:
        x: a tensor of any shape; any dtype but string.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings.

    Source: TF.js `tf.neg`; deeplearn.js `math.neg`.
    """
    return run("Neg", to_tensor("neg", "x", x))


gradient("Neg", x=lambda dy, n: run("Neg", dy))


@op(chain=True, doc="Operations / Basic math")
def sign(x: TensorLike) -> Tensor:
    """-1, 0 or 1 by the sign of x; 0 for NaN.

    Args:
        x: a tensor of any shape; any real dtype.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.sign`.
    """
    return run("Sign", real("sign", x))


gradient("Sign", x=zeros_rule)


@op(chain=True, legacy="ceil", doc="Operations / Basic math")
def ceil(x: TensorLike) -> Tensor:
    """The smallest integer not below x.

    Args:
        x: a float32 tensor of any shape.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: x is a tensor of another dtype.

    Source: TF.js `tf.ceil`; deeplearn.js `math.ceil`.
    """
    return run("Ceil", to_tensor("ceil", "x", x, "float32"))


gradient("Ceil", x=zeros_rule)


@op(chain=True, legacy="floor", doc="Operations / Basic math")
def floor(x: TensorLike) -> Tensor:
    """The largest integer not above x.

    Args:
        x: a float32 tensor of any shape.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: x is a tensor of another dtype.

    Source: TF.js `tf.floor`; deeplearn.js `math.floor`.
    """
    return run("Floor", to_tensor("floor", "x", x, "float32"))


gradient("Floor", x=zeros_rule)


@op(chain=True, doc="Operations / Basic math")
def round_(x: TensorLike) -> Tensor:
    """The nearest integer; halves round to even: 0.5 → 0, 1.5 → 2.

    Args:
        x: a tensor of any shape; any real dtype.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.round`.
    """
    return run("Round", real("round", x))


gradient("Round", x=zeros_rule)


@op(chain=True, legacy="exp", doc="Operations / Basic math")
def exp(x: TensorLike) -> Tensor:
    """e to the power of x.

    Args:
        x: a tensor of any shape; integers and booleans are converted to float32.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.exp`; deeplearn.js `math.exp`.
    """
    return run("Exp", real("exp", x, "float32"))


gradient("Exp", saves="y", x=lambda dy, n: mul(dy, n.y))


@op(chain=True, doc="Operations / Basic math")
def expm1(x: TensorLike) -> Tensor:
    """e to the power of x, minus 1, accurate for x near 0.

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated to their dtype.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.expm1`.
    """
    return keeping_dtype("expm1", "Expm1", x)


gradient("Expm1", saves="x", x=lambda dy, n: mul(dy, run("Exp", as_float(n.x))))


@op(chain=True, legacy="log", doc="Operations / Basic math")
def log(x: TensorLike) -> Tensor:
    """The natural logarithm: NaN below 0, -∞ at 0.

    Args:
        x: a float32 tensor of any shape.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: x is a tensor of another dtype.

    Source: TF.js `tf.log`; deeplearn.js `math.log`.
    """
    return run("Log", to_tensor("log", "x", x, "float32"))


gradient("Log", saves="x", x=lambda dy, n: div(dy, n.x))


@op(chain=True, doc="Operations / Basic math")
def log1p(x: TensorLike) -> Tensor:
    """The natural logarithm of 1 + x, accurate for x near 0.

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated to their dtype.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.log1p`.
    """
    return keeping_dtype("log1p", "Log1p", x)


gradient("Log1p", saves="x", x=lambda dy, n: div(dy, add(as_float(n.x), number(1))))


@op(chain=True, legacy="sqrt", doc="Operations / Basic math")
def sqrt(x: TensorLike) -> Tensor:
    """The square root; NaN below 0.

    Args:
        x: a float32 tensor of any shape.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: x is a tensor of another dtype.

    Source: TF.js `tf.sqrt`; deeplearn.js `math.sqrt`.
    """
    return run("Sqrt", to_tensor("sqrt", "x", x, "float32"))


gradient("Sqrt", saves="x", x=lambda dy, n: div(dy, mul(run("Sqrt", n.x), number(2))))


@op(chain=True, doc="Operations / Basic math")
def rsqrt(x: TensorLike) -> Tensor:
    """One over the square root.

    Args:
        x: a float32 tensor of any shape.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: x is a tensor of another dtype.

    Source: TF.js `tf.rsqrt`.
    """
    return run("Rsqrt", to_tensor("rsqrt", "x", x, "float32"))


gradient("Rsqrt", saves="x", x=lambda dy, n: run("Neg", div(dy, mul(run("Pow", n.x, number(1.5)), number(2)))))


@op(chain=True, legacy="square", doc="Operations / Basic math")
def square(x: TensorLike) -> Tensor:
    """The square: x · x.

    Args:
        x: a tensor of any shape; any dtype but string.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings.

    Source: TF.js `tf.square`; deeplearn.js `math.square`.
    """
    t = to_tensor("square", "x", x)
    return run("LogicalAnd", t, t) if t.spec.dtype == "bool" else run("Square", t)


gradient("Square", saves="x", x=lambda dy, n: mul(dy, mul(factor(n.x), number(2))))


@op(chain=True, doc="Operations / Basic math")
def reciprocal(x: TensorLike) -> Tensor:
    """One over x.

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated to their dtype.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.reciprocal`.
    """
    return keeping_dtype("reciprocal", "Reciprocal", x)


gradient("Reciprocal", saves="x", x=lambda dy, n: div(dy, run("Neg", run("Square", as_float(n.x)))))


@op(chain=True, doc="Operations / Basic math")
def erf(x: TensorLike) -> Tensor:
    """The error function, by formula 7.1.26 of Abramowitz & Stegun as in TF.js: absolute error up to 1.5e-7.

    Args:
        x: a tensor of any shape; integers are converted to float32.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: strings, booleans or complex numbers.

    Source: TF.js `tf.erf`.
    """
    t = real("erf", x)
    if t.dtype == "bool":
        raise argument_error("erf", "x", "a float32 or int32 tensor", t, TypeError)
    return run("Erf", as_float(t))


gradient(
    "Erf",
    saves="x",
    x=lambda dy, n: mul(dy, mul(run("Exp", run("Neg", run("Square", as_float(n.x)))), number(2 / math.sqrt(math.pi)))),
)


@op(chain=True, legacy="clip", doc="Operations / Basic math")
def clip_by_value(x: TensorLike, clip_value_min: float, clip_value_max: float) -> Tensor:
    """x clipped to the range between two values; NaN stays NaN.

    Args:
        x: a tensor of any shape; any real dtype, which the result keeps.
        clip_value_min: the lower end of the range.
        clip_value_max: the upper end.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        ValueError: the range is empty. TypeError: strings or complex numbers.

    Source: TF.js `tf.clipByValue`; deeplearn.js `math.clip`. The gradient passes at both ends of the range.
    """
    t = real("clip_by_value", x)
    low = as_number("clip_by_value", "clip_value_min", clip_value_min)
    high = as_number("clip_by_value", "clip_value_max", clip_value_max)
    if not low <= high:
        raise argument_error("clip_by_value", "clip_value_min", "no greater than clip_value_max", (low, high))
    return run("ClipByValue", t, clip_value_min=low, clip_value_max=high)


def _clip_gradient(dy: Tensor, n: Any) -> Tensor:
    x = as_float(n.x)
    above = run_untracked("GreaterEqual", x, number(n.attrs["clip_value_min"]))
    below = run_untracked("LessEqual", x, number(n.attrs["clip_value_max"]))
    inside = run("LogicalAnd", above, below)
    return run("Select", inside, dy, full(dy.spec.shape, 0))


gradient("ClipByValue", saves="x", x=_clip_gradient)


@op(chain=True, doc="Operations / Basic math")
def is_nan(x: TensorLike) -> Tensor:
    """Whether each number is NaN.

    Args:
        x: a tensor of any shape and real dtype.

    Returns:
        A bool tensor of x's shape.

    Source: TF.js `tf.isNaN`.
    """
    return run("IsNan", real("is_nan", x))


@op(chain=True, doc="Operations / Basic math")
def is_inf(x: TensorLike) -> Tensor:
    """Whether each number is ∞ or -∞.

    Args:
        x: a tensor of any shape and real dtype.

    Returns:
        A bool tensor of x's shape.

    Source: TF.js `tf.isInf`.
    """
    return run("IsInf", real("is_inf", x))


@op(chain=True, doc="Operations / Basic math")
def is_finite(x: TensorLike) -> Tensor:
    """Whether each number is neither NaN nor infinite.

    Args:
        x: a tensor of any shape and real dtype.

    Returns:
        A bool tensor of x's shape.

    Source: TF.js `tf.isFinite`.
    """
    return run("IsFinite", real("is_finite", x))


for _kernel in ("IsNan", "IsInf", "IsFinite"):
    gradient(_kernel, x=zeros_rule)
