"""Python's operators on tensors. Each is the op of its name; `/` and `//` follow Python where TF.js's `div` differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfpy.core import ops
from tfpy.engine.handle import Handle

if TYPE_CHECKING:
    from tfpy.core.convert import TensorLike
    from tfpy.core.tensor import Tensor


class Operators(Handle):
    """`+ - * / // % ** @ < <= > >= == != ~ & | ^ abs` and `[]`."""

    __slots__ = ()
    __array_ufunc__ = None  # numpy leaves `array + tensor` to the tensor
    __hash__ = object.__hash__

    def __getitem__(self, index: Any) -> Tensor:
        return ops.indexing.getitem(self, index)

    def __add__(self, other: TensorLike) -> Tensor:
        return ops.arith.add(self, other)

    def __radd__(self, other: TensorLike) -> Tensor:
        return ops.arith.add(other, self)

    def __sub__(self, other: TensorLike) -> Tensor:
        return ops.arith.sub(self, other)

    def __rsub__(self, other: TensorLike) -> Tensor:
        return ops.arith.sub(other, self)

    def __mul__(self, other: TensorLike) -> Tensor:
        return ops.arith.mul(self, other)

    def __rmul__(self, other: TensorLike) -> Tensor:
        return ops.arith.mul(other, self)

    def __truediv__(self, other: TensorLike) -> Tensor:
        return ops.arith.true_div(self, other)

    def __rtruediv__(self, other: TensorLike) -> Tensor:
        return ops.arith.true_div(other, self)

    def __floordiv__(self, other: TensorLike) -> Tensor:
        return ops.arith.python_floor_div(self, other)

    def __rfloordiv__(self, other: TensorLike) -> Tensor:
        return ops.arith.python_floor_div(other, self)

    def __mod__(self, other: TensorLike) -> Tensor:
        return ops.arith.mod(self, other)

    def __rmod__(self, other: TensorLike) -> Tensor:
        return ops.arith.mod(other, self)

    def __pow__(self, other: TensorLike) -> Tensor:
        return ops.arith.pow_(self, other)

    def __rpow__(self, other: TensorLike) -> Tensor:
        return ops.arith.pow_(other, self)

    def __matmul__(self, other: TensorLike) -> Tensor:
        return ops.matmul.python_matmul(self, other)

    def __rmatmul__(self, other: TensorLike) -> Tensor:
        return ops.matmul.python_matmul(other, self)

    def __neg__(self) -> Tensor:
        return ops.unary.neg(self)

    def __abs__(self) -> Tensor:
        return ops.unary.abs_(self)

    def __lt__(self, other: TensorLike) -> Tensor:
        return ops.compare.less(self, other)

    def __le__(self, other: TensorLike) -> Tensor:
        return ops.compare.less_equal(self, other)

    def __gt__(self, other: TensorLike) -> Tensor:
        return ops.compare.greater(self, other)

    def __ge__(self, other: TensorLike) -> Tensor:
        return ops.compare.greater_equal(self, other)

    def __eq__(self, other: object) -> Any:
        return NotImplemented if other is None else ops.compare.equal(self, other)  # type: ignore[arg-type]

    def __ne__(self, other: object) -> Any:
        return NotImplemented if other is None else ops.compare.not_equal(self, other)  # type: ignore[arg-type]

    def __invert__(self) -> Tensor:
        return ops.logic.logical_not(self)

    def __and__(self, other: TensorLike) -> Tensor:
        return ops.logic.logical_and(self, other)

    def __rand__(self, other: TensorLike) -> Tensor:
        return ops.logic.logical_and(other, self)

    def __or__(self, other: TensorLike) -> Tensor:
        return ops.logic.logical_or(self, other)

    def __ror__(self, other: TensorLike) -> Tensor:
        return ops.logic.logical_or(other, self)

    def __xor__(self, other: TensorLike) -> Tensor:
        return ops.logic.logical_xor(self, other)

    def __rxor__(self, other: TensorLike) -> Tensor:
        return ops.logic.logical_xor(other, self)
