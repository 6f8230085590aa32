"""Softmax and log-softmax along rows: maximum, sum and result in one shader. The gradient of softmax."""

from __future__ import annotations

from typing import NamedTuple

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.fusion import CONCURRENT_ROW_GROUPS, defer, ensure, groups_of
from tfpy.engine.gl.memory_pool import Lease
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.gl.table import KERNELS, Attrs, Builder
from tfpy.engine.gl.templates import FLAT_INDEX, GROUP
from tfpy.engine.gl.value import Value, stored_bytes
from tfpy.engine.spec import Spec, spec

_FEW_READS = {1: 8, 4: 2}  # by numbers read at a time, how often a thread reads as long as a row has few threads
_FEW_THREADS = 64
_FEW_REGISTERS = 8  # of a thread, which leave room for combining four at a time
_MANY_REGISTERS = 16  # with more of them, fewer groups run at a time
_MAX_REGISTERS = 32  # with more, rows are read again
_MAX_ELEMENTS_BY_FOUR = GROUP * _MANY_REGISTERS  # of a row that is read four at a time

# In GLSL: the new element e, where v is the element minus the largest of its row; the term of the sum; what is computed
# from the sum once; and the result. The maximum may lose NaN, but the sum does not.
_RESULTS = {
    "Softmax": ("m_exp_below(v)", "e", "m_div(1., total)", "e * total"),
    "LogSoftmax": ("v", "m_exp_below(e)", "m_log(total)", "e - total"),
}


