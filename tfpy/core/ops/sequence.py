"""Recurrent layers over whole sequences, for the layers: one kernel for all steps, and one for their gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfpy.core.run import run_multi
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import current
from tfpy.engine.gradients import gradient, no_gradient
from tfpy.engine.rows.sequence import SEQUENCE_KERNELS, SequenceKernel
from tfpy.engine.state import local


class SequenceResult(NamedTuple):
    """The outputs of all steps, (batch, time, units), or of none; and the states after the last step."""

    outputs: Tensor
    states: list[Tensor]


def has_sequence_kernel(which: SequenceKernel) -> bool:
    """Whether the backend has the kernel, and no second derivative can be requested, which it lacks."""
    return len(local.state.tapes) <= 1 and current().implements(which.name)


def run_sequence_kernel(
    cell: str,
    x: Tensor,
    weights: Sequence[Tensor],
    states: Sequence[Tensor],
    mask: Tensor | None,
    drop: Tensor | None,
    sequences: bool,
    **attrs: Any,
) -> SequenceResult:
    """Run a cell over all steps of x, (batch, time, features).

    Args:
        cell: 'SimpleRNN', 'GRU', 'GRUResetAfter' or 'LSTM'.
        x: the sequence.
        weights: kernel, recurrent kernel and bias.
        states: the states before the first step.
        mask: (batch, time), of booleans: where false, a step leaves everything unchanged.
        drop: (batch, units): what the state is multiplied by before each step.
        sequences: whether to return the outputs of all steps.
        attrs: the kernel's other attributes: go_backwards and, with gates, recurrent_activation.
    """
    which = SequenceKernel(cell, mask is not None, drop is not None)
    training = bool(local.state.tapes)
    further = [given for given in (mask, drop) if given is not None]
    outputs, *after = run_multi(
        which.name, x, *weights, *states, *further, sequences=sequences, training=training, **attrs
    )
    return SequenceResult(outputs, after[: len(states)])


def _gradients(which: SequenceKernel) -> Any:
    names = [*which.differentiable, *which.further]

    def joint(dy: Sequence[Tensor], n: Any) -> list[Tensor | None]:
        attrs = {name: n.attrs[name] for name in ("go_backwards", "recurrent_activation") if name in n.attrs}
        inputs = [getattr(n, name) for name in names]
        backend, workspace = current(), n.y[-1]
        if workspace.backend is not backend:  # only the one that filled it knows its layout
            raise RuntimeError(
                f"{which.name}: the backend was changed to {backend.name!r} between a recurrent layer and its "
                "gradient; change it before the layer or after the gradient."
            )
        wanted = tuple(i for i, w in enumerate(n.wanted) if w and names[i] in which.differentiable)
        found = run_multi(f"{which.name}Grad", *dy, *inputs, workspace, wanted=wanted, **attrs)
        gradients = dict(zip(wanted, found, strict=True))
        return [gradients.get(i) for i in range(len(names))]

    return joint


for _which in SEQUENCE_KERNELS:
    _saves = " ".join([*_which.differentiable, *_which.further, "y"])
    gradient(_which.name, saves=_saves, joint=_gradients(_which))
    no_gradient(f"{_which.name}Grad")
