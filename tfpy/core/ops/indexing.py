"""Python's `tensor[...]`: integers, slices, None, Ellipsis, and int or bool tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy.core.convert import to_tensor
from tfpy.core.ops.common import int_tensor, inverse_order, reshape_to
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import OutOfRangeError, argument_error
from tfpy.engine.gradients import gradient
from tfpy.engine.handle import Handle


def getitem(x: Handle, index: Any) -> Tensor:
    """The part of a tensor that Python's indexing selects, as in numpy with basic indices and at most one array.

    As in numpy, the axes of an array come first if an integer is separated from it.

    Raises:
        OutOfRangeError: an integer out of range, or too many indices; it is an IndexError and a ValueError.
        ValueError: a slice step of 0. TypeError: an unsupported kind of index.
    """
    t = to_tensor("[]", "tensor", x, "any")
    items = list(index) if isinstance(index, tuple) else [index]
    rank = len(t.spec.shape)
    if _PLAIN.issuperset(map(type, items)) and len(items) <= rank:
        return _basic(t, items + [_WHOLE] * (rank - len(items)))[0]
    picking = [i for i, item in enumerate(items) if not _is_plain(item)]
    items = _without_ellipsis(items, rank)
    arrays = [i for i, item in enumerate(items) if _is_array(item)]
    if len(arrays) > 1:
        raise argument_error("[]", "index", "at most one array (tf.gather_nd picks single places)", index, TypeError)
    out, axis_of_array = _basic(t, items)
    if not arrays:
        return out
    found, count = _by_array(out, items[arrays[0]], axis_of_array)
    if axis_of_array and picking[-1] - picking[0] >= len(picking):  # an integer separated from the array
        moved = (*range(axis_of_array, axis_of_array + count), *range(axis_of_array))
        found = run("Transpose", found, perm=(*moved, *range(len(moved), found.rank)))
    return found


_PLAIN = {int, slice}
_WHOLE = slice(None)


def _is_plain(item: Any) -> bool:
    """Whether an item stands for whole axes, a range of an axis or a new axis, and selects no single positions."""
    return item is None or item is Ellipsis or isinstance(item, slice)


def _is_array(item: Any) -> bool:
    return isinstance(item, (Handle, list)) or (isinstance(item, np.ndarray) and item.ndim > 0)


def _axes_taken(item: Any) -> int:
    if item is None:
        return 0
    if _is_array(item) and not isinstance(item, list) and item.dtype in ("bool", np.bool_):
        return len(item.shape)
    return 1


def _without_ellipsis(items: list[Any], rank: int) -> list[Any]:
    """The indices, one for each axis, with full slices filled in at the Ellipsis or the end."""
    taken = sum(_axes_taken(item) for item in items if item is not Ellipsis)
    if taken > rank:
        raise OutOfRangeError(f"[]: {taken} indices are too many for a tensor of rank {rank}.")
    dots = [i for i, item in enumerate(items) if item is Ellipsis]
    if len(dots) > 1:
        raise OutOfRangeError("[]: an index can only have one Ellipsis.")
    at = dots[0] if dots else len(items)
    return [*items[:at], *[_WHOLE] * (rank - taken), *items[at + 1 :]]


def _basic(t: Tensor, items: list[Any]) -> tuple[Tensor, int]:
    """The result of integers, slices and None, and the result's axis for the array index, if any."""
    sizes = t.spec.shape
    picks: list[tuple[int, int, int]] = []
    shape: list[int] = []
    axis_of_array = 0
    for item in items:
        axis = len(picks)
        if isinstance(item, slice):
            picks.append(_slice_range(item, sizes[axis]))
            shape.append(picks[-1][2])
        elif item is None:
            shape.append(1)
        elif _is_array(item):
            axis_of_array = len(shape)
            for n in sizes[axis : axis + _axes_taken(item)]:
                picks.append((0, 1, n))
                shape.append(n)
        else:
            picks.append((_position(item, sizes[axis], axis), 1, 1))
    if picks == [(0, 1, n) for n in sizes]:
        return run("Reshape", t, shape=tuple(shape)), axis_of_array
    return run("StridedSlice", t, index=tuple(picks), shape=tuple(shape)), axis_of_array


def _slice_range(item: slice, size: int) -> tuple[int, int, int]:
    first, last, by = item.start, item.stop, item.step
    if by == 0:
        raise argument_error("[]", "index", "a slice with a step other than 0", item)
    if first is last is by is None:
        return 0, 1, size
    parts = [None if v is None else as_int("[]", "index", v) for v in (first, last, by)]
    start, stop, step = slice(*parts).indices(size)
    return start, step, len(range(start, stop, step))


def _position(item: Any, size: int, axis: int) -> int:
    index = as_int("[]", "index", item)
    if not -size <= index < size:
        raise OutOfRangeError(f"[]: index {index} is out of range for axis {axis} of size {size}.")
    return index % size


def _by_array(t: Tensor, item: Any, axis: int) -> tuple[Tensor, int]:
    """Rows along an axis selected by an int array, or where a bool array is true; and how many axes replace
    that one."""
    try:
        values = np.asarray(item)
    except ValueError:
        raise argument_error("[]", "index", "rectangular, with rows of equal length", item) from None
    if values.dtype == np.bool_:
        covered = t.shape[axis : axis + values.ndim]
        if covered != values.shape:
            raise argument_error("[]", "index", f"a mask of shape {list(covered)}", item, OutOfRangeError)
        t = reshape_to(t, (*t.shape[:axis], values.size, *t.shape[axis + values.ndim :]))
        values = np.flatnonzero(values)
    elif values.dtype.kind == "f" and np.isfinite(values).all() and (values == np.floor(values)).all():
        values = values.astype(np.int64)
    if values.dtype.kind not in "iu":
        raise argument_error(
            "[]", "index", "integers, slices, None, Ellipsis, or whole or bool tensors", item, TypeError
        )
    size = t.shape[axis]
    if values.size and not (-size <= values.min() and values.max() < size):
        raise OutOfRangeError(f"[]: an index is out of range for axis {axis} of size {size}.")
    indices = int_tensor(values % max(size, 1))
    return run("GatherV2", t, indices, axis=axis, batch_dims=0), indices.rank


def _strided_gradient(dy: Tensor, n: Any) -> Tensor:
    """dy scattered back to its source positions, one axis after the other."""
    out = reshape_to(dy, tuple(count for _, _, count in n.attrs["index"]))
    for axis, ((start, step, count), size) in enumerate(zip(n.attrs["index"], n.shape("x"), strict=True)):
        if (start, step, count) == (0, 1, size):
            continue
        if step == 1:
            paddings = tuple((start, size - start - count) if i == axis else (0, 0) for i in range(out.rank))
            out = run("PadV2", out, paddings=paddings, constant_value=0)
            continue
        places = run("Range", start=start, step=step, count=count, dtype="int32")
        order = (axis, *(i for i in range(out.rank) if i != axis))
        rows = run("UnsortedSegmentSum", run("Transpose", out, perm=order), places, num_segments=size)
        out = run("Transpose", rows, perm=inverse_order(order))
    return out


gradient("StridedSlice", x=_strided_gradient)
