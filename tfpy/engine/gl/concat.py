"""Concatenation along an axis. Parts are copied a few at a time, since a shader reads a limited number of buffers."""

from __future__ import annotations

import math

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, ensure
from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.table import KERNELS, Attrs
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP, WIDTH
from tfpy.engine.gl.value import Value, stored_bytes
from tfpy.engine.spec import Spec

_INPUTS_AT_ONCE = 8


class _Concat:
    """The task: inputs, viewed as (outer, width) with individual widths, side by side."""

    takes_epilogue = False

    def __init__(self, outer: int) -> None:
        self.outer = outer

    def run(self, device: Device, value: Value) -> Lease:
        inputs = [v for v in value.inputs if v.spec.size]
        lease = device.take(stored_bytes(value.spec))
        kind = "uint" if WIDTH[value.spec.dtype] == 4 else "uvec2"
        total, start = value.spec.size // self.outer, 0
        for first in range(0, len(inputs), _INPUTS_AT_ONCE):
            some = inputs[first : first + _INPUTS_AT_ONCE]
            sources = [ensure(device, v).buffer for v in some]
            widths = [v.spec.size // self.outer for v in some]
            ends = [sum(widths[: i + 1]) for i in range(len(widths))]
            program = device.programs.get(("join", len(some), kind), _source, len(some), kind)
            words = [self.outer * ends[-1], ends[-1], total, start]
            words += [n for pair in zip(ends, widths, strict=True) for n in pair]
            device.dispatch(program, sources, [lease.buffer], words, -(-words[0] // GROUP))
            start += ends[-1]
        return lease


def _source(count: int, kind: str) -> str:
    """Parameters: elements to copy, per row, per row of the result, the offset in it; ends and widths."""
    text = f"layout(local_size_x = {GROUP}) in;\n" + parameters(4 + 2 * count)
    for i in range(count):
        text += f"layout(std430, binding = {i}) readonly buffer A{i} {{ {kind} a{i}[]; }};\n"
    text += f"layout(std430, binding = {count}) writeonly buffer C {{ {kind} c[]; }};\n"
    picks = []
    for i in range(count):
        condition = f"if (x < {word(4 + 2 * i)}) " if i < count - 1 else ""
        before = f" - {word(2 + 2 * i)}" if i else ""
        picks.append(f"{condition}v = a{i}[row * {word(5 + 2 * i)} + x{before}];")
    return f"""{text}
void main() {{
  uint i = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex;
  if (i >= {word(0)}) return;
  uint row = i / {word(1)}, x = i % {word(1)};
  {kind} v;
  {" else ".join(picks)}
  c[row * {word(2)} + {word(3)} + x] = v;
}}
"""


def _join(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
    if out.dtype not in WIDTH:
        return None
    return defer(device, out, _Concat(math.prod(out.shape[: attrs["axis"]])), values)


KERNELS.update({"Concat": _join, "Pack": _join})
