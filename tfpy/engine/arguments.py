"""Conversion of users' arguments: each function converts valid values, or raises an error naming op and argument.

`errors.argument_error` states what was expected and what was found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from tfpy.engine.declarations import signature_of
from tfpy.engine.dtypes import DTYPES, OF_KIND, DType
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.spec import Shape

_BY_NAME: dict[str, DType] = {dtype: dtype for dtype in DTYPES}


def as_int(op: str, argument: str, value: object) -> int:
    """A whole number given as int, numpy integer or integral float, as an int.

    Raises:
        TypeError: not a number. ValueError: a number with a fraction.
    """
    if type(value) is int:  # nearly always
        return value
    if isinstance(value, bool):
        raise argument_error(op, argument, "a whole number", value, TypeError)
    if isinstance(value, int):
        return value
    if hasattr(value, "__index__"):
        try:
            return int(value.__index__())
        except TypeError:  # an array of several numbers has this method, too
            raise argument_error(op, argument, "a whole number", value, TypeError) from None
    if isinstance(value, float) or (hasattr(value, "__float__") and not hasattr(value, "shape")):
        number = float(value)
        if number.is_integer():
            return int(number)
        raise argument_error(op, argument, "a whole number", value)
    raise argument_error(op, argument, "a whole number", value, TypeError)


def as_count(op: str, argument: str, value: object) -> int:
    """A whole number of 0 or more, given as `as_int` takes it.

    Raises:
        TypeError: not a number. ValueError: a number with a fraction, or below 0.
    """
    number = as_int(op, argument, value)
    if number < 0:
        raise argument_error(op, argument, "a whole number of 0 or more", value)
    return number


def as_positive(op: str, argument: str, value: object) -> int:
    """A whole number above 0, given as `as_int` takes it.

    Raises:
        TypeError: not a number. ValueError: None, a number with a fraction, or one that is not above 0.
    """
    number = 0 if value is None else as_int(op, argument, value)
    if number < 1:
        raise argument_error(op, argument, "a whole number above 0", value)
    return number


def as_int_within(op: str, argument: str, value: object, low: int, high: int) -> int:
    """A whole number from `low` to `high`, given as `as_int` takes it.

    Raises:
        TypeError: not a number. ValueError: a number with a fraction, or one that is out of range.
    """
    number = as_int(op, argument, value)
    if not low <= number <= high:
        raise argument_error(op, argument, f"from {low} to {high}", value)
    return number


def as_string(op: str, argument: str, value: object) -> str:
    """A string.

    Raises:
        TypeError: anything else.
    """
    if not isinstance(value, str):
        raise argument_error(op, argument, "a string", value, TypeError)
    return value


def as_function(op: str, argument: str, value: object) -> Callable[..., Any]:
    """The argument, which must be callable.

    Raises:
        TypeError: anything else.
    """
    if not callable(value):
        raise argument_error(op, argument, "a function", value, TypeError)
    return value


def as_function_of(op: str, argument: str, value: object, count: int, expected: str) -> Callable[..., Any]:
    """The argument, which must be callable with `count` positional arguments, as far as its signature is known.

    Raises:
        TypeError: anything else.
    """
    if not callable(value):
        raise argument_error(op, argument, expected, value, TypeError)
    if isinstance(value, FunctionType):  # the usual case, without the cost of a signature
        code = value.__code__
        required = code.co_argcount - len(value.__defaults__ or ())
        if required <= count <= code.co_argcount and not code.co_kwonlyargcount:
            return value
    try:
        signature = signature_of(value)
    except (TypeError, ValueError):  # many functions written in C have none
        return value
    try:
        signature.bind(*[None] * count)
    except TypeError:
        found = Unquoted(f"{getattr(value, '__name__', type(value).__name__)}{signature}")
        raise argument_error(op, argument, expected, found, TypeError) from None
    return value


def as_number(op: str, argument: str, value: object) -> float:
    """One number, given as a Python or numpy number, as a float.

    Raises:
        TypeError: anything else. ValueError: a whole number beyond those of a double.
    """
    try:
        if not isinstance(value, (str, bytes)):  # `float` would read them
            return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        pass
    except OverflowError:
        raise argument_error(op, argument, "within the range of doubles", value) from None
    raise argument_error(op, argument, "a number", value, TypeError)


def as_list(op: str, argument: str, value: object, of: str) -> list[object]:
    """The items of a list, tuple or array; TypeError, naming what it should be a list of, for anything else."""
    if isinstance(value, (list, tuple)):  # nearly always
        return list(value)
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, dict, set, frozenset)):
        try:
            return list(value)
        except TypeError:  # scalar arrays and tensors have `__iter__`, but raise since they are scalars
            pass
    raise argument_error(op, argument, f"a list of {of}", value, TypeError)


def array_as_list(value: Any) -> Any:
    """An array of numbers as a list, for arguments that may be lists; anything else unchanged."""
    return value.tolist() if isinstance(value, np.ndarray) else value


def as_ints(op: str, argument: str, value: object) -> list[int]:
    """A list, tuple or array of whole numbers as ints."""
    return [as_int(op, argument, n) for n in as_list(op, argument, value, "whole numbers")]


def as_int_or_ints(op: str, argument: str, value: object) -> tuple[int, ...]:
    """Whole numbers given as a list, or as a single number."""
    if isinstance(value, (list, tuple)):
        for n in value:
            if type(n) is not int:
                break
        else:  # the usual case: there is nothing to convert
            return tuple(value)
    single = isinstance(value, (str, bytes)) or not isinstance(value, Iterable)
    return tuple(as_ints(op, argument, (value,) if single else value))


def as_element_index(op: str, argument: str, locs: Sequence[object], shape: Shape) -> int:
    """The flat position of an element in an array of this shape, given as an index for each dimension.

    Raises:
        TypeError: an index is not a number. ValueError: there are more or fewer than dimensions, or one is outside.
    """
    if len(locs) != len(shape):
        raise argument_error(op, argument, f"{len(shape)} indices, for shape {list(shape)}", list(locs))
    index = 0
    for i, n in zip(locs, shape, strict=True):
        at = as_int(op, argument, i)
        if not 0 <= at < n:
            raise argument_error(op, argument, f"inside the shape {list(shape)}", list(locs))
        index = index * n + at
    return index


def as_shape(op: str, value: object, argument: str = "shape") -> Shape:
    """A shape given as a list or tuple of whole numbers, or a single number, checked to be non-negative."""
    sizes = as_int_or_ints(op, argument, value)
    for n in sizes:
        if n < 0:
            raise argument_error(op, argument, "sizes of 0 or more", list(sizes))
    return sizes


def as_dtype(op: str, value: object, argument: str = "dtype") -> DType:
    """A dtype name checked against the five that exist."""
    found = _BY_NAME.get(value) if isinstance(value, str) else None
    if found is not None:
        return found
    raise argument_error(op, argument, f"one of {', '.join(map(repr, DTYPES))}{_dtype_hint(value)}", value)


def _dtype_hint(value: object) -> str:
    """What to do about an unknown dtype, in brackets."""
    if isinstance(value, int) and not isinstance(value, bool):
        return " (the sizes of a shape are given as one list, as in [2, 3])"
    try:
        kind = "" if value is None else np.dtype(value).kind  # type: ignore[call-overload]
    except TypeError:
        return ""
    return f" (here {OF_KIND[kind]!r})" if kind in OF_KIND else ""


def resolve_axis(op: str, axis: object, rank: int, argument: str = "axis") -> int:
    """One axis as a non-negative int, or ValueError naming op and argument."""
    index = as_int(op, argument, axis)
    if not -rank <= index < rank:
        expected = f"an axis from {-rank} to {rank - 1}" if rank else "omitted, since the tensor is a scalar"
        raise argument_error(op, argument, expected, index)
    return index % rank


_ALL_AXES = [tuple(range(rank)) for rank in range(7)]


def resolve_axes(op: str, axis: object, rank: int) -> tuple[int, ...]:
    """Axes as sorted distinct non-negative ints; None means all of them."""
    if axis is None:
        return _ALL_AXES[rank] if rank < len(_ALL_AXES) else tuple(range(rank))
    if type(axis) is int and -rank <= axis < rank:
        return (axis % rank,)
    if isinstance(axis, Iterable) and not isinstance(axis, (str, bytes)):
        axes = [resolve_axis(op, a, rank) for a in as_list(op, "axis", axis, "axes")]
    else:
        axes = [resolve_axis(op, axis, rank)]
    if len(set(axes)) != len(axes):
        raise argument_error(op, "axis", "distinct axes", axis)
    return tuple(sorted(axes))
