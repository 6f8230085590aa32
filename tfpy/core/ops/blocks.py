"""Blocks of a tensor moved between its axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import inverse_order, tensor_of_rank
from tfpy.core.ops.slice import size_pairs
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int, as_ints
from tfpy.engine.errors import argument_error


@op(chain=True, doc="Tensors / Transformations")
def space_to_batch_nd(x: TensorLike, block_shape: Sequence[int], paddings: Sequence[Sequence[int]]) -> Tensor:
    """Blocks of the spatial axes moved into the batch axis: each position in a block becomes a batch of its own.

    Args:
        x: a tensor of shape [batch, *space, …].
        block_shape: the size of a block along each axis of space.
        paddings: for each axis of space, how many zeros to add before and after; the blocks must fill the padded axis.

    Returns:
        A tensor of shape [batch · block size, *(padded space / block_shape), …].

    Raises:
        ValueError: too few axes, no pair of paddings for each, or blocks that do not fill an axis.

    Source: TF.js `tf.spaceToBatchND`.
    """
    t = to_tensor("space_to_batch_nd", "x", x)
    blocks = _block_shape("space_to_batch_nd", block_shape, t)
    margins = size_pairs("space_to_batch_nd", "paddings", paddings, len(blocks))
    spatial, rest = 1 + len(blocks), t.shape[1 + len(blocks) :]
    full = ((0, 0), *margins, *[(0, 0)] * len(rest))
    padded = run("PadV2", t, paddings=full, constant_value=0)
    for axis, b in enumerate(blocks, start=1):
        if padded.shape[axis] % b:
            expected = f"sizes that divide the padded shape {list(padded.shape[1:spatial])}"
            raise argument_error("space_to_batch_nd", "block_shape", expected, list(blocks))
    sizes = [n // b for n, b in zip(padded.shape[1:], blocks, strict=False)]
    split = run("Reshape", padded, shape=(t.shape[0], *_interleaved(sizes, blocks), *rest))
    spread = run("Transpose", split, perm=_blocks_first(len(blocks), split.rank))
    return run("Reshape", spread, shape=(t.shape[0] * math.prod(blocks), *sizes, *rest))


@op(chain=True, doc="Tensors / Transformations")
def batch_to_space_nd(x: TensorLike, block_shape: Sequence[int], crops: Sequence[Sequence[int]]) -> Tensor:
    """The inverse of `space_to_batch_nd`, with optional cropping.

    Args:
        x: a tensor of shape [batch · block size, *space, …].
        block_shape: the size of a block along each axis of space.
        crops: for each axis of space, how many elements to remove at its start and end.

    Returns:
        A tensor of shape [batch, *(space · block_shape - crops), …].

    Raises:
        ValueError: too few axes, no pair of crops for each, a batch that the blocks do not divide, or crops
            larger than the axis.

    Source: TF.js `tf.batchToSpaceND`.
    """
    t = to_tensor("batch_to_space_nd", "x", x)
    blocks = _block_shape("batch_to_space_nd", block_shape, t)
    count = len(blocks)
    margins = size_pairs("batch_to_space_nd", "crops", crops, count)
    if t.shape[0] % math.prod(blocks):
        expected = f"sizes whose product divides the batch of {t.shape[0]}"
        raise argument_error("batch_to_space_nd", "block_shape", expected, list(blocks))
    batch, sizes, rest = t.shape[0] // math.prod(blocks), t.shape[1 : 1 + count], t.shape[1 + count :]
    split = run("Reshape", t, shape=(*blocks, batch, *sizes, *rest))
    together = run("Transpose", split, perm=inverse_order(_blocks_first(count, split.rank)))
    whole = run("Reshape", together, shape=(batch, *[n * b for n, b in zip(sizes, blocks, strict=True)], *rest))
    begin = (0, *[a for a, _ in margins], *[0] * len(rest))
    kept = [n - a - b for n, (a, b) in zip(whole.shape[1:], margins, strict=False)]
    if any(n < 0 for n in kept):
        raise argument_error("batch_to_space_nd", "crops", f"less than shape {list(whole.shape[1 : 1 + count])}", crops)
    return run("Slice", whole, begin=begin, size=(batch, *kept, *rest))


def _block_shape(op_name: str, block_shape: Any, t: Tensor) -> tuple[int, ...]:
    blocks = tuple(as_ints(op_name, "block_shape", block_shape))
    if not blocks or min(blocks) < 1:
        raise argument_error(op_name, "block_shape", "sizes of 1 or more", list(block_shape))
    if t.rank < 1 + len(blocks):
        raise argument_error(op_name, "x", f"of rank {1 + len(blocks)} or more, for {len(blocks)} block sizes", t)
    return blocks


def _interleaved(a: Sequence[int], b: Sequence[int]) -> list[int]:
    return [n for pair in zip(a, b, strict=True) for n in pair]


def _blocks_first(count: int, rank: int) -> tuple[int, ...]:
    """The order of axes that takes [batch, n₁, b₁, n₂, b₂, …] to [b₁, b₂, …, batch, n₁, n₂, …]."""
    return (*range(2, 2 * count + 1, 2), 0, *range(1, 2 * count, 2), *range(2 * count + 1, rank))


@op(chain=True, doc="Tensors / Transformations")
def depth_to_space(x: TensorLike, block_size: int, data_format: str = "NHWC") -> Tensor:
    """Channels rearranged into square blocks of height and width.

    Args:
        x: a float32 tensor of rank 4.
        block_size: the side of a block, 2 or more; its square divides the number of channels.
        data_format: 'NHWC' for channels in the last axis, 'NCHW' for channels in the second.

    Returns:
        A tensor with height and width multiplied by block_size, and channels divided by its square.

    Raises:
        ValueError: a wrong rank, block size or data format. TypeError: not float32.

    Source: TF.js `tf.depthToSpace`; 'NCHW' and the gradient are beyond TF.js.
    """
    t = tensor_of_rank("depth_to_space", "x", x, 4, "float32")
    if data_format not in ("NHWC", "NCHW"):
        raise argument_error("depth_to_space", "data_format", "'NHWC' or 'NCHW'", data_format)
    b = as_int("depth_to_space", "block_size", block_size)
    channels_last = data_format == "NHWC"
    batch, height, width, channels = t.shape if channels_last else (t.shape[0], *t.shape[2:], t.shape[1])
    if b < 2 or channels % (b * b):
        expected = f"2 or more, its square dividing the {channels} channels"
        raise argument_error("depth_to_space", "block_size", expected, block_size)
    depth = channels // (b * b)
    if channels_last:
        blocks = run("Reshape", t, shape=(batch, height, width, b, b, depth))
        spread = run("Transpose", blocks, perm=(0, 1, 3, 2, 4, 5))
        return run("Reshape", spread, shape=(batch, height * b, width * b, depth))
    blocks = run("Reshape", t, shape=(batch, b, b, depth, height, width))
    spread = run("Transpose", blocks, perm=(0, 3, 4, 1, 5, 2))
    return run("Reshape", spread, shape=(batch, depth, height * b, width * b))
