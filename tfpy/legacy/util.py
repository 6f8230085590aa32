"""`dl.util`: helpers on shapes and plain values."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Mapping, MutableSequence, Sequence
from typing import Any
from urllib.parse import parse_qsl

import numpy as np

from tfpy.core.ops.random import moments
from tfpy.core.options import accepts_options
from tfpy.engine import rng
from tfpy.engine.arguments import resolve_axes
from tfpy.engine.backend import Array
from tfpy.engine.dtypes import TYPED_ARRAY
from tfpy.engine.errors import ShapeError, argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.spec import broadcast_shapes
from tfpy.legacy.values import DTYPES

NAN_INT32 = -(2**31)
NAN_BOOL = 255
NAN_FLOAT32 = math.nan

_NUMPY: dict[str, Any] = {dtype: TYPED_ARRAY[dtype] for dtype in DTYPES}
_NAN: dict[str, float] = {"float32": NAN_FLOAT32, "int32": NAN_INT32, "bool": NAN_BOOL}


def _dtype(op: str, dtype: str | None) -> str:
    name = dtype or "float32"
    if name not in DTYPES:
        raise argument_error(op, "dtype", "one of " + ", ".join(map(repr, DTYPES)), dtype)
    return name


@accepts_options()
def shuffle(array: MutableSequence[Any]) -> None:
    """Put a list into random order, in place."""
    array[:] = [array[i] for i in create_shuffled_indices(len(array))]


@accepts_options()
def create_shuffled_indices(n: int) -> Array:
    """The indices below n in random order."""
    return rng.Shuffler().shuffle(np.arange(n, dtype=np.uint32))


@accepts_options()
def clamp(min: float, x: float, max: float) -> float:
    """x cut to a range."""
    cut = max if x > max else x
    return min if cut < min else cut


@accepts_options()
def rand_uniform(a: float, b: float) -> float:
    """A random number in [a, b)."""
    return a + (b - a) * rng.fresh()


@accepts_options()
def rand_gauss(mean: float = 0.0, std_dev: float = 1.0, truncated: bool = False) -> float:
    """A normal number; a truncated one lies within two deviations of the mean."""
    return float(rng.normal(None, 1, *moments("rand_gauss", mean, std_dev, truncated), truncated)[0])


@accepts_options()
def dist_squared(a: Sequence[float], b: Sequence[float]) -> float:
    """The squared distance of two vectors."""
    if len(a) != len(b):
        raise argument_error("dist_squared", "b", f"of length {len(a)}", b)
    return float(sum((float(x) - float(y)) ** 2 for x, y in zip(a, b, strict=True)))


@accepts_options()
def assert_(expr: Any, msg: str) -> None:
    """Raise ValueError with a message unless something holds."""
    if not expr:
        raise ValueError(msg)


@accepts_options()
def assert_shapes_match(shape_a: Sequence[int], shape_b: Sequence[int], error_message_prefix: str = "") -> None:
    """Raise ValueError unless two shapes are equal."""
    expected = f"{error_message_prefix}Shapes {list(shape_a)} and {list(shape_b)} must match"
    assert_(arrays_equal(shape_a, shape_b), expected)


@accepts_options()
def assert_types_match(a: Handle, b: Handle) -> None:
    """Raise ValueError unless two arrays have one dtype."""
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
    """The elements of a nested list in order, appended to `ret`."""
    out: list[Any] = [] if ret is None else ret
    if isinstance(arr, (list, tuple)):
        for item in arr:
            flatten(item, out)
    else:
        out.append(arr)
    return out


@accepts_options()
def infer_shape(arr: Any) -> list[int]:
    """The shape of a nested list."""
    sizes = []
    while isinstance(arr, (list, tuple)):
        sizes.append(len(arr))
        arr = arr[0] if arr else 0
    return sizes


@accepts_options()
def size_from_shape(shape: Sequence[int]) -> int:
    """The number of elements of a shape."""
    return math.prod(shape)


@accepts_options()
def is_scalar_shape(shape: Sequence[int]) -> bool:
    """Whether a shape is that of a Scalar."""
    return len(shape) == 0


@accepts_options()
def arrays_equal(n1: Sequence[Any], n2: Sequence[Any]) -> bool:
    """Whether two lists have the same elements."""
    return len(n1) == len(n2) and all(a == b for a, b in zip(n1, n2, strict=True))


@accepts_options()
def is_int(a: float) -> bool:
    """Whether a number is whole."""
    return a % 1 == 0


@accepts_options()
def tanh(x: float) -> float:
    """The hyperbolic tangent."""
    return math.tanh(x)


@accepts_options()
def size_to_squarish_shape(size: int) -> list[int]:
    """Two factors of a size that are as near to each other as possible, the smaller one first."""
    for a in range(math.isqrt(size), 1, -1):
        if size % a == 0:
            return [a, size // a]
    return [1, size]


@accepts_options()
def right_pad(a: str, size: int) -> str:
    """A text with blanks after it up to a length."""
    return a.ljust(size)


@accepts_options()
async def repeated_try(
    check_fn: Callable[[], bool],
    delay_fn: Callable[[int], float] = lambda counter: 0,
    max_counter: int | None = None,
) -> None:
    """Wait until a function returns true.

    Args:
        check_fn: the function.
        delay_fn: how many milliseconds to wait after a number of tries.
        max_counter: after how many tries to give up with RuntimeError.
    """
    tries = 0
    while not check_fn():
        tries += 1
        if max_counter is not None and tries >= max_counter:
            raise RuntimeError(f"repeated_try: not so after {tries} tries.")
        await asyncio.sleep(delay_fn(tries) / 1000)


@accepts_options()
def get_query_params(query_string: str) -> dict[str, str]:
    """The parameters of a URL's query."""
    return dict(parse_qsl(query_string.lstrip("?"), keep_blank_values=True))


