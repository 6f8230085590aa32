"""Tests of presence: properties and items that may be missing."""

from __future__ import annotations

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.scopes import is_written
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import kids, text


def may_be_missing(node: Node) -> bool:
    """Whether an expression is tested for presence: in a condition, or before `||` and `??`."""
    parent = node.parent
    while parent is not None and parent.type == "parenthesized_expression":
        node, parent = parent, parent.parent
    if parent is None:
        return False
    if parent.type == "binary_expression":
        sign = text(parent.child_by_field_name("operator"))
        if sign == "instanceof":
            return True
        if sign in ("||", "??", "&&"):
            return parent.child_by_field_name("left") == node or may_be_missing(parent)
        others = {text(kid) for kid in kids(parent)}
        return sign in ("===", "!==", "==", "!=") and bool(others & {"undefined", "null", "true", "false"})
    if parse.is_chained(parent) and node in (
        parent.child_by_field_name("object"),
        parent.child_by_field_name("function"),
    ):
        return True
    if parent.type == "unary_expression":
        return text(parent.child_by_field_name("operator")) in ("!", "typeof")
    return parent.type == "if_statement" or parent.child_by_field_name("condition") == node


def looked_for(owner: Node) -> list[str]:
    """Attributes of a class that are tested for presence and that its constructor does not set."""
    body = parse.field(owner, "body")
    declared = {text(m.child_by_field_name("property") or m.child_by_field_name("name")) for m in kids(body)}
    wanted: dict[str, None] = {}
    for inner in parse.walk(body):
        if inner.type != "member_expression" or parse.field(inner, "object").type != "this":
            continue
        name = text(parse.field(inner, "property"))
        if inner.parent is not None and parse.initializes(inner.parent):
            wanted[name] = None
        elif is_written(inner):
            if _is_in_constructor(inner):
                declared.add(name)
        elif may_be_missing(inner):
            wanted[name] = None
    known = {*declared, *(names.attributes() if parse.base_of(owner) is not None else ())}
    return [name for name in wanted if name not in known]


def _is_in_constructor(node: Node) -> bool:
    found = node.parent
    while found is not None and found.type != "method_definition":
        found = found.parent
    return found is not None and text(found.child_by_field_name("name")) == "constructor"
