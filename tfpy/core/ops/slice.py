"""Slices of tensors; and padding, tiling and reversing them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import int_tensor, stored_number, sum_of_copies
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int_or_ints, as_ints, as_list, resolve_axes
from tfpy.engine.errors import ShapeError, Unquoted, argument_error
from tfpy.engine.gradients import gradient
from tfpy.engine.slices import Masks, resolve_strided_slice
from tfpy.engine.spec import Shape


@op(chain=True, legacy="slice", doc="Tensors / Slicing and Joining")
def slice_(x: TensorLike, begin: int | Sequence[int], size: int | Sequence[int] | None = None) -> Tensor:
    """A block of a tensor.

    Args:
        x: a tensor of rank 1 or more; any dtype.
        begin: where the block starts in each axis, negative from the end; axes not given start at 0.
        size: its size in each axis; -1, and axes not given, extend to the end.

    Returns:
        A tensor of x's rank and dtype, and of the given size.

    Raises:
        ValueError: the block is not inside the tensor, or the tensor is a scalar.

    Source: TF.js `tf.slice`; deeplearn.js `math.slice`.
    """
    t = to_tensor("slice", "x", x, "any")
    shape = t.spec.shape
    if not shape:
        raise argument_error("slice", "x", "of rank 1 or more", t)
    starts, sizes = block("slice", shape, begin, size)
    return run("Slice", t, begin=starts, size=sizes)


def block(op_name: str, shape: Shape, begin: Any, size: Any) -> tuple[Shape, Shape]:
    """Where a block of a shape starts in each axis and its size, from arguments that may be incomplete or negative."""
    rank = len(shape)
    starts = _per_axis(op_name, "begin", begin, rank, 0)
    sizes = _per_axis(op_name, "size", -1 if size is None else size, rank, -1)
    for i, n in enumerate(shape):
        if starts[i] < 0:
            starts[i] += n
        if sizes[i] == -1:
            sizes[i] = n - starts[i]
        if starts[i] < 0 or sizes[i] < 0 or starts[i] + sizes[i] > n:
            expected = f"a block inside shape {list(shape)}"
            raise argument_error(op_name, "begin", expected, Unquoted(f"begin {begin}, size {size}"))
    return tuple(starts), tuple(sizes)


def _per_axis(op_name: str, argument: str, given: Any, rank: int, rest: int) -> list[int]:
    values = as_int_or_ints(op_name, argument, given)
    missing = rank - len(values)
    if missing < 0:
        raise argument_error(op_name, argument, f"at most {rank} numbers, one for each axis", given)
    return [*values, *[rest] * missing]


def _slice_gradient(dy: Tensor, n: Any) -> Tensor:
    ends = zip(n.shape("x"), n.attrs["begin"], n.attrs["size"], strict=True)
    return run("PadV2", dy, paddings=tuple((b, total - b - s) for total, b, s in ends), constant_value=0)


gradient("Slice", x=_slice_gradient)


@op(chain=True, doc="Operations / Slicing and Joining")
def strided_slice(
    x: TensorLike,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int] | None = None,
    begin_mask: int = 0,
    end_mask: int = 0,
    ellipsis_mask: int = 0,
    new_axis_mask: int = 0,
    shrink_axis_mask: int = 0,
) -> Tensor:
    """A strided slice, like Python's `x[begin:end:stride, …]`.

    The masks have a bit for each item of begin, end and strides, the lowest for the first.

    Args:
        x: a tensor of any shape and dtype.
        begin: where to start, negative from the end.
        end: where to stop, exclusive, negative from the end.
        strides: the steps, negative to go backwards; 1 by default.
        begin_mask: the items that start at the edge, ignoring begin.
        end_mask: the items that extend to the edge, ignoring end.
        ellipsis_mask: the one item that stands for all axes without an item of their own.
        new_axis_mask: the items that are a new axis of size 1.
        shrink_axis_mask: the items that are a single index, begin; their axes are removed.

    Returns:
        A tensor of x's dtype. Axes without an item are taken whole.

    Raises:
        ValueError: too many items, lists of unequal length, a stride of 0, two ellipses, or a single index that is out
            of range.

    Source: TF.js `tf.stridedSlice`. Its gradient is beyond TF.js: dy put back at the places that were picked.
    """
    t = to_tensor("strided_slice", "x", x, "any")
    lists = [as_ints("strided_slice", name, values) for name, values in (("begin", begin), ("end", end))]
    lists.append([1] * len(lists[0]) if strides is None else as_ints("strided_slice", "strides", strides))
    if len({len(values) for values in lists}) > 1:
        raise argument_error("strided_slice", "begin", "as long as end and strides", lists)
    given = (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    masks = Masks(*as_ints("strided_slice", "masks", given))
    try:
        resolved = resolve_strided_slice(t.shape, lists[0], lists[1], lists[2], masks)
    except ShapeError as error:
        raise ShapeError(f"strided_slice: {error}") from None
    return run("StridedSlice", t, index=resolved.index, shape=resolved.shape)


@op(chain=True, doc="Tensors / Transformations")
def pad(x: TensorLike, paddings: Sequence[Sequence[int]], constant_value: float = 0) -> Tensor:
    """A tensor padded with one value.

    Args:
        x: a tensor of rank 1 or more; any dtype but string.
        paddings: for each axis, how much to add before and after.
        constant_value: the padding value.

    Returns:
        A tensor of x's dtype, whose sizes are those of x plus the padding.

    Raises:
        ValueError: no pair of sizes for each axis, or a scalar.

    Source: TF.js `tf.pad`.
    """
    t = to_tensor("pad", "x", x)
    if t.rank == 0:
        raise argument_error("pad", "x", "of rank 1 or more", t)
    value = stored_number("pad", "constant_value", constant_value, t.dtype)
    return run("PadV2", t, paddings=size_pairs("pad", "paddings", paddings, t.rank), constant_value=value)


def size_pairs(op_name: str, argument: str, value: Any, count: int) -> tuple[tuple[int, int], ...]:
    """A number of pairs of non-negative sizes."""
    pairs = [as_ints(op_name, argument, pair) for pair in as_list(op_name, argument, value, "pairs of sizes")]
    if len(pairs) != count or any(len(p) != 2 or min(p) < 0 for p in pairs):
        raise argument_error(op_name, argument, f"a pair of sizes for each of {count} axes", value)
    return tuple((a, b) for a, b in pairs)


def _pad_gradient(dy: Tensor, n: Any) -> Tensor:
    return run("Slice", dy, begin=tuple(a for a, _ in n.attrs["paddings"]), size=n.shape("x"))


gradient("PadV2", x=_pad_gradient)


@op(chain=True, doc="Tensors / Transformations")
def mirror_pad(x: TensorLike, paddings: Sequence[Sequence[int]], mode: str) -> Tensor:
    """A tensor padded by mirroring its own elements.

    Args:
        x: a tensor of rank 1 or more; any dtype but string.
        paddings: for each axis, how much to add before and after.
        mode: 'reflect' mirrors at the outermost elements, which are not repeated; 'symmetric' at the edge, so that they
            are.

    Returns:
        A tensor of x's dtype, whose sizes are those of x plus the padding.

    Raises:
        ValueError: an unknown mode, no pair of sizes for each axis, more padding than elements to mirror, or a scalar.

    Source: TF.js `tf.mirrorPad`. The gradient is that of the formula: the margin's goes to the elements that it
        mirrors; TF.js leaves it out.
    """
    t = to_tensor("mirror_pad", "x", x)
    if t.rank == 0:
        raise argument_error("mirror_pad", "x", "of rank 1 or more", t)
    if not isinstance(mode, str) or mode not in ("reflect", "symmetric"):
        raise argument_error("mirror_pad", "mode", "'reflect' or 'symmetric'", mode)
    inner = 1 if mode == "reflect" else 0
    pairs = size_pairs("mirror_pad", "paddings", paddings, t.rank)
    for axis, (pair, size) in enumerate(zip(pairs, t.shape, strict=True)):
        if max(pair) > size - inner:
            expected = f"at most {size - inner} in axis {axis} of shape {list(t.shape)}"
            raise argument_error("mirror_pad", "paddings", expected, list(paddings))
    for axis, ((before, after), size) in enumerate(zip(pairs, t.shape, strict=True)):
        if before or after:
            places = np.pad(np.arange(size), (before, after), mode)  # type: ignore[call-overload]
            t = run("GatherV2", t, int_tensor(places), axis=axis, batch_dims=0)
    return t if any(map(any, pairs)) else run("Identity", t)


@op(chain=True, legacy="tile", doc="Tensors / Slicing and Joining")
def tile(x: TensorLike, reps: Sequence[int]) -> Tensor:
    """A tensor repeated along its axes.

    Args:
        x: a tensor of any shape and dtype.
        reps: the number of copies along each axis.

    Returns:
        A tensor of x's dtype, whose sizes are those of x times reps.

    Raises:
        ValueError: not one number, 0 or more, for each axis.

    Source: TF.js `tf.tile`; deeplearn.js `math.tile`. The gradient is defined for every rank, beyond TF.js's 4.
    """
    t = to_tensor("tile", "x", x, "any")
    times = tuple(as_ints("tile", "reps", reps))
    if len(times) != t.rank or any(r < 0 for r in times):
        raise argument_error("tile", "reps", f"a number of times for each of {t.rank} axes", list(reps))
    return run("Tile", t, reps=times)


gradient("Tile", x=lambda dy, n: sum_of_copies(dy, n.attrs["reps"], n.shape("x")))


@op(chain=True, legacy="reverse", doc="Tensors / Slicing and Joining")
def reverse(x: TensorLike, axis: int | Sequence[int] | None = None) -> Tensor:
    """The elements in reverse order along axes.

    Args:
        x: a tensor of any shape; any dtype but string.
        axis: the axis or axes; all by default.

    Returns:
        A tensor of x's shape and dtype.

    Raises:
        ValueError: an axis is out of range.

    Source: TF.js `tf.reverse`; deeplearn.js `math.reverse`.
    """
    t = to_tensor("reverse", "x", x)
    axes = resolve_axes("reverse", axis, t.rank)
    return run("Reverse", t, axes=axes) if t.rank else run("Identity", t)


gradient("Reverse", x=lambda dy, n: run("Reverse", dy, axes=n.attrs["axes"]))
