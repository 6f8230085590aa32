"""Rows that make one step of an optimizer on all variables at once.

Inputs: the values of all variables, their gradients, and each slot of all of them, slot by slot; outputs: the new
values, and the new slots likewise. The attributes are those of the rules in `core/optimizers/rules.py`, whose numbers
these kernels give.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.engine.handle import Handle
from tfpy.engine.kernels import Infer, kernel
from tfpy.engine.spec import Spec

SLOTS = {
    "SGD": 0,
    "Momentum": 1,
    "Adagrad": 1,
    "Adadelta": 2,
    "RMSProp": 2,
    "CenteredRMSProp": 3,
    "Adam": 2,
    "AdamW": 2,
    "Nadam": 2,
    "Adamax": 2,
}


def _updated(slots: int) -> Infer:
    def infer(*tensors: Handle, **attrs: float) -> Sequence[Spec]:
        count = len(tensors) // (2 + slots)
        return [t.spec for t in (*tensors[:count], *tensors[2 * count :])]

    return infer


for _rule, _attrs in {
    "SGD": "lr",
    "Momentum": "lr beta nesterov",
    "Adagrad": "lr epsilon",
    "Adadelta": "lr rho epsilon",
    "RMSProp": "lr decay beta epsilon",
    "CenteredRMSProp": "lr decay beta epsilon",
    "Adam": "lr beta1 beta2 bias1 bias2 epsilon",
    "AdamW": "lr beta1 beta2 bias1 bias2 epsilon part",
    "Nadam": "lr beta1 beta2 bias2 epsilon ahead kept",
    "Adamax": "rate beta1 beta2 epsilon",
}.items():
    kernel(f"{_rule}Update", "*tensors", _updated(SLOTS[_rule]), attrs=_attrs, label="apply_gradients")
