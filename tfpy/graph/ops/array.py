"""Ops that slice, join, gather and reshape."""

from __future__ import annotations

import math
from typing import Any

from tfpy.engine.errors import argument_error
from tfpy.graph.mappers import Call, maps, same

same("BroadcastArgs", "broadcast_args")
same("GatherNd", "gather_nd")
same("TensorScatterUpdate", "tensor_scatter_update")


@maps("Concat", "concat")
def _concat(call: Call, concat: Any) -> Any:
    return concat(call.values[1:], call.number(0))


@maps("ConcatV2", "concat")
def _concat_v2(call: Call, concat: Any) -> Any:
    return concat(call.values[:-1], call.number(-1))


@maps("Gather", "gather cast")
def _gather(call: Call, gather: Any, cast: Any) -> Any:
    return gather(call.tensor(0), cast(call.tensor(1), "int32"), 0)


@maps("GatherV2", "gather cast")
def _gather_v2(call: Call, gather: Any, cast: Any) -> Any:
    return gather(call.tensor(0), cast(call.tensor(1), "int32"), call.number(2), call.attrs.number("batch_dims"))


@maps("Reverse", "reverse")
def _reverse(call: Call, reverse: Any) -> Any:
    return reverse(call.tensor(0), [i for i, turned in enumerate(call.numbers(1)) if turned])


@maps("ReverseV2", "reverse")
def _reverse_v2(call: Call, reverse: Any) -> Any:
    return reverse(call.tensor(0), call.sizes(1))


@maps("Slice", "slice")
def _slice(call: Call, slice_: Any) -> Any:
    return slice_(call.tensor(0), call.sizes(1), call.sizes(2))


@maps("StridedSlice", "strided_slice")
def _strided_slice(call: Call, strided_slice: Any) -> Any:
    masks = ("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
    return strided_slice(
        call.tensor(0), call.sizes(1), call.sizes(2), call.sizes(3), *(call.attrs.number(mask) for mask in masks)
    )


@maps("Pack", "stack reshape")
def _pack(call: Call, stack: Any, reshape: Any) -> Any:
    """Stacked; tensors that differ from the first in sizes of 1 only get its shape, as in TF.js."""
    first = call.tensor(0)
    tensors = []
    for i, tensor in enumerate(call.values):
        if [n for n in tensor.shape if n != 1] != [n for n in first.shape if n != 1]:
            raise argument_error(call.node.label, f"input {i}", f"of shape {list(first.shape)}", tensor)
        tensors.append(reshape(tensor, first.shape))
    return stack(tensors, call.attrs.number("axis"))


@maps("Unpack", "unstack")
def _unpack(call: Call, unstack: Any) -> Any:
    return unstack(call.tensor(0), call.attrs.number("axis"))


@maps("Tile", "tile")
def _tile(call: Call, tile: Any) -> Any:
    return tile(call.tensor(0), call.sizes(1))


@maps("Split", "split")
def _split(call: Call, split: Any) -> Any:
    return split(call.tensor(1), call.attrs.number("num_split", 1), call.number(0))


@maps("SplitV", "split")
def _split_v(call: Call, split: Any) -> Any:
    return split(call.tensor(0), call.sizes(1), call.number(2))


@maps("ScatterNd", "scatter_nd")
def _scatter_nd(call: Call, scatter_nd: Any) -> Any:
    return scatter_nd(call.tensor(0), call.tensor(1), call.sizes(2))


@maps("SparseToDense", "sparse_to_dense cast")
def _sparse_to_dense(call: Call, sparse_to_dense: Any, cast: Any) -> Any:
    values = call.tensor(2)
    default = call.tensor(3)
    default = default if default.dtype == values.dtype else cast(default, values.dtype)
    return sparse_to_dense(call.tensor(0), values, call.sizes(1), default)


@maps("ExpandDims", "expand_dims")
def _expand_dims(call: Call, expand_dims: Any) -> Any:
    return expand_dims(call.tensor(0), call.number(1))


@maps("Squeeze", "squeeze")
def _squeeze(call: Call, squeeze: Any) -> Any:
    axes = call.attrs.numbers("axis") or call.attrs.numbers("squeeze_dims")
    return squeeze(call.tensor(0), axes or None)


@maps("Reshape", "reshape")
def _reshape(call: Call, reshape: Any) -> Any:
    return reshape(call.tensor(0), call.sizes(1))


@maps("EnsureShape", "ensure_shape")
def _ensure_shape(call: Call, ensure_shape: Any) -> Any:
    wanted = call.attrs.shape("shape") if len(call.values) < 2 else call.sizes(1)
    x = call.tensor(0)
    return ensure_shape(
        x, x.shape if wanted is None else [m if n < 0 else n for m, n in zip(x.shape, wanted, strict=False)]
    )


@maps("MirrorPad", "mirror_pad")
def _mirror_pad(call: Call, mirror_pad: Any) -> Any:
    return mirror_pad(call.tensor(0), call.numbers(1), call.attrs.text("mode").lower())


@maps("Pad", "pad")
def _pad(call: Call, pad: Any) -> Any:
    return pad(call.tensor(0), call.numbers(1), call.attrs.number("constant_value"))


@maps("PadV2", "pad")
def _pad_v2(call: Call, pad: Any) -> Any:
    return pad(call.tensor(0), call.numbers(1), call.number(2))


@maps("SpaceToBatchND", "space_to_batch_nd")
def _space_to_batch(call: Call, space_to_batch_nd: Any) -> Any:
    return space_to_batch_nd(call.tensor(0), call.sizes(1), call.numbers(2))


@maps("BatchToSpaceND", "batch_to_space_nd")
def _batch_to_space(call: Call, batch_to_space_nd: Any) -> Any:
    return batch_to_space_nd(call.tensor(0), call.sizes(1), call.numbers(2))


@maps("DepthToSpace", "depth_to_space")
def _depth_to_space(call: Call, depth_to_space: Any) -> Any:
    return depth_to_space(
        call.tensor(0), call.attrs.number("block_size"), call.attrs.text("data_format", "NHWC").upper()
    )


@maps("BroadcastTo", "broadcast_to")
def _broadcast_to(call: Call, broadcast_to: Any) -> Any:
    return broadcast_to(call.tensor(0), call.sizes(1))


# What a tensor looks like


@maps("Shape", "tensor")
def _shape(call: Call, tensor: Any) -> Any:
    return tensor(list(call.tensor(0).shape), [call.tensor(0).rank], "int32")


@maps("ShapeN", "tensor")
def _shape_n(call: Call, tensor: Any) -> Any:
    return [tensor(list(t.shape), [t.rank], "int32") for t in call.values]


@maps("Size", "scalar")
def _size(call: Call, scalar: Any) -> Any:
    return scalar(math.prod(call.tensor(0).shape), "int32")


@maps("Rank", "scalar")
def _rank(call: Call, scalar: Any) -> Any:
    return scalar(call.tensor(0).rank, "int32")
