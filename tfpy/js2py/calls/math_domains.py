"""Numeric functions that return NaN or an infinity in JavaScript and raise an error in Python."""

from __future__ import annotations

from tree_sitter import Node

from tfpy.js2py.converter import Converter
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import FUNCTIONS, bare, text

_PARTIAL = {
    "Math.acos", "Math.acosh", "Math.asin", "Math.atanh", "Math.log", "Math.log10", "Math.log1p", "Math.log2",
    "Math.sqrt",
}  # fmt: skip
# Methods that call a function with the items of a list.
_OF_ITEMS = {"every", "filter", "find", "findIndex", "flatMap", "forEach", "map", "reduce", "some"}


def check_domain(c: Converter, name: str, given: list[Node]) -> None:
    """Note a function of a data item that may lie outside the function's domain.

    Computed and checked values are exempt: the author of `Math.sqrt(x * x + y * y)` knows that it is valid.
    """
    if name in _PARTIAL and len(given) == 1 and _is_item(c, bare(given[0])) and not _is_asked_for(bare(given[0])):
        c.check(given[0], f"where {name} of this is NaN or -Infinity, Python raises an error")


def _is_item(c: Converter, node: Node) -> bool:
    """Whether an expression is an item of a list: by index, in a loop, or as the argument of a function in `map`."""
    if node.type == "subscript_expression":
        return c.kinds.of(parse.field(node, "object")).name in ("", "list", "ndarray")
    binding = c.scopes.bindings.get(node.id)
    if binding is None or binding.writes:
        return False
    if binding.kind == "loop":
        return binding.node.parent is not None and binding.node.parent.type == "for_in_statement"
    given = binding.scope.node.parent if binding.kind == "parameter" else None
    if given is None or given.type != "arguments" or given.parent is None:
        return False
    callee = given.parent.child_by_field_name("function")
    method = text(callee.child_by_field_name("property")) if callee is not None else ""
    place = 1 if method == "reduce" else 0
    return method in _OF_ITEMS and parse.parameters(binding.scope.node)[place : place + 1] == [binding.node]


def _is_asked_for(node: Node) -> bool:
    """Whether a condition around an expression checks it."""
    said, found = text(node), node.parent
    while found is not None and found.type not in FUNCTIONS:
        condition = found.child_by_field_name("condition")
        if found.type == "binary_expression" and (parse.has(found, "&&") or parse.has(found, "||")):
            condition = found.child_by_field_name("left")
        if condition is not None and any(text(n) == said for n in parse.walk(condition)):
            return True
        found = found.parent
    return False
