"""Running sums and products along an axis."""

from __future__ import annotations

import math

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer
from tfpy.engine.gl.pool import Lease
from tfpy.engine.gl.programs import word
from tfpy.engine.gl.prologue import Prologue
from tfpy.engine.gl.reduce import OPERATIONS, Operation
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP
from tfpy.engine.gl.value import Value, stored_bytes
from tfpy.engine.spec import Spec

_SHORT = 256  # elements: a thread goes through lines up to this length alone
_MANY = 1 << 13  # lines: with so many, a thread goes through lines of any length


class _Scan:
    """The task for lines of `length` elements, `inner` apart."""

    fusable = False
    extends = False

    def __init__(self, name: str, length: int, inner: int, exclusive: bool, reverse: bool) -> None:
        self.name = name
        self.length, self.inner = length, inner
        self.exclusive, self.reverse = exclusive, reverse

    def run(self, device: Device, value: Value) -> Lease:
        assert value.node is not None
        lines = value.spec.size // self.length
        alone = self.length <= _SHORT or lines >= _MANY
        operation = OPERATIONS[self.name, value.spec.dtype]
        prologue = Prologue(device, value.node, 4)
        key = ("scan", self.name, alone, self.exclusive, prologue.fused)
        make = _by_threads if alone else _by_groups
        program = device.programs.get(key, lambda: _head(prologue, operation) + make(operation, self.exclusive))
        lease = device.take(stored_bytes(value.spec))
        words = (lines, self.length, self.inner, int(self.reverse))
        prologue.dispatch(program, lease.buffer, words, -(-lines // GROUP) if alone else lines)
        return lease


def _head(prologue: Prologue, operation: Operation) -> str:
    """Parameters: lines, their length, the distance of neighbours, whether they run backwards."""
    kind = operation.kind
    precise = "precise " if kind != "int" else ""
    return f"""layout(local_size_x = {GROUP}) in;
{prologue.source()}
layout(std430, binding = {prologue.out_binding}) writeonly buffer OUT {{ {kind} result[]; }};
{kind} combine({kind} a, {kind} b) {{ {precise}{kind} c = {operation.combine}; return c; }}
uint place(uint line, uint r) {{
  uint at = {word(3)} != 0u ? {word(1)} - 1u - r : r;
  return line / {word(2)} * ({word(1)} * {word(2)}) + line % {word(2)} + at * {word(2)};
}}
"""


def _by_threads(operation: Operation, exclusive: bool) -> str:
    store = "result[at] = sum; sum = combine(sum, x);" if exclusive else "sum = combine(sum, x); result[at] = sum;"
    return f"""
void main() {{
  uint line = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex;
  if (line >= {word(0)}) return;
  {operation.kind} sum = {operation.neutral};
  for (uint r = 0u; r < {word(1)}; r++) {{ uint at = place(line, r); {operation.kind} x = read(at); {store} }}
}}
"""


def _by_groups(operation: Operation, exclusive: bool) -> str:
    """A group goes along a line, four elements to a thread at a time, and carries the sum on."""
    kind = operation.kind
    own = "before" if exclusive else "sum"
    return f"""
shared {kind} s[{GROUP}];
void main() {{
  uint t = gl_LocalInvocationIndex, line = {FLAT_INDEX};
  {kind} carried = {operation.neutral};
  if (line >= {word(0)}) return;
  for (uint start = 0u; start < {word(1)}; start += {4 * GROUP}u) {{
    uint from = start + 4u * t;
    {kind} x[4], total = {operation.neutral};
    for (uint k = 0u; k < 4u; k++) {{
      x[k] = from + k < {word(1)} ? read(place(line, from + k)) : {operation.neutral};
      total = combine(total, x[k]);
    }}
    barrier(); s[t] = total; barrier();
    for (uint h = 1u; h < {GROUP}u; h <<= 1) {{
      {kind} left = t >= h ? s[t - h] : {operation.neutral};
      barrier(); s[t] = combine(left, s[t]); barrier();
    }}
    {kind} sum = combine(carried, t > 0u ? s[t - 1u] : {operation.neutral});
    for (uint k = 0u; k < 4u; k++) {{
      {kind} before = sum;
      sum = combine(sum, x[k]);
      if (from + k < {word(1)}) result[place(line, from + k)] = {own};
    }}
    carried = combine(carried, s[{GROUP - 1}]);
  }}
}}
"""


def _builder(operation: str) -> Builder:
    def build(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
        if (operation, out.dtype) not in OPERATIONS or out.dtype == "bool":
            return None
        axis = attrs["axis"]
        inner = math.prod(out.shape[axis + 1 :])
        return defer(
            device, out, _Scan(operation, out.shape[axis], inner, attrs["exclusive"], attrs["reverse"]), values
        )

    return build


KERNELS.update({"Cumsum": _builder("Sum"), "Cumprod": _builder("Prod")})
