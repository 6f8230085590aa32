"""Maps from the flat index of a result to the flat index of an input.

Broadcasting, slicing, transposing, reversing and repeating are the same map with different numbers: the index is split
into coordinates, each coordinate has a stride, and an offset is added to the sum. Maps are interned: equal ones are one
object.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Hashable
from typing import Any, NamedTuple

from tfpy.engine.gl.programs import word
from tfpy.engine.spec import Shape, strides_of

_MASK = 0xFFFFFFFF


def _divisor(size: int) -> tuple[int, int, int]:
    """A divisor as parameters: itself, and the factor and shift that compute quotients of numbers below 2³¹.

    n / d = ⌊n · ⌈2^(32 + s) / d⌉ / 2^(32 + s)⌋ with 2^s < d ≤ 2^(s + 1) (Granlund and Montgomery 1994); the factor 0
    stands for a division by 1.
    """
    if size < 2:
        return size, 0, 0
    shift = (size - 1).bit_length() - 1
    return size, -(-(1 << 32 + shift) // size), shift


def quotient(number: str, first: int) -> str:
    """GLSL: a number divided by a divisor whose parameters begin at `first`."""
    return f"m_quotient({number}, {word(first + 1)}, {word(first + 2)})"


NOWHERE = "0xffffffffu"
"""The index that a map with gaps returns where the result has no element of the input."""

Form = Hashable


class Access(NamedTuple):
    """How the elements of an input are found: by a map of a form, or at the same positions of all or a part of it."""

    form: Form


WHOLE, PART = Access("whole"), Access("part")


class Map:
    """A map of one form; its numbers are parameters.

    Attributes:
        form: 'zero', 'shift', 'mod', 'div', the rank of the general one, or a tuple for one with gaps (see `gapped`).
            Shader keys contain it.
        access: the same, marked as such among the parts of a structure's key.
        words: its numbers.
    """

    __slots__ = ("access", "form", "words")

    def __init__(self, form: Form, words: tuple[int, ...]) -> None:
        self.form = form
        self.access = Access(form)
        self.words = words


@functools.lru_cache(maxsize=4096)
def _interned(form: Form, words: tuple[int, ...]) -> Map:
    return Map(form, words)


ZERO = _interned("zero", ())
"""The map of a scalar: its only element."""


def statements(form: Form, name: str, index: str, first: int) -> str:
    """GLSL that declares `name` as the mapped `index`; the map's numbers are the parameters from `first` on."""
    if form == "zero":
        return f"uint {name} = 0u;"
    if form == "shift":
        return f"uint {name} = {index} + {word(first)};"
    if form == "mod":
        return f"uint {name} = {index} - {quotient(index, first)} * {word(first)} + {word(first + 3)};"
    if form == "div":
        return f"uint {name} = {quotient(index, first)} + {word(first + 3)};"
    if isinstance(form, tuple):
        return _gapped_index(form, name, index, first)
    assert isinstance(form, int)
    return _split_index(form, name, index, first)


def _split_index(rank: int, name: str, index: str, first: int) -> str:
    """Coordinates from the last one on: words are (divisor, stride) of each, the first one's stride, the offset."""
    rest, last = f"r{name}", first + 4 * (rank - 1)
    parts = [f"uint {name} = {word(last + 1)}, {rest} = {index}, q{name};"]
    for at in range(first, last, 4):
        parts.append(f"q{name} = {quotient(rest, at)};")
        parts.append(f"{name} += ({rest} - q{name} * {word(at)}) * {word(at + 3)}; {rest} = q{name};")
    parts.append(f"{name} += {rest} * {word(last)};")
    return " ".join(parts)


def _gapped_index(form: tuple[Any, ...], name: str, index: str, first: int) -> str:
    """Words: divisors by the axes' sizes from the last to the second; of each dimension its numbers as in `gapped`."""
    axes, dimensions = form
    rest, inside, at, whole = f"r{name}", f"b{name}", f"c{name}", f"q{name}"
    parts = [f"uint {name} = 0u, {rest} = {index}, {at}, {whole}; bool {inside} = true;"]
    place = first
    for axis in range(axes - 1, 0, -1):
        parts.append(f"{whole} = {quotient(rest, place)};")
        parts.append(f"uint x{axis}{name} = {rest} - {whole} * {word(place)}; {rest} = {whole};")
        place += 3
    parts.append(f"uint x0{name} = {rest};")
    for along, checked, divided in dimensions:
        terms = [f"{word(place + k)} * x{axis}{name}" for k, axis in enumerate(along)]
        place += len(along)
        parts.append(f"{at} = {' + '.join([word(place), *terms])};")
        place += 1
        if divided:  # negative numbers are above 2³¹, and their quotients wrong
            parts.append(f"{whole} = {quotient(at, place)};")
            parts.append(f"{inside} = {inside} && int({at}) >= 0 && {whole} * {word(place)} == {at}; {at} = {whole};")
            place += 3
        if checked:
            parts.append(f"{inside} = {inside} && {at} < {word(place)};")
            place += 1
        parts.append(f"{name} += {at} * {word(place)};")
        place += 1
    parts.append(f"if (!{inside}) {name} = {NOWHERE};")
    return " ".join(parts)


