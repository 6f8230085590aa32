"""Slices, blocks and elements gathered by index; scattered to indices, and summed by segment."""

from __future__ import annotations

import math
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import as_float, full, reshape_to, run_untracked, zero_gradient
from tfpy.core.ops.create import ShapeLike, zeros
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int, as_shape, resolve_axis
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient
from tfpy.engine.spec import Shape


@op(chain=True, legacy="gather", doc="Tensors / Slicing and Joining")
def gather(x: TensorLike, indices: TensorLike, axis: int = 0, batch_dims: int = 0) -> Tensor:
    """Slices along an axis, gathered by index.

    Args:
        x: a tensor of rank 1 or more; any dtype but string.
        indices: an int32 tensor of indices from 0 to the size of the axis minus one.
        axis: the axis to gather from.
        batch_dims: how many leading dimensions x and indices share; slices are gathered within each.

    Returns:
        A tensor of x's shape with the axis replaced by the dimensions of indices (without the batch dimensions).

    Raises:
        ValueError: an index or axis is out of range, or batch_dims does not fit. TypeError: indices not int32.

    Source: TF.js `tf.gather`; deeplearn.js `math.gather`.
    """
    t = to_tensor("gather", "x", x, "any")
    picks = to_tensor("gather", "indices", indices, "int32")
    at = resolve_axis("gather", axis, len(t.spec.shape))
    lead = as_int("gather", "batch_dims", batch_dims)
    lead = lead + picks.rank if lead < 0 else lead
    if lead and not (0 <= lead <= min(at, picks.rank) and t.shape[:lead] == picks.shape[:lead]):
        expected = f"a number of dimensions before axis {at} that {list(t.shape)} and {list(picks.shape)} share"
        raise argument_error("gather", "batch_dims", expected, batch_dims)
    return run("GatherV2", t, picks, axis=at, batch_dims=lead)


def _gather_gradient(dy: Tensor, n: Any) -> Tensor:
    """The rows of dy, summed by the index that selected them."""
    shape, axis, lead = n.shape("x"), n.attrs["axis"], n.attrs["batch_dims"]
    if lead:
        return _batched_gather_gradient(dy, n)
    picks = n.indices
    moved = (*range(axis, axis + picks.rank), *range(axis), *range(axis + picks.rank, dy.rank))
    rows = run("Transpose", dy, perm=moved)
    total = run("UnsortedSegmentSum", rows, picks, num_segments=shape[axis])
    back = (*range(1, axis + 1), 0, *range(axis + 1, len(shape)))
    return run("Transpose", total, perm=back)


