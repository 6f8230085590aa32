"""Slicing, reversing, padding and joining tensors of a given rank: TF.js's names that end in 1d to 4d."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike
from tfpy.core.ops.common import tensor_of_rank
from tfpy.core.ops.join import concat
from tfpy.core.ops.reduce import Axis
from tfpy.core.ops.slice import block, pad
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import resolve_axes


def _slice(name: str, x: TensorLike, rank: int, begin: int | Sequence[int], size: int | Sequence[int]) -> Tensor:
    t = tensor_of_rank(name, "x", x, rank, "any")
    starts, sizes = block(name, t.spec.shape, begin, size)
    return run("Slice", t, begin=starts, size=sizes)


def _reverse(name: str, x: TensorLike, rank: int, axis: Axis) -> Tensor:
    return run("Reverse", tensor_of_rank(name, "x", x, rank), axes=resolve_axes(name, axis, rank))


@op(legacy="slice1d", doc="Tensors / Slicing and Joining")
def slice1d(x: TensorLike, begin: int, size: int) -> Tensor:
    """A block of a vector; otherwise like `slice`.

    Args:
        x: a vector.
        begin: where the block starts.
        size: how far it goes; -1 for the rest.

    Returns:
        A tensor of x's rank and dtype, and of the given size.

    Source: TF.js `tf.slice1d`; deeplearn.js `math.slice1D`.
    """
    return _slice("slice1d", x, 1, begin, size)


@op(legacy="slice2d", doc="Tensors / Slicing and Joining")
def slice2d(x: TensorLike, begin: Sequence[int], size: Sequence[int]) -> Tensor:
    """A block of a matrix; otherwise like `slice`.

    Args:
        x: a matrix.
        begin: where the block starts, for each axis.
        size: how far it goes, for each axis; -1 for the rest.

    Returns:
        A tensor of x's rank and dtype, and of the given size.

    Source: TF.js `tf.slice2d`; deeplearn.js `math.slice2D`.
    """
    return _slice("slice2d", x, 2, begin, size)


@op(legacy="slice3d", doc="Tensors / Slicing and Joining")
def slice3d(x: TensorLike, begin: Sequence[int], size: Sequence[int]) -> Tensor:
    """A block of a tensor of rank 3; otherwise like `slice`.

    Args:
        x: a tensor of rank 3.
        begin: where the block starts, for each axis.
        size: how far it goes, for each axis; -1 for the rest.

    Returns:
        A tensor of x's rank and dtype, and of the given size.

    Source: TF.js `tf.slice3d`; deeplearn.js `math.slice3D`.
    """
    return _slice("slice3d", x, 3, begin, size)


@op(legacy="slice4d", doc="Tensors / Slicing and Joining")
def slice4d(x: TensorLike, begin: Sequence[int], size: Sequence[int]) -> Tensor:
    """A block of a tensor of rank 4; otherwise like `slice`.

    Args:
        x: a tensor of rank 4.
        begin: where the block starts, for each axis.
        size: how far it goes, for each axis; -1 for the rest.

    Returns:
        A tensor of x's rank and dtype, and of the given size.

    Source: TF.js `tf.slice4d`; deeplearn.js `math.slice4D`.
    """
    return _slice("slice4d", x, 4, begin, size)


@op(legacy="reverse1d", doc="Tensors / Slicing and Joining")
def reverse1d(x: TensorLike) -> Tensor:
    """A vector in reverse order.

    Args:
        x: a vector.

    Returns:
        A tensor of x's shape and dtype.

    Source: TF.js `tf.reverse1d`; deeplearn.js `math.reverse1D`.
    """
    return _reverse("reverse1d", x, 1, 0)


@op(legacy="reverse2d", doc="Tensors / Slicing and Joining")
def reverse2d(x: TensorLike, axis: Axis = None) -> Tensor:
    """A matrix in reverse order along axes; otherwise like `reverse`.

    Args:
        x: a matrix.
        axis: the axis, or several; all by default.

    Returns:
        A tensor of x's shape and dtype.

    Source: TF.js `tf.reverse2d`; deeplearn.js `math.reverse2D`.
    """
    return _reverse("reverse2d", x, 2, axis)


@op(legacy="reverse3d", doc="Tensors / Slicing and Joining")
def reverse3d(x: TensorLike, axis: Axis = None) -> Tensor:
    """A tensor of rank 3 in reverse order along axes; otherwise like `reverse`.

    Args:
        x: a tensor of rank 3.
        axis: the axis, or several; all by default.

    Returns:
        A tensor of x's shape and dtype.

    Source: TF.js `tf.reverse3d`; deeplearn.js `math.reverse3D`.
    """
    return _reverse("reverse3d", x, 3, axis)


@op(legacy="reverse4d", doc="Tensors / Slicing and Joining")
def reverse4d(x: TensorLike, axis: Axis = None) -> Tensor:
    """A tensor of rank 4 in reverse order along axes; otherwise like `reverse`.

    Args:
        x: a tensor of rank 4.
        axis: the axis, or several; all by default.

    Returns:
        A tensor of x's shape and dtype.

    Source: TF.js `tf.reverse4d`; deeplearn.js `math.reverse4D`.
    """
    return _reverse("reverse4d", x, 4, axis)


@op(legacy="pad1d", doc="Tensors / Transformations")
def pad1d(x: TensorLike, paddings: Sequence[int], constant_value: float = 0) -> Tensor:
    """A vector padded with one value; otherwise like `pad`.

    Args:
        x: a vector.
        paddings: how much to add before and after.
        constant_value: the padding value.

    Returns:
        A tensor of x's dtype, whose sizes are those of x plus the padding.

    Source: TF.js `tf.pad1d`; deeplearn.js `math.pad1D`.
    """
    return pad(tensor_of_rank("pad1d", "x", x, 1, "any"), [paddings], constant_value)


@op(legacy="pad2d", doc="Tensors / Transformations")
def pad2d(x: TensorLike, paddings: Sequence[Sequence[int]], constant_value: float = 0) -> Tensor:
    """A matrix padded with one value; otherwise like `pad`.

    Args:
        x: a matrix.
        paddings: how much to add before and after, for each axis.
        constant_value: the padding value.

    Returns:
        A tensor of x's dtype, whose sizes are those of x plus the padding.

    Source: TF.js `tf.pad2d`; deeplearn.js `math.pad2D`.
    """
    return pad(tensor_of_rank("pad2d", "x", x, 2, "any"), paddings, constant_value)


@op(doc="Tensors / Transformations")
def pad3d(x: TensorLike, paddings: Sequence[Sequence[int]], constant_value: float = 0) -> Tensor:
    """A tensor of rank 3 padded with one value; otherwise like `pad`.

    Args:
        x: a tensor of rank 3.
        paddings: how much to add before and after, for each axis.
        constant_value: the padding value.

    Returns:
        A tensor of x's dtype, whose sizes are those of x plus the padding.

    Source: TF.js `tf.pad3d`.
    """
    return pad(tensor_of_rank("pad3d", "x", x, 3, "any"), paddings, constant_value)


@op(doc="Tensors / Transformations")
def pad4d(x: TensorLike, paddings: Sequence[Sequence[int]], constant_value: float = 0) -> Tensor:
    """A tensor of rank 4 padded with one value; otherwise like `pad`.

    Args:
        x: a tensor of rank 4.
        paddings: how much to add before and after, for each axis.
        constant_value: the padding value.

    Returns:
        A tensor of x's dtype, whose sizes are those of x plus the padding.

    Source: TF.js `tf.pad4d`.
    """
    return pad(tensor_of_rank("pad4d", "x", x, 4, "any"), paddings, constant_value)


@op(doc="Tensors / Slicing and Joining")
def concat1d(tensors: Sequence[TensorLike]) -> Tensor:
    """Vectors joined; otherwise like `concat`.

    Args:
        tensors: vectors of one dtype.

    Returns:
        A tensor of the tensors' dtype and rank.

    Source: TF.js `tf.concat1d`.
    """
    return concat(tensors, 0)


@op(doc="Tensors / Slicing and Joining")
def concat2d(tensors: Sequence[TensorLike], axis: int) -> Tensor:
    """Matrices joined along an axis; otherwise like `concat`.

    Args:
        tensors: matrices of one dtype.
        axis: the axis.

    Returns:
        A tensor of the tensors' dtype and rank.

    Source: TF.js `tf.concat2d`.
    """
    return concat(tensors, axis)


@op(doc="Tensors / Slicing and Joining")
def concat3d(tensors: Sequence[TensorLike], axis: int) -> Tensor:
    """Tensors of rank 3 joined along an axis; otherwise like `concat`.

    Args:
        tensors: tensors of rank 3 of one dtype.
        axis: the axis.

    Returns:
        A tensor of the tensors' dtype and rank.

    Source: TF.js `tf.concat3d`.
    """
    return concat(tensors, axis)


@op(doc="Tensors / Slicing and Joining")
def concat4d(tensors: Sequence[TensorLike], axis: int) -> Tensor:
    """Tensors of rank 4 joined along an axis; otherwise like `concat`.

    Args:
        tensors: tensors of rank 4 of one dtype.
        axis: the axis.

    Returns:
        A tensor of the tensors' dtype and rank.

    Source: TF.js `tf.concat4d`.
    """
    return concat(tensors, axis)
