"""Reductions over the cells of windows: of pooling, depthwise convolution and the like, with their gradients.

A thread computes four neighbouring results. What the positions of elements have in common at all cells is computed
once (see matrix_view.py). Subsequent elementwise operations are fused.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

from tfpy.engine.gl import templates
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, ensure
from tfpy.engine.gl.maps import Map
from tfpy.engine.gl.matrix_view import MatrixView, matrix_view
from tfpy.engine.gl.pool import Buffer, Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP, VECTOR_GLSL, Fused, interned
from tfpy.engine.gl.value import Value
from tfpy.engine.spec import Spec

_OWN_WORDS = 2
"""Parameters: the number of results, the number of cells."""


class Accumulation(NamedTuple):
    """How a result follows from the elements at its cells, one cell after the other.

    Attributes:
        start: the result without any cell, in GLSL.
        step: the result with one more cell: a format with the result {a}, the elements {0}, {1}, … and the cell {k}.
    """

    start: str
    step: str


SUM = Accumulation("0.", "{a} + {0}")
SUM_OF_PRODUCTS = Accumulation("0.", "fma({0}, {1}, {a})")
MAX_POOL = Accumulation("m_quiet_nan()", "m_isnan({a}) || {0} > {a} ? {0} : {a}")


class Operand(NamedTuple):
    """What a cell adds to each result.

    Attributes:
        source: the array that is read.
        where: the map from (*cells, *results) to it, a gapped one.
        pad: the word that stands for elements outside of it.
    """

    source: Value
    where: Map
    pad: int = 0


class WindowReduction:
    """The task. Its value's inputs, maps and words are the operands' sources, maps and pads."""

    extends = True

    def __init__(self, accumulation: Accumulation, cells: int) -> None:
        self.accumulation = accumulation
        self.cells = cells

    def run(self, device: Device, value: Value) -> Lease:
        lease = device.room(value)
        dtype = value.spec.dtype
        self._compute(device, value, interned((("base", dtype),), ((0, dtype),)), (), (), [lease])
        return lease

    def extend(
        self, device: Device, value: Value, fused: Fused, words: Sequence[int], others: Sequence[Buffer]
    ) -> list[Lease]:
        """Compute the value, and apply the steps to each element; returns a buffer for each of their results."""
        leases = [device.take(value.spec.size * width) for width in fused.widths]
        self._compute(device, value, fused, words, others, leases)
        return leases

    def _compute(
        self, device: Device, value: Value, fused: Fused, words: Sequence[int], others: Sequence[Buffer],
        leases: Sequence[Lease],
    ) -> None:  # fmt: skip
        size, views, own = value.spec.size, [], [value.spec.size, self.cells]
        for where, pad in zip(value.maps or (), value.words, strict=True):
            assert where is not None
            found = matrix_view(where, size, False)
            assert found is not None
            views.append(_View(found, len(where.words) + 1))
            own += [*where.words, pad]
        dtypes = tuple([v.spec.dtype for v in value.inputs])
        key = tuple(views), dtypes, self.accumulation, size % 4 == 0, fused
        program = device.programs.get(("windows", *key), _source, *key, len(words))
        reads = [*[ensure(device, v).buffer for v in value.inputs], *others]
        groups = -(-size // (4 * GROUP))
        device.dispatch(program, reads, [lease.buffer for lease in leases], (*own, *words), groups)


class _View(NamedTuple):
    view: MatrixView
    words: int


_task = functools.lru_cache(maxsize=4096)(WindowReduction)


def over_cells(device: Device, accumulation: Accumulation, operands: Sequence[Operand], cells: int, out: Spec) -> Value:
    """The deferred reduction of so many cells for each element of `out`."""
    sources = tuple([o.source for o in operands])
    value = defer(device, out, _task(accumulation, cells), sources, leaves=len(operands) + 1)
    value.maps, value.words = tuple([o.where for o in operands]), tuple([o.pad for o in operands])
    return value


def _source(
    views: tuple[_View, ...], dtypes: tuple[str, ...], accumulation: Accumulation, exact: bool, fused: Fused, words: int
) -> str:
    """The shader. Results beyond the last one, if they are not `exact` fours, are computed like it and not stored."""
    first, names = _OWN_WORDS, [f"x{n}_" for n in range(len(views))]
    functions, lines = "", []
    for n, ((view, count), dtype, name) in enumerate(zip(views, dtypes, names, strict=True)):
        functions += templates.buffer(n, name, dtype, "readonly", view.vector)
        functions += view.functions(name, dtype, first, word(0), exact, True)
        lines.append(f"Outer{name} outer{n} = outer{name}(o);")
        first += count
    base = fused.base or "float32"
    vec, vector = VECTOR_GLSL[base], exact and fused.vectorizable
    lines.append(f"{vec} a = {vec}({accumulation.start});")
    loads = [
        f"{VECTOR_GLSL[dtype]} e{n} = load{name}(outer{n}, k);"
        for n, (dtype, name) in enumerate(zip(dtypes, names, strict=True))
    ]
    steps = [
        f"a.{c} = {accumulation.step.format(*[f'e{n}.{c}' for n in range(len(views))], a=f'a.{c}', k='k')};"
        for c in "xyzw"
    ]
    text = f"#pragma optionNV(unroll all)\nlayout(local_size_x = {GROUP}) in;\n" + parameters(first + words)
    text += functions + templates.buffers_after(fused, len(views), vector) + templates.element_function(fused, first)
    return f"""{text}
void main() {{
  uint o = ({FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex) * 4u;
  if (o >= {word(0)}) return;
  {" ".join(lines)}
  for (uint k = 0u; k < {word(1)}; k++) {{ {" ".join([*loads, *steps])} }}
  {_store(fused, vector)}
}}
"""


def _store(fused: Fused, vector: bool) -> str:
    if vector:
        return "\n  ".join(templates.stored_in_fours(fused, "o", [f"a.{c}" for c in "xyzw"]))
    each = [" ".join(templates.stored(fused, f"a.{c}")) for c in "xyzw"]
    return "\n  ".join(f"if (o + {q}u < {word(0)}) {{ uint i = o + {q}u; {one} }}" for q, one in enumerate(each))
