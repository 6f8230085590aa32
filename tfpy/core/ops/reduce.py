"""Reductions along axes: sums, products, extremes, booleans and their compositions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, number, to_tensor
from tfpy.core.ops.arith import add, div, mul, sub
from tfpy.core.ops.common import as_float, cast_to, factor, full, inverse_order, mask, real, reshape_to, sum_over
from tfpy.core.results import TensorRecord
from tfpy.core.run import run, run_multi
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import resolve_axes, resolve_axis
from tfpy.engine.backend import current
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient
from tfpy.engine.spec import Shape, reduced_shape
from tfpy.engine.state import local

Axis: TypeAlias = int | Sequence[int] | None


class Moments(TensorRecord):
    """The result of `moments`."""

    mean: Tensor
    variance: Tensor


def with_kept_axes(t: Tensor, shape: Shape, axes: Sequence[int]) -> Tensor:
    """A result reduced from `shape` over `axes`, with the axes restored as size 1."""
    return reshape_to(t, reduced_shape(shape, axes, True))


def _reduce(op_name: str, kernel: str, t: Tensor, axis: Axis, keep_dims: bool) -> Tensor:
    axes = resolve_axes(op_name, axis, len(t.spec.shape))
    return run(kernel, t, axes=axes, keep_dims=bool(keep_dims))


@op(chain=True, legacy="sum", doc="Operations / Reduction")
def sum_(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """The sum along axes.

    Args:
        x: a tensor of any shape; booleans are converted to int32.
        axis: the axis or axes to sum over; all by default.
        keep_dims: whether to keep the reduced axes, with size 1.

    Returns:
        A tensor without the axes, or with size 1 there if `keep_dims`; of x's dtype, int32 for booleans.

    Raises:
        ValueError: an axis is out of range. TypeError: strings.

    Source: TF.js `tf.sum`; deeplearn.js `math.sum`.
    """
    t = to_tensor("sum", "x", x)
    return _reduce("sum", "Sum", cast_to(t, "int32") if t.spec.dtype == "bool" else t, axis, keep_dims)


def _spread(t: Tensor, shape: Shape, axes: Sequence[int]) -> Tensor:
    """A result reduced from `shape` over `axes`, repeated along them; a scalar broadcasts as it is."""
    return run("BroadcastTo", with_kept_axes(t, shape, axes) if t.spec.shape else t, shape=shape)


gradient("Sum", x=lambda dy, n: _spread(dy, n.shape("x"), n.attrs["axes"]))


@op(chain=True, legacy="mean", doc="Operations / Reduction")
def mean(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """The mean along axes, in float32; 0 if there are no elements.

    Args:
        x: a tensor of any shape; any dtype but string.
        axis: the axis or axes to average over; all by default.
        keep_dims: whether to keep the reduced axes, with size 1.

    Returns:
        A float32 tensor without the axes, or with size 1 there if `keep_dims`; complex64 for complex numbers.

    Raises:
        ValueError: an axis is out of range. TypeError: strings.

    Source: TF.js `tf.mean`, which divides each element before it sums, as the backend `exact` does; deeplearn.js
    `math.mean`.
    """
    return _reduce("mean", "Mean", as_float(to_tensor("mean", "x", x)), axis, keep_dims)


def _count(shape: Shape, axes: Sequence[int]) -> int:
    """How many elements are reduced into each result over the axes."""
    return math.prod([shape[i] for i in axes])


def _mean_gradient(dy: Tensor, n: Any) -> Tensor:
    shape, axes = n.shape("x"), n.attrs["axes"]
    count = number(_count(shape, axes))
    if local.state.tapes:  # the second derivative sums what TF.js sums, the share of each element
        return div(_spread(dy, shape, axes), count)
    return _spread(div(dy, count), shape, axes)


gradient("Mean", x=_mean_gradient)


@op(chain=True, doc="Operations / Reduction")
def prod(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """The product along axes.

    Args:
        x: a tensor of any shape; booleans are converted to int32.
        axis: the axis or axes to multiply over; all by default.
        keep_dims: whether to keep the reduced axes, with size 1.

    Returns:
        A tensor without the axes, or with size 1 there if `keep_dims`; of x's dtype, int32 for booleans.

    Raises:
        ValueError: an axis is out of range. TypeError: strings.

    Source: TF.js `tf.prod`. An element's gradient is the product of the others, zeros among them included.
    """
    t = to_tensor("prod", "x", x)
    return _reduce("prod", "Prod", cast_to(t, "int32") if t.dtype == "bool" else t, axis, keep_dims)


def _prod_gradient(dy: Tensor, n: Any) -> Tensor:
    """dy times the product of the other elements: those before times those after."""
    axes: tuple[int, ...] = n.attrs["axes"]
    x = factor(n.x)
    kept = tuple(i for i in range(x.rank) if i not in axes)
    perm = (*kept, *axes)
    moved = run("Transpose", x, perm=perm)
    lead = tuple(x.shape[i] for i in kept)
    flat = reshape_to(moved, (*lead, _count(x.shape, axes)))
    before = run("Cumprod", flat, axis=len(lead), exclusive=True, reverse=False)
    after = run("Cumprod", flat, axis=len(lead), exclusive=True, reverse=True)
    slope = mul(reshape_to(dy, (*lead, 1)), mul(before, after))
    return run("Transpose", reshape_to(slope, moved.shape), perm=inverse_order(perm))


gradient("Prod", saves="x", x=_prod_gradient)


@op(chain=True, legacy="max", doc="Operations / Reduction")
def max_(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """The largest element along axes; NaN if any is NaN or there are none.

    Args:
        x: a tensor of any shape; any real dtype.
        axis: the axis or axes to reduce; all by default.
        keep_dims: whether to keep the reduced axes, with size 1.

    Returns:
        A tensor of x's dtype without the axes, or with size 1 there if `keep_dims`.

    Raises:
        ValueError: an axis is out of range. TypeError: strings or complex numbers.

    Source: TF.js `tf.max`; deeplearn.js `math.max`. Every element that equals the largest gets the whole gradient.
    """
    return _reduce("max", "Max", real("max", x), axis, keep_dims)


@op(chain=True, legacy="min", doc="Operations / Reduction")
def min_(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """The smallest element along axes; NaN if any is NaN or there are none.

    Args:
        x: a tensor of any shape; any real dtype.
        axis: the axis or axes to reduce; all by default.
        keep_dims: whether to keep the reduced axes, with size 1.

    Returns:
        A tensor of x's dtype without the axes, or with size 1 there if `keep_dims`.

    Raises:
        ValueError: an axis is out of range. TypeError: strings or complex numbers.

    Source: TF.js `tf.min`; deeplearn.js `math.min`. Every element that equals the smallest gets the whole gradient.
    """
    return _reduce("min", "Min", real("min", x), axis, keep_dims)


def _extremum_gradient(dy: Tensor, n: Any) -> Tensor:
    shape, axes = n.shape("x"), n.attrs["axes"]
    chosen = mask("Equal", n.x, with_kept_axes(n.y, shape, axes))
    return mul(with_kept_axes(dy, shape, axes), chosen)


gradient("Max", saves="x y", x=_extremum_gradient)
gradient("Min", saves="x y", x=_extremum_gradient)


@op(chain=True, doc="Operations / Reduction")
def all_(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """Whether all elements along axes are true; false if there are none, as in TF.js.

    Args:
        x: a bool tensor of any shape.
        axis: the axis or axes to reduce; all by default.
        keep_dims: whether to keep the reduced axes, with size 1.

    Returns:
        A bool tensor without the axes, or with size 1 there if `keep_dims`.

    Raises:
        TypeError: not bool. ValueError: an axis is out of range.

    Source: TF.js `tf.all`.
    """
    return _reduce("all", "All", to_tensor("all", "x", x, "bool"), axis, keep_dims)


@op(chain=True, doc="Operations / Reduction")
def any_(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """Whether any element along axes is true.

    Args:
        x: a bool tensor of any shape.
        axis: the axis or axes to reduce; all by default.
        keep_dims: whether to keep the reduced axes, with size 1.

    Returns:
        A bool tensor without the axes, or with size 1 there if `keep_dims`.

    Raises:
        TypeError: not bool. ValueError: an axis is out of range.

    Source: TF.js `tf.any`.
    """
    return _reduce("any", "Any", to_tensor("any", "x", x, "bool"), axis, keep_dims)


# Booleans are constant almost everywhere: no gradient flows through them.
for _kernel in ("All", "Any"):
    gradient(_kernel, x=None)


@op(chain=True, doc="Operations / Reduction")
def arg_max(x: TensorLike, axis: int = 0) -> Tensor:
    """The index of the largest element along an axis; the first of equal ones.

    Args:
        x: a tensor of rank 1 or more; any real dtype. NaN counts only where it comes first.
        axis: the axis to reduce.

    Returns:
        An int32 tensor without that axis.

    Raises:
        ValueError: the axis is out of range. TypeError: strings or complex numbers.

    Source: TF.js `tf.argMax`; deeplearn.js `math.argMax`. Its gradient is 0.
    """
    return _extreme_index("arg_max", "ArgMax", x, axis)


@op(chain=True, doc="Operations / Reduction")
def arg_min(x: TensorLike, axis: int = 0) -> Tensor:
    """The index of the smallest element along an axis; the first of equal ones.

    Args:
        x: a tensor of rank 1 or more; any real dtype. NaN counts only where it comes first.
        axis: the axis to reduce.

    Returns:
        An int32 tensor without that axis.

    Raises:
        ValueError: the axis is out of range. TypeError: strings or complex numbers.

    Source: TF.js `tf.argMin`; deeplearn.js `math.argMin`. Its gradient is 0.
    """
    return _extreme_index("arg_min", "ArgMin", x, axis)


def _extreme_index(op_name: str, kernel: str, x: TensorLike, axis: int) -> Tensor:
    t = real(op_name, x)
    at = resolve_axis(op_name, axis, t.rank)
    if t.shape[at] == 0:
        raise argument_error(op_name, "x", f"of 1 element or more along axis {at}", t)
    return run(kernel, t, axis=at)


for _kernel in ("ArgMax", "ArgMin"):
    gradient(_kernel, x=lambda dy, n: full(n.shape("x"), 0))


@op(chain=True, legacy="log_sum_exp", doc="Operations / Reduction")
def log_sum_exp(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    """log(Σ eˣ) along axes, without overflow.

    Args:
        x: a tensor of any shape; any real dtype.
        axis: the axis or axes to reduce; all by default.
        keep_dims: whether to keep the reduced axes, with size 1.

    Returns:
        A float32 tensor without the axes, or with size 1 there if `keep_dims`.

    Raises:
        ValueError: an axis is out of range. TypeError: strings or complex numbers.

    Source: TF.js `tf.logSumExp`; deeplearn.js `math.logSumExp`.
    """
    t = real("log_sum_exp", x, "float32")
    axes = resolve_axes("log_sum_exp", axis, t.rank)
    largest = run("Max", t, axes=axes, keep_dims=True)
    total = sum_over(run("Exp", sub(t, largest)), axes)
    out = add(reshape_to(largest, total.shape), run("Log", total))
    return with_kept_axes(out, t.shape, axes) if keep_dims else out


@op(legacy="moments", doc="Operations / Normalization")
def moments(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Moments:
    """Mean and population variance along axes.

    Args:
        x: a tensor of any shape; any real dtype.
        axis: the axis or axes to reduce; all by default.
        keep_dims: whether to keep the reduced axes, with size 1.

    Returns:
        A record (mean, variance) of float32 tensors.

    Raises:
        ValueError: an axis is out of range. TypeError: strings or complex numbers.

    Source: TF.js `tf.moments`; deeplearn.js `math.moments`.
    """
    t = real("moments", x, "float32")
    axes = resolve_axes("moments", axis, t.rank)
    if t.spec.size and current().implements("Moments"):
        found = run_multi("Moments", t, axes=axes)
        shape = reduced_shape(t.spec.shape, axes, bool(keep_dims))
        return Moments(*[reshape_to(moment, shape) for moment in found])
    average = mean(t, axes, keep_dims)
    deviation = run("Square", sub(t, with_kept_axes(average, t.shape, axes)))
    return Moments(average, mean(deviation, axes, keep_dims))


def _moments_gradient(dy: Sequence[Tensor], n: Any) -> list[Tensor]:
    """(dmean + 2 · dvariance · (x - mean)) / count; NaN in x reaches it only if something depends on the variance."""
    share = number(_count(n.shape("x"), n.attrs["axes"]) ** -1)
    if not n.reached[1]:
        return [run("BroadcastTo", mul(dy[0], share), shape=n.shape("x"))]
    spread = mul(sub(n.x, n.y[0]), mul(dy[1], mul(share, number(2.0))))
    return [add(spread, mul(dy[0], share))]


gradient("Moments", saves="x y", joint=_moments_gradient)
