"""Recurrent layers over images, with convolutional cells."""

from __future__ import annotations

from typing import Any

from tfpy.core.ops.conv import conv2d
from tfpy.core.ops.join import split
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_positive
from tfpy.engine.errors import argument_error
from tfpy.engine.windows import output_size
from tfpy.layers.enum_options import SAME_OR_VALID
from tfpy.layers.kinds.cells import BaseLSTMCell, BaseLSTMOptions
from tfpy.layers.kinds.recurrent import CellLayer
from tfpy.layers.shapes import one_shape
from tfpy.layers.spatial import (
    NumbersOption,
    add_bias,
    channel_axis,
    inner_axes,
    known_channels,
    layout,
    normalize_options,
)
from tfpy.layers.specs import InputSpec
from tfpy.layers.symbolic import PartialShape


class ConvLSTMOptions(BaseLSTMOptions):
    """Options of cells that convolve, and of the layers made of them."""

    filters: int
    kernel_size: NumbersOption
    strides: NumbersOption = 1
    padding: str = "valid"
    data_format: str = "channelsLast"
    dilation_rate: NumbersOption = 1


class ConvLSTM2DCell(ConvLSTMOptions, BaseLSTMCell, class_name="ConvLSTM2DCell", factory="layers.conv_lstm2d_cell"):
    """A long short-term memory whose products are convolutions (Shi et al. 2015), its gates in the order i, f, c, o.

    i, f, o = σ(W ∗ x + b + U ∗ h);  c' = f ∘ c + i ∘ tanh(W ∗ x + b + U ∗ h);  h' = o ∘ tanh(c').

    Weights: kernel [*kernel_size, channels, 4 · filters], recurrent_kernel [*kernel_size, filters, 4 · filters], bias
    [4 · filters].
    """

    def configure(self) -> None:
        super().configure()
        self.filters = as_positive(self.class_name, "filters", self.filters)
        normalize_options(self, 2, "kernel_size", "strides", "dilation_rate", paddings=SAME_OR_VALID)
        self.state_size = [self.filters, self.filters]

    def build(self, input_shape: Any) -> None:
        channels = known_channels(self.name, one_shape(self.name, input_shape), channel_axis(self.data_format, 2))
        width = 4 * self.filters
        self.add_weights((*self.kernel_size, channels, width), (*self.kernel_size, self.filters, width), (width,))
        self.built = True

    def state_shape(self, image_shape: PartialShape) -> PartialShape:
        """The shape of the states for a batch of images."""
        inner = [image_shape[axis] for axis in inner_axes(self.data_format, 2)]
        steps = zip(inner, self.kernel_size, self.strides, self.dilation_rate, strict=True)
        sizes = [output_size(n, size, self.padding, stride, dilation) for n, size, stride, dilation in steps]
        if self.data_format == "channelsFirst":
            return (image_shape[0], self.filters, *sizes)
        return (image_shape[0], *sizes, self.filters)

    def call(self, inputs: Any, training: bool = False) -> list[Tensor]:
        x, state, carry = self.parts(inputs, 3)
        kernels, recurrent_kernels = split(self.kernel, 4, 3), split(self.recurrent_kernel, 4, 3)
        biases = [None] * 4 if self.bias is None else split(self.bias, 4)
        sums = []
        for gate in range(4):
            given = self._of_input(self.masked("inputs", x, training, gate), kernels[gate], biases[gate])
            kept = self._of_state(self.masked("state", state, training, gate), recurrent_kernels[gate])
            sums.append(given.add(kept))
        return self.from_gates(sums, carry)

    def _of_input(self, x: Tensor, kernel: Tensor, bias: Tensor | None) -> Tensor:
        y = conv2d(x, kernel, self.strides, self.padding, layout(self.data_format, 2), self.dilation_rate)
        return add_bias(y, bias, self.data_format)

    def _of_state(self, state: Tensor, kernel: Tensor) -> Tensor:
        return conv2d(state, kernel, 1, "same", layout(self.data_format, 2))


class ConvLSTM2D(ConvLSTMOptions, CellLayer, class_name="ConvLSTM2D", factory="layers.conv_lstm2d"):
    """Long short-term memory over images, whose products are convolutions (Shi et al. 2015).

    (batch, time, height, width, channels) → (batch, rows, columns, filters), with return_sequences
    (batch, time, rows, columns, filters).
    """

    cell_class = ConvLSTM2DCell

    def configure(self) -> None:
        super().configure()
        self.input_spec = [InputSpec(ndim=5)]
        for option in ("kernel_size", "strides", "dilation_rate", "padding", "data_format"):
            setattr(self, option, getattr(self.cell, option))
        if self.unroll:
            raise argument_error(self.class_name, "unroll", "false, for convolutions", self.unroll)

    def state_shapes(self, input_shape: PartialShape) -> list[Any]:
        return [self.cell.state_shape((input_shape[0], *input_shape[2:]))] * 2
