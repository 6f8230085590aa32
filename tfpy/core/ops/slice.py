"""Extracting parts of tensors: slices, rows by index; and their counterparts, padding and tiling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import as_float, reshape_to, stored_number, sum_of_copies, zero_gradient
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int, as_int_or_ints, as_ints, as_list, resolve_axes, resolve_axis
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
    batches = 1
    for m in shape[:lead]:
        batches *= m
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
