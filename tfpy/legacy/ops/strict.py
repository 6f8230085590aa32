"""Ops on two arrays that require equal shapes: the strict variants of those that broadcast."""

from __future__ import annotations

from tfpy.core.convert import TensorLike
from tfpy.core.ops import arith, compare
from tfpy.core.tensor import Tensor
from tfpy.legacy.naming.registry import math_op
from tfpy.legacy.ops.common import same_shape


@math_op(eager="add_strict")
def add_strict(a: TensorLike, b: TensorLike) -> Tensor:
    """a + b for arrays of one shape.

    Source: deeplearn.js `math.addStrict`.
    """
    return arith.add(*same_shape("add_strict", a, b))


@math_op(eager="sub_strict")
def sub_strict(a: TensorLike, b: TensorLike) -> Tensor:
    """a - b for arrays of one shape.

    Source: deeplearn.js `math.subStrict`.
    """
    return arith.sub(*same_shape("sub_strict", a, b))


@math_op(also="element_wise_mul mul_strict", eager="mul_strict")
def multiply_strict(a: TensorLike, b: TensorLike) -> Tensor:
    """a · b, element by element, for arrays of one shape.

    Source: deeplearn.js `math.multiplyStrict`, `math.elementWiseMul`.
    """
    return arith.mul(*same_shape("multiply_strict", a, b))


@math_op(also="div_strict", eager="div_strict")
def divide_strict(a: TensorLike, b: TensorLike) -> Tensor:
    """a / b for arrays of one shape.

    Source: deeplearn.js `math.divideStrict`.
    """
    return arith.div(*same_shape("divide_strict", a, b))


@math_op(eager="pow_strict")
def pow_strict(base: TensorLike, exp: TensorLike) -> Tensor:
    """Powers for arrays of one shape.

    Source: deeplearn.js `math.powStrict`.
    """
    return arith.pow_(*same_shape("pow_strict", base, exp, ("base", "exp")))


@math_op(eager="minimum_strict")
def minimum_strict(a: TensorLike, b: TensorLike) -> Tensor:
    """The smaller of each pair, for arrays of one shape.

    Source: deeplearn.js 0.5 `math.minimumStrict`.
    """
    return arith.minimum(*same_shape("minimum_strict", a, b))


@math_op(eager="maximum_strict")
def maximum_strict(a: TensorLike, b: TensorLike) -> Tensor:
    """The larger of each pair, for arrays of one shape.

    Source: deeplearn.js 0.5 `math.maximumStrict`.
    """
    return arith.maximum(*same_shape("maximum_strict", a, b))


@math_op(eager="equal_strict")
def equal_strict(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether a equals b, for arrays of one shape.

    Source: deeplearn.js `math.equalStrict`.
    """
    return compare.equal(*same_shape("equal_strict", a, b))


@math_op(eager="not_equal_strict")
def not_equal_strict(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether a differs from b, for arrays of one shape.

    Source: deeplearn.js `math.notEqualStrict`.
    """
    return compare.not_equal(*same_shape("not_equal_strict", a, b))


@math_op(eager="less_strict")
def less_strict(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether a is less than b, for arrays of one shape.

    Source: deeplearn.js 0.5 `math.lessStrict`.
    """
    return compare.less(*same_shape("less_strict", a, b))


@math_op(eager="less_equal_strict")
def less_equal_strict(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether a is not greater than b, for arrays of one shape.

    Source: deeplearn.js 0.5 `math.lessEqualStrict`.
    """
    return compare.less_equal(*same_shape("less_equal_strict", a, b))


@math_op(eager="greater_strict")
def greater_strict(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether a is greater than b, for arrays of one shape.

    Source: deeplearn.js 0.5 `math.greaterStrict`.
    """
    return compare.greater(*same_shape("greater_strict", a, b))


@math_op(eager="greater_equal_strict")
def greater_equal_strict(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether a is not less than b, for arrays of one shape.

    Source: deeplearn.js 0.5 `math.greaterEqualStrict`.
    """
    return compare.greater_equal(*same_shape("greater_equal_strict", a, b))
