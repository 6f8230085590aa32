"""Joining and splitting tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor, to_tensors
from tfpy.core.ops.common import cast_to
from tfpy.core.run import run, run_multi
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import array_as_list, as_int, resolve_axis
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient


@op(doc="Tensors / Slicing and Joining")
def concat(tensors: Sequence[TensorLike], axis: int = 0) -> Tensor:
    """Tensors joined along an existing axis.

    Args:
        tensors: at least one tensor; the shapes agree in all other axes. All are cast to the dtype of the first,
            or of the only non-empty one.
        axis: the axis to join along.

    Returns:
        A tensor of the tensors' dtype and rank, whose size along the axis is the sum of theirs.

    Raises:
        ValueError: no tensors, shapes that differ in another axis, or an axis out of range.
        TypeError: strings or complex numbers together with others.

    Source: TF.js `tf.concat`.
    """
    parts = to_tensors("concat", "tensors", tensors, "any")
    if not parts:
        raise argument_error("concat", "tensors", "at least one tensor", tensors)
    first = parts[0]
    at = resolve_axis("concat", axis, len(first.spec.shape))
    if len(parts) == 1:
        return run("Identity", first)
    return run("Concat", *(parts if _have_one_dtype(parts) else _of_one_dtype(parts)), axis=at)


def _have_one_dtype(parts: Sequence[Tensor]) -> bool:
    """Whether tensors have the same dtype."""
    return len({t.spec.dtype for t in parts}) == 1


def _of_one_dtype(parts: Sequence[Tensor]) -> list[Tensor]:
    """The parts of a `concat` in the dtype of the first, or of the only one that is not empty."""
    filled = [t for t in parts if t.size]
    dtype = (filled if len(filled) == 1 else parts)[0].dtype
    for i, t in enumerate(parts):
        if t.dtype != dtype and {t.dtype, dtype} & {"string", "complex64"}:
            raise argument_error("concat", f"tensors[{i}]", f"of dtype {dtype}", t, TypeError)
    return [cast_to(t, dtype) for t in parts]


def _concat_gradient(dy: Tensor, n: Any) -> list[Tensor]:
    axis = n.attrs["axis"]
    return run_multi("SplitV", dy, sizes=tuple(s.shape[axis] for s in n.input_specs), axis=axis)


gradient("Concat", inputs=_concat_gradient)


@op(doc="Tensors / Slicing and Joining")
def stack(tensors: Sequence[TensorLike], axis: int = 0) -> Tensor:
    """Tensors of one shape joined along a new axis.

    Args:
        tensors: at least one tensor.
        axis: the position of the new axis.

    Returns:
        A tensor of the tensors' dtype, of one rank more; the size of the new axis is the number of tensors.

    Raises:
        ValueError: no tensors, shapes that differ, or an axis out of range. TypeError: dtypes that differ.

    Source: TF.js `tf.stack`.
    """
    parts = to_tensors("stack", "tensors", tensors, "any")
    if not parts:
        raise argument_error("stack", "tensors", "at least one tensor", tensors)
    first = parts[0]
    if not _have_one_dtype(parts):
        at, other = next((i, t) for i, t in enumerate(parts) if t.dtype != first.dtype)
        raise argument_error("stack", f"tensors[{at}]", f"of dtype {first.dtype}", other, TypeError)
    return run("Pack", *parts, axis=resolve_axis("stack", axis, len(first.spec.shape) + 1))


gradient("Pack", inputs=lambda dy, n: run_multi("Unpack", dy, axis=n.attrs["axis"]))


@op(chain=True, doc="Tensors / Slicing and Joining")
def unstack(x: TensorLike, axis: int = 0) -> list[Tensor]:
    """The slices along an axis, with that axis removed.

    Args:
        x: a tensor of rank 1 or more; any dtype.
        axis: the axis to unstack.

    Returns:
        One tensor for each index of the axis, each of one rank less.

    Raises:
        ValueError: the axis is out of range.

    Source: TF.js `tf.unstack`.
    """
    t = to_tensor("unstack", "x", x, "any")
    return run_multi("Unpack", t, axis=resolve_axis("unstack", axis, t.rank))


gradient("Unpack", joint=lambda dy, n: [run("Pack", *_as_list(dy), axis=n.attrs["axis"])])


@op(chain=True, doc="Tensors / Slicing and Joining")
def split(x: TensorLike, num_or_size_splits: int | Sequence[int], axis: int = 0) -> list[Tensor]:
    """Consecutive parts along an axis.

    Args:
        x: a tensor of rank 1 or more; any dtype but string.
        num_or_size_splits: how many parts of equal size, or the size of each; one size may be -1, to be inferred.
        axis: the axis to split.

    Returns:
        A tensor for each part, of the same rank and dtype.

    Raises:
        ValueError: the parts do not fill the axis, or the axis is out of range.

    Source: TF.js `tf.split`.
    """
    t = to_tensor("split", "x", x)
    at = resolve_axis("split", axis, t.rank)
    return run_multi("SplitV", t, sizes=part_sizes("split", num_or_size_splits, t.shape[at]), axis=at)


def part_sizes(op_name: str, wanted: Any, total: int) -> tuple[int, ...]:
    """The sizes of the parts of an axis, from their number or from sizes, one of which may be -1."""
    name = "num_or_size_splits"
    wanted = array_as_list(wanted)
    if not isinstance(wanted, Sequence):
        count = as_int(op_name, name, wanted)
        if count < 1 or total % count:
            raise argument_error(op_name, name, f"a number that divides the axis of size {total}", wanted)
        return (total // count,) * count
    sizes = [as_int(op_name, name, n) for n in wanted]
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = total - sum(n for n in sizes if n != -1)
    if sum(sizes) != total or any(n < 0 for n in sizes):
        raise argument_error(op_name, name, f"sizes that fill the axis of size {total}", list(wanted))
    return tuple(sizes)


gradient("SplitV", joint=lambda dy, n: [run("Concat", *_as_list(dy), axis=n.attrs["axis"])])


def _as_list(dy: Any) -> list[Tensor]:
    """The gradients of several outputs as a list; a single gradient is wrapped."""
    return dy if isinstance(dy, list) else [dy]


@op(options="args", doc="Operations / Slicing and Joining")
def meshgrid(
    x: TensorLike | None = None,
    y: TensorLike | None = None,
    args: Mapping[str, Any] | None = None,
    *,
    indexing: str = "xy",
) -> list[Tensor]:
    """Coordinate matrices of two coordinate vectors.

    Args:
        x: the first coordinates, a vector.
        y: the second coordinates.
        args: the options below as a dict.
        indexing: 'xy' (rows follow y) or 'ij' (rows follow x).

    Returns:
        One matrix for each vector.

    Raises:
        ValueError: an unknown indexing.

    Source: TF.js `tf.meshgrid`.
    """
    if indexing not in ("xy", "ij"):
        raise argument_error("meshgrid", "indexing", "'xy' or 'ij'", indexing)
    if x is None:
        return []
    first = to_tensor("meshgrid", "x", x)
    if y is None:
        return [first]
    second = to_tensor("meshgrid", "y", y)
    m, n = first.size, second.size
    shape = (n, m) if indexing == "xy" else (m, n)
    across, down = ((1, m), (n, 1)) if indexing == "xy" else ((m, 1), (1, n))
    return [
        run("BroadcastTo", run("Reshape", first, shape=across), shape=shape),
        run("BroadcastTo", run("Reshape", second, shape=down), shape=shape),
    ]
