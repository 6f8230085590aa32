"""`dl.variable` (0.4): variables that optimizers train without a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.options import accepts_options
from tfpy.core.variable import Variable as CoreVariable
from tfpy.engine.backend import Array
from tfpy.legacy._camel import VariableCamel
from tfpy.legacy._chained import ChainedOps
from tfpy.legacy.create import ArrayFactories
from tfpy.legacy.eager import giving_arrays
from tfpy.legacy.environment import ENV
from tfpy.legacy.places import Places
from tfpy.legacy.values import LegacyDType


class _VariableOps(ChainedOps):
    """Methods that give NDArrays: those of 0.5's arrays, and of the core those that they are in NDArray itself."""

    __slots__ = ()

    add = giving_arrays(CoreVariable.add)
    reshape = giving_arrays(CoreVariable.reshape)
    flatten = giving_arrays(CoreVariable.flatten)
    squeeze = giving_arrays(CoreVariable.squeeze)
    as_scalar = giving_arrays(CoreVariable.as_scalar)
    as_1d = giving_arrays(CoreVariable.as_1d)
    as_2d = giving_arrays(CoreVariable.as_2d)
    as_3d = giving_arrays(CoreVariable.as_3d)
    as_4d = giving_arrays(CoreVariable.as_4d)
    as_type = giving_arrays(CoreVariable.as_type)
    concat = giving_arrays(CoreVariable.concat)
    stack = giving_arrays(CoreVariable.stack)
    where = giving_arrays(CoreVariable.where)


class Variable(_VariableOps, Places, CoreVariable, ArrayFactories, VariableCamel):  # type: ignore[misc]  # as a tensor's
    """A variable of the core that reads like an NDArray, too, and whose ops give NDArrays.

    Args:
        initial_value: the first value, which it shares: an array, a tensor or numbers.
        trainable: whether optimizers may change it.
        name: a name no other live variable has; a running number by default.

    Raises:
        ValueError: the name is taken.

    Source: deeplearn.js 0.4 `Variable`.
    """

    __slots__ = ()

    def __init__(self, initial_value: TensorLike, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(to_tensor("Variable", "initial_value", initial_value, "any"), trainable, name)

    def _run(self, function: Callable[..., Any], *args: Any) -> Any:
        """An op on this variable, as the global math computes it."""
        return ENV.math._run(function, self, *args)

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
        return self.data_sync()[self._offset("get", locs)].item()


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
