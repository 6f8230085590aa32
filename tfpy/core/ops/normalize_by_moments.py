"""Normalization by the moments of the input, for layers: one kernel, and one for its gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from tfpy.core.convert import number
from tfpy.core.ops.normalization import batch_norm
from tfpy.core.ops.reduce import moments
from tfpy.core.ops.slice import tile
from tfpy.core.run import run, run_multi
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import current
from tfpy.engine.gradients import gradient, no_gradient
from tfpy.engine.spec import are_first, are_last
from tfpy.engine.state import local
from tfpy.engine.tape import paused

Axes = tuple[int, ...]


class Normalized(NamedTuple):
    """The normalized tensor, and its moments, with axes of size 1."""

    y: Tensor
    mean: Tensor
    variance: Tensor


def normalize_by_moments(
    x: Tensor, axes: Axes, offset: Tensor | None, scale: Tensor | None, along: Sequence[int], epsilon: float
) -> Normalized:
    """scale · (x - mean) / √(variance + ε) + offset, with the moments of x.

    Args:
        x: a tensor.
        axes: the axes that the moments are computed over, in order.
        offset, scale: with the sizes of x along the axes `along`, in that order; 0 and 1 if None.
        along: which axes of x these are.
        epsilon: a small number that keeps the square root above 0.
    """
    if _has_kernels(x, axes, along):
        with paused():
            mean, variance = run_multi("Moments", x, axes=axes)
        shift = number(0.0) if offset is None else offset
        factor = number(1.0) if scale is None else scale
        y = run("NormalizeByMoments", x, mean, variance, shift, factor, axes=axes, variance_epsilon=epsilon)
        return Normalized(y, mean, variance)
    mean, variance = moments(x, axes, True)
    shape = [n if i in along else 1 for i, n in enumerate(x.shape)]
    offset, scale = (None if p is None else p.reshape(shape) for p in (offset, scale))
    if current().in_steps and set(along) == set(axes):
        center, spread = _repeated(mean, x.shape), _repeated(variance, x.shape)
        offset, scale = (None if p is None else _repeated(p, x.shape) for p in (offset, scale))
    else:
        center, spread = mean, variance
    return Normalized(batch_norm(x, center, spread, offset, scale, epsilon), mean, variance)


def _repeated(part: Tensor, shape: Sequence[int]) -> Tensor:
    """A part repeated to the shape, as in TF.js's layers: its gradient then adds up the copies in order."""
    return tile(part, [n // m for n, m in zip(shape, part.shape, strict=True)])


def _has_kernels(x: Tensor, axes: Axes, along: Sequence[int]) -> bool:
    """Whether the backend has kernels for these axes, and no second derivative can be requested, which they lack."""
    rank = len(x.spec.shape)
    if len(local.state.tapes) > 1 or x.spec.size == 0 or x.spec.dtype != "float32":
        return False
    if not (are_first(axes) or are_last(axes, rank)) or not are_last(tuple(along), rank):
        return False
    return (set(along).isdisjoint(axes) or tuple(along) == axes) and current().implements("NormalizeByMoments")


def _input_gradients(dy: Tensor, n: Any) -> list[Tensor | None]:
    wanted = tuple(i for i in (0, 3, 4) if n.wanted[i])
    inputs = n.x, n.mean, n.variance, n.offset, n.scale
    found = run_multi("NormalizeByMomentsGrad", dy, *inputs, **n.attrs, wanted=wanted)
    gradients = dict(zip(wanted, found, strict=True))
    return [gradients.get(i) for i in range(len(inputs))]


gradient("NormalizeByMoments", saves="x mean variance offset scale", joint=_input_gradients)
no_gradient("NormalizeByMomentsGrad")
