"""Kernels that reduce along axes. The input is viewed as (columns, length); preceding elementwise work is fused.

Each column has a number of threads, its lanes; a lane adds up every n-th element, and the lanes are combined in a tree.
With few columns, the length is split into chunks, which the last group to finish combines. The order is always the
same, so that equal inputs yield equal bits.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

from tfpy.engine.gl import templates
from tfpy.engine.gl.arrivals import MAX_COUNTERS
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, fuse, view
from tfpy.engine.gl.maps import transposed
from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.programs import word
from tfpy.engine.gl.prologue import Prologue
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP
from tfpy.engine.gl.trace import Expression
from tfpy.engine.gl.value import Value, float_bits
from tfpy.engine.spec import Shape, Spec, spec

_ENOUGH_GROUPS = 2 * MAX_COUNTERS  # up to half as many share their work, and have a counter each
_MIN_ELEMENTS_PER_LANE = 16  # of a chunk
_MANY_THREADS = 1 << 18


class Operation(NamedTuple):
    """How elements are combined.

    Attributes:
        kind: the GLSL type of the combined values.
        lift: converts an element x at position r along the length to it.
        combine: combines a and b.
        neutral: the neutral element.
        lower: converts the combination a to the stored result.
    """

    kind: str
    lift: str
    combine: str
    neutral: str
    lower: str = "a"


OPERATIONS = {
    ("Sum", "float32"): Operation("float", "x", "a + b", "0."),
    ("Sum", "int32"): Operation("int", "x", "a + b", "0"),
    ("Sum", "complex64"): Operation("vec2", "x", "a + b", "vec2(0.)"),
    ("Prod", "float32"): Operation("float", "x", "a * b", "1."),
    ("Prod", "int32"): Operation("int", "x", "a * b", "1"),
    ("Prod", "complex64"): Operation("vec2", "x", "m_cmul(a, b)", "vec2(1., 0.)"),
    ("Max", "float32"): Operation("float", "x", "m_max(a, b)", "-m_inf()"),
    ("Max", "int32"): Operation("int", "x", "max(a, b)", "int(0x80000000u)"),
    ("MaxPool", "float32"): Operation("float", "x", "m_isnan(a) || b > a ? b : a", "m_quiet_nan()"),
    ("Max", "bool"): Operation("int", "int(x)", "a | b", "0"),
    ("Min", "float32"): Operation("float", "x", "m_min(a, b)", "m_inf()"),
    ("Min", "int32"): Operation("int", "x", "min(a, b)", "0x7fffffff"),
    ("Min", "bool"): Operation("int", "int(x)", "a & b", "1"),
    ("All", "bool"): Operation("int", "int(x)", "a & b", "1"),
    ("Any", "bool"): Operation("int", "int(x)", "a | b", "0"),
}


def _arg(key: str) -> Operation:
    """The position of the largest key; of equal ones, the first."""
    larger = "(b.x > a.x || (b.x == a.x && b.y < a.y)) ? b : a"
    return Operation("uvec2", f"uvec2({key}, r)", larger, "uvec2(0u, 0xffffffffu)", "int(a.y)")


def _float_key(x: str) -> str:
    """Unsigned numbers in the order of floats; NaN sorts last, or first if it is the first element."""
    ordered = f"({x} == 0. ? 0x80000000u : (floatBitsToInt({x}) < 0 ? ~floatBitsToUint({x}) : "
    return f"(m_isnan(x) ? (r == 0u ? 0xffffffffu : 0u) : {ordered}floatBitsToUint({x}) | 0x80000000u)))"


OPERATIONS |= {
    ("ArgMax", "float32"): _arg(_float_key("x")),
    ("ArgMin", "float32"): _arg(_float_key("(-x)")),
    ("ArgMax", "int32"): _arg("uint(x) ^ 0x80000000u"),
    ("ArgMin", "int32"): _arg("~(uint(x) ^ 0x80000000u)"),
    ("ArgMax", "bool"): _arg("uint(x)"),
    ("ArgMin", "bool"): _arg("1u - uint(x)"),
}


class Layout(NamedTuple):
    """How the threads of a group share the work; a shader is compiled for each.

    Attributes:
        lanes: the number of threads for a column.
        along: neighboring threads read neighbors along the length, not along the columns.
    """

    lanes: int
    along: bool

    def columns(self) -> int:
        """How many columns a group works on."""
        return GROUP // self.lanes


class Reduction:
    """The task: combine the input, viewed as (outer, length, inner), along the length."""

    takes_epilogue = False

    def __init__(self, name: str, operation: Operation, outer: int, length: int, inner: int) -> None:
        self.name = name
        self.operation = operation
        self.columns, self.length = outer * inner, length
        self.layout = _layout(self.columns, length, inner)
        self.groups = -(-self.columns // self.layout.columns())
        self.chunks = _chunks(self.groups, length, self.layout.lanes)
        self.words = (self.columns, length, inner, -(-length // self.chunks))

    def run(self, device: Device, value: Value) -> Lease:
        prologue = Prologue(device, value, 4)
        operation, layout, whole = self.operation, self.layout, self.chunks == 1
        key = ("reduce", self.name, layout, whole, prologue.fused)
        program = device.programs.get(key, _source, prologue, operation, layout, whole)
        lease = device.room(value)
        further = []
        if not whole:
            parts = device.take(self.chunks * self.columns * _width(operation))
            further = [parts.buffer, device.arrivals.take()]
        prologue.dispatch(program, lease.buffer, self.words, self.groups, self.chunks, further)
        return lease


def _layout(columns: int, length: int, inner: int) -> Layout:
    if inner == 1 or columns == 1:
        return Layout(lanes_for(columns, length), True)
    if length <= 16 or (length <= 64 and columns >= 1 << 16):
        return Layout(1, False)
    return Layout(1 if columns >= 1 << 14 else 16, False)


def lanes_for(rows: int, length: int) -> int:
    """How many threads work on a row: few if there are many rows, since combining their results takes time."""
    lanes = 1
    while (lanes < 8 and lanes * 8 < length) or (lanes < GROUP and lanes * 32 < length):
        lanes *= 2
    while lanes < GROUP and lanes * 4 <= length and rows * lanes < _MANY_THREADS:
        lanes *= 2
    return lanes


def _chunks(groups: int, length: int, lanes: int) -> int:
    wanted = min(_ENOUGH_GROUPS // groups, length // (lanes * _MIN_ELEMENTS_PER_LANE))
    return wanted if wanted > 1 else 1


def _width(operation: Operation) -> int:
    return 8 if operation.kind in ("vec2", "uvec2") else 4


def _source(prologue: Prologue, operation: Operation, layout: Layout, whole: bool) -> str:
    """Parameters: the columns, the length, the elements between neighbors along it, the length of a chunk."""
    kind, lanes, columns = operation.kind, layout.lanes, layout.columns()
    precise = "precise " if kind in ("float", "vec2") else ""
    lane, column = (f"t % {lanes}u", f"t / {lanes}u") if layout.along else (f"t / {columns}u", f"t % {columns}u")
    element = templates.PLAIN[prologue.dtype]
    return f"""layout(local_size_x = {GROUP}) in;
{prologue.source()}
layout(std430, binding = {prologue.out_binding}) writeonly buffer OUT {{ {_stored_kind(operation)} result[]; }};
{"" if whole else _buffers_of_chunks(prologue, kind)}
{kind} combine({kind} a, {kind} b) {{ {precise}{kind} c = {operation.combine}; return c; }}
{f"shared {kind} s[{GROUP}];" if lanes > 1 else ""}
void main() {{
  uint t = gl_LocalInvocationIndex, lane = {lane}, j = {FLAT_INDEX} * {columns}u + {column};
  uint from = gl_WorkGroupID.z * {word(3)}, to = min(from + {word(3)}, {word(1)});
  uint start = j / {word(2)} * ({word(1)} * {word(2)}) + j % {word(2)};
  {kind} q[4], a;
  {_combination(operation, layout, element, "read(at)", operation.lift, word(2))}
  {"" if whole else _combination_of_chunks(operation, layout)}
  if (lane == 0u && j < {word(0)}) result[j] = {operation.lower};
}}
"""


def _combination(operation: Operation, layout: Layout, element: str, load: str, lift: str, step: str) -> str:
    """Statements: a, of each column's first lane, becomes the combination of what is loaded between `from` and `to`.

    A thread reads four elements before it combines them, so that it does not wait for each.
    """
    lanes = layout.lanes
    places = [f"uint at = start + (i + {k * lanes}u) * {step};" for k in range(4)]
    loads = " ".join(f"{element} x{k}; {{ {at} x{k} = {load}; }}" for k, at in enumerate(places))
    add = [f"uint r = i + {k * lanes}u; {element} x = {{}}; q[{k}] = combine(q[{k}], {lift});" for k in range(4)]
    all_four = " ".join(f"{{ {a.format(f'x{k}')} }}" for k, a in enumerate(add))
    rest = " ".join(
        f"if (i + {k * lanes}u < to) {{ {at} {a.format(load)} }}"
        for k, (at, a) in enumerate(zip(places, add, strict=True))
    )
    tree = f"""
  s[t] = a; barrier();
  for (uint h = {lanes // 2}u; h > 0u; h >>= 1) {{
    if (lane < h) s[t] = combine(s[t], s[t + h * {1 if layout.along else layout.columns()}u]);
    barrier();
  }}
  a = s[t];"""
    return f"""
  for (int k = 0; k < 4; k++) q[k] = {operation.neutral};
  if (j < {word(0)}) {{
    uint i = from + lane;
    for (; i + {3 * lanes}u < to; i += {4 * lanes}u) {{ {loads} {all_four} }}
    {rest}
  }}
  a = combine(combine(q[0], q[1]), combine(q[2], q[3]));{tree if lanes > 1 else ""}"""


def _buffers_of_chunks(prologue: Prologue, kind: str) -> str:
    binding = prologue.further_binding
    return f"""layout(std430, binding = {binding}) coherent buffer PARTS {{ {kind} part[]; }};
