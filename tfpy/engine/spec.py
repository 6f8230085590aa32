"""What a tensor looks like without its values: shape and dtype, and the rules that combine them.

Everything here is a pure function of shapes and dtypes; nothing knows of tensors, backends or numpy.
"""

from __future__ import annotations

import functools
import math
import weakref
from collections.abc import Iterable, Sequence
from typing import Any, Literal, get_args

import numpy as np

from tfpy.engine.errors import ShapeError, argument_error

DType = Literal["float32", "int32", "bool", "string", "complex64"]
Shape = tuple[int, ...]

DTYPES: tuple[DType, ...] = get_args(DType)
_BY_NAME: dict[str, DType] = {dtype: dtype for dtype in DTYPES}
BYTES: dict[str, int] = {"float32": 4, "int32": 4, "bool": 1, "complex64": 8, "string": 0}
MAX_SIZE = 2**31 - 1
MAX_RANK = 64  # that of numpy

# bool < int32 < float32 < complex64; string stands alone.
_WIDTH = {"bool": 0, "int32": 1, "float32": 2, "complex64": 3}


specs: weakref.WeakValueDictionary[int, Spec] = weakref.WeakValueDictionary()
"""All there are, by identity."""


class Spec:
    """Shape and dtype of a tensor, with the numbers that follow from them.

    Attributes:
        size: the number of elements.
        nbytes: the number of bytes.
        tensors: as how many tensors it counts: a complex one with its real and imaginary part, as in TF.js.
        held: what each live handle of this spec refers to, so that the references to it count these handles.

    Strings have no fixed width: their specs carry the bytes of their own values (see `string_spec`).
    """

    __slots__ = ("__weakref__", "dtype", "held", "nbytes", "shape", "size", "tensors")

    def __init__(self, shape: Shape, dtype: DType, nbytes: int | None = None) -> None:
        self.shape = shape
        self.dtype: DType = dtype
        self.size = math.prod(shape)
        self.nbytes = self.size * BYTES[dtype] if nbytes is None else nbytes
        self.tensors = 3 if dtype == "complex64" else 1
        self.held = object()
        specs[id(self)] = self

    @property
    def rank(self) -> int:
        return len(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Spec) and self.shape == other.shape and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"Spec({self.shape}, {self.dtype!r})"


@functools.lru_cache(maxsize=1024)
def spec(shape: Shape, dtype: DType) -> Spec:
    """The shared Spec of this shape and dtype; equal specs are usually one object, so `is` is a fast test."""
    if math.prod(shape) > MAX_SIZE:
        raise ShapeError(f"a tensor of shape {list(shape)} has more than {MAX_SIZE} elements.")
    if not is_possible(shape):
        expected = f"at most {MAX_RANK} sizes of 0 or more, those above 0 for at most {MAX_SIZE} elements"
        raise ShapeError(f"no tensor has shape {list(shape)}: {expected}.")
    return Spec(shape, dtype)


def is_possible(shape: Shape) -> bool:
    """Whether there can be an array of such sizes; numpy limits those beside a 0, too."""
    beside_zeros = math.prod([n or 1 for n in shape])
    return len(shape) <= MAX_RANK and min(shape, default=0) >= 0 and beside_zeros <= MAX_SIZE


def strides_of(shape: Sequence[int]) -> tuple[int, ...]:
    """How many elements to go on for a step in each dimension of an array whose last index runs fastest."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


def string_spec(shape: Shape, nbytes: int) -> Spec:
    """A string tensor's spec, which counts the UTF-8 bytes of its values."""
    return Spec(shape, "string", nbytes)


def upcast(a: DType, b: DType, op: str = "upcast_type") -> DType:
    """The dtype that holds values of both (TF.js `upcastType`); `op` is named when there is none.

    Raises:
        TypeError: one of them is 'string' and the other is not.
    """
    if a == b:
        return a
    if "string" in (a, b):
        raise TypeError(f"{op}: dtypes {a} and {b} do not combine; strings go with strings only.")
    return a if _WIDTH[a] > _WIDTH[b] else b


