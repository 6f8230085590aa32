"""Kernels that gather, count or scatter elements by indices.

An index is a row of the last dimension of `indices`; it points to a block of the remaining axes. Indices that the host
has are checked; of others, those out of range gather 0, and what they would scatter is ignored.
"""

from __future__ import annotations

import functools
import math

from tfpy.engine.gl import maps
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, ensure, fuse
from tfpy.engine.gl.maps import NOWHERE, Map
from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.sort import PAIRS, SEGMENT, SegmentSum, sorted_pairs
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.templates import BUFFER_GLSL, FLAT_INDEX, GROUP
from tfpy.engine.gl.trace import Expression, Indexed, Trace
from tfpy.engine.gl.value import Value, stored_bytes
from tfpy.engine.gl.views import MaskedGather, integers_on_host
from tfpy.engine.spec import Shape, Spec, spec
from tfpy.engine.value_checks import check_counted, check_nd_indices

Values = tuple[Value, ...]


_MAX_INDEXED_AXES = 6  # covered by an index


def _block(depth: int) -> tuple[str, str]:
    """GLSL: whether an index {0}, {1}, … points into the sizes {p}, {q}, …, and the number of the block."""
    sizes = "pqrstu"[:depth]
    inside = " && ".join(f"uint({{{i}}}) < {{{n}}}" for i, n in enumerate(sizes))
    number = functools.reduce(
        lambda sum_, i: f"({sum_} * {{{sizes[i]}}} + uint({{{i}}}))", range(1, depth), "uint({0})"
    )
    return inside, number


class _GatherNd(MaskedGather):
    """Elements of the first input in the blocks that the second points to.

    Parameters: the sizes of the indexed axes, the elements of a block, and the 0 for an index out of range.
    """

    def __init__(self, dtype: str, depth: int) -> None:
        super().__init__(dtype)
        inside, number = _block(depth)
        place = f"{number} * {{{'pqrstuv'[depth]}}} + {{{depth}}} % {{{'pqrstuv'[depth]}}}"
        self._place = Expression(f"({inside} ? {place} : {NOWHERE})", "uint", ("uint",) * (depth + 1))

    def trace(self, trace: Trace, v: Value, index: int) -> int:
        picks = [trace.value(v.inputs[1], trace.map(v, i, index)) for i in range(len(v.maps or ()))]
        return self.element(trace, v, trace.add(self._place, trace.words_of(v), *picks, index))


@functools.cache
def _gathering(dtype: str, depth: int) -> _GatherNd:
    return _GatherNd(dtype, depth)


@functools.cache
def _numbering(depth: int) -> Expression:
    inside, number = _block(depth)
    return Expression(f"({inside} ? int({number}) : -1)", "int32", ("uint",) * depth)


def _components(depth: int, count: int, repeats: int) -> tuple[Map | None, ...]:
    """The positions of the components of each index; each index is used for `repeats` consecutive elements."""
    return tuple([maps.strided((count, repeats), (depth, 0), i) for i in range(depth)])


def _check(device: Device, op: str, indices: Value, shape: Shape) -> None:
    numbers = integers_on_host(device, indices)
    if numbers is not None:
        check_nd_indices(op, numbers, shape)