def _batched_gather_gradient(dy: Tensor, n: Any) -> Tensor:
    """The same with every batch's indices shifted to rows of its own."""
    shape, axis, lead = n.shape("x"), n.attrs["axis"], n.attrs["batch_dims"]
    batches = math.prod(shape[:lead])
    picks = reshape_to(n.indices, (batches, -1 if not batches else n.indices.size // batches))
    offsets = run("Range", start=0, step=shape[axis], count=batches, dtype="int32")
    ids = run("Add", picks, run("Reshape", offsets, shape=(batches, 1)))
    middle, tail = shape[lead:axis], shape[axis + 1 :]
    inner = n.indices.shape[lead:]
    spread = run("Reshape", dy, shape=(batches, *middle, *inner, *tail))
    k, m = len(inner), len(middle)
    perm = (0, *range(1 + m, 1 + m + k), *range(1, 1 + m), *range(1 + m + k, spread.rank))
    rows = reshape_to(run("Transpose", spread, perm=perm), (*ids.shape, *middle, *tail))
    total = run("UnsortedSegmentSum", rows, ids, num_segments=batches * shape[axis])
    out = run("Reshape", total, shape=(batches, shape[axis], *middle, *tail))
    order = (0, *range(2, 2 + m), 1, *range(2 + m, out.rank))
    return run("Reshape", run("Transpose", out, perm=order), shape=shape)


gradient("GatherV2", saves="indices", x=_gather_gradient, indices=None)


@op(chain=True, doc="Operations / Segment")
def unsorted_segment_sum(x: TensorLike, segment_ids: TensorLike, num_segments: int) -> Tensor:
    """The sums of the rows that have the same id.

    Args:
        x: a tensor of rank 1 or more.
        segment_ids: an int32 tensor, an id for each row; rows with a negative id are ignored.
        num_segments: the number of ids.

    Returns:
        A float32 tensor of x's shape with the dimensions of the ids replaced by one of size num_segments.

    Raises:
        ValueError: the ids do not fit the rows. TypeError: ids that are not int32.

    Source: TF.js `tf.unsortedSegmentSum`.
    """
    t = as_float(to_tensor("unsorted_segment_sum", "x", x))
    ids = to_tensor("unsorted_segment_sum", "segment_ids", segment_ids, "int32")
    count = as_int("unsorted_segment_sum", "num_segments", num_segments)
    if ids.shape != t.shape[: ids.rank] or not ids.rank:
        expected = f"of a shape that shape {list(t.shape)} starts with"
        raise argument_error("unsorted_segment_sum", "segment_ids", expected, ids)
    if count < 0:
        raise argument_error("unsorted_segment_sum", "num_segments", "0 or more", num_segments)
    return run("UnsortedSegmentSum", t, ids, num_segments=count)


def _segment_sum_gradient(dy: Tensor, n: Any) -> Tensor:
    """Each row gets its segment's gradient; ignored rows get 0."""
    ids = n.segment_ids
    count = n.attrs["num_segments"]
    shape = n.shape("x")
    if count == 0:
        return zero_gradient(n.spec("x"))
    inside = run("ClipByValue", ids, clip_value_min=0, clip_value_max=count - 1)
    rows = run("GatherV2", dy, inside, axis=0, batch_dims=0)
    valid = run("Reshape", run("Equal", ids, inside), shape=(*ids.shape, *[1] * (len(shape) - ids.rank)))
    return run("Select", valid, rows, zero_gradient(rows.spec))


gradient("UnsortedSegmentSum", saves="segment_ids", x=_segment_sum_gradient, segment_ids=None)


@op(doc="Operations / Slicing and Joining")
def gather_nd(x: TensorLike, indices: TensorLike) -> Tensor:
    """Elements, or blocks of the last axes, gathered at indices.

    Args:
        x: a tensor of rank 1 or more, of any dtype.
        indices: an int32 tensor of rank 1 or more; each row of its last dimension is an index into the first axes of x.

    Returns:
        A tensor of shape indices.shape[:-1] + x.shape[indices.shape[-1]:].

    Raises:
        ValueError: an index that is out of range or too long. TypeError: indices that are not int32.

    Source: TF.js `tf.gatherND`. Its gradient is beyond TF.js.
    """
    t = to_tensor("gather_nd", "x", x, "any")
    at = to_tensor("gather_nd", "indices", indices, "int32")
    for name, tensor in (("x", t), ("indices", at)):
        if tensor.rank == 0:
            raise argument_error("gather_nd", name, "of rank 1 or more", tensor)
    return run("GatherNd", t, at)


gradient(
    "GatherNd",
    saves="indices",
    x=lambda dy, n: run("ScatterNd", n.indices, dy, shape=n.shape("x")),
    indices=None,
)


@op(doc="Operations / Slicing and Joining")
def scatter_nd(indices: TensorLike, updates: TensorLike, shape: ShapeLike) -> Tensor:
    """Zeros with given elements, or blocks of the last axes, scattered to indices.

    Args:
        indices: an int32 tensor; each row of its last dimension is an index into the first axes. A vector is a list of
            indices into the first axis.
        updates: the elements, or blocks, one for each index; those for the same index are summed.
        shape: the shape of the result.

    Returns:
        A tensor of the given shape, and of the dtype of the updates.

    Raises:
        ValueError: an index that is out of range, or updates that do not fit. TypeError: indices that are not int32.

    Source: TF.js `tf.scatterND`. Its gradient is beyond TF.js.
    """
    values = to_tensor("scatter_nd", "updates", updates)
    at = _index_rows("scatter_nd", indices)
    return run("ScatterNd", at, values, shape=_nonscalar_shape("scatter_nd", shape))


gradient("ScatterNd", saves="indices", indices=None, updates=lambda dy, n: run("GatherNd", dy, n.indices))


@op(doc="Operations / Slicing and Joining")
def tensor_scatter_update(tensor: TensorLike, indices: TensorLike, updates: TensorLike) -> Tensor:
    """A tensor with elements, or blocks of the last axes, replaced at indices.

    Args:
        tensor: a tensor of rank 1 or more.
        indices: an int32 tensor; each row of its last dimension is an index into the first axes. A vector is a list of
            indices into the first axis.
        updates: the elements, or blocks, one for each index, of tensor's dtype; of those for the same index the last
            wins.

    Returns:
        A tensor of the same shape and dtype.

    Raises:
        ValueError: an index that is out of range, or updates that do not fit. TypeError: indices that are not int32, or
            dtypes that differ.

    Source: TF.js `tf.tensorScatterUpdate`. Its gradient is beyond TF.js.
    """
    t = to_tensor("tensor_scatter_update", "tensor", tensor)
    values = to_tensor("tensor_scatter_update", "updates", updates)
    if t.rank == 0:
        raise argument_error("tensor_scatter_update", "tensor", "of rank 1 or more", t)
    if values.dtype != t.dtype:
        raise argument_error("tensor_scatter_update", "updates", f"of dtype {t.dtype}", values, TypeError)
    return run("TensorScatterUpdate", t, _index_rows("tensor_scatter_update", indices), values)


def _kept_gradient(dy: Tensor, n: Any) -> Tensor:
    """dy with 0 at the replaced elements."""
    return run("TensorScatterUpdate", dy, n.indices, full(n.shape("updates"), 0, dy.dtype))


def _update_gradient(dy: Tensor, n: Any) -> Tensor:
    """dy at the indices of those updates that no later one overwrote."""
    shape = n.indices.shape[:-1]
    numbers = run("Range", start=0, step=1, count=math.prod(shape), dtype="int32")
    mine = reshape_to(numbers, shape)
    depth = n.indices.shape[-1]
    board = full(n.shape("tensor")[:depth], -1, "int32")
    last = run("GatherNd", run("TensorScatterUpdate", board, n.indices, mine), n.indices)
    counts = run("Cast", run_untracked("Equal", last, mine), dtype=dy.dtype)
    spread = reshape_to(counts, (*shape, *[1] * (dy.rank - depth)))
    return run("Multiply", run("GatherNd", dy, n.indices), spread)


gradient("TensorScatterUpdate", saves="indices", tensor=_kept_gradient, indices=None, updates=_update_gradient)


@op(doc="Operations / Normalization")
def sparse_to_dense(
    sparse_indices: TensorLike,
    sparse_values: TensorLike,
    output_shape: ShapeLike,
    default_value: TensorLike | None = None,
) -> Tensor:
    """A tensor of one value, with given elements at indices.

    Args:
        sparse_indices: an int32 tensor: a matrix whose rows are indices, a vector of indices into a vector, or
            a scalar.
        sparse_values: a vector with an element for each index, or a scalar for all of them; of those for the same index
            the last wins.
        output_shape: the shape of the result.
        default_value: the value elsewhere, a scalar of the values' dtype; 0, false or '' by default.

    Returns:
        A tensor of shape `output_shape`, and of the dtype of the values.

    Raises:
        ValueError: an index that is out of range, or shapes that do not fit. TypeError: indices that are not int32, or
            dtypes that differ.

    Source: TF.js `tf.sparseToDense`. Its gradient is beyond TF.js.
    """
    at = to_tensor("sparse_to_dense", "sparse_indices", sparse_indices, "int32")
    values = to_tensor("sparse_to_dense", "sparse_values", sparse_values, "any")
    shape = _nonscalar_shape("sparse_to_dense", output_shape, "output_shape")
    if at.rank > 2:
        raise argument_error("sparse_to_dense", "sparse_indices", "a scalar, vector or matrix", at)
    count, depth = at.shape if at.rank == 2 else (at.size, 1)
    if depth != len(shape):
        raise argument_error("sparse_to_dense", "output_shape", f"of {depth} sizes, as the indices have", list(shape))
    if values.rank > 1 or (values.rank == 1 and values.size != count):
        raise argument_error("sparse_to_dense", "sparse_values", f"a scalar or a vector of {count}", values)
    rows = reshape_to(at, (count, depth))
    updates = values if values.rank else run("BroadcastTo", values, shape=(count,))
    return run("TensorScatterUpdate", _filled(default_value, values, shape), rows, updates)


def _filled(value: TensorLike | None, values: Tensor, shape: Shape) -> Tensor:
    if value is None:
        return zeros(shape, values.dtype)
    default = to_tensor("sparse_to_dense", "default_value", value, values.dtype)
    if default.rank:
        raise argument_error("sparse_to_dense", "default_value", "a scalar", default)
    return run("BroadcastTo", default, shape=shape)


def _index_rows(op_name: str, indices: TensorLike) -> Tensor:
    """Indices as rows of the last dimension."""
    at = to_tensor(op_name, "indices", indices, "int32")
    if at.rank == 0:
        raise argument_error(op_name, "indices", "of rank 1 or more", at)
    return reshape_to(at, (at.size, 1)) if at.rank == 1 else at


def _nonscalar_shape(op_name: str, shape: Any, argument: str = "shape") -> Shape:
    sizes = as_shape(op_name, shape, argument)
    if not sizes:
        raise argument_error(op_name, argument, "of 1 size or more", list(sizes))
    return sizes
