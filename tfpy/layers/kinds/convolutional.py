"""Convolutions of sequences, images and volumes, and transposed convolutions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from tfpy.core.ops import fused
from tfpy.core.ops.conv import conv1d, conv2d_transpose, conv3d, conv3d_transpose
from tfpy.core.ops.slice import pad
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_positive
from tfpy.engine.errors import argument_error
from tfpy.engine.windows import output_size, transposed_size
from tfpy.layers.activations import ActivationOption, name_of
from tfpy.layers.calling import one_tensor
from tfpy.layers.constraints import ConstraintOption
from tfpy.layers.enum_options import PADDINGS, SAME_OR_VALID
from tfpy.layers.initializers import InitializerOption
from tfpy.layers.one_output import OneOutput
from tfpy.layers.regularizers import RegularizerOption
from tfpy.layers.shapes import one_shape
from tfpy.layers.spatial import (
    NumbersOption,
    add_bias,
    channel_axis,
    check_fit,
    from_channels_last,
    inner_axes,
    known_channels,
    layout,
    normalize_options,
    to_channels_last,
    with_inner,
)
from tfpy.layers.specs import InputSpec
from tfpy.layers.symbolic import PartialShape
from tfpy.layers.weights import LayerVariable


class BaseConv(OneOutput):
    """A convolution of any kind, in any number of dimensions.

    Source: TF.js's `BaseConv`.
    """

    kernel_size: NumbersOption
    strides: NumbersOption = 1
    padding: str = "valid"
    data_format: str = "channelsLast"
    dilation_rate: NumbersOption = 1
    activation: ActivationOption = "linear"
    use_bias: bool = True
    bias_initializer: InitializerOption = "zeros"
    bias_constraint: ConstraintOption = None
    bias_regularizer: RegularizerOption = None
    activity_regularizer: RegularizerOption = None

    per_sample = True
    dimensions: ClassVar[int]
    paddings: ClassVar[dict[str, str]] = SAME_OR_VALID

    def configure(self) -> None:
        normalize_options(self, self.dimensions, "kernel_size", "strides", "dilation_rate", paddings=self.paddings)
        self.input_spec = [InputSpec(ndim=self.dimensions + 2)]
        self.bias: LayerVariable | None = None

    def build(self, input_shape: Any) -> None:
        axis = channel_axis(self.data_format, self.dimensions)
        channels = known_channels(self.name, one_shape(self.name, input_shape), axis)
        self.add_filters(channels)
        if self.use_bias:
            self.bias = self._add_declared_weight("bias", (self.outputs(channels),))
        self.input_spec = [InputSpec(ndim=self.dimensions + 2, axes={axis: channels})]
        self.built = True

    def add_filters(self, channels: int) -> None:
        """Add the weights of the filters, for inputs with the given number of channels."""
        raise TypeError(f"{self.class_name}: a layer of this kind must define add_filters(channels).")

    def outputs(self, channels: int | None) -> int | None:
        """The number of output channels, as far as the number of input channels determines it."""
        raise TypeError(f"{self.class_name}: a layer of this kind must define outputs(channels).")

    def convolve(self, x: Tensor) -> Tensor:
        """The convolution of x with the filters, without the bias."""
        raise TypeError(f"{self.class_name}: a layer of this kind must define convolve(x).")

    def inner_size(self, i: int, size: int | None) -> int | None:
        """The size of the output's i-th inner dimension."""
        steps = (self.kernel_size[i], self.padding, self.strides[i], self.dilation_rate[i])
        return output_size(size, *steps)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = list(one_shape(self.name, input_shape, self.dimensions + 2))
        axis = channel_axis(self.data_format, self.dimensions)
        shape[axis] = self.outputs(shape[axis])
        inner = [shape[a] for a in inner_axes(self.data_format, self.dimensions)]
        sizes = [self.inner_size(i, size) for i, size in enumerate(inner)]
        check_fit(self.name, "kernel_size", self.kernel_size, inner, sizes)
        return with_inner(tuple(shape), self.data_format, sizes)

    def call(self, inputs: Any) -> Tensor:
        y: Tensor = self.activation(add_bias(self.convolve(one_tensor(self.name, inputs)), self.bias, self.data_format))
        return y


class Conv(BaseConv):
    """A convolution whose filters each see all channels.

    Source: TF.js's `Conv`.
    """

    filters: int
    kernel_initializer: InitializerOption = "glorotNormal"
    kernel_constraint: ConstraintOption = None
    kernel_regularizer: RegularizerOption = None

    def configure(self) -> None:
        super().configure()
        self.filters = as_positive(self.class_name, "filters", self.filters)

    def outputs(self, channels: int | None) -> int:
        return self.filters

    def add_filters(self, channels: int) -> None:
        self.kernel = self._add_declared_weight("kernel", (*self.kernel_size, *self.kernel_channels(channels)))

    def kernel_channels(self, channels: int) -> tuple[int, int]:
        """The last two sizes of the kernel, for inputs with the given number of channels."""
        return channels, self.filters


