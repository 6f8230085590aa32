"""Cumulative sums and products along an axis."""

from __future__ import annotations

from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.arith import add, mul
from tfpy.core.ops.common import cast_to, factor
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import resolve_axis
from tfpy.engine.gradients import gradient


@op(chain=True, doc="Operations / Scan")
def cumsum(x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """The cumulative sum along an axis.

    Args:
        x: a tensor of any shape; booleans are converted to int32.
        axis: the axis.
        exclusive: leave out the element at the position itself.
        reverse: sum from the end.

    Returns:
        A tensor of x's shape and dtype; int32 for booleans.

    Raises:
        ValueError: the axis is out of range. TypeError: strings.

    Source: TF.js `tf.cumsum`.
    """
    return _scan("cumsum", "Cumsum", x, axis, exclusive, reverse)


gradient(
    "Cumsum",
    x=lambda dy, n: run(
        "Cumsum", dy, axis=n.attrs["axis"], exclusive=n.attrs["exclusive"], reverse=not n.attrs["reverse"]
    ),
)


@op(chain=True, doc="Operations / Scan")
def cumprod(x: TensorLike, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """The cumulative product along an axis.

    Args:
        x: a tensor of any shape; booleans are converted to int32.
        axis: the axis.
        exclusive: leave out the element at the position itself.
        reverse: multiply from the end.

    Returns:
        A tensor of x's shape and dtype; int32 for booleans.

    Raises:
        ValueError: the axis is out of range. TypeError: strings.

    Source: TF.js `tf.cumprod`. Its gradient is beyond TF.js; an element's factor may be 0.
    """
    return _scan("cumprod", "Cumprod", x, axis, exclusive, reverse)


def _cumprod_gradient(dy: Tensor, n: Any) -> Tensor:
    """dxₜ = Πᵣ₍ᵣ﹤ₜ₎ xᵣ · Gₜ with Gₜ = dyₜ + xₜ₊₁ · Gₜ₊₁: products only, so that zeros do no harm."""
    axis, reverse = n.attrs["axis"], n.attrs["reverse"]
    x = factor(n.x)
    before = run("Cumprod", x, axis=axis, exclusive=True, reverse=reverse)
    ahead = dy if not n.attrs["exclusive"] else _shifted(dy, axis, 1, reverse)
    return mul(before, _recurrence(_shifted(x, axis, 1, reverse), ahead, axis, reverse))


def _recurrence(a: Tensor, b: Tensor, axis: int, reverse: bool) -> Tensor:
    """hₜ = bₜ + aₜ · hₜ₊₁ along an axis (or hₜ₋₁, `reverse`), in rounds that double the reach (Hillis and Steele)."""
    by = 1
    while by < a.shape[axis]:
        b = add(b, mul(a, _shifted(b, axis, by, reverse)))
        a = mul(a, _shifted(a, axis, by, reverse))
        by *= 2
    return b


def _shifted(t: Tensor, axis: int, by: int, reverse: bool) -> Tensor:
    """Element t + by (or t - by, `reverse`) at each position t, and 0 where there is none."""
    kept = max(t.shape[axis] - by, 0)
    missing = t.shape[axis] - kept
    begin = tuple(missing if i == axis and not reverse else 0 for i in range(t.rank))
    part = run("Slice", t, begin=begin, size=tuple(kept if i == axis else m for i, m in enumerate(t.shape)))
    margin = (missing, 0) if reverse else (0, missing)
    return run("PadV2", part, paddings=tuple(margin if i == axis else (0, 0) for i in range(t.rank)), constant_value=0)


gradient("Cumprod", saves="x", x=_cumprod_gradient)


def _scan(name: str, kernel: str, x: TensorLike, axis: int, exclusive: bool, reverse: bool) -> Tensor:
    t = to_tensor(name, "x", x)
    t = cast_to(t, "int32") if t.dtype == "bool" else t
    at = resolve_axis(name, axis, max(t.rank, 1))
    if t.rank == 0:
        t = run("Reshape", t, shape=(1,))
        return run("Reshape", _scan(name, kernel, t, 0, exclusive, reverse), shape=())
    return run(kernel, t, axis=at, exclusive=bool(exclusive), reverse=bool(reverse))
