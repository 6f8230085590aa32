"""Logical ops on booleans, and selection by them."""

from __future__ import annotations

from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import binary_operands, cast_to, full, unbroadcast
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.gradients import gradient, symbolic_zero
from tfpy.engine.spec import upcast


@op(chain=True, legacy="logical_not", doc="Operations / Logical")
def logical_not(x: TensorLike) -> Tensor:
    """Whether x is false.

    Args:
        x: a bool tensor of any shape.

    Returns:
        A bool tensor of x's shape.

    Raises:
        TypeError: not bool.

    Source: TF.js `tf.logicalNot`; deeplearn.js `math.logicalNot`.
    """
    return run("LogicalNot", to_tensor("logical_not", "x", x, "bool"))


@op(chain=True, legacy="logical_and", doc="Operations / Logical")
def logical_and(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether both are true.

    Args:
        a: a bool tensor of any shape.
        b: a bool tensor whose shape broadcasts with a's.

    Returns:
        A bool tensor of the broadcast shape.

    Raises:
        TypeError: not bool. ValueError: the shapes do not broadcast.

    Source: TF.js `tf.logicalAnd`; deeplearn.js `math.logicalAnd`.
    """
    return run("LogicalAnd", *binary_operands("logical_and", a, b, "bool"))


@op(chain=True, legacy="logical_or", doc="Operations / Logical")
def logical_or(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether at least one is true.

    Args:
        a: a bool tensor of any shape.
        b: a bool tensor whose shape broadcasts with a's.

    Returns:
        A bool tensor of the broadcast shape.

    Raises:
        TypeError: not bool. ValueError: the shapes do not broadcast.

    Source: TF.js `tf.logicalOr`; deeplearn.js `math.logicalOr`.
    """
    return run("LogicalOr", *binary_operands("logical_or", a, b, "bool"))


@op(chain=True, legacy="logical_xor", doc="Operations / Logical")
def logical_xor(a: TensorLike, b: TensorLike) -> Tensor:
    """Whether exactly one is true.

    Args:
        a: a bool tensor of any shape.
        b: a bool tensor whose shape broadcasts with a's.

    Returns:
        A bool tensor of the broadcast shape.

    Raises:
        TypeError: not bool. ValueError: the shapes do not broadcast.

    Source: TF.js `tf.logicalXor`; deeplearn.js `math.logicalXor`.
    """
    return run("LogicalXor", *binary_operands("logical_xor", a, b, "bool"))


# Booleans are constant almost everywhere: no gradient flows through them.
gradient("LogicalNot", x=None)
for _kernel in ("LogicalAnd", "LogicalOr", "LogicalXor"):
    gradient(_kernel, a=None, b=None)


@op(legacy="where", doc="Operations / Logical")
def where(condition: TensorLike, a: TensorLike, b: TensorLike) -> Tensor:
    """The elements of a where the condition is true, of b where it is false.

    Args:
        condition: a bool tensor.
        a: a tensor that broadcasts with the others.
        b: a tensor that broadcasts with the others.

    Returns:
        A tensor of the shape that all three broadcast to; its dtype is the wider of a's and b's.

    Raises:
        TypeError: the condition is not bool. ValueError: the shapes do not broadcast.

    Source: TF.js `tf.where`; deeplearn.js `math.where`.
    """
    test = to_tensor("where", "condition", condition, "bool")
    x, y = to_tensor("where", "a", a, "any"), to_tensor("where", "b", b, "any")
    dtype = upcast(x.spec.dtype, y.spec.dtype, "where")
    return run("Select", test, cast_to(x, dtype), cast_to(y, dtype))


def _masked(dy: Tensor, mask: Tensor) -> Tensor:
    """dy where the mask is true, 0 elsewhere: by selection, so that an infinity outside leaves no NaN."""
    return run("Select", mask, dy, full(dy.spec.shape, 0, dy.spec.dtype))


def _else_gradient(dy: Tensor, n: Any) -> Tensor:
    return unbroadcast(_masked(dy, run("LogicalNot", n.condition)), n.shape("e"))


gradient(
    "Select",
    saves="condition",
    condition=symbolic_zero,
    t=lambda dy, n: unbroadcast(_masked(dy, n.condition), n.shape("t")),
    e=_else_gradient,
)
