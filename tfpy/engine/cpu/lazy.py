"""Elementwise kernels on large arrays: deferred until their results are needed, then run together, block by block.

The intermediate results of a chain stay in the cache and are never written to memory, unless something still refers to
them; the blocks are distributed over the cores. Every element is bit-identical to that of a single pass.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt

from tfpy.engine.backend import Array
from tfpy.engine.cpu.threads import run_split, spans
from tfpy.engine.locks import ProcessLock
from tfpy.engine.references import ALONE, references

LARGE_ELEMENTS = 1 << 20  # from here on it pays off
_SHARD_ELEMENTS = 1 << 19
_BLOCK_ELEMENTS = 1 << 18
_MAX_KERNELS = 24  # that are deferred together
_MAX_ARRAYS = 6  # inputs of these; kept in memory until then, even if nothing else refers to them


class Lazy:
    """The result of an elementwise kernel that may not have run yet.

    Attributes:
        compute: the kernel.
        inputs: lazy results of the same shape, flat arrays, or scalars.
        weight, arrays: upper bounds for the number of kernels to run for it, and for the number of their input arrays.
        value: the result, once computed; the other attributes are empty then.
        shared: whether something else than its tensor refers to it, such as a tape.
        passed: whether it has already been computed once without being kept.
    """

    __slots__ = ("arrays", "compute", "dtype", "inputs", "passed", "shape", "shared", "size", "value", "weight")

    def __init__(
        self,
        compute: Callable[..., Any],
        inputs: tuple[Lazy | Array, ...],
        shape: tuple[int, ...],
        dtype: npt.DTypeLike,
        weight: int,
        arrays: int,
    ) -> None:
        self.compute: Callable[..., Any] | None = compute
        self.inputs = inputs
        self.shape = shape
        self.size = math.prod(shape)
        self.dtype = np.dtype(dtype)
        self.weight = weight
        self.arrays = arrays
        self.value: Array | None = None
        self.shared = True
        self.passed = False

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(forced(self), dtype, copy=copy)


def forced(payload: Any) -> Any:
    """The array of a payload that may be lazy."""
    if type(payload) is not Lazy:
        return payload
    if payload.value is None:
        _evaluate(payload, keep=True, add=False)
    return payload.value


def defer(
    compute: Callable[..., Any], payloads: Sequence[Array | Lazy], shape: tuple[int, ...], dtype: npt.DTypeLike
) -> Lazy | Array | None:
    """A deferred elementwise kernel; None if its inputs do not have the same layout."""
    inputs: list[Lazy | Array] = []
    weight, arrays = 1, 0
    for p in payloads:
        if _can_chain(p, shape) and weight + p.weight <= _MAX_KERNELS and arrays + p.arrays < _MAX_ARRAYS:
            inputs.append(p)
            weight += p.weight
            arrays += p.arrays
            continue
        flat = _flat(forced(p), shape)
        if flat is None:
            return None
        inputs.append(flat)
        arrays += flat.ndim
    if not arrays:  # all elements are equal
        return np.broadcast_to(compute(*inputs), shape)
    return Lazy(compute, tuple(inputs), shape, dtype, weight, arrays)


def in_blocks(compute: Callable[..., Any], shape: tuple[int, ...], dtype: npt.DTypeLike, *arrays: Array) -> Array:
    """Run an elementwise kernel immediately, but like deferred ones: block by block, on all cores."""
    later = defer(compute, arrays, shape, dtype)
    result: Array = compute(*arrays) if later is None else forced(later)
    return result


def _can_chain(p: Array | Lazy, shape: tuple[int, ...]) -> TypeGuard[Lazy]:
    """Whether a payload is not computed yet, and can be computed together with results of this shape."""
    return type(p) is Lazy and p.value is None and p.shape == shape and not p.passed


def total(x: Array | Lazy) -> Any:
    """The sum of all elements, by blocks. It is the same for an array and for a lazy result."""
    if type(x) is Lazy and x.value is None:
        sums = _evaluate(x, keep=x.shared or x.passed, add=True)
        if sums is not None:
            return _add(sums, None, x.dtype)
    array: Array = forced(x)
    flat = _flat(array, array.shape) if array.size >= LARGE_ELEMENTS else None
    if flat is None:
        return _add(array, None, array.dtype)  # positional arguments: numpy's fast path
    flat = np.broadcast_to(flat, (array.size,))
    sums = np.empty(-(-flat.size // _BLOCK_ELEMENTS), flat.dtype)

    def work(first: int, last: int) -> None:
        for i in range(first, last):
            sums[i] = _add(flat[i * _BLOCK_ELEMENTS : (i + 1) * _BLOCK_ELEMENTS], None, flat.dtype)

    run_split(work, spans(len(sums), flat.size, _SHARD_ELEMENTS))
    return _add(sums, None, flat.dtype)


_add: Any = np.add.reduce


def _flat(a: Array, shape: tuple[int, ...]) -> Array | None:
    """The elements as a flat array, or a scalar if all are the same one; None if they are not contiguous."""
    if not any(a.strides) or a.size == 1:  # a scalar, possibly broadcast to the shape
        return a[(0,) * a.ndim + (...,)]
    return a.reshape(-1) if a.shape == shape and a.flags.c_contiguous else None


def _evaluate(last: Lazy, keep: bool, add: bool) -> Array | None:
    """Run deferred kernels.

    Args:
        keep: whether the result itself is stored; intermediate results are if something still refers to them.
        add: whether to return the sums of the blocks of the result; None if another thread was faster.
    """
    with _lock():
        if last.value is not None:
            return None
        todo = _in_order(last)
        kept = [*_referred_to(todo)[:-1], keep]
        outs = [np.empty(v.size, v.dtype) if k else None for v, k in zip(todo, kept, strict=True)]
        blocks = -(-last.size // _BLOCK_ELEMENTS)
        sums = np.empty(blocks, last.dtype) if add else None
        run_split(_work(todo, outs, sums), spans(blocks, last.size, _SHARD_ELEMENTS))
        for v, out in zip(todo, outs, strict=True):
            if out is not None:
                v.value = out.reshape(v.shape)
                v.compute, v.inputs = None, ()
        last.passed = not keep
    return sums


class _Run(NamedTuple):
    """One of the kernels that are run together.

    Attributes:
        inputs: arrays, or the numbers of earlier kernels.
        out: where the result is stored, if it is.
        over: the number of an earlier kernel whose block may be overwritten.
        fresh: the dtype of its own block, if it needs one.
    """

    compute: Any
    inputs: list[Any]
    out: Array | None
    is_ufunc: bool
    over: int | None
    fresh: np.dtype[Any] | None


def _program(todo: Sequence[Lazy], outs: Sequence[Array | None]) -> list[_Run]:
    place = {id(v): i for i, v in enumerate(todo)}
    last_use = {place[id(x)]: i for i, v in enumerate(todo) for x in v.inputs if id(x) in place}
    # Kernels other than ufuncs may return an input as their result: then it must not be overwritten.
    maybe_results = {
        place[id(x)] for v in todo if not isinstance(v.compute, np.ufunc) for x in v.inputs if id(x) in place
    }
    runs: list[_Run] = []
    for i, (v, out) in enumerate(zip(todo, outs, strict=True)):
        inputs = [place[id(x)] if id(x) in place else _row(x) for x in v.inputs]
        done = [x for x in inputs if type(x) is int and last_use[x] == i and outs[x] is None]
        over = [x for x in done if runs[x].is_ufunc and x not in maybe_results and todo[x].dtype == v.dtype]
        is_ufunc = isinstance(v.compute, np.ufunc)
        fresh = v.dtype if is_ufunc and out is None and not over else None
        runs.append(_Run(v.compute, inputs, out, is_ufunc, over[0] if over else None, fresh))
    return runs


def _work(todo: Sequence[Lazy], outs: Sequence[Array | None], sums: Array | None) -> Callable[[int, int], None]:
    """A function that computes the blocks from one number to another."""
    program = _program(todo, outs)
    size, dtype = todo[-1].size, todo[-1].dtype
    most = min(size, _BLOCK_ELEMENTS)

    def work(first: int, final: int) -> None:
        # Reused blocks stay in the cache, and save allocations.
        spare: list[Any] = [None if run.fresh is None else np.empty(most, run.fresh) for run in program]
        made: list[Any] = [None] * len(program)
        for block in range(first, final):
            piece = slice(block * _BLOCK_ELEMENTS, min((block + 1) * _BLOCK_ELEMENTS, size))
            count = piece.stop - piece.start
            for i, (compute, inputs, out, is_ufunc, over, _) in enumerate(program):
                given = [made[x] if type(x) is int else x[piece] if x.ndim else x for x in inputs]
                if out is not None:
                    made[i] = out[piece]
                elif is_ufunc:
                    made[i] = spare[i][:count] if over is None else made[over]
                if is_ufunc:
                    compute(*given, out=made[i])
                elif out is None:
                    made[i] = compute(*given)
                else:
                    made[i][:] = compute(*given)
            if sums is not None:
                sums[block] = _add(made[-1], None, dtype)

    return work


def _row(x: Lazy | Array) -> Array:
    """The flat array of an available input."""
    row: Array = x if isinstance(x, np.ndarray) else forced(x).reshape(-1)
    return row


def _in_order(last: Lazy) -> list[Lazy]:
    """The values to compute for a result: inputs first, the result itself last."""
    found: dict[int, Lazy] = {}
    stack = [last]
    while stack:
        v = stack[-1]
        before = [x for x in v.inputs if type(x) is Lazy and x.value is None and id(x) not in found]
        if before:
            stack += before
        else:
            found[id(stack.pop())] = v
    return list(found.values())


def _referred_to(todo: list[Lazy]) -> list[bool]:
    """For each, whether something else refers to it: a tensor, a tape, or a kernel that is not run now."""
    uses = Counter([id(x) for v in todo for x in v.inputs])
    counts = [*references(todo)]
    return [count > ALONE + uses[id(v)] for v, count in zip(todo, counts, strict=True)]


_lock = ProcessLock()
