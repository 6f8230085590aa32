"""`dl.variable` (0.4): variables that optimizers train without a graph."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tfpy.core.calling.options import accepts_options
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.naming.hints import add_absent
from tfpy.core.ops import arith
from tfpy.core.variable import Variable as CoreVariable
from tfpy.core.variable import first_value
from tfpy.engine.backend import Array
from tfpy.legacy._camel import VariableCamel
from tfpy.legacy.arrays.create import ArrayFactories
from tfpy.legacy.arrays.ndarray import ArrayMethods, NDArray, shared
from tfpy.legacy.arrays.values import LegacyDType
from tfpy.legacy.eager import giving_arrays


class _VariableOf:
    """`Variable.variable(x)` on the class, and the method `v.variable()` on a variable."""

    def __get__(self, instance: Variable | None, owner: type[Variable]) -> Callable[..., Variable]:
        return variable if instance is None else partial(variable, instance)


class _VariableMethods(ArrayMethods):
    """The methods of arrays, and the additional operators of the core's variables, returning arrays."""

    __slots__ = ()

    variable = _VariableOf()
    __getitem__ = giving_arrays(CoreVariable.__getitem__)
    __abs__ = giving_arrays(CoreVariable.__abs__)
    __pos__ = giving_arrays(CoreVariable.__pos__)
    __mod__ = giving_arrays(CoreVariable.__mod__)
    __rmod__ = giving_arrays(CoreVariable.__rmod__)
    __pow__ = giving_arrays(CoreVariable.__pow__)
    __rpow__ = giving_arrays(CoreVariable.__rpow__)
    __matmul__ = giving_arrays(CoreVariable.__matmul__)
    __rmatmul__ = giving_arrays(CoreVariable.__rmatmul__)
    __floordiv__ = giving_arrays(CoreVariable.__floordiv__)
    __rfloordiv__ = giving_arrays(CoreVariable.__rfloordiv__)

    def _itself(self) -> NDArray:
        return shared(self)

    def add(self, x: TensorLike) -> NDArray:
        """The sum with an array."""
        return self._array(arith.add, x)


class Variable(_VariableMethods, CoreVariable, ArrayFactories, VariableCamel):  # type: ignore[misc]  # as a tensor's
    """A variable of the core that can also be read like an NDArray, and whose ops return NDArrays.

    Args:
        initial_value: the initial value, whose data it shares: an array, a tensor or numbers.
        trainable: whether optimizers update it.
        name: a name that no other live variable has; numbered by default.

    Raises:
        ValueError: the name is taken.

    Source: deeplearn.js 0.4 `Variable`.
    """

    __slots__ = ()

    def __init__(self, initial_value: TensorLike, trainable: bool = True, name: str | None = None) -> None:
        super().__init__(to_tensor("Variable", "initial_value", initial_value, "any"), trainable, name)

    def get_values(self) -> Array:
        """The values in row-major order, read-only; `assign` changes them."""
        values: Array = self.data_sync()
        return values

    async def get_values_async(self) -> Array:
        """`get_values`, to be awaited."""
        return self.get_values()

    def get(self, *locs: int) -> Any:
        """The number at the given indices; without indices, the first."""
        return self.data_sync()[self._element_offset("get", locs)].item()


# In 0.4 variables are arrays, which can be written to.
add_absent(Variable, dict.fromkeys(("set", "fill"), "assign(array)"))


@accepts_options()
def variable(
    initial_value: TensorLike, trainable: bool = True, name: str | None = None, dtype: LegacyDType | None = None
) -> Variable:
    """A variable initialized with an array, whose data it shares.

    Args:
        initial_value: the initial value; its shape and dtype are the variable's.
        trainable: whether optimizers update it.
        name: a name that no other live variable has; numbered by default.
        dtype: cast the value to this dtype first.

    Raises:
        ValueError: the name is taken.

    Source: deeplearn.js 0.4 `variable`.
    """
    return Variable(first_value(initial_value, dtype), trainable, name)
