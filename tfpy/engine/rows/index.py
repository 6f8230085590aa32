"""Rows of the kernels that gather, count or scatter elements by indices."""

from __future__ import annotations

from tfpy.engine.errors import ShapeError
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import kernel
from tfpy.engine.spec import Shape, Spec, spec


def _gather_nd(x: Handle, indices: Handle) -> Spec:
    depth = indices.spec.shape[-1]
    if depth > x.spec.rank:
        raise ShapeError(f"indices of {depth} numbers are too long for a tensor of rank {x.spec.rank}.")
    return spec((*indices.spec.shape[:-1], *x.spec.shape[depth:]), x.spec.dtype)


def check_updates(indices: Shape, updates: Shape, shape: Shape) -> None:
    """A block of `shape` for each index: updates.shape = indices.shape[:-1] + shape[depth:].

    Raises:
        ShapeError: the indices are longer than the shape, or the updates have another shape.
    """
    depth = indices[-1]
    if depth > len(shape):
        raise ShapeError(f"indices of {depth} numbers are too long for shape {list(shape)}.")
    wanted = (*indices[:-1], *shape[depth:])
    if updates != wanted:
        raise ShapeError(
            f"updates for indices of shape {list(indices)} into shape {list(shape)} have shape {list(wanted)}, "
            f"but got {list(updates)}."
        )


def _scatter_nd(indices: Handle, updates: Handle, *, shape: Shape) -> Spec:
    check_updates(indices.spec.shape, updates.spec.shape, shape)
    return spec(shape, updates.spec.dtype)


def _scatter_update(tensor: Handle, indices: Handle, updates: Handle) -> Spec:
    check_updates(indices.spec.shape, updates.spec.shape, tensor.spec.shape)
    return tensor.spec


def _search(sorted_sequence: Handle, values: Handle, *, side: str) -> Spec:
    if sorted_sequence.spec.shape[0] != values.spec.shape[0]:
        raise ShapeError(
            f"needs as many rows of sorted numbers as of values, but got shapes {list(sorted_sequence.spec.shape)} and "
            f"{list(values.spec.shape)}."
        )
    return spec(values.spec.shape, "int32")


def _count(x: Handle, weights: Handle, *, size: int, binary_output: bool) -> Spec:
    return spec((*x.spec.shape[:-1], size), weights.spec.dtype)


# An index is a row of the last dimension of `indices`; it points to a block of the remaining axes.
# If several updates have the same index, ScatterNd adds them up, and TensorScatterUpdate takes the last.
kernel("GatherNd", "x indices", _gather_nd, label="gather_nd")
kernel("ScatterNd", "indices updates", _scatter_nd, attrs="shape", label="scatter_nd")
kernel("TensorScatterUpdate", "tensor indices updates", _scatter_update, label="tensor_scatter_update")
# Matrices are searched row by row; the side is 'left' or 'right'.
kernel("SearchSorted", "sorted_sequence values", _search, attrs="side", label="search_sorted")
# The weights have x's shape.
kernel("DenseBincount", "x weights", _count, attrs="size binary_output", label="dense_bincount")
