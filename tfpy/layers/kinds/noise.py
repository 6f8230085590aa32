"""Layers that add noise, or drop parts of their inputs, in training."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from tfpy.core.ops.arith import add, mul
from tfpy.core.ops.compare import greater_equal
from tfpy.core.ops.random import random_normal, random_uniform
from tfpy.core.tensor import Tensor
from tfpy.layers.calling import one_tensor
from tfpy.layers.kinds.core import Dropout
from tfpy.layers.kinds.rates import drops
from tfpy.layers.one_output import OneOutput
from tfpy.layers.spatial import inner_axes, normalize_options
from tfpy.layers.specs import InputSpec


class GaussianNoise(OneOutput, class_name="GaussianNoise", factory="layers.gaussian_noise"):
    """In training, adds normally distributed noise of mean 0."""

    stddev: float = 1.0

    def configure(self) -> None:
        self.supports_masking = True

    def call(self, inputs: Any, training: bool = False) -> Tensor:
        x = one_tensor(self.name, inputs)
        return add(random_normal(x.shape, 0, self.stddev), x) if training else x


class GaussianDropout(OneOutput, class_name="GaussianDropout", factory="layers.gaussian_dropout"):
    """In training, multiplies by normally distributed noise of mean 1 and variance rate / (1 - rate).

    Source: Srivastava et al. 2014.
    """

    rate: float

    def configure(self) -> None:
        self.supports_masking = True

    def call(self, inputs: Any, training: bool = False) -> Tensor:
        x = one_tensor(self.name, inputs)
        if not drops(self.rate, training):
            return x
        return mul(x, random_normal(x.shape, 1, math.sqrt(self.rate / (1 - self.rate))))


# The limit of selu at minus infinity.
_LOWEST = -1.6732632423543772 * 1.0507009873554805


class AlphaDropout(OneOutput, class_name="AlphaDropout", factory="layers.alpha_dropout"):
    """In training, sets a fraction of the inputs to one value, and scales all to preserve the variance.

    The value is 1.758…, as in TF.js; Klambauer et al. 2017 have its negative, which preserves the mean too.
    """

    rate: float
    noise_shape: list[int | None] | None = None

    def configure(self) -> None:
        self.supports_masking = True

    def call(self, inputs: Any, training: bool = False) -> Tensor:
        x = one_tensor(self.name, inputs)
        if not drops(self.rate, training):
            return x
        shape = [x.shape[i] if n is None else n for i, n in enumerate(self.noise_shape or x.shape)]
        kept = greater_equal(random_uniform(shape), self.rate).cast("float32")
        a = ((1 - self.rate) * (1 + self.rate * _LOWEST**2)) ** -0.5
        y = add(mul(x, kept), mul(add(kept, -1), _LOWEST))
        return add(mul(y, a), -a * _LOWEST * self.rate)


class _SpatialDropout(Dropout):
    """A dropout that drops whole channels."""

    data_format: str = "channelsLast"

    dimensions: ClassVar[int]

    def configure(self) -> None:
        super().configure()
        normalize_options(self, self.dimensions)
        self.input_spec = [InputSpec(ndim=self.dimensions + 2)]

    def mask_shape(self, x: Tensor) -> list[int | None] | None:
        inner = inner_axes(self.data_format, self.dimensions)
        return [1 if i in inner else n for i, n in enumerate(x.shape)]


class SpatialDropout1D(_SpatialDropout, class_name="SpatialDropout1D", factory="layers.spatial_dropout1d"):
    """In training, drops a fraction of the channels of sequences and scales up the rest."""

    dimensions = 1


class SpatialDropout2D(_SpatialDropout, class_name="SpatialDropout2D", factory="layers.spatial_dropout2d"):
    """In training, drops a fraction of the channels of images and scales up the rest.

    Source: Tompson et al. 2014; Keras `SpatialDropout2D` (beyond TF.js).
    """

    dimensions = 2


class SpatialDropout3D(_SpatialDropout, class_name="SpatialDropout3D", factory="layers.spatial_dropout3d"):
    """In training, drops a fraction of the channels of volumes and scales up the rest.

    Source: Keras `SpatialDropout3D` (beyond TF.js).
    """

    dimensions = 3
