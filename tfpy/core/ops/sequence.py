"""Recurrent layers over whole sequences, for the layers: one kernel for all steps, and one for their gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfpy.core.run import run_multi
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import current
from tfpy.engine.gradients import gradient, no_gradient
from tfpy.engine.state import local


class SequenceResult(NamedTuple):
    """The outputs of all steps, (batch, time, units), or of none; and the states after the last step."""

    outputs: Tensor
    states: list[Tensor]


def has_sequence_kernel(cell: str, masked: bool) -> bool:
    """Whether the backend has the kernel, and no second derivative can be requested, which it lacks."""
    return len(local.state.tapes) <= 1 and current().implements(_kernel_name(cell, masked))


def _kernel_name(cell: str, masked: bool) -> str:
    return f"{'Masked' if masked else ''}{cell}Sequence"


def run_sequence_kernel(
    cell: str,
    x: Tensor,
    weights: Sequence[Tensor],
    states: Sequence[Tensor],
    mask: Tensor | None,
    sequences: bool,
    **attrs: Any,
) -> SequenceResult:
    """Run a cell over all steps of x, (batch, time, features).

    Args:
        cell: 'SimpleRNN', 'GRU' or 'LSTM'.
        x: the sequence.
        weights: kernel, recurrent kernel and bias.
        states: the states before the first step.
        mask: (batch, time), of booleans: where false, a step leaves everything unchanged.
        sequences: whether to return the outputs of all steps.
        attrs: the kernel's other attributes: go_backwards and, with gates, recurrent_activation.
    """
    training = bool(local.state.tapes)
    inputs = [x, *weights, *states] if mask is None else [x, *weights, *states, mask]
    outputs, *after = run_multi(
        _kernel_name(cell, mask is not None), *inputs, sequences=sequences, training=training, **attrs
    )
    return SequenceResult(outputs, after[: len(states)])


def _gradients(kernel: str, names: Sequence[str]) -> Any:
    def joint(dy: Sequence[Tensor], n: Any) -> list[Tensor | None]:
        attrs = {name: n.attrs[name] for name in ("go_backwards", "recurrent_activation") if name in n.attrs}
        inputs = [getattr(n, name) for name in names]
        backend, workspace = current(), n.y[-1]
        if workspace.backend is not backend:  # only the one that filled it knows its layout
            raise RuntimeError(
                f"{kernel}: the backend was changed to {backend.name!r} between a recurrent layer and its gradient; "
                "change it before the layer or after the gradient."
            )
        wanted = tuple(i for i, w in enumerate(n.wanted) if w and names[i] != "mask")
        found = run_multi(f"{kernel}Grad", *dy, *inputs, workspace, wanted=wanted, **attrs)
        gradients = dict(zip(wanted, found, strict=True))
        return [gradients.get(i) for i in range(len(names))]

    return joint


for _cell, _states in (("SimpleRNN", "h"), ("GRU", "h"), ("LSTM", "h c")):
    for _masked in (False, True):
        _names = f"x weights recurrent_weights bias {_states}{' mask' if _masked else ''}"
        _kernel = _kernel_name(_cell, _masked)
        gradient(_kernel, saves=f"{_names} y", joint=_gradients(_kernel, _names.split()))
        no_gradient(f"{_kernel}Grad")
