"""Creating NDArrays: `zeros`, `ones`, `make`, random ones."""

from __future__ import annotations

import math as _math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tfpy.core.calling.options import accepts_options
from tfpy.core.ops.random import mean_and_deviation
from tfpy.engine import dispatch, rng
from tfpy.engine.arguments import as_function, as_int, as_number
from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.javascript_numbers import round_half_up
from tfpy.engine.spec import Shape
from tfpy.engine.state import local
from tfpy.legacy.arrays._camel import ArrayFactoriesCamel
from tfpy.legacy.arrays.values import LegacyDType, ShapeLike, Values, array_of, checked_dtype, checked_shape
from tfpy.legacy.quirks import training

if TYPE_CHECKING:
    from tfpy.legacy.arrays.ndarray import NDArray
    from tfpy.legacy.math import NDArrayMath

A = TypeVar("A", bound="NDArray")

UNSAFE = (
    "{}: you are using math in safe mode. Enclose all math calls and new arrays in a scope, "
    "math.scope(lambda keep, track: …), to avoid memory leaks. (In the new API: tf.tidy.)"
)


def check_safe(op: str, safe_mode: bool) -> None:
    """Raise RuntimeError if safe mode requires a scope and none is open."""
    if safe_mode and not local.state.scopes:
        raise RuntimeError(UNSAFE.format(op))


def new_array(cls: type[A], op: str, shape: Shape | None, values: Values | None, dtype: str | None) -> A:
    """A new NDArray of the class for its rank, owned by the innermost scope.

    Args:
        cls: the expected class, `NDArray` for any.
        op: the caller, for messages.
        shape: the shape; None for a vector of the values.
        values: the values, flat or nested; None for zeros.
        dtype: float32 by default.

    Raises:
        ValueError: the values do not fit the shape. RuntimeError: safe mode, and no scope is open.
    """
    from tfpy.legacy.arrays.ndarray import class_of_rank
    from tfpy.legacy.environment import ENV

    check_safe(op, ENV.safe_mode)
    kind = checked_dtype(op, dtype)
    if values is None:
        array = np.zeros(shape or ())
    else:
        array = array_of(op, values, shape, kind)
        if shape is None and array.ndim != 1:
            raise argument_error(op, "values", "of rank 1", array)
    return dispatch.make(class_of_rank(array.ndim), array, kind)  # type: ignore[return-value]


def values_in(op: str, data: Mapping[str, Any]) -> Any:
    """The values of {'values': …}."""
    if not {"values"}.issuperset(data):
        raise argument_error(op, "data", "{'values': …} without other keys", data)
    return data.get("values")


class ScalarConstant:
    """`Scalar.ONE` and the like: a new Scalar at each access, so that no script can change another's constant.

    They exist up to 0.3.13; in deeplearn.js numerics, which are those of 0.3.17, they are undefined.
    """

    def __init__(self, value: float) -> None:
        self.value = value

    def __get__(self, instance: object, owner: Any) -> Any:
        return None if training.NO_CONSTANTS.active else owner.new(self.value)


