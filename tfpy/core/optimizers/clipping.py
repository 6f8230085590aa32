"""Clipping: bounding gradients before they are applied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self, TypedDict

from tfpy.core.convert import number
from tfpy.core.ops.arith import div, maximum, mul
from tfpy.core.ops.reduce import sum_
from tfpy.core.ops.unary import clip_by_value
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_number
from tfpy.engine.errors import argument_error


class Bounds(TypedDict, total=False):
    """Common options of all optimizers: at most one bound on the gradients of a step."""

    clip_value: float | None
    """The largest absolute value of a number in a gradient."""
    clip_norm: float | None
    """The largest norm of each variable's gradient."""
    global_clip_norm: float | None
    """The largest norm of all gradients taken together. Only one of the three bounds can be given."""


@dataclass(frozen=True)
class Clipping:
    """At most one bound on the gradients of a step, see `Bounds`."""

    clip_value: float | None = None
    clip_norm: float | None = None
    global_clip_norm: float | None = None

    def checked(self, where: str) -> Self:
        """Itself, or an error that names the optimizer: a bound that is not positive, or more than one."""
        given = self.options()
        for name, bound in given.items():
            if not as_number(where, name, bound) > 0:
                raise argument_error(where, name, "a number above 0", bound)
        if len(given) > 1:
            raise argument_error(where, " and ".join(given), "one bound, not several", given)
        return self

    def options(self) -> dict[str, float]:
        """The bound by name, if there is one."""
        return {name: bound for name, bound in vars(self).items() if bound is not None}

    def __call__(self, grads: Sequence[Tensor]) -> list[Tensor]:
        """The clipped gradients."""
        if self.clip_value is not None:
            return [clip_by_value(g, -self.clip_value, self.clip_value) for g in grads]
        if self.clip_norm is not None:
            return [_scaled_to_bound(g, _squares(g), self.clip_norm) for g in grads]
        if self.global_clip_norm is not None and grads:
            total = number(0.0)
            for g in grads:
                total = run("Add", total, _squares(g))
            return [_scaled_to_bound(g, total, self.global_clip_norm) for g in grads]
        return list(grads)


def _squares(grad: Tensor) -> Tensor:
    return sum_(run("Square", grad))


def _scaled_to_bound(grad: Tensor, squares: Tensor, bound: float) -> Tensor:
    """The gradient, scaled down if the root of the squares is above the bound."""
    return mul(grad, div(number(bound), maximum(run("Sqrt", squares), number(bound))))