def broadcast_shapes(a: Shape, b: Shape) -> Shape:
    """The shape that a and b broadcast to, aligned from the right; a size of 1 stretches.

    Raises:
        ShapeError: two sizes on one axis differ and neither is 1.
    """
    if a == b:
        return a
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    out = list(longer)
    for axis in range(1, len(shorter) + 1):
        m, n = longer[-axis], shorter[-axis]
        if m == 1:
            out[-axis] = n
        elif n not in (1, m):
            raise ShapeError(f"shapes {list(a)} and {list(b)} do not broadcast: axis -{axis} has sizes {m} and {n}.")
    return tuple(out)


def broadcasts_to(shape: Shape, to: Shape) -> bool:
    """Whether a shape broadcasts to another one, which stays as it is."""
    return len(shape) <= len(to) and all([m in (1, n) for m, n in zip(shape[::-1], to[::-1], strict=False)])


def broadcast_axes(shape: Shape, to: Shape) -> tuple[int, ...]:
    """The axes of `to` along which `shape` was stretched: those a gradient is summed over."""
    lead = len(to) - len(shape)
    stretched = (lead + i for i, n in enumerate(shape) if n == 1 and to[lead + i] != 1)
    return (*range(lead), *stretched)


def resolve_axis(op: str, axis: object, rank: int, argument: str = "axis") -> int:
    """One axis as a non-negative int, or ValueError naming op and argument."""
    index = as_int(op, argument, axis)
    if not -rank <= index < rank:
        expected = f"an axis from {-rank} to {rank - 1}" if rank else "no axis, the tensor being a scalar"
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


@functools.lru_cache(maxsize=4096)
def reduced_shape(shape: Shape, axes: tuple[int, ...], keep_dims: bool) -> Shape:
    """The shape after reducing over non-negative `axes`."""
    if keep_dims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def are_first(axes: tuple[int, ...]) -> bool:
    """Whether axes in order are the first ones."""
    return axes == tuple(range(len(axes)))


def are_last(axes: tuple[int, ...], rank: int) -> bool:
    """Whether axes in order are the last ones."""
    return axes == tuple(range(rank - len(axes), rank))


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
        except TypeError:  # an array of several numbers has the method, too
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


def as_number(op: str, argument: str, value: object) -> float:
    """One number, given as a Python or numpy number, as a float.

    Raises:
        TypeError: anything else. ValueError: a whole number beyond those of a double.
    """
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise argument_error(op, argument, "a number", value, TypeError) from None
    except OverflowError:
        raise argument_error(op, argument, "within the range of doubles", value) from None


def as_list(op: str, argument: str, value: object, of: str) -> list[object]:
    """The items of a list, tuple or array; TypeError, naming what it should be a list of, for anything else."""
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, dict, set, frozenset)):
        try:
            return list(value)
        except TypeError:  # scalar arrays and tensors are iterable, but for one that they are scalars
            pass
    raise argument_error(op, argument, f"a list of {of}", value, TypeError)


def unpacked(value: Any) -> Any:
    """An array of numbers as a list of them, where a list may be given; anything else as it is."""
    return value.tolist() if isinstance(value, np.ndarray) else value


def as_ints(op: str, argument: str, value: object) -> list[int]:
    """A list, tuple or array of whole numbers as ints."""
    return [as_int(op, argument, n) for n in as_list(op, argument, value, "whole numbers")]


def as_int_or_ints(op: str, argument: str, value: object) -> tuple[int, ...]:
    """Whole numbers given as a list of them, or as a single one."""
    if isinstance(value, (list, tuple)):
        for n in value:
            if type(n) is not int:
                break
        else:  # the usual case: there is nothing to convert
            return tuple(value)
    single = isinstance(value, (str, bytes)) or not isinstance(value, Iterable)
    return tuple(as_ints(op, argument, (value,) if single else value))


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
    raise argument_error(op, argument, "one of " + ", ".join(map(repr, DTYPES)), value)
