"""The table of TensorFlow ops: their names, and the functions that compute them here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy.core.calling.registry import export
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_string
from tfpy.engine.errors import argument_error

if TYPE_CHECKING:
    from tfpy.graph.graph_def import Node
    from tfpy.graph.run import Run

Function = Callable[["Call"], Any]
"""Computes a TensorFlow op: returns its value, or a list of the values of all its outputs."""

Op = Callable[..., Any]
"""An op of the core."""


class Mapper(NamedTuple):
    """How an op is computed.

    Attributes:
        function: what computes it.
        outputs: the names of its outputs, where function bodies refer to them by name.
    """

    function: Function
    outputs: tuple[str, ...]


MAPPERS: dict[str, Mapper] = {}
_own: dict[str, Mapper] = {}


def maps(names: str, outputs: str = "") -> Callable[[Function], Function]:
    """Register a function for the TensorFlow ops of these names."""

    def mark(function: Function) -> Function:
        mapper = Mapper(function, tuple(outputs.split()))
        MAPPERS.update(dict.fromkeys(names.split(), mapper))
        return function

    return mark


def same(names: str, op: Op) -> None:
    """Register a core op for TensorFlow ops whose inputs are its arguments in order."""
    maps(names)(lambda call: op(*call.values))


def mapper_of(op: str) -> Mapper | None:
    """How an op is computed; None if unknown."""
    return _own.get(op) or MAPPERS.get(op)


def own_meanings() -> tuple[tuple[str, Mapper], ...]:
    """The custom ops that users have registered, and how each is computed."""
    return tuple(_own.items())


def all_known() -> bool:
    """Whether there are no custom ops."""
    return not _own


class Call:
    """An op being run: its inputs and attributes.

    Attributes:
        node: the node of the graph.
        values: the values of its inputs.
        run: the run that it belongs to.
    """

    __slots__ = ("node", "run", "values")

    def __init__(self, node: Node, values: list[Any], run: Run) -> None:
        self.node = node
        self.values = values
        self.run = run

    @property
    def attrs(self) -> Any:
        """The attributes."""
        return self.node.attrs

    def tensor(self, index: int) -> Tensor:
        """An input, which must be a tensor."""
        value = self.value(index)
        if not isinstance(value, Tensor):
            raise argument_error(self.node.label, f"input {index}", "a tensor", value, TypeError)
        return value

    def value(self, index: int) -> Any:
        """An input of any kind."""
        if not -len(self.values) <= index < len(self.values):
            expected = f"given: the op has only {len(self.values)} inputs"
            raise argument_error(self.node.label, f"input {index}", expected, None)
        return self.values[index]

    def number(self, index: int) -> Any:
        """An input as a Python number, boolean or string: its first element."""
        values = self.tensor(index).data_sync()
        if not len(values):
            raise argument_error(self.node.label, f"input {index}", "a number", self.value(index))
        first = values[0]
        return first.item() if hasattr(first, "item") else first

    def numbers(self, index: int) -> Any:
        """An input as nested lists; a number for a scalar."""
        return self.tensor(index).array_sync()

    def sizes(self, index: int) -> list[int]:
        """An input as a list of integers, such as a shape."""
        return [int(n) for n in self.tensor(index).data_sync()]


class NodeValue:
    """The argument of a function passed to `register_op`.

    Attributes:
        inputs: the tensors.
        attrs: the attributes by name, as Python values.
        name: the name of the node.
        op: the name of the op.
    """

    def __init__(self, call: Call) -> None:
        self.inputs: Sequence[Any] = call.values
        self.attrs: dict[str, Any] = call.attrs.plain()
        self.name = call.node.name
        self.op = call.node.op


@export(doc="Models / Op Registry")
def register_op(name: str, op_func: Callable[[NodeValue], Any]) -> None:
    """Register a custom op for graph models, or override a built-in one.

    Args:
        name: the name of the TensorFlow op.
        op_func: called with a node that has `inputs`, a list of tensors, and `attrs`, a dict; returns a tensor or a
            list of all output tensors.

    Source: TF.js `tf.registerOp`.
    """
    as_string("register_op", "name", name)
    if not callable(op_func):
        raise argument_error("register_op", "op_func", "a function of a node", op_func, TypeError)
    _own[name] = Mapper(lambda call: op_func(NodeValue(call)), ())


@export(doc="Models / Op Registry")
def deregister_op(name: str) -> None:
    """Remove an op registered with `register_op`.

    Source: TF.js `tf.deregisterOp`.
    """
    _own.pop(name, None)
