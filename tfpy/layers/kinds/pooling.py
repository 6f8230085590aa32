"""Pooling layers, which take the maximum or the mean over windows, or over all positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tfpy.core.ops.pool import avg_pool, avg_pool3d, max_pool, max_pool3d
from tfpy.core.ops.reduce import max_, mean
from tfpy.core.ops.shape import expand_dims, squeeze
from tfpy.core.tensor import Tensor
from tfpy.engine.windows import output_size
from tfpy.layers.calling import one_tensor
from tfpy.layers.enum_options import SAME_OR_VALID
from tfpy.layers.one_output import OneOutput
from tfpy.layers.shapes import one_shape
from tfpy.layers.spatial import (
    NumbersOption,
    Spatial,
    channel_axis,
    check_fit,
    from_channels_last,
    inner_axes,
    normalize_options,
    to_channels_last,
    with_inner,
)
from tfpy.layers.specs import InputSpec

Pool = Callable[..., Tensor]


class _Pooling(OneOutput):
    """A layer that reduces each window to one value."""

    pool_size: NumbersOption = 2
    strides: NumbersOption | None = None
    padding: str = "valid"
    data_format: str = "channelsLast"

    per_sample = True
    dimensions: ClassVar[int]
    pool: ClassVar[Pool]

    def configure(self) -> None:
        if self.strides is None:
            self.strides = self.pool_size
        normalize_options(self, self.dimensions, "pool_size", "strides", paddings=SAME_OR_VALID)
        self._steps: tuple[int, ...] = self.strides
        self.input_spec = [InputSpec(ndim=self.dimensions + 2)]

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = one_shape(self.name, input_shape, self.dimensions + 2)
        inner = [shape[axis] for axis in inner_axes(self.data_format, self.dimensions)]
        steps = zip(inner, self.pool_size, self._steps, strict=True)
        sizes = [output_size(size, window, self.padding, stride) for size, window, stride in steps]
        check_fit(self.name, "pool_size", self.pool_size, inner, sizes)
        return with_inner(shape, self.data_format, sizes)

    def call(self, inputs: Any) -> Tensor:
        x = to_channels_last(one_tensor(self.name, inputs), self.data_format)
        return from_channels_last(self.pooled(x), self.data_format)

    def pooled(self, x: Tensor) -> Tensor:
        """The pooled x, whose channels are last."""
        return type(self).pool(x, self.pool_size, self._steps, self.padding)


class _Pooling1D(_Pooling):
    dimensions = 1

    def pooled(self, x: Tensor) -> Tensor:
        y = type(self).pool(expand_dims(x, 2), (*self.pool_size, 1), (*self._steps, 1), self.padding)
        return squeeze(y, [2])


class _Pooling2D(_Pooling):
    dimensions = 2


class _Pooling3D(_Pooling):
    dimensions = 3


class MaxPooling1D(_Pooling1D, class_name="MaxPooling1D", factory="layers.max_pooling1d", aliases="max_pool1d"):
    """The maximum over windows of sequences: (batch, time, channels) → (batch, places, channels)."""

    pool = staticmethod(max_pool)


class AveragePooling1D(
    _Pooling1D,
    class_name="AveragePooling1D",
    factory="layers.average_pooling1d",
    aliases="avg_pool1d avg_pooling1d",
):
    """The mean over windows of sequences: (batch, time, channels) → (batch, places, channels)."""

    pool = staticmethod(avg_pool)


class MaxPooling2D(_Pooling2D, class_name="MaxPooling2D", factory="layers.max_pooling2d", aliases="max_pool2d"):
    """The maximum over windows of images: (batch, height, width, channels) → (batch, rows, columns, channels)."""

    pool = staticmethod(max_pool)


class AveragePooling2D(
    _Pooling2D,
    class_name="AveragePooling2D",
    factory="layers.average_pooling2d",
    aliases="avg_pool2d avg_pooling2d",
):
    """The mean over windows of images: (batch, height, width, channels) → (batch, rows, columns, channels)."""

    pool = staticmethod(avg_pool)


class MaxPooling3D(_Pooling3D, class_name="MaxPooling3D", factory="layers.max_pooling3d", aliases="max_pool3d"):
    """The maximum over windows of volumes: (batch, depth, height, width, channels) → (batch, …, channels)."""

    pool = staticmethod(max_pool3d)


class AveragePooling3D(
    _Pooling3D,
    class_name="AveragePooling3D",
    factory="layers.average_pooling3d",
    aliases="avg_pool3d avg_pooling3d",
):
    """The mean over windows of volumes: (batch, depth, height, width, channels) → (batch, …, channels)."""

    pool = staticmethod(avg_pool3d)


class _GlobalPooling(Spatial):
    """A layer that reduces each channel to one value. With keepdims the inner sizes are 1 (beyond TF.js)."""

    keepdims: bool = False

    reduce: ClassVar[Pool]

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = one_shape(self.name, input_shape, self.dimensions + 2)
        if self.keepdims:
            return with_inner(shape, self.data_format, [1] * self.dimensions)
        return shape[0], shape[channel_axis(self.data_format, self.dimensions)]

    def call(self, inputs: Any) -> Tensor:
        axes = inner_axes(self.data_format, self.dimensions)
        return type(self).reduce(one_tensor(self.name, inputs), axes, bool(self.keepdims))


class GlobalAveragePooling1D(
    _GlobalPooling,
    class_name="GlobalAveragePooling1D",
    factory="layers.global_average_pooling1d",
):
    """The mean over time: (batch, time, channels) → (batch, channels)."""

    dimensions = 1
    reduce = staticmethod(mean)


class GlobalMaxPooling1D(
    _GlobalPooling,
    class_name="GlobalMaxPooling1D",
    factory="layers.global_max_pooling1d",
    aliases="global_max_pool1d",
):
    """The maximum over time: (batch, time, channels) → (batch, channels)."""

    dimensions = 1
    reduce = staticmethod(max_)


class GlobalAveragePooling2D(
    _GlobalPooling,
    class_name="GlobalAveragePooling2D",
    factory="layers.global_average_pooling2d",
):
    """The mean over each image: (batch, height, width, channels) → (batch, channels)."""

    dimensions = 2
    reduce = staticmethod(mean)


class GlobalMaxPooling2D(
    _GlobalPooling,
    class_name="GlobalMaxPooling2D",
    factory="layers.global_max_pooling2d",
    aliases="global_max_pool2d",
):
    """The maximum over each image: (batch, height, width, channels) → (batch, channels)."""

    dimensions = 2
    reduce = staticmethod(max_)


class GlobalAveragePooling3D(
    _GlobalPooling,
    class_name="GlobalAveragePooling3D",
    factory="layers.global_average_pooling3d",
):
    """The mean over each volume: (batch, depth, height, width, channels) → (batch, channels).

    Source: Keras `GlobalAveragePooling3D` (beyond TF.js).
    """

    dimensions = 3
    reduce = staticmethod(mean)


class GlobalMaxPooling3D(
    _GlobalPooling,
    class_name="GlobalMaxPooling3D",
    factory="layers.global_max_pooling3d",
    aliases="global_max_pool3d",
):
    """The maximum over each volume: (batch, depth, height, width, channels) → (batch, channels).

    Source: Keras `GlobalMaxPooling3D` (beyond TF.js).
    """

    dimensions = 3
    reduce = staticmethod(max_)
