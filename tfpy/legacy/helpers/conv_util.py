"""`dl.conv_util`: the sizes of convolutions and poolings."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from tfpy.core.calling.options import accepts_options
from tfpy.core.results import Record
from tfpy.engine.errors import argument_error
from tfpy.engine.windows import ROUNDING_MODES, reach
from tfpy.legacy.windows import Pad, Pair, pair, window

_F = TypeVar("_F", bound=Callable[..., Any])
_FORMATS = ("channelsLast", "channelsFirst")


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


def _in_order_of_any_version(function: _F) -> _F:
    """Let the arguments after the strides come in any version's order: pad and options, told apart by their values.

    The options are in another order from 0.4 on, and in 0.5.1 dilations come before the pad.
    """

    @functools.wraps(function)
    def call(in_shape: Sequence[int], size: Any, strides: Pair, *rest: Any, **keywords: Any) -> Conv2DInfo:
        if isinstance(size, int) and len(rest) == 4:
            return compute_conv_info(in_shape, size, strides, *rest)  # type: ignore[arg-type]  # 0.3.11
        found: Conv2DInfo = function(in_shape, size, strides, **_by_name(function.__name__, rest), **keywords)
        return found

    return cast("_F", call)


def _by_name(op: str, given: Sequence[Any]) -> dict[str, Any]:
    dilated = len(given) > 1 and (given[1] in ("same", "valid") or type(given[1]) is int)
    named = dict(zip(("dilations", "pad") if dilated else ("pad",), given, strict=False))
    for option in given[len(named) :]:
        if isinstance(option, bool):
            named["depthwise"] = option
        elif option in _FORMATS:
            named["data_format"] = option
        elif option is None or option in ROUNDING_MODES:
            named["rounding_mode"] = option
        else:
            expected = f"one of True, False, {', '.join(map(repr, (*_FORMATS, *ROUNDING_MODES)))}"
            raise argument_error(op, "options", expected, option)
    return named


@_in_order_of_any_version
@accepts_options()
def compute_conv2d_info(
    in_shape: Sequence[int],
    filter_shape: Sequence[int],
    strides: Pair,
    pad: Pad,
    depthwise: bool = False,
    data_format: str = "channelsLast",
    rounding_mode: str | None = None,
    dilations: Pair = 1,
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
        dilations: the distance between positions of the filter: one number, or [height, width].

    The arguments after `strides` may come in the order of any version.

    Raises:
        ValueError: a numeric pad that yields a fractional size, or an unknown option.

    Source: deeplearn.js `conv_util.computeConv2DInfo`.
    """
    name = "compute_conv2d_info"
    if data_format not in _FORMATS:
        raise argument_error(name, "data_format", "'channelsLast' or 'channelsFirst'", data_format)
    for argument, shape in (("in_shape", in_shape), ("filter_shape", filter_shape)):
        if len(shape) != 4:
            raise argument_error(name, argument, "of 4 sizes", list(shape))
    last = data_format == "channelsLast"
    batch, *rest = in_shape
    height, width, channels = rest if last else (rest[1], rest[2], rest[0])
    filter_height, filter_width, _, filter_channels = filter_shape
    stride_height, stride_width = pair(name, "strides", strides)
    row_step, column_step = pair(name, "dilations", dilations)
    rows = window(name, height, reach(filter_height, row_step), stride_height, pad, rounding_mode)
    columns = window(name, width, reach(filter_width, column_step), stride_width, pad, rounding_mode)
    out_channels = filter_channels * channels if depthwise else filter_channels
    sizes = (rows[0], columns[0], out_channels) if last else (out_channels, rows[0], columns[0])
    margins = PadInfo(*rows[1:], *columns[1:])
    return Conv2DInfo(
        batch, height, width, channels, rows[0], columns[0], out_channels, data_format, stride_height, stride_width,
        filter_height, filter_width, margins, tuple(in_shape), (batch, *sizes), tuple(filter_shape),
    )  # fmt: skip


@_in_order_of_any_version
@accepts_options()
def compute_pool2d_info(
    in_shape: Sequence[int],
    filter_size: Pair,
    strides: Pair,
    pad: Pad,
    data_format: str = "channelsLast",
    rounding_mode: str | None = None,
) -> Conv2DInfo:
    """The sizes of a pooling of rank 4. The arguments after `strides` may come in the order of any version.

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
    in_shape: Sequence[int],
    field_size: int,
    out_depth: int,
    stride: int,
    zero_pad: int | None = None,
    rounding_mode: str | None = None,
) -> list[int]:
    """The output shape of a square convolution of an image [height, width, depth].

    Raises:
        ValueError: the sizes are not integers, and there is no rounding mode.

    Source: deeplearn.js `conv_util.computeOutputShape3D`.
    """
    pad = compute_default_pad(in_shape, field_size, stride) if zero_pad is None else zero_pad
    sizes = [window("compute_output_shape3d", n, field_size, stride, pad, rounding_mode)[0] for n in in_shape[:2]]
    return [*sizes, out_depth]


def compute_default_pad(input_shape: Sequence[int], field_size: int, stride: int) -> int:
    """The pad that keeps the height of an image: ⌊(height · (stride - 1) - stride + field) / 2⌋.

    Source: deeplearn.js `conv_util.computeDefaultPad`.
    """
    return (input_shape[0] * (stride - 1) - stride + field_size) // 2


@accepts_options()
def compute_weights_shape4d(
    input_depth: int, output_depth: int, filter_height: int, filter_width: int | None = None
) -> tuple[int, int, int, int]:
    """The shape of a convolution's filter; without a width, of a square one, as in 0.1.

    Source: deeplearn.js `conv_util.computeWeightsShape4D`.
    """
    return filter_height, filter_height if filter_width is None else filter_width, input_depth, output_depth


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
