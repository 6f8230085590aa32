"""Softmax and its logarithm."""

from __future__ import annotations

from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.arith import mul, sub
from tfpy.core.ops.common import real, sum_over
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient


@op(chain=True, legacy="softmax", doc="Operations / Normalization")
def softmax(logits: TensorLike, dim: int = -1) -> Tensor:
    """The logits as probabilities: eˣ / Σ eˣ over the last axis.

    Args:
        logits: a float32 tensor of rank 1 or more.
        dim: the last axis; no other is possible.

    Returns:
        A float32 tensor of the shape of the logits.

    Raises:
        ValueError: not the last axis. TypeError: not float32.

    Source: TF.js `tf.softmax`; deeplearn.js `math.softmax`.
    """
    t = to_tensor("softmax", "logits", logits, "float32")
    _check_last_axis("softmax", "dim", dim, t.rank)
    return run("Softmax", t)


gradient("Softmax", saves="y", logits=lambda dy, n: run("SoftmaxGrad", dy, n.y))


def _softmax_grad_by_y(ddy: Tensor, n: Any) -> Tensor:
    """The gradient of y · (dy - Σ dy · y)."""
    last = (n.y.rank - 1,)
    centered = sub(n.dy, sum_over(mul(n.dy, n.y), last, True))
    return sub(mul(ddy, centered), mul(n.dy, sum_over(mul(ddy, n.y), last, True)))


gradient("SoftmaxGrad", saves="dy y", dy=lambda ddy, n: run("SoftmaxGrad", ddy, n.y), y=_softmax_grad_by_y)


@op(chain=True, doc="Operations / Normalization")
def log_softmax(logits: TensorLike, axis: int = -1) -> Tensor:
    """The logarithm of the softmax over the last axis, computed without loss of precision.

    Args:
        logits: a tensor of rank 1 or more; integers are converted to float32.
        axis: the last axis; no other is possible.

    Returns:
        A float32 tensor of the shape of the logits.

    Raises:
        ValueError: not the last axis. TypeError: strings or complex numbers.

    Source: TF.js `tf.logSoftmax`.
    """
    t = real("log_softmax", logits, "float32")
    _check_last_axis("log_softmax", "axis", axis, t.rank)
    return run("LogSoftmax", t)


def _log_softmax_gradient(dy: Tensor, n: Any) -> Tensor:
    return sub(dy, mul(sum_over(dy, (dy.rank - 1,), True), run("Exp", n.y)))


gradient("LogSoftmax", saves="y", logits=_log_softmax_gradient)


def _check_last_axis(op_name: str, argument: str, axis: int, rank: int) -> None:
    at = axis if type(axis) is int else as_int(op_name, argument, axis)
    if rank == 0 or at not in (-1, rank - 1):
        raise argument_error(op_name, argument, f"the last axis of a tensor of rank 1 or more (rank {rank})", axis)
