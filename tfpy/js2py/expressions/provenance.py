"""The provenance of data: object literals of the script, JSON, or the configurations that `getConfig` returns."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis import uses
from tfpy.js2py.analysis.kind import UNKNOWN, Kind
from tfpy.js2py.analysis.origins import taken_from
from tfpy.js2py.analysis.scopes import Binding
from tfpy.js2py.converter import Converter
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import string
from tfpy.js2py.syntax.parse import kids, text

# Methods of lists that return items, or lists of items.
_GIVES_ITEMS = {"at", "concat", "filter", "find", "pop", "reverse", "shift", "slice"}


def data_of(c: Converter, node: Node) -> str:
    """The origin of the data that a node is part of.

    Returns:
        "written" for a dict or a list of dicts of the script, "read" for JSON, "config" for the result of
        `getConfig` of a tfpy object, whose keys are tfpy's; empty for anything else.
    """
    passed: dict[int, Kind] = {}
    found: Node | str = node
    while isinstance(found, Node) and found.id not in passed:
        passed[found.id] = c.kinds.of(found) if found.type == "identifier" else UNKNOWN
        found = _around(c, found)
    if isinstance(found, str) and found:
        return found
    kinds = [kind for whole in passed.values() for kind in (whole, whole.item) if kind is not None]
    return "written" if any(kind.is_dict for kind in kinds) else ""


def key_of(c: Converter, owner: Node, name: str) -> str:
    """The key of a property in Python: tfpy's key in the configuration of a tfpy object, otherwise unchanged."""
    return names.config_keys().get(name, name) if data_of(c, owner) == "config" else name


def spelled_key(c: Converter, owner: Node, node: Node) -> ast.expr:
    """The same for a key that is an expression, such as one in brackets."""
    is_known = node.type == "string" and data_of(c, owner) == "config"
    return string(key_of(c, owner, text(node)[1:-1])) if is_known else c.expr(node)


def _around(c: Converter, node: Node) -> Node | str:
    """The node that a node is taken from, or the origin of the data if that is known."""
    if node.type in ("member_expression", "subscript_expression"):
        return parse.field(node, "object")
    if node.type == "await_expression":
        return kids(node)[0]
    if node.type == "call_expression":
        return _of_call(c, parse.field(node, "function"))
    if node.type == "object_pattern":
        return _of_pattern(node)
    binding = c.scopes.bindings.get(node.id) if node.type == "identifier" else None
    return _of_variable(binding) if binding is not None else ""


def _of_call(c: Converter, callee: Node) -> Node | str:
    if text(callee) == "JSON.parse" or text(callee).endswith(".toJSON"):
        return "read"
    if callee.type != "member_expression":
        return ""
    owner, name = parse.field(callee, "object"), text(parse.field(callee, "property"))
    if name == "getConfig":
        is_ours = c.kinds.of(owner).name not in names.classes() and "getConfig" in c.kinds.members.methods
        return "" if is_ours else "config"
    return owner if name in _GIVES_ITEMS else ""


def _of_variable(binding: Binding) -> Node | str:
    """The initial value of a variable, or the iterable that it is an item of."""
    value = taken_from(binding)[0] if binding.kind == "variable" else None
    return value if value is not None else _of_pattern(binding.node)


def _of_pattern(pattern: Node) -> Node | str:
    """The value that a pattern destructures, or the iterable that a parameter or a loop variable is an item of."""
    around = pattern.parent
    if around is None:
        return ""
    if around.type in ("variable_declarator", "for_in_statement"):
        return around.child_by_field_name("value") or around.child_by_field_name("right") or ""
    if around.type == "pair_pattern":
        return around.parent or ""
    function = around.parent if around.type == "formal_parameters" else around
    if function is None or function.type not in parse.FUNCTIONS or function.parent is None:
        return ""
    is_first = [parse.default_of(parameter)[0] for parameter in parse.parameters(function)[:1]] == [pattern]
    is_given = is_first and function.parent.type == "arguments"
    return (uses.iterated_by(function.parent) or "") if is_given else ""
