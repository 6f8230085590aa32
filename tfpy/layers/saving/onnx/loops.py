"""Recurrent cells as loops: for masks, and for options that ONNX's recurrent nodes do not have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tfpy.layers.kinds.cells import GRUCell, LSTMCell, SimpleRNNCell
from tfpy.layers.kinds.conv_recurrent import ConvLSTM2DCell
from tfpy.layers.saving.onnx.activations import activated
from tfpy.layers.saving.onnx.builder import Builder, Order, UnsupportedError, Value, channels_in_front
from tfpy.layers.saving.onnx.convolutional import filters_in_front
from tfpy.layers.saving.onnx.core import affine
from tfpy.layers.saving.onnx.masks import with_axes
from tfpy.layers.saving.onnx.windows import windowed
from tfpy.layers.spatial import channel_axis
from tfpy.layers.symbolic import PartialShape, to_list

Step = Callable[[Builder, Any, Value, list[Value]], list[Value]]


def run_in_loop(
    b: Builder, cell: Any, x: Value, states: Sequence[Value], mask: Value | None, backwards: bool
) -> tuple[Value, list[Value]]:
    """The outputs of a cell at all steps of a sequence, in the order of time, and its final states.

    Where a mask is false the states are unchanged.
    """
    step = _STEPS.get(type(cell))
    if step is None:
        raise UnsupportedError(f"its cell {type(cell).__name__} is not one of tfpy's")
    shape, order = _state_of(cell, x)
    # Time is the first axis, and images are channels-first.
    by_time = (1, 0, *(axis + 1 for axis in (order or range(len(shape)))[1:]))
    first = [b.arranged(state, order) for state in states]
    first = first or [_zeros(b, x, stored(shape, order))] * len(to_list(cell.state_size))
    scanned = [b.arranged(x, by_time)]
    if mask is not None:
        scanned.append(b.arranged(with_axes(b, mask, *range(2, 1 + len(shape))), (1, 0, *range(2, 1 + len(shape)))))
    body = _body(
        b.inner(), step, cell, stored((x.shape[0], *x.shape[2:]), order), stored(shape, order), len(scanned) > 1
    )
    ways = {"scan_input_directions": [1] * len(scanned), "scan_output_directions": [1]} if backwards else {}
    *last, every = b.outputs(len(first) + 1, "Scan", *first, *scanned, body=body, num_scan_inputs=len(scanned), **ways)
    states = [Value(name, shape, order=order) for name in last]
    return Value(every, (*x.shape[:2], *shape[1:]), order=by_time), states


def _state_of(cell: Any, x: Value) -> tuple[PartialShape, Order | None]:
    """The shape of a state, and the order of its axes in the loop."""
    if not isinstance(cell, ConvLSTM2DCell):
        return (x.shape[0], cell.units), None
    shape = cell.state_shape((x.shape[0], *x.shape[2:]))
    if None in shape[1:]:
        raise UnsupportedError("the sizes of its images are unknown")
    return shape, channels_in_front(4, channel_axis(cell.data_format, 2))


def stored(shape: PartialShape, order: Order | None) -> PartialShape:
    """The shape of a value as stored in an order."""
    return tuple(shape[axis] for axis in order) if order else shape


def _zeros(b: Builder, x: Value, shape: PartialShape) -> str:
    return b.node("ConstantOfShape", b.sizes([(x, 0), *(n for n in shape[1:] if n is not None)]))


def _body(b: Builder, step: Step, cell: Any, inner: PartialShape, shape: PartialShape, masked: bool) -> Any:
    """The graph of a step: from the states, the input and an optional mask to the states and the output."""
    old = [Value(b.unique(f"state_{i}"), shape) for i in range(len(to_list(cell.state_size)))]
    now, seen = Value(b.unique("now"), inner), Value(b.unique("seen"), (shape[0], *[1] * (len(shape) - 1)), "bool")
    new = step(b, cell, now, old)
    if masked:
        new = [b.each("Where", seen, n.name, o.name) for n, o in zip(new, old, strict=True)]
    states = [Value(n.name, shape) for n in new]
    output = Value(b.node("Identity", states[0].name), shape)
    return b.graph("step", [*old, now, *([seen] if masked else [])], [*states, output])


def _simple_rnn(b: Builder, cell: SimpleRNNCell, x: Value, states: list[Value]) -> list[Value]:
    sums = _sums(b, cell, x, states[0])
    return [activated(b, cell.activation, sums)]


def _sums(b: Builder, cell: Any, x: Value, state: Value) -> Value:
    """x · W + h · U + b."""
    given = affine(b, x, b.weight(cell.kernel), b.weight(cell.bias))
    return b.each("Add", given, b.node("MatMul", state.name, b.weight(cell.recurrent_kernel)))


def _split(b: Builder, x: Value, count: int, axis: int) -> list[Value]:
    return [replace(x, name=name) for name in b.outputs(count, "Split", x.name, axis=axis)]


def _gru(b: Builder, cell: GRUCell, x: Value, states: list[Value]) -> list[Value]:
    (state,) = states
    n, (bias, inner_bias) = cell.units, _gru_biases(b, cell)
    x_z, x_r, x_h = _split(b, affine(b, x, b.weight(cell.kernel), bias), 3, 1)
    if cell.reset_after:
        kept = affine(b, replace(state, shape=x_z.shape), b.weight(cell.recurrent_kernel), inner_bias)
        h_z, h_r, h_h = _split(b, kept, 3, 1)
    else:
        gates = b.weight(cell.recurrent_kernel, lambda w: w[:, : 2 * n], "gates")
        h_z, h_r = _split(b, b.each("MatMul", state, gates), 2, 1)
    z = activated(b, cell.recurrent_activation, b.each("Add", x_z, h_z.name))
    r = activated(b, cell.recurrent_activation, b.each("Add", x_r, h_r.name))
    if cell.reset_after:
        remembered = b.each("Mul", r, h_h.name)
    else:
        kernel = b.weight(cell.recurrent_kernel, lambda w: w[:, 2 * n :], "candidate")
        remembered = b.each("MatMul", b.each("Mul", r, state.name), kernel)
    candidate = activated(b, cell.activation, b.each("Add", x_h, remembered.name))
    rest = b.each("Mul", b.each("Sub", replace(z, name=b.constant(1)), z.name), candidate.name)
    return [b.each("Add", b.each("Mul", z, state.name), rest.name)]


def _gru_biases(b: Builder, cell: GRUCell) -> tuple[str, str]:
    """The bias of the input and, with reset_after, that of the state."""
    if not cell.reset_after:
        return b.weight(cell.bias), ""
    return b.weight(cell.bias, lambda w: w[0], "input"), b.weight(cell.bias, lambda w: w[1], "state")


def _lstm(b: Builder, cell: LSTMCell, x: Value, states: list[Value]) -> list[Value]:
    return _lstm_states(b, cell, _split(b, _sums(b, cell, x, states[0]), 4, 1), states[1])


def _lstm_states(b: Builder, cell: Any, sums: list[Value], carry: Value) -> list[Value]:
    """The new states of an LSTM from the sums of its gates i, f, c, o."""
    i, f, o = (activated(b, cell.recurrent_activation, sums[gate]) for gate in (0, 1, 3))
    new = b.each("Mul", i, activated(b, cell.activation, sums[2]).name)
    c = b.each("Add", b.each("Mul", f, carry.name), new.name)
    return [b.each("Mul", o, activated(b, cell.activation, c).name), c]


def _conv_lstm(b: Builder, cell: ConvLSTM2DCell, x: Value, states: list[Value]) -> list[Value]:
    kernel = b.weight(cell.kernel, filters_in_front, "filters-first")
    recurrent = b.weight(cell.recurrent_kernel, filters_in_front, "filters-first")
    steps = (cell.padding, cell.kernel_size, cell.strides, cell.dilation_rate)
    images, windows = windowed(b, x.name, x.shape[2:], *steps)
    given = replace(x, name=b.node("Conv", images, kernel, b.weight(cell.bias), **windows))
    state, around = windowed(b, states[0].name, states[0].shape[2:], "same", cell.kernel_size, [1, 1])
    kept = b.node("Conv", state, recurrent, **around)
    return _lstm_states(b, cell, _split(b, b.each("Add", given, kept), 4, 1), states[1])


_STEPS: dict[Any, Step] = {
    ConvLSTM2DCell: _conv_lstm,
    GRUCell: _gru,
    LSTMCell: _lstm,
    SimpleRNNCell: _simple_rnn,
}
