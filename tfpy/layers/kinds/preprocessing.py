"""Preprocessing of images and categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.core.ops.arith import add, mul
from tfpy.core.ops.count import dense_bincount
from tfpy.core.ops.create import range_
from tfpy.core.ops.image import crop_and_resize
from tfpy.core.ops.random import random_uniform
from tfpy.core.ops.resize import resize_bilinear, resize_nearest_neighbor
from tfpy.core.ops.shape import expand_dims, squeeze
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_number, as_positive
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.javascript_numbers import round_half_up
from tfpy.engine.rng import Seed
from tfpy.layers.calling import one_tensor
from tfpy.layers.enum_options import INTERPOLATIONS, enum_option, words
from tfpy.layers.one_output import OneOutput
from tfpy.layers.shapes import one_shape
from tfpy.layers.symbolic import PartialShape

RESIZE = {"bilinear": resize_bilinear, "nearest": resize_nearest_neighbor}


class Rescaling(OneOutput, class_name="Rescaling", factory="layers.rescaling"):
    """x · scale + offset, in float32."""

    scale: float
    offset: float = 0.0

    per_sample = True

    def call(self, inputs: Any) -> Tensor:
        return add(mul(one_tensor(self.name, inputs).cast("float32"), self.scale), self.offset)


class _Images(OneOutput):
    """A layer on images: (…, height, width, channels), with or without a batch."""

    def images(self, inputs: Any) -> Tensor:
        """The input, checked to be images."""
        x = one_tensor(self.name, inputs)
        if x.rank not in (3, 4):
            raise argument_error(self.name, "inputs", "images, of rank 3 or 4", x)
        return x

    def of_size(self, input_shape: Any, height: int | None, width: int | None) -> PartialShape:
        """The shape of images, with other heights and widths."""
        shape = self._of_images(one_shape(self.name, input_shape))
        return (*shape[:-3], height, width, shape[-1])

    def _of_images(self, shape: PartialShape) -> PartialShape:
        if len(shape) not in (3, 4):
            raise argument_error(self.name, "inputs", "images, of rank 3 or 4", Unquoted(f"the shape {list(shape)}"))
        return shape


class _SizedImages(_Images):
    """A layer that brings images to a given size."""

    height: int
    width: int

    per_sample = True

    def configure(self) -> None:
        kind = self.class_name
        self.height, self.width = as_positive(kind, "height", self.height), as_positive(kind, "width", self.width)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return self.of_size(input_shape, self.height, self.width)


class Resizing(_SizedImages, class_name="Resizing", factory="layers.resizing"):
    """Images resized to a given size: (…, height, width, channels), with or without a batch.

    As in TF.js the corners of the image map to the corners of the result, unless crop_to_aspect_ratio is set; nothing
    is cropped. With half_pixel_centers positions refer to pixel centers, as in Keras (beyond TF.js).
    """

    interpolation: str = "bilinear"
    crop_to_aspect_ratio: bool = False
    half_pixel_centers: bool = False

    def configure(self) -> None:
        super().configure()
        self.interpolation = enum_option(self.class_name, "interpolation", self.interpolation, INTERPOLATIONS)

    def call(self, inputs: Any) -> Tensor:
        size = [self.height, self.width]
        corners = not (self.crop_to_aspect_ratio or self.half_pixel_centers)
        return RESIZE[self.interpolation](self.images(inputs), size, corners, self.half_pixel_centers)


class CenterCrop(_SizedImages, class_name="CenterCrop", factory="layers.center_crop"):
    """The middle of images: (…, height, width, channels), with or without a batch.

    Images that are too small in one direction are resized instead, as in TF.js.
    """

    def call(self, inputs: Any) -> Tensor:
        x = self.images(inputs)
        height, width = x.shape[-3:-1]
        top = (height - self.height) // 2
        # TF.js never starts at the left edge of an image that is cropped in width.
        left = 0 if width == self.width else (width - self.width) // 2 or 1
        if top < 0 or left < 0:
            return resize_bilinear(x, [self.height, self.width]).cast(x.dtype)
        box = [top / height, left / width, (top + self.height) / height, (left + self.width) / width]
        batch = expand_dims(x, 0) if x.rank == 3 else x
        count = batch.shape[0]
        which = range_(0, count, 1, "int32")
        crops = crop_and_resize(batch, [box] * count, which, [self.height, self.width], "nearest").cast(x.dtype)
        return squeeze(crops, [0]) if x.rank == 3 else crops


class RandomWidth(_Images, class_name="RandomWidth", factory="layers.random_width"):
    """Images stretched in width by a random fraction: between -factor and factor, or between two numbers.

    (…, height, width, channels), with or without a batch. As in TF.js this also applies outside training. A seed is
    incremented by each call, also in the configuration.
    """

    factor: float | Sequence[float]
    interpolation: str = "bilinear"
    seed: Seed | None = None
    auto_vectorize: bool | None = None

    def configure(self) -> None:
        self._bounds = _bounds(self.class_name, self.factor)
        self.interpolation = enum_option(self.class_name, "interpolation", self.interpolation, INTERPOLATIONS)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return self.of_size(input_shape, self._of_images(one_shape(self.name, input_shape))[-3], None)

    def call(self, inputs: Any) -> Tensor:
        x = self.images(inputs)
        height, width = x.shape[-3:-1]
        lower, upper = self._bounds
        factor = random_uniform([1], 1 + lower, 1 + upper, "float32", self.seed).data_sync()[0]
        if isinstance(self.seed, (int, float)):
            self.seed += 1
        return RESIZE[self.interpolation](x, [height, round_half_up(float(factor) * width)])

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["auto_vectorize"]
        return config


def _bounds(layer: str, factor: Any) -> tuple[float, float]:
    """The smallest and largest change of the width, as fractions of it."""
    if isinstance(factor, (list, tuple)):
        bounds = [as_number(layer, "factor", part) for part in factor]
    else:
        part = as_number(layer, "factor", factor)
        bounds = [-part, part]
    if len(bounds) != 2 or not -1 <= bounds[0] <= bounds[1] or factor == 0:
        expected = "a number above 0 and up to 1, or a list of two from -1 on, the smaller one first"
        raise argument_error(layer, "factor", expected, factor)
    return bounds[0], bounds[1]


_OUTPUT_MODES = words("int", "oneHot", "multiHot", "count")


class CategoryEncoding(OneOutput, class_name="CategoryEncoding", factory="layers.category_encoding"):
    """Integers below num_tokens encoded as vectors of that size, in the way that output_mode selects.

    'oneHot': a 1 at the integer, (n) → (n, num_tokens); 'multiHot': a 1 at each integer of a sample, (batch, n) →
    (batch, num_tokens); 'count': the count of each, or the sum of its count_weights in the call; 'int': the integers
    themselves.
    """

    num_tokens: int
    output_mode: str = "multiHot"

    def configure(self) -> None:
        self.num_tokens = as_positive(self.class_name, "num_tokens", self.num_tokens)
        self.output_mode = enum_option(self.class_name, "output_mode", self.output_mode, _OUTPUT_MODES)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = one_shape(self.name, input_shape)
        if self.output_mode == "int":
            return shape
        if self.output_mode == "oneHot" and shape[-1:] != (1,):
            return (*shape, self.num_tokens)
        return (*shape[:-1], self.num_tokens)

    def call(self, inputs: Any, count_weights: Any = None) -> Tensor:
        x = one_tensor(self.name, inputs).cast("int32")
        if count_weights is not None and self.output_mode != "count":
            raise argument_error(self.name, "count_weights", "omitted unless output_mode is 'count'", count_weights)
        values = x.data_sync()
        if x.size and not (values.min() >= 0 and values.max() < self.num_tokens):
            raise argument_error(self.name, "inputs", f"whole numbers from 0 to {self.num_tokens - 1}", x)
        if self.output_mode == "int":
            return x
        if x.rank == 0 or (self.output_mode == "oneHot" and x.shape[-1] != 1):
            x = expand_dims(x, -1)
        if x.rank > 2:
            expected = f"of rank 2 or less, one vector per sample, if output_mode is {self.output_mode!r}"
            raise argument_error(self.name, "inputs", expected, one_tensor(self.name, inputs))
        weights: Any = [] if count_weights is None else one_tensor(self.name, count_weights)
        return dense_bincount(x, weights, self.num_tokens, self.output_mode != "count")
