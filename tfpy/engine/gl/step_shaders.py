"""Shaders of a single step of a recurrent cell: what follows the products with its recurrent weights, and back.

A thread has a unit of a sample to itself, and adds up the parts of the products, (parts, batch, …), that it reads. What
is kept of all steps is in the order of time, (time, batch, …). GRU's step has two products, and so two shaders.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.engine.gl import templates
from tfpy.engine.gl.sequence_shaders import (
    BACKWARDS,
    BATCH,
    FROM,
    GRU_BACK,
    GRU_BACK_RESET,
    GRU_STEP,
    LOADED,
    LOADS,
    LSTM_BACK,
    LSTM_GATES,
    LSTM_STEP,
    RESET_AFTER_BACK,
    RESET_AFTER_GATES,
    RESET_AFTER_PRE,
    SAVED,
    SIMPLE_BACK,
    TIME,
    Variant,
    bypass_masked,
    declarations,
    finished,
    gradients_of_gates,
)
from tfpy.engine.rows.sequence import STATES


def step(variant: Variant, parts: int) -> str:
    """A step after its product, of all cells but GRU."""
    places = [f"{q}u * N + n" for q in range(4)]
    of_state = [_sum("product", f"row * W + {p}", "W", parts) for p in places]
    gate = [f"{by_state} + pre[at * W + {p}]" for by_state, p in zip(of_state, places, strict=True)]
    if variant.cell == "LSTM":
        update = f"""float h_before = DROPPED(h_now[e]), c_before = c_now[e];
  float i = opened({gate[0]}), f = opened({gate[1]}), g = m_tanh({gate[2]}), o = opened({gate[3]});{LSTM_STEP}"""
    elif variant.cell == "GRUResetAfter":
        update = f"""float h_before = DROPPED(h_now[e]), hu = {of_state[2]} + state_bias[2u * N + n];
  float z = opened({gate[0]} + state_bias[n]), r_ = opened({gate[1]} + state_bias[N + n]);
  float g = m_tanh(pre[at * W + 2u * N + n] + r_ * hu);{GRU_STEP}"""
    else:
        update = f"float h_before = DROPPED(h_now[e]), h = m_tanh({gate[0]});"
    return _forward(variant, ["product", "pre", *variant.state_bias], update)


def gru_gates(variant: Variant, parts: int) -> str:
    """GRU's gates after the first product, and the state times the reset gate."""
    update, reset = (_sum("product", f"row * 2u * N + {q}u * N + n", "2u * N", parts) for q in range(2))
    body = f"""float z = opened({update} + pre[at * W + n]), r_ = opened({reset} + pre[at * W + N + n]);
  precise float x = r_ * DROPPED(h_now[e]);
  opened_now[row * 2u * N + n] = z; opened_now[row * 2u * N + N + n] = r_; reset_now[e] = x;"""
    return _shader(variant, ["product", "pre", "h_now", *_drop(variant)], ["opened_now", "reset_now"], body)


def gru_content(variant: Variant, parts: int) -> str:
    """GRU's new content after the second product, and the rest of the step."""
    update = f"""float h_before = DROPPED(h_now[e]), rh = reset_now[e];
  float z = opened_now[row * 2u * N + n], r_ = opened_now[row * 2u * N + N + n];
  float g = m_tanh({_sum("product", "e", "N", parts)} + pre[at * W + 2u * N + n]);{GRU_STEP}"""
    return _forward(variant, ["product", "pre", "opened_now", "reset_now"], update)


def step_back(variant: Variant, parts: int) -> str:
    """Back through a step of all cells but GRU, to the gradients of its gates, which a product follows."""
    carried = ["carried"] * variant.carries
    gates: Sequence[str]
    bypassed = "seen ? 0. : d" if variant.masked else "0."
    if variant.cell == "GRUResetAfter":
        gates, states, bypassed = RESET_AFTER_GATES, carried, "k"
        own = f"{LOADED[variant.cell]} {GRU_BACK} {bypass_masked(variant, ['dg', 'dz_'], 'k = d;')}"
        own += f" {RESET_AFTER_BACK} {RESET_AFTER_PRE}"
    elif variant.cell == "LSTM":
        gates, states = LSTM_GATES, [*carried, "dc"]
        own = f"float dc_after = dc_now[e]; {LOADED['LSTM']} {LSTM_BACK}"
        own += bypass_masked(variant, gates, "dcell = dc_after;") + " dc_next[e] = dcell;"
    else:
        gates, states = ("a",), carried
        own = f"{LOADED['SimpleRNN']} {SIMPLE_BACK}" + bypass_masked(variant, gates)
    own += f" carried_next[e] = {bypassed};" if variant.carries else ""
    for q, name in enumerate(gates):
        own += f"\n  dz_now[row * W + {q}u * N + n] = {name}; dz[at * W + {q}u * N + n] = {name};"
    reads = [f"{state}_now" for state in states] + [*LOADS[variant.cell]]
    writes = ["dz_now", *gradients_of_gates(variant), *[f"{state}_next" for state in states]]
    return _backward(variant, parts, reads, writes, own)


