"""`tf.util`: dtypes, arrays of them, and type checks of values."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tfpy.core.calling.registry import export
from tfpy.core.convert import host_values
from tfpy.core.system.environment import ENV
from tfpy.engine.arguments import as_count, as_dtype
from tfpy.engine.backend import Array
from tfpy.engine.dtypes import BYTES, DTYPES, TYPED_ARRAY, DType
from tfpy.engine.errors import argument_error

_NUMERIC = [dtype for dtype in DTYPES if dtype != "string"]


@export(namespace="util", doc="Util")
def is_valid_dtype(dtype: Any) -> bool:
    """Whether a dtype is valid.

    Source: TF.js `tf.util.isValidDtype`.
    """
    return dtype in DTYPES


@export(namespace="util", doc="Util")
def bytes_per_element(dtype: DType) -> int:
    """The number of bytes of an element.

    Raises:
        ValueError: strings, which have no fixed size, or an unknown dtype.

    Source: TF.js `tf.util.bytesPerElement`.
    """
    if dtype not in _NUMERIC:
        raise argument_error("bytes_per_element", "dtype", "one of " + ", ".join(_NUMERIC), dtype)
    return BYTES[dtype]


@export(namespace="util", doc="Util")
def bytes_from_string_array(arr: Iterable[bytes]) -> int:
    """The total number of bytes of encoded strings.

    Source: TF.js `tf.util.bytesFromStringArray`.
    """
    return sum(len(text) for text in arr)


@export(namespace="util", doc="Util")
def infer_dtype(values: Any) -> DType:
    """The dtype of a tensor with these values, determined by the first one.

    Source: TF.js `tf.util.inferDtype`.
    """
    return host_values("infer_dtype", "values", values)[1]


@export(namespace="util", doc="Util")
def has_encoding_loss(old_type: DType, new_type: DType) -> bool:
    """Whether some values of one dtype cannot be represented in another.

    Source: TF.js `tf.util.hasEncodingLoss`.
    """
    old, new = (as_dtype("has_encoding_loss", dtype) for dtype in (old_type, new_type))
    lost = _LOST.get(new)
    return not old == new == "bool" if lost is None else old in lost


_LOST: dict[DType, tuple[DType, ...]] = {"int32": ("float32", "complex64"), "float32": ("complex64",), "complex64": ()}


@export(namespace="util", doc="Util")
def to_typed_array(a: Any, dtype: DType) -> Array:
    """Values as a flat array of a dtype, with JavaScript's conversions.

    Raises:
        TypeError: strings.

    Source: TF.js `tf.util.toTypedArray`.
    """
    kind = _typed_array("to_typed_array", dtype)
    values, _ = host_values("to_typed_array", "a", a, dtype)
    return np.array(values.reshape(-1), dtype=kind)


def _typed_array(op: str, dtype: DType) -> Any:
    """The numpy type of a typed array of a dtype."""
    if dtype == "string":
        raise argument_error(op, "dtype", "a dtype of numbers", dtype, TypeError)
    return TYPED_ARRAY[as_dtype(op, dtype)]


def flat_array(op: str, argument: str, values: Any, dtype: Any = None) -> Array:
    """Values as they are, or as numbers of a numpy type, in a flat array."""
    try:
        with np.errstate(over="ignore"):  # beyond float32 is infinite, as in JavaScript
            return np.asarray(values, dtype).reshape(-1)
    except (OverflowError, TypeError, ValueError):
        raise argument_error(
            op, argument, "values in equally long rows" if dtype is None else "numbers", values
        ) from None


@export(namespace="util", doc="Util")
def to_nested_array(shape: Sequence[int], a: Any, is_complex: bool = False) -> Any:
    """Flat values as nested lists, or as a number for a scalar shape.

    Args:
        shape: the shape.
        a: the values; for complex numbers, alternating real and imaginary parts.
        is_complex: whether they are complex numbers.

    Raises:
        ValueError: the values do not fill the shape.

    Source: TF.js `tf.util.toNestedArray`.
    """
    values = flat_array("to_nested_array", "a", a)
    sizes = (*shape, 2) if is_complex else tuple(shape)
    if values.size != math.prod(sizes):
        raise argument_error("to_nested_array", "a", f"{math.prod(sizes)} values, for shape {list(shape)}", values)
    return values.reshape(sizes).tolist()


@export(namespace="util", doc="Util")
def make_zeros_typed_array(size: int, dtype: DType) -> Array:
    """A flat array of zeros.

    Source: TF.js `tf.util.makeZerosTypedArray`.
    """
    return np.zeros(as_count("make_zeros_typed_array", "size", size), _typed_array("make_zeros_typed_array", dtype))


@export(namespace="util", doc="Util")
def make_ones_typed_array(size: int, dtype: DType) -> Array:
    """A flat array of ones.

    Source: TF.js `tf.util.makeOnesTypedArray`.
    """
    return np.ones(as_count("make_ones_typed_array", "size", size), _typed_array("make_ones_typed_array", dtype))


@export(namespace="util", doc="Util")
def make_zeros_nested_typed_array(shape: Sequence[int], dtype: DType) -> Any:
    """Nested lists of zeros.

    Source: TF.js `tf.util.makeZerosNestedTypedArray`.
    """
    return to_nested_array(shape, make_zeros_typed_array(math.prod(shape), dtype))


@export(namespace="util", doc="Util", aliases="util.get_typed_array_from_dtype")
def get_array_from_dtype(dtype: DType, size: int) -> Any:
    """An array of zeros for a number of elements of a dtype; for strings, a list of empty ones.

    Source: TF.js `tf.util.getArrayFromDType`.
    """
    count = as_count("get_array_from_dtype", "size", size)
    return [""] * count if dtype == "string" else make_zeros_typed_array(count, dtype)


@export(namespace="util", doc="Util")
def create_scalar_value(value: Any, dtype: DType) -> Any:
    """One value as a backend stores it: an array of one number, or the bytes of a string.

    Raises:
        TypeError: the dtype is string and the value is not, or vice versa.

    Source: TF.js `tf.util.createScalarValue`.
    """
    if dtype != "string":
        return to_typed_array([value], dtype)
    if not isinstance(value, str):
        raise argument_error("create_scalar_value", "value", "a str", value, TypeError)
    return ENV.platform.encode(value, "utf-8")


@export(namespace="util", doc="Util")
def convert_backend_values_and_array_buffer(data: Any, dtype: DType) -> Any:
    """Bytes, or values, as a flat array of a dtype.

    Source: TF.js `tf.util.convertBackendValuesAndArrayBuffer`.
    """
    if isinstance(data, (bytes, bytearray, memoryview)) and dtype in _NUMERIC:
        return np.frombuffer(data, TYPED_ARRAY[dtype]).copy()
    return data


@export(namespace="util", doc="Util")
def is_typed_array(a: Any) -> bool:
    """Whether a value is an array of numbers.

    Source: TF.js `tf.util.isTypedArray`.
    """
    return bool(ENV.platform.is_typed_array(a))


@export(namespace="util", doc="Util")
def is_string(value: Any) -> bool:
    """Whether a value is a string.

    Source: TF.js `tf.util.isString`.
    """
    return isinstance(value, str)


@export(namespace="util", doc="Util")
def is_boolean(value: Any) -> bool:
    """Whether a value is a boolean.

    Source: TF.js `tf.util.isBoolean`.
    """
    return isinstance(value, (bool, np.bool_))


@export(namespace="util", doc="Util")
def is_number(value: Any) -> bool:
    """Whether a value is a number.

    Source: TF.js `tf.util.isNumber`.
    """
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)


@export(namespace="util", doc="Util")
def is_int(a: Any) -> bool:
    """Whether a number is an integer.

    Source: TF.js `tf.util.isInt`.
    """
    return isinstance(a, int) or (is_number(a) and math.isfinite(a) and bool(a % 1 == 0))


@export(namespace="util", doc="Util")
def is_function(f: Any) -> bool:
    """Whether a value can be called.

    Source: TF.js `tf.util.isFunction`.
    """
    return callable(f)


@export(namespace="util", doc="Util")
def is_promise(object: Any) -> bool:
    """Whether a value must be awaited: a coroutine or a future.

    Source: TF.js `tf.util.isPromise`.
    """
    return inspect.iscoroutine(object) or hasattr(object, "add_done_callback")
