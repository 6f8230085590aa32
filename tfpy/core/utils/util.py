"""`tf.util`: assertions, shapes and indices, strings, the clock."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.core.buffer import flat_index, indices_of
from tfpy.core.calling.callables import call_with_as_many
from tfpy.core.calling.registry import export
from tfpy.core.ops.shape import whole_shape
from tfpy.core.results import Record
from tfpy.core.system.environment import ENV
from tfpy.engine.arguments import as_count, as_ints, as_shape, as_string, resolve_axis
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.host.fingerprint import fingerprint64
from tfpy.engine.spec import strides_of

_BYTES = bytes, bytearray, memoryview, np.ndarray


class SqueezedShape(Record):
    """The result of `util.squeeze_shape`."""

    new_shape: list[int]
    kept_dims: list[int]


# Assertions


@export(namespace="util", doc="Util")
def assert_(expr: bool, msg: str | Callable[[], str]) -> None:
    """Raise ValueError with a message, or with the result of a function, unless a condition is true.

    Source: TF.js `tf.util.assert`.
    """
    if not expr:
        raise ValueError(msg() if callable(msg) else msg)


@export(namespace="util", doc="Util")
def assert_shapes_match(shape_a: Sequence[int], shape_b: Sequence[int], error_message_prefix: str = "") -> None:
    """Raise ValueError unless two shapes are equal.

    Source: TF.js `tf.util.assertShapesMatch`.
    """
    if tuple(shape_a) != tuple(shape_b):
        raise ValueError(f"{error_message_prefix} Shapes {list(shape_a)} and {list(shape_b)} must match.".strip())


@export(namespace="util", doc="Util")
def assert_non_null(a: Any) -> None:
    """Raise ValueError if a value is None.

    Source: TF.js `tf.util.assertNonNull`.
    """
    if a is None:
        raise argument_error("assert_non_null", "a", "given", None)


@export(namespace="util", doc="Util")
def assert_non_negative_integer_dimensions(shape: Sequence[int]) -> None:
    """Raise an error unless all sizes of a shape are non-negative integers.

    Source: TF.js `tf.util.assertNonNegativeIntegerDimensions`.
    """
    as_shape("assert_non_negative_integer_dimensions", shape)


@export(namespace="util", doc="Util")
def check_conversion_for_errors(vals: Iterable[float], dtype: DType) -> None:
    """Raise ValueError if there is a NaN or an infinity among numbers.

    Source: TF.js `tf.util.checkConversionForErrors`.
    """
    for value in vals:
        if not math.isfinite(value):
            raise ValueError(f"check_conversion_for_errors: a tensor of dtype {dtype} would hold {value}.")


# Shapes and indices


@export(namespace="util", doc="Util")
def size_from_shape(shape: Sequence[int]) -> int:
    """The number of elements of a shape.

    Source: TF.js `tf.util.sizeFromShape`.
    """
    return math.prod(shape)


@export(namespace="util", doc="Util")
def is_scalar_shape(shape: Sequence[int]) -> bool:
    """Whether a shape is a scalar's.

    Source: TF.js `tf.util.isScalarShape`.
    """
    return len(shape) == 0


@export(namespace="util", doc="Util")
def arrays_equal(n1: Sequence[Any], n2: Sequence[Any]) -> bool:
    """Whether two lists have the same length and equal values.

    Source: TF.js `tf.util.arraysEqual`.
    """
    return n1 is n2 or (n1 is not None and n2 is not None and list(n1) == list(n2))


@export(namespace="util", doc="Util")
def arrays_equal_with_null(n1: Sequence[Any], n2: Sequence[Any]) -> bool:
    """Whether two lists have the same length and equal values, where None is equal to everything.

    Source: TF.js `tf.util.arraysEqualWithNull`.
    """
    if n1 is None or n2 is None:
        return n1 is n2
    return len(n1) == len(n2) and all(a == b or None in (a, b) for a, b in zip(n1, n2, strict=True))


@export(namespace="util", doc="Util")
def compute_strides(shape: Sequence[int]) -> list[int]:
    """The strides of a shape in elements, for each axis except the last.

    Source: TF.js `tf.util.computeStrides`.
    """
    return list(strides_of(shape)[:-1])


@export(namespace="util", doc="Util")
def index_to_loc(index: int, rank: int, strides: Sequence[int]) -> list[int]:
    """The location, an index for each axis, of an index in a flat array.

    Source: TF.js `tf.util.indexToLoc`.
    """
    return indices_of(index, strides[: rank - 1]) if rank else []


@export(namespace="util", doc="Util")
def loc_to_index(locs: Sequence[int], rank: int, strides: Sequence[int]) -> int:
    """The index in a flat array of a location.

    Source: TF.js `tf.util.locToIndex`.
    """
    # Converted to int: numpy's small integers would overflow.
    return flat_index(as_ints("loc_to_index", "locs", locs), strides) if rank else 0


@export(namespace="util", doc="Util")
def infer_from_implicit_shape(shape: Sequence[int], size: int) -> list[int]:
    """A shape with its -1 replaced by the size that follows from the number of elements.

    Raises:
        ValueError: the elements do not fill the shape.

    Source: TF.js `tf.util.inferFromImplicitShape`.
    """
    whole = whole_shape("infer_from_implicit_shape", list(shape), size)
    if math.prod(whole) != size:
        raise argument_error("infer_from_implicit_shape", "shape", f"a shape of {size} elements", list(shape))
    return list(whole)


@export(namespace="util", doc="Util")
def parse_axis_param(axis: int | Sequence[int] | None, shape: Sequence[int]) -> list[int]:
    """Axes as a list of non-negative numbers, in the given order; all axes for None.

    Raises:
        ValueError: an axis is out of range.

    Source: TF.js `tf.util.parseAxisParam`.
    """
    axes = range(len(shape)) if axis is None else axis if isinstance(axis, Iterable) else [axis]
    return [resolve_axis("parse_axis_param", a, len(shape)) for a in axes]


@export(namespace="util", doc="Util")
def squeeze_shape(shape: Sequence[int], axis: Sequence[int] | None = None) -> SqueezedShape:
    """A shape without its axes of size 1, or without the given ones.

    Returns:
        A record: new_shape, and kept_dims, the remaining axes.

    Raises:
        ValueError: an axis is out of range, or its size is not 1.

    Source: TF.js `tf.util.squeezeShape`.
    """
    gone = parse_axis_param(axis, shape) if axis else [i for i, n in enumerate(shape) if n == 1]
    for i in gone:
        if shape[i] != 1:
            raise argument_error("squeeze_shape", "axis", f"of axes of size 1 in shape {list(shape)}", axis)
    kept = [i for i in range(len(shape)) if i not in gone]
    return SqueezedShape([shape[i] for i in kept], kept)


@export(namespace="util", doc="Util")
def size_to_squarish_shape(size: int) -> list[int]:
    """The two sides of a nearly square shape that has room for a number of elements.

    Source: TF.js `tf.util.sizeToSquarishShape`.
    """
    count = as_count("size_to_squarish_shape", "size", size)
    width = math.isqrt(count - 1) + 1 if count else 0
    return [width, -(-count // width)] if width else [0, 0]


@export(namespace="util", doc="Util")
def flatten(arr: Any, result: list[Any] | None = None, skip_typed_array: bool = False) -> list[Any]:
    """The elements of nested lists, in order.

    Args:
        arr: the lists; arrays count as lists of numbers.
        result: a list to which they are appended; a new one by default.
        skip_typed_array: whether an array is treated as one element.

    Source: TF.js `tf.util.flatten`.
    """
    out = [] if result is None else result
    if not isinstance(out, list):
        raise argument_error("flatten", "result", "a list", result, TypeError)
    if isinstance(arr, (list, tuple)):
        for item in arr:
            flatten(item, out, skip_typed_array)
    elif isinstance(arr, np.ndarray) and not skip_typed_array:
        out.extend(arr.reshape(-1).tolist())
    else:
        out.append(arr)
    return out


# Numbers


@export(namespace="util", doc="Util")
def clamp(min: float, x: float, max: float) -> float:
    """A number limited to a range; `min` if that is greater than `max`.

    Source: TF.js `tf.util.clamp`.
    """
    cut = max if x > max else x
    return min if cut < min else cut


@export(namespace="util", doc="Util")
def nearest_larger_even(val: int) -> int:
    """The number itself if it is even, otherwise the next one.

    Source: TF.js `tf.util.nearestLargerEven`.
    """
    return val + val % 2


@export(namespace="util", doc="Util")
def nearest_divisor(size: int, start: int) -> int:
    """The smallest divisor of a number that is at least `start`.

    Source: TF.js `tf.util.nearestDivisor`.
    """
    return next((i for i in range(start, size) if i and size % i == 0), size)


@export(namespace="util", doc="Util")
def sum_(arr: Iterable[float]) -> Any:
    """The sum of numbers.

    Source: TF.js `tf.util.sum`.
    """
    total: Any = 0
    for value in arr:  # Python's own sum is more precise than JavaScript's since 3.12
        total += value
    return total


@export(namespace="util", doc="Util")
def dist_squared(a: Sequence[float], b: Sequence[float]) -> float:
    """The squared distance of two points.

    Source: TF.js `tf.util.distSquared`.
    """
    if len(a) != len(b):
        raise argument_error("dist_squared", "b", f"of length {len(a)}", Unquoted(f"length {len(b)}"))
    return float(sum_([(float(x) - float(y)) ** 2 for x, y in zip(a, b, strict=True)]))


@export(namespace="util", doc="Util")
def tanh(x: float) -> float:
    """The hyperbolic tangent.

    Source: TF.js `tf.util.tanh`.
    """
    return math.tanh(x)


# Strings


@export(namespace="util", doc="Util")
def encode_string(s: str, encoding: str = "utf-8") -> bytes:
    """A string as bytes.

    Source: TF.js `tf.util.encodeString`.
    """
    if not isinstance(s, str):
        raise argument_error("encode_string", "s", "text", s, TypeError)
    data: bytes = ENV.platform.encode(s, encoding)
    return data


@export(namespace="util", doc="Util")
def decode_string(bytes: bytes, encoding: str = "utf-8") -> str:
    """Bytes as a string.

    Source: TF.js `tf.util.decodeString`.
    """
    if not isinstance(bytes, _BYTES):
        raise argument_error("decode_string", "bytes", "bytes", bytes, TypeError)
    text: str = ENV.platform.decode(bytes, encoding)
    return text


@export(namespace="util", doc="Util")
def right_pad(a: str, size: int) -> str:
    """A string padded with spaces on the right.

    Source: TF.js `tf.util.rightPad`.
    """
    if not isinstance(a, str):
        raise argument_error("right_pad", "a", "text", a, TypeError)
    return a.ljust(size)


@export(namespace="util", doc="Util")
def finger_print64(s: bytes, len: int | None = None) -> int:
    """The 64-bit fingerprint of bytes, or of the first `len` of them.

    Source: TF.js `tf.util.fingerPrint64`.
    """
    return fingerprint64(s if len is None else s[:len])


@export(namespace="util", doc="Util")
def hex_to_long(hex: str) -> int:
    """The value of a hexadecimal number.

    Raises:
        ValueError: there are other characters.

    Source: TF.js `tf.util.hexToLong`.
    """
    try:
        return int(as_string("hex_to_long", "hex", hex), 16)
    except ValueError:
        raise argument_error("hex_to_long", "hex", "hexadecimal digits", hex) from None


# Environment


@export(namespace="util", doc="Util")
def now() -> float:
    """The time in milliseconds, with fractions; only differences are meaningful.

    Source: TF.js `tf.util.now`.
    """
    return float(ENV.platform.now())


@export(namespace="util", doc="Util")
def fetch(path: str, request_inits: Mapping[str, Any] | None = None) -> Any:
    """The file at a URL; it may be awaited.

    Args:
        path: the URL.
        request_inits: method, headers and body of the request.

    Returns:
        The platform's response: an object with `content`, `status`, `ok`, `text()` and `json()`.

    Source: TF.js `tf.util.fetch`.
    """
    return ENV.platform.fetch(path, request_inits)


@export(namespace="util", doc="Util")
def repeated_try(
    check_fn: Callable[[], bool], delay_fn: Callable[[int], float] | None = None, max_counter: int | None = None
) -> Any:
    """Try repeatedly until a condition is true; to be awaited.

    Args:
        check_fn: returns whether it is true.
        delay_fn: takes the number of the try, and returns how many milliseconds to wait after it; no delay by default.
        max_counter: the maximum number of tries.

    Raises:
        RuntimeError: all tries failed.

    Source: TF.js `tf.util.repeatedTry`.
    """
    return _try(check_fn, delay_fn, max_counter)


async def _try(check: Callable[[], bool], delay: Callable[[int], float] | None, most: int | None) -> None:
    import asyncio  # imported here, since it is slow

    tries = 0
    while not check():
        tries += 1
        if most is not None and tries >= most:
            raise RuntimeError(f"repeated_try: failed after {tries} tries.")
        await asyncio.sleep(0 if delay is None else call_with_as_many(delay, tries) / 1000)


@export(namespace="device_util", doc="Util")
def is_browser() -> bool:
    """Whether this runs in a browser: always False.

    Source: TF.js `tf.device_util.isBrowser`.
    """
    return False


@export(namespace="device_util", doc="Util")
def is_mobile() -> bool:
    """Whether this runs on a mobile device: always False.

    Source: TF.js `tf.device_util.isMobile`.
    """
    return False
