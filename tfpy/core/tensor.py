"""Tensor: reading, lifetime, text. Its ops come from the generated `TensorMethods`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy.core._camel import TensorCamel
from tfpy.core._methods import TensorMethods
from tfpy.core.calling.ready import Ready
from tfpy.core.calling.registry import export
from tfpy.core.chained import Chained
from tfpy.core.naming.elsewhere import OF_TENSORS
from tfpy.core.naming.hints import add_absent, without_absent
from tfpy.core.naming.wrappers import name_methods_of
from tfpy.core.operators import Operators
from tfpy.core.properties import TensorProperties
from tfpy.engine import dispatch
from tfpy.engine.backend import Array
from tfpy.engine.errors import show, with_article
from tfpy.engine.handle import check_live
from tfpy.engine.printable import put
from tfpy.engine.spec import strides_of

if TYPE_CHECKING:
    from tfpy.core.buffer import TensorBuffer
    from tfpy.engine.dtypes import DType  # only here: jedi, which completes names in notebooks, fails on a Literal


@export(doc="Tensors / Classes")
class Tensor(TensorMethods, Chained, Operators, TensorProperties, TensorCamel, Ready):
    """An immutable array of numbers, booleans or strings, of any shape.

    Created by `tf.tensor` and similar functions and by every op; every op whose first argument is a tensor is also a
    method. A tensor is awaitable, since TF.js returns promises of some: it is its own result.

    Source: TF.js `tf.Tensor`.
    """

    __slots__ = ()

    def __init__(self, *values: Any, **options: Any) -> None:
        raise TypeError("Tensor: create tensors with tf.tensor(values) and similar functions, not with the class.")

    @property
    def strides(self) -> list[int]:
        """How many elements one step in each dimension but the last skips."""
        return list(strides_of(self.spec.shape)[:-1])

    # Reading

    def data_sync(self) -> Any:
        """The values in row-major order: a flat numpy array, or a list of str for strings.

        The array may share the tensor's memory and is read-only; copy it to change it.
        """
        values = self._values("data_sync")
        return _texts(values) if self.spec.dtype == "string" else values.reshape(-1)

    def array_sync(self) -> Any:
        """The values as nested lists of Python numbers, booleans or strings; for a scalar, one of these.

        An empty tensor of any rank returns an empty list.
        """
        values = self._values("array_sync")
        if self.spec.dtype == "string":
            values = np.array(_texts(values), dtype=object).reshape(values.shape)
        return values.tolist() if values.size else []

    def numpy(self) -> Array:
        """The values as a numpy array of the tensor's shape, which is read-only; copy it to change it."""
        values = self._values("numpy")
        if self.spec.dtype == "string":
            return np.array(_texts(values), dtype=object).reshape(values.shape)
        return values

    def buffer_sync(self) -> TensorBuffer:
        """A mutable copy of the values, read and written element by element."""
        from tfpy.core.buffer import TensorBuffer

        return TensorBuffer(self.shape, self.dtype, self._values("buffer_sync"))

    def bytes_sync(self) -> Any:
        """The values as little-endian bytes; a list of bytes for strings. In TF.js, only `bytes`."""
        values = self._values("bytes_sync")
        if self.spec.dtype == "string":
            return list(values.flat)
        return values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes()

    async def data(self) -> Any:
        """The asynchronous form of `data_sync`."""
        return self.data_sync()

    async def array(self) -> Any:
        """The asynchronous form of `array_sync`."""
        return self.array_sync()

    async def buffer(self) -> TensorBuffer:
        """The asynchronous form of `buffer_sync`."""
        return self.buffer_sync()

    async def bytes(self) -> Any:
        """The asynchronous form of `bytes_sync`."""
        return self.bytes_sync()

    def _values(self, op: str) -> Array:
        return read_only(dispatch.read(self, op))

    # Lifetime

    def throw_if_disposed(self) -> None:
        """Raise DisposedError when the data has been freed."""
        check_live(self, "throw_if_disposed")

    def data_to_gpu(self, options: Any = None) -> Any:
        """TF.js: the tensor's WebGL texture. There is none here; the method exists to report that."""
        raise RuntimeError("data_to_gpu: tfpy does not share its GPU buffers; read the values with data() or numpy().")

    # Text

    def print(self, verbose: bool = False) -> None:
        """Print the values, as TF.js does; with `verbose` dtype, rank and shape too."""
        put(self.to_string(verbose))

    def to_string(self, verbose: bool = False) -> str:
        """The text that `print` prints."""
        from tfpy.core.format import tensor_text

        return tensor_text(self.spec, self._values("to_string"), verbose)

    def __str__(self) -> str:
        return f"{type(self).__name__} (disposed)" if self.is_disposed else self.to_string()

    def __repr__(self) -> str:
        name = type(self).__name__
        if self.backend is None or self.backend.symbolic:
            why = "disposed" if self.backend is None else "symbolic"
            return f"{name}(shape={list(self.shape)}, dtype={self.dtype}{self._more()}, {why})"
        from tfpy.core.format import tensor_repr

        return tensor_repr(name, self.spec, self._values("repr"), self._more())

    def _repr_html_(self) -> str:
        from tfpy.core.format import tensor_html

        values = None if self.is_disposed else self._values("repr")
        return tensor_html(type(self).__name__, self.spec, values, self._more())

    def _more(self) -> str:
        """Additional information for `repr` and notebooks, after shape and dtype."""
        return ""

    # Python's protocols

    def __dir__(self) -> list[str]:
        return without_absent(super().__dir__(), type(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return tensor_again, (type(self), self._values("copy"), self.dtype)

    def __format__(self, form: str) -> str:
        return format(self._one_element("format"), form) if form else str(self)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return as_array(self.numpy(), dtype, copy, self.spec.dtype == "string")

    def __dlpack__(self, **keywords: Any) -> Any:
        return self.numpy().copy().__dlpack__(**keywords)

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0

    def __len__(self) -> int:
        if not self.spec.shape:
            raise TypeError("len: a scalar has no length.")
        return self.spec.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self.spec.shape:
            raise TypeError("iteration over a scalar tensor; read it with float() or array_sync().")
        return (self[i] for i in range(self.spec.shape[0]))

    def __bool__(self) -> bool:
        return bool(self._one_element("bool"))

    def __int__(self) -> int:
        return int(self._one_element("int"))

    def __float__(self) -> float:
        return float(self._one_element("float"))

    def __complex__(self) -> complex:
        return complex(self._one_element("complex"))

    def __index__(self) -> int:
        if self.spec.dtype != "int32" or self.spec.shape:
            raise TypeError(f"index: only an int32 scalar can be an index or a count, but got {show(self)}.")
        return int(self._one_element("index"))

    def __round__(self, digits: int | None = None) -> Any:
        """A Python number for a scalar, else a tensor."""
        if not self.spec.shape:
            return round(self._one_element("round"), digits)
        return self.round() if digits is None else self.mul(10.0**digits).round().div(10.0**digits)

    def _one_element(self, what: str) -> Any:
        if self.spec.size != 1:
            masks = " Booleans of many elements are combined by &, | and ~." if what == "bool" else ""
            raise ValueError(
                f"{what}: only a tensor of one element has {with_article(what)} value, but this one has shape "
                f"{list(self.shape)}. Reduce it first, e.g. with any(), all(), sum() or mean().{masks}"
            )
        return self._values(what).item()


add_absent(Tensor, OF_TENSORS)
name_methods_of(Tensor, Chained)


def tensor_again(kind: type[Any], values: Array, dtype: DType) -> Any:
    """A tensor of given values, for copying and unpickling."""
    from tfpy.core.convert import host_values

    return dispatch.make(kind, host_values("tensor", "values", values, dtype)[0], dtype)


def read_only(values: Array) -> Array:
    """A read-only view of values."""
    view = values.view()
    view.flags.writeable = False
    return view


def as_array(values: Array, dtype: Any, copy: bool | None, copied: bool) -> Array:
    """The result of `__array__` for values, which may already be a copy.

    Args:
        values: the values to return.
        dtype: the numpy dtype of the result; None for that of the values.
        copy: True for a copy, False for none, None for a copy only if needed.
        copied: whether `values` are already separate from the tensor's memory.

    Raises:
        ValueError: copy is False, but the values cannot be returned without one.
    """
    converts = dtype is not None and np.dtype(dtype) != values.dtype
    if copy is False and (converts or copied):
        raise ValueError(
            "numpy: argument 'copy' must be None or True here, but got False: these values must be copied."
        )
    if converts:
        return values.astype(dtype)
    return values.copy() if copy and not copied else values


def _texts(values: Array) -> list[str]:
    """A string tensor's UTF-8 bytes as text; bytes that are not UTF-8 are replaced, as in a browser."""
    return [v.decode(errors="replace") for v in values.flat]
