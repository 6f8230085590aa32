"""`tf.broadcast_util`, `tf.slice_util`, `tf.gather_util`, `tf.scatter_util`: computations with shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfpy.core.calling.registry import export
from tfpy.core.ops.slice import block
from tfpy.core.results import Record
from tfpy.engine.arguments import as_int, as_shape
from tfpy.engine.errors import argument_error
from tfpy.engine.rows.index import check_updates
from tfpy.engine.slices import Masks, resolve_strided_slice
from tfpy.engine.spec import Shape, broadcast_axes, broadcast_shapes


class SliceInfo(Record):
    """The result of `slice_util.slice_info`."""

    final_shape_sparse: list[int]
    final_shape: list[int]
    is_identity: bool
    slice_dim0: bool
    is_simple_slice: bool
    begin: list[int]
    end: list[int]
    strides: list[int]


class ScatterShapeInfo(Record):
    """The result of `scatter_util.calculate_shapes`."""

    slice_rank: int
    num_updates: int
    slice_size: int
    strides: list[int]
    output_size: int


def shape_of(name: str, argument: str, x: Any) -> Shape:
    """The shape of a tensor, or of any other object that has one."""
    shape = getattr(x, "shape", None)
    if shape is None:
        raise argument_error(name, argument, "a tensor", x, TypeError)
    return tuple(shape)


@export(namespace="broadcast_util", doc="Util", aliases="backend_util.assert_and_get_broadcast_shape")
def assert_and_get_broadcast_shape(shape_a: Sequence[int], shape_b: Sequence[int]) -> list[int]:
    """The shape that two shapes broadcast to.

    Raises:
        ValueError: they cannot be broadcast.

    Source: TF.js `tf.broadcast_util.assertAndGetBroadcastShape`.
    """
    return list(
        broadcast_shapes(
            as_shape("assert_and_get_broadcast_shape", shape_a, "shape_a"),
            as_shape("assert_and_get_broadcast_shape", shape_b, "shape_b"),
        )
    )


@export(namespace="broadcast_util", doc="Util", aliases="backend_util.get_broadcast_dims")
def get_broadcast_dims(in_shape: Sequence[int], out_shape: Sequence[int]) -> list[int]:
    """The axes of a shape that are repeated when it is broadcast to another.

    Raises:
        ValueError: the other has fewer axes.

    Source: TF.js `tf.broadcast_util.getBroadcastDims`.
    """
    lead = len(out_shape) - len(in_shape)
    axes = _stretched("get_broadcast_dims", in_shape, out_shape)
    return [axis - lead for axis in axes if axis >= lead]


@export(namespace="broadcast_util", doc="Util", aliases="backend_util.get_reduction_axes")
def get_reduction_axes(in_shape: Sequence[int], out_shape: Sequence[int]) -> list[int]:
    """The axes over which the gradient of a broadcast value must be summed.

    Raises:
        ValueError: the other has fewer axes.

    Source: TF.js `tf.broadcast_util.getReductionAxes`.
    """
    return list(_stretched("get_reduction_axes", in_shape, out_shape))


def _stretched(name: str, in_shape: Sequence[int], out_shape: Sequence[int]) -> tuple[int, ...]:
    if len(out_shape) < len(in_shape):
        raise argument_error(name, "out_shape", f"of {len(in_shape)} axes or more, as in_shape", list(out_shape))
    return broadcast_axes(tuple(in_shape), tuple(out_shape))


@export(namespace="slice_util", doc="Util")
def assert_params_valid(input: Any, begin: Sequence[int], size: Sequence[int]) -> None:
    """Raise ValueError unless a block is inside a tensor, and `begin` and `size` have a number for each axis.

    Source: TF.js `tf.slice_util.assertParamsValid`.
    """
    shape = shape_of("assert_params_valid", "input", input)
    if not len(begin) == len(size) == len(shape):
        expected = f"of {len(shape)} numbers each, with size"
        raise argument_error("assert_params_valid", "begin", expected, [list(begin), list(size)])
    block("assert_params_valid", shape, begin, size)


@export(namespace="slice_util", doc="Util")
def parse_slice_params(x: Any, begin: Any, size: Any = None) -> list[list[int]]:
    """The start and size of a block of a tensor along each axis.

    Raises:
        ValueError: it is not inside the tensor.

    Source: TF.js `tf.slice_util.parseSliceParams`.
    """
    return [list(part) for part in block("parse_slice_params", shape_of("parse_slice_params", "x", x), begin, size)]


@export(namespace="slice_util", doc="Util")
def compute_out_shape(begin: Sequence[int], end: Sequence[int], strides: Sequence[int]) -> list[int]:
    """The number of steps from begin to end along each axis.

    Source: TF.js `tf.slice_util.computeOutShape`.
    """
    for argument, given in (("end", end), ("strides", strides)):
        if len(given) != len(begin):
            raise argument_error("compute_out_shape", argument, f"a list of {len(begin)}, as begin", given)
    return [math.ceil((e - b) / s) for b, e, s in zip(begin, end, strides, strict=True)]


@export(namespace="slice_util", doc="Util")
def mask_to_axes(mask: int) -> list[int]:
    """The positions of the set bits, starting from the lowest.

    Source: TF.js `tf.slice_util.maskToAxes`.
    """
    bits = as_int("mask_to_axes", "mask", mask)
    return [i for i in range(bits.bit_length()) if bits >> i & 1]


@export(namespace="slice_util", doc="Util")
def is_slice_continous(shape: Sequence[int], begin: Sequence[int], size: Sequence[int]) -> bool:
    """Whether a block is contiguous in the flat array.

    Source: TF.js `tf.slice_util.isSliceContinous`.
    """
    first = next((i for i, n in enumerate(size) if n > 1), len(size))
    return all(begin[i] == 0 and size[i] == shape[i] for i in range(first + 1, len(size)))


@export(namespace="slice_util", doc="Util")
def compute_flat_offset(begin: Sequence[int], strides: Sequence[int]) -> int:
    """The offset of a block in the flat array; 1 for a scalar, as in TF.js.

    Source: TF.js `tf.slice_util.computeFlatOffset`.
    """
    return sum(b * s for b, s in zip(begin, [*strides, 1], strict=False)) if begin else 1


@export(namespace="slice_util", doc="Util")
def slice_info(
    x_shape: Sequence[int],
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int] | None,
    begin_mask: int,
    end_mask: int,
    ellipsis_mask: int,
    new_axis_mask: int,
    shrink_axis_mask: int,
) -> SliceInfo:
    """The elements of a shape that a strided slice selects; see `strided_slice` for the arguments.

    Returns:
        A record: final_shape, the shape of the result, and final_shape_sparse, without its new axes; begin, end and
        strides for each axis; and whether it is the whole tensor, a part of the first axis, or has steps of 1.

    Raises:
        ValueError: as `strided_slice`.

    Source: TF.js `tf.slice_util.sliceInfo`.
    """
    shape: Shape = tuple(x_shape)
    masks = Masks(begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask)
    found = resolve_strided_slice(shape, begin, end, [1] * len(begin) if strides is None else strides, masks)
    whole = [
        s == 1 and b == 0 and e == n for b, e, s, n in zip(found.begin, found.end, found.strides, shape, strict=True)
    ]
    simple = all(s == 1 for s in found.strides)
    parts = [list(p) for p in (found.begin, found.end, found.strides)]
    return SliceInfo(
        list(found.kept), list(found.shape), all(whole), all(whole[1:]) and simple, simple, parts[0], parts[1], parts[2]
    )


@export(namespace="gather_util", doc="Util")
def prepare_and_validate(tensor: Any, indices: Any) -> list[Any]:
    """The sizes that `gather_nd` uses, for a tensor and indices of given shapes.

    Returns:
        The shape of the result, the number of blocks, the number of elements in a block, and for each number of an
        index its stride in blocks.

    Raises:
        ValueError: scalars, or indices that are too long. TypeError: indices that are not int32.

    Source: TF.js `tf.gather_util.prepareAndValidate`.
    """
    shape, at = (shape_of("prepare_and_validate", n, t) for n, t in (("tensor", tensor), ("indices", indices)))
    if not shape or not at or at[-1] > len(shape):
        raise argument_error("prepare_and_validate", "indices", f"rows of at most {len(shape)} numbers", indices)
    if indices.dtype != "int32":
        raise argument_error("prepare_and_validate", "indices", "an int32 tensor", indices, TypeError)
    depth = at[-1]
    strides = [math.prod(shape[i + 1 : depth]) for i in range(depth)]
    return [[*at[:-1], *shape[depth:]], math.prod(at[:-1]), math.prod(shape[depth:]), strides]


@export(namespace="scatter_util", doc="Util", aliases="backend_util.validate_update_shape")
def validate_update_shape(shape: Sequence[int], indices: Any, updates: Any) -> None:
    """Raise ValueError unless the shape of updates fits indices and the output shape, as `scatter_nd` requires.

    Source: TF.js `tf.scatter_util.validateUpdateShape`.
    """
    at = shape_of("validate_update_shape", "indices", indices)
    values = shape_of("validate_update_shape", "updates", updates)
    check_updates((*at, 1) if len(at) == 1 else at, values, as_shape("validate_update_shape", shape))


@export(namespace="scatter_util", doc="Util", aliases="backend_util.validate_input")
def validate_input(updates: Any, indices: Any, shape: Sequence[int]) -> None:
    """Raise an error unless updates and indices are valid for `scatter_nd` with an output shape.

    Raises:
        ValueError: scalars, or shapes that do not fit. TypeError: indices that are not int32.

    Source: TF.js `tf.scatter_util.validateInput`.
    """
    for name, t in (("indices", indices), ("updates", updates)):
        if not shape_of("validate_input", name, t):
            raise argument_error("validate_input", name, "of rank 1 or more", t)
    if indices.dtype != "int32":
        raise argument_error("validate_input", "indices", "an int32 tensor", indices, TypeError)
    if not len(shape):
        raise argument_error("validate_input", "shape", "of 1 size or more", list(shape))
    validate_update_shape(shape, indices, updates)


@export(namespace="scatter_util", doc="Util", aliases="backend_util.calculate_shapes")
def calculate_shapes(updates: Any, indices: Any, shape: Sequence[int]) -> ScatterShapeInfo:
    """The sizes that `scatter_nd` uses, for updates, indices and an output shape.

    Returns:
        A record: slice_rank, the length of an index; num_updates; slice_size, the number of elements in a block;
        strides, the stride in blocks of each number of an index, and a 1; and output_size.

    Source: TF.js `tf.scatter_util.calculateShapes`.
    """
    at = shape_of("calculate_shapes", "indices", indices)
    depth = at[-1] if len(at) > 1 else 1
    strides = [math.prod(shape[i + 1 : depth]) for i in range(depth - 1)]
    count = math.prod(at) // max(depth, 1)
    return ScatterShapeInfo(depth, count, math.prod(shape[depth:]), [*strides, 1], math.prod(shape))
