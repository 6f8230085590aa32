"""`dl.util`: helpers on shapes and plain values.

Helpers that are as in `tf.util` are reused; those defined here are not there, or document how they differ.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

import numpy as np

from tfpy.core.calling.options import accepts_options
from tfpy.core.ops.random import mean_and_deviation
from tfpy.core.utils.arrays import bytes_per_element as bytes_per_element
from tfpy.core.utils.arrays import has_encoding_loss as has_encoding_loss
from tfpy.core.utils.arrays import is_function as is_function
from tfpy.core.utils.arrays import is_int as is_int
from tfpy.core.utils.shuffling import create_shuffled_indices as create_shuffled_indices
from tfpy.core.utils.shuffling import rand_uniform as rand_uniform
from tfpy.core.utils.shuffling import shuffle as shuffle
from tfpy.core.utils.tensors import get_tensors_in_container
from tfpy.core.utils.tensors import is_tensor_in_list as is_tensor_in_list
from tfpy.core.utils.util import arrays_equal as arrays_equal
from tfpy.core.utils.util import assert_ as assert_
from tfpy.core.utils.util import clamp as clamp
from tfpy.core.utils.util import dist_squared as dist_squared
from tfpy.core.utils.util import flatten as core_flatten
from tfpy.core.utils.util import is_scalar_shape as is_scalar_shape
from tfpy.core.utils.util import repeated_try as repeated_try
from tfpy.core.utils.util import right_pad as right_pad
from tfpy.core.utils.util import size_from_shape as size_from_shape
from tfpy.core.utils.util import tanh as tanh
from tfpy.engine import rng
from tfpy.engine.arguments import resolve_axes
from tfpy.engine.backend import Array
from tfpy.engine.dtypes import TYPED_ARRAY
from tfpy.engine.errors import ShapeError, argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.javascript_numbers import round_half_up
from tfpy.engine.spec import broadcast_shapes
from tfpy.legacy.arrays.values import DTYPES, checked_dtype

NAN_INT32 = -(2**31)
NAN_BOOL = 255
NAN_FLOAT32 = math.nan

_NUMPY: dict[str, Any] = {dtype: TYPED_ARRAY[dtype] for dtype in DTYPES}
_NAN: dict[str, float] = {"float32": NAN_FLOAT32, "int32": NAN_INT32, "bool": NAN_BOOL}


@accepts_options()
def rand_gauss(mean: float = 0.0, std_dev: float = 1.0, truncated: bool = False) -> float:
    """A normally distributed number; a truncated one lies within two standard deviations of the mean."""
    return float(rng.normal(None, 1, *mean_and_deviation("rand_gauss", mean, std_dev, truncated), truncated)[0])


@accepts_options()
def assert_shapes_match(shape_a: Sequence[int], shape_b: Sequence[int], error_message_prefix: str = "") -> None:
    """Raise ValueError unless two shapes are equal; `tf.util` adds a space after the prefix."""
    expected = f"{error_message_prefix}Shapes {list(shape_a)} and {list(shape_b)} must match"
    assert_(arrays_equal(shape_a, shape_b), expected)


@accepts_options()
def assert_types_match(a: Handle, b: Handle) -> None:
    """Raise ValueError (`tf.tensor_util`: TypeError) unless two arrays have the same dtype."""
    first, second = a.spec.dtype, b.spec.dtype
    assert_(first == second, f"The dtypes of the first ({first}) and second ({second}) input must match")


@accepts_options()
def assert_and_get_broadcasted_shape(shape_a: Sequence[int], shape_b: Sequence[int]) -> list[int]:
    """The shape that two shapes broadcast to."""
    try:
        return list(broadcast_shapes(tuple(shape_a), tuple(shape_b)))
    except ShapeError as error:
        raise ShapeError(f"assert_and_get_broadcasted_shape: {error}") from None


@accepts_options()
def flatten(arr: Any, ret: list[Any] | None = None) -> list[Any]:
    """The elements of a nested list in order, appended to `ret`; arrays are elements, and not lists as in `tf.util`."""
    return core_flatten(arr, ret, True)


@accepts_options()
def is_ndarray_in_list(ndarray: Any, ndarray_list: Sequence[Any]) -> bool:
    """Whether a list holds the array itself, not just an equal one."""
    return is_tensor_in_list(ndarray, ndarray_list)


@accepts_options()
def infer_shape(arr: Any) -> list[int]:
    """The shape of a nested list."""
    sizes = []
    while isinstance(arr, (list, tuple)):
        sizes.append(len(arr))
        arr = arr[0] if arr else 0
    return sizes


@accepts_options()
def size_to_squarish_shape(size: int) -> list[int]:
    """Two factors of a size that are as close to each other as possible, the smaller one first. In `tf.util` they are
    closer to each other, and their product may exceed the size.
    """
    for a in range(math.isqrt(size), 1, -1):
        if size % a == 0:
            return [a, size // a]
    return [1, size]


@accepts_options()
def get_query_params(query_string: str) -> dict[str, str]:
    """The parameters of a query string, which may be the end of a URL."""
    return dict(parse_qsl(query_string.rpartition("?")[2], keep_blank_values=True))


@accepts_options()
def infer_from_implicit_shape(shape: Sequence[int], size: int) -> list[int]:
    """A shape with its single -1, if any, replaced by the inferred size. Unlike in `tf.util` no size may be 0, and a
    shape without -1 is not checked against a size of 0.
    """
    sizes = list(shape)
    if sizes.count(-1) > 1 or any(n <= 0 and n != -1 for n in sizes):
        raise argument_error("infer_from_implicit_shape", "shape", "sizes above 0, one of which may be -1", sizes)
    known = math.prod(n for n in sizes if n != -1)
    if (-1 not in sizes and size > 0 and known != size) or (-1 in sizes and size % known):
        raise argument_error("infer_from_implicit_shape", "shape", f"a shape of {size} elements", sizes)
    return [size // known if n == -1 else n for n in sizes]


@accepts_options()
def get_nan(dtype: str) -> float:
    """The value that represents NaN in a dtype."""
    return _NAN[checked_dtype("get_nan", dtype)]


@accepts_options()
def is_val_nan(val: float, dtype: str) -> bool:
    """Whether a value represents NaN in a dtype."""
    return bool(val != val or (dtype != "float32" and val == _NAN[checked_dtype("is_val_nan", dtype)]))


@accepts_options()
def squeeze_shape(shape: Sequence[int], axis: Sequence[int] | None = None) -> dict[str, list[int]]:
    """A shape without its sizes of 1, all of them or those at axes, and the remaining axes: newShape and keptDims.

    An empty list of axes selects none, whereas `tf.util` selects all.

    Raises:
        ValueError: an axis whose size is not 1.
    """
    axes = (
        [i for i, n in enumerate(shape) if n == 1] if axis is None else resolve_axes("squeeze_shape", axis, len(shape))
    )
    if any(shape[i] != 1 for i in axes):
        raise argument_error("squeeze_shape", "axis", f"axes of size 1 of shape {list(shape)}", axis)
    kept = [i for i in range(len(shape)) if i not in axes]
    return {"newShape": [shape[i] for i in kept], "keptDims": kept}


@accepts_options()
def get_typed_array_from_dtype(dtype: str | None, size: int) -> Array:
    """Zeros in the numpy type of a dtype, float32 for None; `tf.util` accepts more dtypes, but not None."""
    return np.zeros(size, _NUMPY[checked_dtype("get_typed_array_from_dtype", dtype)])


@accepts_options()
def copy_typed_array(array: Sequence[float], dtype: str | None = None) -> Array:
    """A copy of numbers in the numpy type of a dtype; NaN becomes the value that represents it there."""
    values, name = np.asarray(array, dtype=np.float64), checked_dtype("copy_typed_array", dtype)
    if name == "bool":
        values = np.where(np.isnan(values), NAN_BOOL, round_half_up(values) != 0)
    elif name == "int32":
        values = np.where(np.isnan(values), NAN_INT32, values)
    return values.astype(_NUMPY[name])


@accepts_options()
def is_typed_array(a: Any) -> bool:
    """Whether something is a numpy array of float32, int32 or uint8; in `tf.util` of any numeric type."""
    return isinstance(a, np.ndarray) and a.dtype in _NUMPY.values()


@accepts_options()
def check_for_nan(vals: Sequence[float], dtype: str, name: str) -> None:
    """Raise ValueError if a value represents NaN."""
    if any(is_val_nan(v, dtype) for v in vals):
        raise ValueError(f"The result of the last math.{name} has NaNs.")


@accepts_options()
def flatten_name_array_map(name_array_map: Any, keys: Sequence[str] | None = None) -> list[Any]:
    """The arrays of a dict in the order of keys; a single array as a list of one."""
    if not isinstance(name_array_map, Mapping):
        return [name_array_map]
    return [name_array_map[key] for key in (keys or name_array_map)]


@accepts_options()
def unflatten_to_name_array_map(keys: Sequence[str], flat_arrays: Sequence[Any]) -> dict[str, Any]:
    """A dict of arrays from keys and a list of arrays."""
    if len(keys) != len(flat_arrays):
        raise argument_error("unflatten_to_name_array_map", "flat_arrays", f"{len(keys)} arrays", len(flat_arrays))
    return dict(zip(keys, flat_arrays, strict=True))


@accepts_options()
def extract_tensors_from_container(result: Any) -> list[Handle]:
    """The arrays in any nesting of lists and dicts, each once; in 0.5.1 repeated ones were repeated."""
    return get_tensors_in_container(result)


@accepts_options()
def extract_tensors_from_any(result: Any) -> list[Handle]:
    """`extract_tensors_from_container` of anything."""
    return extract_tensors_from_container(result)


@accepts_options()
async def next_frame() -> None:
    """Let other tasks run; unlike in `tf`, a coroutine even if there is no event loop."""
    import asyncio  # imported lazily

    await asyncio.sleep(0)