class _RowTask:
    """The task for rows of `length` elements."""

    takes_epilogue = False

    def __init__(self, name: str, length: int) -> None:
        self.name, self.length = name, length

    def run(self, device: Device, value: Value) -> Lease:
        rows = value.spec.size // self.length
        variant = _variant(self.length)
        program = device.programs.get((self.name, variant), _source, self.name, variant)
        source = ensure(device, value.inputs[0])
        lease = device.take(stored_bytes(value.spec))
        concurrent = (
            CONCURRENT_ROW_GROUPS if variant.kept * variant.width <= _MANY_REGISTERS else CONCURRENT_ROW_GROUPS * 5 // 8
        )
        groups = groups_of(-(-rows * variant.lanes // GROUP), 2 * stored_bytes(value.spec), concurrent)
        device.dispatch(program, [source.buffer], [lease.buffer], (rows, self.length // variant.width), groups)
        return lease


class _Variant(NamedTuple):
    """How threads share a row.

    Attributes:
        lanes: how many of them work on it.
        width: how many numbers each reads at a time, 4 if the row length is divisible by it.
        kept: how many reads it keeps in registers; 0 if that is too many for them.
    """

    lanes: int
    width: int
    kept: int

    @property
    def kind(self) -> str:
        """The type in GLSL of what is read at a time."""
        return "float" if self.width == 1 else "vec4"

    def parts(self, name: str) -> list[str]:
        """The single numbers of the variable of that name."""
        return [name] if self.width == 1 else [f"{name}.{part}" for part in "xyzw"]


def _variant(length: int) -> _Variant:
    width = 4 if length % 4 == 0 and length <= _MAX_ELEMENTS_BY_FOUR else 1
    reads = length // width
    lanes = _lanes(reads, _FEW_READS[width])
    kept = -(-reads // lanes)
    return _Variant(lanes, width, 1 << (kept - 1).bit_length() if kept * width <= _MAX_REGISTERS else 0)


def _lanes(reads: int, few: int) -> int:
    """How many threads work on a row: few, but so many that neighbors read neighbors and each has few registers."""
    lanes = 1
    while lanes < _FEW_THREADS and (lanes * lanes < reads or lanes * few < reads):
        lanes *= 2
    while lanes < GROUP and lanes * 2 * few < reads:
        lanes *= 2
    return lanes


def _source(name: str, variant: _Variant) -> str:
    """A group processes a stretch of rows, usually all at once."""
    lanes, each = variant.lanes, GROUP // variant.lanes
    at_once = 4 if 0 < variant.kept * variant.width <= _FEW_REGISTERS else 2
    body = (_in_registers if variant.kept else _in_memory)(name, variant)
    return f"""layout(local_size_x = {GROUP}) in;
{parameters(2)}
layout(std430, binding = 0) readonly buffer A {{ {variant.kind} a[]; }};
layout(std430, binding = 1) writeonly buffer C {{ {variant.kind} c[]; }};
float larger(float a, float b) {{ return max(a, b); }}
float plus(float a, float b) {{ precise float c = a + b; return c; }}
{_all_reduce("larger", lanes, at_once)}{_all_reduce("plus", lanes, at_once)}
void main() {{
  uint t = gl_LocalInvocationIndex, lane = t % {lanes}u, groups = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
  uint stretch = ({word(0)} - 1u) / (groups * {each}u) + 1u, first = {FLAT_INDEX} * stretch * {each}u;
  for (uint n = 0u; n < stretch; n++) {{
    uint row = first + n * {each}u + t / {lanes}u;
    uint from = row * {word(1)} + lane, to = row < {word(0)} ? (row + 1u) * {word(1)} : 0u;
    float most = -m_inf(), total = 0.;
{body}  }}
}}
"""


def _in_registers(name: str, variant: _Variant) -> str:
    """A thread reads its elements once, all of them before it uses the first."""
    total = _RESULTS[name][2]
    read = {f"x{k}": f"from + {k * variant.lanes}u" for k in range(variant.kept)}
    lines = [f"{variant.kind} {x} = {variant.kind}(-m_inf()); if ({at} < to) {x} = a[{at}];" for x, at in read.items()]
    lines += [_largest(variant, x) for x in read]
    lines.append("most = all_larger(most, t, lane);")
    lines += [f"if ({at} < to) {{ {_elements(name, variant, x, True)} }}" for x, at in read.items()]
    lines.append(f"total = all_plus(total, t, lane); total = {total};")
    lines += [f"if ({at} < to) {{ {_result(name, variant, x)} c[{at}] = {x}; }}" for x, at in read.items()]
    return "".join(f"    {line}\n" for line in lines)


def _in_memory(name: str, variant: _Variant) -> str:
    """The same for long rows: a thread reads its elements three times."""
    elements = f"for (uint i = from; i < to; i += {variant.lanes}u) {{ {variant.kind} x = a[i];"
    return f"""    {elements} {_largest(variant, "x")} }}
    most = all_larger(most, t, lane);
    {elements} {_elements(name, variant, "x", True)} }}
    total = all_plus(total, t, lane); total = {_RESULTS[name][2]};
    {elements} {_elements(name, variant, "x", False)} {_result(name, variant, "x")} c[i] = x; }}
"""


def _largest(variant: _Variant, name: str) -> str:
    return " ".join(f"most = max(most, {x});" for x in variant.parts(name))


def _elements(name: str, variant: _Variant, read: str, add: bool) -> str:
    """The source that computes elements from what was read, and adds them up if wanted."""
    element, added, _, _ = _RESULTS[name]
    sum_ = f" total = plus(total, {added});" if add else ""
    return " ".join(f"{{ precise float v = {x} - most, e = {element}; {x} = e;{sum_} }}" for x in variant.parts(read))


def _result(name: str, variant: _Variant, elements: str) -> str:
    result = _RESULTS[name][3]
    return " ".join(f"{{ precise float e = {x}, y = {result}; {x} = y; }}" for x in variant.parts(elements))


def _all_reduce(function: str, lanes: int, at_once: int) -> str:
    """A function that combines a number of each lane and returns the result to all of them.

    Combining four at a time takes half the steps, and is faster if threads have registers left for it.
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


def _gradient(device: Device, values: tuple[Value, ...], attrs: Attrs, out: Spec) -> Value | None:
    """y · (dy - Σ dy · y), of parts that are fused."""
    if out.dtype != "float32":
        return None
    dy, y = values
    rows = spec((*out.shape[:-1], 1), out.dtype)
    weighted = KERNELS["Multiply"](device, (dy, y), {}, out)
    total = KERNELS["Sum"](device, (weighted,), {"axes": (len(out.shape) - 1,), "keep_dims": True}, rows)
    centered = KERNELS["Sub"](device, (dy, total), {}, out)
    found: Value = KERNELS["Multiply"](device, (centered, y), {}, out)
    return found


KERNELS.update({name: _builder(name) for name in _RESULTS})
KERNELS["SoftmaxGrad"] = _gradient
