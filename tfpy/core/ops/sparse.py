"""Sparse tensors, given by indices and values: `tf.sparse`."""

from __future__ import annotations

import numpy as np

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.arith import div
from tfpy.core.ops.common import as_float, cast_to, int_tensor, reshape_to, tensor_of_rank
from tfpy.core.ops.join import concat
from tfpy.core.results import TensorRecord
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error
from tfpy.engine.host import sparse


class FilledRows(TensorRecord):
    """The result of `sparse.sparse_fill_empty_rows`."""

    output_indices: Tensor
    output_values: Tensor
    empty_row_indicator: Tensor
    reverse_index_map: Tensor


class ReshapedSparse(TensorRecord):
    """The result of `sparse.sparse_reshape`."""

    output_indices: Tensor
    output_shape: Tensor


@op(namespace="sparse", doc="Operations / Sparse")
def sparse_fill_empty_rows(
    indices: TensorLike, values: TensorLike, dense_shape: TensorLike, default_value: TensorLike
) -> FilledRows:
    """A sparse tensor with an element added in each empty row.

    Args:
        indices: an int32 matrix, an index in each row.
        values: a vector of the elements at the indices.
        dense_shape: an int32 vector, the shape of the tensor.
        default_value: the new elements, a scalar of the values' dtype; they are placed in the first column.

    Returns:
        A record: output_indices and output_values, by row; empty_row_indicator, whether each row was empty; and
        reverse_index_map, where each of the given elements went.

    Raises:
        ValueError: shapes that do not fit, or an index of a row that does not exist. TypeError: a wrong dtype.

    Source: TF.js `tf.sparse.sparseFillEmptyRows`. The gradient of the values is beyond TF.js.
    """
    name = "sparse_fill_empty_rows"
    at = tensor_of_rank(name, "indices", indices, 2, "int32")
    shape = tensor_of_rank(name, "dense_shape", dense_shape, 1, "int32")
    elements = to_tensor(name, "values", values, "any")
    default = to_tensor(name, "default_value", default_value, elements.dtype)
    if elements.shape != at.shape[:1]:
        raise argument_error(name, "values", f"a vector of {at.shape[0]}, as many as indices", elements)
    if default.rank:
        raise argument_error(name, "default_value", "a scalar", default)
    if shape.size != at.shape[1] or not shape.size:
        raise argument_error(name, "dense_shape", f"of {max(at.shape[1], 1)} sizes, as the indices have", shape)
    out, picks, empty, places = sparse.filled_rows(dispatch.read(at, name), int(dispatch.read(shape, name)[0]))
    choice = concat([elements, reshape_to(default, (1,))])
    filled = run("GatherV2", choice, int_tensor(picks), axis=0, batch_dims=0)
    return FilledRows(int_tensor(out), filled, dispatch.make(Tensor, empty, "bool"), int_tensor(places))


@op(namespace="sparse", doc="Operations / Sparse")
def sparse_reshape(input_indices: TensorLike, input_shape: TensorLike, new_shape: TensorLike) -> ReshapedSparse:
    """The indices of a sparse tensor in another shape.

    Args:
        input_indices: an int32 matrix, an index in each row.
        input_shape: an int32 vector, the shape of the tensor.
        new_shape: an int32 vector, the target shape; one size may be -1, to be inferred.

    Returns:
        A record (output_indices, output_shape).

    Raises:
        ValueError: shapes of unequal size, or indices that are out of range. TypeError: not int32.

    Source: TF.js `tf.sparse.sparseReshape`.
    """
    name = "sparse_reshape"
    at = tensor_of_rank(name, "input_indices", input_indices, 2, "int32")
    old = tensor_of_rank(name, "input_shape", input_shape, 1, "int32")
    new = tensor_of_rank(name, "new_shape", new_shape, 1, "int32")
    sizes = [dispatch.read(t, name).tolist() for t in (old, new)]
    out, shape = sparse.reshaped(dispatch.read(at, name), *sizes)
    return ReshapedSparse(int_tensor(out), int_tensor(np.array(shape)))


@op(namespace="sparse", doc="Operations / Sparse")
def sparse_segment_sum(data: TensorLike, indices: TensorLike, segment_ids: TensorLike) -> Tensor:
    """Sums of selected rows by segment.

    Args:
        data: a tensor of rank 1 or more.
        indices: an int32 vector of the rows to select.
        segment_ids: an int32 vector of the segments that they go to, in ascending order; a skipped segment is 0.

    Returns:
        A tensor of data's dtype with a row for each segment up to the last.

    Raises:
        ValueError: ids not in ascending order, an index out of range, or sizes that differ. TypeError: not int32.

    Source: TF.js `tf.sparse.sparseSegmentSum`. Its gradient is beyond TF.js.
    """
    return _segments("sparse_segment_sum", data, indices, segment_ids)[0]


@op(namespace="sparse", doc="Operations / Sparse")
def sparse_segment_mean(data: TensorLike, indices: TensorLike, segment_ids: TensorLike) -> Tensor:
    """Means of selected rows by segment.

    Args:
        data: a tensor of rank 1 or more.
        indices: an int32 vector of the rows to select.
        segment_ids: an int32 vector of the segments that they go to, in ascending order; a skipped segment is 0.

    Returns:
        A tensor of data's dtype, int32 means truncated, with a row for each segment up to the last.

    Raises:
        ValueError: ids not in ascending order, an index out of range, or sizes that differ. TypeError: not int32.

    Source: TF.js `tf.sparse.sparseSegmentMean`. Its gradient is beyond TF.js.
    """
    total, ids = _segments("sparse_segment_mean", data, indices, segment_ids)
    counts = np.maximum(np.bincount(ids, minlength=total.shape[0]), 1).astype(np.float64)
    sizes = dispatch.make(Tensor, counts.reshape(-1, *[1] * (total.rank - 1)), "float32")
    return cast_to(div(as_float(total), sizes), total.dtype)


def _segments(name: str, data: TensorLike, indices: TensorLike, segment_ids: TensorLike) -> tuple[Tensor, Array]:
    t = to_tensor(name, "data", data)
    t = cast_to(t, "int32") if t.dtype == "bool" else t
    at = tensor_of_rank(name, "indices", indices, 1, "int32")
    segments = tensor_of_rank(name, "segment_ids", segment_ids, 1, "int32")
    if t.rank == 0:
        raise argument_error(name, "data", "of rank 1 or more", t)
    if at.shape != segments.shape:
        raise argument_error(name, "segment_ids", f"a vector of {at.size}, as many as indices", segments)
    ids = dispatch.read(segments, name)
    count = sparse.checked_segments(name, ids, dispatch.read(at, name), t.shape[0])
    rows = run("GatherV2", t, at, axis=0, batch_dims=0)
    return run("UnsortedSegmentSum", rows, segments, num_segments=count), ids