def with_causal_padding(x: Tensor, layer: BaseConv) -> tuple[Tensor, str]:
    """A sequence, and the padding that remains to be done.

    If it is causal, the sequence is padded here, at the front, so that no output depends on later inputs.
    """
    if layer.padding != "causal":
        return x, layer.padding
    (size,), (dilation,) = layer.kernel_size, layer.dilation_rate
    paddings = [[0, 0]] * 3
    paddings[inner_axes(layer.data_format, 1)[0]] = [(size - 1) * dilation, 0]
    return pad(x, paddings), "valid"


class Conv1D(Conv, class_name="Conv1D", factory="layers.conv1d"):
    """Convolution of sequences: (batch, time, channels) → (batch, places, filters).

    Weights: kernel [kernel_size, channels, filters], bias [filters]. The padding may also be 'causal', so that no
    output depends on later inputs (beyond TF.js). With data_format 'channelsFirst' the output also has its channels
    first, which TF.js declares but does not do.
    """

    dimensions = 1
    paddings = PADDINGS

    def convolve(self, x: Tensor) -> Tensor:
        x, padding = with_causal_padding(x, self)
        return conv1d(x, self.kernel, self.strides, padding, layout(self.data_format, 1), self.dilation_rate)


# The activations that the fused op supports.
_FUSED = ("linear", "relu", "elu")


class Conv2D(Conv, class_name="Conv2D", factory="layers.conv2d"):
    """Convolution of images: (batch, height, width, channels) → (batch, rows, columns, filters).

    Weights: kernel [*kernel_size, channels, filters], bias [filters].
    """

    dimensions = 2

    def call(self, inputs: Any) -> Tensor:
        name = name_of(self.activation)
        y = fused.conv2d(
            x=one_tensor(self.name, inputs), filter=self.kernel, strides=self.strides, pad=self.padding,
            data_format=layout(self.data_format, 2), dilations=self.dilation_rate, bias=self.bias,
            activation=name if name in _FUSED else "linear",
        )  # fmt: skip
        return y if name in _FUSED else self.activation(y)


class Conv3D(Conv, class_name="Conv3D", factory="layers.conv3d"):
    """Convolution of volumes: (batch, depth, height, width, channels) → (batch, …, filters).

    Weights: kernel [*kernel_size, channels, filters], bias [filters].
    """

    dimensions = 3

    def convolve(self, x: Tensor) -> Tensor:
        return conv3d(x, self.kernel, self.strides, self.padding, layout(self.data_format, 3), self.dilation_rate)


class _Transposed(Conv):
    """A transposed convolution."""

    transpose: ClassVar[Callable[..., Tensor]]

    def configure(self) -> None:
        super().configure()
        if any(rate != 1 for rate in self.dilation_rate):
            expected = "1, since transposed convolutions have no dilation"
            raise argument_error(self.class_name, "dilation_rate", expected, self.dilation_rate)

    def kernel_channels(self, channels: int) -> tuple[int, int]:
        return self.filters, channels

    def inner_size(self, i: int, size: int | None) -> int | None:
        return transposed_size(size, self.kernel_size[i], self.padding, self.strides[i])

    def convolve(self, x: Tensor) -> Tensor:
        moved = to_channels_last(x, self.data_format)
        inner = [self.inner_size(i, size) for i, size in enumerate(moved.shape[1:-1])]
        shape: PartialShape = (x.shape[0], *inner, self.filters)
        y = type(self).transpose(moved, self.kernel, shape, self.strides, self.padding)
        return from_channels_last(y, self.data_format)

    def get_config(self) -> dict[str, Any]:
        config = super().get_config()
        del config["dilation_rate"]
        return config


class Conv2DTranspose(_Transposed, class_name="Conv2DTranspose", factory="layers.conv2d_transpose"):
    """The reverse of a convolution of images: each input is spread over a window of the output.

    (batch, height, width, channels) → (batch, rows, columns, filters).

    Weights: kernel [*kernel_size, filters, channels], bias [filters].
    """

    dimensions = 2
    transpose = staticmethod(conv2d_transpose)


class Conv3DTranspose(_Transposed, class_name="Conv3DTranspose", factory="layers.conv3d_transpose"):
    """The reverse of a convolution of volumes: each input is spread over a window of the output.

    (batch, depth, height, width, channels) → (batch, …, filters).

    Weights: kernel [*kernel_size, filters, channels], bias [filters].
    """

    dimensions = 3
    transpose = staticmethod(conv3d_transpose)
