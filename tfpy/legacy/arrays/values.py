"""Converts the values passed by scripts to arrays of a shape and a legacy dtype."""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal, TypeAlias

import numpy as np

from tfpy.core.calling.annotations import name_kind
from tfpy.core.convert import cast_values, host_values
from tfpy.engine.arguments import as_shape
from tfpy.engine.backend import Array
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.engine.spec import MAX_SIZE, Shape, is_possible
from tfpy.legacy import quirks

LegacyDType: TypeAlias = Literal["float32", "int32", "bool"]
ShapeLike: TypeAlias = Sequence[int]
Values: TypeAlias = Any


class Rank(StrEnum):
    """The ranks of tensors, as named in types of 0.5. Source: deeplearn.js 0.5 `Rank`."""

    R0 = "R0"
    R1 = "R1"
    R2 = "R2"
    R3 = "R3"
    R4 = "R4"


DTYPES: tuple[LegacyDType, ...] = ("float32", "int32", "bool")
# What annotations of this package call kinds that the core has under other names.
name_kind("LegacyDType", "DType")
name_kind("NDArray", "Tensor")
_FLOAT32_MAX = float(np.finfo(np.float32).max)


def checked_dtype(op: str, dtype: str | None, *allowed: LegacyDType) -> LegacyDType:
    """A dtype, float32 by default, checked to be one of those allowed (all three by default)."""
    if dtype is None:
        return "float32"
    for known in allowed or DTYPES:
        if isinstance(dtype, str) and dtype == known:
            return known
    raise argument_error(op, "dtype", "one of " + ", ".join(map(repr, allowed or DTYPES)), dtype)


def checked_shape(op: str, shape: Any, rank: int | None = None) -> Shape:
    """A shape as a tuple, checked to be of a rank when one is given."""
    sizes = as_shape(op, shape)
    if not is_possible(sizes):
        raise argument_error(op, "shape", f"of at most {MAX_SIZE} elements", list(sizes))
    if rank is not None and len(sizes) != rank:
        raise argument_error(op, "shape", f"of {rank} sizes", list(sizes))
    return sizes


def array_of(op: str, values: Values, shape: Shape | None, dtype: LegacyDType) -> Array:
    """Values as a numpy array of the shape (their own if None), with numbers suitable for the dtype.

    A nested list, or an array of several dimensions, must have exactly the shape; of a flat one only the size is
    checked.
    """
    array, _ = host_values(op, "values", values)
    if array.dtype.kind not in "biuf":
        raise argument_error(op, "values", "numbers or booleans", values, TypeError)
    if shape is None:
        shape = array.shape
    fits = array.size == int(np.prod(shape)) and (array.ndim <= 1 or array.shape == shape)
    if not fits:
        expected = f"{int(np.prod(shape))} values, flat or nested in shape {list(shape)}"
        raise argument_error(op, "values", expected, array)
    return converted(array.reshape(shape), dtype)


def converted(array: Array, dtype: LegacyDType) -> Array:
    """Numbers as stored by an array of the dtype."""
    if quirks.CONVERSION.active:
        array = quirks.typed_array(array, dtype)
    return cast_values(array, dtype)


def stored_number(op: str, value: Any, dtype: DType) -> float | int | bool:
    """One number as stored by an array of the dtype, so that writing it to a numpy array does not warn. For int32 and
    bool it is the integer part, and 0 for NaN and infinities.
    """
    if not isinstance(value, (int, float, np.number, np.bool_)):
        raise argument_error(op, "value", "a number", value, TypeError)
    number = float(value)
    if dtype != "float32":
        whole = math.trunc(number) if math.isfinite(number) else 0
        stored: int | bool = cast_values(np.array(float(whole)), dtype).item()
        return stored
    if -_FLOAT32_MAX <= number <= _FLOAT32_MAX or number != number:
        return number
    return float("inf") if number > 0 else float("-inf")
