"""Normalization layers, which scale their inputs to a fixed mean and variance, or norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.core.convert import number
from tfpy.core.ops.arith import add, maximum, mul, sub
from tfpy.core.ops.normalization import batch_norm
from tfpy.core.ops.normalize_by_moments import normalize_by_moments
from tfpy.core.ops.reduce import moments
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int, resolve_axes, resolve_axis
from tfpy.engine.errors import argument_error
from tfpy.engine.tape import paused
from tfpy.layers.calling import one_tensor
from tfpy.layers.constraints import ConstraintOption
from tfpy.layers.initializers import InitializerOption
from tfpy.layers.one_output import OneOutput
from tfpy.layers.regularizers import RegularizerOption
from tfpy.layers.shapes import axis_or_axes, one_shape
from tfpy.layers.specs import InputSpec
from tfpy.layers.symbolic import PartialShape, to_list
from tfpy.layers.weights import LayerVariable

MIN_LENGTH = 1e-12
"""The smallest squared length that `UnitNormalization` divides by."""


class _Normalization(OneOutput):
    """A layer that normalizes, and then scales by gamma and shifts by beta."""

    epsilon: float = 1e-3
    center: bool = True
    scale: bool = True
    beta_initializer: InitializerOption = "zeros"
    gamma_initializer: InitializerOption = "ones"
    beta_regularizer: RegularizerOption = None
    gamma_regularizer: RegularizerOption = None
    beta_constraint: ConstraintOption = None
    gamma_constraint: ConstraintOption = None

    def configure(self) -> None:
        self.supports_masking = True
        self.gamma: LayerVariable | None = None
        self.beta: LayerVariable | None = None

    def add_scale_and_shift(self, input_shape: PartialShape, axes: Sequence[int]) -> tuple[int, ...]:
        """Add gamma and beta, with an element for each position along the axes; return their shape."""
        sizes = [input_shape[axis] for axis in axes]
        if None in sizes:
            expected = f"a shape with known sizes along axes {list(axes)}"
            raise argument_error(self.name, "input_shape", expected, list(input_shape))
        shape = tuple(n for n in sizes if n is not None)
        if self.scale:
            self.gamma = self._add_declared_weight("gamma", shape)
        if self.center:
            self.beta = self._add_declared_weight("beta", shape)
        return shape


class BatchNormalization(_Normalization, class_name="BatchNormalization", factory="layers.batch_normalization"):
    """Normalizes each channel to mean 0 and variance 1, then scales and shifts it (Ioffe and Szegedy 2015).

    In training, the mean and variance of the batch are used, and the moving averages are updated: moving · momentum +
    batch · (1 - momentum). Otherwise the moving averages are used.

    Weights: gamma, beta, moving_mean and moving_variance, the last two non-trainable; all have the size of the axis.
    Inputs of any rank are beyond TF.js.
    """

    axis: int = -1
    momentum: float = 0.99
    moving_mean_initializer: InitializerOption = "zeros"
    moving_variance_initializer: InitializerOption = "ones"

    def build(self, input_shape: Any) -> None:
        shape = one_shape(self.name, input_shape)
        axis = resolve_axis(self.name, self.axis, len(shape))
        size = self.add_scale_and_shift(shape, [axis])
        self.moving_mean = self.add_weight("moving_mean", size, None, self.moving_mean_initializer, None, False)
        self.moving_variance = self.add_weight(
            "moving_variance", size, None, self.moving_variance_initializer, None, False
        )
        self.input_spec = [InputSpec(ndim=len(shape), axes={axis: size[0]})]
        self.built = True

    def call(self, inputs: Any, training: bool = False) -> Tensor:
        x = one_tensor(self.name, inputs)
        axis = self.axis % x.rank
        if training:
            return self._by_the_batch(x, axis)
        mean: Tensor = self.moving_mean
        variance: Tensor = self.moving_variance
        beta: Tensor | None = self.beta
        gamma: Tensor | None = self.gamma
        if axis != x.rank - 1:
            shape = [n if i == axis else 1 for i, n in enumerate(x.shape)]
            mean, variance = mean.reshape(shape), variance.reshape(shape)
            beta, gamma = (None if t is None else t.reshape(shape) for t in (beta, gamma))
        return batch_norm(x, mean, variance, beta, gamma, self.epsilon)

    def _by_the_batch(self, x: Tensor, axis: int) -> Tensor:
        others = tuple(i for i in range(x.rank) if i != axis)
        y, mean, variance = normalize_by_moments(x, others, self.beta, self.gamma, [axis], self.epsilon)
        with paused():
            self._follow(self.moving_mean, mean)
            self._follow(self.moving_variance, variance)
        return y

    def _follow(self, moving: LayerVariable, value: Tensor) -> None:
        moving.write(sub(moving, mul(sub(moving, value.reshape(moving.shape)), 1 - self.momentum)))


class LayerNormalization(_Normalization, class_name="LayerNormalization", factory="layers.layer_normalization"):
    """Normalizes each sample to mean 0 and variance 1 along the axes, then scales and shifts it (Ba et al. 2016).

    Weights: gamma and beta, of the sizes of the axes. Constraints, and inputs of any rank, are beyond TF.js.
    """

    axis: int | Sequence[int] = -1

    per_sample = True

    def configure(self) -> None:
        super().configure()
        self.axis = axis_or_axes(self.class_name, self.axis)

    def build(self, input_shape: Any) -> None:
        shape = one_shape(self.name, input_shape)
        self.axis = self._axes = _distinct_axes(self.name, self.axis, len(shape))
        self.add_scale_and_shift(shape, self._axes)
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        x = one_tensor(self.name, inputs)
        axes = tuple(sorted(self._axes))
        return normalize_by_moments(x, axes, self.beta, self.gamma, self._axes, self.epsilon).y


def _distinct_axes(layer: str, axis: Any, rank: int) -> list[int]:
    """Axes counted from the front, in the order given."""
    axes = [resolve_axis(layer, a, rank) for a in to_list(axis)]
    if len(set(axes)) != len(axes):
        raise argument_error(layer, "axis", "distinct axes", axis)
    return axes


class GroupNormalization(_Normalization, class_name="GroupNormalization", factory="layers.group_normalization"):
    """Normalizes groups of channels of each sample to mean 0 and variance 1, then scales and shifts them.

    The number of groups must divide the number of channels; -1 makes each channel its own group.

    Weights: gamma and beta, of the size of the axis.

    Source: Wu and He 2018; Keras `GroupNormalization` (beyond TF.js).
    """

    groups: int = 32
    axis: int = -1

    per_sample = True

    def configure(self) -> None:
        super().configure()
        self.groups = as_int(self.class_name, "groups", self.groups)
        if self.groups < 1 and self.groups != -1:
            raise argument_error(self.class_name, "groups", "a number above 0, or -1", self.groups)

    def build(self, input_shape: Any) -> None:
        shape = one_shape(self.name, input_shape)
        axis = resolve_axis(self.name, self.axis, len(shape))
        (size,) = self.add_scale_and_shift(shape, [axis])
        self._count = size if self.groups == -1 else self.groups
        if not axis or size % self._count:
            expected = f"a number that divides the {size} channels of axis {axis}"
            raise argument_error(self.name, "groups", expected, self.groups)
        self.input_spec = [InputSpec(ndim=len(shape), axes={axis: size})]
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        x = one_tensor(self.name, inputs)
        axis = self.axis % x.rank
        size = x.shape[axis]
        grouped = x.reshape([*x.shape[:axis], self._count, size // self._count, *x.shape[axis + 1 :]])
        mean, variance = moments(grouped, [i for i in range(1, grouped.rank) if i != axis], True)
        y = batch_norm(grouped, mean, variance, None, None, self.epsilon).reshape(x.shape)
        shape = [size if i == axis else 1 for i in range(x.rank)]
        y = y if self.gamma is None else mul(y, self.gamma.reshape(shape))
        return y if self.beta is None else add(y, self.beta.reshape(shape))


class UnitNormalization(OneOutput, class_name="UnitNormalization", factory="layers.unit_normalization"):
    """Scales the inputs to L2 norm 1 along the axes: x / √max(Σ x², 10⁻¹²).

    Source: Keras `UnitNormalization` (beyond TF.js).
    """

    axis: int | Sequence[int] = -1

    per_sample = True

    def configure(self) -> None:
        self.supports_masking = True
        self.axis = axis_or_axes(self.class_name, self.axis)

    def call(self, inputs: Any) -> Tensor:
        x = one_tensor(self.name, inputs)
        axes = resolve_axes(self.name, self.axis, x.rank)
        return mul(x, maximum(x.square().sum(axes, True), number(MIN_LENGTH)).rsqrt())
