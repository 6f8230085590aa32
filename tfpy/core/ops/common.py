"""Helpers shared by all ops: matching dtypes, undoing a broadcast in a gradient, constants."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from tfpy.core.convert import Kind, TensorLike, number, to_tensor
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.arguments import as_number
from tfpy.engine.backend import Array, current
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import GradientRow, gradient_dtype, symbolic_zero
from tfpy.engine.javascript_numbers import to_int32
from tfpy.engine.kernels import Kernel, same
from tfpy.engine.spec import Shape, Spec, broadcast_axes, upcast
from tfpy.engine.state import local
from tfpy.engine.tape import paused, record


def binary_operands(op: str, a: TensorLike, b: TensorLike, kind: Kind = "numeric") -> tuple[Tensor, Tensor]:
    """Two operands as tensors of one dtype, the wider of the two."""
    if kind == "numeric":
        # The most common case, written out: two more calls would cost as much as the kernel.
        try:
            if isinstance(a, Tensor):
                dtype = a.spec.dtype
                if isinstance(b, Tensor):
                    if dtype == b.spec.dtype and dtype != "string":
                        return a, b
                elif dtype == "float32" and type(b) in (float, int):
                    return a, number(b)  # type: ignore[arg-type]
            elif type(a) in (float, int) and isinstance(b, Tensor) and b.spec.dtype == "float32":
                return number(a), b  # type: ignore[arg-type]
        except OverflowError:
            pass  # `to_tensor` raises the error
    x, y = to_tensor(op, "a", a, kind), to_tensor(op, "b", b, kind)
    if x.spec.dtype == y.spec.dtype:
        return x, y
    dtype = upcast(x.spec.dtype, y.spec.dtype, op)
    return cast_to(x, dtype), cast_to(y, dtype)


def cast_to(x: Tensor, dtype: DType) -> Tensor:
    """`x` cast to another dtype; `x` itself if it already has it."""
    return x if x.spec.dtype == dtype else run("Cast", x, dtype=dtype)


def as_float(x: Tensor) -> Tensor:
    """`x` in float32; complex numbers stay as they are."""
    return x if x.spec.dtype in ("float32", "complex64") else run("Cast", x, dtype="float32")


def conjugated(x: Tensor) -> Tensor:
    """The complex conjugate; real numbers are returned as they are."""
    if x.spec.dtype != "complex64":
        return x
    return run("Complex", run("Real", x), run("Neg", run("Imag", x)))


def factor(x: Tensor) -> Tensor:
    """A derivative as the factor that gradients are multiplied by: in float32, or conjugated if it is complex.

    The gradient with respect to a complex z = x + iy is that for x plus i times that for y. For f with derivative f′ it
    is the gradient of f(z) times the conjugate of f′(z).
    """
    return conjugated(x) if x.spec.dtype == "complex64" else as_float(x)


def full(shape: Shape, value: Any, dtype: DType = "float32") -> Tensor:
    return run("Fill", shape=shape, value=value, dtype=dtype)


def int_tensor(values: Array) -> Tensor:
    """Integers as an int32 tensor."""
    return dispatch.make(Tensor, values.astype(np.int32), "int32")


def zero_gradient(spec: Spec) -> Tensor:
    """The gradient, for an input of that spec, of a result that does not depend on it."""
    return full(spec.shape, 0, gradient_dtype(spec.dtype))


CONSTANT = Kernel("constant", ("*sources",), same)
_ZERO_GRADIENT = GradientRow(CONSTANT, (), {"sources": symbolic_zero}, None, pure=True)


def as_constant_of(source: Tensor, value: Tensor) -> Tensor:
    """`value`, which tapes treat as a constant function of a tensor."""
    record(local.state.tapes, CONSTANT, _ZERO_GRADIENT, (source,), {}, (value,), Tensor)
    return value


def run_untracked(kernel: str, *inputs: Tensor, **attrs: Any) -> Tensor:
    """Run a kernel without recording it: for the masks in gradient rules, which are constant almost everywhere."""
    state = local.state
    if not state.tapes:
        return run(kernel, *inputs, **attrs)
    with paused():
        return run(kernel, *inputs, **attrs)


def stop_gradient(x: Tensor) -> Tensor:
    """`x` detached from the tapes: for values that a gradient rule only uses to select elements."""
    return run_untracked("Identity", x) if local.state.tapes else x


def mask(compare: str, a: Tensor, b: Tensor) -> Tensor:
    """1 where a comparison is true, else 0: a factor for gradient rules."""
    return run("Cast", run_untracked(compare, a, b), dtype="float32")


def stored_number(op: str, argument: str, value: float, dtype: DType) -> Any:
    """A number as a tensor of a dtype stores it: int32 truncates and wraps, as in a JavaScript typed array."""
    given = as_number(op, argument, value)
    if dtype == "int32":
        return int(to_int32(np.array(given)))
    return bool(given) if dtype == "bool" else given


def reshape_to(x: Tensor, shape: Shape) -> Tensor:
    """`x` in another shape; `x` itself if it already has it."""
    return x if x.spec.shape == shape else run("Reshape", x, shape=shape)


def inverse_order(order: Sequence[int]) -> tuple[int, ...]:
    """The order of axes that undoes a transposition."""
    return tuple([order.index(i) for i in range(len(order))])


def sum_over(x: Tensor, axes: tuple[int, ...], keep_dims: bool = False) -> Tensor:
    return run("Sum", x, axes=axes, keep_dims=keep_dims)


def sum_of_copies(x: Tensor, reps: Sequence[int], shape: Shape) -> Tensor:
    """The sum of the copies of which x consists: along each axis that many of a tensor of that shape."""
    if not current().in_steps:
        split = tuple(m for pair in zip(reps, shape, strict=True) for m in pair)
        return sum_over(run("Reshape", x, shape=split), tuple(range(0, len(split), 2)))
    total = full(shape, 0, x.spec.dtype)
    for copy in itertools.product(*map(range, reps)):
        begin = tuple(i * size for i, size in zip(copy, shape, strict=True))
        total = run("Add", total, run("Slice", x, begin=begin, size=shape))
    return total


def unbroadcast(dy: Tensor, shape: Shape) -> Tensor:
    """The gradient of an operand of that shape that was broadcast to dy's: summed over the broadcast axes."""
    if dy.spec.shape == shape:
        return dy
    axes = broadcast_axes(shape, dy.spec.shape)
    return reshape_to(sum_over(dy, axes) if axes else dy, shape)


