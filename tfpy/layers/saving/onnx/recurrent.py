"""Recurrent layers as nodes: those of ONNX for whole sequences if they are equivalent, otherwise loops."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tfpy.layers.activations import name_of
from tfpy.layers.kinds.cells import GRUCell, LSTMCell, SimpleRNNCell, StackedRNNCells
from tfpy.layers.kinds.conv_recurrent import ConvLSTM2D
from tfpy.layers.kinds.recurrent import GRU, LSTM, RNN, SimpleRNN
from tfpy.layers.kinds.wrappers import Bidirectional
from tfpy.layers.saving.onnx.builder import Builder, Call, Kind, UnsupportedError, Value
from tfpy.layers.saving.onnx.loops import run_in_loop
from tfpy.layers.saving.onnx.masks import with_axes
from tfpy.layers.saving.onnx.nodes import Array
from tfpy.layers.symbolic import to_list

# The nodes, and the order of the cells' gates in them.
_NODES = {SimpleRNNCell: ("RNN", [0]), GRUCell: ("GRU", [0, 1, 2]), LSTMCell: ("LSTM", [0, 3, 1, 2])}
# The activations that nodes support, without parameters or with ONNX's defaults.
_ACTIVATIONS = {
    "elu": "Elu",
    "hard_sigmoid": "HardSigmoid",
    "relu": "Relu",
    "sigmoid": "Sigmoid",
    "softplus": "Softplus",
    "softsign": "Softsign",
    "tanh": "Tanh",
}
# The axes of sequences in nodes: time, batch, features.
_TIME_FIRST = (1, 0, 2)


def _recurrent(b: Builder, layer: RNN, inputs: list[Value], call: Call) -> list[Value]:
    x, states = _given(b, inputs, call)
    every, last = _run(b, layer, x, states, call.mask)
    output = _reversed(b, every) if layer.go_backwards else every
    return [output if layer.return_sequences else last[0], *last][: len(call.shapes)]


def _given(b: Builder, inputs: list[Value], call: Call) -> tuple[Value, list[Value]]:
    """The sequence, and the initial states, if any."""
    x, *states = inputs
    return x, [b.tensor(state, "float32") for state in to_list(call.arguments.get("initial_state", []))] or states


def _run(b: Builder, layer: RNN, x: Value, states: Sequence[Value], mask: Value | None) -> tuple[Value, list[Value]]:
    """The outputs of a layer at all steps, in the order of time, and its final states."""
    if layer.stateful:
        raise UnsupportedError("keeps states from one batch to the next")
    if mask is not None and mask.rank != 2:
        raise UnsupportedError("its mask is not one of time steps")
    every, last = _run_cell(b, layer.cell, x, states, mask, layer.go_backwards)
    if mask is not None and layer.zero_output_for_mask:
        if not layer.return_sequences:
            raise UnsupportedError("returns zeros where the last step is masked")
        shown = with_axes(b, b.cast(mask, "float32"), *range(2, every.rank))
        every = replace(every, name=b.node("Mul", b.plain(every), shown.name), order=None)
    return every, last


def _run_cell(
    b: Builder, cell: Any, x: Value, states: Sequence[Value], mask: Value | None, backwards: bool
) -> tuple[Value, list[Value]]:
    """The outputs of a cell at all steps of a sequence, in the order of time, and its final states."""
    if type(cell) is StackedRNNCells:
        return _run_stack(b, cell, x, states, mask, backwards)
    if mask is None and type(cell) in _NODES and all(name in _ACTIVATIONS for name in _activations(cell)):
        return _whole(b, cell, x, states, backwards)
    return run_in_loop(b, cell, x, states, mask, backwards)


def _run_stack(
    b: Builder, stack: StackedRNNCells, x: Value, states: Sequence[Value], mask: Value | None, backwards: bool
) -> tuple[Value, list[Value]]:
    """Run cell by cell over the whole sequence, which is equivalent: at masked steps no cell does anything."""
    rest = list(states)
    last: list[Value] = []
    for cell in stack.cells:
        # The states of the last cell come first.
        count = len(to_list(cell.state_size))
        own, rest = (rest[len(rest) - count :], rest[: len(rest) - count]) if rest else ([], [])
        x, new = _run_cell(b, cell, x, own, mask, backwards)
        last = [*new, *last]
    return x, last


def _activations(cell: Any) -> list[str | None]:
    """The names of a cell's activations in its node."""
    if isinstance(cell, SimpleRNNCell):
        return [name_of(cell.activation)]
    names = [name_of(cell.recurrent_activation), name_of(cell.activation)]
    return [*names, names[1]] if isinstance(cell, LSTMCell) else names


