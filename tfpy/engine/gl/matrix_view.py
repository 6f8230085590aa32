"""Matrices that are views of an array: the position of an element is a sum of one part by its row, one by its column.

A thread of a matrix product computes the parts by its outer indices once, and at each inner step one part by the inner
index, instead of splitting the index of every element into coordinates.
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

from tfpy.engine.gl.maps import Map, quotient
from tfpy.engine.gl.programs import word
from tfpy.engine.gl.templates import VECTOR_GLSL


class _Dimension(NamedTuple):
    """A dimension of the array; its coordinate is an offset plus a step for each coordinate of the view.

    Attributes:
        steps: (axis of the view, parameter).
        offset: a parameter.
        divisor: where the divisor of this begins, if it has one; a fraction is outside of the array.
        size: the parameter that the coordinate must be below; None if it always is.
        stride: the parameter by which it counts; None for 1.
    """

    steps: tuple[tuple[int, int], ...]
    offset: int
    divisor: int | None
    size: int | None
    stride: int | None

    def gaps(self) -> bool:
        """Whether the view has elements that are outside of the array along this dimension."""
        return self.size is not None or self.divisor is not None


class _Layout(NamedTuple):
    """The parameters of a map, numbered from its first.

    Attributes:
        divisors: for each axis of the view but the first, where the divisor by its size begins.
        pad: the number that stands for elements outside of the array.
    """

    divisors: tuple[int, ...]
    dimensions: tuple[_Dimension, ...]
    pad: int


def _layout(form: Any) -> _Layout | None:
    """Where a map of this form has its numbers; None if it has no coordinates."""
    if isinstance(form, int):
        at = [4 * (form - 1 - axis) for axis in range(form)]
        steps = tuple([(axis, at[axis] + (3 if axis else 0)) for axis in range(form)])
        return _Layout(tuple(at[1:]), (_Dimension(steps, at[0] + 1, None, None, None),), at[0] + 2)
    if not isinstance(form, tuple):
        return None
    axes, rows = form
    dimensions, place = [], 3 * (axes - 1)
    for along, checked, divided in rows:
        steps = tuple([(axis, place + k) for k, axis in enumerate(along)])
        offset = place + len(along)
        divisor, size = offset + 1 if divided else None, offset + 1 + 3 * divided
        place = size + checked + 1
        dimensions.append(_Dimension(steps, offset, divisor, size if checked else None, place - 1))
    return _Layout(tuple([3 * (axes - 1 - axis) for axis in range(1, axes)]), tuple(dimensions), place)


class MatrixView(NamedTuple):
    """How a shader reads a matrix that is a view.

    Attributes:
        form: of the map from the matrix to the array.
        row_axes: how many of the map's axes are those of the rows.
        inner_is_column: whether the inner index of the product is that of the columns.
        vector: four outer neighbors are also neighbors in the array, and read at once.
    """

    form: Any
    row_axes: int
    inner_is_column: bool
    vector: bool

    def functions(self, name: str, dtype: str, first: int, outer: str, exact: bool, exact_inner: bool) -> str:
        """GLSL: the parts by four outer indices from o on, `outer{name}(o)`; their elements, `load{name}(parts, k)`.

        Args:
            dtype: of the buffer, which has the given name.
            first: the first parameter.
            outer: how many outer indices there are.
            exact: there are no outer indices beyond the last one, as which they are read otherwise.
            exact_inner: there are no inner indices beyond the last one, which are zeros otherwise.
        """
        layout = _layout(self.form)
        assert layout is not None
        inwards, outwards = _sides(layout, self.row_axes, self.inner_is_column)
        source = _Source(layout, name, dtype, first, self.vector, exact, exact_inner)
        return source.outer(outwards, outer) + source.load(inwards)


class _Source(NamedTuple):
    """The source of both functions; the attributes are the arguments of `MatrixView.functions`."""

    layout: _Layout
    name: str
    dtype: str
    first: int
    vector: bool
    exact: bool
    exact_inner: bool

    def _gaps(self) -> list[tuple[int, _Dimension]]:
        """The dimensions along which elements may be outside of the array."""
        return [(d, row) for d, row in enumerate(self.layout.dimensions) if row.gaps()]

    def outer(self, axes: range, size: str) -> str:
        """The struct of what is kept of outer indices, and the function that computes it."""
        name, fields = self.name, ["at", *(f"c{d}" for d, _ in self._gaps())]
        kind, lane, each = ("uint", "", "") if self.vector else ("uvec4", "[q]", "for (uint q = 0u; q < 4u; q++) ")
        index = "o" if self.vector else "(o + q)"
        index = index if self.exact else f"min({index}, {size} - {'4u' if self.vector else '1u'})"
        lines = [f"uint i = {index};", *self._split(axes, True)]
        lines += [f"parts.{field}{lane} = {field};" for field in fields]
        return f"""struct Outer{name} {{ {kind} {", ".join(fields)}; }};
