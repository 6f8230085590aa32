"""Rows that run a recurrent layer over a whole sequence, and their gradients.

Inputs: x (batch, time, features); the weights and their gates' order as in TF.js's layers; a bias (zeros if there is
none); the states before the first step, each (batch, units).

A row for each combination of these further inputs follows, with names that begin with Masked, Dropout or both:
- mask, (batch, time): where it is false, states and output stay what they were before;
- drop, (batch, units): the state is multiplied by it before each step, which only then reads it.

GRUResetAfter is the GRU that resets the state after the product; its bias has two rows.

Outputs: the outputs of all steps in the order in which they were made, (batch, time, units), or (batch, 0, units) when
`sequences` is false; the states after the last step; and last a workspace (batch, n) that only the gradient's kernel of
the same backend understands: what the backward pass reads again, in an order of the backend's own. n is 0 when
`training` is false.

The gradient's kernel gets the gradients of the outputs (without one for the workspace), the inputs and the workspace.
It returns the gradients of those inputs that `wanted` names by their number, in the order of the inputs. The further
inputs have none.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple, TypeVar

from tfpy.engine.errors import ShapeError
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import Infer, kernel
from tfpy.engine.spec import Spec, spec

RECURRENT_ACTIVATIONS = ("sigmoid", "hard_sigmoid")


GATES = {"SimpleRNN": 1, "GRU": 3, "GRUResetAfter": 3, "LSTM": 4}
"""The number of gates of each cell."""

STATES = {"SimpleRNN": ("h",), "GRU": ("h",), "GRUResetAfter": ("h",), "LSTM": ("h", "c")}
"""The names of its states."""

_Input = TypeVar("_Input")


class SequenceKernel(NamedTuple):
    """Which row it is: the cell, and which further inputs there are."""

    cell: str
    masked: bool
    dropped: bool

    @property
    def name(self) -> str:
        """The name of the row; that of the gradient has 'Grad' added."""
        return f"{'Masked' * self.masked}{'Dropout' * self.dropped}{self.cell}Sequence"

    @property
    def states(self) -> Sequence[str]:
        """The names of the states."""
        return STATES[self.cell]

    @property
    def differentiable(self) -> list[str]:
        """The names of the inputs that have gradients."""
        return ["x", "weights", "recurrent_weights", "bias", *self.states]

    @property
    def further(self) -> list[str]:
        """The names of the further inputs."""
        return ["mask"] * self.masked + ["drop"] * self.dropped

    def mask_and_drop(self, further: Sequence[_Input]) -> tuple[_Input | None, _Input | None]:
        """The further inputs, with None for those that there are not."""
        given = dict(zip(self.further, further, strict=True))
        return given.get("mask"), given.get("drop")


SEQUENCE_KERNELS = [SequenceKernel(cell, *has) for cell in GATES for has in product((False, True), repeat=2)]


def workspace_rows(cell: str, dropped: bool, time: int, features: int, units: int) -> int:
    """How many numbers of each sample the backward pass of a cell reads again; the last one is what a backend notes."""
    inputs = (time + 1) * (units + features + 1)  # the states, the inputs of the steps and ones
    inputs += (time + 1) * units * dropped  # the states both before and after they are multiplied
    if cell == "SimpleRNN":
        return inputs + 1
    return inputs + time * units * (6 if cell == "LSTM" else 4) + units + 1


def _forward(which: SequenceKernel) -> Infer:
    def infer(
        x: Handle,
        weights: Handle,
        recurrent_weights: Handle,
        bias: Handle,
        *more: Handle,
        go_backwards: bool,
        sequences: bool,
        training: bool,
        recurrent_activation: str = "",
    ) -> Sequence[Spec]:
        batch, time, features = x.spec.shape
        units = recurrent_weights.spec.shape[0]
        wide = GATES[which.cell] * units
        of_bias = (2, wide) if which.cell == "GRUResetAfter" else (wide,)
        states = [(batch, units)] * len(which.states)
        further = [(batch, time)] * which.masked + [(batch, units)] * which.dropped
        shapes = [given.spec.shape for given in (weights, recurrent_weights, bias, *more)]
        wanted = [(features, wide), (units, wide), of_bias, *states, *further]
        if shapes != wanted:
            names = ", ".join([*which.differentiable[1:], *which.further])
            raise ShapeError(f"{names} have shapes {shapes}, but {wanted} fit the input.")
        rows = workspace_rows(which.cell, which.dropped, time, features, units) if training else 0
        dtype = x.spec.dtype
        outputs = spec((batch, time if sequences else 0, units), dtype)
        return [outputs, *[spec(state, dtype) for state in states], spec((batch, rows), dtype)]

    return infer


def _backward(which: SequenceKernel) -> Infer:
    def infer(*inputs: Handle, wanted: tuple[int, ...], **attrs: object) -> Sequence[Spec]:
        sources = inputs[1 + len(which.states) :]
        return [sources[i].spec for i in wanted]

    return infer


for _which in SEQUENCE_KERNELS:
    # The activation is one of RECURRENT_ACTIVATIONS.
    _attrs = "go_backwards" if GATES[_which.cell] == 1 else "go_backwards recurrent_activation"
    _inputs = [*_which.differentiable, *_which.further]
    _dys = [f"d{name}" for name in ("y", *_which.states)]
    kernel(
        _which.name,
        " ".join(_inputs),
        _forward(_which),
        attrs=f"{_attrs} sequences training",
        label=_which.cell,
        workspace=True,
    )
    kernel(
        f"{_which.name}Grad",
        " ".join([*_dys, *_inputs, "workspace"]),
        _backward(_which),
        attrs=f"{_attrs} wanted",
        label=_which.cell,
    )
