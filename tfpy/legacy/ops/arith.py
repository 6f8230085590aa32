"""Arithmetic with scalars, and derivatives that deeplearn.js has as ops."""

from __future__ import annotations

from tfpy.core.convert import TensorLike, number, to_tensor
from tfpy.core.ops.arith import add, div, mul, sub
from tfpy.core.ops.common import as_float, full, run_untracked
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.legacy.naming.registry import math_op
from tfpy.legacy.ops.common import of_rank, same_shape, scalar


@math_op()
def scalar_plus_array(c: TensorLike, a: TensorLike) -> Tensor:
    """A Scalar plus each element of an array.

    Source: deeplearn.js `math.scalarPlusArray`.
    """
    return add(scalar("scalar_plus_array", "c", c), a)


@math_op()
def scalar_minus_array(c: TensorLike, a: TensorLike) -> Tensor:
    """A Scalar minus each element of an array.

    Source: deeplearn.js `math.scalarMinusArray`.
    """
    return sub(scalar("scalar_minus_array", "c", c), a)


@math_op()
def array_minus_scalar(a: TensorLike, c: TensorLike) -> Tensor:
    """Each element of an array minus a Scalar.

    Source: deeplearn.js `math.arrayMinusScalar`.
    """
    return sub(a, scalar("array_minus_scalar", "c", c))


@math_op()
def scalar_times_array(c: TensorLike, a: TensorLike) -> Tensor:
    """A Scalar times each element of an array.

    Source: deeplearn.js `math.scalarTimesArray`.
    """
    return mul(scalar("scalar_times_array", "c", c), a)


@math_op()
def scalar_divided_by_array(c: TensorLike, a: TensorLike) -> Tensor:
    """A Scalar divided by each element of an array.

    Source: deeplearn.js `math.scalarDividedByArray`.
    """
    return div(scalar("scalar_divided_by_array", "c", c), a)


@math_op()
def array_divided_by_scalar(a: TensorLike, c: TensorLike) -> Tensor:
    """Each element of an array divided by a Scalar.

    Source: deeplearn.js `math.arrayDividedByScalar`.
    """
    return div(a, scalar("array_divided_by_scalar", "c", c))


@math_op()
def scaled_array_add(c1: TensorLike, a: TensorLike, c2: TensorLike, b: TensorLike) -> Tensor:
    """c1 · a + c2 · b for Scalars c1 and c2 and arrays of the same shape.

    Source: deeplearn.js `math.scaledArrayAdd`.
    """
    name = "scaled_array_add"
    x, y = same_shape(name, a, b)
    return add(mul(scalar(name, "c1", c1), x), mul(scalar(name, "c2", c2), y))


@math_op()
def element_wise_mul_broadcast(a: TensorLike, b: TensorLike) -> Tensor:
    """The elementwise product of two matrices, with broadcasting.

    Source: deeplearn.js `math.elementWiseMulBroadcast`.
    """
    name = "element_wise_mul_broadcast"
    return mul(of_rank(name, "a", a, 2), of_rank(name, "b", b, 2))


@math_op()
def elu_der(x: TensorLike) -> Tensor:
    """The derivative of elu: 1 where x is not negative, else eˣ.

    Source: deeplearn.js `math.eluDer`.
    """
    t = as_float(to_tensor("elu_der", "x", x))
    below = run_untracked("Less", t, number(0))
    return run("Select", below, run("Exp", t), _ones_or_nan(t))


def _ones_or_nan(t: Tensor) -> Tensor:
    """1, and NaN where t is."""
    return run("Select", run_untracked("IsNan", t), t, full(t.spec.shape, 1))


@math_op()
def prelu_der(x: TensorLike, alpha: TensorLike) -> Tensor:
    """The derivative of prelu with respect to x: 1 where x is positive, alpha where it is negative, and 0 at 0.

    Source: deeplearn.js `math.preluDer`.
    """
    t, slopes = same_shape("prelu_der", x, alpha, ("x", "alpha"))
    t, slopes = as_float(t), as_float(slopes)
    rest = run("Select", run_untracked("Less", t, number(0)), slopes, t)
    return run("Select", run_untracked("Greater", t, number(0)), full(t.spec.shape, 1), rest)
