"""Shaders that run a recurrent cell over all steps of a sequence, and back.

A group of threads processes a few samples through all steps. What is multiplied by the recurrent weights, the state or
the gradients of the gates, is in shared memory: written as single numbers, and read as vectors of four. A thread
computes a column of the product; it can keep the first weights of its column in registers. What does not depend on the
previous step (the product of the input with its weights) is computed beforehand, and sums over steps by other shaders.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tfpy.engine.gl import templates
from tfpy.engine.gl.programs import parameters, word
from tfpy.engine.rows.sequence import GATES, STATES, SequenceKernel

SAVED = {
    "SimpleRNN": ("gates", "before"),
    "GRU": ("gates", "before", "reset"),
    "GRUResetAfter": ("gates", "before", "by_state"),
    "LSTM": ("gates", "before", "cells"),
}
"""What is kept of each step: the opened gates; the state that it reads, and the cell before it; GRU's state times its
reset gate, or the product that is reset.
"""

LOADS = {
    "SimpleRNN": ("gates",),
    "GRU": ("gates", "before"),
    "GRUResetAfter": ("gates", "before", "by_state"),
    "LSTM": ("gates", "cells"),
}
"""What the backward pass reads of it; the rest is for sums over all steps."""

BATCH, TIME, FROM, TO, BACKWARDS = (word(i) for i in range(5))
WORDS = 5

# The formulas of a step. Those of the backward pass begin with d, the gradient of the output and of the state after it.

GRU_STEP = " precise float h = z * h_before + (1. - z) * g;"
LSTM_STEP = " precise float c = f * c_before + i * g, h = o * m_tanh(c);"

SIMPLE_BACK = "precise float a = d * (1. - y * y);"
GRU_BACK = """precise float dg = d * (1. - z) * (1. - g * g), dz_ = d * (h - g) * slope(z);
      precise float k = DROPPED(d * z);"""
GRU_BACK_RESET = "precise float dr = x * h * slope(r_), k = kept + DROPPED(x * r_);"
RESET_AFTER_BACK = "precise float dr = dg * hu * slope(r_), ds = dg * r_;"
RESET_AFTER_GATES = ("dz_", "dr", "ds")
RESET_AFTER_PRE = "dpre[AT * W + n] = dz_; dpre[AT * W + N + n] = dr; dpre[AT * W + 2u * N + n] = dg;"
LSTM_BACK = """precise float c = f * c_before + i * g; float th = m_tanh(c);
      precise float s_ = dc_after + d * o * (1. - th * th);
      precise float di = s_ * g * slope(i), df = s_ * c_before * slope(f), dg = s_ * i * (1. - g * g);
      precise float dO = d * th * slope(o), dcell = s_ * f;"""
LSTM_GATES = ("di", "df", "dg", "dO")

_GRU_LOADED = """float z = 0., r_ = 0., g = 0., h = 0.;
      if (live) { z = gates[AT * W + n]; r_ = gates[AT * W + N + n]; g = gates[AT * W + 2u * N + n];
        h = before[AT * N + n]; }"""
LOADED = {
    "SimpleRNN": "float y = live ? gates[AT * W + n] : 0.;",
    "GRU": _GRU_LOADED,
    "GRUResetAfter": _GRU_LOADED + " float hu = live ? by_state[AT * N + n] : 0.;",
    "LSTM": """float i = 0., f = 0., g = 0., o = 0., c_before = 0.;
      if (live) { i = gates[AT * W + n]; f = gates[AT * W + N + n]; g = gates[AT * W + 2u * N + n];
        o = gates[AT * W + 3u * N + n]; c_before = cells[AT * N + n]; }""",
}
"""The source that reads `LOADS`."""

_OPENED = {
    "sigmoid": ("m_sigmoid(x)", "y * (1. - y)"),
    "hard_sigmoid": ("m_min(m_max(0.2 * x + 0.5, 0.), 1.)", "y > 0. && y < 1. ? 0.2 : 0."),
}


class Variant(NamedTuple):
    """What a shader is compiled for.

    Attributes:
        cell: 'SimpleRNN', 'GRU' or 'LSTM'.
        rows: how many samples a group processes; 0 if the layer runs step by step.
        kept: how many weights of its column a thread keeps in registers, a multiple of four.
        activation: of the gates.
        optional: forwards, whether the outputs of all steps are wanted; backwards, whether they have a gradient.
        saves: whether a backward pass follows.
        masked: whether there is a mask.
        dropped: whether the state is multiplied before each step.
    """

    cell: str
    units: int
    rows: int
    kept: int
    activation: str
    optional: bool
    saves: bool
    masked: bool
    dropped: bool

    @property
    def wide(self) -> int:
        """The columns of all gates."""
        return GATES[self.cell] * self.units

    @property
    def carries(self) -> bool:
        """Whether single steps back carry a gradient past the product."""
        return self.masked or self.dropped or self.cell.startswith("GRU")

    @property
    def further(self) -> list[str]:
        """The buffers of further inputs."""
        return SequenceKernel(self.cell, self.masked, self.dropped).further

    @property
    def state_bias(self) -> list[str]:
        """The buffer of the bias that is added to the product with the recurrent weights, if there is one."""
        return ["state_bias"] * (self.cell == "GRUResetAfter")

    @property
    def threads(self) -> int:
        """How many threads a group has: one for each column, if possible."""
        return min(1024, -(-self.wide // 32) * 32)

    @property
    def vectors(self) -> int:
        """Vectors of four that hold a number of each unit."""
        return -(-self.units // 4)


def shared_bytes(cell: str, units: int, rows: int) -> int:
    """How much shared memory the backward pass takes; the forward pass takes less."""
    return 4 * rows * (units + 4) * (3 * GATES[cell] + 3)


def forward(variant: Variant) -> str:
    """The shader of the steps from FROM to TO."""
    states = STATES[variant.cell]
    reads = ["pre", "weights", *variant.state_bias, *[f"{s}_first" for s in states], *variant.further]
    writes = ["y"] * variant.optional + [f"{s}_last" for s in states] + [*SAVED[variant.cell]] * variant.saves
    gates, update = _FORWARD[variant.cell]
    cell_first, cell_last = " cs[e] = live ? c_first[row * N + n] : 0.;", " c_last[row * N + n] = cs[e];"
    first = f"float h = live ? h_first[row * N + n] : 0.; {_keep_state(variant)}" + _if_cell(variant, cell_first)
    last = f"if (live) {{ h_last[row * N + n] = {_state(variant)};" + _if_cell(variant, cell_last) + " }"
    finish = finished(variant, _state(variant)) + _keep_state(variant) + _if_cell(variant, " cs[e] = c;")
    body = f"""
{_for_units(variant, first)}
{_in_registers(variant, _FORWARD_WEIGHT)}  barrier();
{_vectors(variant, "hf", "hv", 1)}
  for (uint s = {FROM}; s < {TO}; s++) {{
    uint tau = {BACKWARDS} != 0u ? {TIME} - 1u - s : s;
{gates(variant)}
{_for_units(variant, update + finish)}
    barrier();
{_vectors(variant, "hf", "hv", 1)}
  }}
{_for_units(variant, last)}
"""
    shared = [("float", "hf", variant.rows * 4 * variant.vectors), ("vec4", "hv", variant.rows * variant.vectors)]
    shared += [("float", "zs", variant.rows * variant.wide)]
    shared += [("float", "cs", variant.rows * variant.units)] if variant.cell == "LSTM" else []
    shared += [("float", "hs", variant.rows * variant.units)] * variant.dropped
    if variant.cell == "GRU":
        shared += [("float", "rf", variant.rows * 4 * variant.vectors), ("vec4", "rv", variant.rows * variant.vectors)]
    return _shader(variant, reads, writes, shared, ["hf"] + ["rf"] * (variant.cell == "GRU"), body)


def backward(variant: Variant) -> str:
    """The shader of the backward pass from TO to FROM. The weights are transposed."""
    states = STATES[variant.cell]
    reads = (
        ["dy"] * variant.optional + [f"d{s}_last" for s in states] + [*LOADS[variant.cell], "weights"] + variant.further
    )
    writes = gradients_of_gates(variant) + [f"d{s}_first" for s in states]
    gates = GATES[variant.cell]
    first = "dh[e] = live ? dh_last[row * N + n] : 0.;"
    last = "if (live) { dh_first[row * N + n] = dh[e];" + _if_cell(variant, " dc_first[row * N + n] = dc[e];") + " }"
    body = f"""
{_for_units(variant, first + _if_cell(variant, " dc[e] = live ? dc_last[row * N + n] : 0.;"))}
{_in_registers(variant, _BACKWARD_WEIGHT)}  for (uint s = {TO}; s-- > {FROM};) {{
    uint tau = {BACKWARDS} != 0u ? {TIME} - 1u - s : s;
{_BACKWARD[variant.cell](variant)}
  }}
{_for_units(variant, last)}
"""
    shared = [
        ("float", "zf", gates * variant.rows * 4 * variant.vectors),
        ("vec4", "zv", gates * variant.rows * variant.vectors),
    ]
    shared += [("float", "part", variant.rows * variant.wide), ("float", "dh", variant.rows * variant.units)]
    shared += [("float", "dc", variant.rows * variant.units)] if variant.cell == "LSTM" else []
    return _shader(variant, reads, writes, shared, ["zf"], body)


def gradients_of_gates(variant: Variant) -> list[str]:
    """The buffers with the gradients of what is multiplied by the recurrent weights, and of `pre` if they differ."""
    return ["dz"] + ["dpre"] * (variant.cell == "GRUResetAfter")


def _state(variant: Variant) -> str:
    """Where the state is. The array hf has what a step reads of it."""
    return "hs[e]" if variant.dropped else "hf[p]"


def _keep_state(variant: Variant) -> str:
    return " hs[e] = h;" * variant.dropped + " hf[p] = DROPPED(h);"


def _shader(
    variant: Variant,
    reads: Sequence[str],
    writes: Sequence[str],
    shared: list[tuple[str, str, int]],
    zero: Sequence[str],
    body: str,
) -> str:
    """The whole source. Arrays in `zero` have padding at the ends of rows, which is read as 0."""
    text = declarations(variant, variant.threads, reads, writes)
    text += "".join(f"shared {kind} {name}[{size}];\n" for kind, name, size in shared)
    sizes = {name: size for _, name, size in shared}
    clear = "".join(f"  for (uint e = t; e < {sizes[n]}u; e += {variant.threads}u) {n}[e] = 0.;\n" for n in zero)
    return f"""{text}
