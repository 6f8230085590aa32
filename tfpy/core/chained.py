"""The chained methods whose arguments differ from those of the op of that name; all others are generated."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tfpy.core import ops
from tfpy.core._camel import ChainedCamel
from tfpy.engine.arguments import as_int
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.spec import Shape

if TYPE_CHECKING:
    from tfpy.core.convert import TensorLike
    from tfpy.core.ops.create import ShapeLike
    from tfpy.core.tensor import Tensor


class Chained(ChainedCamel, Handle):
    """Methods of Tensor: `a.where(condition, b)`, `a.concat(b)`, `a.as_2d(2, 3)` and similar."""

    __slots__ = ()

    def where(self, condition: TensorLike, x: TensorLike) -> Tensor:
        """This tensor's elements where the condition is true, x's elsewhere (`tf.where(condition, self, x)`)."""
        return ops.logic.where(condition, self, x)

    def concat(self, x: TensorLike | Sequence[TensorLike], axis: int = 0) -> Tensor:
        """This tensor joined with one or several others along an existing axis."""
        return ops.join.concat([self, *_listed(x)], axis)

    def stack(self, x: TensorLike | Sequence[TensorLike], axis: int = 0) -> Tensor:
        """This tensor joined with one or several others of its shape along a new axis."""
        return ops.join.stack([self, *_listed(x)], axis)

    def as_type(self, dtype: DType) -> Tensor:
        """The values cast to another dtype (`cast`)."""
        return ops.shape.cast_for("as_type", self, dtype)

    def to_float(self) -> Tensor:
        """The values in float32."""
        return ops.shape.cast_for("to_float", self, "float32")

    def to_int(self) -> Tensor:
        """The values in int32."""
        return ops.shape.cast_for("to_int", self, "int32")

    def to_bool(self) -> Tensor:
        """Whether each value is not 0."""
        return ops.shape.cast_for("to_bool", self, "bool")

    def flatten(self) -> Tensor:
        """The elements as a vector."""
        return ops.shape.reshape(self, (self.spec.size,))

    def reshape(self, shape: ShapeLike, *sizes: int) -> Tensor:
        """The elements in another shape: a list or, as in numpy, size by size; one size may be -1, to be inferred."""
        return ops.shape.reshaped(self, (shape, *sizes) if sizes else shape)

    def reshape_as(self, x: Tensor) -> Tensor:
        """The elements in the shape of another tensor."""
        if not isinstance(getattr(x, "shape", None), tuple):
            raise argument_error("reshape_as", "x", "a tensor", x, TypeError)
        return ops.shape.reshape(self, x.shape)

    def as_scalar(self) -> Tensor:
        """The single element as a tensor of rank 0."""
        if self.spec.size != 1:
            raise argument_error("as_scalar", "self", "a tensor of one element", self)
        return ops.shape.reshape(self, ())

    def as_1d(self) -> Tensor:
        """The elements as a vector."""
        return ops.shape.reshape(self, (self.spec.size,))

    def as_2d(self, rows: int, columns: int) -> Tensor:
        """The elements as a matrix."""
        return _reshaped("as_2d", self, rows=rows, columns=columns)

    def as_3d(self, rows: int, columns: int, depth: int) -> Tensor:
        """The elements in three dimensions."""
        return _reshaped("as_3d", self, rows=rows, columns=columns, depth=depth)

    def as_4d(self, rows: int, columns: int, depth: int, depth2: int) -> Tensor:
        """The elements in four dimensions."""
        return _reshaped("as_4d", self, rows=rows, columns=columns, depth=depth, depth2=depth2)

    def as_5d(self, rows: int, columns: int, depth: int, depth2: int, depth3: int) -> Tensor:
        """The elements in five dimensions."""
        return _reshaped("as_5d", self, rows=rows, columns=columns, depth=depth, depth2=depth2, depth3=depth3)


def _reshaped(name: str, x: Handle, **sizes: int) -> Tensor:
    return ops.shape.reshape(x, shape_of_sizes(name, x, **sizes))


def shape_of_sizes(name: str, x: Handle, **sizes: int) -> Shape:
    """The shape that a method such as `as_2d`, whose name errors have, gives the elements of x."""
    listed = [as_int(name, argument, size) for argument, size in sizes.items()]
    shape = ops.shape.whole_shape(name, listed, x.spec.size)
    if math.prod(shape) != x.spec.size:
        raise argument_error(name, "self", f"a tensor of {math.prod(shape)} elements, for shape {list(shape)}", x)
    return shape


def _listed(x: TensorLike | Sequence[TensorLike]) -> Sequence[TensorLike]:
    several = isinstance(x, Iterable) and not isinstance(x, (Handle, np.ndarray, str, bytes))
    return list(x) if several else [x]  # type: ignore[arg-type, list-item]
