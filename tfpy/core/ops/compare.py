"""Comparisons, element by element, with broadcasting. With NaN each is false, except that NaN ≠ NaN is true."""

from __future__ import annotations

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike
from tfpy.core.ops.common import binary_operands
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient, symbolic_zero


@op(chain=True, legacy="equal", doc="Operations / Logical")
def equal(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether a = b.

    Args:
        a: a tensor of any shape and dtype.
        b: a tensor whose shape broadcasts with a's; strings if a holds strings.

    Returns:
        A bool tensor of the broadcast shape.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: only one of them holds strings.

    Source: TF.js `tf.equal`; deeplearn.js `math.equal`.
    """
    return run("Equal", *binary_operands("equal", a, b, "any"))


@op(chain=True, legacy="not_equal", doc="Operations / Logical")
def not_equal(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether a ≠ b.

    Args:
        a: a tensor of any shape and dtype.
        b: a tensor whose shape broadcasts with a's; strings if a holds strings.

    Returns:
        A bool tensor of the broadcast shape.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: only one of them holds strings.

    Source: TF.js `tf.notEqual`; deeplearn.js `math.notEqual`.
    """
    return run("NotEqual", *binary_operands("not_equal", a, b, "any"))


@op(chain=True, legacy="less", doc="Operations / Logical")
def less(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether a < b.

    Args:
        a: a tensor of any shape; of real numbers, or of strings, which are compared byte by byte.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A bool tensor of the broadcast shape.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: complex numbers, or strings and numbers.

    Source: TF.js `tf.less`; deeplearn.js `math.less`.
    """
    return run("Less", *_ordered("less", a, b))


@op(chain=True, legacy="less_equal", doc="Operations / Logical")
def less_equal(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether a ≤ b.

    Args:
        a: a tensor of any shape; of real numbers, or of strings, which are compared byte by byte.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A bool tensor of the broadcast shape.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: complex numbers, or strings and numbers.

    Source: TF.js `tf.lessEqual`; deeplearn.js `math.lessEqual`.
    """
    return run("LessEqual", *_ordered("less_equal", a, b))


@op(chain=True, legacy="greater", doc="Operations / Logical")
def greater(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether a > b.

    Args:
        a: a tensor of any shape; of real numbers, or of strings, which are compared byte by byte.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A bool tensor of the broadcast shape.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: complex numbers, or strings and numbers.

    Source: TF.js `tf.greater`; deeplearn.js `math.greater`.
    """
    return run("Greater", *_ordered("greater", a, b))


@op(chain=True, legacy="greater_equal", doc="Operations / Logical")
def greater_equal(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether a ≥ b.

    Args:
        a: a tensor of any shape; of real numbers, or of strings, which are compared byte by byte.
        b: a tensor whose shape broadcasts with a's.

    Returns:
        A bool tensor of the broadcast shape.

    Raises:
        ValueError: the shapes do not broadcast. TypeError: complex numbers, or strings and numbers.

    Source: TF.js `tf.greaterEqual`; deeplearn.js `math.greaterEqual`.
    """
    return run("GreaterEqual", *_ordered("greater_equal", a, b))


def _ordered(op_name: str, a: TensorLike, b: TensorLike) -> tuple[Tensor, Tensor]:
    """Two operands of a dtype whose values are ordered."""
    x, y = binary_operands(op_name, a, b, "any")
    if x.spec.dtype == "complex64":
        raise argument_error(op_name, "a", "real numbers or strings (it does not take complex64)", x, TypeError)
    return x, y


# A comparison is constant almost everywhere: no gradient flows through it.
for _kernel in ("Equal", "NotEqual", "Less", "LessEqual", "Greater"):
    gradient(_kernel, a=None, b=None)

gradient("GreaterEqual", a=symbolic_zero, b=symbolic_zero)  # the only one with a gradient in TF.js, of zeros
