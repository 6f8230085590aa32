"""NDArray and its subclasses by rank: deeplearn.js's arrays, as handles of the engine.

An NDArray may be passed wherever a tensor may, and a tensor wherever an NDArray may; they share their data. Unlike a
tensor an NDArray can be written to (`set`, `add`, `fill`, the array that `get_values` returns); see `storage.py` for
why no tensor changes with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np

from tfpy.core import ops
from tfpy.core.calling.ready import Ready
from tfpy.core.chained import shape_of_sizes
from tfpy.core.format import tensor_html, tensor_repr
from tfpy.core.naming.wrappers import name_methods_of
from tfpy.core.properties import TensorProperties
from tfpy.core.tensor import Tensor, as_array, read_only
from tfpy.engine import dispatch
from tfpy.engine.arguments import as_int_or_ints
from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle, check_live, hand_over
from tfpy.engine.scope import track
from tfpy.engine.spec import strides_of
from tfpy.legacy.arrays._camel import ArrayMethodsCamel, NDArrayCamel
from tfpy.legacy.arrays.chained import Chained
from tfpy.legacy.arrays.create import ArrayFactories, ScalarConstant, new_array, values_in
from tfpy.legacy.arrays.element_access import ElementAccess
from tfpy.legacy.arrays.storage import HostCached
from tfpy.legacy.arrays.values import LegacyDType, ShapeLike, Values, checked_dtype, checked_shape, stored_number
from tfpy.legacy.ops.array import as_type

if TYPE_CHECKING:
    from tfpy.engine.dtypes import DType  # only here: jedi, which completes names in notebooks, fails on a Literal
    from tfpy.legacy.math import NDArrayMath


class ArrayMethods(Chained, ElementAccess, TensorProperties, ArrayMethodsCamel):
    """Methods of arrays and variables that read the values, or return arrays of them."""

    __slots__ = ()

    if TYPE_CHECKING:

        def get_values(self) -> Array: ...

    def _itself(self) -> NDArray:
        """An array that holds these values."""
        raise NotImplementedError

    @property
    def math(self) -> NDArrayMath:
        """The global math, `dl.ENV.math`."""
        from tfpy.legacy.environment import ENV

        return ENV.math

    def get_data(self) -> dict[str, Array]:
        """The values as {'values': array}."""
        return {"values": self.get_values()}

    def equals(self, t: Handle) -> bool:
        """Whether another array has the same dtype, shape and values."""
        if not isinstance(t, Handle):
            raise argument_error("equals", "t", "an NDArray or a tensor", t, TypeError)
        same = self.spec == t.spec
        return same and bool(np.array_equal(np.asarray(self).reshape(-1), np.asarray(t).reshape(-1)))

    # Other shapes and dtypes

    def reshape(self, new_shape: ShapeLike) -> NDArray:
        """The same elements in another shape, sharing the data; the array itself if it has that shape.

        Args:
            new_shape: the shape; one size may be -1, which is inferred.

        Raises:
            ValueError: the number of elements does not match the shape.
        """
        check_live(self, "reshape")
        sizes = as_int_or_ints("reshape", "new_shape", new_shape)
        if sizes == self.spec.shape:
            return self._itself()
        return adopt(ops.shape.reshape(self, sizes))

    def flatten(self) -> NDArray:
        """The elements as a vector."""
        return self.reshape([self.size])

    def as_scalar(self) -> NDArray:
        """The single element as a Scalar."""
        check_live(self, "as_scalar")
        if self.size != 1:
            raise argument_error("as_scalar", "self", "an array of one element", self)
        return self.reshape([])

    def as_1d(self) -> NDArray:
        """The elements as a vector."""
        return self.reshape([self.size])

    def as_2d(self, rows: int, columns: int) -> NDArray:
        """The elements as a matrix."""
        return self._reshaped("as_2d", rows=rows, columns=columns)

    def as_3d(self, rows: int, columns: int, depth: int) -> NDArray:
        """The elements in three dimensions."""
        return self._reshaped("as_3d", rows=rows, columns=columns, depth=depth)

    def as_4d(self, rows: int, columns: int, depth: int, depth2: int) -> NDArray:
        """The elements in four dimensions."""
        return self._reshaped("as_4d", rows=rows, columns=columns, depth=depth, depth2=depth2)

    def _reshaped(self, name: str, **sizes: int) -> NDArray:
        check_live(self, name)
        return self.reshape(shape_of_sizes(name, self, **sizes))

    # With the digit as in slice1d, concat1d etc.
    as1d, as2d, as3d, as4d = as_1d, as_2d, as_3d, as_4d

    def squeeze(self, axis: ShapeLike | None = None) -> NDArray:
        """The array without dimensions of size 1: the given ones, or all."""
        return adopt(ops.shape.squeeze(self, axis))

    def as_type(self, dtype: LegacyDType) -> NDArray:
        """The values in another dtype; the array itself if it has that dtype."""
        check_live(self, "as_type")
        wanted = checked_dtype("as_type", dtype)
        return self._itself() if wanted == self.spec.dtype else self._array(as_type, wanted)

    # Lifetime

    def throw_if_disposed(self) -> None:
        """Raise DisposedError if the data has been freed."""
        check_live(self, "throw_if_disposed")

    def in_gpu(self) -> bool:
        """Whether the data is on a GPU."""
        check_live(self, "in_gpu")
        return self.backend is not None and self.backend.on_gpu

    def get_texture(self, preferred_shape_rc: ShapeLike | None = None) -> Any:
        """deeplearn.js: the WebGL texture. There is none here; the method exists to say so."""
        raise RuntimeError("get_texture: tfpy does not share its GPU buffers; read the values with get_values().")

    def get_texture_shape_rc(self, preferred_shape_rc: ShapeLike | None = None) -> Any:
        """deeplearn.js: the size of the WebGL texture. There is none here; the method exists to say so."""
        raise RuntimeError("get_texture_shape_rc: tfpy has no textures; the array's size is in its shape.")


class NDArray(HostCached, ArrayMethods, ArrayFactories, NDArrayCamel, Ready):
    """An array of float32 numbers, int32 numbers or booleans, of any shape.

    Args:
        shape: the size of each dimension.
        dtype: 'float32' (the default), 'int32' or 'bool'.
        values: the values, flat or nested; 0 by default.

    Up to 0.3.13 the arguments are a shape (for ranks 0 and 1, none), {'values': …}, and a dtype.

    Source: deeplearn.js `NDArray`.
    """

    __slots__ = ()

    fixed_rank: ClassVar[int | None] = None

    def __init__(
        self,
        shape: ShapeLike | Mapping[str, Any],
        dtype: LegacyDType | Mapping[str, Any] | None = None,
        values: Values | LegacyDType | None = None,
        id: int | None = None,
        math: NDArrayMath | None = None,
    ) -> None:
        name = type(self).__name__
        if isinstance(shape, Mapping) and self.fixed_rank in (0, 1):
            values = values_in(name, shape)
            shape = [np.size(values)] * self.fixed_rank
        elif isinstance(dtype, Mapping):
            values, dtype = values_in(name, dtype), cast("LegacyDType | None", values)
        sizes = checked_shape(name, cast("ShapeLike", shape), self.fixed_rank)
        become(self, new_array(type(self), name, sizes, values, cast("LegacyDType | None", dtype)))

    @property
    def data_id(self) -> int:
        """The id: from 0.4 on `math.read` and related methods are passed this one."""
        return self.id

    @property
    def strides(self) -> tuple[int, ...]:
        """The number of elements per step in each dimension but the last."""
        return strides_of(self.spec.shape)[:-1]

    def _itself(self) -> NDArray:
        return self

    # Reading and writing

    def get(self, *locs: int) -> Any:
        """The number at the given indices; without indices, the first.

        Raises:
            ValueError: the wrong number of indices, or an index out of range.
        """
        return self.host_values("get")[self._element_offset("get", locs)].item()

    def set(self, value: float, *locs: int) -> None:
        """Write a number: the value first, then its indices."""
        number = stored_number("set", value, self.spec.dtype)
        self.writable_values("set")[self._offset("set", locs)] = number

    def add(self, value: Any, *locs: int) -> Any:
        """Add a number to an element in place: the value first, then the indices.

        In deeplearn.js 0.5 `a.add(b)` is the op, as it is here for an array or a tensor.
        """
        if isinstance(value, Handle) and not locs:
            return self._run(ops.arith.add, value)
        offset = self._offset("add", locs)
        total = self.host_values("add")[offset].item() + stored_number("add", value, "float32")
        self.writable_values("add")[offset] = stored_number("add", total, self.spec.dtype)

    def fill(self, value: float) -> None:
        """Set all elements to one number."""
        self.writable_values("fill")[:] = stored_number("fill", value, self.spec.dtype)

    def get_values(self) -> Array:
        """The values in row-major order. Writing to the returned array changes this NDArray only."""
        return self.exposed_values("get_values")

    def data_sync(self) -> Array:
        """`get_values` under its name from 0.3.3 on."""
        return self.exposed_values("data_sync")

    def array_sync(self) -> Any:
        """The values as nested lists, as for a tensor of the core (beyond deeplearn.js)."""
        return self.numpy().tolist()

    def numpy(self) -> Array:
        """A copy of the values as a numpy array of the same shape (beyond deeplearn.js)."""
        return self.host_values("numpy").reshape(self.shape).copy()

    async def get_values_async(self) -> Array:
        """`get_values`, to be awaited."""
        return self.get_values()

    async def data(self) -> Array:
        """`data_sync`, to be awaited."""
        return self.data_sync()

    # Python's protocols

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        values = self.host_values("numpy").reshape(self.shape)
        copied = self.written  # a view of private values would change with them
        return as_array(values.copy() if copied else read_only(values), dtype, copy, copied)

    def __reduce__(self) -> tuple[Any, ...]:
        return _array_again, (self.numpy(), self.spec.dtype)

    def __float__(self) -> float:
        return float(self._one_element("float"))

    def __int__(self) -> int:
        return int(self._one_element("int"))

    def _one_element(self, what: str) -> Any:
        if self.size != 1:
            raise ValueError(
                f"{what}: only an array of one element has a {what} value, not one of shape {list(self.shape)}."
            )
        return self.host_values(what)[0].item()

    def __repr__(self) -> str:
        if self.backend is None or self.backend.symbolic:
            why = "disposed" if self.backend is None else "symbolic"
            return f"{type(self).__name__}(shape={list(self.shape)}, dtype={self.dtype}, {why})"
        return tensor_repr(type(self).__name__, self.spec, np.asarray(self))

    def _repr_html_(self) -> str:
        return tensor_html(type(self).__name__, self.spec, None if self.is_disposed else np.asarray(self))


name_methods_of(NDArray, ArrayMethods)


class Scalar(NDArray):
    """An array of rank 0. Source: deeplearn.js `Scalar`."""

    __slots__ = ()
    fixed_rank = 0

    ZERO = ScalarConstant(0)
    ONE = ScalarConstant(1)
    TWO = ScalarConstant(2)
    NEG_ONE = ScalarConstant(-1)

    @classmethod
    def new(cls, value: float, dtype: LegacyDType | None = None) -> Scalar:
        """A Scalar of a number."""
        return new_array(Scalar, "Scalar.new", (), value, dtype)

    def add(self, value: Any, *locs: int) -> Any:
        """Add a number to this one in place; for an array, return the sum."""
        return super().add(value)


class Array1D(NDArray):
    """An array of rank 1. Source: deeplearn.js `Array1D`."""

    __slots__ = ()
    fixed_rank = 1

    @classmethod
    def new(cls, values: Values, dtype: LegacyDType | None = None) -> Array1D:
        """A vector of values."""
        if dtype is not None and not isinstance(dtype, str):
            expected = "one of 'float32', 'int32', 'bool' (values of a vector are given without a shape)"
            raise argument_error("Array1D.new", "dtype", expected, dtype)
        return new_array(Array1D, "Array1D.new", None, values, dtype)


class _Shaped(NDArray):
    """Base of the higher ranks: `new(shape, values)`."""

    __slots__ = ()

    @classmethod
    def new(cls, shape: ShapeLike, values: Values | None = None, dtype: LegacyDType | None = None) -> Self:
        """An array of a shape, from flat values or values nested in that shape.

        Raises:
            ValueError: no values, or values that do not fit the shape.
        """
        name = f"{cls.__name__}.new"
        if values is None:
            expected = (
                f"given after the shape. (In the new API: tf.tensor{cls.fixed_rank}d(values, shape), or values alone)"
            )
            raise argument_error(name, "values", expected, None)
        return new_array(cls, name, checked_shape(name, shape, cls.fixed_rank), values, dtype)


class Array2D(_Shaped):
    """An array of rank 2. Source: deeplearn.js `Array2D`."""

    __slots__ = ()
    fixed_rank = 2


class Array3D(_Shaped):
    """An array of rank 3. Source: deeplearn.js `Array3D`."""

    __slots__ = ()
    fixed_rank = 3


class Array4D(_Shaped):
    """An array of rank 4. Source: deeplearn.js `Array4D`."""

    __slots__ = ()
    fixed_rank = 4


_BY_RANK: tuple[type[NDArray], ...] = (Scalar, Array1D, Array2D, Array3D, Array4D)


def _array_again(values: Array, dtype: DType) -> NDArray:
    """An array of given values, for copying and unpickling."""
    return dispatch.make(class_of_rank(values.ndim), values, dtype)


def class_of_rank(rank: int) -> type[NDArray]:
    """The class of arrays of a rank."""
    return _BY_RANK[rank] if rank < len(_BY_RANK) else NDArray


def adopt(tensor: Handle) -> NDArray:
    """An NDArray in place of a handle: it takes over the data, the id and the place in the scope. The handle is
    disposed afterwards, so nothing else may refer to it.
    """
    cls = class_of_rank(len(tensor.spec.shape))
    out: NDArray = cls.__new__(cls)
    become(out, tensor)
    return out


def become(out: NDArray, source: Handle) -> None:
    """Make a new NDArray the handle that `source` was: `hand_over`, and its place in the scope."""
    hand_over(source, out)
    track(out)


def shared(handle: Handle) -> NDArray:
    """A new NDArray that shares the data of another handle."""
    return adopt(ops.shape.clone(handle))


def as_tensor(array: Handle) -> Tensor:
    """An array as a Tensor that shares its data."""
    return array if isinstance(array, Tensor) else ops.shape.clone(array)
