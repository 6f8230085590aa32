"""Weights: variables that belong to a layer, with the constraint that they are kept to."""

from __future__ import annotations

from collections.abc import Sequence

from tfpy.core.convert import TensorLike
from tfpy.core.registry import export
from tfpy.core.tensor import Tensor
from tfpy.core.variable import Variable
from tfpy.engine.dispatch import alias
from tfpy.engine.errors import argument_error
from tfpy.layers._camel import LayerVariableCamel
from tfpy.layers.constraints import Constraint
from tfpy.layers.naming import scoped, unique


@export(doc="Layers / Classes")
class LayerVariable(Variable, LayerVariableCamel):
    """A layer's weight. It is a variable, so that it can be computed with as it is.

    Attributes:
        original_name: the name with those of the layers around it; `name` is made unique beyond that.
        constraint: what it is made to fulfil whenever it is written.

    Source: TF.js `tf.LayerVariable`.
    """

    __slots__ = ("constraint", "original_name")

    def __init__(
        self, value: Tensor, name: str = "Variable", trainable: bool = True, constraint: Constraint | None = None
    ) -> None:
        self.original_name = scoped(name)
        self.constraint = constraint
        super().__init__(value, trainable, unique(self.original_name))

    @property
    def val(self) -> Variable:
        """The variable, which is the weight itself."""
        return self

    def read(self) -> Tensor:
        """The value: the weight itself."""
        return self

    def write(self, new_value: TensorLike) -> LayerVariable:
        """Set the value, made to fulfil the constraint."""
        self.assign(new_value)
        if self.constraint is not None:
            self.assign(self.constraint.apply(self))
        return self


def values_of(weights: Sequence[LayerVariable]) -> list[Tensor]:
    """The weights' values as they are now: tensors that share their data, and that a later step leaves alone."""
    return [alias(Tensor, w) for w in weights]


def set_values(owner: str, weights: Sequence[LayerVariable], values: Sequence[Tensor]) -> None:
    """Write values to weights; all are checked before any is written."""
    if len(weights) != len(values):
        raise argument_error(
            "set_weights", "weights", f"{len(weights)} tensors, as many as {owner} has", f"{len(values)} of them"
        )
    for weight, value in zip(weights, values, strict=True):
        if tuple(value.shape) != weight.shape:
            raise argument_error("set_weights", weight.original_name, f"of shape {list(weight.shape)}", value)
    for weight, value in zip(weights, values, strict=True):
        weight.write(value)