@accepts_options()
def infer_from_implicit_shape(shape: Sequence[int], size: int) -> list[int]:
    """A shape with its one -1, if it has one, replaced by the size that is left."""
    sizes = list(shape)
    if sizes.count(-1) > 1 or any(n <= 0 and n != -1 for n in sizes):
        raise argument_error("infer_from_implicit_shape", "shape", "sizes above 0, one of which may be -1", sizes)
    known = math.prod(n for n in sizes if n != -1)
    if (-1 not in sizes and size > 0 and known != size) or (-1 in sizes and size % known):
        raise argument_error("infer_from_implicit_shape", "shape", f"a shape that {size} elements fill", sizes)
    return [size // known if n == -1 else n for n in sizes]


@accepts_options()
def get_nan(dtype: str) -> float:
    """What stands for NaN in a dtype."""
    return _NAN[_dtype("get_nan", dtype)]


@accepts_options()
def is_val_nan(val: float, dtype: str) -> bool:
    """Whether a value stands for NaN in a dtype."""
    return bool(val != val or (dtype != "float32" and val == _NAN[_dtype("is_val_nan", dtype)]))


@accepts_options()
def squeeze_shape(shape: Sequence[int], axis: Sequence[int] | None = None) -> dict[str, list[int]]:
    """A shape without its sizes of 1, all of them or those at axes, and the axes that are left: newShape and keptDims.

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
    """Zeros in the numpy type of a dtype."""
    return np.zeros(size, _NUMPY[_dtype("get_typed_array_from_dtype", dtype)])


@accepts_options()
def copy_typed_array(array: Sequence[float], dtype: str | None = None) -> Array:
    """A copy of numbers in the numpy type of a dtype; NaN becomes what stands for it there."""
    values, name = np.asarray(array, dtype=np.float64), _dtype("copy_typed_array", dtype)
    if name == "bool":
        values = np.where(np.isnan(values), NAN_BOOL, np.floor(values + 0.5) != 0)
    elif name == "int32":
        values = np.where(np.isnan(values), NAN_INT32, values)
    return values.astype(_NUMPY[name])


@accepts_options()
def is_typed_array(a: Any) -> bool:
    """Whether something is a numpy array of float32, int32 or uint8."""
    return isinstance(a, np.ndarray) and a.dtype in _NUMPY.values()


@accepts_options()
def bytes_per_element(dtype: str) -> int:
    """How many bytes an element of a dtype takes."""
    return int(np.dtype(_NUMPY[_dtype("bytes_per_element", dtype)]).itemsize)


@accepts_options()
def is_function(f: Any) -> bool:
    """Whether something can be called."""
    return callable(f)


@accepts_options()
def is_ndarray_in_list(ndarray: Handle, ndarray_list: Sequence[Handle]) -> bool:
    """Whether an array is in a list."""
    return any(a.id == ndarray.id for a in ndarray_list)


@accepts_options()
def check_for_nan(vals: Sequence[float], dtype: str, name: str) -> None:
    """Raise ValueError if a value stands for NaN."""
    if any(is_val_nan(v, dtype) for v in vals):
        raise ValueError(f"The result of the last math.{name} has NaNs.")


@accepts_options()
def flatten_name_array_map(name_array_map: Any, keys: Sequence[str] | None = None) -> list[Any]:
    """The arrays of a dict in the order of keys; an array alone as a list of one."""
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
def has_encoding_loss(old_type: str, new_type: str) -> bool:
    """Whether values of one dtype may change in another."""
    order = ["bool", "int32", "float32"]
    return order.index(_dtype("has_encoding_loss", new_type)) < order.index(_dtype("has_encoding_loss", old_type))


@accepts_options()
async def next_frame() -> None:
    """Let other tasks run."""
    await asyncio.sleep(0)


createShuffledIndices = create_shuffled_indices
randUniform = rand_uniform
randGauss = rand_gauss
distSquared = dist_squared
assertShapesMatch = assert_shapes_match
assertTypesMatch = assert_types_match
assertAndGetBroadcastedShape = assert_and_get_broadcasted_shape
inferShape = infer_shape
sizeFromShape = size_from_shape
isScalarShape = is_scalar_shape
arraysEqual = arrays_equal
isInt = is_int
sizeToSquarishShape = size_to_squarish_shape
rightPad = right_pad
repeatedTry = repeated_try
getQueryParams = get_query_params
inferFromImplicitShape = infer_from_implicit_shape
getNaN = get_nan
isValNaN = is_val_nan
squeezeShape = squeeze_shape
getTypedArrayFromDType = get_typed_array_from_dtype
copyTypedArray = copy_typed_array
isTypedArray = is_typed_array
bytesPerElement = bytes_per_element
isFunction = is_function
isNDArrayInList = is_ndarray_in_list
is_tensor_in_list = isTensorInList = is_ndarray_in_list
checkForNaN = check_for_nan
flattenNameArrayMap = flatten_name_array_map
unflattenToNameArrayMap = unflatten_to_name_array_map
hasEncodingLoss = has_encoding_loss
nextFrame = next_frame
