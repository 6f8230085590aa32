"""The chained methods of deeplearn.js 0.5, `a.sub(b).square().mean()`. Most are generated, in `_chained.py`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy.core.calling.options import accepts_options
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.format import tensor_text
from tfpy.core.operators import Operators
from tfpy.core.ops import arith, create, join, shape, unary
from tfpy.engine.handle import Handle, check_live
from tfpy.legacy._chained import ChainedOps
from tfpy.legacy.arrays._camel import ChainedCamel
from tfpy.legacy.arrays.buffer import ArrayBuffer
from tfpy.legacy.ops import array

if TYPE_CHECKING:
    from tfpy.legacy.arrays.ndarray import NDArray
    from tfpy.legacy.math import NDArrayMath
    from tfpy.legacy.variables import Variable


class Chained(ChainedOps, ChainedCamel, Handle):
    """The methods of arrays that 0.5 has beyond those of NDArray; variables have them too."""

    __slots__ = ()

    # Otherwise numpy's functions would call the methods of the same names, with numpy's arguments.
    __array_function__ = Operators.__array_function__

    if TYPE_CHECKING:

        @property
        def math(self) -> NDArrayMath: ...
        def reshape(self, new_shape: Any) -> NDArray: ...

    def _run(self, function: Callable[..., Any], *args: Any) -> Any:
        """An op on this array, computed by its math."""
        return self.math._run(function, self, *args)

    def _array(self, function: Callable[..., Any], *args: Any) -> NDArray:
        """An op with one result."""
        result: NDArray = self._run(function, *args)
        return result

    # Python's operators (beyond deeplearn.js), except comparisons: two arrays are equal if they are the same object.

    def __neg__(self) -> NDArray:
        return self._array(unary.neg)

    def __add__(self, other: TensorLike) -> NDArray:
        return self._array(arith.add, other)

    __radd__ = __add__

    def __sub__(self, other: TensorLike) -> NDArray:
        return self._array(arith.sub, other)

    def __rsub__(self, other: TensorLike) -> NDArray:
        return self._array(lambda a, b: arith.sub(b, a), other)

    def __mul__(self, other: TensorLike) -> NDArray:
        return self._array(arith.mul, other)

    __rmul__ = __mul__

    def __truediv__(self, other: TensorLike) -> NDArray:
        return self._array(arith.true_div, other)

    def __rtruediv__(self, other: TensorLike) -> NDArray:
        return self._array(lambda a, b: arith.true_div(b, a), other)

    def concat(self, x: TensorLike, axis: int = 0) -> NDArray:
        """This array and another one concatenated along an axis."""
        return self._array(lambda a, b: join.concat([a, b], axis), x)

    def stack(self, x: TensorLike, axis: int = 0) -> NDArray:
        """This array and another one of its shape, stacked along a new axis."""
        return self._array(lambda a, b: join.stack([a, b], axis), x)

    def where(self, condition: TensorLike, x: TensorLike) -> NDArray:
        """The elements of this array where a condition holds, of x where it does not."""
        return self._array(lambda a, test, b: array.where(test, a, b), condition, x)

    def reshape_as(self, x: TensorLike) -> NDArray:
        """The same elements in the shape of another array."""
        return self.reshape(to_tensor("reshape_as", "x", x).shape)

    # As `cast`, not as `as_type`: with the numerics of deeplearn.js, that is 0.3's, which rounds to bool.

    def to_float(self) -> NDArray:
        """The values as float32."""
        return self._array(shape.cast, "float32")

    def to_int(self) -> NDArray:
        """The values as int32."""
        return self._array(shape.cast, "int32")

    def to_bool(self) -> NDArray:
        """The values as bool: whether they are unequal to 0."""
        return self._array(shape.cast, "bool")

    def to_string(self) -> str:
        """The dtype, rank, shape and values as text."""
        check_live(self, "to_string")
        return tensor_text(self.spec, np.asarray(self), True)

    def print(self, verbose: bool = False) -> None:
        """Print the values; with `verbose` also dtype, rank and shape."""
        create.print_(self, verbose)

    def buffer(self) -> ArrayBuffer:
        """A copy of the values, to be read and written element by element."""
        check_live(self, "buffer")
        return ArrayBuffer(self.spec.shape, self.spec.dtype, np.asarray(self))

    @accepts_options()
    def variable(self, trainable: bool = True, name: str | None = None, dtype: Any = None) -> Variable:
        """A variable initialized with this array."""
        from tfpy.legacy.variables import variable

        return variable(self, trainable, name, dtype)
