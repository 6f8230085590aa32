"""Python's operators on tensors. Each is the op of its name; `/` and `//` follow Python where TF.js's `div` differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy.core import ops
from tfpy.engine.handle import Handle

if TYPE_CHECKING:
    from tfpy.core.convert import TensorLike
    from tfpy.core.tensor import Tensor


# numpy's names of the operators: the method of the left operand, and of the right one if the left is not a tensor.
_OPERATORS = {
    "add": ("__add__", "__radd__"),
    "subtract": ("__sub__", "__rsub__"),
    "multiply": ("__mul__", "__rmul__"),
    "divide": ("__truediv__", "__rtruediv__"),
    "floor_divide": ("__floordiv__", "__rfloordiv__"),
    "remainder": ("__mod__", "__rmod__"),
    "power": ("__pow__", "__rpow__"),
    "matmul": ("__matmul__", "__rmatmul__"),
    "less": ("__lt__", "__gt__"),
    "less_equal": ("__le__", "__ge__"),
    "greater": ("__gt__", "__lt__"),
    "greater_equal": ("__ge__", "__le__"),
    "equal": ("__eq__", "__eq__"),
    "not_equal": ("__ne__", "__ne__"),
    "bitwise_and": ("__and__", "__rand__"),
    "bitwise_or": ("__or__", "__ror__"),
    "bitwise_xor": ("__xor__", "__rxor__"),
}


_UNCHANGEABLE = (
    "tensors cannot be changed. Make another one: by tf.where(mask, new, t), by "
    "tf.tensor_scatter_update(t, indices, updates), or of a copy, a = t.numpy().copy(); a[…] = …; "
    "tf.tensor(a). A variable is given another value by v.assign(…)."
)


class Operators(Handle):
    """`+ - * / // % ** @ < <= > >= == != ~ & | ^ abs divmod in` and `[]`."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """`array + tensor` is a tensor, like `tensor + array`; other ufuncs are numpy's own, on numpy arrays."""
        if ufunc.__name__ in _OPERATORS and method == "__call__" and not options:
            left, right = inputs
            straight, reflected = _OPERATORS[ufunc.__name__]
            return getattr(left, straight)(right) if isinstance(left, Operators) else getattr(right, reflected)(left)
        changed = [*(inputs[:1] if method == "at" else ()), *options.get("out", ())]
        if any(isinstance(one, Handle) for one in changed):
            raise TypeError(f"numpy.{ufunc.__name__}: {_UNCHANGEABLE}")
        return getattr(ufunc, method)(*_as_arrays(inputs), **_as_arrays(options))

    def __array_function__(self, function: Any, types: Any, args: Any, keywords: Any) -> Any:
        """numpy's functions work on numpy arrays and return them."""
        return function(*_as_arrays(args), **_as_arrays(keywords))

    def __getitem__(self, index: Any) -> Tensor:
        return ops.indexing.getitem(self, index)

    if not TYPE_CHECKING:  # type checkers should reject them

        def __setitem__(self, index: Any, value: Any) -> None:
            raise TypeError(f"[]: {_UNCHANGEABLE}")

        def __delitem__(self, index: Any) -> None:
            raise TypeError("[]: tensors cannot be changed. Join the parts to keep: tf.concat([t[:1], t[2:]]).")

    def __contains__(self, item: object) -> bool:
        """Whether any element equals the item, as in numpy."""
        return item is not None and bool(ops.reduce.any_(ops.compare.equal(self, item)))  # type: ignore[arg-type]

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

    def __divmod__(self, other: TensorLike) -> tuple[Tensor, Tensor]:
        return self // other, self % other

    def __rdivmod__(self, other: TensorLike) -> tuple[Tensor, Tensor]:
        return self.__rfloordiv__(other), self.__rmod__(other)

    def __pos__(self) -> Tensor:
        return ops.shape.clone(self)

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


def _as_arrays(value: Any) -> Any:
    """Tensors as numpy arrays, in any nesting of lists, tuples and dicts."""
    if isinstance(value, Handle):
        return np.asarray(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map(_as_arrays, value))
    if isinstance(value, dict):
        return {key: _as_arrays(item) for key, item in value.items()}
    return value