const uint V = {variant.vectors}u;
void main() {{
  uint t = gl_LocalInvocationIndex, b0 = {templates.FLAT_INDEX} * {variant.rows}u;
{clear}  barrier();
{body}}}
"""


def declarations(variant: Variant, threads: int, reads: Sequence[str], writes: Sequence[str]) -> str:
    """The source before `main`: the size of a group, parameters, buffers, and what depends on the activation."""
    opened, slope = _OPENED[variant.activation]
    text = f"layout(local_size_x = {threads}) in;\n" + parameters(WORDS)
    for binding, name in enumerate([*reads, *writes]):
        access = "readonly restrict" if binding < len(reads) else "writeonly restrict"
        text += templates.buffer(binding, name, "bool" if name == "mask" else "float32", access)
    return f"""{text}
const uint N = {variant.units}u, W = {variant.wide}u;
float opened(float x) {{ precise float y = {opened}; return y; }}
float slope(float y) {{ precise float d = {slope}; return d; }}
#define DROPPED(x) {"(live ? (x) * drop[row * N + n] : 0.)" if variant.dropped else "(x)"}
"""


def _for_units(variant: Variant, statement: str) -> str:
    """A statement for each unit of each sample of the group; it has them to itself.

    In it: e their number, r the sample in the group, n the unit, row the sample, live whether there is such a one,
    p the unit's place in an array with gaps, at (where a step is in the order of time) the sample and step.
    """
    return f"""    for (uint e = t; e < {variant.rows}u * N; e += {variant.threads}u) {{
      uint r = e / N, n = e % N, row = b0 + r, p = r * 4u * V + n;
      bool live = row < {BATCH};
      {statement.replace("AT", f"(row * {TIME} + tau)")}
    }}"""


def _if_cell(variant: Variant, text: str) -> str:
    return text if variant.cell == "LSTM" else ""


def _vectors(variant: Variant, numbers: str, vectors: str, parts: int) -> str:
    """Convert numbers in shared memory, written before a barrier, to vectors."""
    each = ", ".join(f"{numbers}[4u * e + {q}u]" for q in range(4))
    count, threads = parts * variant.rows, variant.threads
    return f"""    for (uint e = t; e < {count}u * V; e += {threads}u) {vectors}[e] = vec4({each});
    barrier();"""


def _product(
    variant: Variant, columns: str, first: str, weight: str, vectors: str, then: str, thread: str = "0u"
) -> str:
    """Columns of a product with vectors in shared memory, for all samples of the group.

    Args:
        columns: how many; j is the column.
        first: what is added to it in sample r.
        weight: the weight of row m in column j.
        vectors: where vector k of sample r is.
        then: what is done with the sum `acc[r]`.
        thread: which thread has the first column's weights in registers, if they are kept there.
    """
    row = "(4u * k + {}u)" if variant.units % 4 == 0 else "min(4u * k + {}u, N - 1u)"
    weights = ", ".join(weight.replace("ROW", row.format(q)) for q in range(4))
    add = f"for (uint r = 0u; r < {variant.rows}u; r++) {{ vec4 v = {vectors}; "
    add += "acc[r] = fma(w.x, v.x, fma(w.y, v.y, fma(w.z, v.z, fma(w.w, v.w, acc[r])))); }"
    count = variant.kept // 4
    start = f"if (t >= {thread}) for (uint j = t - {thread}" if count else "for (uint j = t"
    in_registers = "\n".join(f"      {{ const uint k = {k}u; vec4 w = w{k}; {add} }}" for k in range(count))
    return f"""    {start}; j < {columns}; j += {variant.threads}u) {{
      float acc[{variant.rows}];
      for (uint r = 0u; r < {variant.rows}u; r++) {{ uint row = b0 + r; acc[r] = {first}; }}
{in_registers}
      for (uint k = {count}u; k < V; k++) {{ vec4 w = vec4({weights}); {add} }}
      for (uint r = 0u; r < {variant.rows}u; r++) {{ {then} }}
    }}
    barrier();"""


_FORWARD_WEIGHT = "weights[ROW * W + j]"
_BACKWARD_WEIGHT = "weights[(j / N * N + ROW) * N + j % N]"


def _in_registers(variant: Variant, weight: str) -> str:
    """Load the first weights of the thread's column to registers, for all steps."""
    text = "  uint j = min(t, W - 1u);\n" if variant.kept else ""
    for k in range(variant.kept // 4):
        each = ", ".join(weight.replace("ROW", f"{4 * k + q}u") for q in range(4))
        text += f"  vec4 w{k} = vec4({each});\n"
    return text


_SEEN = f"bool seen = !live || mask[row * {TIME} + tau] != 0;"


def finished(variant: Variant, state: str) -> str:
    """The source after that of a step: it leaves masked samples unchanged, and writes what is kept of the step.

    Args:
        state: where the state before the step is.
    """
    skip = f" {_SEEN} if (!seen) {{ h = {state};{_if_cell(variant, ' c = c_before;')} }}" if variant.masked else ""
    return skip + _saved(variant)


def bypass_masked(variant: Variant, gates: Sequence[str], carried: str = "") -> str:
    """Masked samples: their gates get no gradient, and the gradients of the states bypass the step."""
    zeros = "".join(f" {gate} = 0.;" for gate in gates)
    return f" {_SEEN} if (!seen) {{{zeros} {carried}}} " if variant.masked else ""


def _masked_gradient(variant: Variant) -> str:
    """The state's gradient of a masked sample, stored where `_to_state` adds to it."""
    return " dh[e] = seen ? 0. : d; " if variant.masked else ""


_ADD_TO_STATE = "precise float k = dh[e] + DROPPED(x); dh[e] = k;"


def _to_state(variant: Variant) -> str:
    return _ADD_TO_STATE if variant.masked else "dh[e] = DROPPED(x);"


_GRU_OPEN = ("z", "r_", "g")
_OPEN = {"SimpleRNN": ("h",), "GRU": _GRU_OPEN, "GRUResetAfter": _GRU_OPEN, "LSTM": ("i", "f", "g", "o")}
_ALSO_SAVED = {"reset": "rh", "by_state": "hu", "cells": "c_before"}
"""What is saved as gates, and beyond gates and states."""


def _saved(variant: Variant) -> str:
    """The source that writes what a step saves, and its output."""
    text = ""
    if variant.saves:
        text += " ".join(f"gates[AT * W + {q}u * N + n] = {name};" for q, name in enumerate(_OPEN[variant.cell]))
        text += " before[AT * N + n] = h_before;"
        text += "".join(f" {name}[AT * N + n] = {_ALSO_SAVED[name]};" for name in SAVED[variant.cell][2:])
    if variant.optional:
        text += f" y[(row * {TIME} + s) * N + n] = h;"
    return f" if (live) {{ {text} }}" if text else ""


_PRE = f"row < {BATCH} ? pre[(row * {TIME} + tau) * W + %s] : 0."


def _all_gates(variant: Variant) -> str:
    then = "zs[r * W + j] = acc[r];"
    return _product(variant, "W", _PRE % "j", _FORWARD_WEIGHT, "hv[r * V + k]", then)


def _reset_after_gates(variant: Variant) -> str:
    """The product with the state, and what is added to the gates."""
    first = f"state_bias[j] + (j < 2u * N && {_PRE % 'j'})"
    return _product(variant, "W", first, _FORWARD_WEIGHT, "hv[r * V + k]", "zs[r * W + j] = acc[r];")


def _gru_gates(variant: Variant) -> str:
    """The first gates; then the state times the reset gate, and the new content."""
    opening = _product(
        variant, "2u * N", _PRE % "j", _FORWARD_WEIGHT, "hv[r * V + k]", "zs[r * W + j] = opened(acc[r]);"
    )
    reset = _for_units(variant, "precise float x = zs[r * W + N + n] * hf[p]; rf[p] = x;")
    content = _product(
        variant, "N", _PRE % "2u * N + j", "weights[ROW * W + 2u * N + j]", "rv[r * V + k]",
        "zs[r * W + 2u * N + j] = m_tanh(acc[r]);", "2u * N",
    )  # fmt: skip
    return f"{opening}\n{reset}\n    barrier();\n{_vectors(variant, 'rf', 'rv', 1)}\n{content}"


_FORWARD = {
    "SimpleRNN": (_all_gates, "float h_before = hf[p], h = m_tanh(zs[e]);"),
    "GRU": (
        _gru_gates,
        "float h_before = hf[p], rh = rf[p];"
        " float z = zs[r * W + n], r_ = zs[r * W + N + n], g = zs[r * W + 2u * N + n];" + GRU_STEP,
    ),
    "GRUResetAfter": (
        _reset_after_gates,
        "float h_before = hf[p], hu = zs[r * W + 2u * N + n];"
        " float z = opened(zs[r * W + n]), r_ = opened(zs[r * W + N + n]);"
        " float g = m_tanh((live ? pre[AT * W + 2u * N + n] : 0.) + r_ * hu);" + GRU_STEP,
    ),
    "LSTM": (
        _all_gates,
        "float h_before = hf[p], c_before = cs[e], i = opened(zs[r * W + n]), f = opened(zs[r * W + N + n]);"
        " float g = m_tanh(zs[r * W + 2u * N + n]), o = opened(zs[r * W + 3u * N + n]);" + LSTM_STEP,
    ),
}


def _output_gradient(variant: Variant) -> str:
    """The gradient of a step's output added to that of the state after it."""
    more = f" + (live ? dy[(row * {TIME} + s) * N + n] : 0.)" if variant.optional else ""
    return f"float d = dh[e]{more};"


def _write_gates(gates: Sequence[str], first: int = 0) -> str:
    """The gradients of gates, for the products with the weights, and for those that come later."""
    parts = [
        f"zf[({form_gate} * ROWS + r) * 4u * V + n] = {name}; if (live) dz[AT * W + {form_gate} * N + n] = {name};"
        for form_gate, name in ((f"{first + q}u", name) for q, name in enumerate(gates))
    ]
    return " ".join(parts)


def _through_weights(variant: Variant, gates: Sequence[int], then: str) -> str:
    """The gradients of gates times their weights: a part for each gate, and `then` with their sum, x."""
    columns = f"{len(gates)}u * N"
    q = f"(j / N + {gates[0]}u)"
    product = _product(
        variant, columns, "0.", f"weights[({q} * N + ROW) * N + j % N]", f"zv[({q} * {variant.rows}u + r) * V + k]",
        f"part[r * W + {q} * N + j % N] = acc[r];", f"{gates[0]}u * N",
    )  # fmt: skip
    total = " + ".join(f"part[r * W + {g}u * N + n]" for g in gates)
    return f"{product}\n{_for_units(variant, f'precise float x = {total}; {then}')}"


def _with_vectors(variant: Variant, statement: str) -> str:
    text = _for_units(variant, statement.replace("ROWS", f"{variant.rows}u"))
    return f"{text}\n    barrier();\n{_vectors(variant, 'zf', 'zv', GATES[variant.cell])}"


def _back_simple(variant: Variant) -> str:
    own = f"{_output_gradient(variant)} {LOADED['SimpleRNN']} {SIMPLE_BACK}"
    own += bypass_masked(variant, ["a"]) + _masked_gradient(variant) + _write_gates(["a"])
    return f"{_with_vectors(variant, own)}\n{_through_weights(variant, [0], _to_state(variant))}"


def _back_lstm(variant: Variant) -> str:
    own = f"{_output_gradient(variant)} float dc_after = dc[e]; {LOADED['LSTM']} {LSTM_BACK}"
    own += bypass_masked(variant, LSTM_GATES, "dcell = dc_after;") + _masked_gradient(variant)
    own += f" dc[e] = dcell; {_write_gates(LSTM_GATES)}"
    return f"{_with_vectors(variant, own)}\n{_through_weights(variant, [0, 1, 2, 3], _to_state(variant))}"


def _back_gru(variant: Variant) -> str:
    """First back through the new content to the reset gate, then through both gates to the state."""
    content = (
        f"{_output_gradient(variant)} {LOADED['GRU']} {GRU_BACK}"
        f" {bypass_masked(variant, ['dg', 'dz_'], 'k = d;')} dh[e] = k;"
        f" {_write_gates(['dg'], 2)} {_write_gates(['dz_'], 0)}"
    )
    reset = (
        f"float kept = dh[e]; {LOADED['GRU']} {GRU_BACK_RESET} dh[e] = k; "
        f"{_write_gates(['dr'], 1).replace('ROWS', f'{variant.rows}u')}"
    )
    first = f"{_with_vectors(variant, content)}\n{_through_weights(variant, [2], reset)}"
    again = f"    barrier();\n{_vectors(variant, 'zf', 'zv', 3)}"
    return f"{first}\n{again}\n{_through_weights(variant, [0, 1], _ADD_TO_STATE)}"


def _back_reset_after(variant: Variant) -> str:
    own = (
        f"{_output_gradient(variant)} {LOADED[variant.cell]} {GRU_BACK}"
        f" {bypass_masked(variant, ['dg', 'dz_'], 'k = d;')} dh[e] = k; {RESET_AFTER_BACK}"
        f" {_write_gates(RESET_AFTER_GATES)} if (live) {{ {RESET_AFTER_PRE} }}"
    )
    return f"{_with_vectors(variant, own)}\n{_through_weights(variant, [0, 1, 2], _ADD_TO_STATE)}"


_BACKWARD = {"SimpleRNN": _back_simple, "GRU": _back_gru, "GRUResetAfter": _back_reset_after, "LSTM": _back_lstm}
