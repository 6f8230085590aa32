"""Activation layers, with options or weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.core.convert import number
from tfpy.core.ops import activation as ops
from tfpy.core.ops.arith import add, minimum, mul, sub
from tfpy.core.ops.common import cast_to
from tfpy.core.ops.common import mask as ones_where
from tfpy.core.ops.reduce import log_sum_exp
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import array_as_list, as_int
from tfpy.engine.errors import argument_error
from tfpy.engine.spec import broadcasts_to
from tfpy.layers.calling import one_tensor
from tfpy.layers.constraints import ConstraintOption
from tfpy.layers.initializers import InitializerOption
from tfpy.layers.one_output import OneOutput
from tfpy.layers.regularizers import RegularizerOption
from tfpy.layers.shapes import axis_or_axes, one_shape
from tfpy.layers.specs import InputSpec
from tfpy.layers.symbolic import to_list

HIDDEN = -1e9
"""Added to the scores that a mask hides, so that softmax makes them 0."""


def mask_scores(scores: Tensor, mask: Tensor) -> Tensor:
    """Scores, with 10⁹ subtracted where a mask is false."""
    return add(scores, mul(sub(number(1), cast_to(mask, scores.dtype)), number(HIDDEN)))


class ReLU(OneOutput, class_name="ReLU", factory="layers.relu"):
    """x, but no more than max_value, where x is above threshold; elsewhere negative_slope · (x - threshold).

    A negative_slope or threshold other than 0 is beyond TF.js.
    """

    max_value: float | None = None
    negative_slope: float = 0.0
    threshold: float = 0.0

    is_activation = True
    per_sample = True

    def configure(self) -> None:
        self.supports_masking = True
        if self.max_value is not None and self.max_value < 0:
            raise argument_error(self.class_name, "max_value", "0 or more", self.max_value)
        for option in ("negative_slope", "threshold"):
            if not getattr(self, option) >= 0:
                raise argument_error(self.class_name, option, "0 or more", getattr(self, option))

    def call(self, inputs: Any) -> Tensor:
        x = one_tensor(self.name, inputs)
        y = ops.relu(x) if not self.threshold else mul(x, ones_where("Greater", x, number(self.threshold)))
        if self.max_value is not None:
            y = y.clip_by_value(0, self.max_value)
        return sub(y, mul(ops.relu(sub(self.threshold, x)), self.negative_slope)) if self.negative_slope else y


class LeakyReLU(OneOutput, class_name="LeakyReLU", factory="layers.leaky_relu"):
    """x where it is positive, else alpha · x."""

    alpha: float = 0.3

    is_activation = True
    per_sample = True

    def call(self, inputs: Any) -> Tensor:
        return ops.leaky_relu(one_tensor(self.name, inputs), self.alpha)


class PReLU(OneOutput, class_name="PReLU", factory="layers.prelu"):
    """x where it is positive, else alpha · x with an alpha learned for each position.

    Weight: alpha, of the shape of a sample, with size 1 along the shared_axes (counted from 1).
    """

    alpha_initializer: InitializerOption = "zeros"
    alpha_regularizer: RegularizerOption = None
    alpha_constraint: ConstraintOption = None
    shared_axes: int | Sequence[int] | None = None

    per_sample = True

    def configure(self) -> None:
        self.supports_masking = True
        if self.shared_axes is not None:
            self.shared_axes = [
                as_int(self.class_name, "shared_axes", axis) for axis in to_list(array_as_list(self.shared_axes))
            ]

    def build(self, input_shape: Any) -> None:
        shape = one_shape(self.name, input_shape)
        shared = to_list(self.shared_axes) if self.shared_axes is not None else []
        for axis in shared:
            if not 1 <= axis < len(shape):
                raise argument_error(self.name, "shared_axes", f"axes from 1 to {len(shape) - 1}", self.shared_axes)
        sizes = [1 if i in shared else n for i, n in enumerate(shape)][1:]
        if None in sizes:
            raise argument_error(self.name, "input_shape", "known in all axes that are not shared", list(shape))
        self.alpha = self._add_declared_weight("alpha", sizes)
        self.input_spec = [
            InputSpec(ndim=len(shape), axes={i: n for i, n in enumerate(shape) if i and i not in shared})
        ]
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        return ops.prelu(one_tensor(self.name, inputs), self.alpha)


class ELU(OneOutput, class_name="ELU", factory="layers.elu"):
    """x where it is positive, else alpha · (eˣ - 1). An alpha other than 1 is beyond TF.js."""

    alpha: float = 1.0

    is_activation = True
    per_sample = True

    def call(self, inputs: Any) -> Tensor:
        x = one_tensor(self.name, inputs)
        if self.alpha == 1:
            return ops.elu(x)
        return add(ops.relu(x), mul(ops.elu(minimum(x, 0)), self.alpha))


class ThresholdedReLU(OneOutput, class_name="ThresholdedReLU", factory="layers.thresholded_relu"):
    """x where it is above theta, else 0."""

    theta: float = 1.0

    is_activation = True
    per_sample = True

    def call(self, inputs: Any) -> Tensor:
        x = one_tensor(self.name, inputs)
        return mul(x, ones_where("Greater", x, number(self.theta)))


class Softmax(OneOutput, class_name="Softmax", factory="layers.softmax"):
    """eˣ / Σ eˣ over an axis, or over several. Axes other than the last are beyond TF.js.

    The axis defaults to 1, as in TF.js. With a mask of the shape of the inputs, masked elements become close to 0.
    """

    axis: int | Sequence[int] = 1

    is_activation = True

    def configure(self) -> None:
        self.axis = axis_or_axes(self.class_name, self.axis)

    def call(self, inputs: Any, mask: Any = None) -> Tensor:
        x = one_tensor(self.name, inputs)
        if mask is not None and broadcasts_to(mask.shape, x.shape):
            x = mask_scores(x, mask)
        axes = to_list(self.axis)
        if len(axes) == 1 and axes[0] in (-1, x.rank - 1):
            return x.softmax()
        return sub(x, log_sum_exp(x, axes, True)).exp()
