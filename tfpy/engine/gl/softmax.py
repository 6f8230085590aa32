"""Softmax and its logarithm along rows: the largest element, the sum and the result in one shader."""

from __future__ import annotations

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import defer, ensure
from tfpy.engine.gl.pool import Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.reduce import lanes_for
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP
from tfpy.engine.gl.value import Value, stored_bytes
from tfpy.engine.spec import Spec

_RESULTS = {
    "Softmax": ("m_exp(v)", "m_div(e, total)"),
    "LogSoftmax": ("v", "e - m_log(total)"),
}


class _RowTask:
    """The task for rows of `length` elements."""

    fusable = False
    extends = False

    def __init__(self, name: str, length: int) -> None:
        self.name, self.length = name, length

    def run(self, device: Device, value: Value) -> Lease:
        assert value.node is not None
        rows = value.spec.size // self.length
        lanes = 1 if self.length <= 16 else lanes_for(rows, self.length)
        program = device.programs.get((self.name, lanes), lambda: _source(self.name, lanes))
        source = ensure(device, value.node.inputs[0])
        lease = device.take(stored_bytes(value.spec))
        groups = -(-rows * lanes // GROUP)
        device.dispatch(program, [source.buffer], [lease.buffer], (rows, self.length), groups)
        return lease


def _source(name: str, lanes: int) -> str:
    each, result = _RESULTS[name]
    shared = f"shared float s[{GROUP}];" if lanes > 1 else ""
    return f"""layout(local_size_x = {GROUP}) in;
{parameters(2)}
layout(std430, binding = 0) readonly buffer A {{ float a[]; }};
layout(std430, binding = 1) writeonly buffer C {{ float c[]; }};
{shared}
float larger(float a, float b) {{ return m_max(a, b); }}
float plus(float a, float b) {{ precise float c = a + b; return c; }}
{_all("larger", lanes)}{_all("plus", lanes)}
void main() {{
  uint t = gl_LocalInvocationIndex, lane = t % {lanes}u, row = {FLAT_INDEX} * {GROUP // lanes}u + t / {lanes}u;
  uint from = row * {word(1)} + lane, to = row < {word(0)} ? (row + 1u) * {word(1)} : 0u;
  float most = -m_inf();
  for (uint i = from; i < to; i += {lanes}u) most = m_max(most, a[i]);
  most = all_larger(most, t, lane);
  float total = 0.;
  for (uint i = from; i < to; i += {lanes}u) {{ precise float v = a[i] - most; total = plus(total, m_exp(v)); }}
  total = all_plus(total, t, lane);
  for (uint i = from; i < to; i += {lanes}u) {{
    precise float v = a[i] - most, e = {each}, y = {result};
    c[i] = y;
  }}
}}
"""


def _all(function: str, lanes: int) -> str:
    """A function that combines a number of each lane and gives the result to all of them."""
    head = f"float all_{function}(float x, uint t, uint lane) {{"
    if lanes == 1:
        return f"{head} return x; }}\n"
    return f"""{head}
  barrier(); s[t] = x; barrier();
  for (uint h = {lanes // 2}u; h > 0u; h >>= 1) {{ if (lane < h) s[t] = {function}(s[t], s[t + h]); barrier(); }}
  return s[t - lane];
}}
"""


def _builder(name: str) -> Builder:
    def build(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
        return defer(device, out, _RowTask(name, out.shape[-1]), values) if out.dtype == "float32" else None

    return build


KERNELS.update({name: _builder(name) for name in _RESULTS})
