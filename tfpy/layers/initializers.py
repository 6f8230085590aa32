"""Initializers: the initial values of layers' weights. Seeds produce the same values as in TF.js."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.core.ops.create import eye, fill, zeros
from tfpy.core.ops.create import ones as ones_tensor
from tfpy.core.ops.linalg import qr
from tfpy.core.ops.random import random_normal as normal_numbers
from tfpy.core.ops.random import random_uniform as uniform_numbers
from tfpy.core.ops.random import truncated_normal as truncated_numbers
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_shape
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error
from tfpy.engine.rng import Seed
from tfpy.engine.spec import Shape
from tfpy.layers.declared import Declared
from tfpy.layers.enum_options import enum_option, words

InitializerLike: TypeAlias = "str | dict[str, Any] | Initializer | None"
# An option of this kind: an InitializerLike, converted to an Initializer by the constructor.
InitializerOption: TypeAlias = Any


@export(namespace="initializers", doc="Initializers")
class Initializer(Declared, family="initializer"):
    """Creates the initial value of a weight. A custom one defines `apply(shape, dtype)`; its options are annotations.

    Source: TF.js's `Initializer`.
    """

    @accepts_options()
    def apply(self, shape: Sequence[int], dtype: DType | None = None) -> Tensor:
        """A tensor of the given shape."""
        raise TypeError(f"{type(self).__name__}: an initializer must define apply(shape, dtype).")

    def __call__(self, shape: Sequence[int], dtype: DType | None = None) -> Tensor:
        return self.apply(shape, dtype)


class Zeros(Initializer, class_name="Zeros", factory="initializers.zeros"):
    """All zeros."""

    @accepts_options()
    def apply(self, shape: Sequence[int], dtype: DType | None = None) -> Tensor:
        return zeros(shape, dtype or "float32")


class Ones(Initializer, class_name="Ones", factory="initializers.ones"):
    """All ones."""

    @accepts_options()
    def apply(self, shape: Sequence[int], dtype: DType | None = None) -> Tensor:
        return ones_tensor(shape, dtype or "float32")


class Constant(Initializer, class_name="Constant", factory="initializers.constant"):
    """One value throughout."""

    value: float

    @accepts_options()
    def apply(self, shape: Sequence[int], dtype: DType | None = None) -> Tensor:
        return fill(shape, self.value, dtype or "float32")


class Identity(Initializer, class_name="Identity", factory="initializers.identity"):
    """A multiple of the identity matrix; for square matrices only."""

    gain: float = 1.0

    @accepts_options()
    def apply(self, shape: Sequence[int], dtype: DType | None = None) -> Tensor:
        if len(shape) != 2 or shape[0] != shape[1]:
            raise argument_error("identity initializer", "shape", "that of a square matrix", list(shape))
        return eye(shape[0]).mul(self.gain)


class RandomUniform(Initializer, class_name="RandomUniform", factory="initializers.random_uniform"):
    """Uniformly distributed over [minval, maxval)."""

    minval: float = -0.05
    maxval: float = 0.05
    seed: Seed | None = None

    @accepts_options()
    def apply(self, shape: Sequence[int], dtype: DType | None = None) -> Tensor:
        return uniform_numbers(shape, self.minval, self.maxval, dtype or "float32", self.seed)


class RandomNormal(Initializer, class_name="RandomNormal", factory="initializers.random_normal"):
    """Normally distributed."""

    mean: float = 0.0
    stddev: float = 0.05
    seed: Seed | None = None

    @accepts_options()
    def apply(self, shape: Sequence[int], dtype: DType | None = None) -> Tensor:
        return normal_numbers(shape, self.mean, self.stddev, dtype, self.seed)


class TruncatedNormal(Initializer, class_name="TruncatedNormal", factory="initializers.truncated_normal"):
    """Normally distributed, within two standard deviations of the mean."""

    mean: float = 0.0
    stddev: float = 0.05
    seed: Seed | None = None

    @accepts_options()
    def apply(self, shape: Sequence[int], dtype: DType | None = None) -> Tensor:
        return truncated_numbers(shape, self.mean, self.stddev, dtype, self.seed)


_MODES = words("fanIn", "fanOut", "fanAvg")
_DISTRIBUTIONS = words("normal", "uniform", "truncatedNormal")


class VarianceScaling(Initializer, class_name="VarianceScaling", factory="initializers.variance_scaling"):
    """Random, with a variance of scale / n, where n is the number of inputs or outputs of a unit, or their average.

    As in TF.js, 'normal' is a truncated normal distribution whose variance is not corrected for the truncation, and
    every other distribution, including 'truncatedNormal', is uniform.
    """

    scale: float = 1.0
    mode: str = "fanIn"
    distribution: str = "normal"
    seed: Seed | None = None

    def configure(self) -> None:
        if self.scale < 0:
            raise argument_error("variance_scaling initializer", "scale", "0 or more", self.scale)
        self.mode = enum_option("variance_scaling initializer", "mode", self.mode, _MODES)
        self.distribution = enum_option(
            "variance_scaling initializer", "distribution", self.distribution, _DISTRIBUTIONS
        )

    @accepts_options()
    def apply(self, shape: Sequence[int], dtype: DType | None = None) -> Tensor:
        fan_in, fan_out = _compute_fans(as_shape("apply", tuple(shape)))
        fan = {"fanIn": fan_in, "fanOut": fan_out, "fanAvg": (fan_in + fan_out) / 2}[self.mode]
        scale = self.scale / max(1, fan)
        if self.distribution != "normal":
            limit = math.sqrt(3 * scale)
            return uniform_numbers(shape, -limit, limit, dtype or "float32", self.seed)
        return truncated_numbers(shape, 0, math.sqrt(scale), dtype, self.seed)


class _Preset(VarianceScaling):
    """A VarianceScaling with fixed options except for the seed; as in TF.js, files have it as a VarianceScaling."""

    def __init__(self, config: Mapping[str, Any] | None = None, /, *, seed: Seed | None = None, **others: Any) -> None:
        self._assign(self._read(config, {"seed": seed, **others}, {"seed": None}))

    def get_config(self) -> dict[str, Any]:
        return {"scale": self.scale, "mode": self.mode, "distribution": self.distribution, "seed": self.seed}

    def get_class_name(self) -> str:
        return "VarianceScaling"


class GlorotUniform(_Preset, class_name="GlorotUniform", factory="initializers.glorot_uniform"):
    """Glorot and Bengio (2010), uniform."""

    scale = 1.0
    mode = "fanAvg"
    distribution = "uniform"


class GlorotNormal(_Preset, class_name="GlorotNormal", factory="initializers.glorot_normal"):
    """Glorot and Bengio (2010), normal."""

    scale = 1.0
    mode = "fanAvg"
    distribution = "normal"


class HeUniform(_Preset, class_name="HeUniform", factory="initializers.he_uniform"):
    """He et al. (2015), uniform."""

    scale = 2.0
    mode = "fanIn"
    distribution = "uniform"


class HeNormal(_Preset, class_name="HeNormal", factory="initializers.he_normal"):
    """He et al. (2015), normal."""

    scale = 2.0
    mode = "fanIn"
    distribution = "normal"


class LeCunUniform(_Preset, class_name="LeCunUniform", factory="initializers.le_cun_uniform"):
    """LeCun et al. (1998), uniform."""

    scale = 1.0
    mode = "fanIn"
    distribution = "uniform"


class LeCunNormal(_Preset, class_name="LeCunNormal", factory="initializers.le_cun_normal"):
    """LeCun et al. (1998), normal."""

    scale = 1.0
    mode = "fanIn"
    distribution = "normal"


class Orthogonal(Initializer, class_name="Orthogonal", factory="initializers.orthogonal"):
    """A random orthogonal matrix, from the QR decomposition of a normal random matrix (Saxe et al. 2013)."""

    gain: float = 1.0
    seed: Seed | None = None

    @accepts_options()
    def apply(self, shape: Sequence[int], dtype: DType | None = None) -> Tensor:
        sizes = as_shape("apply", tuple(shape))
        if len(sizes) < 2:
            raise argument_error("orthogonal initializer", "shape", "of rank 2 or more", list(sizes))
        rows, columns = math.prod(sizes[:-1]), sizes[-1]
        numbers = normal_numbers([max(rows, columns), min(rows, columns)], 0, 1, "float32", self.seed)
        q, r = qr(numbers)
        size = min(rows, columns)
        signs = r.flatten().strided_slice([0], [size * size], [size + 1]).sign()
        matrix = q.mul(signs)
        return (matrix.transpose() if rows < columns else matrix).reshape(shape).mul(self.gain)


def _compute_fans(shape: Shape) -> tuple[float, float]:
    """The numbers of inputs and outputs of a unit with weights of this shape (channels last)."""
    if len(shape) == 2:
        return shape[0], shape[1]
    if len(shape) in (3, 4, 5):
        field = math.prod(shape[:-2])
        return shape[-2] * field, shape[-1] * field
    return math.sqrt(math.prod(shape)), math.sqrt(math.prod(shape))
