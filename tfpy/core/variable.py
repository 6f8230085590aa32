"""Variables: tensors whose data can be replaced, and the registry of those that are alive."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

from tfpy.core.calling.registry import export, op
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.naming.elsewhere import OF_VARIABLES
from tfpy.core.naming.hints import add_absent
from tfpy.core.tensor import Tensor, tensor_again
from tfpy.engine.backend import Array
from tfpy.engine.dispatch import alias
from tfpy.engine.dtypes import DType
from tfpy.engine.errors import argument_error, with_article
from tfpy.engine.handle import attach, check_live, join_share, release, respecify, swap_data
from tfpy.engine.locks import ProcessLock
from tfpy.engine.state import local

_registered: weakref.WeakValueDictionary[str, Variable] = weakref.WeakValueDictionary()
_numbers = itertools.count()
_naming = ProcessLock()


def _refused(operator: str) -> Callable[[Variable, Any], Any]:
    def refuse(self: Variable, other: Any) -> Any:
        raise TypeError(
            f"{operator}= would replace variable {self.name!r} by a tensor, instead of changing it: "
            f"use v.assign(v {operator} …) to change it, or v {operator} … for a tensor."
        )

    return refuse


@export(doc="Tensors / Classes")
class Variable(Tensor):
    """A tensor that training may change: `assign` replaces its data with data of the same shape and dtype.

    Scopes leave variables alone; they live until they are disposed or become unreachable.

    Attributes:
        name: unique among the live variables.
        trainable: whether optimizers and `variable_grads` consider it.

    Source: TF.js `tf.Variable`.
    """

    __slots__ = ("name", "trainable")

    name: str
    trainable: bool

    def __init__(self, initial_value: Tensor, trainable: bool = True, name: str | None = None) -> None:
        if not isinstance(initial_value, Tensor):
            expected = "a tensor; tf.variable also takes numbers"
            raise argument_error("Variable", "initial_value", expected, initial_value, TypeError)
        check_live(initial_value, "variable")
        if not isinstance(name, (str, type(None))):
            raise argument_error("variable", "name", "a string", name, TypeError)
        self.trainable = trainable
        assert initial_value.backend is not None
        attach(self, initial_value.spec, initial_value.payload, initial_value.backend)
        self._register(name)
        join_share(initial_value, self)

    def _register(self, name: str | None) -> None:
        with _naming():
            self.name = _free_name() if name is None else name
            if self.name in _registered:
                raise ValueError(
                    f"variable: a variable named {self.name!r} already exists; names are unique. Dispose of it first "
                    f"(in a cell that runs again), or leave the name out."
                )
            _registered[self.name] = self

    def assign(self, new_value: TensorLike) -> None:
        """Take over another tensor's data; the other tensor stays alive.

        Args:
            new_value: a tensor, or values, of this variable's shape and dtype.

        Raises:
            ValueError: the shape differs. TypeError: the dtype differs.
        """
        value = to_tensor("assign", "new_value", new_value, "any")
        if value.spec.shape != self.spec.shape:
            raise argument_error("assign", "new_value", f"of shape {list(self.shape)}", value)
        if value.spec.dtype != self.spec.dtype:
            raise argument_error("assign", "new_value", f"{with_article(self.dtype)} tensor", value, TypeError)
        check_live(self, "assign")
        check_live(value, "assign")
        _take_data(self, value)
        respecify(self, value.spec)
        join_share(value, self)

    __iadd__, __isub__, __imul__ = _refused("+"), _refused("-"), _refused("*")
    __itruediv__, __ifloordiv__ = _refused("/"), _refused("//")
    __imod__, __ipow__, __imatmul__ = _refused("%"), _refused("**"), _refused("@")

    def dispose(self) -> None:
        """Free the data and the name."""
        with _naming():
            if _registered.get(self.name) is self:
                del _registered[self.name]
        super().dispose()

    def __reduce__(self) -> tuple[Any, ...]:
        kinds = type(self).__mro__[: type(self).__mro__.index(Variable)]
        slots = {name: getattr(self, name) for kind in kinds for name in getattr(kind, "__slots__", ())}
        return variable_again, (type(self), self._values("copy"), self.dtype, self.trainable, self.name, slots)

    def _more(self) -> str:
        return f", name={self.name!r}" + ("" if self.trainable else ", trainable=False")


add_absent(Variable, OF_VARIABLES)


class VariableValue(Tensor):
    """A snapshot of a variable's value: an ordinary tensor that a later `assign` does not change.

    Where variables are expected it stands for its variable, since in TF.js `model.getWeights()` returns the variables.
    """

    __slots__ = ("_variable",)

    _variable: weakref.ref[Variable]

    def __reduce__(self) -> tuple[Any, ...]:
        return tensor_again, (Tensor, self._values("copy"), self.dtype)


def value_of(variable: Variable) -> Tensor:
    """The variable's current value, sharing its data."""
    value = alias(VariableValue, variable)
    value._variable = weakref.ref(variable)
    return value


