"""Layers that preprocess images and categories, as nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tfpy.core.convert import to_tensor
from tfpy.core.memory import tidy
from tfpy.engine import dispatch
from tfpy.layers.kinds.preprocessing import CategoryEncoding, CenterCrop, Rescaling, Resizing
from tfpy.layers.saving.onnx.builder import Builder, Call, Kind, UnsupportedError, Value, channels_in_front
from tfpy.layers.saving.onnx.shaping import resized


def _rescaling(b: Builder, layer: Rescaling, inputs: list[Value], call: Call) -> Value:
    return b.each("Add", b.each("Mul", inputs[0], b.constant(layer.scale)), b.constant(layer.offset))


def _images(x: Value) -> Value:
    if x.rank != 4:
        raise UnsupportedError("its images have no batch")
    return x


def _resizing(b: Builder, layer: Resizing, inputs: list[Value], call: Call) -> Value:
    x = _images(inputs[0])
    return _picked(b, layer, x) if layer.interpolation == "nearest" else _interpolated(b, layer, x, _positions(layer))


def _positions(layer: Resizing) -> str:
    """How ONNX computes the positions of pixels."""
    if layer.half_pixel_centers:
        return "half_pixel"
    return "asymmetric" if layer.crop_to_aspect_ratio else "align_corners"


def _interpolated(b: Builder, layer: Any, x: Value, positions: str) -> Value:
    """Images resized to a layer's size, by interpolation between the pixels around each position."""
    sizes = b.sizes([(x, 0), (x, 3), layer.height, layer.width])
    order = channels_in_front(4, 3)
    name = resized(b, b.arranged(x, order), "", "", sizes, linear=True, positions=positions)
    return replace(x, name=name, order=order)


def _picked(b: Builder, layer: Any, x: Value) -> Value:
    """Images from which a layer selects rows and columns; the layer computes their indices."""
    height, width = x.shape[1:3]
    if height is None or width is None:
        raise UnsupportedError("the sizes of its images are unknown")
    numbers = np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), -1)
    asked = to_tensor("save", "inputs", numbers[None].astype(np.float32), "float32")
    taken = tidy(lambda: dispatch.read(layer.call(asked), "save")).reshape(1, layer.height, layer.width, 2)
    for axis, index in ((1, taken[0, :, 0, 0]), (2, taken[0, 0, :, 1])):
        x = b.each("Gather", x, b.constant(index, np.int64), axis=x.stored(axis))
    return x


def _center_crop(b: Builder, layer: CenterCrop, inputs: list[Value], call: Call) -> Value:
    x = _images(inputs[0])
    sizes = [(n, wanted) for n, wanted in zip(x.shape[1:3], (layer.height, layer.width), strict=True) if n is not None]
    return _interpolated(b, layer, x, "asymmetric") if any(n < wanted for n, wanted in sizes) else _picked(b, layer, x)


def _category_encoding(b: Builder, layer: CategoryEncoding, inputs: list[Value], call: Call) -> Value:
    numbers = b.cast(b.cast(inputs[0], "int32"), "int64")
    if layer.output_mode == "int":
        return b.cast(numbers, "int32")
    if numbers.rank != 2 or (layer.output_mode == "oneHot" and numbers.shape[1] != 1):
        raise UnsupportedError("encodes a vector for each sample only, and with 'oneHot' a single number")
    depth = b.constant(layer.num_tokens, np.int64)
    ones = Value(b.node("OneHot", b.plain(numbers), depth, b.constant([0, 1])), (*numbers.shape, layer.num_tokens))
    return b.reduced("ReduceSum" if layer.output_mode == "count" else "ReduceMax", ones, [1])


KINDS: dict[Any, Kind] = {
    CategoryEncoding: Kind(_category_encoding, any_dtype=True),
    CenterCrop: Kind(_center_crop),
    Rescaling: Kind(_rescaling),
    Resizing: Kind(_resizing),
}
