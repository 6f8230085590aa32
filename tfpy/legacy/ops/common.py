"""Checks of arguments that the math methods share."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.core.convert import Kind, TensorLike, to_tensor
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error


def of_rank(op: str, argument: str, value: TensorLike, *ranks: int, kind: Kind = "numeric") -> Tensor:
    """A tensor with one of the given ranks."""
    t = to_tensor(op, argument, value, kind)
    if t.rank not in ranks:
        raise argument_error(op, argument, f"of rank {' or '.join(map(str, ranks))}", t)
    return t


def scalar(op: str, argument: str, value: TensorLike) -> Tensor:
    """A tensor of one element."""
    t = to_tensor(op, argument, value)
    if t.size != 1:
        raise argument_error(op, argument, "a Scalar", t)
    return t


def same_shape(op: str, a: TensorLike, b: TensorLike, names: Sequence[str] = ("a", "b")) -> tuple[Tensor, Tensor]:
    """Two tensors of the same shape."""
    x, y = to_tensor(op, names[0], a), to_tensor(op, names[1], b)
    if x.shape != y.shape:
        raise argument_error(op, names[1], f"of shape {list(x.shape)}, that of '{names[0]}'", y)
    return x, y
