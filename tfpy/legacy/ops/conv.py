"""Convolutions under deeplearn.js's names: with a bias, and with their derivatives as ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfpy.core.convert import TensorLike
from tfpy.core.grads import grad
from tfpy.core.ops import conv, depthwise
from tfpy.core.ops.arith import add
from tfpy.core.ops.common import as_float, full, reshape_to, sum_over
from tfpy.core.results import TensorRecord
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int, as_shape
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.legacy.naming.registry import eager_op, math_op
from tfpy.legacy.ops.common import of_rank
from tfpy.legacy.quirks import numbers_of
from tfpy.legacy.windows import Pad, Pair, pair


class Conv2DGradients(TensorRecord):
    """The result of `conv2d_back_prop`."""

    dx: Tensor
    dw: Tensor
    db: Tensor


def batch_of(t: Tensor) -> Tensor:
    """An image as a batch of one; a batch unchanged."""
    return reshape_to(t, (1, *t.shape)) if t.rank == 3 else t


def like_input(out: Tensor, rank: int) -> Tensor:
    """A batch of one as an image if the input had rank 3."""
    return reshape_to(out, out.shape[1:]) if rank == 3 else out


def checked_filter(op: str, images: Tensor, filter: TensorLike) -> Tensor:
    """A filter that fits an image or a batch of images."""
    weights = of_rank(op, "filter", filter, 4)
    if weights.shape[2] != images.shape[-1]:
        raise argument_error(op, "filter", f"of input depth {images.shape[-1]}, that of 'x'", weights)
    return weights


def checked_bias(op: str, weights: Tensor, bias: TensorLike | None) -> Tensor | None:
    """A bias with one value per output channel of a filter."""
    if bias is None:
        return None
    offset, channels = of_rank(op, "bias", bias, 1), weights.shape[3]
    if offset.size != channels:
        raise argument_error(op, "bias", f"of {channels} numbers, the output depth of 'filter'", offset)
    return offset


def with_bias(out: Tensor, bias: TensorLike | None) -> Tensor:
    return out if bias is None else add(out, bias)


@math_op()
def conv2d(
    x: TensorLike,
    filter: TensorLike,
    bias: TensorLike | None,
    strides: Pair,
    pad: Pad,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The convolution (cross-correlation) of images with a filter, plus a bias.

    Args:
        x: an image [height, width, channels] or a batch of images.
        filter: [height, width, in channels, out channels].
        bias: a vector of out channels, or None.
        strides: one number, or [height, width].
        pad: 'same', 'valid', or a number for all sides.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad; rounded down by default.

    Raises:
        ValueError: ranks or depths that do not fit.

    Source: deeplearn.js `math.conv2d`.
    """
    given = of_rank("conv2d", "x", x, 3, 4)
    images = batch_of(given)
    weights = checked_filter("conv2d", images, filter)
    offset = checked_bias("conv2d", weights, bias)
    out = conv.conv2d(images, weights, strides, pad, "NHWC", 1, dim_rounding_mode)
    return like_input(with_bias(out, offset), given.rank)


