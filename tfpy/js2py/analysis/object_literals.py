"""The object literals that an expression may evaluate to, and their keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tree_sitter import Node

from tfpy.js2py.analysis import uses
from tfpy.js2py.analysis.kind import Kind, joined
from tfpy.js2py.analysis.scopes import Binding, is_written
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import FUNCTIONS, bare, kids, optional, text

if TYPE_CHECKING:
    from tfpy.js2py.analysis.inference import Inference


class ObjectLiterals:
    """The object literals of a script, traced to where they are used."""

    def __init__(self, kinds: Inference, root: Node) -> None:
        self._kinds = kinds
        self._known: dict[int, list[Node]] = {}
        targets = [parse.field(n, "left") for n in parse.walk(root) if n.type == "assignment_expression"]
        self._assigned = {text(n.child_by_field_name("property") or n.child_by_field_name("index")) for n in targets}

    def lacks(self, owner: Node, name: str) -> bool:
        """Whether an expression, or a pattern, may be an object that lacks a key and never gets it."""
        have = [name in parse.keys(literal) or _is_open(literal) for literal in self._of_owner(owner)]
        return not all(have) and (any(have) or not {name, f"'{name}'", f'"{name}"'} & self._assigned)

    def has(self, owner: Node, name: str) -> bool:
        """Whether an expression is a variable that is initialized with an object that has a key, and never set."""
        binding = self._kinds.scopes.resolve(owner)
        if binding is None or binding.value is None or binding.writes:
            return False
        return name in parse.keys(binding.value)

    def kind_of(self, owner: Node, name: str) -> Kind:
        """The kind of an object's value under a key; the owner is an expression or a pattern."""
        return joined([self._kinds.of(value) for value in self._values(owner, name)])

    def values(self, owner: Node) -> list[Node]:
        """The values of an object under all keys; none if it may have others."""
        binding, literals = self._kinds.scopes.resolve(owner), self.of(owner)
        parts = [read.parent for read in binding.reads] if binding is not None else []
        if any(map(_is_open, literals)) or any(part is not None and is_written(part) for part in parts):
            return []
        return [value for literal in literals for value in parse.keys(literal).values()]

    def of(self, node: Node) -> list[Node]:
        """The object literals that an expression may evaluate to."""
        node = bare(node)
        if node.id not in self._known:
            self._known[node.id] = []  # unknown if needed for its own inference
            self._known[node.id] = self._found(node)
        return self._known[node.id]

    def _of_owner(self, owner: Node) -> list[Node]:
        return self.of_pattern(owner) if owner.type == "object_pattern" else self.of(owner)

    def of_pattern(self, pattern: Node) -> list[Node]:
        """The objects that a pattern destructures, or that a parameter or a loop variable may be."""
        around = pattern.parent
        if around is None:
            return []
        if around.type in ("variable_declarator", "assignment_expression"):
            value = optional(around, "value") or optional(around, "right")
            return self.of(value) if value is not None else []
        if around.type == "for_in_statement":
            return self._of_all(self._items(parse.field(around, "right"))) if parse.has(around, "of") else []
        if around.type == "pair_pattern" and around.parent is not None:
            outer = [parse.keys(literal) for literal in self.of_pattern(around.parent)]
            key = text(around.child_by_field_name("key"))
            return self._of_all([values[key] for values in outer if key in values])
        while around is not None and around.type not in FUNCTIONS:
            around = around.parent
        return self._given(around, pattern) if around is not None else []

    def _found(self, node: Node) -> list[Node]:
        if node.type == "object":
            return [node]
        if node.type in ("await_expression", "ternary_expression"):
            return self._of_all(kids(node)[-2:])
        binding = self._kinds.scopes.resolve(node)
        if binding is not None:
            return self._of_variable(binding)
        if node.type == "member_expression":
            return self._of_all(self._values(parse.field(node, "object"), text(parse.field(node, "property"))))
        if node.type == "subscript_expression":
            return self._of_all(self._items(parse.field(node, "object")))
        functions = self._kinds.called(parse.field(node, "function")) if node.type == "call_expression" else []
        return self._of_all([value for f in functions if f.type in FUNCTIONS for value in parse.returned(f)])

    def _of_all(self, nodes: list[Node]) -> list[Node]:
        return [literal for node in nodes for literal in self.of(node)]

    def _of_variable(self, binding: Binding) -> list[Node]:
        if binding.writes:
            return []
        return self.of(binding.value) if binding.value is not None else self.of_pattern(binding.node)

    def _given(self, function: Node, pattern: Node) -> list[Node]:
        """The objects that may be passed as a parameter of a function."""
        parameters = [parse.default_of(parameter) for parameter in parse.parameters(function)]
        at = next((at for at, (given, _) in enumerate(parameters) if given == pattern), None)
        if at is None:
            return []
        owner, default = function.parent, parameters[at][1]
        if owner is None or owner.type != "arguments":
            return self._of_all([*self._kinds.given(function, at), *([default] if default is not None else [])])
        over = uses.iterated_by(owner) if at == 0 else None
        return self._of_all(self._items(over)) if over is not None else []

    def _values(self, owner: Node, name: str) -> list[Node]:
        """The values that a property may have: of an object, or of an instance of a class of the script."""
        kind = self._kinds.of(owner).name
        if kind.startswith("."):
            return self._kinds.members.of(kind[1:], name)
        found = [parse.keys(literal) for literal in self._of_owner(owner)]
        return [values[name] for values in found if name in values]

    def _items(self, node: Node) -> list[Node]:
        """The items of a list literal of the script, and the values that are pushed to it."""
        binding = self._kinds.scopes.resolve(bare(node))
        if binding is None or binding.writes or binding.value is None:
            return kids(bare(node)) if bare(node).type == "array" else []
        pushed = [value for values in self._kinds.added(binding, "push") for value in values]
        return [*self._items(binding.value), *pushed] if binding.value != node else []


def _is_open(literal: Node) -> bool:
    """Whether an object may have any key."""
    parts = [kid.child_by_field_name("key") or kid for kid in kids(literal)]
    return any(part.type in ("spread_element", "computed_property_name") for part in parts)
