"""Fourier transforms along rows: by Stockham's method if the length is a power of two, otherwise as plain sums.

The roots of unity are computed on the host, where they are exact to the last digit.
"""

from __future__ import annotations

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, ensure
from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP
from tfpy.engine.gl.value import Value, constant, stored_bytes
from tfpy.engine.spec import Spec

_LONGEST_ROW_IN_GROUP = 1024  # elements
_LONGEST_ROW = 1 << 13  # elements

_BUFFERS = """layout(std430, binding = 0) readonly buffer A { vec2 a[]; };
layout(std430, binding = 1) readonly buffer W { vec2 w[]; };
layout(std430, binding = 2) writeonly buffer C { vec2 c[]; };
"""


class _Transform:
    """The task for rows of `length` complex numbers."""

    takes_epilogue = False

    def __init__(self, length: int, inverse: bool) -> None:
        self.length, self.inverse = length, inverse

    def run(self, device: Device, value: Value) -> Lease:
        n, size = self.length, value.spec.size
        by_halves = n & (n - 1) == 0 and n <= _LONGEST_ROW_IN_GROUP
        program = device.programs.get(("fft", by_halves, self.inverse), _source, by_halves, self.inverse)
        reads = [ensure(device, value.inputs[0]).buffer, ensure(device, _roots(device, n, self.inverse)).buffer]
        lease = device.take(stored_bytes(value.spec))
        device.dispatch(program, reads, [lease.buffer], (size, n), size // n if by_halves else -(-size // GROUP))
        return lease


def _roots(device: Device, n: int, inverse: bool) -> Value:
    def roots() -> Array:
        found: Array = np.exp(1j * ((2 if inverse else -2) * np.pi * np.arange(n) / n))
        return found

    return constant(device, ("roots of unity", n, inverse), "complex64", roots)


def _source(by_halves: bool, inverse: bool) -> str:
    scale = f" / float({word(1)})" if inverse else ""
    head = f"layout(local_size_x = {GROUP}) in;\n{parameters(2)}{_BUFFERS}"
    return head + (_halves(scale) if by_halves else _sum(scale))


def _sum(scale: str) -> str:
    return f"""
void main() {{
  uint i = {FLAT_INDEX} * {GROUP}u + gl_LocalInvocationIndex, n = {word(1)}, k = i % n, from = i - k;
  if (i >= {word(0)}) return;
  precise vec2 sum = vec2(0.);
  uint turn = 0u;
  for (uint j = 0u; j < n; j++) {{
    sum += m_cmul(a[from + j], w[turn]);
    turn += k;
    if (turn >= n) turn -= n;
  }}
  c[i] = sum{scale};
}}
"""


def _halves(scale: str) -> str:
    """A group transforms a row: runs of 1, 2, 4, … are merged in pairs, from one half of the memory to the other."""
    return f"""
shared vec2 s[2][{_LONGEST_ROW_IN_GROUP}];
void main() {{
  uint t = gl_LocalInvocationIndex, n = {word(1)}, from = {FLAT_INDEX} * n, here = 0u;
  if (from >= {word(0)}) return;
  for (uint j = t; j < n; j += {GROUP}u) s[0][j] = a[from + j];
  barrier();
  for (uint run = 1u; run < n; run <<= 1) {{
    for (uint j = t; j < n / 2u; j += {GROUP}u) {{
      uint k = j % run, to = (j / run) * 2u * run + k;
      vec2 x = s[here][j], y = m_cmul(s[here][j + n / 2u], w[k * (n / (2u * run))]);
      s[here ^ 1u][to] = x + y; s[here ^ 1u][to + run] = x - y;
    }}
    barrier();
    here ^= 1u;
  }}
  for (uint j = t; j < n; j += {GROUP}u) c[from + j] = s[here][j]{scale};
}}
"""


def _builder(inverse: bool) -> Builder:
    def build(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
        n = out.shape[-1]
        return defer(device, out, _Transform(n, inverse), values) if n <= _LONGEST_ROW else None

    return build


KERNELS.update({"FFT": _builder(False), "IFFT": _builder(True)})
