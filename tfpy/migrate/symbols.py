"""The symbolic tensors of a file: their inputs, and so the parameters of their functions."""

from __future__ import annotations

from typing import NamedTuple

import libcst as cst

from tfpy.legacy.migration.successors import snake, successor, table
from tfpy.migrate.kinds import Kinds
from tfpy.migrate.names import dotted
from tfpy.migrate.padding import default_pad
from tfpy.migrate.templates import CannotRewrite, Given, bind, is_none
from tfpy.migrate.variables import Key
from tfpy.migrate.versions import NESTED

# Kinds of parts of graphs, which may be used only where there is a counterpart.
GRAPHISH = ("graph", "session", "symbol", "placeholder", "layers", "runner", "builder")
_NO_VECTORS = ("reshape", "matmul", "reduce_sum", "conv2d", "max_pool", "variable")  # of the size of their first input
# The placeholders that an expression depends on, and its size if it is a vector of known size.
Dependencies = tuple[set[Key], cst.BaseExpression | None]


class Symbol(NamedTuple):
    """A symbolic tensor that becomes a function.

    Attributes:
        name: the name of the function.
        placeholders: the placeholders that it depends on, in order.
        size: for a vector, the expression of its size if known.
    """

    name: str
    placeholders: tuple[Key, ...]
    size: cst.BaseExpression | None


class Problem(Exception):
    """A graph cannot become functions; has the node and the reason."""

    def __init__(self, node: cst.CSTNode, reason: str) -> None:
        super().__init__(reason)
        self.node = node


class Symbols:
    """The symbolic tensors of a file.

    Args:
        kinds: the kinds of the file's expressions.
        nesting: the nodes around the current one, kept up to date by the visitor of the file.

    Attributes:
        named: the symbols that become functions, by variable.
        placeholders: the order of placeholders, by variable, and the names of the arguments.
        operands: names in the arguments of graph methods that become calls.
        used: the names that are understood.
    """

    def __init__(self, kinds: Kinds, nesting: list[cst.CSTNode]) -> None:
        self.kinds = kinds
        self.named: dict[Key, Symbol] = {}
        self.placeholders: dict[Key, int] = {}
        self.operands: dict[cst.CSTNode, Symbol] = {}
        self.used: set[cst.CSTNode] = set()
        self._sizes: dict[Key, cst.BaseExpression | None] = {}
        self._nesting = nesting

    def has(self, key: Key | None) -> bool:
        """Whether a variable is a tensor that was built."""
        return key in self.named or key in self.placeholders

    def depends(self, key: Key) -> tuple[Key, ...]:
        """The placeholders that a tensor depends on."""
        return self.named[key].placeholders if key in self.named else (key,)

    def consume(self, node: cst.CSTNode) -> None:
        """Record the names in an expression as understood."""
        for child in [node, *node.children]:
            if isinstance(child, (cst.Name, cst.Attribute)):
                self.used.add(child)
            if child is not node:
                self.consume(child)

    def add_placeholder(self, target: cst.BaseExpression, value: cst.BaseExpression, node: cst.Assign) -> None:
        """Record that a statement creates a placeholder."""
        name, key = self._new(target, node)
        if not isinstance(value, cst.Call):
            raise Problem(node, f"the placeholder {name!r} has a second name")
        self.consume(value.func)
        self.placeholders[key] = len(self.placeholders)
        shape = bound(node, "graph", "placeholder", value).get("shape")
        self._sizes[key] = _only(shape) if isinstance(shape, (cst.List, cst.Tuple)) else None

    def add(self, node: cst.Assign) -> None:
        """Record that a statement builds a tensor."""
        name, key = self._new(node.targets[0].target, node)
        if not isinstance(node.value, cst.Call):
            raise Problem(node, f"the tensor {name!r} has a second name")
        found, size = self.dependencies(node.value, top=True)
        self.named[key] = Symbol(name, tuple(sorted(found, key=self.placeholders.__getitem__)), size)

    def _new(self, target: cst.BaseExpression, node: cst.Assign) -> tuple[str, Key]:
        """The name of the built tensor, and its variable; it must be built only once."""
        name, key = dotted(target), self.kinds.variables.key(target)
        if key is None or name is None or len(node.targets) > 1:
            raise Problem(node, "a tensor of the graph has no simple name")
        inside: list[cst.CSTNode] = []
        for around in self._nesting:
            inside = [] if isinstance(around, (cst.FunctionDef, cst.Module)) else [*inside, around]
        if any(isinstance(around, NESTED) for around in inside):
            raise Problem(node, "the graph is built in a loop or under a condition")
        if self.has(key):
            raise Problem(node, f"{name!r} names more than one tensor of the graph")
        self.used.add(target)
        return name, key

    def dependencies(self, node: cst.BaseExpression, top: bool) -> Dependencies:
        """The dependencies of an expression of the graph.

        Args:
            node: the expression.
            top: whether it is the whole value of an assignment.
        """
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            return self._operand(node)
        owner = self.kinds.of(node.func.value)
        if owner == "layers":
            if not top:
                raise Problem(node, "a dense layer has no name")
            return self._dense(node)
        return self._operation(node, snake("graph", node.func.attr.value)) if owner == "graph" else (set(), None)

    def _operation(self, node: cst.Call, name: str) -> Dependencies:
        """The dependencies of a call of a method of the graph."""
        found = successor("graph", name)
        if found is None or not found.forms or (found.own and name not in ("constant", "placeholder")):
            raise Problem(node, f"graph.{name} has no counterpart")
        if name in ("placeholder", "variable"):
            raise Problem(node, f"a {name} has no name")
        self.consume(node.func)
        given = bound(node, "graph", name, node)
        if name in ("conv2d", "max_pool") and default_pad(given) is None:
            raise Problem(node, "the default padding is unknown here; give zero_pad")
        if name == "constant":
            if _makes(given.get("value")):
                raise Problem(node, "a constant that is computed has no name")
            return set(), None
        parts = {key: self.dependencies(value, top=False) for key, value in given.items()}
        return set().union(*[found for found, _ in parts.values()]), _size(name, given, parts)

    def _operand(self, node: cst.BaseExpression) -> Dependencies:
        kind, key = self.kinds.of(node), self.kinds.variables.key(node)
        if kind == "placeholder" and key in self.placeholders:
            self.used.add(node)
            return {key}, self._sizes[key]
        if kind == "symbol":
            if key not in self.named:
                raise Problem(node, "a tensor of the graph is created where it cannot be traced")
            self.used.add(node)
            self.operands[node] = self.named[key]
            return set(self.named[key].placeholders), self.named[key].size
        if kind in ("mixed", *GRAPHISH):
            raise Problem(node, "a tensor of the graph is created where it cannot be traced")
        return set(), None

    def _dense(self, node: cst.Call) -> Dependencies:
        given = bound(node, "layers", "dense", node)
        self.consume(node.func)
        if "x" not in given or "units" not in given:
            raise Problem(node, "some of the layer's arguments are missing")
        found, size = self.dependencies(given["x"], top=False)
        if size is None:
            raise Problem(node, "the size of the layer's input is unknown here")
        activation = given.get("activation")
        if activation_of(activation, self.kinds) is not None:
            assert activation is not None
            self.consume(activation)
        elif not is_none(activation):
            raise Problem(node, "the layer's activation is user-defined")
        for name in ("kernel_initializer", "bias_initializer"):
            path = self.kinds.variables.path(getattr(given.get(name), "func", None))
            if name in given and (path not in table("initializer") and path != "VarianceScalingInitializer"):
                raise Problem(node, f"the layer's {name} is not created in place")
        return found, given["units"]


