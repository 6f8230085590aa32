"""Softmax and its logarithm along rows: the largest element, the sum and the result in one shader."""

from __future__ import annotations

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import ROWS_AT_A_TIME, defer, ensure, groups_of
from tfpy.engine.gl.pool import Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP
from tfpy.engine.gl.value import Value, stored_bytes
from tfpy.engine.spec import Spec

_FEW = 8  # elements of a thread, as long as a row has few threads
_FEW_THREADS = 64
_MOST_KEPT = 32

# What a row's elements become once the largest is taken from them, what of them is added up, what becomes of the sum,
# and the result. The largest may lose NaN: the sum finds it.
_RESULTS = {
    "Softmax": ("m_exp_below(v)", "e", "m_div(1., total)", "e * total"),
    "LogSoftmax": ("v", "m_exp_below(e)", "m_log(total)", "e - total"),
}


class _RowTask:
    """The task for rows of `length` elements."""

    extends = False

    def __init__(self, name: str, length: int) -> None:
        self.name, self.length = name, length

    def run(self, device: Device, value: Value) -> Lease:
        rows = value.spec.size // self.length
        lanes = _lanes(self.length)
        kept = -(-self.length // lanes)
        kept = 1 << (kept - 1).bit_length() if kept <= _MOST_KEPT else 0
        program = device.programs.get((self.name, lanes, kept), _source, self.name, lanes, kept)
        source = ensure(device, value.inputs[0])
        lease = device.take(stored_bytes(value.spec))
        groups = groups_of(-(-rows * lanes // GROUP), 2 * stored_bytes(value.spec), ROWS_AT_A_TIME)
        device.dispatch(program, [source.buffer], [lease.buffer], (rows, self.length), groups)
        return lease


def _lanes(length: int) -> int:
    """How many threads work on a row: few, but so many that neighbours read neighbours and each has few registers."""
    lanes = 1
    while lanes < _FEW_THREADS and (lanes * lanes < length or lanes * _FEW < length):
        lanes *= 2
    while lanes < GROUP and lanes * 2 * _FEW < length:
        lanes *= 2
    return lanes


def _source(name: str, lanes: int, kept: int) -> str:
    """A group goes along a stretch of rows; mostly all of them are done at once."""
    each, at_once = GROUP // lanes, 4 if kept and kept <= _FEW else 2
    return f"""layout(local_size_x = {GROUP}) in;
{parameters(2)}
layout(std430, binding = 0) readonly buffer A {{ float a[]; }};
layout(std430, binding = 1) writeonly buffer C {{ float c[]; }};
float larger(float a, float b) {{ return max(a, b); }}
float plus(float a, float b) {{ precise float c = a + b; return c; }}
{_all("larger", lanes, at_once)}{_all("plus", lanes, at_once)}
void main() {{
  uint t = gl_LocalInvocationIndex, lane = t % {lanes}u, groups = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
  uint stretch = ({word(0)} - 1u) / (groups * {each}u) + 1u, first = {FLAT_INDEX} * stretch * {each}u;
  for (uint n = 0u; n < stretch; n++) {{
    uint row = first + n * {each}u + t / {lanes}u;
    uint from = row * {word(1)} + lane, to = row < {word(0)} ? (row + 1u) * {word(1)} : 0u;
{_in_registers(name, lanes, kept) if kept else _in_memory(name, lanes)}  }}
}}
"""


def _in_registers(name: str, lanes: int, kept: int) -> str:
    """A thread reads its elements once, all of them before it needs the first."""
    element, added, total, result = _RESULTS[name]
    places = [f"from + {k * lanes}u" for k in range(kept)]
    lines = [f"float x{k} = -m_inf(); if ({at} < to) x{k} = a[{at}];" for k, at in enumerate(places)]
    lines.append("float most = x0;")
    lines += [f"most = max(most, x{k});" for k in range(1, kept)]
    lines.append("most = all_larger(most, t, lane); float total = 0.;")
    lines += [
        f"if ({at} < to) {{ precise float v = x{k} - most, e = {element}; x{k} = e; total = plus(total, {added}); }}"
        for k, at in enumerate(places)
    ]
    lines.append(f"total = all_plus(total, t, lane); total = {total};")
    lines += [f"if ({at} < to) {{ precise float e = x{k}, y = {result}; c[{at}] = y; }}" for k, at in enumerate(places)]
    return "".join(f"    {line}\n" for line in lines)


def _in_memory(name: str, lanes: int) -> str:
    """The same for long rows: a thread reads its elements three times."""
    element, added, total, result = _RESULTS[name]
    elements = f"for (uint i = from; i < to; i += {lanes}u)"
    return f"""    float most = -m_inf();
    {elements} most = max(most, a[i]);
    most = all_larger(most, t, lane); float total = 0.;
    {elements} {{ precise float v = a[i] - most, e = {element}; total = plus(total, {added}); }}
    total = all_plus(total, t, lane); total = {total};
    {elements} {{ precise float v = a[i] - most, e = {element}, y = {result}; c[i] = y; }}
"""


def _all(function: str, lanes: int, at_once: int) -> str:
    """A function that combines a number of each lane and gives the result to all of them.

    Four at once takes half the steps, and is faster where threads have registers left for it.
    """
    head = f"float all_{function}(float x, uint t, uint lane) {{"
    if lanes == 1:
        return f"{head} return x; }}\n"
    halves, body = (2, _by_fours(function, lanes)) if at_once == 4 else (1, _by_halves(function, lanes))
    return f"shared float s_{function}[{halves}][{GROUP}];\n{head}\n{body}}}\n"


def _by_halves(function: str, lanes: int) -> str:
    s = f"s_{function}[0]"
    return f"""  {s}[t] = x; barrier();
  for (uint h = {lanes // 2}u; h > 0u; h >>= 1) {{ if (lane < h) {s}[t] = {function}({s}[t], {s}[t + h]); barrier(); }}
  return {s}[t - lane];
"""


def _by_fours(function: str, lanes: int) -> str:
    """All lanes combine the numbers of four, then of four such groups; the two halves of the memory take turns."""
    text, apart, half = "", 1, 0
    while apart < lanes:
        count, s = min(4, lanes // apart), f"s_{function}[{half}]"
        text += f"  {s}[t] = x; barrier(); {{ uint first = t - lane / {apart}u % {count}u * {apart}u; x = {s}[first];\n"
        text += "".join(f"  x = {function}(x, {s}[first + {k * apart}u]);" for k in range(1, count)) + " }\n"
        apart *= count
        half ^= 1
    return f"{text}  return x;\n"


def _builder(name: str) -> Builder:
    def build(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
        return defer(device, out, _RowTask(name, out.shape[-1]), values) if out.dtype == "float32" else None

    return build


KERNELS.update({name: _builder(name) for name in _RESULTS})
