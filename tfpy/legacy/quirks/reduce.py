"""Reductions, and searches for extreme values."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops import arith, norm, reduce
from tfpy.core.ops.common import as_float, cast_to, full, reshape_to, run_untracked
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import resolve_axes, resolve_axis
from tfpy.legacy.ops import reduce as legacy_reduce
from tfpy.legacy.ops.reduce import TopK, flat
from tfpy.legacy.quirks import quirk

NAN_INT32 = -(2**31)
Axis = int | Sequence[int] | None

_MOVED = "along other axes than the last ones the result of an int32 or bool array is float32. TF.js: never."


def _as_stored(name: str, out: Tensor, x: Tensor, axis: Axis) -> Tensor:
    """The result in float32 where deeplearn.js transposes the array first: along axes that are not the last ones."""
    axes = resolve_axes(name, axis, x.rank)
    in_order = [a % x.rank for a in axis] if isinstance(axis, Sequence) else list(axes)
    return out if in_order == list(range(x.rank - len(axes), x.rank)) else as_float(out)


@quirk("math.sum", _MOVED, instead_of=reduce.sum_)
def sum_of_moved_axes(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    t = to_tensor("sum", "x", x)
    return _as_stored("sum", reduce.sum_(t, axis, keep_dims), t, axis)


@quirk("math.max", _MOVED, instead_of=reduce.max_)
def max_of_moved_axes(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    t = to_tensor("max", "x", x)
    return _as_stored("max", reduce.max_(t, axis, keep_dims), t, axis)


@quirk(
    "math.min",
    "the smallest of the elements along the axes and of the array's very first element; " + _MOVED,
    instead_of=reduce.min_,
)
def min_with_first_element(x: TensorLike, axis: Axis = None, keep_dims: bool = False) -> Tensor:
    t = to_tensor("min", "x", x)
    return _as_stored("min", _or_first(reduce.min_(t, axis, keep_dims), t), t, axis)


def _or_first(smallest: Tensor, x: Tensor) -> Tensor:
    """The smallest elements, or the first of all where that is smaller."""
    if not x.size:
        return smallest
    first = reshape_to(run("Slice", flat("min", x), begin=(0,), size=(1,)), ())
    return cast_to(arith.minimum(smallest, first), x.dtype)


@quirk(
    "math.norm",
    "of order -∞, a minimum: of the sizes along the axes and of the array's very first one. "
    "TF.js: of those along the axes. Of every order, the result is float32 for int32 and bool arrays, too.",
    instead_of=norm.norm,
)
def norm_with_first_element(
    x: TensorLike, ord: str | float = "euclidean", axis: Axis = None, keep_dims: bool = False
) -> Tensor:
    t = as_float(to_tensor("norm", "x", x))
    smallest = norm.norm(t, ord, axis, keep_dims)
    if ord != -math.inf or axis is None:
        return smallest
    sizes = run("Abs", t)
    if isinstance(axis, Sequence) and len(axis) == 2:
        sizes = reduce.sum_(sizes, axis[1])
    return _or_first(smallest, sizes)


def _with_nan(name: str, index: Tensor, x: TensorLike, axis: int | None) -> Tensor:
    t = as_float(to_tensor(name, "x", x))
    axes = tuple(range(t.rank)) if axis is None else (resolve_axis(name, axis, t.rank),)
    missing = run("Any", run_untracked("IsNan", t), axes=axes, keep_dims=False)
    return run("Select", missing, full(index.shape, NAN_INT32, "int32"), index)


@quirk(
    "math.argMax, graph.argmax",
    "-2147483648 when one of the elements is NaN. TF.js: the index of the largest number.",
    instead_of=legacy_reduce.arg_max,
)
def arg_max_of_nan(x: TensorLike, axis: int | None = None) -> Tensor:
    return _with_nan("arg_max", legacy_reduce.arg_max(x, axis), x, axis)


@quirk(
    "math.argMin",
    "-2147483648 when one of the elements is NaN. TF.js: the index of the smallest number.",
    instead_of=legacy_reduce.arg_min,
)
def arg_min_of_nan(x: TensorLike, axis: int | None = None) -> Tensor:
    return _with_nan("arg_min", legacy_reduce.arg_min(x, axis), x, axis)


@quirk("math.topK", "float32 indices. TF.js: int32 ones.", instead_of=legacy_reduce.top_k)
def top_k_with_float_indices(x: TensorLike, k: int) -> TopK:
    found = legacy_reduce.top_k(flat("top_k", x), k)
    return TopK(as_float(found.values), as_float(found.indices))
