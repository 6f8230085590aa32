"""Finding elements: where a condition is true, which are distinct, the largest, where one belongs in sorted ones.

The number of results depends on the values, so most of these ops read them; the results are then taken
from the tensor by ops with a gradient.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tfpy.core.calling.ready import ReadyList
from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import cast_to, int_tensor, real, reshape_to, tensor_of_rank
from tfpy.core.results import TensorRecord
from tfpy.core.run import run, run_multi
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.arguments import as_int, resolve_axis
from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient, no_gradient


class TopK(TensorRecord):
    """The result of `topk`."""

    values: Tensor
    indices: Tensor


class Unique(TensorRecord):
    """The result of `unique`."""

    values: Tensor
    indices: Tensor


@op(chain=True, doc="Operations / Evaluation")
def unique(x: TensorLike, axis: int = 0) -> Unique:
    """The distinct slices along an axis, in order of first occurrence.

    Args:
        x: a tensor of rank 1 or more, of any dtype.
        axis: the axis of the slices.

    Returns:
        A record (values, indices): the distinct slices, and for each slice of x its index among them.
        NaN equals NaN, and 0 equals -0.

    Raises:
        ValueError: the axis is out of range.

    Source: TF.js `tf.unique`. The gradient of the values, that of their first occurrence, is beyond TF.js.
    """
    t = to_tensor("unique", "x", x, "any")
    at = resolve_axis("unique", axis, t.rank)
    rows = np.moveaxis(dispatch.read(t, "unique"), at, 0)
    first, numbers = _different_rows(rows.reshape(len(rows), -1) if rows.size else rows.reshape(len(rows), 0))
    return Unique(run("GatherV2", t, int_tensor(first), axis=at, batch_dims=0), int_tensor(numbers))


def _different_rows(rows: Array) -> tuple[Array, Array]:
    """The index of each distinct row's first occurrence, in order, and for each row its index among these."""
    if not rows.size:
        return np.arange(min(len(rows), 1)), np.zeros(len(rows), np.int64)
    codes = np.unique(rows, return_inverse=True)[1].reshape(rows.shape)
    keys = np.ascontiguousarray(codes).view(np.dtype((np.void, codes.itemsize * codes.shape[1]))).reshape(-1)
    _, first, number = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[number]


@op(doc="Tensors / Transformations")
def setdiff1d_async(x: TensorLike, y: TensorLike) -> ReadyList[Tensor]:
    """The elements of one vector that are not in another; awaitable.

    Args:
        x: the vector of elements.
        y: the vector of elements to leave out, of the same dtype.

    Returns:
        A list [values, indices]: the elements in their order, each as often as it occurs, and their indices in x.

    Raises:
        ValueError: not vectors. TypeError: strings, or dtypes that differ.

    Source: TF.js `tf.setdiff1dAsync`. The gradient of the values is beyond TF.js.
    """
    a, b = tensor_of_rank("setdiff1d_async", "x", x, 1), tensor_of_rank("setdiff1d_async", "y", y, 1)
    if a.dtype != b.dtype:
        raise argument_error("setdiff1d_async", "y", f"of dtype {a.dtype}", b, TypeError)
    left, right = dispatch.read(a, "setdiff1d_async"), dispatch.read(b, "setdiff1d_async")
    known = np.isin(left, right)
    if np.isnan(right).any():
        known |= np.isnan(left)
    indices = int_tensor(np.flatnonzero(~known))
    return ReadyList([run("GatherV2", a, indices, axis=0, batch_dims=0), indices])


@op(doc="Operations / Logical")
def where_async(condition: TensorLike) -> Tensor:
    """The coordinates where a condition is true; awaitable.

    Args:
        condition: a bool tensor.

    Returns:
        An int32 tensor of shape [count, condition.rank], in row-major order.

    Raises:
        TypeError: not bool.

    Source: TF.js `tf.whereAsync`.
    """
    t = to_tensor("where_async", "condition", condition, "bool")
    return int_tensor(np.argwhere(dispatch.read(t, "where_async")))


@op(doc="Tensors / Slicing and Joining")
def boolean_mask_async(tensor: TensorLike, mask: TensorLike, axis: int | None = None) -> Tensor:
    """The elements, or blocks of the last axes, for which a mask is true; awaitable.

    Args:
        tensor: a tensor of rank 1 or more.
        mask: a bool tensor of rank 1 or more, whose shape matches consecutive axes of the tensor.
        axis: the first of these axes; 0 by default.

    Returns:
        A tensor of the tensor's shape with the axes of the mask replaced by one, whose size is the number of true
        elements.

    Raises:
        ValueError: a mask of another shape, or an axis out of range. TypeError: the mask is not bool.

    Source: TF.js `tf.booleanMaskAsync`. Its gradient is that of gather.
    """
    t = to_tensor("boolean_mask_async", "tensor", tensor)
    chosen = to_tensor("boolean_mask_async", "mask", mask, "bool")
    at = resolve_axis("boolean_mask_async", 0 if axis is None else axis, t.rank)
    end = at + chosen.rank
    if chosen.rank == 0 or t.shape[at:end] != chosen.shape:
        expected = f"of a shape that shape {list(t.shape)} has from axis {at} on"
        raise argument_error("boolean_mask_async", "mask", expected, chosen)
    places = np.flatnonzero(dispatch.read(chosen, "boolean_mask_async"))
    rows = reshape_to(t, (*t.shape[:at], chosen.size, *t.shape[end:]))
    return run("GatherV2", rows, int_tensor(places), axis=at, batch_dims=0)


