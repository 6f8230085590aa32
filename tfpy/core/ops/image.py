"""Images: colors, rotation and cropping, transformations, thresholds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, number, to_tensor
from tfpy.core.ops.arith import add, mul, sub
from tfpy.core.ops.common import as_float, cast_to, full, int_tensor, reshape_to, tensor_of_rank
from tfpy.core.ops.reduce import sum_
from tfpy.core.run import run
from tfpy.core.tensor import Tensor
from tfpy.engine import dispatch
from tfpy.engine.arguments import array_as_list, as_list, as_number, as_shape
from tfpy.engine.errors import argument_error
from tfpy.engine.gradients import gradient, no_gradient
from tfpy.engine.javascript_numbers import round_half_up

# The weights of red, green and blue in the brightness of a pixel (ITU-R BT.601).
_BRIGHTNESS = (0.2989, 0.5870, 0.1140)


@op(namespace="image", doc="Operations / Images")
def flip_left_right(image: TensorLike) -> Tensor:
    """Images flipped from left to right.

    Args:
        image: a float32 tensor (batch, height, width, channels).

    Returns:
        A tensor of the same shape and dtype.

    Raises:
        ValueError: a wrong rank. TypeError: not float32.

    Source: TF.js `tf.image.flipLeftRight`.
    """
    return run("Reverse", tensor_of_rank("flip_left_right", "image", image, 4, "float32"), axes=(2,))


@op(namespace="image", doc="Operations / Images")
def grayscale_to_rgb(image: TensorLike) -> Tensor:
    """Grayscale images as RGB: the one channel repeated three times.

    Args:
        image: a tensor of rank 2 or more whose last dimension, the channels, has size 1.

    Returns:
        A tensor of the same dtype, whose last axis has size 3.

    Raises:
        ValueError: a wrong shape. TypeError: strings.

    Source: TF.js `tf.image.grayscaleToRGB`.
    """
    t = _with_channels("grayscale_to_rgb", image, 1)
    return run("Tile", t, reps=(*[1] * (t.rank - 1), 3))


@op(namespace="image", doc="Operations / Images")
def rgb_to_grayscale(image: TensorLike) -> Tensor:
    """The brightness of color images: 0.2989 · red + 0.587 · green + 0.114 · blue.

    Args:
        image: a tensor of rank 2 or more whose last dimension, the channels, has size 3.

    Returns:
        A tensor of the same dtype with one channel.

    Raises:
        ValueError: a wrong shape. TypeError: strings.

    Source: TF.js `tf.image.rgbToGrayscale`.
    """
    t = _with_channels("rgb_to_grayscale", image, 3)
    weights = to_tensor("rgb_to_grayscale", "weights", np.array(_BRIGHTNESS))
    return cast_to(sum_(mul(as_float(t), weights), -1, True), t.dtype)


def _with_channels(name: str, image: TensorLike, channels: int) -> Tensor:
    t = to_tensor(name, "image", image)
    if t.rank < 2 or t.shape[-1] != channels:
        raise argument_error(name, "image", f"of rank 2 or more with {channels} channels, the last dimension", t)
    return t


@op(namespace="image", doc="Operations / Images")
def rotate_with_offset(
    image: TensorLike,
    radians: float,
    fill_value: float | Sequence[float] = 0,
    center: float | Sequence[float] = 0.5,
) -> Tensor:
    """Images rotated about a point.

    Args:
        image: a float32 tensor (batch, height, width, channels).
        radians: the rotation angle, counterclockwise in screen coordinates.
        fill_value: the value of pixels from outside the image: one number, or one for each of the first three
            channels, in which case a fourth gets 255.
        center: the point, as a fraction of width and height: one number for both, or two.

    Returns:
        A tensor of the same shape.

    Raises:
        ValueError: a wrong rank, or too few fill values. TypeError: not float32.

    Source: TF.js `tf.image.rotateWithOffset`; the gradient is beyond it.
    """
    t = tensor_of_rank("rotate_with_offset", "image", image, 4, "float32")
    batch, height, width, channels = t.shape
    across, down = _numbers("center", center, 2)
    source, inside = _turned(height, width, radians, across * width, down * height)
    fill_value = array_as_list(fill_value)
    several = isinstance(fill_value, Sequence)
    fills = _numbers("fill_value", fill_value, None if several else channels)
    fills = [*fills[:3], 255.0][:channels] if several else fills
    if len(fills) != channels:
        raise argument_error(
            "rotate_with_offset", "fill_value", f"a number for each of {channels} channels", fill_value
        )
    pixels = run("Reshape", t, shape=(batch, height * width, channels))
    turned = run("GatherV2", pixels, int_tensor(source), axis=1, batch_dims=0)
    mask = dispatch.make(Tensor, inside[:, None], "bool")
    fill = to_tensor("rotate_with_offset", "fill_value", np.array(fills, np.float64))
    return run("Reshape", run("Select", mask, turned, fill), shape=t.shape)


def _numbers(argument: str, value: float | Sequence[float], count: int | None = None) -> list[float]:
    """Numbers as a list; a single number is repeated to the required length."""
    value = array_as_list(value)
    if count is not None and not isinstance(value, Sequence):
        return [as_number("rotate_with_offset", argument, value)] * count
    given = as_list("rotate_with_offset", argument, value, "numbers")
    numbers = [as_number("rotate_with_offset", argument, n) for n in given]
    if count is not None and len(numbers) != count:
        raise argument_error("rotate_with_offset", argument, f"one number or {count}", value)
    return numbers


@np.errstate(invalid="ignore")  # about an infinite point, where NaN lies outside the image
def _turned(height: int, width: int, radians: float, x0: float, y0: float) -> tuple[Any, Any]:
    """For each pixel the flat index of its source pixel, and whether that lies inside the image."""
    y, x = np.divmod(np.arange(height * width), max(1, width))
    sine, cosine = (math.sin(radians), math.cos(radians)) if math.isfinite(radians) else (math.nan, math.nan)
    from_x = round_half_up((x - x0) * cosine - (y - y0) * sine + x0)
    from_y = round_half_up((x - x0) * sine + (y - y0) * cosine + y0)
    inside = (from_x >= 0) & (from_x < width) & (from_y >= 0) & (from_y < height)
    return np.where(inside, from_y * width + from_x, 0), inside


@op(namespace="image", doc="Operations / Images")
def crop_and_resize(
    image: TensorLike,
    boxes: TensorLike,
    box_ind: TensorLike,
    crop_size: Sequence[int],
    method: str = "bilinear",
    extrapolation_value: float = 0,
) -> Tensor:
    """Crop boxes from images and resize them to one size.

    Args:
        image: a tensor (batch, height, width, channels).
        boxes: a float32 tensor (boxes, 4): y1, x1, y2, x2 of each, as fractions of height and width less one pixel. A
            box with y1 > y2 or x1 > x2 is mirrored; it may reach beyond the image.
        box_ind: an int32 tensor (boxes): the image that each box is cropped from. One that does not exist yields zeros.
        crop_size: height and width of the crops, 1 or more.
        method: 'bilinear' or 'nearest'.
        extrapolation_value: the value outside the image.

    Returns:
        A float32 tensor (boxes, height, width, channels).

    Raises:
        ValueError: shapes that do not fit, an unknown method, or a negative index. TypeError: a wrong dtype.

    Source: TF.js `tf.image.cropAndResize`. The gradients of image and boxes are beyond it.
    """
    name = "crop_and_resize"
    t = as_float(tensor_of_rank(name, "image", image, 4))
    corners = to_tensor(name, "boxes", boxes, "float32")
    which = to_tensor(name, "box_ind", box_ind, "int32")
    if corners.rank != 2 or corners.shape[1] != 4:
        raise argument_error(name, "boxes", "of shape (boxes, 4)", corners)
    if which.shape != corners.shape[:1]:
        raise argument_error(name, "box_ind", f"of shape {[corners.shape[0]]}, a number for each box", which)
    size = as_shape(name, crop_size, "crop_size")
    if len(size) != 2 or min(size) < 1:
        raise argument_error(name, "crop_size", "a height and a width of 1 or more", crop_size)
    if method not in ("bilinear", "nearest"):
        raise argument_error(name, "method", "'bilinear' or 'nearest'", method)
    outside = float(extrapolation_value)
    return run("CropAndResize", t, corners, which, crop_size=size, method=method, extrapolation_value=outside)


def _crop_to_image(dy: Tensor, n: Any) -> Tensor:
    shape, method = n.shape("image"), n.attrs["method"]
    return run("CropAndResizeGradImage", dy, n.boxes, n.box_ind, image_shape=shape, method=method)


def _crop_to_boxes(dy: Tensor, n: Any) -> Tensor:
    return run("CropAndResizeGradBoxes", dy, n.image, n.boxes, n.box_ind, method=n.attrs["method"])


def _crop_again(ddx: Tensor, n: Any) -> Tensor:
    size, method = n.shape("dy")[1:3], n.attrs["method"]
    return run("CropAndResize", ddx, n.boxes, n.box_ind, crop_size=size, method=method, extrapolation_value=0.0)


gradient("CropAndResize", saves="image boxes box_ind", image=_crop_to_image, boxes=_crop_to_boxes, box_ind=None)
gradient(
    "CropAndResizeGradImage",
    saves="dy boxes box_ind",
    dy=_crop_again,
    boxes=lambda ddx, n: run("CropAndResizeGradBoxes", n.dy, ddx, n.boxes, n.box_ind, method=n.attrs["method"]),
    box_ind=None,
)
no_gradient("CropAndResizeGradBoxes")


@op(namespace="image", doc="Operations / Images")
def transform(
    image: TensorLike,
    transforms: TensorLike,
    interpolation: str = "nearest",
    fill_mode: str = "constant",
    fill_value: float = 0,
    output_shape: Sequence[int] | None = None,
) -> Tensor:
    """Images under projective transformations, which map each output pixel to its source.

    The pixel at (x, y) comes from ((a0 x + a1 y + a2) / k, (b0 x + b1 y + b2) / k) with k = c0 x + c1 y + 1.

    Args:
        image: a float32 tensor (batch, height, width, channels).
        transforms: a float32 tensor (batch, 8) or (1, 8): a0, a1, a2, b0, b1, b2, c0, c1 for each image, or for all.
        interpolation: 'nearest' or 'bilinear'.
        fill_mode: what lies outside the image: 'constant', the fill value; 'reflect', the mirrored image; 'wrap', the
            image repeated; 'nearest', its edge.
        fill_value: the value for 'constant'.
        output_shape: height and width of the result; the image's by default.

    Returns:
        A tensor (batch, height, width, channels).

    Raises:
        ValueError: shapes that do not fit, or an unknown interpolation or fill mode. TypeError: not float32.

    Source: TF.js `tf.image.transform`, of which the cpu backend transforms the first image only.
    """
    t = tensor_of_rank("transform", "image", image, 4, "float32")
    numbers = to_tensor("transform", "transforms", transforms, "float32")
    if numbers.rank != 2 or numbers.shape[0] not in (1, t.shape[0]) or numbers.shape[1] != 8:
        raise argument_error("transform", "transforms", f"of shape {[t.shape[0], 8]} or [1, 8]", numbers)
    if interpolation not in ("nearest", "bilinear"):
        raise argument_error("transform", "interpolation", "'nearest' or 'bilinear'", interpolation)
    if fill_mode not in ("constant", "reflect", "wrap", "nearest"):
        raise argument_error("transform", "fill_mode", "'constant', 'reflect', 'wrap' or 'nearest'", fill_mode)
    size = t.shape[1:3] if output_shape is None else as_shape("transform", output_shape, "output_shape")
    if len(size) != 2:
        raise argument_error("transform", "output_shape", "a height and a width", output_shape)
    if 0 in t.shape[1:3] and 0 not in size:
        raise argument_error("transform", "image", "images with pixels", t)
    attrs = {"interpolation": interpolation, "fill_mode": fill_mode, "fill_value": float(fill_value)}
    return run("Transform", t, numbers, output_shape=size, **attrs)


no_gradient("Transform")


@op(namespace="image", doc="Operations / Images")
def threshold(image: TensorLike, method: str = "binary", inverted: bool = False, thresh_value: float = 0.5) -> Tensor:
    """Images in black and white: 255 where the brightness is above a threshold, else 0.

    Args:
        image: a float32 or int32 tensor (height, width, channels) of 1 or 3 channels, with values from 0 to 255.
        method: 'binary', with a given threshold, or 'otsu', with the threshold that separates the levels best.
        inverted: whether values above the threshold become 0, and the rest 255.
        thresh_value: the threshold for 'binary', as a fraction of 255.

    Returns:
        An int32 tensor (height, width, 1).

    Raises:
        ValueError: a wrong shape or method. TypeError: a wrong dtype.

    Source: TF.js `tf.image.threshold`.
    """
    t = to_tensor("threshold", "image", image)
    if t.dtype not in ("float32", "int32"):
        raise argument_error("threshold", "image", "a float32 or int32 tensor", t, TypeError)
    if t.rank != 3 or t.shape[2] not in (1, 3):
        raise argument_error("threshold", "image", "of shape (height, width, 1 or 3)", t)
    if method not in ("binary", "otsu"):
        raise argument_error("threshold", "method", "'binary' or 'otsu'", method)
    gray = as_float(t)
    if t.shape[2] == 3:
        red, green, blue = (
            mul(run("Slice", gray, begin=(0, 0, k), size=(*t.shape[:2], 1)), number(weight))
            for k, weight in enumerate(_BRIGHTNESS)
        )
        gray = add(add(red, green), blue)
    limit = number(float(thresh_value) * 255) if method == "binary" else _otsu(gray)
    white = run("LessEqual" if inverted else "Greater", gray, limit)
    return run("Select", white, full(gray.shape, 255, "int32"), full(gray.shape, 0, "int32"))


def _otsu(gray: Tensor) -> Tensor:
    """The brightness that leaves the largest variance between those up to it and those above (Otsu 1979).

    -1 if all are the same.
    """
    levels = cast_to(run("Round", reshape_to(gray, (gray.size,))), "int32")
    counts = run("UnsortedSegmentSum", full((gray.size,), 1), levels, num_segments=256)
    weighted = mul(counts, run("Range", start=0, step=1, count=256, dtype="float32"))
    lower_count, lower_sum = _up_to(counts), _up_to(weighted)
    upper_count, upper_sum = _above(counts), _above(weighted)
    total = number(float(gray.size))
    distance = sub(run("RealDiv", lower_sum, lower_count), run("RealDiv", upper_sum, upper_count))
    shares = mul(run("RealDiv", lower_count, total), run("RealDiv", upper_count, total))
    variance = mul(mul(shares, distance), distance)
    separates = run("Greater", variance, number(0.0))
    best = cast_to(run("ArgMax", run("Select", separates, variance, full(variance.shape, 0)), axis=0), "float32")
    return run("Select", run("Any", separates, axes=(0,), keep_dims=False), best, number(-1.0))


def _up_to(values: Tensor) -> Tensor:
    """The sum up to each of the levels but the last."""
    return run("Slice", run("Cumsum", values, axis=0, exclusive=False, reverse=False), begin=(0,), size=(255,))


def _above(values: Tensor) -> Tensor:
    """The sum above each of the levels but the last."""
    return run("Slice", run("Cumsum", values, axis=0, exclusive=True, reverse=True), begin=(0,), size=(255,))