def _whole(b: Builder, cell: Any, x: Value, states: Sequence[Value], backwards: bool) -> tuple[Value, list[Value]]:
    """A cell run over a sequence by a single node."""
    kind, gates = _NODES[type(cell)]
    count = len(to_list(cell.state_size))
    first = [b.node("Unsqueeze", b.plain(state), b.integers(0)) for state in states]
    weights = [b.weight(w, lambda w: _by_gate(w, gates), "by-gate") for w in (cell.kernel, cell.recurrent_kernel)]
    bias = b.weight(cell.bias, lambda w: _biases(w, gates), "by-gate")
    inputs = [b.arranged(x, _TIME_FIRST), *weights, bias, "", *first]  # without the lengths of sequences
    attributes: dict[str, Any] = {"linear_before_reset": int(cell.reset_after)} if kind == "GRU" else {}
    every, *last = b.outputs(
        1 + count, kind, *inputs, hidden_size=cell.units, direction="reverse" if backwards else "forward",
        activations=[_ACTIVATIONS[name] for name in _activations(cell) if name is not None], **attributes,
    )  # fmt: skip
    sequence = b.node("Squeeze", every, b.integers(1))
    found = [Value(b.node("Squeeze", name, b.integers(0)), (x.shape[0], cell.units)) for name in last]
    return Value(sequence, (*x.shape[:2], cell.units), order=_TIME_FIRST), found


def _by_gate(kernel: Array, gates: Sequence[int]) -> Array:
    """A kernel in the form for a node: one direction; gates, each with its units, by features."""
    parts = np.split(kernel, len(gates), -1)
    return np.concatenate([parts[gate] for gate in gates], -1).T[None]


def _biases(bias: Array, gates: Sequence[int]) -> Array:
    """The bias of the input and that of the state, concatenated."""
    rows = bias if bias.ndim == 2 else np.stack([bias, np.zeros_like(bias)])
    return np.concatenate([_by_gate(row[None], gates)[..., 0] for row in rows], -1)


def _reversed(b: Builder, x: Value) -> Value:
    """A reversed sequence."""
    far = np.iinfo(np.int64).min
    return b.each("Slice", x, b.integers(-1), b.integers(far), b.integers(x.stored(1)), b.integers(-1))


def _bidirectional(b: Builder, layer: Bidirectional, inputs: list[Value], call: Call) -> list[Value]:
    x, states = _given(b, inputs, call)
    half = len(states) // 2
    outputs, last = [], []
    for inner, own, turned in zip(layer.both, (states[:half], states[half:]), (False, True), strict=True):
        every, new = _run(b, inner, x, own, call.mask)
        output = _reversed(b, every) if inner.go_backwards is not turned else every
        outputs.append(output if inner.return_sequences else new[0])
        last.extend(new)
    return [*_merged(b, layer.merge_mode, outputs), *last][: len(call.shapes)]


def _merged(b: Builder, mode: str | None, outputs: list[Value]) -> list[Value]:
    if mode is None:
        return outputs
    names, order = b.together(outputs)
    one = replace(outputs[0], order=order)
    if mode == "concat":
        return [replace(one, name=b.node("Concat", *names, axis=one.stored(-1)))]
    total = replace(one, name=b.node("Mul" if mode == "mul" else "Add", *names))
    return [b.each("Mul", total, b.constant(0.5)) if mode == "ave" else total]


_STATES = frozenset({"initial_state"})

KINDS: dict[Any, Kind] = {
    Bidirectional: Kind(_bidirectional, keywords=_STATES),
    **dict.fromkeys((ConvLSTM2D, GRU, LSTM, RNN, SimpleRNN), Kind(_recurrent, keywords=_STATES)),
}
