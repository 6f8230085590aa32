"""Poolings and the resizing of images under deeplearn.js's names."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfpy.core.convert import TensorLike
from tfpy.core.grads import grad
from tfpy.core.ops import pool
from tfpy.core.ops.common import as_float
from tfpy.core.ops.logic import logical_not
from tfpy.core.ops.resize import resize_bilinear
from tfpy.core.ops.unary import neg
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import array_as_list
from tfpy.engine.errors import argument_error
from tfpy.legacy.naming.registry import math_op
from tfpy.legacy.ops.common import of_rank
from tfpy.legacy.windows import Pad, Pair, pair


def _back_prop(
    name: str,
    op: Callable[..., Tensor],
    dy: TensorLike,
    x: TensorLike,
    filter_size: Pair,
    strides: Pair,
    pad: Pad,
    rounding: str | None = None,
) -> Tensor:
    given = of_rank(name, "x", x, 3, 4)
    slopes = of_rank(name, "dy", dy, given.rank)
    return grad(lambda t: op(t, filter_size, strides, pad, rounding))(given, slopes)


@math_op(eager="min_pool")
def min_pool(x: TensorLike, filter_size: Pair, strides: Pair, pad: Pad, dim_rounding_mode: str | None = None) -> Tensor:
    """The smallest value in each window; arguments and dtypes as for `max_pool`.

    Source: deeplearn.js `math.minPool`.
    """
    turned = _turned(of_rank("min_pool", "x", x, 3, 4))
    return _turned(pool.max_pool(turned, filter_size, strides, pad, dim_rounding_mode))


def _turned(x: Tensor) -> Tensor:
    """x with its order reversed: -x, or `not x` for booleans."""
    return logical_not(x) if x.dtype == "bool" else neg(x)


@math_op(eager="avg_pool")
def avg_pool(x: TensorLike, filter_size: Pair, strides: Pair, pad: Pad, dim_rounding_mode: str | None = None) -> Tensor:
    """The average of each window, in float32; arguments as for `max_pool`.

    Source: deeplearn.js `math.avgPool`.
    """
    given = as_float(of_rank("avg_pool", "x", x, 3, 4))
    return pool.avg_pool(given, filter_size, strides, pad, dim_rounding_mode)


@math_op()
def max_pool_backprop(
    dy: TensorLike,
    x: TensorLike,
    filter_size: Pair,
    strides: Pair,
    pad: Pad,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The gradient of `max_pool` with respect to its input; among equal maxima the first one receives it.

    Source: deeplearn.js `math.maxPoolBackprop`.
    """
    return _back_prop("max_pool_backprop", pool.max_pool, dy, x, filter_size, strides, pad, dim_rounding_mode)


@math_op()
def avg_pool_backprop(dy: TensorLike, x: TensorLike, filter_size: Pair, strides: Pair, pad: Pad) -> Tensor:
    """The gradient of `avg_pool` with respect to its input.

    Source: deeplearn.js 0.4.2 `math.avgPoolBackprop`.
    """
    return _back_prop("avg_pool_backprop", pool.avg_pool, dy, x, filter_size, strides, pad)


@math_op()
def resize_bilinear3d(x: TensorLike, new_shape2d: Sequence[int], align_corners: bool = False) -> Tensor:
    """An image resized by bilinear interpolation.

    Args:
        x: an image [height, width, channels].
        new_shape2d: the new height and width.
        align_corners: whether the centers of the corner pixels keep their positions.

    Raises:
        ValueError: another rank, or not two sizes.

    Source: deeplearn.js `math.resizeBilinear3D`.
    """
    name = "resize_bilinear3d"
    image = of_rank(name, "x", x, 3)
    if not isinstance(array_as_list(new_shape2d), Sequence):
        raise argument_error(name, "new_shape2d", "a pair of sizes", new_shape2d)
    size = list(pair(name, "new_shape2d", new_shape2d))
    return resize_bilinear(image, size, align_corners)
