"""`tf.backend_util`: helpers for kernels that deal with shapes and axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.core.calling.registry import export
from tfpy.core.ops.common import inverse_order
from tfpy.core.ops.join import part_sizes
from tfpy.core.system.environment import ENV
from tfpy.core.utils.arrays import flat_array
from tfpy.core.utils.shapes import shape_of
from tfpy.core.utils.util import decode_string, encode_string
from tfpy.engine.arguments import as_ints, as_list, as_shape, resolve_axis
from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error
from tfpy.engine.printable import put
from tfpy.engine.spec import reduced_shape
from tfpy.engine.warn import warn_user


@export(namespace="backend_util", doc="Util")
def axes_are_inner_most_dims(axes: Sequence[int], rank: int) -> bool:
    """Whether axes are the last ones, in order.

    Source: TF.js `tf.backend_util.axesAreInnerMostDims`.
    """
    return list(axes) == get_inner_most_axes(len(axes), rank)


@export(namespace="backend_util", doc="Util")
def assert_axes_are_inner_most_dims(msg: str, axes: Sequence[int], rank: int) -> None:
    """Raise ValueError unless axes are the last ones, in order.

    Source: TF.js `tf.backend_util.assertAxesAreInnerMostDims`.
    """
    if not axes_are_inner_most_dims(axes, rank):
        raise argument_error(msg, "axes", f"the last {len(axes)} of {rank} axes", list(axes))


@export(namespace="backend_util", doc="Util")
def get_inner_most_axes(num_axes: int, rank: int) -> list[int]:
    """The last axes.

    Source: TF.js `tf.backend_util.getInnerMostAxes`.
    """
    return list(range(rank - num_axes, rank))


@export(namespace="backend_util", doc="Util")
def get_axes_permutation(axes: Sequence[int], rank: int) -> list[int] | None:
    """The permutation that moves axes to the end; None if they are there already.

    Source: TF.js `tf.backend_util.getAxesPermutation`.
    """
    if axes_are_inner_most_dims(axes, rank):
        return None
    return [i for i in range(rank) if i not in axes] + list(axes)


@export(namespace="backend_util", doc="Util")
def get_undo_axes_permutation(axes: Sequence[int]) -> list[int]:
    """The inverse of a permutation of axes.

    Source: TF.js `tf.backend_util.getUndoAxesPermutation`.
    """
    order = as_ints("get_undo_axes_permutation", "axes", axes)
    if sorted(order) != list(range(len(order))):
        raise argument_error("get_undo_axes_permutation", "axes", f"each axis from 0 to {len(order) - 1} once", axes)
    return list(inverse_order(order))


@export(namespace="backend_util", doc="Util")
def compute_out_and_reduce_shapes(a_shape: Sequence[int], axes: Sequence[int]) -> list[list[int]]:
    """The sizes of the axes that remain after a reduction, and those of the reduced axes.

    Source: TF.js `tf.backend_util.computeOutAndReduceShapes`.
    """
    shape = as_shape("compute_out_and_reduce_shapes", a_shape, "a_shape")
    gone = tuple([resolve_axis("compute_out_and_reduce_shapes", a, len(shape), "axes") for a in axes])
    return [list(reduced_shape(shape, gone, False)), [shape[i] for i in gone]]


@export(namespace="backend_util", doc="Util")
def expand_shape_to_keep_dim(shape: Sequence[int], axes: Sequence[int]) -> list[int]:
    """A shape with axes of size 1 inserted.

    Source: TF.js `tf.backend_util.expandShapeToKeepDim`.
    """
    return combine_locations(shape, [1] * len(axes), axes)


@export(namespace="backend_util", doc="Util")
def combine_locations(output_loc: Sequence[int], reduce_loc: Sequence[int], axes: Sequence[int]) -> list[int]:
    """The index for each axis, merged from those of the reduced axes and those of the others.

    Source: TF.js `tf.backend_util.combineLocations`.
    """
    axes = as_ints("combine_locations", "axes", axes)
    if len(reduce_loc) != sum(0 <= axis < len(output_loc) + len(reduce_loc) for axis in set(axes)):
        raise argument_error("combine_locations", "axes", f"{len(reduce_loc)} existing axes", axes)
    others, inner = iter(output_loc), iter(reduce_loc)
    return [next(inner) if i in axes else next(others) for i in range(len(output_loc) + len(reduce_loc))]


@export(namespace="backend_util", doc="Util")
def assert_params_consistent(shapes: Sequence[Sequence[int]], axis: int) -> None:
    """Raise ValueError unless shapes are equal except along one axis.

    Source: TF.js `tf.backend_util.assertParamsConsistent`.
    """
    compute_out_shape(shapes, axis)


@export(namespace="backend_util", doc="Util")
def compute_out_shape(shapes: Sequence[Sequence[int]], axis: int) -> list[int]:
    """The shape of tensors concatenated along an axis.

    Raises:
        ValueError: they differ in other axes, or the axis is out of range.

    Source: TF.js `tf.backend_util.computeOutShape`.
    """
    shapes = [
        as_shape("compute_out_shape", s, "shapes") for s in as_list("compute_out_shape", "shapes", shapes, "shapes")
    ]
    at = resolve_axis("compute_out_shape", axis, len(shapes[0]) if shapes else 0)
    rest = {(*s[:at], *s[at + 1 :]) for s in shapes}
    if len(rest) != 1 or any(len(s) != len(shapes[0]) for s in shapes):
        raise argument_error(
            "compute_out_shape", "shapes", f"equal except along axis {axis}", [list(s) for s in shapes]
        )
    return [*shapes[0][:at], sum(s[at] for s in shapes), *shapes[0][at + 1 :]]


@export(namespace="backend_util", doc="Util")
def prepare_split_size(x: Any, num_or_size_splits: int | Sequence[int], axis: int = 0) -> list[int]:
    """The sizes of the parts that a tensor is split into along an axis.

    Raises:
        ValueError: they do not add up to the size of the axis.

    Source: TF.js `tf.backend_util.prepareSplitSize`.
    """
    shape = shape_of("prepare_split_size", "x", x)
    at = resolve_axis("prepare_split_size", axis, len(shape))
    return list(part_sizes("prepare_split_size", num_or_size_splits, shape[at]))


@export(namespace="backend_util", doc="Util")
def is_identity_permutation(perm: Sequence[int]) -> bool:
    """Whether a permutation of axes is the identity.

    Source: TF.js `tf.backend_util.isIdentityPermutation`.
    """
    return list(perm) == list(range(len(perm)))


@export(namespace="backend_util", doc="Util")
def merge_real_and_imag_arrays(real: Any, imag: Any) -> Array:
    """Real and imaginary parts, alternating in one flat array.

    Raises:
        ValueError: their numbers differ.

    Source: TF.js `tf.backend_util.mergeRealAndImagArrays`.
    """
    pair = (("real", real), ("imag", imag))
    parts = [flat_array("merge_real_and_imag_arrays", name, a, np.float32) for name, a in pair]
    if parts[0].size != parts[1].size:
        raise argument_error("merge_real_and_imag_arrays", "imag", f"{parts[0].size} numbers", parts[1])
    return np.stack(parts, axis=1).reshape(-1)


@export(namespace="backend_util", doc="Util")
def split_real_and_imag_arrays(complex: Any) -> dict[str, Array]:
    """The real and the imaginary parts of a flat array in which they alternate.

    Source: TF.js `tf.backend_util.splitRealAndImagArrays`.
    """
    values = flat_array("split_real_and_imag_arrays", "complex", complex, np.float32)
    return {"real": values[::2].copy(), "imag": values[1::2].copy()}


@export(namespace="backend_util", doc="Util")
def from_uint8_to_string_array(vals: Sequence[bytes]) -> list[str]:
    """Decode UTF-8 strings.

    Source: TF.js `tf.backend_util.fromUint8ToStringArray`.
    """
    return [decode_string(v) for v in vals]


@export(namespace="backend_util", doc="Util")
def from_string_array_to_uint8(strings: Sequence[str]) -> list[bytes]:
    """Strings as their UTF-8 bytes.

    Source: TF.js `tf.backend_util.fromStringArrayToUint8`.
    """
    return [encode_string(s) for s in strings]


@export(namespace="backend_util", doc="Util")
def warn(*msg: object) -> None:
    """Warn, unless in production mode or in a test.

    Source: TF.js `tf.backend_util.warn`.
    """
    if not (ENV.get("IS_TEST") or ENV.get("PROD")):
        warn_user(" ".join(map(str, msg)))


@export(namespace="backend_util", doc="Util")
def log(*msg: object) -> None:
    """Print, unless in production mode or in a test.

    Source: TF.js `tf.backend_util.log`.
    """
    if not (ENV.get("IS_TEST") or ENV.get("PROD")):
        put(*msg)