def variable_of(given: Any) -> Variable | None:
    """The variable itself, or the one that a value was read from."""
    found = given._variable() if isinstance(given, VariableValue) else given
    return found if isinstance(found, Variable) else None


def _free_name() -> str:
    """The next number that is not yet a variable's name: copied or loaded variables bring their own names."""
    return next(name for name in map(str, _numbers) if name not in _registered)


def assign_and_release(variable: Variable, value: Tensor) -> None:
    """`variable.assign(value)` for an unshared value of the variable's shape and dtype, which is disposed."""
    check_live(variable, "assign")
    _take_data(variable, value)
    release(value)


def _take_data(variable: Variable, value: Tensor) -> None:
    assert value.backend is not None
    swap_data(variable, value.payload, value.backend)
    if local.state.recorder is not None:
        local.state.recorder.assigned(variable, value)


def variable_again(
    kind: type[Any], values: Array, dtype: DType, trainable: bool, name: str, slots: dict[str, Any]
) -> Any:
    """A variable of given values, for copying and unpickling. If its name is taken, it gets a number as its name."""
    made = object.__new__(kind)
    for slot, value in slots.items():
        setattr(made, slot, value)
    value = tensor_again(Tensor, values, dtype)
    with _naming():
        Variable.__init__(made, value, trainable, None if name in _registered else name)
    return made


@op(chain=True, doc="Tensors / Creation")
def variable(
    initial_value: TensorLike, trainable: bool = True, name: str | None = None, dtype: DType | None = None
) -> Variable:
    """A variable that starts as a given tensor, sharing its data.

    Args:
        initial_value: the initial value, which determines the shape and dtype.
        trainable: whether optimizers may change it.
        name: a name no other live variable has; a sequential number by default.
        dtype: cast the value to this dtype first.

    Raises:
        ValueError: the name is taken.
    Source: TF.js `tf.variable`.
    """
    return Variable(first_value(initial_value, dtype), trainable, name)


def first_value(given: TensorLike, dtype: DType | None) -> Tensor:
    """The initial value of a variable, cast to a dtype if one is given."""
    value = to_tensor("variable", "initial_value", given, "any")
    return value if dtype is None or dtype == value.dtype else value.cast(dtype)


def registered_variables() -> dict[str, Variable]:
    """The live variables by name, oldest first."""
    # Via their references: variables may be freed meanwhile, and other threads may create some.
    return {ref.key: v for ref in _registered.valuerefs() if (v := ref()) is not None}


def find_variable(name: str) -> Variable | None:
    """The live variable of that name."""
    return _registered.get(name)


def trainable_variables() -> list[Variable]:
    """The live trainable variables, oldest first."""
    return [v for v in registered_variables().values() if v.trainable]


@op(doc="Tensors / Creation")
def dispose_variables() -> None:
    """Dispose every live variable.

    Source: TF.js `tf.disposeVariables`.
    """
    for v in registered_variables().values():
        v.dispose()
