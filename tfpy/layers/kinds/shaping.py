"""Layers that reshape, permute, crop, pad and upsample their inputs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tfpy.core.ops.matmul import transpose
from tfpy.core.ops.slice import pad, slice_
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error
from tfpy.engine.windows import per_dimension
from tfpy.layers.calling import one_tensor
from tfpy.layers.enum_options import INTERPOLATIONS, enum_option
from tfpy.layers.kinds.preprocessing import RESIZE
from tfpy.layers.one_output import OneOutput
from tfpy.layers.shapes import one_shape
from tfpy.layers.spatial import (
    NumbersOption,
    Spatial,
    from_channels_last,
    inner_axes,
    pairs,
    to_channels_last,
    with_inner,
)
from tfpy.layers.specs import InputSpec


class Reshape(OneOutput, class_name="Reshape", factory="layers.reshape"):
    """Each sample reshaped to the same number of elements; one size may be None or -1.

    As in TF.js that size is known in advance only if the batch size is.
    """

    target_shape: Sequence[int | None]

    per_sample = True

    def configure(self) -> None:
        sizes = [-1 if n is None else as_int(self.class_name, "target_shape", n) for n in self.target_shape]
        self.target_shape = [None if n < 0 else n for n in sizes]
        if self.target_shape.count(None) > 1:
            raise argument_error(self.class_name, "target_shape", "sizes with at most one unknown", list(sizes))

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = one_shape(self.name, input_shape)
        if None in shape[1:]:
            return (shape[0], *self.target_shape)
        sizes = self._sizes(shape)
        return (shape[0], *(self.target_shape if shape[0] is None else sizes))

    def _sizes(self, shape: Sequence[int | None]) -> list[int]:
        """The sizes of a sample of the output."""
        size = math.prod(n for n in shape[1:] if n is not None)
        known = math.prod(n for n in self.target_shape if n is not None)
        rest = size // known if known else 0
        sizes = [rest if n is None else n for n in self.target_shape]
        if math.prod(sizes) != size:
            expected = f"a shape of {size} elements, as a sample {list(shape[1:])} has"
            raise argument_error(self.name, "target_shape", expected, list(self.target_shape))
        return sizes

    def call(self, inputs: Any) -> Tensor:
        x = one_tensor(self.name, inputs)
        return x.reshape([x.shape[0], *self._sizes(x.shape)])


class Permute(OneOutput, class_name="Permute", factory="layers.permute"):
    """The dimensions of each sample permuted: with dims [2, 1], (batch, a, b) → (batch, b, a)."""

    dims: Sequence[int]

    per_sample = True

    def configure(self) -> None:
        self.dims = [as_int(self.class_name, "dims", n) for n in self.dims]
        if sorted(self.dims) != list(range(1, len(self.dims) + 1)):
            raise argument_error(self.class_name, "dims", "a permutation of the numbers from 1 on", self.dims)
        self.input_spec = [InputSpec(ndim=len(self.dims) + 1)]

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = one_shape(self.name, input_shape, len(self.dims) + 1)
        return (shape[0], *(shape[n] for n in self.dims))

    def call(self, inputs: Any) -> Tensor:
        return transpose(one_tensor(self.name, inputs), [0, *self.dims])


class _ResizesSpace(Spatial):
    """A layer that changes the sizes of the inner dimensions."""

    def inner_size(self, i: int, size: int) -> int:
        """The new size of the i-th inner dimension."""
        raise TypeError(f"{self.class_name}: a layer of this kind must define inner_size(i, size).")

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = one_shape(self.name, input_shape, self.dimensions + 2)
        old = [shape[axis] for axis in inner_axes(self.data_format, self.dimensions)]
        sizes = [None if n is None else self.inner_size(i, n) for i, n in enumerate(old)]
        return with_inner(shape, self.data_format, sizes)


class _Cropping(_ResizesSpace):
    cropping: NumbersOption

    def configure(self) -> None:
        super().configure()
        self.cropping = pairs(self.class_name, "cropping", self.cropping, self.dimensions)

    def inner_size(self, i: int, size: int) -> int:
        rest = size - int(sum(self.cropping[i]))
        if rest < 0:
            raise argument_error(self.name, "cropping", f"no more than the size {size} of the inputs", self.cropping[i])
        return rest

    def call(self, inputs: Any) -> Tensor:
        x = one_tensor(self.name, inputs)
        begin, size = [0] * x.rank, list(x.shape)
        for i, axis in enumerate(inner_axes(self.data_format, self.dimensions)):
            begin[axis], size[axis] = self.cropping[i][0], self.inner_size(i, x.shape[axis])
        return slice_(x, begin, size)


class Cropping1D(_Cropping, class_name="Cropping1D", factory="layers.cropping1d"):
    """Sequences with steps cropped at the beginning and the end: (batch, time, channels).

    Source: Keras `Cropping1D` (beyond TF.js).
    """

    cropping: NumbersOption = (1, 1)

    dimensions = 1


class Cropping2D(_Cropping, class_name="Cropping2D", factory="layers.cropping2d"):
    """Images with rows and columns cropped: (batch, height, width, channels).

    The cropping is a number for all sides, or a number or pair (before, after) each for height and width.
    """

    dimensions = 2


class Cropping3D(_Cropping, class_name="Cropping3D", factory="layers.cropping3d"):
    """Volumes cropped along each dimension: (batch, depth, height, width, channels).

    The cropping is a number for all sides, or a number or pair (before, after) for each dimension.

    Source: Keras `Cropping3D` (beyond TF.js).
    """

    cropping: NumbersOption = (1, 1, 1)

    dimensions = 3


class _ZeroPadding(_ResizesSpace):
    padding: NumbersOption = 1

    def configure(self) -> None:
        super().configure()
        self.padding = pairs(self.class_name, "padding", self.padding, self.dimensions)

    def inner_size(self, i: int, size: int) -> int:
        return size + int(sum(self.padding[i]))

    def call(self, inputs: Any) -> Tensor:
        x = one_tensor(self.name, inputs)
        margins = [(0, 0)] * x.rank
        for i, axis in enumerate(inner_axes(self.data_format, self.dimensions)):
            margins[axis] = self.padding[i]
        return pad(x, margins)


class ZeroPadding1D(_ZeroPadding, class_name="ZeroPadding1D", factory="layers.zero_padding1d"):
    """Sequences padded with zeros at the beginning and the end: (batch, time, channels).

    Source: Keras `ZeroPadding1D` (beyond TF.js).
    """

    dimensions = 1


class ZeroPadding2D(_ZeroPadding, class_name="ZeroPadding2D", factory="layers.zero_padding2d"):
    """Images padded with a margin of zeros: (batch, height, width, channels).

    The padding is a number for all sides, or a number or pair (before, after) each for height and width.
    """

    dimensions = 2


class ZeroPadding3D(_ZeroPadding, class_name="ZeroPadding3D", factory="layers.zero_padding3d"):
    """Volumes padded with a margin of zeros: (batch, depth, height, width, channels).

    The padding is a number for all sides, or a number or pair (before, after) for each dimension.

    Source: Keras `ZeroPadding3D` (beyond TF.js).
    """

    dimensions = 3


class _UpSampling(_ResizesSpace):
    size: NumbersOption = 2

    def configure(self) -> None:
        super().configure()
        self.size = per_dimension(self.class_name, "size", self.size, self.dimensions)

    def inner_size(self, i: int, size: int) -> int:
        return size * int(self.size[i])

    def call(self, inputs: Any) -> Tensor:
        x = one_tensor(self.name, inputs)
        for axis, times in zip(inner_axes(self.data_format, self.dimensions), self.size, strict=True):
            x = repeated(x, axis, times)
        return x


def repeated(x: Tensor, axis: int, times: int) -> Tensor:
    """Each element repeated along an axis, counted from the front."""
    spread = x.reshape([*x.shape[: axis + 1], 1, *x.shape[axis + 1 :]])
    copies = spread.tile([times if i == axis + 1 else 1 for i in range(spread.rank)])
    return copies.reshape([*x.shape[:axis], x.shape[axis] * times, *x.shape[axis + 1 :]])


class UpSampling1D(_UpSampling, class_name="UpSampling1D", factory="layers.up_sampling1d"):
    """Sequences with each step repeated: (batch, time, channels) → (batch, time · size, channels).

    Source: Keras `UpSampling1D` (beyond TF.js).
    """

    dimensions = 1


class UpSampling2D(_UpSampling, class_name="UpSampling2D", factory="layers.up_sampling2d"):
    """Images enlarged: (batch, height, width, channels) → (batch, height · size, width · size, channels).

    With half_pixel_centers positions refer to pixel centers, as in Keras (beyond TF.js).
    """

    interpolation: str = "nearest"
    half_pixel_centers: bool = False

    dimensions = 2

    def configure(self) -> None:
        super().configure()
        self.interpolation = enum_option(self.class_name, "interpolation", self.interpolation, INTERPOLATIONS)

    def call(self, inputs: Any) -> Tensor:
        x = to_channels_last(one_tensor(self.name, inputs), self.data_format)
        size = [n * times for n, times in zip(x.shape[1:3], self.size, strict=True)]
        return from_channels_last(RESIZE[self.interpolation](x, size, False, self.half_pixel_centers), self.data_format)


class UpSampling3D(_UpSampling, class_name="UpSampling3D", factory="layers.up_sampling3d"):
    """Volumes with each element repeated along each dimension: (batch, depth, height, width, channels).

    Source: Keras `UpSampling3D` (beyond TF.js).
    """

    dimensions = 3