class ArrayFactories(ArrayFactoriesCamel):
    """The static methods of NDArray and its subclasses. Each returns an array of the class for its rank."""

    __slots__ = ()

    @classmethod
    @accepts_options()
    def make(
        cls,
        shape: ShapeLike,
        data: Mapping[str, Any] | Values,
        dtype: LegacyDType | None = None,
        math: NDArrayMath | None = None,
    ) -> NDArray:
        """An array of a shape.

        Args:
            shape: the shape.
            data: {'values': flat or nested values}, or the values themselves.
            dtype: 'float32' (the default), 'int32' or 'bool'.
            math: accepted but ignored: all maths share one engine.

        Raises:
            ValueError: the values do not fit the shape.
        """
        return _new("make", shape, values_in("make", data) if isinstance(data, Mapping) else data, dtype)

    @classmethod
    def zeros(cls, shape: ShapeLike, dtype: LegacyDType | None = None) -> NDArray:
        """An array of zeros."""
        return _new("zeros", shape, None, dtype)

    @classmethod
    def ones(cls, shape: ShapeLike, dtype: LegacyDType | None = None) -> NDArray:
        """An array of ones."""
        return _new("ones", shape, np.ones(checked_shape("ones", shape)), dtype)

    @classmethod
    def zeros_like(cls, another: Handle) -> NDArray:
        """Zeros of the shape and dtype of another array."""
        return _new("zeros_like", _spec("zeros_like", another).shape, None, another.spec.dtype)

    @classmethod
    def ones_like(cls, another: Handle) -> NDArray:
        """Ones of the shape and dtype of another array."""
        return _new("ones_like", _spec("ones_like", another).shape, np.ones(another.spec.shape), another.spec.dtype)

    @classmethod
    def like(cls, another: Handle) -> NDArray:
        """A copy of another array."""
        return _new("like", _spec("like", another).shape, np.asarray(another), another.spec.dtype)

    @classmethod
    @accepts_options()
    def rand(cls, shape: ShapeLike, rand_function: Callable[[], float], dtype: LegacyDType | None = None) -> NDArray:
        """Numbers from a function without arguments, called once per element; truncated for int32 and bool."""
        as_function("rand", "rand_function", rand_function)
        values = [rand_function() for _ in range(_math.prod(checked_shape("rand", shape)))]
        return _drawn("rand", shape, np.array(values, dtype=np.float64), dtype)

    @classmethod
    @accepts_options()
    def rand_normal(
        cls,
        shape: ShapeLike,
        mean: float = 0.0,
        std_dev: float = 1.0,
        dtype: LegacyDType | None = None,
        seed: rng.Seed | None = None,
    ) -> NDArray:
        """Normally distributed numbers, by Marsaglia's polar method; rounded for int32."""
        return _normal("rand_normal", shape, mean, std_dev, dtype, seed, truncated=False)

    @classmethod
    @accepts_options()
    def rand_truncated_normal(
        cls,
        shape: ShapeLike,
        mean: float = 0.0,
        std_dev: float = 1.0,
        dtype: LegacyDType | None = None,
        seed: rng.Seed | None = None,
    ) -> NDArray:
        """Normal numbers within two standard deviations of the mean; rounded for int32."""
        return _normal("rand_truncated_normal", shape, mean, std_dev, dtype, seed, truncated=True)

    @classmethod
    def rand_uniform(cls, shape: ShapeLike, a: float, b: float, dtype: LegacyDType | None = None) -> NDArray:
        """Numbers uniformly distributed over [a, b); truncated for int32 and bool: bools from [0, 2) are half True."""
        count = _math.prod(checked_shape("rand_uniform", shape))
        low, high = as_number("rand_uniform", "a", a), as_number("rand_uniform", "b", b)
        return _drawn("rand_uniform", shape, rng.uniform(None, count, low, high), dtype)

    @classmethod
    @accepts_options()
    def from_pixels(cls, pixels: Any, num_channels: int = 3, math: NDArrayMath | None = None) -> NDArray:
        """An image as an int32 array [height, width, channels].

        Args:
            pixels: an array [height, width, 3 or 4] or anything numpy converts to one, or an object or dict with width,
                height and data (the RGBA bytes).
            num_channels: the number of channels to keep, at most 4.
            math: accepted but ignored.

        Raises:
            ValueError: not an image, or more channels than it has.
        """
        num_channels = as_int("from_pixels", "num_channels", num_channels)
        image = _pixels(pixels)
        if image.ndim != 3 or not 1 <= num_channels <= min(4, image.shape[2]):
            expected = f"an image with at least {num_channels} channels, of which at most 4 are kept"
            raise argument_error("from_pixels", "pixels", expected, image)
        return _new("from_pixels", (*image.shape[:2], num_channels), image[:, :, :num_channels], "int32")


def _new(op: str, shape: ShapeLike, values: Values | None, dtype: str | None) -> NDArray:
    from tfpy.legacy.arrays.ndarray import NDArray

    return new_array(NDArray, op, checked_shape(op, shape), values, dtype)


def _drawn(op: str, shape: ShapeLike, values: Array, dtype: str | None) -> NDArray:
    return _new(op, shape, values if checked_dtype(op, dtype) == "float32" else np.trunc(values), dtype)


def _spec(op: str, another: Any) -> Any:
    if not isinstance(another, Handle):
        raise argument_error(op, "another", "an NDArray or a tensor", another, TypeError)
    return another.spec


def _normal(
    op: str, shape: ShapeLike, mean: float, std_dev: float, dtype: str | None, seed: rng.Seed | None, truncated: bool
) -> NDArray:
    kind = checked_dtype(op, dtype, "float32", "int32")
    middle, spread = mean_and_deviation(op, mean, std_dev, truncated)
    values = rng.normal(seed, _math.prod(checked_shape(op, shape)), middle, spread, truncated)
    return _new(op, shape, round_half_up(values) if kind == "int32" else values, kind)


def _pixels(pixels: Any) -> Any:
    if not isinstance(pixels, Mapping) and not (hasattr(pixels, "width") and hasattr(pixels, "data")):
        return np.asarray(pixels)
    names = ("data", "height", "width")
    data, height, width = (pixels.get(n) if isinstance(pixels, Mapping) else getattr(pixels, n) for n in names)
    values = np.asarray([] if data is None else data)
    if not isinstance(height, int) or not isinstance(width, int) or values.size != height * width * 4:
        raise argument_error(
            "from_pixels", "pixels", "an image: width, height, and data with 4 bytes per pixel", pixels
        )
    return values.reshape(height, width, 4)
