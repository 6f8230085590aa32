"""`dl.variable` (0.4): variables that optimizers train without a graph."""

from __future__ import annotations

from typing import Any

from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.options import accepts_options
from tfpy.core.variable import Variable as CoreVariable
from tfpy.engine.backend import Array
from tfpy.legacy._camel import VariableCamel
from tfpy.legacy.create import ArrayFactories
from tfpy.legacy.values import LegacyDType


class Variable(CoreVariable, ArrayFactories, VariableCamel):  # type: ignore[misc]  # zeros_like is that of a tensor
    """A variable of the core that reads like an NDArray, too. Source: deeplearn.js 0.4 `Variable`."""

    __slots__ = ()

    @classmethod
    def variable(cls, initial_value: TensorLike, trainable: bool = True, name: str | None = None) -> Variable:  # type: ignore[override]
        """A variable that starts as an array, sharing its data."""
        return variable(initial_value, trainable, name)

    def get_values(self) -> Array:
        """The values in row-major order, to be read only; `assign` changes them."""
        values: Array = self.data_sync()
        return values

    async def get_values_async(self) -> Array:
        """`get_values`, to be awaited."""
        return self.get_values()

    def get(self, *locs: int) -> Any:
        """The number at a place."""
        return self.buffer_sync().get(*locs)


@accepts_options()
def variable(
    initial_value: TensorLike, trainable: bool = True, name: str | None = None, dtype: LegacyDType | None = None
) -> Variable:
    """A variable that starts as an array, sharing its data.

    Args:
        initial_value: the first value; its shape and dtype are the variable's.
        trainable: whether optimizers may change it.
        name: a name no other live variable has; a running number by default.
        dtype: cast the value to this dtype first.

    Raises:
        ValueError: the name is taken.

    Source: deeplearn.js 0.4 `variable`.
    """
    value = to_tensor("variable", "initial_value", initial_value, "any")
    if dtype is not None and dtype != value.dtype:
        value = value.cast(dtype)
    return Variable(value, trainable, name)
