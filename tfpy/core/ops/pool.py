"""Pooling: the largest element or the mean at each position of a window, channel by channel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.core.calling.registry import op
from tfpy.core.convert import Kind, TensorLike
from tfpy.core.ops.common import as_float, stop_gradient
from tfpy.core.ops.conv import check_steps
from tfpy.core.ops.spatial import Numbers, Padding, inner_pad, to_channels_last_batch
from tfpy.core.results import TensorRecord
from tfpy.core.run import run, run_multi
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import array_as_list, as_int
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient
from tfpy.engine.spec import Shape
from tfpy.engine.windows import Window, per_dimension, sliding_window

# No real model's window has so many cells: most of them lie outside the input, and cost time and memory.
_MANY_CELLS = 2**16


class MaxPoolWithArgmax(TensorRecord):
    """The result of `max_pool_with_argmax`."""

    result: Tensor
    indexes: Tensor


@op(chain=True, legacy="max_pool", doc="Operations / Convolution")
def max_pool(
    x: TensorLike, filter_size: Numbers, strides: Numbers, pad: Padding, dim_rounding_mode: str | None = None
) -> Tensor:
    """The largest element of each window over images.

    Args:
        x: a tensor (batch, height, width, channels), or without the batch axis; any real dtype.
        filter_size: the window's size: one number, or one for height and one for width.
        strides: how far the window moves per step: one number or two.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension; padding is never
            the largest.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad; truncated by default.

    Returns:
        A tensor (batch, out height, out width, channels) of the dtype of x; -∞ where a window lies on padding alone.

    Raises:
        ValueError: a shape, size, pad or strides that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.maxPool`; deeplearn.js `math.maxPool`. The gradient goes to the first of equal elements.
    """
    return _pooled("max_pool", "MaxPool", 2, x, filter_size, strides, pad, dim_rounding_mode, kind="numeric")


@op(chain=True, doc="Operations / Convolution")
def avg_pool(
    x: TensorLike, filter_size: Numbers, strides: Numbers, pad: Padding, dim_rounding_mode: str | None = None
) -> Tensor:
    """The mean of each window over images.

    Args:
        x: a float32 tensor (batch, height, width, channels), or without the batch axis.
        filter_size: the window's size: one number, or one for height and one for width.
        strides: how far the window moves per step: one number or two.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension; padding is
            ignored.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad; truncated by default.

    Returns:
        A tensor (batch, out height, out width, channels); NaN where a window lies on padding alone.

    Raises:
        ValueError: a shape, size, pad or strides that do not fit. TypeError: not float32.

    Source: TF.js `tf.avgPool`; deeplearn.js `math.avgPool`. The gradient is that of the mean; TF.js divides it by the
    size of the window at the border as well, where the mean has fewer elements.
    """
    return _pooled("avg_pool", "AvgPool", 2, x, filter_size, strides, pad, dim_rounding_mode)


@op(doc="Operations / Convolution")
def max_pool3d(
    x: TensorLike,
    filter_size: Numbers = 1,
    strides: Numbers = 1,
    pad: Padding = "valid",
    dim_rounding_mode: str | None = None,
    data_format: str = "NDHWC",
) -> Tensor:
    """The largest element of each window over volumes.

    Args:
        x: a tensor (batch, depth, height, width, channels), or without the batch axis; any real dtype.
        filter_size: the window's size: one number or three.
        strides: how far the window moves per step: one number or three.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension; padding is never
            the largest.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad; truncated by default.
        data_format: 'NDHWC', or 'NCDHW' for channels before the spatial dimensions.

    Returns:
        A float32 tensor (batch, out depth, out height, out width, channels), in the layout of x; -∞ where a window
        lies on padding alone.

    Raises:
        ValueError: a shape, size, pad or strides that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.maxPool3d`; 'NCDHW' is beyond it. The gradient goes to the last of equal elements.
    """
    return _pooled(
        "max_pool3d", "MaxPool3D", 3, x, filter_size, strides, pad, dim_rounding_mode, data_format, kind="numeric"
    )


@op(doc="Operations / Convolution")
def avg_pool3d(
    x: TensorLike,
    filter_size: Numbers,
    strides: Numbers,
    pad: Padding,
    dim_rounding_mode: str | None = None,
    data_format: str = "NDHWC",
) -> Tensor:
    """The mean of each window over volumes.

    Args:
        x: a float32 tensor (batch, depth, height, width, channels), or without the batch axis.
        filter_size: the window's size: one number or three.
        strides: how far the window moves per step: one number or three.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension; padding is
            ignored.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad; truncated by default.
        data_format: 'NDHWC', or 'NCDHW' for channels before the spatial dimensions.

    Returns:
        A tensor (batch, out depth, out height, out width, channels), in the layout of x; 0 where a window lies on
        padding alone.

    Raises:
        ValueError: a shape, size, pad or strides that do not fit. TypeError: not float32.

    Source: TF.js `tf.avgPool3d`; 'NCDHW' is beyond it. The gradient is that of the mean, as of `avg_pool`.
    """
    return _pooled("avg_pool3d", "AvgPool3D", 3, x, filter_size, strides, pad, dim_rounding_mode, data_format)


def _pooled(
    op_name: str,
    kernel: str,
    n: int,
    x: TensorLike,
    filter_size: Numbers,
    strides: Numbers,
    pad: Padding,
    rounding: str | None,
    data_format: str | None = None,
    kind: Kind = "float32",
) -> Tensor:
    t, restore = to_channels_last_batch(op_name, "x", x, n, data_format, kind)
    t = _real(op_name, "x", t) if n == 2 else as_float(_real(op_name, "x", t))
    size = per_dimension(op_name, "filter_size", filter_size, n)
    window = sliding_window(op_name, t.shape[1:-1], size, strides, inner_pad(op_name, pad, n, data_format), 1, rounding)
    return restore(_run_pool(kernel, t, window))


def _run_pool(kernel: str, t: Tensor, window: Window) -> Tensor:
    """The pooling kernel; but as in TF.js, a one-cell window returns an image of the same size unchanged."""
    if window.cells == 1 and len(window.out) == 2 and window.out == t.shape[1:-1]:
        return run("Identity", t)
    return run(kernel, t, window=_sensible(window, t))


def _sensible(window: Window, t: Tensor) -> Window:
    return window if window.cells < _MANY_CELLS else window.trimmed(t.shape[1:-1])


def _real(op_name: str, argument: str, t: Tensor) -> Tensor:
    if t.dtype == "complex64":
        raise argument_error(op_name, argument, "real numbers", t, TypeError)
    return t


@op(chain=True, doc="Operations / Convolution")
def pool(
    input: TensorLike,
    window_shape: Numbers,
    pooling_type: str,
    pad: Padding,
    dilations: Numbers = 1,
    strides: Numbers = 1,
    dim_rounding_mode: str | None = None,
) -> Tensor:
    """The largest element or the mean of each window over images; the window may be dilated.

    Args:
        input: a tensor (batch, height, width, channels), or without the batch axis; float32 for the mean.
        window_shape: the window's size: one number, or one for height and one for width.
        pooling_type: 'max' or 'avg'.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension. With dilations,
            'same' adds zeros around the images, which count as elements, and any other pad is 'valid', as in TF.js.
        dilations: the spacing of the window's cells: one number or two.
        strides: how far the window moves per step: one number or two; 1 with dilations.
        dim_rounding_mode: 'floor', 'round' or 'ceil', for a numeric pad; truncated by default.

    Returns:
        A tensor (batch, out height, out width, channels).

    Raises:
        ValueError: a shape, size, pad, strides or dilations that do not fit, or an unknown type of pooling.
        TypeError: a dtype that this pooling does not support.

    Source: TF.js `tf.pool`.
    """
    if pooling_type not in ("max", "avg"):
        raise argument_error("pool", "pooling_type", "'max' or 'avg'", pooling_type)
    kind: Kind = "numeric" if pooling_type == "max" else "float32"
    t, restore = to_channels_last_batch("pool", "input", input, 2, kind=kind)
    t = _real("pool", "input", t)
    size = per_dimension("pool", "window_shape", window_shape, 2)
    gaps = per_dimension("pool", "dilations", dilations, 2)
    pad = array_as_list(pad)
    pad = pad if isinstance(pad, (str, Sequence)) else as_int("pool", "pad", pad)
    if max(gaps) > 1:
        t = _with_zeros(t, size, gaps) if pad == "same" else t
        pad = "valid"
    elif pad == 0:
        pad = "valid"
    window = sliding_window("pool", t.shape[1:-1], size, strides, inner_pad("pool", pad, 2), gaps, dim_rounding_mode)
    check_steps("pool", window)
    return restore(_run_pool("MaxPool" if pooling_type == "max" else "AvgPool", t, window))


def _with_zeros(t: Tensor, size: Shape, gaps: Shape) -> Tensor:
    """Images padded with enough zeros that a dilated window has as many positions as there were elements."""
    margins = [(k - 1) * d for k, d in zip(size, gaps, strict=True)]
    pairs = [(m // 2, m - m // 2) for m in margins]
    return run("PadV2", t, paddings=((0, 0), *pairs, (0, 0)), constant_value=0)


@op(doc="Operations / Convolution")
def max_pool_with_argmax(
    x: TensorLike, filter_size: Numbers, strides: Numbers, pad: Padding, include_batch_in_index: bool = False
) -> MaxPoolWithArgmax:
    """The largest element of each window over images, and its index.

    Args:
        x: a tensor (batch, height, width, channels), or without the batch axis; any real dtype.
        filter_size: the window's size: one number, or one for height and one for width.
        strides: how far the window moves per step: one number or two.
        pad: 'same' or 'valid', a number for all sides, or pairs (before, after) for each dimension.
        include_batch_in_index: whether the indices run through the whole batch, not each image.

    Returns:
        A record (result, indexes) of two tensors (batch, out height, out width, channels): the largest elements, and
        as int32 the flat index of the first such element; -1 where a window holds nothing above -∞, as on padding
        alone.

    Raises:
        ValueError: a shape, size, pad or strides that do not fit. TypeError: strings or complex numbers.

    Source: TF.js `tf.maxPoolWithArgmax`; the gradient and input without a batch are beyond it.
    """
    name = "max_pool_with_argmax"
    t, restore = to_channels_last_batch(name, "x", x, 2, kind="numeric")
    t = _real(name, "x", t)
    size = per_dimension(name, "filter_size", filter_size, 2)
    window = _sensible(sliding_window(name, t.shape[1:-1], size, strides, inner_pad(name, pad, 2)), t)
    parts = run_multi("MaxPoolWithArgmax", t, window=window, include_batch_in_index=bool(include_batch_in_index))
    return MaxPoolWithArgmax(*[restore(part) for part in parts])


def _max_gradients(suffix: str) -> None:
    grad, pick = f"MaxPool{suffix}Grad", f"MaxPool{suffix}Pick"

    def chosen(dy: Tensor, n: Any) -> Tensor:
        return run(grad, dy, stop_gradient(n.x), stop_gradient(n.y), window=n.attrs["window"])

    def passed_on(kernel: str) -> Any:
        return lambda dy, n: run(kernel, dy, n.input, n.output, window=n.attrs["window"])

    gradient(f"MaxPool{suffix}", saves="x y", x=chosen)
    gradient(grad, saves="input output", dy=passed_on(pick), input=None, output=None)
    gradient(pick, saves="input output", x=passed_on(grad), input=None, output=None)


def _avg_gradients(suffix: str) -> None:
    forward, grad = f"AvgPool{suffix}", f"AvgPool{suffix}Grad"
    gradient(forward, x=lambda dy, n: run(grad, dy, window=n.attrs["window"], input_shape=n.shape("x")))
    gradient(grad, dy=lambda ddx, n: run(forward, ddx, window=n.attrs["window"]))


for _suffix in ("", "3D"):
    _max_gradients(_suffix)
    _avg_gradients(_suffix)

gradient(
    "MaxPoolWithArgmax",
    saves="x y",
    x=lambda dy, n: run("MaxPoolGrad", dy[0], stop_gradient(n.x), stop_gradient(n.y[0]), window=n.attrs["window"]),
)
