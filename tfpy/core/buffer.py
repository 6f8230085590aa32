"""TensorBuffer: a mutable array of values, read and written element by element, from which tensors are made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.core._camel import TensorBufferCamel
from tfpy.core.calling.registry import export
from tfpy.core.convert import host_values
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.arguments import as_dtype, as_element_index, as_int, as_ints, as_shape
from tfpy.engine.dtypes import INT32_RANGE, TYPED_ARRAY, DType
from tfpy.engine.errors import argument_error
from tfpy.engine.spec import MAX_SIZE, strides_of


def flat_index(indices: Sequence[int], strides: Sequence[int]) -> int:
    """The index in a flat array of a location; the last dimension has no stride."""
    return sum(i * stride for i, stride in zip(indices, [*strides, 1], strict=False))


def indices_of(index: int, strides: Sequence[int]) -> list[int]:
    """The location of an index in a flat array; the last dimension has no stride."""
    loc = []
    for stride in strides:
        loc.append(index // stride if stride else 0)
        index -= loc[-1] * stride
    return [*loc, index]


_LARGEST = float(np.finfo(np.float32).max)


def _fits(value: Any, dtype: DType) -> bool:
    """Whether a value is a Python number that can be stored without conversion."""
    kind = type(value)
    if kind is float:
        return dtype == "float32" and -_LARGEST <= value <= _LARGEST  # numpy warns of larger ones
    return kind is int and dtype in ("float32", "int32") and INT32_RANGE[0] <= value <= INT32_RANGE[1]


@export(doc="Tensors / Classes")
class TensorBuffer(TensorBufferCamel):
    """Values of a given shape and dtype, on the host.

    Attributes:
        shape: the size of each dimension.
        dtype: the dtype of the tensors made from it.
        size: the number of elements.
        strides: how many elements of `values` one step in each dimension but the last skips.
        values: the flat array.

    Source: TF.js `tf.TensorBuffer`.
    """

    def __init__(self, shape: Sequence[int] | int, dtype: DType = "float32", values: Any = None) -> None:
        self.shape = as_shape("buffer", shape)
        self.dtype = as_dtype("buffer", dtype)
        self.size = math.prod(self.shape)
        if self.size > MAX_SIZE:
            raise argument_error("buffer", "shape", f"of at most {MAX_SIZE} elements", list(self.shape))
        self.strides = list(strides_of(self.shape)[:-1])
        self.values = self._stored(values)

    def _stored(self, values: Any) -> Any:
        if values is None:
            empty: Any = b"" if self.dtype == "string" else 0
            return np.full(self.size, empty, TYPED_ARRAY[self.dtype])
        if self.dtype == "complex64" and not np.iscomplexobj(values):
            raise argument_error("buffer", "values", "complex numbers", values, TypeError)
        array, _ = host_values("buffer", "values", values, self.dtype)
        if array.size != self.size:
            raise argument_error("buffer", "values", f"{self.size} values, for shape {list(self.shape)}", array)
        return array.reshape(-1).astype(TYPED_ARRAY[self.dtype])

    def __repr__(self) -> str:
        return repr(self.to_tensor()).replace("Tensor", "TensorBuffer", 1)

    @property
    def rank(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def get(self, *locs: int) -> Any:
        """The value at a location; the first one by default."""
        value = self.values.item(self._element("get", locs))
        return value.decode(errors="replace") if self.dtype == "string" else value

    def set(self, value: Any, *locs: int) -> None:
        """Write a value at a location; the first one by default."""
        index = self._element("set", locs)
        if _fits(value, self.dtype):
            self.values[index] = value
            return
        values = host_values("set", "value", value, self.dtype)[0]
        if values.size != 1:
            raise argument_error("set", "value", "one value", value)
        with np.errstate(over="ignore"):
            self.values[index] = values.item()

    def _element(self, op: str, locs: tuple[Any, ...]) -> int:
        return as_element_index(op, "locs", locs or (0,) * len(self.shape), self.shape)

    def loc_to_index(self, locs: Any) -> int:
        """The index in the flat array of a location, given by an index for each dimension."""
        indices = as_ints("loc_to_index", "locs", locs)
        if len(indices) != len(self.shape):
            wanted = f"{len(self.shape)} indices, for shape {list(self.shape)}"
            raise argument_error("loc_to_index", "locs", wanted, locs)
        return flat_index(indices, self.strides)

    def index_to_loc(self, index: int) -> list[int]:
        """The location, an index for each dimension, of an index in the flat array."""
        at = as_int("index_to_loc", "index", index)
        return indices_of(at, self.strides) if self.shape else []

    def to_tensor(self) -> Tensor:
        """A tensor of the current values."""
        return dispatch.make(Tensor, self.values.reshape(self.shape), self.dtype)
