"""Ops that keep the elements and change their shape or dtype."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import int_tensor, reshape_to, tensor_of_rank, unbroadcast
from tfpy.core.ops.create import ShapeLike
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_dtype, as_int, as_int_or_ints, as_list, as_shape, resolve_axes, resolve_axis
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import ShapeError, argument_error
from tfpy.engine.gradients import gradient
from tfpy.engine.handle import Handle
from tfpy.engine.spec import Shape, broadcast_shapes


@op(chain=True, legacy="cast", doc="Tensors / Transformations")
def cast(x: TensorLike, dtype: DType) -> Tensor:
    """The values cast to another dtype.

    Floats become int32 by truncation, wrapping around modulo 2³² (NaN and infinities become 0), and bool by being
    unequal to 0. Complex numbers lose their imaginary part.

    Args:
        x: a tensor of any shape; strings stay strings.
        dtype: the target dtype. With the tensor's own dtype, the result shares its data.

    Returns:
        A tensor of x's shape.

    Raises:
        ValueError: an unknown dtype. TypeError: from or to strings.

    Source: TF.js `tf.cast`; deeplearn.js `math.cast`.
    """
    return cast_for("cast", to_tensor("cast", "x", x, "any"), dtype)


def cast_for(op_name: str, t: Handle, dtype: DType) -> Tensor:
    """`cast` for a method, whose name its errors have."""
    wanted = as_dtype(op_name, dtype)
    found = t.spec.dtype
    if wanted == found:
        return run("Identity", t)
    if wanted == "string" or found == "string":
        raise argument_error(op_name, "dtype", f"a dtype that {found} can be cast to", dtype, TypeError)
    return run("Cast", t, dtype=wanted)


def _cast_gradient(dy: Tensor, n: Any) -> Tensor:
    """dy, whatever dtype it went through, as in TF.js; the real part if real numbers were cast to complex ones."""
    if dy.dtype == "complex64" and n.spec("x").dtype != "complex64":
        return run("Real", dy)
    if dy.dtype != "complex64" and n.spec("x").dtype == "complex64":
        return run("Cast", dy, dtype="complex64")
    return dy


gradient("Cast", x=_cast_gradient)


@op(chain=True, legacy="clone", doc="Tensors / Creation")
def clone(x: TensorLike) -> Tensor:
    """A new tensor that shares the data of another.

    Args:
        x: a tensor of any shape and dtype.

    Returns:
        A tensor of x's shape and dtype.

    Source: TF.js `tf.clone`; deeplearn.js `math.clone`.
    """
    return run("Identity", to_tensor("clone", "x", x, "any"))


gradient("Identity", x=lambda dy, n: dy)


@op(legacy="reshape", doc="Tensors / Transformations")
def reshape(x: TensorLike, shape: ShapeLike) -> Tensor:
    """The same elements in another shape, sharing the data.

    Args:
        x: a tensor of any shape and dtype.
        shape: the shape; one size may be -1, to be inferred.

    Returns:
        A tensor of the given shape and x's dtype.

    Raises:
        ValueError: the elements do not fill the shape.

    Source: TF.js `tf.reshape`; deeplearn.js `math.reshape`.
    """
    return reshaped(to_tensor("reshape", "x", x, "any"), shape)


def reshaped(t: Handle, shape: Any) -> Tensor:
    """`reshape` of a tensor."""
    return run("Reshape", t, shape=whole_shape("reshape", shape, t.spec.size))


def whole_shape(op_name: str, shape: Any, size: int) -> Shape:
    """A shape with its -1, if any, replaced by the inferred size."""
    sizes = as_int_or_ints(op_name, "shape", shape)
    if -1 not in sizes:
        return as_shape(op_name, sizes)
    if sizes.count(-1) > 1:
        raise argument_error(op_name, "shape", "a shape with at most one -1", list(sizes))
    known = math.prod([n for n in sizes if n != -1])
    if known == 0 or size % known:
        raise argument_error(op_name, "shape", f"a shape of {size} elements", list(sizes))
    return as_shape(op_name, [size // known if n == -1 else n for n in sizes])


gradient("Reshape", x=lambda dy, n: reshape_to(dy, n.shape("x")))


@op(chain=True, doc="Tensors / Transformations")
def expand_dims(x: TensorLike, axis: int = 0) -> Tensor:
    """A tensor with a dimension of size 1 inserted.

    Args:
        x: a tensor of any shape and dtype.
        axis: the index of the new axis; negative from the end of the new shape.

    Returns:
        A tensor of x's dtype, of one rank more.

    Raises:
        ValueError: the axis is out of range.

    Source: TF.js `tf.expandDims`.
    """
    t = to_tensor("expand_dims", "x", x, "any")
    sizes = t.spec.shape
    at = resolve_axis("expand_dims", axis, len(sizes) + 1)
    return run("Reshape", t, shape=(*sizes[:at], 1, *sizes[at:]))


@op(chain=True, doc="Tensors / Transformations")
def squeeze(x: TensorLike, axis: int | Sequence[int] | None = None) -> Tensor:
    """A tensor with dimensions of size 1 removed.

    Args:
        x: a tensor of any shape and dtype.
        axis: the axis or axes to remove; all of size 1 by default.

    Returns:
        A tensor of x's dtype without these dimensions.

    Raises:
        ValueError: an axis is out of range or its size is not 1.

    Source: TF.js `tf.squeeze`.
    """
    t = to_tensor("squeeze", "x", x, "any")
    if axis is None or (isinstance(axis, list) and not axis):
        return run("Reshape", t, shape=tuple(n for n in t.shape if n != 1))
    axes = resolve_axes("squeeze", axis, t.rank)
    for i in axes:
        if t.shape[i] != 1:
            raise argument_error("squeeze", "axis", f"of axes of size 1 in shape {list(t.shape)}", axis)
    return run("Reshape", t, shape=tuple(n for i, n in enumerate(t.shape) if i not in axes))


@op(chain=True, doc="Tensors / Transformations")
def broadcast_to(x: TensorLike, shape: ShapeLike) -> Tensor:
    """A tensor broadcast to a shape: repeated along dimensions of size 1 and new leading ones.

    Args:
        x: a tensor of any shape; any dtype but string.
        shape: the shape; -1 keeps the size of that dimension.

    Returns:
        A tensor of the given shape and x's dtype.

    Raises:
        ValueError: the tensor does not broadcast to the shape.

    Source: TF.js `tf.broadcastTo`.
    """
    t = to_tensor("broadcast_to", "x", x)
    sizes = as_int_or_ints("broadcast_to", "shape", shape)
    lead = len(sizes) - t.rank
    kept = [t.shape[i - lead] if n == -1 and i >= lead else n for i, n in enumerate(sizes)]
    wanted = as_shape("broadcast_to", kept)
    if wanted == t.shape:
        return run("Identity", t)
    return run("BroadcastTo", t, shape=wanted)


gradient("BroadcastTo", x=lambda dy, n: unbroadcast(dy, n.shape("x")))


@op(doc="Tensors / Transformations")
def broadcast_args(s0: TensorLike, s1: TensorLike) -> Tensor:
    """The shape, as an int32 tensor, that two shapes broadcast to.

    Args:
        s0: a shape as an int32 tensor of rank 1; -1 for an unknown size.
        s1: a shape as an int32 tensor of rank 1.

    Returns:
        An int32 tensor of rank 1.

    Raises:
        ValueError: a wrong rank, or the shapes do not broadcast. TypeError: not int32.

    Source: TF.js `tf.broadcastArgs`.
    """
    shapes = []
    for name, value in (("s0", s0), ("s1", s1)):
        sizes = tuple(tensor_of_rank("broadcast_args", name, value, 1, "int32").array_sync())
        if any(n < -1 for n in sizes):
            raise argument_error("broadcast_args", name, "sizes of -1 or more", sizes)
        shapes.append(sizes)
    try:
        return int_tensor(np.array(broadcast_shapes(*shapes)))
    except ShapeError as error:
        raise ShapeError(f"broadcast_args: {error}") from None


@op(doc="Tensors / Transformations")
def ensure_shape(x: TensorLike, shape: Sequence[int | None]) -> Tensor:
    """The tensor itself, if it has the given shape.

    Args:
        x: a tensor of any shape and dtype.
        shape: the shape it must have; None for any size.

    Returns:
        x.

    Raises:
        ValueError: it has a different shape.

    Source: TF.js `tf.ensureShape`.
    """
    t = to_tensor("ensure_shape", "x", x, "any")
    given = as_list("ensure_shape", "shape", shape, "sizes")
    sizes = [None if n is None else as_int("ensure_shape", "shape", n) for n in given]
    if len(sizes) != t.rank or any(n is not None and n != m for n, m in zip(sizes, t.shape, strict=True)):
        raise argument_error("ensure_shape", "x", f"of shape {sizes}", t)
    return t
