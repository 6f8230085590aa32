"""Cumulative sums and products along an axis, and the largest elements of each row."""

from __future__ import annotations

from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.arith import add, mul
from tfpy.core.ops.common import cast_to, factor, real
from tfpy.core.results import TensorRecord
from tfpy.core.run import run, run_multi
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int, resolve_axis
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient


class TopK(TensorRecord):
    """The result of `topk`."""

    values: Tensor
    indices: Tensor


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


@op(chain=True, doc="Operations / Evaluation")
def topk(x: TensorLike, k: int = 1, sorted: bool = True) -> TopK:
    """The k largest elements of each row, along the last axis.

    Args:
        x: a tensor of rank 1 or more; any real dtype.
        k: how many.
        sorted: whether they come largest first; otherwise, on the cpu backends, in the order in which TF.js's algorithm
            leaves them.

    Returns:
        A record (values, indices); of equal elements the one with the lower index is taken, and comes first if sorted.
        NaN is taken last.

    Raises:
        ValueError: k is negative or beyond the row, or the tensor is a scalar. TypeError: strings.

    Source: TF.js `tf.topk`. The gradient of the values is beyond TF.js.
    """
    t = real("topk", x)
    count = as_int("topk", "k", k)
    if t.rank == 0:
        raise argument_error("topk", "x", "of rank 1 or more", t)
    if not 0 <= count <= t.shape[-1]:
        raise argument_error("topk", "k", f"from 0 to {t.shape[-1]}, the size of the last axis", k)
    return TopK(*run_multi("TopK", t, k=count, sorted=bool(sorted)))


def _top_k_gradient(dys: list[Tensor], n: Any) -> list[Tensor]:
    """dy scattered back to the positions of the values."""
    shape = n.shape("x")
    rows = 1
    for m in shape[:-1]:
        rows *= m
    picks = run("Reshape", n.y[1], shape=(rows, n.attrs["k"]))
    offsets = run("Range", start=0, step=shape[-1], count=rows, dtype="int32")
    ids = run("Reshape", run("Add", picks, run("Reshape", offsets, shape=(rows, 1))), shape=(picks.size,))
    flat = run("Reshape", dys[0], shape=(picks.size,))
    total = run("UnsortedSegmentSum", flat, ids, num_segments=rows * shape[-1])
    return [run("Reshape", total, shape=shape)]


gradient("TopK", saves="y", joint=_top_k_gradient)
