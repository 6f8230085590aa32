"""Weights: variables that belong to a layer, with the constraint applied to them."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.registry import export
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import cast_to
from tfpy.core.results import Record
from tfpy.core.tensor import Tensor
from tfpy.core.variable import Variable, find_variable
from tfpy.engine.abstract import placeholder
from tfpy.engine.arguments import as_dtype
from tfpy.engine.dispatch import alias
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import Unquoted, argument_error
from tfpy.engine.handle import check_live
from tfpy.engine.spec import Shape, spec
from tfpy.layers._camel import LayerVariableCamel
from tfpy.layers.constraints import Constraint
from tfpy.layers.naming import scoped, unique

if TYPE_CHECKING:
    from tfpy.layers.base import Layer


@export(doc="Layers / Classes")
class LayerVariable(Variable, LayerVariableCamel):
    """A layer's weight. It is a variable, and ops accept it as a tensor.

    Attributes:
        original_name: the name prefixed with those of the enclosing layers; `name` is also made unique.
        constraint: applied whenever the value is written.

    Source: TF.js `tf.LayerVariable`.
    """

    __slots__ = ("constraint", "original_name")

    original_name: str

    @accepts_options()
    def __init__(
        self,
        val: Tensor,
        dtype: DType = "float32",
        name: str = "Variable",
        trainable: bool = True,
        constraint: Constraint | None = None,
    ) -> None:
        if not isinstance(val, Tensor):
            raise argument_error("LayerVariable", "val", "a tensor", val, TypeError)
        self.original_name = scoped(name)
        self.constraint = constraint
        name = unique(self.original_name, lambda name: find_variable(name) is not None)
        super().__init__(cast_to(val, as_dtype("LayerVariable", dtype)), trainable, name)

    @property
    def val(self) -> Variable:
        """The variable, which is the weight itself."""
        return self

    def read(self) -> Tensor:
        """The value: the weight itself.

        Raises:
            DisposedError: the weight is disposed.
        """
        check_live(self, "read")
        return self

    def write(self, new_value: TensorLike) -> LayerVariable:
        """Set the value and apply the constraint."""
        self.assign(new_value)
        if self.constraint is not None:
            self.assign(self.constraint.apply(self))
        return self


class _Deferred(threading.local):
    made: list[DeferredWeight] | None = None


_deferred = _Deferred()


class DeferredWeight(NamedTuple):
    """A weight without a value, and the function that creates its initial one."""

    weight: LayerVariable
    make: Callable[[], Tensor]


@contextmanager
def deferred_weights() -> Iterator[list[DeferredWeight]]:
    """A context manager in which layers create weights without values, to be read from a file.

    Nothing is allocated for them and no random numbers are drawn. If the block raises, they are disposed.
    """
    made: list[DeferredWeight] = []
    outer, _deferred.made = _deferred.made, made
    try:
        yield made
    except BaseException:
        for deferred in made:
            deferred.weight.dispose()
        raise
    finally:
        _deferred.made = outer


def make_weight(
    name: str,
    shape: Shape,
    dtype: DType,
    make: Callable[[], Tensor],
    trainable: bool,
    constraint: Constraint | None,
) -> LayerVariable:
    """A weight with the value returned by `make`; without a value inside `deferred_weights`."""
    if _deferred.made is None:
        return LayerVariable(make(), dtype, name, trainable, constraint)
    weight = LayerVariable(placeholder(Tensor, spec(shape, dtype)), dtype, name, trainable, constraint)
    _deferred.made.append(DeferredWeight(weight, make))
    return weight


def values_of(weights: Sequence[LayerVariable]) -> list[Tensor]:
    """The current values of the weights: tensors that share their data and are not affected by later steps."""
    return [alias(Tensor, w) for w in weights]


def in_creation_order(weights: Sequence[LayerVariable]) -> list[LayerVariable]:
    """Weights in order of creation, which does not change when layers are frozen."""
    return sorted(weights, key=lambda weight: weight.id)


def outside(weights: Iterable[LayerVariable], layers: Iterable[Layer]) -> list[LayerVariable]:
    """Those of the weights that belong to none of the layers."""
    held = {id(weight) for layer in layers for weight in layer.weights}
    return [weight for weight in weights if id(weight) not in held]


def set_values(owner: str, weights: Sequence[LayerVariable], values: Iterable[TensorLike]) -> None:
    """Assign values to weights; all are checked before any is written. Plain values are cast to the weights' dtypes."""
    for weight, tensor in zip(weights, as_values(owner, weights, values), strict=True):
        weight.write(tensor)


def as_values(owner: str, weights: Sequence[LayerVariable], values: Iterable[TensorLike]) -> list[Tensor]:
    """Values for weights as tensors, checked as in `set_values`."""
    where = "set_weights"
    if not isinstance(values, (list, tuple, Iterator)):
        raise argument_error(where, "weights", "a list of tensors", values, TypeError)
    given = list(values)
    if len(weights) != len(given):
        expected = f"{len(weights)} tensors, the number of weights of {owner}"
        raise argument_error(where, "weights", expected, Unquoted(f"{len(given)} of them"))
    tensors = [to_tensor(where, w.original_name, v, w.dtype) for w, v in zip(weights, given, strict=True)]
    for weight, tensor in zip(weights, tensors, strict=True):
        if tensor.shape != weight.shape:
            raise argument_error(where, weight.original_name, f"of shape {list(weight.shape)}", tensor)
    return tensors


class DisposeResult(Record):
    """How many models still use the disposed object, and how many variables were freed."""

    ref_count_after_dispose: int
    num_disposed_variables: int


def count_params(weights: Sequence[LayerVariable]) -> int:
    """The total number of elements in weights."""
    return sum(math.prod(w.shape) for w in weights)
