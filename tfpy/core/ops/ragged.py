"""Ragged tensors, given by their values and their row splits."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor, to_tensors
from tfpy.core.ops.common import int_tensor, real, reshape_to
from tfpy.core.ops.join import concat
from tfpy.core.results import Record, TensorRecord
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.arguments import as_int, as_list
from tfpy.engine.errors import ShapeError, Unquoted, argument_error
from tfpy.engine.host import ragged
from tfpy.engine.javascript_numbers import to_int32
from tfpy.engine.spec import Shape, broadcast_shapes


class RaggedRange(TensorRecord):
    """The result of `ragged_range`."""

    rt_nested_splits: Tensor
    rt_dense_values: Tensor


class RaggedGather(Record):
    """The result of `ragged_gather`."""

    output_nested_splits: list[Tensor]
    output_dense_values: Tensor


@op(doc="Operations / Ragged")
def ragged_range(starts: TensorLike, limits: TensorLike, deltas: TensorLike) -> RaggedRange:
    """Rows of evenly spaced numbers, each from its start up to, but not including, its limit.

    Args:
        starts: a vector of the first numbers, or a scalar for all rows.
        limits: the ends, of starts' dtype; a vector of the same size, or a scalar.
        deltas: the spacings, of starts' dtype; a vector of the same size, or a scalar.

    Returns:
        A record: rt_nested_splits, an int32 vector of row splits, and rt_dense_values, all numbers.

    Raises:
        ValueError: sizes that differ, or a spacing of 0. TypeError: dtypes that differ.

    Source: TF.js `tf.raggedRange`.
    """
    first = real("ragged_range", starts, argument="starts")
    others = [to_tensor("ragged_range", name, v, first.dtype) for name, v in (("limits", limits), ("deltas", deltas))]
    splits, values = ragged.ranges(*[dispatch.read(t, "ragged_range") for t in (first, *others)])
    numbers = to_int32(values) if first.dtype == "int32" else values
    return RaggedRange(int_tensor(splits), dispatch.make(Tensor, numbers, first.dtype))


@op(doc="Operations / Ragged")
def ragged_gather(
    params_nested_splits: Sequence[TensorLike],
    params_dense_values: TensorLike,
    indices: TensorLike,
    output_ragged_rank: int,
) -> RaggedGather:
    """Rows of a ragged tensor, gathered by index.

    Args:
        params_nested_splits: int32 vectors of the row splits of each ragged dimension, outermost first.
        params_dense_values: the values, of rank 1 or more.
        indices: an int32 tensor of the outermost rows to gather.
        output_ragged_rank: the number of ragged dimensions of the result; it follows from the other arguments.

    Returns:
        A record: output_nested_splits, a list of int32 vectors, and output_dense_values.

    Raises:
        ValueError: splits that are not ascending or point past the values, or an index out of range. TypeError: not
            int32.

    Source: TF.js `tf.raggedGather`. The gradient of the values is beyond TF.js.
    """
    name = "ragged_gather"
    as_int(name, "output_ragged_rank", output_ragged_rank)
    splits = to_tensors(name, "params_nested_splits", params_nested_splits, "int32")
    values = to_tensor(name, "params_dense_values", params_dense_values, "any")
    at = to_tensor(name, "indices", indices, "int32")
    if not splits:
        raise argument_error(name, "params_nested_splits", "at least one vector", params_nested_splits)
    for i, split in enumerate(splits):
        if split.rank != 1:
            raise argument_error(name, f"params_nested_splits[{i}]", "of rank 1", split)
    if values.rank == 0:
        raise argument_error(name, "params_dense_values", "of rank 1 or more", values)
    out, picks = ragged.gathered([dispatch.read(s, name) for s in splits], values.shape[0], dispatch.read(at, name))
    taken = run("GatherV2", values, int_tensor(picks), axis=0, batch_dims=0)
    return RaggedGather([int_tensor(s) for s in out], taken)


@op(doc="Operations / Ragged")
def ragged_tensor_to_tensor(
    shape: TensorLike,
    values: TensorLike,
    default_value: TensorLike,
    row_partition_tensors: Sequence[TensorLike],
    row_partition_types: Sequence[str],
) -> Tensor:
    """A ragged tensor as a dense one: rows truncated, or padded with a default.

    Args:
        shape: an int32 vector, the shape of the result; -1 for the length of the longest row, a scalar -1 for all.
        values: the values, of rank 1 or more.
        default_value: what rows are padded with: a tensor of values' dtype that broadcasts to one of the values.
        row_partition_tensors: int32 tensors that partition the values into rows, outermost first.
        row_partition_types: the type of each: 'ROW_SPLITS' (where the rows are split), 'VALUE_ROWIDS' (the row of
            each value), or in the first place 'FIRST_DIM_SIZE' (how many rows there are).

    Returns:
        A dense tensor of the dtype of the values.

    Raises:
        ValueError: partitions that contradict each other or the values, an unknown type, or a shape that does not
            fit. TypeError: dtypes that differ.

    Source: TF.js `tf.raggedTensorToTensor`. Its gradient is beyond TF.js.
    """
    name = "ragged_tensor_to_tensor"
    wanted = to_tensor(name, "shape", shape, "int32")
    elements = to_tensor(name, "values", values, "any")
    default = to_tensor(name, "default_value", default_value, elements.dtype)
    parts = to_tensors(name, "row_partition_tensors", row_partition_tensors, "int32")
    if elements.rank == 0:
        raise argument_error(name, "values", "of rank 1 or more", elements)
    kinds = as_list(name, "row_partition_types", row_partition_types, "strings")
    partition = ragged.Partition(kinds, [dispatch.read(t, name) for t in parts])
    sizes = _sizes(wanted, [partition.rows, *partition.widths(), *elements.shape[1:]])
    block = elements.shape[1:]
    lead = sizes[: len(sizes) - len(block)]
    if sizes[len(lead) :] != block:
        raise argument_error(name, "shape", f"a shape that ends with {list(block)}, as that of the values", list(sizes))
    places = partition.places(lead)
    if len(places) > elements.shape[0]:
        raise argument_error(
            name, "row_partition_tensors", f"about {elements.shape[0]} values", Unquoted(f"{len(places)} values")
        )
    picks = np.full(math.prod(lead), elements.shape[0])
    inside = np.flatnonzero(places >= 0)
    picks[places[inside]] = inside
    choice = concat([elements, reshape_to(_spread(default, block), (1, *block))])
    return run("Reshape", run("GatherV2", choice, int_tensor(picks), axis=0, batch_dims=0), shape=sizes)


def _sizes(wanted: Tensor, found: Sequence[int]) -> Shape:
    """The shape of the result: as requested, with each -1 replaced by the size found."""
    sizes = dispatch.read(wanted, "ragged_tensor_to_tensor")
    given = [-1] * len(found) if not wanted.rank and sizes == -1 else sizes.tolist()
    if wanted.rank > 1 or not isinstance(given, list) or len(given) != len(found) or min(given) < -1:
        expected = f"a vector of {len(found)} sizes of -1 or more, or -1"
        raise argument_error("ragged_tensor_to_tensor", "shape", expected, given)
    return tuple(n if n >= 0 else m for n, m in zip(given, found, strict=True))


def _spread(default: Tensor, block: Shape) -> Tensor:
    try:
        fits = broadcast_shapes(default.shape, block) == block
    except ShapeError:
        fits = False
    if not fits:
        expected = f"of a shape that broadcasts to {list(block)}, that of one value"
        raise argument_error("ragged_tensor_to_tensor", "default_value", expected, default)
    return default if default.shape == block else run("BroadcastTo", default, shape=block)
