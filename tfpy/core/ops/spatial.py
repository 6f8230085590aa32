"""Helpers for ops on (batch, *inner, channels): batches of one, other layouts, TF.js's padding arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from tfpy.core.convert import Kind, TensorLike, to_tensor
from tfpy.core.ops.common import reshape_to
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import array_as_list
from tfpy.engine.errors import argument_error

Numbers: TypeAlias = int | Sequence[int]
Padding: TypeAlias = str | int | Sequence[Sequence[int]]
Restore: TypeAlias = Callable[[Tensor], Tensor]

# For each number of inner dimensions, the layouts with channels last and with channels first.
LAYOUTS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


def to_channels_last_batch(
    op: str, argument: str, x: TensorLike, n: int, data_format: str | None = None, kind: Kind = "float32"
) -> tuple[Tensor, Restore]:
    """x as (batch, *inner, channels) with n inner dimensions, and a function that restores the layout of x."""
    t = to_tensor(op, argument, x, kind)
    rank = len(t.spec.shape)
    if rank not in (n + 1, n + 2):
        raise argument_error(op, argument, f"of rank {n + 2}, or {n + 1} without a batch", t)
    first = is_channels_first(op, data_format, n)
    batched = rank == n + 2
    if batched and not first:
        return t, _as_it_is
    if not batched:
        t = run("Reshape", t, shape=(1, *t.shape))
    if first:
        t = run("Transpose", t, perm=(0, *range(2, n + 2), 1))

    def restore(y: Tensor) -> Tensor:
        if first:
            y = run("Transpose", y, perm=(0, n + 1, *range(1, n + 1)))
        return y if batched else reshape_to(y, y.shape[1:])

    return t, restore


def _as_it_is(y: Tensor) -> Tensor:
    return y


def is_channels_first(op: str, data_format: str | None, n: int) -> bool:
    """Whether a layout of n inner dimensions has its channels before them."""
    if data_format is None or data_format == LAYOUTS[n][0]:
        return False
    if data_format != LAYOUTS[n][1]:
        raise argument_error(op, "data_format", " or ".join(map(repr, LAYOUTS[n])), data_format)
    return True


def inner_pad(op: str, pad: Any, n: int, data_format: str | None = None) -> Any:
    """The pad of the inner dimensions: if given as pairs for all dimensions, the inner pairs."""
    if type(pad) in (str, int):
        return pad
    pad = array_as_list(pad)
    if isinstance(pad, (str, bytes)) or not isinstance(pad, Sequence):
        return pad
    if len(pad) != n + 2:
        raise argument_error(op, "pad", f"a pair (before, after) for each of {n + 2} dimensions", pad)
    return pad[2:] if is_channels_first(op, data_format, n) else pad[1:-1]