layout(std430, binding = {binding + 1}) coherent buffer COUNTERS {{ uint done[]; }};
shared uint earlier;"""


def _combination_of_chunks(operation: Operation, layout: Layout) -> str:
    """Statements: the last of the groups that share columns combines their parts, always in the same order."""
    return f"""
  if (lane == 0u && j < {word(0)}) part[gl_WorkGroupID.z * {word(0)} + j] = a;
  memoryBarrierBuffer(); barrier();
  if (t == 0u) earlier = atomicAdd(done[gl_WorkGroupID.x], 1u);
  barrier();
  if (earlier + 1u < gl_NumWorkGroups.z) return;
  memoryBarrierBuffer();
  if (t == 0u) done[gl_WorkGroupID.x] = 0u;
  from = 0u; to = gl_NumWorkGroups.z; start = j;
  {_combination(operation, layout, operation.kind, "part[at]", "x", word(0))}"""


def _stored_kind(operation: Operation) -> str:
    return "int" if operation.kind == "uvec2" else operation.kind


reduction = functools.lru_cache(maxsize=4096)(Reduction)
"""The task for such a reduction, cached: how the threads share the work is computed once."""


@functools.lru_cache(maxsize=4096)
def _blocks(shape: Shape, axes: tuple[int, ...]) -> tuple[int, int, int] | None:
    """(outer, length, inner) if the reduced axes are adjacent, ignoring axes of size 1."""
    flags = [i in axes for i, n in enumerate(shape) if n > 1]
    sizes = [n for n in shape if n > 1]
    first = flags.index(True)
    last = len(flags) - 1 - flags[::-1].index(True)
    if not all(flags[first : last + 1]):
        return None
    return math.prod(sizes[:first]), math.prod(sizes[first : last + 1]), math.prod(sizes[last + 1 :])


def _reduce(name: str) -> Any:
    def build(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
        x = values[0]
        axes = attrs["axes"] if "axes" in attrs else (attrs["axis"],)
        operation = OPERATIONS.get((name, x.spec.dtype))
        if operation is None or not x.spec.size:
            return None
        if out.size == x.spec.size:
            return Value(out, word=0) if operation.lower != "a" else view(device, out, x, None)
        blocks = _blocks(x.spec.shape, axes)
        if blocks is None:
            shape = x.spec.shape
            kept = tuple(i for i in range(len(shape)) if i not in axes)
            moved = spec(tuple(shape[i] for i in (*kept, *axes)), x.spec.dtype)
            x = view(device, moved, x, transposed(shape, (*kept, *axes)))
            blocks = out.size, x.spec.size // out.size, 1
        return defer(device, out, reduction(name, operation, *blocks), (x,))

    return build


_SHARE = Expression("m_div({0}, {p})", "float32", ("float32",))


def _mean(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
    """The sum of the elements' shares, as in TF.js; dividing first costs nothing here."""
    x = values[0]
    if out.dtype != "float32" or not x.spec.size or x.spec.dtype != "float32":
        return None
    count = x.spec.size // out.size
    if count > 1:
        x = fuse(device, x.spec, _SHARE, (x,), None, (float_bits(count),))
    found: Value | None = KERNELS["Sum"](device, (x,), attrs, out)
    return found


KERNELS["Mean"] = _mean
KERNELS.update({name: _reduce(name) for name in ("All", "Any", "ArgMax", "ArgMin", "Max", "Min", "Prod", "Sum")})