@math_op()
def conv1d(
    x: TensorLike,
    filter: TensorLike,
    bias: TensorLike | None,
    stride: int,
    pad: Pad,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The convolution of sequences with a filter, plus a bias.

    Args:
        x: a sequence [width, channels] or a batch of them.
        filter: [width, in channels, out channels].
        bias: a vector of out channels, or None.
        stride: the distance between windows.
        pad: 'same', 'valid', or a number for both ends.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad; rounded down by default.

    Raises:
        ValueError: ranks or depths that do not fit.

    Source: deeplearn.js `math.conv1d`. As there and in `tf.conv1d`, with a pad of 0 the filter goes on to the last
    element.
    """
    given = of_rank("conv1d", "x", x, 2, 3)
    rows, weights, offset = as_images(given, filter, bias)
    margins = pad if isinstance(pad, str) or pad == 0 else [[0, 0], [0, 0], [pad, pad], [0, 0]]
    out = conv.conv2d(rows, weights, [1, stride], margins, "NHWC", 1, dim_rounding_mode)
    return as_sequences(with_bias(out, offset), given.rank)


def as_images(x: Tensor, filter: TensorLike, bias: TensorLike | None) -> tuple[Tensor, Tensor, Tensor | None]:
    """Sequences as images of one row, and their filter accordingly."""
    rows = reshape_to(x, (1, 1, *x.shape) if x.rank == 2 else (x.shape[0], 1, *x.shape[1:]))
    f = of_rank("conv1d", "filter", filter, 3)
    weights = checked_filter("conv1d", rows, reshape_to(f, (1, *f.shape)))
    return rows, weights, checked_bias("conv1d", weights, bias)


def as_sequences(out: Tensor, rank: int) -> Tensor:
    """Images of one row as sequences; as one sequence if the input had rank 2."""
    batch, _, width, channels = out.shape
    return reshape_to(out, (width, channels) if rank == 2 else (batch, width, channels))


@math_op()
def conv2d_der_input(
    in_shape: Sequence[int],
    dy: TensorLike,
    filter: TensorLike,
    strides: Pair,
    pad: Pad,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The gradient of a convolution with respect to its input.

    Args:
        in_shape: the shape of the input, of the rank of dy.
        dy: the gradient of the output.
        filter: the filter.
        strides: those of the convolution.
        pad: that of the convolution.
        dim_rounding_mode: that of the convolution.

    Raises:
        ValueError: ranks or depths that do not fit.

    Source: deeplearn.js `math.conv2dDerInput`.
    """
    slopes, weights, shape = checked_transpose(in_shape, dy, filter)
    out = conv.conv2d_transpose(slopes, weights, shape, strides, pad, dim_rounding_mode)
    return like_input(out, len(in_shape))


def checked_transpose(
    in_shape: Sequence[int],
    dy: TensorLike,
    filter: TensorLike,
    op: str = "conv2d_der_input",
    names: tuple[str, str] = ("in_shape", "dy"),
) -> tuple[Tensor, Tensor, list[int]]:
    """The gradient of the output as a batch, the filter, and the shape of the batch of inputs.

    Messages call the first two by `names`.
    """
    shape_name, dy_name = names
    given = of_rank(op, dy_name, dy, 3, 4)
    in_shape = as_shape(op, in_shape, shape_name)
    if len(in_shape) != given.rank:
        raise argument_error(op, shape_name, f"of {given.rank} sizes, the rank of {dy_name!r}", list(in_shape))
    slopes = batch_of(given)
    shape = [1, *in_shape] if given.rank == 3 else list(in_shape)
    weights = of_rank(op, "filter", filter, 4)
    if weights.shape[2] != shape[3] or weights.shape[3] != slopes.shape[3]:
        raise argument_error(op, "filter", f"of input depth {shape[3]} and output depth {slopes.shape[3]}", weights)
    return slopes, weights, shape


@math_op(eager="conv2d_transpose")
def conv2d_transpose(
    x: TensorLike,
    filter: TensorLike,
    output_shape: Sequence[int] | Handle | None,
    strides: Pair,
    pad: Pad,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The transpose of a convolution: its gradient with respect to the input.

    Args:
        x: what the convolution returned: an image [height, width, channels] or a batch of images.
        filter: its filter [height, width, channels of the result, channels of x].
        output_shape: the shape of the result, of the rank of x. In 0.1, where the stride and the pad determine it:
            a vector added to the result, or None.
        strides: those of the convolution.
        pad: that of the convolution; in 0.1 a number.
        dim_rounding_mode: that of the convolution.

    Raises:
        ValueError: ranks or depths that do not fit.

    Source: deeplearn.js `math.conv2dTranspose`.
    """
    return transpose_by(conv2d_der_input, x, filter, output_shape, strides, pad, dim_rounding_mode)


def transpose_by(
    der_input: Callable[..., Tensor],
    x: TensorLike,
    filter: TensorLike,
    output_shape: Sequence[int] | Handle | None,
    strides: Pair,
    pad: Pad,
    dim_rounding_mode: str | None,
) -> Tensor:
    """`conv2d_transpose` by a function that computes what `conv2d_der_input` does."""
    if output_shape is None or isinstance(output_shape, Handle):
        return _biased_transpose(x, filter, output_shape, strides, pad)
    checked_transpose(output_shape, x, filter, "conv2d_transpose", ("output_shape", "x"))
    return der_input(output_shape, x, filter, strides, pad, dim_rounding_mode)


def _biased_transpose(x: TensorLike, filter: TensorLike, biases: Handle | None, strides: Pair, pad: Pad) -> Tensor:
    """`conv2d_transpose` of 0.1, with square filters: the size of the result is that without rounding."""
    name = "conv2d_transpose"
    image, weights = of_rank(name, "x", x, 3), of_rank(name, "filter", filter, 4)
    margin, steps = as_int(name, "pad", pad), pair(name, "strides", strides)
    sizes = zip(image.shape, steps, weights.shape, strict=False)
    shape = [(size - 1) * step + field - 2 * margin for size, step, field in sizes]
    channels = weights.shape[2]
    if biases is not None and biases.spec.shape != (channels,):
        raise argument_error(name, "output_shape", f"a shape, or as in 0.1 biases of size {channels}", biases)
    return with_bias(conv2d_transpose(image, weights, [*shape, channels], strides, pad), biases)


@math_op()
def conv2d_der_filter(
    x: TensorLike,
    dy: TensorLike,
    filter_shape: Sequence[int],
    strides: Pair,
    pad: Pad,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The gradient of a convolution with respect to its filter.

    Args:
        x: the input.
        dy: the gradient of the output.
        filter_shape: the shape of the filter.
        strides: those of the convolution.
        pad: that of the convolution.
        dim_rounding_mode: that of the convolution.

    Raises:
        ValueError: ranks or depths that do not fit.

    Source: deeplearn.js `math.conv2dDerFilter`.
    """
    images, slopes, shape = checked_filter_shape(x, dy, filter_shape)
    # The convolution is linear in its filter: the gradient is the same at every filter.
    by_filter = grad(lambda f: conv.conv2d(images, f, strides, pad, "NHWC", 1, dim_rounding_mode))
    return by_filter(full(shape, 0), slopes)


def checked_filter_shape(
    x: TensorLike, dy: TensorLike, filter_shape: Sequence[int]
) -> tuple[Tensor, Tensor, tuple[int, ...]]:
    """Input and gradient of the output as batches, and the shape of the filter between them."""
    op = "conv2d_der_filter"
    images, slopes = batch_of(of_rank(op, "x", x, 3, 4)), batch_of(of_rank(op, "dy", dy, 3, 4))
    shape = as_shape(op, filter_shape, "filter_shape")
    if len(shape) != 4 or shape[2] != images.shape[3] or shape[3] != slopes.shape[3]:
        expected = f"[height, width, {images.shape[3]}, {slopes.shape[3]}], with the depths of 'x' and 'dy'"
        raise argument_error(op, "filter_shape", expected, list(shape))
    return images, slopes, shape


@math_op()
def conv2d_der_bias(dy: TensorLike) -> Tensor:
    """The gradient of a convolution with respect to its bias: the sum over all pixels.

    Source: deeplearn.js `math.conv2dDerBias`.
    """
    return sum_over(batch_of(as_float(of_rank("conv2d_der_bias", "dy", dy, 3, 4))), (0, 1, 2))


@math_op()
def conv2d_back_prop(x: TensorLike, dy: TensorLike, filter: TensorLike, strides: Pair, pad: Pad) -> Conv2DGradients:
    """The gradients of a convolution with respect to input, filter and bias.

    Returns:
        A record (dx, dw, db).

    Source: deeplearn.js 0.1 `math.conv2dBackProp`.
    """
    given = of_rank("conv2d_back_prop", "x", x, 3, 4)
    weights = of_rank("conv2d_back_prop", "filter", filter, 4)
    return Conv2DGradients(
        conv2d_der_input(given.shape, dy, weights, strides, pad),
        conv2d_der_filter(given, dy, weights.shape, strides, pad),
        conv2d_der_bias(dy),
    )


@math_op()
def depthwise_conv2d(
    x: TensorLike,
    filter: TensorLike,
    strides: Pair,
    pad: Pad,
    rates: Pair = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The convolution of each channel with its own filters.

    Args:
        x: an image [height, width, channels] or a batch of images.
        filter: [height, width, channels, filters per channel].
        strides: one number, or [height, width].
        pad: 'same', 'valid', or a number for all sides.
        rates: dilations of the filter.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad; rounded down by default.

    Raises:
        ValueError: ranks or depths that do not fit.

    Source: deeplearn.js `math.depthwiseConv2D`.
    """
    images = of_rank("depthwise_conv2d", "x", x, 3, 4)
    weights = checked_filter("depthwise_conv2d", images, filter)
    out: Tensor = depthwise.depthwise_conv2d(images, weights, strides, pad, "NHWC", rates, dim_rounding_mode)
    return out


@eager_op("conv2d")
def conv2d_without_bias(
    x: TensorLike, filter: TensorLike, strides: Pair, pad: Pad, dim_rounding_mode: str | None = None
) -> Tensor:
    """The convolution (cross-correlation) of images with a filter; arguments as for `math.conv2d`.

    Source: deeplearn.js 0.5 `conv2d`.
    """
    out: Tensor = numbers_of(conv2d)(x, filter, None, strides, pad, dim_rounding_mode)
    return out


@eager_op("conv1d")
def conv1d_without_bias(
    x: TensorLike, filter: TensorLike, stride: int, pad: Pad, dim_rounding_mode: str | None = None
) -> Tensor:
    """The convolution of sequences with a filter; arguments as for `math.conv1d`.

    Source: deeplearn.js 0.5 `conv1d`.
    """
    out: Tensor = numbers_of(conv1d)(x, filter, None, stride, pad, dim_rounding_mode)
    return out


@eager_op("depthwise_conv2d")
def dilated_depthwise_conv2d(
    x: TensorLike,
    filter: TensorLike,
    strides: Pair,
    pad: Pad,
    dilations: Pair = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The convolution of each channel with its own filters; arguments as for `math.depthwiseConv2D`.

    Source: deeplearn.js 0.5 `depthwiseConv2d`, which calls the rates dilations.
    """
    out: Tensor = numbers_of(depthwise_conv2d)(x, filter, strides, pad, dilations, dim_rounding_mode)
    return out