@op(doc="Operations / Evaluation")
def search_sorted(sorted_sequence: TensorLike, values: TensorLike, side: str = "left") -> Tensor:
    """Where values would have to be inserted into sorted rows to keep them sorted.

    Args:
        sorted_sequence: numbers in ascending order along the last axis.
        values: numbers to be inserted, row by row.
        side: 'left' for the first such index, 'right' for the last.

    Returns:
        An int32 tensor of shape [rows, values in a row].

    Raises:
        ValueError: a scalar, unequal numbers of rows, or an unknown side. TypeError: strings or complex numbers.

    Source: TF.js `tf.searchSorted`.
    """
    if not isinstance(side, str) or side not in ("left", "right"):
        raise argument_error("search_sorted", "side", "'left' or 'right'", side)
    return _search("search_sorted", sorted_sequence, values, side)


@op(doc="Operations / Evaluation")
def lower_bound(sorted_sequence: TensorLike, values: TensorLike) -> Tensor:
    """The first index at which values can be inserted into sorted rows to keep them sorted.

    Args:
        sorted_sequence: numbers in ascending order along the last axis.
        values: numbers to be inserted, row by row.

    Returns:
        An int32 tensor of shape [rows, values in a row].

    Raises:
        ValueError: a scalar, or unequal numbers of rows. TypeError: strings or complex numbers.

    Source: TF.js `tf.lowerBound`.
    """
    return _search("lower_bound", sorted_sequence, values, "left")


@op(doc="Operations / Evaluation")
def upper_bound(sorted_sequence: TensorLike, values: TensorLike) -> Tensor:
    """The last index at which values can be inserted into sorted rows to keep them sorted.

    Args:
        sorted_sequence: numbers in ascending order along the last axis.
        values: numbers to be inserted, row by row.

    Returns:
        An int32 tensor of shape [rows, values in a row].

    Raises:
        ValueError: a scalar, or unequal numbers of rows. TypeError: strings or complex numbers.

    Source: TF.js `tf.upperBound`.
    """
    return _search("upper_bound", sorted_sequence, values, "right")


def _search(op_name: str, sorted_sequence: TensorLike, values: TensorLike, side: str) -> Tensor:
    tables = []
    for name, value in (("sorted_sequence", sorted_sequence), ("values", values)):
        t = real(op_name, value, argument=name)
        if t.rank == 0:
            raise argument_error(op_name, name, "of rank 1 or more", t)
        tables.append(reshape_to(t, (math.prod(t.shape[:-1]), t.shape[-1])))
    if tables[0].shape[0] != tables[1].shape[0]:
        raise argument_error(op_name, "values", f"of {tables[0].shape[0]} rows", values)
    return run("SearchSorted", *tables, side=side)


no_gradient("SearchSorted")


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
    rows = math.prod(shape[:-1])
    picks = run("Reshape", n.y[1], shape=(rows, n.attrs["k"]))
    offsets = run("Range", start=0, step=shape[-1], count=rows, dtype="int32")
    ids = run("Reshape", run("Add", picks, run("Reshape", offsets, shape=(rows, 1))), shape=(picks.size,))
    flat = run("Reshape", dys[0], shape=(picks.size,))
    total = run("UnsortedSegmentSum", flat, ids, num_segments=rows * shape[-1])
    return [run("Reshape", total, shape=shape)]


gradient("TopK", saves="y", joint=_top_k_gradient)


@op(doc="Operations / Evaluation")
def in_top_k_async(predictions: TensorLike, targets: TensorLike, k: int = 1) -> Tensor:
    """Whether the target of each row is among its k largest predictions; awaitable.

    Args:
        predictions: a tensor of rank 2 or more.
        targets: the index of the target in each row, of predictions' shape without the last axis.
        k: how many of the largest count; of equal ones, those with lower indices.

    Returns:
        A bool tensor of the targets' shape.

    Raises:
        ValueError: shapes that do not fit, or k is not from 1 to the length of a row. TypeError: strings.

    Source: TF.js `tf.inTopKAsync`.
    """
    rows = to_tensor("in_top_k_async", "predictions", predictions)
    wanted = to_tensor("in_top_k_async", "targets", targets)
    count = as_int("in_top_k_async", "k", k)
    if rows.rank < 2:
        raise argument_error("in_top_k_async", "predictions", "of rank 2 or more", rows)
    if rows.shape[:-1] != wanted.shape:
        raise argument_error("in_top_k_async", "targets", f"of shape {list(rows.shape[:-1])}", wanted)
    if not 1 <= count <= rows.shape[-1]:
        raise argument_error("in_top_k_async", "k", f"from 1 to {rows.shape[-1]}", k)
    found = topk(rows, count).indices
    column = reshape_to(cast_to(wanted, "int32"), (*wanted.shape, 1))
    return run("Any", run("Equal", found, column), axes=(wanted.rank,), keep_dims=False)
