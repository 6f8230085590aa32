"""Constraints: conditions enforced on the values written to weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from tfpy.core.calling.registry import export
from tfpy.core.ops.reduce import sum_
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import current
from tfpy.layers.declared import Declared

ConstraintLike: TypeAlias = "str | dict[str, Any] | Constraint | None"
# An option of this kind: a ConstraintLike, converted to a Constraint by the constructor.
ConstraintOption: TypeAlias = Any


@export(namespace="constraints", doc="Constraints")
class Constraint(Declared, family="constraint"):
    """Maps a weight to one that satisfies a condition. A custom one defines `apply(w)`; its options are annotations.

    It is applied when values are written (`set_weights`), and not by training steps, as in TF.js.

    Source: TF.js's `Constraint`.
    """

    def apply(self, w: Tensor) -> Tensor:
        """The weight, changed to satisfy the condition."""
        raise TypeError(f"{type(self).__name__}: a constraint must define apply(w).")

    def __call__(self, w: Tensor) -> Tensor:
        return self.apply(w)


def _norms(w: Tensor, axis: int | Sequence[int]) -> Tensor:
    return sum_(w.mul(w), axis, True).sqrt()


class MaxNorm(Constraint, class_name="MaxNorm", factory="constraints.max_norm"):
    """Limits vectors along one or more axes to a norm of at most max_value."""

    max_value: float = 2.0
    axis: int | Sequence[int] = 0

    def apply(self, w: Tensor) -> Tensor:
        norms = _norms(w, self.axis)
        return w.mul(norms.clip_by_value(0, self.max_value).div(norms.add(current().epsilon())))


class UnitNorm(Constraint, class_name="UnitNorm", factory="constraints.unit_norm"):
    """Scales vectors along one or more axes to norm 1."""

    axis: int | Sequence[int] = 0

    def apply(self, w: Tensor) -> Tensor:
        return w.div(_norms(w, self.axis).add(current().epsilon()))


class NonNeg(Constraint, class_name="NonNeg", factory="constraints.non_neg"):
    """Sets negative weights to 0."""

    def apply(self, w: Tensor) -> Tensor:
        return w.relu()


class MinMaxNorm(Constraint, class_name="MinMaxNorm", factory="constraints.min_max_norm"):
    """Moves the norm of vectors along one or more axes, at a rate, to between min_value and max_value."""

    min_value: float = 0.0
    max_value: float = 1.0
    axis: int | Sequence[int] = 0
    rate: float = 1.0

    def apply(self, w: Tensor) -> Tensor:
        norms = _norms(w, self.axis)
        desired = norms.clip_by_value(self.min_value, self.max_value).mul(self.rate).add(norms.mul(1 - self.rate))
        return w.mul(desired.div(norms.add(current().epsilon())))
