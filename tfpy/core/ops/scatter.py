"""Elements and blocks gathered from or scattered to indices."""

from __future__ import annotations

import math
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import full, reshape_to, run_untracked
from tfpy.core.ops.create import ShapeLike
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_shape
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient
from tfpy.engine.spec import Shape


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
    return run("ScatterNd", at, values, shape=_whole_shape("scatter_nd", shape))


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
    shape = _whole_shape("sparse_to_dense", output_shape, "output_shape")
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
        return full(shape, b"" if values.dtype == "string" else 0, values.dtype)
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


def _whole_shape(op_name: str, shape: Any, argument: str = "shape") -> Shape:
    sizes = as_shape(op_name, shape, argument)
    if not sizes:
        raise argument_error(op_name, argument, "of 1 size or more", list(sizes))
    return sizes
