"""Running sums and products along an axis."""

from __future__ import annotations

import math

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import CONCURRENT_ROW_GROUPS, defer, groups_of
from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.programs import word
from tfpy.engine.gl.prologue import Prologue
from tfpy.engine.gl.reduce import OPERATIONS, Operation, lanes_for
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP
from tfpy.engine.gl.value import Value, stored_bytes
from tfpy.engine.spec import Spec

_SHORT_LINE_ELEMENTS = 16  # lines up to this length are processed by a single thread
_SHORT_LINE_ELEMENTS_ABREAST = 256  # the same if neighboring threads process adjacent lines
_MANY_LINES = 1 << 13  # with this many adjacent ones, a single thread processes lines of any length


class _Scan:
    """The task for lines of `length` elements, `inner` apart."""

    takes_epilogue = False

    def __init__(self, name: str, length: int, inner: int, exclusive: bool, reverse: bool) -> None:
        self.name = name
        self.length, self.inner = length, inner
        self.exclusive, self.reverse = exclusive, reverse

    def run(self, device: Device, value: Value) -> Lease:
        lines = value.spec.size // self.length
        lanes = self._lanes(lines)
        operation = OPERATIONS[self.name, value.spec.dtype]
        prologue = Prologue(device, value, 4)
        key = ("scan", self.name, lanes, self.exclusive, prologue.fused)
        program = device.programs.get(key, _source, prologue, operation, self.exclusive, lanes)
        lease = device.take(stored_bytes(value.spec))
        words = (lines, self.length, self.inner, int(self.reverse))
        groups = -(-lines * lanes // GROUP)
        groups = groups if lanes == 1 else groups_of(groups, 2 * stored_bytes(value.spec), CONCURRENT_ROW_GROUPS)
        prologue.dispatch(program, lease.buffer, words, groups)
        return lease

    def _lanes(self, lines: int) -> int:
        """How many threads process a line."""
        abreast = self.inner > 1 and (self.length <= _SHORT_LINE_ELEMENTS_ABREAST or lines >= _MANY_LINES)
        return 1 if self.length <= _SHORT_LINE_ELEMENTS or abreast else lanes_for(lines, self.length)


def _source(prologue: Prologue, operation: Operation, exclusive: bool, lanes: int) -> str:
    main = _scan_by_thread(operation, exclusive) if lanes == 1 else _scan_by_lanes(operation, exclusive, lanes)
    return _head(prologue, operation) + main


def _head(prologue: Prologue, operation: Operation) -> str:
    """Parameters: lines, their length, the distance of neighbors, whether they run backwards."""
    kind = operation.kind
    precise = "precise " if kind != "int" else ""
    return f"""layout(local_size_x = {GROUP}) in;
{prologue.source()}
layout(std430, binding = {prologue.out_binding}) writeonly buffer OUT {{ {kind} result[]; }};
{kind} combine({kind} a, {kind} b) {{ {precise}{kind} c = {operation.combine}; return c; }}
uint first_of(uint line) {{
  uint first = line / {word(2)} * ({word(1)} * {word(2)}) + line % {word(2)};
  return {word(3)} != 0u ? first + ({word(1)} - 1u) * {word(2)} : first;
}}
"""


_STEP = f"{word(3)} != 0u ? 0u - {word(2)} : {word(2)}"


def _scan_by_thread(operation: Operation, exclusive: bool) -> str:
    store = "result[at] = sum; sum = combine(sum, x);" if exclusive else "sum = combine(sum, x); result[at] = sum;"
    return f"""
void main() {{
  uint line = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex, at = first_of(line), step = {_STEP};
  if (line >= {word(0)}) return;
  {operation.kind} sum = {operation.neutral};
  for (uint r = 0u; r < {word(1)}; r++) {{ {operation.kind} x = read(at); {store} at += step; }}
}}
"""


def _scan_by_lanes(operation: Operation, exclusive: bool, lanes: int) -> str:
    """A group processes a stretch of sets of lines, usually one. Lanes share a line, and carry the sum forward.

    Neighboring lanes read neighbors; through shared memory each gets four in a row, and returns the results. The next
    four are loaded meanwhile. Writes to shared memory alternate between its halves.
    """
    kind, each = operation.kind, GROUP // lanes
    found = "before" if exclusive else "sum"
    elements = "for (uint k = 0u; k < 4u; k++)"
    apart = f"lane + k * {lanes}u"
    fetch = f"{elements} {{ uint i = at + {apart}; x[k] = neutral; if (i < to) x[k] = read(first + i * step); }}"
    steps, last = _lane_sums(lanes)
    return f"""
shared {kind} s[2][{GROUP}], moved[2][{4 * GROUP}];
void main() {{
  const {kind} neutral = {operation.neutral};
  uint t = gl_LocalInvocationIndex, lane = t % {lanes}u, groups = gl_NumWorkGroups.x * gl_NumWorkGroups.y, now = 0u;
  uint stretch = ({word(0)} - 1u) / (groups * {each}u) + 1u, begin = {FLAT_INDEX} * stretch * {each}u;
  uint own = t / {lanes}u * {4 * lanes}u, step = {_STEP};
  for (uint n = 0u; n < stretch; n++) {{
    uint line = begin + n * {each}u + t / {lanes}u, first = first_of(line), to = line < {word(0)} ? {word(1)} : 0u;
    {kind} carried = neutral, x[4], y[4];
    uint at = 0u;
    {fetch}
    for (uint start = 0u; start < {word(1)}; start = at) {{
      {elements} moved[now][own + {apart}] = x[k];
      barrier();
      {kind} total = neutral;
      {elements} {{ y[k] = moved[now][own + 4u * lane + k]; total = combine(total, y[k]); }}
      at = start + {4 * lanes}u;
      {fetch}
      s[0][t] = total; barrier();
{steps}      {kind} sum = carried;
      if (lane > 0u) sum = combine(carried, s[{last}][t - 1u]);
      {elements} {{ {kind} before = sum; sum = combine(sum, y[k]); moved[now][own + 4u * lane + k] = {found}; }}
      carried = combine(carried, s[{last}][t - lane + {lanes - 1}u]);
      barrier();
      {elements} {{ uint i = start + {apart}; if (i < to) result[first + i * step] = moved[now][own + {apart}]; }}
      now ^= 1u;
    }}
  }}
}}
"""


def _lane_sums(lanes: int) -> tuple[str, int]:
    """From each lane's sum to that of all up to it, four at a time (Kogge and Stone 1973), and the half they are in."""
    text, apart, half = "", 1, 0
    while apart < lanes:
        before = [f"if (lane >= {k * apart}u) total = combine(s[{half}][t - {k * apart}u], total);" for k in (1, 2, 3)]
        half ^= 1
        text += f"      {' '.join(before)}\n      s[{half}][t] = total; barrier();\n"
        apart *= 4
    return text, half


def _builder(operation: str) -> Builder:
    def build(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
        if (operation, out.dtype) not in OPERATIONS:
            return None
        axis = attrs["axis"]
        inner = math.prod(out.shape[axis + 1 :])
        return defer(
            device, out, _Scan(operation, out.shape[axis], inner, attrs["exclusive"], attrs["reverse"]), values
        )

    return build


KERNELS.update({"Cumsum": _builder("Sum"), "Cumprod": _builder("Prod")})
