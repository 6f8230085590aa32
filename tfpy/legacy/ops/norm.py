"""Normalization under deeplearn.js's names and in its order of arguments."""

from __future__ import annotations

from tfpy.core.convert import TensorLike
from tfpy.core.ops.arith import add, mul, pow_
from tfpy.core.ops.common import as_float, full, reshape_to
from tfpy.core.ops.depthwise import depthwise_conv2d
from tfpy.core.ops.normalization import batch_norm
from tfpy.core.ops.normalization import local_response_normalization as core_normalization
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error
from tfpy.legacy.naming.registry import math_op
from tfpy.legacy.ops.common import of_rank


def _batch_normalization(
    name: str,
    ranks: tuple[int, ...],
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    variance_epsilon: float,
    scale: TensorLike | None,
    offset: TensorLike | None,
) -> Tensor:
    t = of_rank(name, "x", x, *ranks)

    def parameter(argument: str, value: TensorLike) -> Tensor:
        """A vector expanded to x's rank, since other parameters may have x's shape."""
        p = of_rank(name, argument, value, 1, t.rank)
        if p.rank == 1 and p.size not in (1, t.shape[-1]):
            raise argument_error(name, argument, f"of x's shape, or of {t.shape[-1]} numbers, one for each channel", p)
        return reshape_to(p, (1,) * (t.rank - p.rank) + p.shape)

    factor = None if scale is None else parameter("scale", scale)
    shift = None if offset is None else parameter("offset", offset)
    return batch_norm(t, parameter("mean", mean), parameter("variance", variance), shift, factor, variance_epsilon)


@math_op(eager="batch_normalization2d")
def batch_normalization2d(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    variance_epsilon: float = 0.001,
    scale: TensorLike | None = None,
    offset: TensorLike | None = None,
) -> Tensor:
    """(x - mean) · scale / √(variance + epsilon) + offset for a matrix.

    Args:
        x: a matrix.
        mean: a vector, one for each channel, or an array of x's shape.
        variance: likewise, of either kind.
        variance_epsilon: added to the variance.
        scale: likewise; 1 by default.
        offset: likewise; 0 by default.

    Raises:
        ValueError: another rank.

    Source: deeplearn.js `math.batchNormalization2D`.
    """
    return _batch_normalization("batch_normalization2d", (2,), x, mean, variance, variance_epsilon, scale, offset)


@math_op(eager="batch_normalization3d")
def batch_normalization3d(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    variance_epsilon: float = 0.001,
    scale: TensorLike | None = None,
    offset: TensorLike | None = None,
) -> Tensor:
    """As `batch_normalization2d`, for an array of rank 3.

    Source: deeplearn.js `math.batchNormalization3D`.
    """
    return _batch_normalization("batch_normalization3d", (3,), x, mean, variance, variance_epsilon, scale, offset)


@math_op(eager="batch_normalization4d")
def batch_normalization4d(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    variance_epsilon: float = 0.001,
    scale: TensorLike | None = None,
    offset: TensorLike | None = None,
) -> Tensor:
    """As `batch_normalization2d`, for an array of rank 4.

    Source: deeplearn.js `math.batchNormalization4D`.
    """
    return _batch_normalization("batch_normalization4d", (4,), x, mean, variance, variance_epsilon, scale, offset)


@math_op(eager="batch_normalization")
def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    variance_epsilon: float = 0.001,
    scale: TensorLike | None = None,
    offset: TensorLike | None = None,
) -> Tensor:
    """As `batch_normalization2d`, for an array of rank 2 to 4.

    Source: deeplearn.js 0.5 `math.batchNormalization`.
    """
    return _batch_normalization("batch_normalization", (2, 3, 4), x, mean, variance, variance_epsilon, scale, offset)


def _local_response(
    name: str,
    ranks: tuple[int, ...],
    x: TensorLike,
    radius: int,
    bias: float,
    alpha: float,
    beta: float,
    norm_region: str,
) -> Tensor:
    t = of_rank(name, "x", x, *ranks)
    if norm_region == "acrossChannels":
        return core_normalization(t, radius, bias, alpha, beta)
    if norm_region != "withinChannel":
        raise argument_error(name, "norm_region", "'acrossChannels' or 'withinChannel'", norm_region)
    if as_int(name, "radius", radius) < 0:
        raise argument_error(name, "radius", "0 or more", radius)
    images = as_float(t)
    window = full((2 * radius + 1, 2 * radius + 1, images.shape[-1], 1), 1)
    sums: Tensor = depthwise_conv2d(mul(images, images), window, 1, "same")
    return mul(images, pow_(add(mul(sums, alpha), bias), -beta))


@math_op(eager="local_response_normalization")
def local_response_normalization(
    x: TensorLike,
    radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    norm_region: str = "acrossChannels",
) -> Tensor:
    """Each value divided by (bias + alpha · Σ of the squares around it)^beta.

    Args:
        x: an image [height, width, channels], or a batch of them.
        radius: how many channels, or pixels, on each side are included.
        bias: keeps the divisor away from 0.
        alpha: scales the sum.
        beta: the power.
        norm_region: 'acrossChannels' sums over the channels around one, 'withinChannel' over the pixels around one.

    Raises:
        ValueError: another rank or region, or a radius below 0.

    Source: deeplearn.js 0.5 `math.localResponseNormalization`.
    """
    return _local_response("local_response_normalization", (3, 4), x, radius, bias, alpha, beta, norm_region)


@math_op()
def local_response_normalization3d(
    x: TensorLike,
    radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    norm_region: str = "acrossChannels",
) -> Tensor:
    """Each value of an image divided by (bias + alpha · Σ of the squares around it)^beta.

    The arguments are those of `local_response_normalization`.

    Source: deeplearn.js `math.localResponseNormalization3D`.
    """
    return _local_response("local_response_normalization3d", (3,), x, radius, bias, alpha, beta, norm_region)


@math_op()
def local_response_normalization4d(
    x: TensorLike,
    radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    norm_region: str = "acrossChannels",
) -> Tensor:
    """As `local_response_normalization3d`, for a batch of images.

    Source: deeplearn.js `math.localResponseNormalization4D`.
    """
    return _local_response("local_response_normalization4d", (4,), x, radius, bias, alpha, beta, norm_region)
