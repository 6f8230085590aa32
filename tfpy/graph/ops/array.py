"""Ops that slice, join, gather and reshape."""

from __future__ import annotations

import math
from typing import Any

from tfpy.core.ops.blocks import batch_to_space_nd, depth_to_space, space_to_batch_nd
from tfpy.core.ops.create import scalar, tensor
from tfpy.core.ops.gather import gather, gather_nd, scatter_nd, sparse_to_dense, tensor_scatter_update
from tfpy.core.ops.join import concat, split, stack, unstack
from tfpy.core.ops.shape import broadcast_args, broadcast_to, cast, ensure_shape, expand_dims, reshape, squeeze
from tfpy.core.ops.slice import mirror_pad, pad, reverse, slice_, strided_slice, tile
from tfpy.engine.errors import argument_error
from tfpy.graph.mappers import Call, maps, same

same("BroadcastArgs", broadcast_args)
same("GatherNd", gather_nd)
same("TensorScatterUpdate", tensor_scatter_update)


@maps("Concat")
def _concat(call: Call) -> Any:
    return concat(call.values[1:], call.number(0))


@maps("ConcatV2")
def _concat_v2(call: Call) -> Any:
    return concat(call.values[:-1], call.number(-1))


@maps("Gather")
def _gather(call: Call) -> Any:
    return gather(call.tensor(0), cast(call.tensor(1), "int32"), 0)


@maps("GatherV2")
def _gather_v2(call: Call) -> Any:
    return gather(call.tensor(0), cast(call.tensor(1), "int32"), call.number(2), call.attrs.number("batch_dims"))


@maps("Reverse")
def _reverse(call: Call) -> Any:
    return reverse(call.tensor(0), [i for i, turned in enumerate(call.numbers(1)) if turned])


@maps("ReverseV2")
def _reverse_v2(call: Call) -> Any:
    return reverse(call.tensor(0), call.sizes(1))


@maps("Slice")
def _slice(call: Call) -> Any:
    return slice_(call.tensor(0), call.sizes(1), call.sizes(2))


@maps("StridedSlice")
def _strided_slice(call: Call) -> Any:
    masks = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    return strided_slice(
        call.tensor(0), call.sizes(1), call.sizes(2), call.sizes(3), *(call.attrs.number(mask) for mask in masks)
    )


@maps("Pack")
def _pack(call: Call) -> Any:
    """Tensors stacked; those that differ from the first only in sizes of 1 get its shape, as in TF.js."""
    first = call.tensor(0)
    tensors = []
    for i, value in enumerate(call.values):
        if [n for n in value.shape if n != 1] != [n for n in first.shape if n != 1]:
            raise argument_error(call.node.label, f"input {i}", f"of shape {list(first.shape)}", value)
        tensors.append(reshape(value, first.shape))
    return stack(tensors, call.attrs.number("axis"))


@maps("Unpack")
def _unpack(call: Call) -> Any:
    return unstack(call.tensor(0), call.attrs.number("axis"))


@maps("Tile")
def _tile(call: Call) -> Any:
    return tile(call.tensor(0), call.sizes(1))


@maps("Split")
def _split(call: Call) -> Any:
    return split(call.tensor(1), call.attrs.number("num_split", 1), call.number(0))


@maps("SplitV")
def _split_v(call: Call) -> Any:
    return split(call.tensor(0), call.sizes(1), call.number(2))


@maps("ScatterNd")
def _scatter_nd(call: Call) -> Any:
    return scatter_nd(call.tensor(0), call.tensor(1), call.sizes(2))


@maps("SparseToDense")
def _sparse_to_dense(call: Call) -> Any:
    values = call.tensor(2)
    default = call.tensor(3)
    default = default if default.dtype == values.dtype else cast(default, values.dtype)
    return sparse_to_dense(call.tensor(0), values, call.sizes(1), default)


@maps("ExpandDims")
def _expand_dims(call: Call) -> Any:
    return expand_dims(call.tensor(0), call.number(1))


@maps("Squeeze")
def _squeeze(call: Call) -> Any:
    axes = call.attrs.numbers("axis") or call.attrs.numbers("squeeze_dims")
    return squeeze(call.tensor(0), axes or None)


@maps("Reshape")
def _reshape(call: Call) -> Any:
    return reshape(call.tensor(0), call.sizes(1))


@maps("EnsureShape")
def _ensure_shape(call: Call) -> Any:
    wanted = call.attrs.shape("shape") if len(call.values) < 2 else call.sizes(1)
    x = call.tensor(0)
    return ensure_shape(
        x, x.shape if wanted is None else [m if n < 0 else n for m, n in zip(x.shape, wanted, strict=False)]
    )


@maps("MirrorPad")
def _mirror_pad(call: Call) -> Any:
    return mirror_pad(call.tensor(0), call.numbers(1), call.attrs.text("mode").lower())


@maps("Pad")
def _pad(call: Call) -> Any:
    return pad(call.tensor(0), call.numbers(1), call.attrs.number("constant_value"))


@maps("PadV2")
def _pad_v2(call: Call) -> Any:
    return pad(call.tensor(0), call.numbers(1), call.number(2))


@maps("SpaceToBatchND")
def _space_to_batch(call: Call) -> Any:
    return space_to_batch_nd(call.tensor(0), call.sizes(1), call.numbers(2))


@maps("BatchToSpaceND")
def _batch_to_space(call: Call) -> Any:
    return batch_to_space_nd(call.tensor(0), call.sizes(1), call.numbers(2))


@maps("DepthToSpace")
def _depth_to_space(call: Call) -> Any:
    return depth_to_space(
        call.tensor(0), call.attrs.number("block_size"), call.attrs.text("data_format", "NHWC").upper()
    )


@maps("BroadcastTo")
def _broadcast_to(call: Call) -> Any:
    return broadcast_to(call.tensor(0), call.sizes(1))


# Properties of tensors


@maps("Shape")
def _shape(call: Call) -> Any:
    return tensor(list(call.tensor(0).shape), [call.tensor(0).rank], "int32")


@maps("ShapeN")
def _shape_n(call: Call) -> Any:
    return [tensor(list(t.shape), [t.rank], "int32") for t in call.values]


@maps("Size")
def _size(call: Call) -> Any:
    return scalar(math.prod(call.tensor(0).shape), "int32")


@maps("Rank")
def _rank(call: Call) -> Any:
    return scalar(call.tensor(0).rank, "int32")
