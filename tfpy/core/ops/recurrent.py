"""Cells of recurrent networks, one step at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor, to_tensors
from tfpy.core.ops.activation import sigmoid
from tfpy.core.ops.arith import add, mul
from tfpy.core.ops.join import concat
from tfpy.core.ops.matmul import multiply_matrices
from tfpy.core.ops.trig import tanh
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_function, as_list
from tfpy.engine.errors import argument_error

LSTMCell = Callable[[Tensor, Tensor, Tensor], Sequence[Tensor]]


@op(legacy="basic_lstm_cell", doc="Operations / RNN")
def basic_lstm_cell(
    forget_bias: TensorLike,
    lstm_kernel: TensorLike,
    lstm_bias: TensorLike,
    data: TensorLike,
    c: TensorLike,
    h: TensorLike,
) -> list[Tensor]:
    """The next state and output of a long short-term memory cell.

    Args:
        forget_bias: a scalar, added to the forget gate.
        lstm_kernel: a float32 tensor (inputs + units, 4 · units); its columns are the input gate, the new input, the
            forget gate and the output gate.
        lstm_bias: a float32 tensor (4 · units).
        data: a float32 tensor (batch, inputs).
        c: the last state, (batch, units).
        h: the last output, (batch, units).

    Returns:
        [c, h]: the next state and output, each (batch, units).

    Raises:
        ValueError: shapes that do not fit together. TypeError: not float32.

    Source: TF.js `tf.basicLSTMCell`; deeplearn.js `math.basicLSTMCell`.
    """
    name = "basic_lstm_cell"
    forget, kernel, bias, x, state, output = (
        to_tensor(name, argument, value, "float32")
        for argument, value in (
            ("forget_bias", forget_bias),
            ("lstm_kernel", lstm_kernel),
            ("lstm_bias", lstm_bias),
            ("data", data),
            ("c", c),
            ("h", h),
        )
    )
    _check_cell(name, kernel, bias, x, state, output)
    gates = add(multiply_matrices(concat([x, output], 1), kernel), bias)
    size = (gates.shape[0], gates.shape[1] // 4)
    i, j, f, o = (run("Slice", gates, begin=(0, k * size[1]), size=size) for k in range(4))
    new_c = add(mul(sigmoid(i), tanh(j)), mul(state, sigmoid(add(forget, f))))
    return [new_c, mul(tanh(new_c), sigmoid(o))]


def _check_cell(name: str, kernel: Tensor, bias: Tensor, x: Tensor, state: Tensor, output: Tensor) -> None:
    for argument, t in (("data", x), ("c", state), ("h", output), ("lstm_kernel", kernel)):
        if t.rank != 2:
            raise argument_error(name, argument, "of rank 2", t)
    batch, units = output.shape
    if x.shape[0] != batch or state.shape != output.shape:
        raise argument_error(name, "c", f"of shape {[x.shape[0], units]}, as h, with the batch size of data", state)
    if kernel.shape != (x.shape[1] + units, 4 * units):
        raise argument_error(name, "lstm_kernel", f"of shape {[x.shape[1] + units, 4 * units]}", kernel)
    if bias.shape != (4 * units,):
        raise argument_error(name, "lstm_bias", f"of shape {[4 * units]}", bias)


@op(legacy="multi_rnn_cell", doc="Operations / RNN")
def multi_rnn_cell(
    lstm_cells: Sequence[LSTMCell], data: TensorLike, c: Sequence[TensorLike], h: Sequence[TensorLike]
) -> list[list[Tensor]]:
    """The next states and outputs of stacked cells, each fed with the output of the one before.

    Args:
        lstm_cells: functions (data, c, h) that return the next c and h, such as `basic_lstm_cell` with its weights.
        data: the input of the first cell.
        c: the last state of each cell.
        h: the last output of each cell.

    Returns:
        [c, h]: the next states and outputs, lists with one for each cell.

    Raises:
        ValueError: not one state and output for each cell. TypeError: not functions, or strings for tensors.

    Source: TF.js `tf.multiRNNCell`; deeplearn.js `math.multiRNNCell`.
    """
    x = to_tensor("multi_rnn_cell", "data", data)
    states, outputs = to_tensors("multi_rnn_cell", "c", c), to_tensors("multi_rnn_cell", "h", h)
    cells = as_list("multi_rnn_cell", "lstm_cells", lstm_cells, "functions")
    for argument, given in (("c", states), ("h", outputs)):
        if len(given) != len(cells):
            raise argument_error("multi_rnn_cell", argument, f"a list of {len(cells)}, one for each cell", given)
    new_c, new_h = [], []
    for k, cell in enumerate(cells):
        following = as_function("multi_rnn_cell", f"lstm_cells[{k}]", cell)(x, states[k], outputs[k])
        if not isinstance(following, (list, tuple)) or len(following) != 2:
            expected = "a function that returns the next c and h"
            raise argument_error("multi_rnn_cell", f"lstm_cells[{k}]", expected, following, TypeError)
        state, x = following
        new_c.append(state)
        new_h.append(x)
    return [new_c, new_h]