def real(op: str, x: TensorLike, dtype: Literal["float32"] | None = None, argument: str = "x") -> Tensor:
    """A tensor of real numbers, in float32 if requested."""
    t = to_tensor(op, argument, x)
    if t.spec.dtype == "complex64":
        raise argument_error(op, argument, "real numbers (it does not take complex64)", t, TypeError)
    return t if dtype is None else as_float(t)


def tensor_of_rank(op: str, argument: str, x: TensorLike, rank: int, kind: Kind = "numeric") -> Tensor:
    """`to_tensor`, for an argument that must have a rank.

    Raises:
        ValueError: it has another one.
    """
    t = to_tensor(op, argument, x, kind)
    if t.rank != rank:
        raise argument_error(op, argument, f"of rank {rank}", t)
    return t


def keeping_dtype(op: str, kernel: str, x: TensorLike) -> Tensor:
    """A float kernel whose result is truncated to the dtype of x, as TF.js stores it."""
    t = real(op, x)
    return run(kernel, t) if t.spec.dtype == "float32" else cast_to(run(kernel, as_float(t)), t.spec.dtype)


def zeros_rule(dy: Tensor, n: Any) -> Tensor:
    """The gradient rule of an op that is constant almost everywhere."""
    return full(dy.spec.shape, 0)
