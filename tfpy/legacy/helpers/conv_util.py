"""`dl.conv_util`: the sizes of convolutions and poolings."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.core.calling.options import accepts_options
from tfpy.core.results import Record
from tfpy.engine.errors import argument_error
from tfpy.legacy.windows import Pad, Pair, pair, window


class PadInfo(Record):
    """The padding on each side of an image."""

    top: int
    bottom: int
    left: int
    right: int


class Conv2DInfo(Record):
    """The sizes of a convolution. Source: deeplearn.js `conv_util.Conv2DInfo`."""

    batch_size: int
    in_height: int
    in_width: int
    in_channels: int
    out_height: int
    out_width: int
    out_channels: int
    data_format: str
    stride_height: int
    stride_width: int
    filter_height: int
    filter_width: int
    pad_info: PadInfo
    in_shape: tuple[int, ...]
    out_shape: tuple[int, ...]
    filter_shape: tuple[int, ...]


@accepts_options()
def compute_conv2d_info(
    in_shape: Sequence[int],
    filter_shape: Sequence[int],
    strides: Pair,
    pad: Pad,
    depthwise: bool = False,
    data_format: str = "channelsLast",
    rounding_mode: str | None = None,
) -> Conv2DInfo:
    """The sizes of a convolution of rank 4.

    Args:
        in_shape: [batch, height, width, channels], or with the channels second.
        filter_shape: [height, width, in channels, out channels].
        strides: one number, or [height, width].
        pad: 'same', 'valid', or a number for all sides.
        depthwise: whether each channel has its own filters.
        data_format: 'channelsLast' or 'channelsFirst'.
        rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad that yields a fractional size.

    Raises:
        ValueError: a numeric pad that yields a fractional size, or an unknown option.

    Source: deeplearn.js `conv_util.computeConv2DInfo`.
    """
    name = "compute_conv2d_info"
    if not isinstance(depthwise, bool):  # 0.4 and 0.5 have other arguments before it
        raise argument_error(name, "depthwise", "True or False", depthwise, TypeError)
    if data_format not in ("channelsLast", "channelsFirst"):
        raise argument_error(name, "data_format", "'channelsLast' or 'channelsFirst'", data_format)
    for argument, shape in (("in_shape", in_shape), ("filter_shape", filter_shape)):
        if len(shape) != 4:
            raise argument_error(name, argument, "of 4 sizes", list(shape))
    last = data_format == "channelsLast"
    batch, *rest = in_shape
    height, width, channels = rest if last else (rest[1], rest[2], rest[0])
    filter_height, filter_width, _, filter_channels = filter_shape
    stride_height, stride_width = pair(name, "strides", strides)
    rows = window(name, height, filter_height, stride_height, pad, rounding_mode)
    columns = window(name, width, filter_width, stride_width, pad, rounding_mode)
    out_channels = filter_channels * channels if depthwise else filter_channels
    sizes = (rows[0], columns[0], out_channels) if last else (out_channels, rows[0], columns[0])
    margins = PadInfo(*rows[1:], *columns[1:])
    return Conv2DInfo(
        batch, height, width, channels, rows[0], columns[0], out_channels, data_format, stride_height, stride_width,
        filter_height, filter_width, margins, tuple(in_shape), (batch, *sizes), tuple(filter_shape),
    )  # fmt: skip


@accepts_options()
def compute_pool2d_info(
    in_shape: Sequence[int],
    filter_size: Pair,
    strides: Pair,
    pad: Pad,
    data_format: str = "channelsLast",
    rounding_mode: str | None = None,
) -> Conv2DInfo:
    """The sizes of a pooling of rank 4.

    Source: deeplearn.js `conv_util.computePool2DInfo`.
    """
    height, width = pair("compute_pool2d_info", "filter_size", filter_size)
    channels = in_shape[3] if data_format == "channelsLast" else in_shape[1]
    return compute_conv2d_info(
        in_shape, [height, width, channels, channels], strides, pad, False, data_format, rounding_mode
    )


def compute_conv_info(
    in_shape: Sequence[int],
    filter_height: int,
    filter_width: int,
    out_depth: int,
    stride_height: int,
    stride_width: int,
    pad: Pad,
) -> Conv2DInfo:
    """The sizes of a convolution of rank 3: its in_shape and out_shape have no batch.

    Source: deeplearn.js 0.2 `conv_util.computeConvInfo`.
    """
    info = compute_conv2d_info(
        [1, *in_shape],
        [filter_height, filter_width, in_shape[2], out_depth],
        [stride_height, stride_width],
        pad,
    )
    return Conv2DInfo(*{**info._asdict(), "in_shape": info.in_shape[1:], "out_shape": info.out_shape[1:]}.values())


def compute_depthwise_conv2d_info(
    in_shape: Sequence[int], filter_shape: Sequence[int], strides: Pair, pad: Pad
) -> Conv2DInfo:
    """The sizes of a depthwise convolution of rank 4.

    Source: deeplearn.js 0.3.11 `conv_util.computeDepthwiseConv2DInfo`.
    """
    return compute_conv2d_info(in_shape, filter_shape, strides, pad, True)


@accepts_options()
def compute_output_shape3d(
    in_shape: Sequence[int], field_size: int, out_depth: int, stride: int, zero_pad: int | None = None
) -> list[int]:
    """The output shape of a square convolution of an image [height, width, depth].

    Raises:
        ValueError: the sizes are not integers.

    Source: deeplearn.js `conv_util.computeOutputShape3D`.
    """
    pad = compute_default_pad(in_shape, field_size, stride) if zero_pad is None else zero_pad
    sizes = [window("compute_output_shape3d", n, field_size, stride, pad, None)[0] for n in in_shape[:2]]
    return [*sizes, out_depth]


def compute_default_pad(input_shape: Sequence[int], field_size: int, stride: int) -> int:
    """The pad that keeps the height of an image: ⌊(height · (stride - 1) - stride + field) / 2⌋.

    Source: deeplearn.js `conv_util.computeDefaultPad`.
    """
    return (input_shape[0] * (stride - 1) - stride + field_size) // 2


def compute_weights_shape4d(
    input_depth: int, output_depth: int, filter_height: int, filter_width: int
) -> tuple[int, int, int, int]:
    """The shape of a convolution's filter.

    Source: deeplearn.js `conv_util.computeWeightsShape4D`.
    """
    return filter_height, filter_width, input_depth, output_depth


def compute_dilated_rc(rc: Sequence[int], orig_stride: int) -> tuple[int, int]:
    """The size of an image with stride - 1 zeros between its pixels.

    Source: deeplearn.js `conv_util.computeDilatedRC`.
    """
    return (rc[0] - 1) * orig_stride + 1, (rc[1] - 1) * orig_stride + 1


def compute_tex_shape_from3d(shape_row_col_depth: Sequence[int]) -> tuple[int, int]:
    """The rows and columns of an image [height, width, depth] laid out in two dimensions.

    Source: deeplearn.js 0.1 `conv_util.computeTexShapeFrom3D`.
    """
    rows, columns, depth = shape_row_col_depth
    return rows, columns * depth


def compute_weights_tex_shape(input_depth: int, output_depth: int, filter_size: int) -> tuple[int, int]:
    """The rows and columns of a square filter laid out in two dimensions.

    Source: deeplearn.js 0.1 `conv_util.computeWeightsTexShape`.
    """
    return filter_size * filter_size * input_depth, output_depth


def compute_biases_tex_shape(output_depth: int) -> tuple[int, int]:
    """The rows and columns of biases laid out in two dimensions.

    Source: deeplearn.js 0.1 `conv_util.computeBiasesTexShape`.
    """
    return 1, output_depth
