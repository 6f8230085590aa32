"""Normalization by given moments, and by neighboring channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, number, to_tensor
from tfpy.core.ops.arith import add, mul, sub
from tfpy.core.ops.common import as_float, real, reshape_to, unbroadcast
from tfpy.core.ops.matmul import multiply_matrices
from tfpy.core.ops.spatial import to_channels_last_batch
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient


@op(chain=True, doc="Operations / Normalization")
def batch_norm(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None = None,
    scale: TensorLike | None = None,
    variance_epsilon: float = 0.001,
) -> Tensor:
    """Normalize by given moments: scale · (x - mean) / √(variance + ε) + offset.

    Args:
        x: a tensor of any shape.
        mean: a tensor that broadcasts to x: often one value per channel, the last dimension.
        variance: a tensor of the rank of mean that broadcasts to x.
        offset: likewise; 0 by default.
        scale: likewise; 1 by default.
        variance_epsilon: a small number that keeps the square root above 0.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        ValueError: a parameter of another rank than mean's, or which does not broadcast to x. TypeError: strings or
            complex numbers.

    Source: TF.js `tf.batchNorm`. Parameters of any rank have gradients, beyond TF.js.
    """
    return _normalized("batch_norm", x, mean, variance, offset, scale, variance_epsilon, None)


@op(doc="Operations / Normalization")
def batch_norm2d(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None = None,
    scale: TensorLike | None = None,
    variance_epsilon: float = 0.001,
) -> Tensor:
    """`batch_norm` of a tensor of rank 2.

    Args:
        x: a tensor of rank 2.
        mean: a tensor of rank 1 or 2 that broadcasts to x.
        variance: likewise, of the same rank.
        offset: likewise; 0 by default.
        scale: likewise; 1 by default.
        variance_epsilon: a small number that keeps the square root above 0.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        ValueError: a wrong rank, or a parameter that does not broadcast to x. TypeError: strings or
            complex numbers.

    Source: TF.js `tf.batchNorm2d`.
    """
    return _normalized("batch_norm2d", x, mean, variance, offset, scale, variance_epsilon, 2)


@op(doc="Operations / Normalization")
def batch_norm3d(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None = None,
    scale: TensorLike | None = None,
    variance_epsilon: float = 0.001,
) -> Tensor:
    """`batch_norm` of a tensor of rank 3.

    Args:
        x: a tensor of rank 3.
        mean: a tensor of rank 1 or 3 that broadcasts to x.
        variance: likewise, of the same rank.
        offset: likewise; 0 by default.
        scale: likewise; 1 by default.
        variance_epsilon: a small number that keeps the square root above 0.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        ValueError: a wrong rank, or a parameter that does not broadcast to x. TypeError: strings or
            complex numbers.

    Source: TF.js `tf.batchNorm3d`.
    """
    return _normalized("batch_norm3d", x, mean, variance, offset, scale, variance_epsilon, 3)


@op(doc="Operations / Normalization")
def batch_norm4d(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None = None,
    scale: TensorLike | None = None,
    variance_epsilon: float = 0.001,
) -> Tensor:
    """`batch_norm` of a tensor of rank 4.

    Args:
        x: a tensor of rank 4.
        mean: a tensor of rank 1 or 4 that broadcasts to x.
        variance: likewise, of the same rank.
        offset: likewise; 0 by default.
        scale: likewise; 1 by default.
        variance_epsilon: a small number that keeps the square root above 0.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        ValueError: a wrong rank, or a parameter that does not broadcast to x. TypeError: strings or
            complex numbers.

    Source: TF.js `tf.batchNorm4d`.
    """
    return _normalized("batch_norm4d", x, mean, variance, offset, scale, variance_epsilon, 4)


def _normalized(
    name: str,
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: float,
    rank: int | None,
) -> Tensor:
    t = real(name, x, "float32")
    if rank is not None and t.rank != rank:
        raise argument_error(name, "x", f"of rank {rank}", t)
    center = real(name, mean, "float32", "mean")
    spread = real(name, variance, "float32", "variance")
    given = {"mean": center, "variance": spread, "offset": offset, "scale": scale}
    parameters = []
    for argument, value in given.items():
        if value is None:
            parameters.append(number(0.0 if argument == "offset" else 1.0))
            continue
        p = real(name, value, "float32", argument)
        if p.rank != center.rank or (rank is not None and p.rank not in (1, rank)):
            expected = f"of rank {center.rank}, as mean" if p.rank != center.rank else f"of rank 1 or {rank}"
            raise argument_error(name, argument, expected, p)
        parameters.append(p)
    return run("FusedBatchNorm", t, *parameters, variance_epsilon=variance_epsilon)


def _inverse_deviation(n: Any) -> Tensor:
    return run("Rsqrt", add(n.variance, number(n.attrs["variance_epsilon"])))


def _norm_gradient_x(dy: Tensor, n: Any) -> Tensor:
    return mul(mul(dy, _inverse_deviation(n)), n.scale)


def _norm_gradient_mean(dy: Tensor, n: Any) -> Tensor:
    return unbroadcast(mul(mul(_inverse_deviation(n), number(-1)), mul(dy, n.scale)), n.shape("mean"))


def _norm_gradient_variance(dy: Tensor, n: Any) -> Tensor:
    r = _inverse_deviation(n)
    cube = mul(mul(mul(r, r), r), number(-0.5))
    return unbroadcast(mul(mul(cube, sub(n.x, n.mean)), mul(dy, n.scale)), n.shape("variance"))


def _norm_gradient_scale(dy: Tensor, n: Any) -> Tensor:
    return unbroadcast(mul(dy, mul(sub(n.x, n.mean), _inverse_deviation(n))), n.shape("scale"))


gradient(
    "FusedBatchNorm",
    saves="x mean variance scale",
    x=_norm_gradient_x,
    mean=_norm_gradient_mean,
    variance=_norm_gradient_variance,
    offset=lambda dy, n: unbroadcast(dy, n.shape("offset")),
    scale=_norm_gradient_scale,
)


@op(chain=True, doc="Operations / Normalization")
def local_response_normalization(
    x: TensorLike, depth_radius: int = 5, bias: float = 1, alpha: float = 1, beta: float = 0.5
) -> Tensor:
    """Divide each element by a power of the squares near it: x / (bias + alpha · Σ x²)^beta.

    Args:
        x: a tensor (batch, height, width, channels), or without the batch axis.
        depth_radius: how many channels on each side the sum covers.
        bias: added to the sum; above 0, so that nothing is divided by 0.
        alpha: the factor of the sum.
        beta: the power.

    Returns:
        A float32 tensor of x's shape.

    Raises:
        ValueError: a wrong rank, or a radius that is not a non-negative integer. TypeError: strings.

    Source: TF.js `tf.localResponseNormalization`. Its gradient can be differentiated again, beyond TF.js.
    """
    name = "local_response_normalization"
    t, restore = to_channels_last_batch(name, "x", x, 2, kind="numeric")
    radius = as_int(name, "depth_radius", depth_radius)
    if radius < 0:
        raise argument_error(name, "depth_radius", "0 or more", depth_radius)
    return restore(run("LRN", as_float(t), depth_radius=radius, bias=bias, alpha=alpha, beta=beta))


def _lrn_gradient(dy: Tensor, n: Any) -> Tensor:
    """dy / s^β - 2αβ · x · Σ dy · x / s^(β+1), with s = bias + α · Σ x² and sums over the neighboring channels."""
    x, shape, radius = n.x, n.shape("x"), n.attrs["depth_radius"]
    alpha, beta = n.attrs["alpha"], n.attrs["beta"]
    index = np.arange(shape[-1])
    band = to_tensor("LRN", "band", (np.abs(index[:, None] - index) <= radius).astype(np.float64))

    def over_neighbors(t: Tensor) -> Tensor:
        rows = reshape_to(t, (t.size // max(1, shape[-1]), shape[-1]))
        return reshape_to(multiply_matrices(rows, band), shape)

    s = add(mul(over_neighbors(run("Square", x)), number(alpha)), number(n.attrs["bias"]))
    power = run("Pow", s, number(-beta))
    spread = over_neighbors(run("RealDiv", mul(dy, mul(x, power)), s))
    return sub(mul(dy, power), mul(mul(x, number(2 * alpha * beta)), spread))


gradient("LRN", saves="x", x=_lrn_gradient)
