"""Ragged tensors: concatenated rows of unequal length, and where each starts and ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error
from tfpy.engine.spec import MAX_SIZE

PARTITIONS = ("FIRST_DIM_SIZE", "VALUE_ROWIDS", "ROW_SPLITS")


def ranges(starts: Array, limits: Array, deltas: Array) -> tuple[Array, Array]:
    """Rows start, start + delta, … before limit: the row splits, and the concatenated numbers of all rows."""
    rows = {a.shape[0] for a in (starts, limits, deltas) if a.ndim}
    if max(a.ndim for a in (starts, limits, deltas)) > 1 or len(rows) > 1:
        raise argument_error("ragged_range", "starts", "scalars, or vectors of one size with limits and deltas", starts)
    count = rows.pop() if rows else 1
    start, limit, delta = (np.broadcast_to(a, (count,)).astype(np.float64) for a in (starts, limits, deltas))
    if (delta == 0).any():
        raise argument_error("ragged_range", "deltas", "other than 0", deltas)
    with np.errstate(invalid="ignore", over="ignore"):
        steps = np.maximum(np.ceil((limit - start) / delta), 0)
    if not steps.sum() <= MAX_SIZE:
        raise argument_error("ragged_range", "limits", f"after at most {MAX_SIZE} finite steps", limits)
    lengths = steps.astype(np.int64)
    splits = np.concatenate([[0], np.cumsum(lengths)])
    row = np.repeat(np.arange(count), lengths)
    return splits, start[row] + delta[row] * (np.arange(splits[-1]) - splits[row])


def gathered(splits: Sequence[Array], count: int, indices: Array) -> tuple[list[Array], Array]:
    """The rows of a ragged tensor at the given indices.

    Args:
        splits: for each ragged dimension, its row splits, the outermost first.
        count: how many values there are.
        indices: which of the outermost rows to take.

    Returns:
        The splits of the result, preceded by those of all dimensions of indices but the last; and which values it has.
    """
    _check_splits(splits, count)
    if ((indices < 0) | (indices >= len(splits[0]) - 1)).any():
        raise argument_error("ragged_gather", "indices", f"from 0 to {len(splits[0]) - 2}", indices.tolist())
    shape = indices.shape
    out = [np.arange(math.prod(shape[: i + 1]) + 1) * shape[i + 1] for i in range(len(shape) - 1)]
    start = indices.reshape(-1).astype(np.int64)
    limit = start + 1
    for level, split in enumerate(splits):
        if level or shape:
            rows = _spans(start, limit)
            out.append(np.concatenate([[0], np.cumsum(split[rows + 1] - split[rows])]))
        start, limit = split[start], split[limit]
    return out, _spans(start, limit)


def _check_splits(splits: Sequence[Array], count: int) -> None:
    for split, end in zip(splits, [*[len(s) for s in splits[1:]], count], strict=True):
        if split.ndim != 1 or not split.size or split[0] < 0 or split[-1] > end or (np.diff(split) < 0).any():
            expected = f"vectors of ascending numbers from 0 to {end}"
            raise argument_error("ragged_gather", "params_nested_splits", expected, split.tolist())


def _spans(starts: Array, limits: Array) -> Array:
    """start, start + 1, … before limit, for each pair, concatenated."""
    lengths = limits - starts
    ends = np.cumsum(lengths)
    shifts: Array = np.repeat(starts - (ends - lengths), lengths)
    return shifts + np.arange(len(shifts))


class Partition:
    """How the values of a ragged tensor are divided into rows, dimension by dimension.

    Args:
        types: for each partition, how its numbers are interpreted; 'FIRST_DIM_SIZE', the number of the outermost
            rows, is first if present.
        numbers: the numbers of each partition.
    """

    def __init__(self, types: Sequence[Any], numbers: Sequence[Array]) -> None:
        for kind in types:
            if not isinstance(kind, str) or kind not in PARTITIONS:
                raise self._wrong("row_partition_types", "of " + ", ".join(PARTITIONS), kind)
        if not types or len(types) != len(numbers) or "FIRST_DIM_SIZE" in types[1:]:
            raise self._wrong(
                "row_partition_types", "one for each partition, FIRST_DIM_SIZE first if at all", list(types)
            )
        if not numbers[0].size:
            raise self._wrong("row_partition_tensors", "not empty in the first place", numbers[0])
        if types[0] == "VALUE_ROWIDS":
            raise self._wrong("row_partition_types", "FIRST_DIM_SIZE or ROW_SPLITS in the first place", types[0])
        if any(n.ndim != 1 for n in numbers[types[0] == "FIRST_DIM_SIZE" :]):
            raise self._wrong("row_partition_tensors", "vectors behind the size of the first dimension", numbers)
        sized = types[0] == "FIRST_DIM_SIZE"
        self.rows = int(numbers[0].reshape(-1)[0]) if sized else len(numbers[0]) - 1
        self.levels = list(zip(types[sized:], numbers[sized:], strict=True))

    @staticmethod
    def _wrong(argument: str, expected: str, found: object) -> Exception:
        return argument_error("ragged_tensor_to_tensor", argument, expected, found)

    def widths(self) -> list[int]:
        """The length of the longest row of each dimension."""
        return [int(max(_row_lengths(kind, numbers), default=0)) for kind, numbers in self.levels]

    def places(self, shape: Sequence[int]) -> Array:
        """For each value, its flat position in a dense tensor of this shape; -1 if it is outside."""
        place = np.arange(self.rows, dtype=np.int64)
        place = np.where(place < shape[0], place, -1)
        for (kind, numbers), size in zip(self.levels, shape[1:], strict=True):
            lengths = _row_lengths(kind, numbers)
            row = np.repeat(_row_numbers(kind, numbers), lengths)
            if row.size and not 0 <= row.min() <= row.max() < len(place):
                raise self._wrong("row_partition_tensors", f"about rows from 0 to {len(place) - 1}", numbers)
            column = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            place = np.where((place[row] >= 0) & (column < size), place[row] * size + column, -1)
        return place


def _row_lengths(kind: str, numbers: Array) -> Array:
    if kind == "ROW_SPLITS":
        lengths: Array = np.diff(numbers)
        if (lengths < 0).any() or (numbers.size and numbers[0]):
            raise argument_error(
                "ragged_tensor_to_tensor", "row_partition_tensors", "splits that ascend from 0", numbers
            )
        return lengths
    starts = _run_starts(numbers)
    return np.diff(np.append(starts, len(numbers)))


def _row_numbers(kind: str, numbers: Array) -> Array:
    return np.arange(len(numbers) - 1) if kind == "ROW_SPLITS" else numbers[_run_starts(numbers)]


def _run_starts(numbers: Array) -> Array:
    """The start of each run of equal numbers."""
    return np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1])) if numbers.size else np.zeros(0, np.int64)
