"""Trigonometric and hyperbolic functions and their inverses, element by element. Angles are in radians."""

from __future__ import annotations

from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, number, to_tensor
from tfpy.core.ops.arith import add, div, mul, sub
from tfpy.core.ops.common import as_float, keeping_dtype
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.gradients import gradient


@op(chain=True, legacy="sin", doc="Operations / Basic math")
def sin(x: TensorLike) -> Tensor:
    """The sine of x in radians.

    Args:
        x: a float32 tensor of any shape.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: x is a tensor of another dtype.

    Source: TF.js `tf.sin`; deeplearn.js `math.sin`.
    """
    return run("Sin", to_tensor("sin", "x", x, "float32"))


gradient("Sin", saves="x", x=lambda dy, n: mul(run("Cos", n.x), dy))


@op(chain=True, legacy="cos", doc="Operations / Basic math")
def cos(x: TensorLike) -> Tensor:
    """The cosine of x in radians.

    Args:
        x: a float32 tensor of any shape.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: x is a tensor of another dtype.

    Source: TF.js `tf.cos`; deeplearn.js `math.cos`.
    """
    return run("Cos", to_tensor("cos", "x", x, "float32"))


gradient("Cos", saves="x", x=lambda dy, n: mul(run("Neg", run("Sin", n.x)), dy))


@op(chain=True, legacy="tan", doc="Operations / Basic math")
def tan(x: TensorLike) -> Tensor:
    """The tangent of x in radians.

    Args:
        x: a float32 tensor of any shape.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: x is a tensor of another dtype.

    Source: TF.js `tf.tan`; deeplearn.js `math.tan`.
    """
    return run("Tan", to_tensor("tan", "x", x, "float32"))


gradient("Tan", saves="x", x=lambda dy, n: div(dy, run("Square", run("Cos", n.x))))


@op(chain=True, legacy="asin", doc="Operations / Basic math")
def asin(x: TensorLike) -> Tensor:
    """The angle in radians, from -π/2 to π/2, whose sine is x.

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated to their dtype.

    Returns:
        A tensor of x's shape and dtype; integers are truncated.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.asin`; deeplearn.js `math.asin`.
    """
    return keeping_dtype("asin", "Asin", x)


gradient("Asin", saves="x", x=lambda dy, n: div(dy, run("Sqrt", sub(number(1), run("Square", as_float(n.x))))))


@op(chain=True, legacy="acos", doc="Operations / Basic math")
def acos(x: TensorLike) -> Tensor:
    """The angle in radians, from 0 to π, whose cosine is x.

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated to their dtype.

    Returns:
        A tensor of x's shape and dtype; integers are truncated.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.acos`; deeplearn.js `math.acos`.
    """
    return keeping_dtype("acos", "Acos", x)


gradient(
    "Acos", saves="x", x=lambda dy, n: run("Neg", div(dy, run("Sqrt", sub(number(1), run("Square", as_float(n.x))))))
)


@op(chain=True, legacy="atan", doc="Operations / Basic math")
def atan(x: TensorLike) -> Tensor:
    """The angle in radians, from -π/2 to π/2, whose tangent is x.

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated to their dtype.

    Returns:
        A tensor of x's shape and dtype; integers are truncated.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.atan`; deeplearn.js `math.atan`.
    """
    return keeping_dtype("atan", "Atan", x)


gradient("Atan", saves="x", x=lambda dy, n: div(dy, add(run("Square", as_float(n.x)), number(1))))


@op(chain=True, legacy="sinh", doc="Operations / Basic math")
def sinh(x: TensorLike) -> Tensor:
    """The hyperbolic sine.

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated to their dtype.

    Returns:
        A tensor of x's shape and dtype; integers are truncated.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.sinh`; deeplearn.js `math.sinh`.
    """
    return keeping_dtype("sinh", "Sinh", x)


gradient("Sinh", saves="x", x=lambda dy, n: mul(run("Cosh", as_float(n.x)), dy))


@op(chain=True, legacy="cosh", doc="Operations / Basic math")
def cosh(x: TensorLike) -> Tensor:
    """The hyperbolic cosine.

    Args:
        x: a float32 tensor of any shape.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: x is a tensor of another dtype.

    Source: TF.js `tf.cosh`; deeplearn.js `math.cosh`.
    """
    return run("Cosh", to_tensor("cosh", "x", x, "float32"))


gradient("Cosh", saves="x", x=lambda dy, n: mul(run("Sinh", n.x), dy))


@op(chain=True, legacy="tanh", doc="Operations / Basic math")
def tanh(x: TensorLike) -> Tensor:
    """The hyperbolic tangent.

    Args:
        x: a float32 tensor of any shape.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        TypeError: x is a tensor of another dtype.

    Source: TF.js `tf.tanh`; deeplearn.js `math.tanh`.
    """
    return run("Tanh", to_tensor("tanh", "x", x, "float32"))


gradient("Tanh", saves="y", x=lambda dy, n: run("TanhGrad", dy, n.y))


def _tanh_grad_by_y(ddy: Tensor, n: Any) -> Tensor:
    return mul(run("Neg", mul(ddy, n.dy)), mul(n.y, number(2)))


gradient("TanhGrad", saves="dy y", dy=lambda ddy, n: run("TanhGrad", ddy, n.y), y=_tanh_grad_by_y)


@op(chain=True, doc="Operations / Basic math")
def asinh(x: TensorLike) -> Tensor:
    """The inverse hyperbolic sine.

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated to their dtype.

    Returns:
        A tensor of x's shape and dtype; integers are truncated.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.asinh`.
    """
    return keeping_dtype("asinh", "Asinh", x)


gradient("Asinh", saves="x", x=lambda dy, n: div(dy, run("Sqrt", add(number(1), run("Square", as_float(n.x))))))


@op(chain=True, doc="Operations / Basic math")
def acosh(x: TensorLike) -> Tensor:
    """The inverse hyperbolic cosine; NaN below 1.

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated to their dtype.

    Returns:
        A tensor of x's shape and dtype; integers are truncated.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.acosh`.
    """
    return keeping_dtype("acosh", "Acosh", x)


gradient("Acosh", saves="x", x=lambda dy, n: div(dy, run("Sqrt", sub(run("Square", as_float(n.x)), number(1)))))


@op(chain=True, doc="Operations / Basic math")
def atanh(x: TensorLike) -> Tensor:
    """The inverse hyperbolic tangent; NaN outside [-1, 1].

    Args:
        x: a tensor of any shape. int32 and bool values are computed in float32 and the result truncated to their dtype.

    Returns:
        A tensor of x's shape and dtype; integers are truncated.

    Raises:
        TypeError: strings or complex numbers.

    Source: TF.js `tf.atanh`.
    """
    return keeping_dtype("atanh", "Atanh", x)


gradient("Atanh", saves="x", x=lambda dy, n: div(dy, sub(number(1), run("Square", as_float(n.x)))))
