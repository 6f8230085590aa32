"""Depthwise convolutions, and separable convolutions, which then mix the channels."""

from __future__ import annotations

from typing import Any

from tfpy.core.ops.depthwise import depthwise_conv2d, separable_conv2d
from tfpy.core.ops.shape import expand_dims, squeeze
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_positive
from tfpy.engine.errors import argument_error
from tfpy.engine.warn import warn_user
from tfpy.layers.constraints import ConstraintOption
from tfpy.layers.enum_options import PADDINGS
from tfpy.layers.initializers import Initializer, InitializerOption
from tfpy.layers.kinds.convolutional import BaseConv, with_causal_padding
from tfpy.layers.regularizers import RegularizerOption
from tfpy.layers.spatial import inner_axes, layout

# Options that TF.js passes on for all convolutions, although these have no kernel of that name.
_OTHERS = ("kernel_initializer", "kernel_constraint", "kernel_regularizer")


class _BaseDepthwise(BaseConv):
    """A convolution whose filters see one channel each. Sequences are computed as images of height 1."""

    depth_multiplier: int = 1
    depthwise_initializer: InitializerOption = "glorotNormal"
    depthwise_constraint: ConstraintOption = None
    depthwise_regularizer: RegularizerOption = None
    kernel_initializer: InitializerOption = None
    kernel_constraint: ConstraintOption = None
    kernel_regularizer: RegularizerOption = None

    def configure(self) -> None:
        super().configure()
        self.depth_multiplier = as_positive(self.class_name, "depth_multiplier", self.depth_multiplier)

    def add_filters(self, channels: int) -> None:
        shape = (*self.kernel_size, channels, self.depth_multiplier)
        self.depthwise_kernel = self._add_declared_weight("depthwise_kernel", shape, "depthwise")

    @property
    def kernels(self) -> list[Tensor]:
        """The filters."""
        return [self.depthwise_kernel]

    def convolve(self, x: Tensor) -> Tensor:
        return self.convolve_images(
            x, self.kernels, strides=self.strides, pad=self.padding, dilations=self.dilation_rate
        )

    def convolve_images(self, x: Tensor, kernels: list[Tensor], **steps: Any) -> Tensor:
        """The convolution of images with the filters."""
        return depthwise_conv2d(x, kernels[0], data_format=layout(self.data_format, 2), **steps)

    def get_config(self) -> dict[str, Any]:
        return {key: value for key, value in super().get_config().items() if key not in _OTHERS}


class _OverSequences(_BaseDepthwise):
    """Sequences computed as images of height 1; their padding may be 'causal' too."""

    dimensions = 1
    paddings = PADDINGS

    def convolve(self, x: Tensor) -> Tensor:
        x, padding = with_causal_padding(x, self)
        axis = inner_axes(self.data_format, 1)[0]
        images, kernels = expand_dims(x, axis), [expand_dims(kernel, 0) for kernel in self.kernels]
        steps = {"strides": (1, *self.strides), "pad": padding, "dilations": (1, *self.dilation_rate)}
        return squeeze(self.convolve_images(images, kernels, **steps), [axis])


class _Depthwise(_BaseDepthwise):
    def configure(self) -> None:
        super().configure()
        for option in _OTHERS:
            if getattr(self, option) is not None:
                other = option.replace("kernel", "depthwise")
                warn_user(f"{self.class_name}: {option} has no effect; use {other}.")

    def outputs(self, channels: int | None) -> int | None:
        return None if channels is None else channels * self.depth_multiplier


class DepthwiseConv2D(_Depthwise, class_name="DepthwiseConv2D", factory="layers.depthwise_conv2d"):
    """Convolution of each channel of images separately: (…, channels) → (…, channels · depth_multiplier).

    Weights: depthwise_kernel [*kernel_size, channels, depth_multiplier], bias [channels · depth_multiplier]. The
    dilation_rate, which TF.js ignores, is applied.
    """

    dimensions = 2


class DepthwiseConv1D(_OverSequences, _Depthwise, class_name="DepthwiseConv1D", factory="layers.depthwise_conv1d"):
    """Convolution of each channel of sequences separately: (…, channels) → (…, channels · depth_multiplier).

    Weights: depthwise_kernel [kernel_size, channels, depth_multiplier], bias [channels · depth_multiplier].

    Source: Keras `DepthwiseConv1D` (beyond TF.js).
    """


class _Separable(_BaseDepthwise):
    filters: int
    depthwise_initializer: InitializerOption = None
    pointwise_initializer: InitializerOption = None
    pointwise_constraint: ConstraintOption = None
    pointwise_regularizer: RegularizerOption = None

    def configure(self) -> None:
        super().configure()
        kind = self.class_name
        self.filters = as_positive(kind, "filters", self.filters)
        for option in _OTHERS:
            if getattr(self, option) is not None:
                expected = "omitted; use the options for the depthwise and the pointwise kernel"
                raise argument_error(kind, option, expected, getattr(self, option))
        # TF.js initializes both kernels with the first initializer.
        self.depthwise_initializer = self.depthwise_initializer or Initializer.of("glorotUniform")
        self.pointwise_initializer = self.pointwise_initializer or self.depthwise_initializer

    def add_filters(self, channels: int) -> None:
        super().add_filters(channels)
        shape = (*[1] * self.dimensions, channels * self.depth_multiplier, self.filters)
        self.pointwise_kernel = self._add_declared_weight("pointwise_kernel", shape, "pointwise")

    @property
    def kernels(self) -> list[Tensor]:
        """The filters of each channel, and those that mix the channels."""
        return [self.depthwise_kernel, self.pointwise_kernel]

    def outputs(self, channels: int | None) -> int:
        return self.filters

    def convolve_images(self, x: Tensor, kernels: list[Tensor], **steps: Any) -> Tensor:
        depthwise, pointwise = kernels
        rate = steps.pop("dilations")
        return separable_conv2d(
            x, depthwise, pointwise, dilation=rate, data_format=layout(self.data_format, 2), **steps
        )


class SeparableConv2D(_Separable, class_name="SeparableConv2D", factory="layers.separable_conv2d"):
    """Convolution of each channel of images, then a mixture of the channels: (…, channels) → (…, filters).

    Weights: depthwise_kernel [*kernel_size, channels, depth_multiplier],
    pointwise_kernel [1, 1, channels · depth_multiplier, filters], bias [filters]. Both kernels are initialized with
    glorotUniform by default; without a pointwise_initializer the other one is used for both, as in TF.js.
    """

    dimensions = 2


class SeparableConv1D(_OverSequences, _Separable, class_name="SeparableConv1D", factory="layers.separable_conv1d"):
    """Convolution of each channel of sequences, then a mixture of the channels: (…, channels) → (…, filters).

    Weights: depthwise_kernel [kernel_size, channels, depth_multiplier],
    pointwise_kernel [1, channels · depth_multiplier, filters], bias [filters].

    Source: Keras `SeparableConv1D` (beyond TF.js).
    """
