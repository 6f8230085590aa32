"""Slicing, concatenating, reversing and padding arrays, by rank; and selecting elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops import create, join, logic, shape, slice
from tfpy.core.ops.common import cast_to, reshape_to
from tfpy.core.ops.reduce import Axis
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import array_as_list, as_int, resolve_axes, resolve_axis
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.legacy.naming.registry import math_op
from tfpy.legacy.ops.common import of_rank


def as_type(x: TensorLike, dtype: DType) -> Tensor:
    """The values in another dtype. Source: deeplearn.js `NDArray.asType`."""
    return shape.cast(x, dtype)


def _slice(name: str, x: TensorLike, begin: Any, size: Any, rank: int) -> Tensor:
    t = of_rank(name, "x", x, rank)
    for argument, values in (("begin", array_as_list(begin)), ("size", array_as_list(size))):
        if (
            not isinstance(values, Sequence)
            or len(values) != rank
            or min(as_int(name, argument, n) for n in values) < 0
        ):
            raise argument_error(name, argument, f"{rank} numbers of 0 or more", values)
    return slice.slice_(t, begin, size)


@math_op()
def slice1d(x: TensorLike, begin: int, size: int) -> Tensor:
    """`size` elements of a vector from `begin` on.

    Source: deeplearn.js `math.slice1D`.
    """
    return _slice("slice1d", x, [begin], [size], 1)


@math_op()
def slice2d(x: TensorLike, begin: Sequence[int], size: Sequence[int]) -> Tensor:
    """A block of a matrix.

    Source: deeplearn.js `math.slice2D`.
    """
    return _slice("slice2d", x, begin, size, 2)


@math_op()
def slice3d(x: TensorLike, begin: Sequence[int], size: Sequence[int]) -> Tensor:
    """A block of an array of rank 3.

    Source: deeplearn.js `math.slice3D`.
    """
    return _slice("slice3d", x, begin, size, 3)


@math_op()
def slice4d(x: TensorLike, begin: Sequence[int], size: Sequence[int]) -> Tensor:
    """A block of an array of rank 4.

    Source: deeplearn.js `math.slice4D`.
    """
    return _slice("slice4d", x, begin, size, 4)


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


def _reverse(name: str, x: TensorLike, axis: Axis, rank: int) -> Tensor:
    t = of_rank(name, "x", x, rank)
    return slice.reverse(t, list(resolve_axes(name, axis, rank)))


@math_op()
def reverse1d(x: TensorLike) -> Tensor:
    """A vector reversed.

    Source: deeplearn.js `math.reverse1D`.
    """
    return _reverse("reverse1d", x, 0, 1)


@math_op()
def reverse2d(x: TensorLike, axis: Axis = None) -> Tensor:
    """A matrix reversed along axes, all by default.

    Source: deeplearn.js `math.reverse2D`.
    """
    return _reverse("reverse2d", x, axis, 2)


@math_op()
def reverse3d(x: TensorLike, axis: Axis = None) -> Tensor:
    """An array of rank 3 reversed along axes, all by default.

    Source: deeplearn.js `math.reverse3D`.
    """
    return _reverse("reverse3d", x, axis, 3)


@math_op()
def reverse4d(x: TensorLike, axis: Axis = None) -> Tensor:
    """An array of rank 4 reversed along axes, all by default.

    Source: deeplearn.js `math.reverse4D`.
    """
    return _reverse("reverse4d", x, axis, 4)


@math_op()
def pad1d(x: TensorLike, paddings: Sequence[int], constant_value: float = 0) -> Tensor:
    """A vector padded at both ends.

    Source: deeplearn.js `math.pad1D`.
    """
    return slice.pad(of_rank("pad1d", "x", x, 1), [paddings], constant_value)


@math_op()
def pad2d(x: TensorLike, paddings: Sequence[Sequence[int]], constant_value: float = 0) -> Tensor:
    """A matrix padded on all sides.

    Source: deeplearn.js `math.pad2D`.
    """
    return slice.pad(of_rank("pad2d", "x", x, 2), paddings, constant_value)


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
