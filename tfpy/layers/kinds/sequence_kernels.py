"""Recurrent layers that a single kernel runs over the whole sequence, instead of a cell step by step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.core.ops.common import cast_to, full
from tfpy.core.ops.sequence import SequenceResult, has_sequence_kernel, run_sequence_kernel
from tfpy.core.tensor import Tensor
from tfpy.engine.rows.sequence import RECURRENT_ACTIVATIONS, SequenceKernel
from tfpy.layers.activations import get_activation
from tfpy.layers.kinds.cells import GRUCell, LSTMCell, SimpleRNNCell
from tfpy.layers.kinds.rates import drops

_KERNELS = {SimpleRNNCell: "SimpleRNN", GRUCell: "GRU", LSTMCell: "LSTM"}


def fits_sequence_kernel(cell: Any, x: Tensor, mask: Tensor | None, training: bool) -> bool:
    """Whether a kernel supports the cell: tanh, two sigmoids, float32, no dropout of the user's own."""
    if type(cell) not in _KERNELS or (mask is not None and mask.rank != 2) or x.dtype != "float32" or not x.size:
        return False
    dropped = drops(cell.recurrent_dropout, training)
    if dropped and cell.dropout_func is not None:
        return False
    kernel = _kernel_of(cell)
    if not _is(cell.activation, "tanh") or (kernel != "SimpleRNN" and _recurrent_activation(cell) is None):
        return False
    return has_sequence_kernel(SequenceKernel(kernel, mask is not None, dropped))


def run_with_sequence_kernel(
    cell: Any,
    x: Tensor,
    states: Sequence[Tensor],
    mask: Tensor | None,
    go_backwards: bool,
    sequences: bool,
    training: bool,
) -> SequenceResult:
    """The outputs of all steps, if requested, and the final states."""
    x = cell.masked_sequence(x, training)
    states = [cast_to(state, x.dtype) for state in states]
    drop = cell.mask_of("state", states[0], training)
    seen = None if mask is None else cast_to(mask, "bool")
    kernel = _kernel_of(cell)
    bias = full(cell.bias_shape(), 0) if cell.bias is None else cell.bias
    attrs = {} if kernel == "SimpleRNN" else {"recurrent_activation": _recurrent_activation(cell)}
    weights = [cell.kernel, cell.recurrent_kernel, bias]
    return run_sequence_kernel(kernel, x, weights, states, seen, drop, sequences, go_backwards=go_backwards, **attrs)


def _kernel_of(cell: Any) -> str:
    name = _KERNELS[type(cell)]
    return "GRUResetAfter" if name == "GRU" and cell.reset_after else name


def _recurrent_activation(cell: Any) -> str | None:
    return next((name for name in RECURRENT_ACTIVATIONS if _is(cell.recurrent_activation, name)), None)


def _is(activation: Any, name: str) -> bool:
    """Whether an activation is the built-in one of that name."""
    known = get_activation(name)
    return activation is not None and known is not None and activation.function is known.function