def gru_content_back(variant: Variant, parts: int) -> str:
    """Back through GRU's output to the gradients of the new content and of the update gate."""
    own = f"""{LOADED["GRU"]} {GRU_BACK} {bypass_masked(variant, ["dg", "dz_"], "k = d;")}
  content_now[e] = dg; gates_now[row * 2u * N + n] = dz_; carried_next[e] = k;
  dz[at * W + 2u * N + n] = dg; dz[at * W + n] = dz_;"""
    writes = ["content_now", "gates_now", "dz", "carried_next"]
    return _backward(variant, parts, ["carried_now", *LOADS["GRU"]], writes, own)


def gru_reset_back(variant: Variant, parts: int) -> str:
    """Back from the product with the content's weights to the gradient of the reset gate."""
    body = f"""float x = {_sum("product", "e", "N", parts)}, kept = carried_now[e]; {LOADED["GRU"]} {GRU_BACK_RESET}
  gates_now[row * 2u * N + N + n] = dr; dz[at * W + N + n] = dr; carried_next[e] = k;"""
    reads = ["product", "carried_now", *LOADS["GRU"], *_drop(variant)]
    return _shader(variant, reads, ["gates_now", "dz", "carried_next"], body)


def _forward(variant: Variant, reads: Sequence[str], update: str) -> str:
    """The shader of the last part of a step, which makes the next states, and what the next step reads."""
    states = STATES[variant.cell]
    writes = [f"{s}_next" for s in states] + ["read_next"] * variant.dropped
    writes += ["y"] * variant.optional + [*SAVED[variant.cell]] * variant.saves
    body = update + finished(variant, "h_now[e]") + "".join(f" {s}_next[e] = {s};" for s in states)
    body += " read_next[e] = DROPPED(h);" * variant.dropped
    return _shader(variant, [*reads, *[f"{s}_now" for s in states], *variant.further], writes, body)


def _backward(variant: Variant, parts: int, reads: Sequence[str], writes: Sequence[str], own: str) -> str:
    """The shader of the first part of a step back, from d on.

    That is the gradient of the output added to those of the state after it, through the weights and past them.
    """
    carried = " + carried_now[e]" if "carried_now" in reads else ""
    output = f" + dy[(row * {TIME} + s) * N + n]" if variant.optional else ""
    body = f"float d = DROPPED({_sum('through', 'e', 'N', parts)}){carried}{output};\n  {own}"
    return _shader(variant, ["through", *reads, *["dy"] * variant.optional, *variant.further], writes, body)


def _drop(variant: Variant) -> list[str]:
    return ["drop"] * variant.dropped


def _sum(product: str, place: str, width: str, parts: int) -> str:
    """The sum of the parts of an element of a product with so many columns."""
    return " + ".join(f"{product}[{f'{part}u * {BATCH} * {width} + ' if part else ''}{place}]" for part in range(parts))


def _shader(variant: Variant, reads: Sequence[str], writes: Sequence[str], body: str) -> str:
    """The whole source; e is the number of the unit n in the sample `row`, `at` the sample's place in the step."""
    return f"""{declarations(variant, templates.GROUP, reads, writes)}
const bool live = true;
void main() {{
  uint e = {templates.FLAT_INDEX} * {templates.GROUP}u + gl_LocalInvocationIndex;
  if (e >= {BATCH} * N) return;
  uint row = e / N, n = e % N, s = {FROM}, tau = {BACKWARDS} != 0u ? {TIME} - 1u - s : s, at = tau * {BATCH} + row;
  {body.replace("AT", "at")}
}}
"""
