"""Rows that run a recurrent layer over a whole sequence, and their gradients.

Inputs: x (batch, time, features); the weights and their gates' order as in TF.js's layers; a bias (zeros if there is
none); the states before the first step, each (batch, units).

The rows whose names begin with Masked have a mask (batch, time) after these: where it is false, states and output stay
what they were before.

Outputs: the outputs of all steps in the order in which they were made, (batch, time, units), or (batch, 0, units) when
`sequences` is false; the states after the last step; and last a workspace (batch, n) that only the gradient's kernel of
the same backend understands: what the backward pass reads again, in an order of the backend's own. n is 0 when
`training` is false.

The gradient's kernel gets the gradients of the outputs (without one for the workspace), the inputs and the workspace.
It returns the gradients of those inputs that `wanted` names by their number, in the order of the inputs. A mask has
none.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.engine.errors import ShapeError
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import Infer, kernel
from tfpy.engine.spec import Spec, spec

RECURRENT_ACTIVATIONS = ("sigmoid", "hard_sigmoid")


def workspace_rows(cell: str, time: int, features: int, units: int) -> int:
    """How many numbers of each sample the backward pass of a cell reads again; the last one is what a backend notes."""
    inputs = (time + 1) * (units + features + 1)  # the states, the inputs of the steps and ones
    if cell == "SimpleRNN":
        return inputs + 1
    return inputs + time * units * (6 if cell == "LSTM" else 4) + units + 1


def _forward(cell: str, gates: int, masked: bool) -> Infer:
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
        states = more[:-1] if masked else more
        if masked and more[-1].spec.shape != (batch, time):
            raise ShapeError(f"the mask has the shape {more[-1].spec.shape}, but {(batch, time)} fits the input.")
        units = recurrent_weights.spec.shape[0]
        shapes = [weights.spec.shape, recurrent_weights.spec.shape, bias.spec.shape, *(s.spec.shape for s in states)]
        wide = gates * units
        wanted = [(features, wide), (units, wide), (wide,), *[(batch, units)] * len(states)]
        if shapes != wanted:
            raise ShapeError(f"weights and states have shapes {shapes}, but {wanted} fit the input.")
        rows = workspace_rows(cell, time, features, units) if training else 0
        dtype = x.spec.dtype
        outputs = spec((batch, time if sequences else 0, units), dtype)
        return [outputs, *[spec((batch, units), dtype)] * len(states), spec((batch, rows), dtype)]

    return infer


def _backward(states: int) -> Infer:
    def infer(*inputs: Handle, wanted: tuple[int, ...], **attrs: object) -> Sequence[Spec]:
        sources = inputs[1 + states :]
        return [sources[i].spec for i in wanted]

    return infer


for _cell, _gates, _states in (("SimpleRNN", 1, "h"), ("GRU", 3, "h"), ("LSTM", 4, "h c")):
    _attrs = "go_backwards" if _gates == 1 else "go_backwards recurrent_activation"  # one of RECURRENT_ACTIVATIONS
    _inputs = f"x weights recurrent_weights bias {_states}"
    _dys = " ".join(f"d{name}" for name in ("y", *_states.split()))
    _back = _backward(len(_states.split()))
    for _prefix, _mask in (("", ""), ("Masked", " mask")):
        _name = f"{_prefix}{_cell}Sequence"
        kernel(
            _name,
            _inputs + _mask,
            _forward(_cell, _gates, bool(_mask)),
            attrs=f"{_attrs} sequences training",
            label=_cell,
            workspace=True,
        )
        kernel(
            f"{_name}Grad",
            f"{_dys} {_inputs}{_mask} workspace",
            _back,
            attrs=f"{_attrs} wanted",
            label=_cell,
        )
