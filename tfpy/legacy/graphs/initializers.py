"""Initializers: the initial values of a graph's variables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from tfpy.core.calling.options import accepts_options
from tfpy.engine.errors import argument_error
from tfpy.engine.handle import Handle
from tfpy.legacy.arrays.ndarray import NDArray
from tfpy.legacy.quirks import training


class Initializer(Protocol):
    """Anything with `initialize`. Source: deeplearn.js `Initializer`."""

    def initialize(self, weights_shape: Sequence[int], input_units: int, output_units: int) -> NDArray:
        """The initial value of a variable.

        Args:
            weights_shape: its shape.
            input_units: the number of inputs of each unit of the layer.
            output_units: the number of units.
        """


class VarianceScalingInitializer:
    """Random numbers of variance scale / n: uniform, or normal truncated at two standard deviations.

    Args:
        scale: the scale.
        mode: what n is: 'fan_in' (the inputs), 'fan_out' (the outputs) or 'fan_avg' (their mean).
        distribution: 'normal', or 'uniform': within ±√(3 · scale / n).

    Source: deeplearn.js `VarianceScalingInitializer`.
    """

    @accepts_options()
    def __init__(self, scale: float = 1.0, mode: str = "fan_in", distribution: str = "normal") -> None:
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise argument_error("VarianceScalingInitializer", "mode", "'fan_in', 'fan_out' or 'fan_avg'", mode)
        if distribution not in ("normal", "uniform"):
            expected = "'normal' or 'uniform'"
            raise argument_error("VarianceScalingInitializer", "distribution", expected, distribution)
        self.scale = scale
        self.mode = mode
        self.distribution = distribution

    def initialize(self, weights_shape: Sequence[int], input_units: int, output_units: int) -> NDArray:
        fans = {"fan_in": input_units, "fan_out": output_units, "fan_avg": (input_units + output_units) / 2}
        n = fans[self.mode]
        if self.distribution == "normal":
            return NDArray.rand_truncated_normal(weights_shape, 0.0, math.sqrt(self.scale / n))
        limit = math.sqrt(3 * self.scale / n)
        return NDArray.rand_uniform(weights_shape, 0.0 if training.ONE_SIDED.active else -limit, limit)


class ZerosInitializer:
    """Zeros. Source: deeplearn.js `ZerosInitializer`."""

    def initialize(self, weights_shape: Sequence[int], input_units: int, output_units: int) -> NDArray:
        return NDArray.zeros(weights_shape)


class OnesInitializer:
    """Ones. Source: deeplearn.js `OnesInitializer`."""

    def initialize(self, weights_shape: Sequence[int], input_units: int, output_units: int) -> NDArray:
        return NDArray.ones(weights_shape)


class ConstantInitializer:
    """The same number everywhere. Source: deeplearn.js `ConstantInitializer`."""

    def __init__(self, value: float = 0) -> None:
        self.value = value

    def initialize(self, weights_shape: Sequence[int], input_units: int, output_units: int) -> NDArray:
        values = NDArray.zeros(weights_shape)
        values.fill(self.value)
        return values


class NDArrayInitializer:
    """The given array itself. Source: deeplearn.js `NDArrayInitializer`."""

    def __init__(self, ndarray: NDArray) -> None:
        if not isinstance(ndarray, Handle):
            raise argument_error("NDArrayInitializer", "ndarray", "an NDArray", ndarray, TypeError)
        self.ndarray = ndarray

    def initialize(self, weights_shape: Sequence[int], input_units: int, output_units: int) -> NDArray:
        return self.ndarray


class RandomNormalInitializer:
    """Normal numbers. Source: deeplearn.js `RandomNormalInitializer`."""

    @accepts_options()
    def __init__(self, mean: float = 0.0, stdev: float = 0.05) -> None:
        self.mean = mean
        self.stdev = stdev

    def initialize(self, weights_shape: Sequence[int], input_units: int, output_units: int) -> NDArray:
        return NDArray.rand_normal(weights_shape, self.mean, self.stdev)


class RandomTruncatedNormalInitializer:
    """Normal numbers, truncated at two deviations. Source: deeplearn.js `RandomTruncatedNormalInitializer`."""

    @accepts_options()
    def __init__(self, mean: float = 0.0, stdev: float = 0.05) -> None:
        self.mean = mean
        self.stdev = stdev

    def initialize(self, weights_shape: Sequence[int], input_units: int, output_units: int) -> NDArray:
        return NDArray.rand_truncated_normal(weights_shape, self.mean, self.stdev)


class RandomUniformInitializer:
    """Numbers uniformly distributed over [minval, maxval). Source: deeplearn.js `RandomUniformInitializer`."""

    @accepts_options()
    def __init__(self, minval: float = -0.05, maxval: float = 0.05) -> None:
        self.minval = minval
        self.maxval = maxval

    def initialize(self, weights_shape: Sequence[int], input_units: int, output_units: int) -> NDArray:
        return NDArray.rand_uniform(weights_shape, self.minval, self.maxval)
