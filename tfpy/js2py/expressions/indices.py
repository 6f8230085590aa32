"""Numbers that must be integers in Python: indices, lengths and counts, for which JavaScript accepts any number."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.analysis.kind import INDEX, NDARRAY, NUMBERS
from tfpy.js2py.analysis.scopes import Binding
from tfpy.js2py.converter import Converter
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import call, py
from tfpy.js2py.syntax.parse import bare, kids, text

_OF_OPERANDS = {"+", "-", "*", "**", "%"}
_FRACTIONS = {
    "Math.cbrt", "Math.exp", "Math.log", "Math.log10", "Math.log2", "Math.pow", "Math.sqrt", "Number", "parseFloat",
}  # fmt: skip
# Constructors of integer arrays have one of these in their names.
_WHOLE = ("argMax", "argMin", "Int", "Uint", "indices")


def index(c: Converter, node: Node) -> ast.expr:
    """The Python code of an index or a count: a quotient is truncated, as JavaScript does in `slice`."""
    node = bare(node)
    if not is_fraction(c, node):
        return c.expr(node)
    if node.type == "binary_expression" and text(node.child_by_field_name("operator")) == "/":
        left, right = parse.field(node, "left"), parse.field(node, "right")
        if c.kinds.of(left) == INDEX and c.kinds.of(right) == INDEX:
            return py("_0 // _1", c.expr(left), c.expr(right))
    return call("int", c.expr(node))


def is_float(c: Converter, node: Node) -> bool:
    """Whether an index is an item of a typed array or buffer that may hold floats, which Python rejects as indices."""
    callee = node.child_by_field_name("function")
    if callee is not None and callee.type == "member_expression" and text(parse.field(callee, "property")) == "get":
        return c.kinds.of(parse.field(callee, "object")).name == "TensorBuffer"
    if node.type != "subscript_expression" or c.kinds.of(parse.field(node, "object")) != NDARRAY:
        return False
    array = parse.field(node, "object")
    binding = c.scopes.bindings.get(array.id)
    made = text(binding.value if binding is not None and binding.value is not None else array)
    return not any(word in made for word in _WHOLE)


def is_fraction(c: Converter, node: Node, seen: frozenset[Binding] = frozenset()) -> bool:
    """Whether a number comes from a division or the like, so that it may be fractional and is a float in Python."""
    node = bare(node)
    if node.type == "number":
        return "." in text(node) or "e-" in text(node)
    if node.type == "unary_expression":
        if parse.has(node, "+") and c.kinds.of(parse.field(node, "argument")) not in NUMBERS:
            return True
        return is_fraction(c, parse.field(node, "argument"), seen)
    if node.type == "ternary_expression":
        return any(is_fraction(c, parse.field(node, part), seen) for part in ("consequence", "alternative"))
    if node.type == "binary_expression":
        sign = text(node.child_by_field_name("operator"))
        operands = (parse.field(node, side) for side in ("left", "right"))
        return sign == "/" or (sign in _OF_OPERANDS and any(is_fraction(c, part, seen) for part in operands))
    if node.type == "call_expression":
        name = text(parse.field(node, "function"))
        extreme = name in ("Math.max", "Math.min", "Math.abs")
        return name in _FRACTIONS or (
            extreme and any(is_fraction(c, part, seen) for part in kids(parse.field(node, "arguments")))
        )
    binding = c.scopes.bindings.get(node.id) if node.type == "identifier" else None
    if binding is None or binding in seen:
        return False
    return any(_is_given_fraction(c, node, seen | {binding}) for node in [binding.value, *binding.writes])


def _is_given_fraction(c: Converter, node: Node | None, seen: frozenset[Binding]) -> bool:
    """Whether a variable is declared as a fraction, or set to one by an assignment."""
    parent = node.parent if node is not None else None
    if node is None or parent is None:
        return False
    if parent.type == "augmented_assignment_expression":
        return parse.has(parent, "/=") or is_fraction(c, parse.field(parent, "right"), seen)
    if parent.type == "assignment_expression" and parse.field(parent, "left") == node:
        return is_fraction(c, parse.field(parent, "right"), seen)
    return node.type != "identifier" and is_fraction(c, node, seen)
