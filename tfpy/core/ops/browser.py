"""Pictures: from numpy arrays, Pillow images and ImageData to tensors, and back.

A browser's elements are replaced by objects or dicts with `data` (RGBA bytes), `width` and `height` like
JavaScript's ImageData; numpy arrays (height, width) or (height, width, 1, 3 or 4) of bytes; Pillow's images, if Pillow
is installed.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, MutableMapping
from typing import Any, TypeAlias

import numpy as np

from tfpy.core.calling.options import read_options
from tfpy.core.calling.ready import Ready
from tfpy.core.calling.registry import op
from tfpy.core.convert import TensorLike, host_values, to_tensor
from tfpy.core.ops.common import cast_to, int_tensor
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int, as_int_within, as_number
from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.engine.javascript_numbers import round_half_up

Picture: TypeAlias = Any
_A_PICTURE = "an object or dict with data, width and height, a numpy array, or a Pillow image"


class Pixels(np.ndarray, Ready):
    """A flat, awaitable array of RGBA bytes."""


@op(namespace="browser", doc="Browser")
def from_pixels(pixels: Picture, num_channels: int = 3) -> Tensor:
    """A picture as a tensor.

    Args:
        pixels: an ImageData-like object or dict, a numpy array of bytes, or a Pillow image.
        num_channels: how many of red, green, blue and alpha to take, from 1 to 4.

    Returns:
        An int32 tensor (height, width, channels), with values from 0 to 255.

    Raises:
        ValueError: a wrong number of channels, or data that does not fill the picture. TypeError: not a picture.

    Source: TF.js `tf.browser.fromPixels`.
    """
    count = as_int_within("from_pixels", "num_channels", num_channels, 1, 4)
    return int_tensor(_rgba(pixels)[..., :count])


@op(namespace="browser", doc="Browser")
def from_pixels_async(pixels: Picture, num_channels: int = 3) -> Tensor:
    """`from_pixels` with an awaitable result.

    Source: TF.js `tf.browser.fromPixelsAsync`.
    """
    return from_pixels(pixels, num_channels)


@op(namespace="browser", doc="Browser")
def to_pixels(img: TensorLike, canvas: Picture = None) -> Pixels:
    """A tensor as the bytes of a picture.

    Args:
        img: a tensor (height, width) or (height, width, 1, 3 or 4): float32 from 0 to 1, or int32 from 0 to 255.
            Plain numbers are converted to int32.
        canvas: what to draw the picture on: an ImageData-like object or dict, which gets its size and data; a numpy
            array (height, width, 3 or 4) of bytes; or a Pillow image.

    Returns:
        A flat, awaitable array of bytes: red, green, blue and alpha of each pixel.

    Raises:
        ValueError: a wrong shape, values out of range, or a canvas of the wrong size.
        TypeError: a wrong dtype, or not a canvas.

    Source: TF.js `tf.browser.toPixels`.
    """
    picture = _picture("to_pixels", "img", img, 1.0)
    if canvas is not None:
        _paint("to_pixels", canvas, picture)
    return picture.reshape(-1).view(Pixels)


@op(namespace="browser", doc="Browser", options="options")
def draw(
    image: TensorLike,
    canvas: Picture,
    options: Mapping[str, Any] | None = None,
    *,
    image_options: Mapping[str, Any] | None = None,
    context_options: Mapping[str, Any] | None = None,
) -> None:
    """Draw a tensor on a canvas.

    Args:
        image: a tensor (height, width) or (height, width, 1, 3 or 4): float32 from 0 to 1, or int32 from 0 to 255.
            Plain numbers are converted to int32.
        canvas: what to draw on, as in `to_pixels`.
        options: the options below as a dict.
        image_options: a dict whose 'alpha', from 0 to 1, is the opacity of the picture.
        context_options: ignored; they select a browser's drawing context.

    Raises:
        ValueError: a wrong shape, values out of range, or a canvas of the wrong size.
        TypeError: a wrong dtype, or not a canvas.

    Source: TF.js `tf.browser.draw`.
    """
    alpha = _alpha(image_options or {})
    _paint("draw", canvas, _picture("draw", "image", image, alpha))


def _alpha(image_options: Any) -> float:
    """The opacity of a picture; 0 counts as not given, as in TF.js."""
    if not isinstance(image_options, Mapping):
        raise argument_error("draw", "image_options", "a dict of options", image_options, TypeError)
    alpha = as_number("draw", "alpha", read_options(image_options, ["alpha"], "draw").get("alpha") or 1)
    if not 0 <= alpha <= 1:
        raise argument_error("draw", "alpha", "from 0 to 1", alpha)
    return alpha


def _rgba(pixels: Picture) -> Array:
    """A picture as bytes (height, width, 4)."""
    if isinstance(pixels, np.ndarray):
        return _rgba_of_array(pixels)
    if hasattr(pixels, "convert") and hasattr(pixels, "getbands"):  # Pillow
        return np.asarray(pixels.convert("RGBA"))
    if pixels is None or not all(_has(pixels, name) for name in ("data", "width", "height")):
        raise argument_error("from_pixels", "pixels", _A_PICTURE, pixels, TypeError)
    data = _get(pixels, "data")
    width, height = (as_int("from_pixels", f"pixels.{name}", _get(pixels, name)) for name in ("width", "height"))
    if isinstance(data, (bytes, bytearray)):
        raw = np.frombuffer(data, np.uint8)
    else:
        raw = host_values("from_pixels", "pixels.data", data)[0]
    if raw.dtype.kind not in "iu" or min(width, height) < 0 or raw.size != width * height * 4:
        expected = f"{width} · {height} · 4 bytes"
        raise argument_error("from_pixels", "pixels.data", expected, raw)
    return raw.reshape(height, width, 4)


def _rgba_of_array(pixels: Array) -> Array:
    shaped = pixels[..., None] if pixels.ndim == 2 else pixels
    if shaped.ndim != 3 or shaped.shape[2] not in (1, 3, 4) or shaped.dtype != np.uint8:
        raise argument_error("from_pixels", "pixels", "of bytes (height, width) or (height, width, 1, 3 or 4)", pixels)
    if shaped.shape[2] == 4:
        return shaped
    opaque = np.full((*shaped.shape[:2], 1), 255, np.uint8)
    return np.concatenate([np.broadcast_to(shaped, (*shaped.shape[:2], 3)), opaque], axis=2)


def _picture(name: str, argument: str, image: TensorLike, alpha: float) -> Array:
    """A tensor as the bytes (height, width, 4) of a picture."""
    t = to_tensor(name, argument, image)
    if not isinstance(image, Handle):
        t = cast_to(t, "int32")
    depth = t.shape[2] if t.rank == 3 else 1
    if t.rank not in (2, 3) or depth not in (1, 3, 4):
        raise argument_error(name, argument, "of shape (height, width) or (height, width, 1, 3 or 4)", t)
    if t.dtype not in ("float32", "int32"):
        raise argument_error(name, argument, "a float32 or int32 tensor", t, TypeError)
    top = 1 if t.dtype == "float32" else 255
    values = t.numpy().reshape(*t.shape[:2], depth).astype(np.float64)
    if values.size and not (values.min() >= 0 and values.max() <= top):
        raise argument_error(name, argument, f"{t.dtype} values from 0 to {top}", values)
    out = np.empty((*t.shape[:2], 4), np.uint8)
    out[..., 3] = _byte(np.array(255 * alpha))
    out[..., : max(3, depth)] = _byte(values * (255 // top))
    return out


def _byte(values: Array) -> Array:
    """Rounded half up, then to a byte as a Uint8ClampedArray stores it."""
    rounded: Array = round_half_up(values)
    return rounded.astype(np.uint8)


def _paint(name: str, canvas: Picture, picture: Array) -> None:
    height, width = picture.shape[:2]
    if isinstance(canvas, np.ndarray):
        if canvas.dtype != np.uint8 or canvas.ndim != 3 or canvas.shape not in ((height, width, 3), picture.shape):
            raise argument_error(name, "canvas", f"of {height} · {width} · (3 or 4) bytes", canvas)
        canvas[...] = picture[..., : canvas.shape[2]]
    elif hasattr(canvas, "paste") and hasattr(canvas, "getbands"):  # Pillow
        if tuple(canvas.size) != (width, height):
            raise argument_error(name, "canvas", f"{width} wide and {height} high", canvas)
        canvas.paste(importlib.import_module("PIL.Image").fromarray(picture))
    elif isinstance(canvas, MutableMapping) or all(hasattr(canvas, n) for n in ("data", "width", "height")):
        for key, value in (("width", width), ("height", height), ("data", picture.reshape(-1))):
            _set(canvas, key, value)
    else:
        raise argument_error(name, "canvas", _A_PICTURE, canvas, TypeError)


def _has(thing: Any, name: str) -> bool:
    return name in thing if isinstance(thing, Mapping) else hasattr(thing, name)


def _get(thing: Any, name: str) -> Any:
    return thing[name] if isinstance(thing, Mapping) else getattr(thing, name)


def _set(thing: Any, name: str, value: Any) -> None:
    if isinstance(thing, MutableMapping):
        thing[name] = value
    else:
        setattr(thing, name, value)
