"""Shared parts of layers over images, sequences and volumes: options per dimension, layouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from tfpy.core.ops.arith import add
from tfpy.core.ops.matmul import transpose
from tfpy.core.ops.spatial import LAYOUTS
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import array_as_list, as_int
from tfpy.engine.errors import argument_error
from tfpy.engine.windows import per_dimension
from tfpy.layers.enum_options import DATA_FORMATS, enum_option
from tfpy.layers.one_output import OneOutput
from tfpy.layers.specs import InputSpec
from tfpy.layers.symbolic import PartialShape

NumbersLike: TypeAlias = int | Sequence[int]
# An option of this kind: a NumbersLike, converted to a tuple of one number per dimension by the constructor.
NumbersOption: TypeAlias = Any


class Spatial(OneOutput):
    """A layer over samples with inner dimensions and channels."""

    data_format: str = "channelsLast"

    per_sample = True
    dimensions: ClassVar[int]

    def configure(self) -> None:
        normalize_options(self, self.dimensions)
        self.input_spec = [InputSpec(ndim=self.dimensions + 2)]


def normalize_options(layer: Any, n: int, *numbers: str, paddings: Mapping[str, str] | None = None) -> None:
    """Check and normalize the options that layers over n inner dimensions share.

    Args:
        layer: the layer. Its data format is converted to TF.js's spelling.
        n: how many inner dimensions there are.
        numbers: the options that are one number, or one per dimension; they become tuples.
        paddings: the valid words for its padding; None if it has none, or a numeric one.
    """
    kind = layer.class_name
    for option in numbers:
        setattr(layer, option, per_dimension(kind, option, getattr(layer, option), n))
    if paddings is not None:
        layer.padding = enum_option(kind, "padding", layer.padding, paddings)
    layer.data_format = enum_option(kind, "data_format", layer.data_format, DATA_FORMATS)


def pairs(layer: str, option: str, value: Any, n: int) -> tuple[tuple[int, int], ...]:
    """The amounts at both ends of n dimensions: one number for all, one for each, or a pair (before, after) for each.

    For a single dimension a list of two numbers is the pair itself, as in Keras.
    """
    value = array_as_list(value)
    given = list(value) if isinstance(value, (list, tuple)) else [value] * n
    if n == 1 and len(given) == 2:
        given = [given]
    listed = [list(v) if isinstance(v, (list, tuple)) else [v, v] for v in given]
    if len(listed) != n or any(len(pair) != 2 for pair in listed):
        expected = f"a number, or for each of {n} dimensions a number or a pair (before, after)"
        raise argument_error(layer, option, expected, value)
    found = tuple((as_int(layer, option, a), as_int(layer, option, b)) for a, b in listed)
    if min(v for pair in found for v in pair) < 0:
        raise argument_error(layer, option, "numbers of 0 or more", value)
    return found


def layout(data_format: str, n: int) -> str:
    """The ops' name of the layout of n inner dimensions: 'NHWC' or 'NCHW' for two."""
    return LAYOUTS[n][data_format == "channelsFirst"]


def channel_axis(data_format: str, n: int) -> int:
    """The axis of the channels beside n inner dimensions."""
    return 1 if data_format == "channelsFirst" else n + 1


def inner_axes(data_format: str, n: int) -> list[int]:
    """The axes of n inner dimensions."""
    return [i + 2 if data_format == "channelsFirst" else i + 1 for i in range(n)]


def with_inner(shape: PartialShape, data_format: str, sizes: Sequence[int | None]) -> PartialShape:
    """A shape with its inner sizes replaced."""
    new = list(shape)
    for axis, size in zip(inner_axes(data_format, len(sizes)), sizes, strict=True):
        new[axis] = size
    return tuple(new)


def to_channels_last(x: Tensor, data_format: str) -> Tensor:
    """x with its channels moved to the end."""
    return transpose(x, [0, *range(2, x.rank), 1]) if data_format == "channelsFirst" else x


def from_channels_last(y: Tensor, data_format: str) -> Tensor:
    """y with its channels moved back from the end."""
    return transpose(y, [0, y.rank - 1, *range(1, y.rank - 1)]) if data_format == "channelsFirst" else y


def add_bias(y: Tensor, bias: Tensor | None, data_format: str) -> Tensor:
    """y plus one bias value per channel."""
    if bias is None:
        return y
    if data_format == "channelsFirst":
        bias = bias.reshape([1, bias.size, *[1] * (y.rank - 2)])
    return add(y, bias)


def known_channels(layer: str, shape: PartialShape, axis: int) -> int:
    """The number of channels of an input, which must be known."""
    size = shape[axis] if axis < len(shape) else None
    if size is None:
        raise argument_error(layer, "input_shape", f"a shape whose channels, axis {axis}, are known", list(shape))
    return size


def check_fit(
    layer: str, option: str, window: Sequence[int], inner: Sequence[int | None], sizes: Sequence[int | None]
) -> None:
    """Raise if a window is larger than its input, so that sizes would be negative."""
    if any(size is not None and size < 0 for size in sizes):
        raise argument_error(layer, option, f"small enough for inputs of size {list(inner)}", list(window))
