"""Joining arrays, changing their dtype, and selecting elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops import create, join, logic, shape
from tfpy.core.ops.common import cast_to, reshape_to
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int, resolve_axis
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.legacy.naming.registry import math_op
from tfpy.legacy.ops.common import of_rank


def as_type(x: TensorLike, dtype: DType) -> Tensor:
    """The values in another dtype. Source: deeplearn.js `NDArray.asType`."""
    return shape.cast(x, dtype)


@math_op()
def concat(a: TensorLike | Sequence[TensorLike], b: Any = None, axis: int | None = None) -> Tensor:
    """Arrays joined along an axis: `concat(a, b, axis)` joins two, `concat(arrays, axis)` the arrays of a list.

    Source: deeplearn.js 0.5 `math.concat`, `dl.concat`.
    """
    if b is None or axis is None:
        arrays, along = cast("Sequence[TensorLike]", a), axis if b is None else b
        return join.concat(arrays, 0 if along is None else along)
    return join.concat([cast("TensorLike", a), b], axis)


def _concat(name: str, a: TensorLike, b: TensorLike, axis: int, rank: int) -> Tensor:
    x, y = of_rank(name, "a", a, rank), of_rank(name, "b", b, rank)
    return join.concat([x, y], resolve_axis(name, axis, rank))


@math_op()
def concat1d(a: TensorLike, b: TensorLike) -> Tensor:
    """Two vectors concatenated.

    Source: deeplearn.js `math.concat1D`.
    """
    return _concat("concat1d", a, b, 0, 1)


@math_op()
def concat2d(a: TensorLike, b: TensorLike, axis: int) -> Tensor:
    """Two matrices concatenated along an axis.

    Source: deeplearn.js `math.concat2D`.
    """
    return _concat("concat2d", a, b, axis, 2)


@math_op()
def concat3d(a: TensorLike, b: TensorLike, axis: int) -> Tensor:
    """Two arrays of rank 3 concatenated along an axis.

    Source: deeplearn.js `math.concat3D`.
    """
    return _concat("concat3d", a, b, axis, 3)


@math_op()
def concat4d(a: TensorLike, b: TensorLike, axis: int) -> Tensor:
    """Two arrays of rank 4 concatenated along an axis.

    Source: deeplearn.js `math.concat4D`.
    """
    return _concat("concat4d", a, b, axis, 4)


@math_op(eager="one_hot")
def one_hot(indices: TensorLike, depth: int, on_value: float = 1, off_value: float = 0) -> Tensor:
    """A float32 row for each index, with one value at the index and another elsewhere.

    Args:
        indices: a vector of integers of any dtype.
        depth: the length of the rows, at least 2.
        on_value: the value at the index.
        off_value: the value elsewhere.

    Raises:
        ValueError: a depth below 2, or another rank.

    Source: deeplearn.js `math.oneHot`. `tf.oneHot` gives int32 unless told otherwise.
    """
    t = of_rank("one_hot", "indices", indices, 1)
    if as_int("one_hot", "depth", depth) < 2:
        raise argument_error("one_hot", "depth", "2 or more", depth)
    return create.one_hot(cast_to(t, "int32"), depth, on_value, off_value, "float32")


@math_op(eager="where")
def where(condition: TensorLike, a: TensorLike, b: TensorLike) -> Tensor:
    """The elements of a where the condition holds, of b where it does not.

    Args:
        condition: a bool array of the shape of a, or one that broadcasts to it; a vector chooses rows of a or b.
        a: an array.
        b: an array of the shape of a, or one that broadcasts to it.

    Raises:
        TypeError: the condition is not bool. ValueError: the shapes do not broadcast.

    Source: deeplearn.js `math.where`.
    """
    test, x = to_tensor("where", "condition", condition, "bool"), to_tensor("where", "a", a)
    if test.rank == 1 and x.rank > 1:
        test = reshape_to(test, (*test.shape, *[1] * (x.rank - 1)))
    return logic.where(test, x, b)
