"""Specs of tensors: shape and dtype, and the rules that combine them.

The rules are pure functions of shapes and dtypes; independent of tensors, backends, numpy and user input.
"""

from __future__ import annotations

import functools
import math
import weakref
from collections.abc import Sequence

from tfpy.engine.dtypes import BYTES, DType
from tfpy.engine.errors import ShapeError

Shape = tuple[int, ...]

MAX_SIZE = 2**31 - 1
MAX_RANK = 64  # that of numpy

# bool < int32 < float32 < complex64; string stands alone.
_WIDTH = {"bool": 0, "int32": 1, "float32": 2, "complex64": 3}


specs: weakref.WeakValueDictionary[int, Spec] = weakref.WeakValueDictionary()
"""All live specs, by their `id`."""


class Spec:
    """Shape and dtype of a tensor, with derived numbers.

    Attributes:
        size: the number of elements.
        nbytes: the number of bytes.
        tensors: how many tensors it counts as: a complex one includes its real and imaginary part, as in TF.js.
        held: an object that each live handle of this spec refers to, so that its reference count counts these handles.

    Strings have no fixed width: their specs contain the number of bytes of their values (see `string_spec`).
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
        raise ShapeError(f"invalid shape {list(shape)}: a tensor has {expected}.")
    return Spec(shape, dtype)


def is_possible(shape: Shape) -> bool:
    """Whether an array can have these sizes; numpy limits them even if one is 0."""
    beside_zeros = math.prod([n or 1 for n in shape])
    return len(shape) <= MAX_RANK and min(shape, default=0) >= 0 and beside_zeros <= MAX_SIZE


def strides_of(shape: Sequence[int]) -> tuple[int, ...]:
    """The strides, in elements, of an array in row-major order."""
    strides = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        strides[axis] = strides[axis + 1] * shape[axis + 1]
    return tuple(strides)


def string_spec(shape: Shape, nbytes: int) -> Spec:
    """A string tensor's spec, which counts the UTF-8 bytes of its values."""
    return Spec(shape, "string", nbytes)


def upcast(a: DType, b: DType, op: str = "upcast_type") -> DType:
    """The dtype that can hold values of both (TF.js `upcastType`); `op` is named in the error.

    Raises:
        TypeError: exactly one of them is 'string'.
    """
    if a == b:
        return a
    if "string" in (a, b):
        raise TypeError(f"{op}: dtypes {a} and {b} cannot be combined; strings only combine with strings.")
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
    """Whether a shape broadcasts to another one without changing it."""
    lead = len(to) - len(shape)
    tail = to[lead:]
    return shape == tail or (lead >= 0 and all([m in (1, n) for m, n in zip(shape, tail, strict=True)]))


def broadcast_axes(shape: Shape, to: Shape) -> tuple[int, ...]:
    """The axes of `to` along which `shape` was stretched: those a gradient is summed over."""
    lead = len(to) - len(shape)
    stretched = (lead + i for i, n in enumerate(shape) if n == 1 and to[lead + i] != 1)
    return (*range(lead), *stretched)


@functools.lru_cache(maxsize=4096)
def reduced_shape(shape: Shape, axes: tuple[int, ...], keep_dims: bool) -> Shape:
    """The shape after reducing over non-negative `axes`."""
    if keep_dims:
        return tuple(1 if i in axes else n for i, n in enumerate(shape))
    return tuple(n for i, n in enumerate(shape) if i not in axes)


def are_first(axes: tuple[int, ...]) -> bool:
    """Whether sorted axes are the first ones."""
    return axes == tuple(range(len(axes)))


def are_last(axes: tuple[int, ...], rank: int) -> bool:
    """Whether sorted axes are the last ones."""
    return axes == tuple(range(rank - len(axes), rank))
