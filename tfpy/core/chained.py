"""The chained methods whose arguments differ from those of the op of that name; all others are generated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tfpy.core import ops
from tfpy.core._camel import ChainedCamel
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle

if TYPE_CHECKING:
    from tfpy.core.convert import TensorLike
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
        return ops.shape.cast(self, dtype)

    def to_float(self) -> Tensor:
        """The values in float32."""
        return ops.shape.cast(self, "float32")

    def to_int(self) -> Tensor:
        """The values in int32."""
        return ops.shape.cast(self, "int32")

    def to_bool(self) -> Tensor:
        """Whether each value is not 0."""
        return ops.shape.cast(self, "bool")

    def flatten(self) -> Tensor:
        """The elements as a vector."""
        return ops.shape.reshape(self, (self.spec.size,))

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
        return ops.shape.reshape(self, (rows, columns))

    def as_3d(self, rows: int, columns: int, depth: int) -> Tensor:
        """The elements in three dimensions."""
        return ops.shape.reshape(self, (rows, columns, depth))

    def as_4d(self, rows: int, columns: int, depth: int, depth2: int) -> Tensor:
        """The elements in four dimensions."""
        return ops.shape.reshape(self, (rows, columns, depth, depth2))

    def as_5d(self, rows: int, columns: int, depth: int, depth2: int, depth3: int) -> Tensor:
        """The elements in five dimensions."""
        return ops.shape.reshape(self, (rows, columns, depth, depth2, depth3))


def _listed(x: TensorLike | Sequence[TensorLike]) -> Sequence[TensorLike]:
    several = isinstance(x, Iterable) and not isinstance(x, (Handle, np.ndarray, str, bytes))
    return list(x) if several else [x]  # type: ignore[arg-type, list-item]
