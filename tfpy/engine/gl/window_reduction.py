"""Reductions over the cells of windows: of pooling, depthwise convolution and the like, with their gradients.

A thread computes four neighboring results. What the positions of elements have in common at all cells is computed
once (see matrix_view.py). Subsequent elementwise operations are fused.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import NamedTuple

from tfpy.engine.gl import templates
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.epilogue import Epilogue, EpilogueTask
from tfpy.engine.gl.fusion import defer, ensure
from tfpy.engine.gl.maps import Map
from tfpy.engine.gl.matrix_view import MatrixView, matrix_view
from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP, VECTOR_GLSL, Fused
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


class CellView(NamedTuple):
    """An array of which each cell contributes an element to every result.

    Attributes:
        source: the array that is read.
        where: the map from (*cells, *results) to it, a gapped one.
        pad: the word that stands for elements outside of it.
    """

    source: Value
    where: Map
    pad: int = 0


class WindowReduction(EpilogueTask):
    """The task. Its value's inputs, maps and words are the sources, maps and pads of the cells' views."""

    def __init__(self, accumulation: Accumulation, cells: int) -> None:
        self.accumulation = accumulation
        self.cells = cells

    def compute(self, device: Device, value: Value, epilogue: Epilogue, leases: Sequence[Lease]) -> None:
        fused, words, others = epilogue
        size, views, own = value.spec.size, [], [value.spec.size, self.cells]
        for source, where, pad in zip(value.inputs, value.maps or (), value.words, strict=True):
            assert where is not None
            found = matrix_view(where, size, False)
            assert found is not None
            views.append(_View(found, source.spec.dtype, len(where.words) + 1))
            own += [*where.words, pad]
        key = tuple(views), self.accumulation, size % 4 == 0, fused
        program = device.programs.get(("windows", *key), _source, *key, len(words))
        reads = [*[ensure(device, v).buffer for v in value.inputs], *others]
        groups = -(-size // (4 * GROUP))
        device.dispatch(program, reads, [lease.buffer for lease in leases], (*own, *words), groups)


class _View(NamedTuple):
    """A view in a shader: how it is read, its dtype, and how many parameters it has."""

    view: MatrixView
    dtype: str
    words: int


_task = functools.lru_cache(maxsize=4096)(WindowReduction)


def over_cells(device: Device, accumulation: Accumulation, views: Sequence[CellView], cells: int, out: Spec) -> Value:
    """The deferred reduction of `cells` cells for each element of `out`."""
    sources = tuple([v.source for v in views])
    value = defer(device, out, _task(accumulation, cells), sources, leaves=len(views) + 1)
    value.maps, value.words = tuple([v.where for v in views]), tuple([v.pad for v in views])
    return value


def _source(views: tuple[_View, ...], accumulation: Accumulation, exact: bool, fused: Fused, words: int) -> str:
    """The shader. Results beyond the last one, if they are not `exact` fours, are computed like it and not stored."""
    first, begin, loads, functions = _OWN_WORDS, [], [], ""
    for n, (view, dtype, count) in enumerate(views):
        name = f"x{n}_"
        functions += templates.buffer(n, name, dtype, "readonly", view.vector)
        functions += view.functions(name, dtype, first, word(0), exact, True)
        begin.append(f"Outer{name} outer{n} = outer{name}(o);")
        loads.append(f"{VECTOR_GLSL[dtype]} e{n} = load{name}(outer{n}, k);")
        first += count
    vec, vector = VECTOR_GLSL[fused.base or "float32"], exact and fused.vectorizable
    steps = [_accumulate_cell(accumulation, lane, len(views)) for lane in "xyzw"]
    text = f"#pragma optionNV(unroll all)\nlayout(local_size_x = {GROUP}) in;\n" + parameters(first + words)
    text += functions + templates.buffers_after(fused, len(views), vector) + templates.element_function(fused, first)
    return f"""{text}
void main() {{
  uint o = ({FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex) * 4u;
  if (o >= {word(0)}) return;
  {" ".join(begin)}
  {vec} a = {vec}({accumulation.start});
  for (uint k = 0u; k < {word(1)}; k++) {{ {" ".join([*loads, *steps])} }}
  {_store(fused, vector)}
}}
"""


def _accumulate_cell(accumulation: Accumulation, lane: str, views: int) -> str:
    """The statement that takes cell k into one of the four results."""
    elements = [f"e{n}.{lane}" for n in range(views)]
    return f"a.{lane} = {accumulation.step.format(*elements, a=f'a.{lane}', k='k')};"


def _store(fused: Fused, vector: bool) -> str:
    if vector:
        return "\n  ".join(templates.stored_in_vectors(fused, "o", [f"a.{c}" for c in "xyzw"]))
    each = [" ".join(templates.stored(fused, f"a.{c}")) for c in "xyzw"]
    return "\n  ".join(f"if (o + {q}u < {word(0)}) {{ uint i = o + {q}u; {one} }}" for q, one in enumerate(each))
