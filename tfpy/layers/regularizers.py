"""Regularizers: penalties on large weights, added to the loss."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.core.ops.common import full, reshape_to
from tfpy.core.ops.reduce import sum_
from tfpy.core.tensor import Tensor
from tfpy.layers.declared import Declared

RegularizerLike: TypeAlias = "str | dict[str, Any] | Regularizer | None"
# An option of this kind: a RegularizerLike, converted to a Regularizer by the constructor.
RegularizerOption: TypeAlias = Any


@export(namespace="regularizers", doc="Regularizers")
class Regularizer(Declared, family="regularizer"):
    """Computes the penalty of a weight. A custom one defines `apply(x)`; its options are annotations.

    Source: TF.js's `Regularizer`.
    """

    @accepts_options()
    def apply(self, x: Tensor) -> Tensor:
        """The loss, a scalar."""
        raise TypeError(f"{type(self).__name__}: a regularizer must define apply(x).")

    def __call__(self, x: Tensor) -> Tensor:
        return self.apply(x)


class L1L2(Regularizer, class_name="L1L2", factory="regularizers.l1l2"):
    """l1 · Σ|w| + l2 · Σw²."""

    l1: float = 0.01
    l2: float = 0.01

    @accepts_options()
    def apply(self, x: Tensor) -> Tensor:
        loss = full((1,), 0)
        if self.l1:
            loss = loss.add(sum_(x.abs().mul(self.l1)))
        if self.l2:
            loss = loss.add(sum_(x.mul(x).mul(self.l2)))
        return reshape_to(loss, ())


class L1(L1L2, class_name="L1", factory="regularizers.l1"):
    """l1 · Σ|w|."""

    l1: float = 0.01

    @accepts_options("config", where="L1")
    def __init__(self, config: Mapping[str, Any] | None = None, /, *, l1: float = 0.01) -> None:
        self._assign({"l1": l1})
        self.l2 = 0.0

    def __repr__(self) -> str:
        return f"L1(l1={self.l1})"

    def get_class_name(self) -> str:
        return "L1L2"


class L2(L1L2, class_name="L2", factory="regularizers.l2"):
    """l2 · Σw²."""

    l2: float = 0.01

    @accepts_options("config", where="L2")
    def __init__(self, config: Mapping[str, Any] | None = None, /, *, l2: float = 0.01) -> None:
        self._assign({"l2": l2})
        self.l1 = 0.0

    def __repr__(self) -> str:
        return f"L2(l2={self.l2})"

    def get_class_name(self) -> str:
        return "L1L2"
