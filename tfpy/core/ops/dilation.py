"""Morphological dilation of images."""

from __future__ import annotations

from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import as_float, cast_to, full, stop_gradient
from tfpy.core.ops.spatial import Numbers, Padding, inner_pad, is_channels_first, to_channels_last_batch
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient
from tfpy.engine.windows import sliding_window


@op(chain=True, doc="Operations / Convolution")
def dilation2d(
    x: TensorLike,
    filter: TensorLike,
    strides: Numbers,
    pad: Padding,
    dilations: Numbers = 1,
    data_format: str = "NHWC",
) -> Tensor:
    """The largest sum of an element and its filter cell in each window over images.

    Args:
        x: a tensor (batch, height, width, channels), or without the batch axis.
        filter: a tensor (height, width, channels).
        strides: how far the filter moves per step: one number, or one for height and one for width.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension; padding is never
            the largest.
        dilations: the spacing of the filter's cells: one number or two.
        data_format: 'NHWC' only.

    Returns:
        A tensor (batch, out height, out width, channels) of the dtype of x.

    Raises:
        ValueError: shapes, a pad, strides or dilations that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.dilation2d`. The gradient goes to the first of equal sums; its own gradient is beyond TF.js.
    """
    if is_channels_first("dilation2d", data_format, 2):
        raise argument_error("dilation2d", "data_format", "'NHWC'", data_format)
    t, restore = to_channels_last_batch("dilation2d", "x", x, 2, kind="numeric")
    w = to_tensor("dilation2d", "filter", filter)
    for name, part in (("x", t), ("filter", w)):
        if part.dtype == "complex64":
            raise argument_error("dilation2d", name, "real numbers", part, TypeError)
    if w.rank != 3 or w.shape[2] != t.shape[-1]:
        raise argument_error("dilation2d", "filter", f"of shape (height, width, {t.shape[-1]})", w)
    pads = inner_pad("dilation2d", pad, 2)
    window = sliding_window("dilation2d", t.shape[1:-1], w.shape[:2], strides, pads, dilations)
    y = run("Dilation2D", as_float(t), as_float(w), window=window)
    return restore(cast_to(y, t.dtype))


def _passed_on(kernel: str) -> Any:
    """The rule that runs a kernel on x, the filter and dy; x and the filter only tell which cells are the largest."""
    return lambda dy, n: run(kernel, stop_gradient(n.x), stop_gradient(n.filter), dy, window=n.attrs["window"])


_by_input, _by_filter = _passed_on("Dilation2DBackpropInput"), _passed_on("Dilation2DBackpropFilter")


def _picked_from_x(u: Tensor, n: Any) -> Tensor:
    return run("Dilation2DPick", n.x, n.filter, u, full(n.shape("filter"), 0), window=n.attrs["window"])


def _picked_from_filter(v: Tensor, n: Any) -> Tensor:
    return run("Dilation2DPick", n.x, n.filter, full(n.shape("x"), 0), v, window=n.attrs["window"])


gradient("Dilation2D", saves="x filter", x=_by_input, filter=_by_filter)
gradient("Dilation2DBackpropInput", saves="x filter", x=None, filter=None, dy=_picked_from_x)
gradient("Dilation2DBackpropFilter", saves="x filter", x=None, filter=None, dy=_picked_from_filter)
gradient("Dilation2DPick", saves="x filter", x=None, filter=None, u=_by_input, v=_by_filter)
