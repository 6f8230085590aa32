"""The indices that a strided slice with masks selects from a tensor of known shape: pure functions of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tfpy.engine.errors import ShapeError
from tfpy.engine.spec import Shape


@dataclass(frozen=True)
class ResolvedSlice:
    """The indices that a strided slice selects.

    Attributes:
        begin: for each axis of the tensor, the first index.
        end: for each axis, the index at which to stop; -1 means before the first.
        strides: for each axis, the step.
        counts: for each axis, how many elements are selected.
        shape: the shape of the result: without shrunk axes, with new axes.
        kept: the shape of the result without the new axes.
    """

    begin: Shape
    end: Shape
    strides: Shape
    counts: Shape
    shape: Shape
    kept: Shape

    @property
    def index(self) -> tuple[tuple[int, int, int], ...]:
        """(start, step, count) for each axis: the attribute of the kernel StridedSlice."""
        return tuple(zip(self.begin, self.strides, self.counts, strict=True))


@dataclass(frozen=True)
class Masks:
    """One bit for each item of a slice: whether its begin or end is ignored, and what else it stands for.

    Attributes:
        begin: the begin is ignored: start at the edge.
        end: the end is ignored: continue to the edge.
        ellipsis: the item stands for all axes that no other item covers; at most one bit.
        new_axis: the item stands for a new axis of size 1.
        shrink_axis: the item is a single index, and its axis is removed.
    """

    begin: int = 0
    end: int = 0
    ellipsis: int = 0
    new_axis: int = 0
    shrink_axis: int = 0


def resolve_strided_slice(
    shape: Shape, begin: Sequence[int], end: Sequence[int], strides: Sequence[int], masks: Masks
) -> ResolvedSlice:
    """Parse a strided slice: items in order, each with a begin, an end, a stride and its bits.

    Raises:
        ShapeError: more items than axes, two ellipses, a stride of 0, or a single index that is out of range.
    """
    axes = _item_of_each_axis(len(shape), len(begin), masks)
    picks: list[tuple[int, int, int, int]] = []
    out: list[int] = []
    kept: list[int] = []
    for item in axes:
        if item == _NEW:
            out.append(1)
            continue
        axis, size = len(picks), shape[len(picks)]
        if item == _WHOLE:
            picks.append((0, size, 1, size))
        elif masks.shrink_axis >> item & 1:
            picks.append(_single_index(begin[item], strides[item], size, axis))
            continue
        else:
            edges = bool(masks.begin >> item & 1), bool(masks.end >> item & 1)
            picks.append(_range(begin[item], end[item], strides[item], size, edges, axis))
        out.append(picks[-1][3])
        kept.append(picks[-1][3])
    starts, stops, steps, counts = zip(*picks, strict=True) if picks else ((), (), (), ())
    return ResolvedSlice(starts, stops, steps, counts, tuple(out), tuple(kept))


_NEW, _WHOLE = -1, -2


def _item_of_each_axis(rank: int, items: int, masks: Masks) -> list[int]:
    """For each axis, in the order of the result: the number of its item, or that it is new or taken whole."""
    if masks.ellipsis & (masks.ellipsis - 1):
        raise ShapeError("a slice can only have one ellipsis.")
    out: list[int] = []
    dots = items
    for item in range(items):
        if masks.ellipsis >> item & 1:
            dots = len(out)
        else:
            out.append(_NEW if masks.new_axis >> item & 1 else item)
    missing = rank - sum(item != _NEW for item in out)
    if missing < 0:
        raise ShapeError(f"{rank - missing} indices are too many for a tensor of rank {rank}.")
    out[dots:dots] = [_WHOLE] * missing
    return out


def _single_index(index: int, stride: int, size: int, axis: int) -> tuple[int, int, int, int]:
    if stride <= 0:
        raise ShapeError(
            f"a single index, as for axis {axis}, needs a stride of 1 or more, but its stride is {stride}."
        )
    at = index + size if index < 0 else index
    if not 0 <= at < size:
        raise ShapeError(f"index {index} is out of range for axis {axis} of size {size}.")
    return at, at + 1, 1, 1


def _range(
    begin: int, end: int, stride: int, size: int, edges: tuple[bool, bool], axis: int
) -> tuple[int, int, int, int]:
    if stride == 0:
        raise ShapeError(f"the stride of axis {axis} is 0.")
    low, high = (0, size) if stride > 0 else (-1, size - 1)
    first, last = (low, high) if stride > 0 else (high, low)
    start = first if edges[0] else _clamped(begin, size, low, high)
    stop = last if edges[1] else _clamped(end, size, low, high)
    return start, stop, stride, len(range(start, stop, stride))


def _clamped(index: int, size: int, low: int, high: int) -> int:
    return min(max(index + size if index < 0 else index, low), high)