def bound(node: cst.CSTNode, kind: str, name: str, call: cst.Call) -> Given:
    """The arguments of a call by parameter name; if they cannot be bound, raises a Problem for the node."""
    found = successor(kind, name)
    assert found is not None
    try:
        return bind(found.parameters, call.args)
    except CannotRewrite as error:
        raise Problem(node, str(error)) from None


def _size(name: str, given: Given, parts: dict[str, Dependencies]) -> cst.BaseExpression | None:
    """The size of the result of a graph method, if that is a vector."""
    shape = given.get("shape")
    if name == "reshape" and isinstance(shape, cst.List):
        return _only(shape)
    if name in _NO_VECTORS or name.startswith("concat"):
        return None
    return next((size for key, (_, size) in parts.items() if key in ("x", "x1")), None)


def _only(shape: cst.List | cst.Tuple) -> cst.BaseExpression | None:
    """The size in a shape of one dimension."""
    return shape.elements[0].value if len(shape.elements) == 1 else None


def _makes(node: cst.CSTNode | None) -> bool:
    """Whether an expression contains a call, whose repetition may return another value."""
    return node is not None and (isinstance(node, cst.Call) or any(_makes(child) for child in node.children))


def activation_of(node: cst.BaseExpression | None, kinds: Kinds) -> str | None:
    """The graph method of an activation: `graph.relu`, or `lambda x: graph.relu(x)`."""
    if isinstance(node, cst.Lambda) and len(node.params.params) == 1 and isinstance(node.body, cst.Call):
        args = [dotted(a.value) for a in node.body.args]
        node = node.body.func if args == [node.params.params[0].name.value] else None
    if isinstance(node, cst.Attribute) and kinds.of(node.value) == "graph":
        found = successor("graph", node.attr.value)
        return node.attr.value if found is not None and found.forms and not found.own else None
    return None
