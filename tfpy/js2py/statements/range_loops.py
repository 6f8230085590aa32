"""For loops that count: their ranges, if nothing in the body changes those."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from tfpy.js2py.analysis.kind import INDEX, NUMBER
from tfpy.js2py.converter import Converter
from tfpy.js2py.statements.list_append import GROWING
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import call, py
from tfpy.js2py.syntax.parse import bare, kids, optional, text


def counted_range(c: Converter, node: Node) -> tuple[ast.expr, ast.expr] | None:
    """Variable and range of `for (let i = a; i < b; i++)`; None for any other loop."""
    initializer, condition, increment = (optional(node, n) for n in ("initializer", "condition", "increment"))
    if initializer is None or initializer.type != "lexical_declaration" or condition is None or increment is None:
        return None
    condition = bare(kids(condition)[0]) if condition.type == "expression_statement" else condition
    declarators = kids(initializer)
    if len(declarators) != 1 or condition.type != "binary_expression" or optional(declarators[0], "value") is None:
        return None
    name, start = parse.field(declarators[0], "name"), parse.field(declarators[0], "value")
    if name.type != "identifier" or text(parse.field(condition, "left")) != text(name):
        return None
    if c.kinds.of(start) == NUMBER and not _is_whole(start):
        return None
    step = _step_of(c, increment, text(name), parse.field(node, "body"))
    end = parse.field(condition, "right")
    binding = c.scopes.bindings[name.id]
    steady = len(binding.writes) == 1 and _is_steady(c, end, parse.field(node, "body"))
    sign = text(condition.child_by_field_name("operator"))
    if step is None or not steady or sign not in (("<", "<=") if step[0] > 0 else (">", ">=")):
        return None
    last = c.expr(end)
    if c.kinds.of(end) == NUMBER and build.whole(last) is None and not _is_whole(end):
        last = call("math.ceil" if step[0] > 0 else "math.floor", last)
    if sign == "<=":
        last = _plus_one(last, 1)
    elif sign == ">=":
        last = _plus_one(last, -1)
    first = c.expr(start)
    parts = [last] if build.whole(first) == 0 and step[1] is None else [first, last]
    return c.name(name), call("range", *parts, *([step[1]] if step[1] is not None else []))


def _is_whole(node: Node) -> bool:
    """Whether a number is computed from integers only."""
    return "/" not in text(node) and "." not in re.sub(r"\.?[a-zA-Z_]\w*", "", text(node))


def _plus_one(node: ast.expr, by: int) -> ast.expr:
    value = build.whole(node)
    if value is not None:
        return py(str(value + by))
    return py(f"_0 {'+' if by > 0 else '-'} 1", node)


def _step_of(c: Converter, node: Node, name: str, body: Node) -> tuple[int, ast.expr | None] | None:
    """Direction and size of a step such as `i++` or `i += 2`; the size is None for 1."""
    if node.type == "update_expression" and text(parse.field(node, "argument")) == name:
        return (1, None) if parse.has(node, "++") else (-1, py("-1"))
    if node.type == "augmented_assignment_expression" and text(parse.field(node, "left")) == name:
        sign, width = text(node.child_by_field_name("operator")), parse.field(node, "right")
        steady = c.kinds.of(width) == INDEX and width.type == "identifier" and _is_steady(c, width, body)
        if sign in ("+=", "-=") and (text(width).isdigit() or steady):
            return (1, c.expr(width)) if sign == "+=" else (-1, py("-_0", c.expr(width)))
    return None


def _is_steady(c: Converter, end: Node, body: Node) -> bool:
    """Whether the end of a loop is constant: the body does not change it, or the list whose length it is."""
    for inner in parse.walk(end):
        if inner.type in ("call_expression", "update_expression", "assignment_expression"):
            return inner.type == "call_expression" and text(inner).startswith("Math.")
    inside = [n for n in parse.walk(body)]
    for name in (n for n in parse.walk(end) if n.type == "identifier"):
        binding = c.scopes.bindings.get(name.id)
        if binding is not None and any(body.start_byte <= w.start_byte < body.end_byte for w in binding.writes):
            return False
    lists = {text(parse.field(n, "object")) for n in parse.walk(end) if n.type == "member_expression"}
    for n in inside:
        grows = n.type == "member_expression" and text(parse.field(n, "property")) in GROWING
        if grows and text(parse.field(n, "object")) in lists:
            return False
        if n.type in ("assignment_expression", "augmented_assignment_expression", "update_expression"):
            target = n.child_by_field_name("left") or n.child_by_field_name("argument")
            if text(target) in (text(end), *lists):
                return False
    return True