Outer{name} outer{name}(uint o) {{
  Outer{name} parts;
  {each}{{ {" ".join(lines)} }}
  return parts;
}}
"""

    def load(self, axes: range) -> str:
        """The function that reads four elements.

        Elements outside of the array are read at its start, and replaced: with branches, loads would wait for one
        another. Coordinates before the first are large numbers.
        """
        vec = VECTOR_GLSL[self.dtype]
        kind, shift, lanes = ("uint", " >> 2", [""]) if self.vector else ("uvec4", "", [".x", ".y", ".z", ".w"])
        pad = self._word(self.layout.pad, self.dtype)
        lines = [] if self.exact_inner else ["bool within = k < to; k = min(k, to - 1u);"]
        lines += ["uint i = k;", *self._split(axes, False), f"{kind} place = parts.at + at;"]
        guarded = list(enumerate(lanes)) if self._gaps() else []
        for n, lane in guarded:
            lines += [*self._inside(n, lane), f"place{lane} = in{n} ? place{lane} : 0u;"]
        lines.append(f"{vec} v = {vec}({', '.join(f'{self.name}[place{lane}{shift}]' for lane in lanes)});")
        lines += [f"v{lane} = in{n} ? v{lane} : {f'{vec}({pad})' if self.vector else pad};" for n, lane in guarded]
        lines.append("return v;" if self.exact_inner else f"return within ? v : {vec}(0);")
        body = "\n  ".join(lines)
        return f"{vec} load{self.name}(Outer{self.name} parts, uint k) {{\n  {body}\n}}\n"

    def _inside(self, n: int, lane: str) -> list[str]:
        """Statements that find out whether element n is inside, and add what divided coordinates contribute."""
        lines = [f"bool in{n} = true;"]
        for d, row in self._gaps():
            at = f"d{d}_{n}"
            lines.append(f"uint {at} = parts.c{d}{lane} + c{d};")
            if row.divisor is not None:  # negative numbers are above 2³¹, and their quotients wrong
                divided = f"e{d}_{n}"
                lines.append(f"uint {divided} = {quotient(at, self.first + row.divisor)};")
                lines.append(f"in{n} = in{n} && int({at}) >= 0 && {divided} * {self._word(row.divisor)} == {at};")
                lines.append(f"{at} = {divided}; place{lane} += {self._scaled(at, row)};")
            if row.size is not None:
                lines.append(f"in{n} = in{n} && {at} < {self._word(row.size)};")
        return lines

    def _scaled(self, coordinate: str, row: _Dimension) -> str:
        return coordinate if row.stride is None else f"{coordinate} * {self._word(row.stride)}"

    def _word(self, place: int, dtype: str = "uint") -> str:
        return word(self.first + place, dtype)

    def _split(self, axes: range, offsets: bool) -> list[str]:
        """Statements that split i into the coordinates of these axes, and add up what they contribute."""
        lines = []
        for axis in reversed(axes[1:]):
            at = self.layout.divisors[axis - 1]
            divided = quotient("i", self.first + at)
            lines.append(f"uint q{axis} = {divided}, x{axis} = i - q{axis} * {self._word(at)}; i = q{axis};")
        lines += [f"uint x{axes[0]} = i;"] if axes else []
        total = []
        for d, row in enumerate(self.layout.dimensions):
            terms = [f"{self._word(place)} * x{axis}" for axis, place in row.steps if axis in axes]
            terms += [self._word(row.offset)] if offsets else []
            lines.append(f"uint c{d} = {' + '.join(terms) or '0u'};")
            total += [self._scaled(f"c{d}", row)] if row.divisor is None else []
        return [*lines, f"uint at = {' + '.join(total) or '0u'};"]


@functools.lru_cache(maxsize=4096)
def matrix_view(where: Map, columns: int, inner_is_column: bool) -> MatrixView | None:
    """The view by a map, if its axes are those of the rows followed by those of `columns` columns."""
    layout = _layout(where.form)
    if layout is None:
        return None
    total, row_axes = 1, 1 + len(layout.divisors)
    while total < columns and row_axes > 1:
        row_axes -= 1
        total *= where.words[layout.divisors[row_axes - 1]]
    if total != columns:
        return None
    vector = not inner_is_column and _has_aligned_vectors(where.words, layout)
    return MatrixView(where.form, row_axes, inner_is_column, vector)


def _sides(layout: _Layout, row_axes: int, inner_is_column: bool) -> tuple[range, range]:
    """The axes of the inner index, and of the outer one."""
    rows, columns = range(row_axes), range(row_axes, 1 + len(layout.divisors))
    return (columns, rows) if inner_is_column else (rows, columns)


def _has_aligned_vectors(words: tuple[int, ...], layout: _Layout) -> bool:
    """Whether the last axis runs along the array, in groups of four that begin at multiples of four."""
    last = len(layout.divisors)
    runs = False
    for row in layout.dimensions:
        stride = 1 if row.stride is None else words[row.stride]
        if row.divisor is not None:
            if stride % 4 or last in [axis for axis, _ in row.steps]:
                return False
            continue
        if words[row.offset] * stride % 4:
            return False
        for axis, place in row.steps:
            if axis != last and words[place] * stride % 4:
                return False
            if axis == last and (words[place] * stride != 1 or row.size is not None):
                return False
            runs |= axis == last
    return runs and bool(layout.divisors) and words[layout.divisors[-1]] % 4 == 0  # a single axis has any size
