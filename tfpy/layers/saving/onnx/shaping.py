"""Layers that rearrange, crop, pad and upsample, as nodes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tfpy.layers.kinds import shaping
from tfpy.layers.kinds.shaping import Permute, Reshape
from tfpy.layers.saving.onnx.builder import Builder, Call, Kind, Value
from tfpy.layers.saving.onnx.convolutional import order_of
from tfpy.layers.saving.onnx.core import permuted
from tfpy.layers.saving.onnx.windows import cropped
from tfpy.layers.spatial import inner_axes


def _reshape(b: Builder, layer: Reshape, inputs: list[Value], call: Call) -> Value:
    (shape,) = call.shapes
    sizes = [-1 if n is None else n for n in shape[1:]]
    # If a size is inferred, the batch size cannot be.
    batch: Any = 0 if -1 in sizes else (inputs[0], 0)
    return b.reshaped(inputs[0], [batch, *sizes], shape)


def _permute(b: Builder, layer: Permute, inputs: list[Value], call: Call) -> Value:
    return permuted(inputs[0], [0, *layer.dims])


def _cropping(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
    x = inputs[0]
    axes = [x.stored(axis) for axis in inner_axes(layer.data_format, layer.dimensions)]
    return replace(x, name=cropped(b, x.name, axes, layer.cropping))


def _zero_padding(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
    x = inputs[0]
    margins = np.zeros((2, x.rank), np.int64)
    for axis, margin in zip(inner_axes(layer.data_format, layer.dimensions), layer.padding, strict=True):
        margins[:, x.stored(axis)] = margin
    return b.each("Pad", x, b.integers(*margins.ravel()))


def _up_sampling(b: Builder, layer: Any, inputs: list[Value], call: Call) -> Value:
    scales = b.constant([1, 1, *layer.size])
    linear = getattr(layer, "interpolation", "nearest") == "bilinear"
    x = b.cast(inputs[0], "float32") if linear else inputs[0]
    order = order_of(layer)
    positions = "half_pixel" if linear and layer.half_pixel_centers else "asymmetric"
    return replace(
        x, name=resized(b, b.arranged(x, order), "", scales, linear=linear, positions=positions), order=order
    )


def resized(b: Builder, images: str, *sizes: str, linear: bool, positions: str) -> str:
    """Channels-first images, enlarged by scales or resized to sizes."""
    return b.node(
        "Resize", images, *sizes, mode="linear" if linear else "nearest", nearest_mode="floor",
        coordinate_transformation_mode=positions,
    )  # fmt: skip


KINDS: dict[Any, Kind] = {
    Permute: Kind(_permute, any_dtype=True),
    Reshape: Kind(_reshape, any_dtype=True),
    **dict.fromkeys((shaping.Cropping1D, shaping.Cropping2D, shaping.Cropping3D), Kind(_cropping, any_dtype=True)),
    **dict.fromkeys(
        (shaping.ZeroPadding1D, shaping.ZeroPadding2D, shaping.ZeroPadding3D), Kind(_zero_padding, any_dtype=True)
    ),
    **dict.fromkeys(
        (shaping.UpSampling1D, shaping.UpSampling2D, shaping.UpSampling3D), Kind(_up_sampling, any_dtype=True)
    ),
}