@functools.lru_cache(maxsize=4096)
def strided(shape: Shape, strides: tuple[int, ...], offset: int = 0) -> Map | None:
    """The map from an index in `shape` to the sum of its coordinates times strides; None if that is the index."""
    dims = _merged(shape, strides)
    if not dims or all(stride == 0 for _, stride in dims):
        return ZERO if offset == 0 else _interned("div", (*_divisor(_MASK), offset))
    if len(dims) == 1 and dims[0][1] == 1:
        return None if offset == 0 else _interned("shift", (offset,))
    if len(dims) == 2 and (dims[0][1], dims[1][1]) == (0, 1):
        return _interned("mod", (*_divisor(dims[1][0]), offset))
    if len(dims) == 2 and (dims[0][1], dims[1][1]) == (1, 0):
        return _interned("div", (*_divisor(dims[1][0]), offset))
    words = [n for size, stride in reversed(dims[1:]) for n in (*_divisor(size), stride & _MASK)]
    return _interned(len(dims), (*words, dims[0][1] & _MASK, offset))


def _merged(shape: Shape, strides: tuple[int, ...]) -> list[tuple[int, int]]:
    """(size, stride) of the axes, without those of size 1, merging neighbors that form a single stride."""
    dims: list[tuple[int, int]] = []
    for size, stride in zip(shape, strides, strict=True):
        if size == 1:
            continue
        if dims and dims[-1][1] == stride * size:
            dims[-1] = dims[-1][0] * size, stride
        else:
            dims.append((size, stride))
    return dims


@functools.lru_cache(maxsize=4096)
def broadcast(shape: Shape, to: Shape) -> Map | None:
    """The map of an array of `shape` that is broadcast to `to`."""
    if shape == to:
        return None
    if math.prod(shape) == 1:
        return ZERO
    own = [0 if n == 1 else s for n, s in zip(shape, strides_of(shape), strict=True)]
    return strided(to, (*[0] * (len(to) - len(shape)), *own))


@functools.lru_cache(maxsize=4096)
def transposed(shape: Shape, perm: tuple[int, ...]) -> Map | None:
    """The map of an array of `shape` with its axes in another order."""
    own = strides_of(shape)
    return strided(tuple(shape[axis] for axis in perm), tuple(own[axis] for axis in perm))


@functools.lru_cache(maxsize=4096)
def sliced(shape: Shape, index: tuple[tuple[int, int, int], ...]) -> Map | None:
    """The map of the part given by (start, step, count) for each axis."""
    own = strides_of(shape)
    offset = sum(start * s for (start, _, _), s in zip(index, own, strict=True))
    steps = tuple(step * s for (_, step, _), s in zip(index, own, strict=True))
    return strided(tuple(count for _, _, count in index), steps, offset)


@functools.lru_cache(maxsize=4096)
def tiled(shape: Shape, reps: tuple[int, ...]) -> Map | None:
    """The map of the repeated array: each axis is viewed as (repetition, position)."""
    own = strides_of(shape)
    both = [n for size, r in zip(shape, reps, strict=True) for n in (r, size)]
    return strided(tuple(both), tuple(n for s in own for n in (0, s)))


class Dimension(NamedTuple):
    """How a coordinate of the input follows from those of the result: (offset + Σ step · coordinate) / divisor.

    If that is not a whole number, or outside of the input, the result has no input element there.

    Attributes:
        steps: (axis of the result, step) pairs.
        size: the input's size; 0 if the coordinate is always inside.
        stride: the distance between neighbors in the input.
    """

    steps: tuple[tuple[int, int], ...]
    stride: int
    offset: int = 0
    divisor: int = 1
    size: int = 0


@functools.lru_cache(maxsize=4096)
def gapped(axes: tuple[int, ...], dimensions: tuple[Dimension, ...]) -> Map:
    """The map from an index in the shape `axes` to an input with these dimensions; NOWHERE where it has no element.

    Axes of size 1 are left out, except for the first one.
    """
    kept = {axis: place for place, axis in enumerate([a for a, n in enumerate(axes) if n > 1 or not a])}
    axes = tuple([axes[axis] for axis in kept])
    dimensions = tuple(
        [d._replace(steps=tuple([(kept[a], step) for a, step in d.steps if a in kept])) for d in dimensions]
    )
    form = len(axes), tuple([(tuple([a for a, _ in d.steps]), d.size > 0, d.divisor > 1) for d in dimensions])
    words = [n for size in reversed(axes[1:]) for n in _divisor(size)]
    for d in dimensions:
        words += [step & _MASK for _, step in d.steps]
        words.append(d.offset & _MASK)
        words += _divisor(d.divisor) if d.divisor > 1 else ()
        words += [d.size] if d.size else []
        words.append(d.stride)
    return _interned(form, tuple(words))


def padded(shape: Shape, paddings: tuple[tuple[int, int], ...]) -> Map:
    """The map of the array with margins; NOWHERE in the margins."""
    axes = tuple([n + before + after for n, (before, after) in zip(shape, paddings, strict=True)])
    rows = zip(shape, paddings, strides_of(shape), strict=True)
    return gapped(
        axes,
        tuple([
            Dimension(((axis, 1),), stride, -before, 1, n if before or after else 0)
            for axis, (n, (before, after), stride) in enumerate(rows)
        ]),
    )  # fmt: skip
