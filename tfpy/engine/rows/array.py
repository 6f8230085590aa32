"""Rows of the kernels that move elements without changing them."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.engine.errors import ShapeError
from tfpy.engine.handle import Handle
from tfpy.engine.kernels import kernel, same
from tfpy.engine.spec import Shape, Spec, broadcasts_to, spec


def _reshape(x: Handle, *, shape: Shape) -> Spec:
    out = spec(shape, x.spec.dtype)
    if out.size != x.spec.size:
        raise ShapeError(f"{x.spec.size} elements of shape {list(x.spec.shape)} do not fill shape {list(shape)}.")
    return out


def _transpose(x: Handle, *, perm: tuple[int, ...]) -> Spec:
    return spec(tuple([x.spec.shape[i] for i in perm]), x.spec.dtype)


def _concat(*inputs: Handle, axis: int) -> Spec:
    first = inputs[0].spec
    before, after = first.shape[:axis], first.shape[axis + 1 :]
    total = 0
    for t in inputs:
        shape = t.spec.shape
        if shape[:axis] != before or shape[axis + 1 :] != after or len(shape) != len(first.shape):
            raise ShapeError(f"shapes {list(first.shape)} and {list(shape)} differ in other axes than {axis}.")
        total += shape[axis]
    return spec((*before, total, *after), first.dtype)


def _pack(*inputs: Handle, axis: int) -> Spec:
    first = inputs[0].spec
    for t in inputs[1:]:
        if t.spec.shape != first.shape:
            raise ShapeError(f"shapes {list(first.shape)} and {list(t.spec.shape)} differ.")
    return spec((*first.shape[:axis], len(inputs), *first.shape[axis:]), first.dtype)


def _unpack(value: Handle, *, axis: int) -> list[Spec]:
    shape = value.spec.shape
    return [spec((*shape[:axis], *shape[axis + 1 :]), value.spec.dtype)] * shape[axis]


def _split(x: Handle, *, sizes: tuple[int, ...], axis: int) -> list[Spec]:
    shape = x.spec.shape
    return [spec((*shape[:axis], n, *shape[axis + 1 :]), x.spec.dtype) for n in sizes]


def _slice(x: Handle, *, begin: tuple[int, ...], size: tuple[int, ...]) -> Spec:
    return spec(size, x.spec.dtype)


def _strided_slice(x: Handle, *, index: Sequence[tuple[int, int, int]], shape: Shape) -> Spec:
    """`index` gives (start, step, count) for each axis, `shape` is the result's: axes of size 1 come and go."""
    return spec(shape, x.spec.dtype)


def _pad(x: Handle, *, paddings: tuple[tuple[int, int], ...], **attrs: float) -> Spec:
    return spec(tuple([n + a + b for n, (a, b) in zip(x.spec.shape, paddings, strict=True)]), x.spec.dtype)


def _tile(x: Handle, *, reps: tuple[int, ...]) -> Spec:
    return spec(tuple([n * r for n, r in zip(x.spec.shape, reps, strict=True)]), x.spec.dtype)


def _gather(x: Handle, indices: Handle, *, axis: int, batch_dims: int) -> Spec:
    shape = x.spec.shape
    return spec((*shape[:axis], *indices.spec.shape[batch_dims:], *shape[axis + 1 :]), x.spec.dtype)


def _broadcast_to(x: Handle, *, shape: Shape) -> Spec:
    if not broadcasts_to(x.spec.shape, shape):
        raise ShapeError(f"shape {list(x.spec.shape)} does not broadcast to {list(shape)}.")
    return spec(shape, x.spec.dtype)


def _segment_sum(x: Handle, segment_ids: Handle, *, num_segments: int) -> Spec:
    return spec((num_segments, *x.spec.shape[segment_ids.spec.rank :]), x.spec.dtype)


kernel("Identity", "x", same, shares=True, label="clone")
kernel("Reshape", "x", _reshape, shares=True, attrs="shape")
kernel("Transpose", "x", _transpose, attrs="perm")
kernel("Concat", "*inputs", _concat, attrs="axis")
kernel("Pack", "*inputs", _pack, attrs="axis", label="stack")
kernel("Unpack", "value", _unpack, attrs="axis", label="unstack")
kernel("SplitV", "x", _split, attrs="sizes axis", label="split")
kernel("Slice", "x", _slice, attrs="begin size")
kernel("StridedSlice", "x", _strided_slice, attrs="index shape", label="strided_slice")
kernel("PadV2", "x", _pad, attrs="paddings constant_value", label="pad")
kernel("Tile", "x", _tile, attrs="reps")
kernel("Reverse", "x", same, attrs="axes")
kernel("GatherV2", "x indices", _gather, attrs="axis batch_dims", label="gather")
kernel("BroadcastTo", "x", _broadcast_to, attrs="shape", label="broadcast_to")
kernel("UnsortedSegmentSum", "x segment_ids", _segment_sum, attrs="num_segments", label="unsorted_segment_sum")