def _gather_nd(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, indices = values
    depth = indices.spec.shape[-1]
    if out.dtype not in ("float32", "int32", "bool") or not 0 < depth <= _MAX_INDEXED_AXES or not x.spec.size:
        return None
    _check(device, "gather_nd", indices, x.spec.shape)
    tail = math.prod(x.spec.shape[depth:])
    words = (*x.spec.shape[:depth], tail, 0)
    where = _components(depth, indices.spec.size // depth, tail)
    return fuse(device, out, _gathering(out.dtype, depth), values, where, words)


def _numbers(device: Device, op: str, indices: Value, shape: Shape) -> Value:
    """The number of the block that each index points to; -1 for none."""
    _check(device, op, indices, shape)
    depth = indices.spec.shape[-1]
    count = indices.spec.size // depth
    where = _components(depth, count, 1)
    return fuse(device, spec((count,), "int32"), _numbering(depth), (indices,) * depth, where, shape[:depth])


def _scatter_nd(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    indices, updates = values
    depth = indices.spec.shape[-1] if indices.spec.size else 0
    if out.dtype not in ("float32", "int32", "complex64") or not 0 < depth <= _MAX_INDEXED_AXES:
        return None
    if indices.spec.size // depth > device.most_iterations:
        return None
    numbers = _numbers(device, "scatter_nd", indices, out.shape)
    return defer(device, out, SegmentSum(math.prod(out.shape[:depth])), (updates, numbers))


class _Update:
    """The task: blocks of the first input replaced by those of the third with the same number in the second."""

    takes_epilogue = False

    def __init__(self, blocks: int) -> None:
        self.blocks = blocks

    def run(self, device: Device, value: Value) -> Lease:
        tensor, numbers, updates = (ensure(device, v) for v in value.inputs)
        rows = value.inputs[1].spec.size
        pairs = sorted_pairs(device, numbers, "int32", 1, rows, SEGMENT, self.blocks)
        dtype, size = value.spec.dtype, value.spec.size
        program = device.programs.get(("update", dtype), _updated, dtype)
        lease = device.take(stored_bytes(value.spec))
        reads = [tensor.buffer, updates.buffer, pairs.buffer]
        words = (size, size // self.blocks, rows)
        device.dispatch(program, reads, [lease.buffer], words, -(-size // GROUP))
        return lease


def _updated(dtype: str) -> str:
    kind = BUFFER_GLSL[dtype]
    return f"""layout(local_size_x = {GROUP}) in;
{parameters(3)}
layout(std430, binding = 0) readonly buffer A {{ {kind} a[]; }};
layout(std430, binding = 1) readonly buffer B {{ {kind} b[]; }};
layout(std430, binding = 2) readonly {PAIRS}
layout(std430, binding = 3) writeonly buffer C {{ {kind} c[]; }};
void main() {{
  uint i = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex, block = i / {word(1)};
  if (i >= {word(0)}) return;
  uint low = 0u, high = {word(2)};
  while (low < high) {{
    uint middle = (low + high) >> 1;
    if (pairs[middle].x <= block) low = middle + 1u; else high = middle;
  }}
  bool found = low > 0u && pairs[low - 1u].x == block;
  c[i] = found ? b[pairs[low - 1u].y * {word(1)} + i % {word(1)}] : a[i];
}}
"""


def _tensor_scatter_update(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    tensor, indices, updates = values
    depth = indices.spec.shape[-1] if indices.spec.size else 0
    if out.dtype not in BUFFER_GLSL or not 0 < depth <= _MAX_INDEXED_AXES:
        return None
    numbers = _numbers(device, "tensor_scatter_update", indices, out.shape)
    return defer(device, out, _Update(math.prod(out.shape[:depth])), (tensor, numbers, updates))


class _Search:
    """The task: for each value, its position in a sorted row, by bisection; NaN compares false."""

    takes_epilogue = False

    def __init__(self, side: str) -> None:
        self.side = side

    def run(self, device: Device, value: Value) -> Lease:
        rows, values = value.inputs
        reads = [ensure(device, v).buffer for v in (rows, values)]
        dtype = rows.spec.dtype
        program = device.programs.get(("search", dtype, self.side), _bisection, dtype, self.side)
        lease = device.take(stored_bytes(value.spec))
        size = value.spec.size
        words = (size, value.spec.shape[1], rows.spec.shape[1])
        device.dispatch(program, reads, [lease.buffer], words, -(-size // GROUP))
        return lease


def _bisection(dtype: str, side: str) -> str:
    kind = BUFFER_GLSL[dtype]
    return f"""layout(local_size_x = {GROUP}) in;
{parameters(3)}
layout(std430, binding = 0) readonly buffer A {{ {kind} a[]; }};
layout(std430, binding = 1) readonly buffer B {{ {kind} b[]; }};
layout(std430, binding = 2) writeonly buffer C {{ int c[]; }};
void main() {{
  uint i = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex;
  if (i >= {word(0)}) return;
  uint from = i / {word(1)} * {word(2)}, low = 0u, high = {word(2)};
  while (low < high) {{
    uint middle = (low + high) >> 1;
    if (a[from + middle] {"<" if side == "left" else "<="} b[i]) low = middle + 1u; else high = middle;
  }}
  c[i] = int(low);
}}
"""


def _search_sorted(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    if values[0].spec.dtype not in ("float32", "int32") or values[1].spec.dtype != values[0].spec.dtype:
        return None
    return defer(device, out, _Search(attrs["side"]), values) if values[0].spec.size else None


# {0} is a number, {1} its index among rows of {q} elements; there are {p} numbers to count.
_COUNTED = Indexed("(uint({0}) < {p} ? int({1} / {q} * {p}) + {0} : -1)", "int32", ("uint", "uint"))
_OCCURS = {
    "float32": Expression("float({0} > 0)", "float32"),
    "int32": Expression("int({0} > 0)", "int32"),
    "bool": Expression("({0} > 0)", "bool"),
}


def _dense_bincount(device: Device, values: Values, attrs: Attrs, out: Spec) -> Value | None:
    x, weights = values
    binary = attrs["binary_output"]
    if out.dtype not in (_OCCURS if binary else ("float32", "int32")) or not x.spec.size:
        return None
    if x.spec.size > device.most_iterations:
        return None
    found = integers_on_host(device, x)
    if found is not None:
        check_counted(found)
    numbers = fuse(device, spec((x.spec.size,), "int32"), _COUNTED, (x,), None, (attrs["size"], x.spec.shape[-1]))
    if not binary:
        return defer(device, out, SegmentSum(out.size), (weights, numbers))
    ones = Value(spec(x.spec.shape, "int32"), word=1)
    counts = defer(device, spec(out.shape, "int32"), SegmentSum(out.size), (ones, numbers))
    return fuse(device, out, _OCCURS[out.dtype], (counts,))


KERNELS.update(
    {
        "DenseBincount": _dense_bincount,
        "GatherNd": _gather_nd,
        "ScatterNd": _scatter_nd,
        "SearchSorted": _search_sorted,
        "TensorScatterUpdate": _tensor_scatter_update,
    }
)
