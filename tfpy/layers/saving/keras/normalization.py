"""Keras's Normalization layer, with the mean and the variance from a file."""

from __future__ import annotations

from typing import Any

from tfpy.core.convert import to_tensor
from tfpy.core.ops.arith import maximum
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import current
from tfpy.engine.errors import argument_error
from tfpy.layers.base import Layer
from tfpy.layers.symbolic import to_list


class Normalization(Layer, class_name="Normalization"):
    """Shifts and scales inputs to mean 0 and variance 1, with precomputed statistics; or the inverse.

    There is no `adapt` here: mean and variance are options, or weights from a file.
    """

    axis: Any = -1
    mean: Any = None
    variance: Any = None
    invert: bool = False

    per_sample = True

    def build(self, input_shape: Any) -> None:
        rank = len(input_shape)
        axes = [] if self.axis is None else to_list(self.axis)
        if not all(type(axis) is int and -rank <= axis < rank for axis in axes):
            raise argument_error("normalization", "axis", f"axes of a tensor of rank {rank}", self.axis)
        kept = sorted(axis % rank for axis in axes)
        self._broadcast = [input_shape[i] if i in kept else 1 for i in range(rank)]
        if self.mean is None:
            sizes = [input_shape[i] for i in kept]
            self._mean = self.add_weight("mean", sizes, "float32", "zeros", trainable=False)
            self._variance = self.add_weight("variance", sizes, "float32", "ones", trainable=False)
            self._count = self.add_weight("count", [], "int32", "zeros", trainable=False)
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        mean, variance = self._fitting("mean"), self._fitting("variance")
        deviation = maximum(variance.sqrt(), current().epsilon())
        given = to_tensor("normalization", "inputs", inputs).cast("float32")
        return given.mul(deviation).add(mean) if self.invert else given.sub(mean).div(deviation)

    def _fitting(self, what: str) -> Tensor:
        """Mean or variance in a shape that broadcasts to the inputs."""
        given = getattr(self, what)
        values = getattr(self, f"_{what}") if given is None else to_tensor("normalization", what, given, "float32")
        return values.reshape(self._broadcast) if values.size > 1 else values.reshape([])
