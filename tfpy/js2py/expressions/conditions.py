"""Conditions: which values are true, and the expressions that depend on them."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.analysis.kind import BOOL, NULL, NUMBERS, STRING, UNKNOWN
from tfpy.js2py.analysis.members import class_around
from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.expressions.presence import looked_for
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, py
from tfpy.js2py.syntax.parse import bare, text

_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def negated(node: ast.expr) -> ast.expr:
    """The negation of a condition."""
    if isinstance(node, ast.Compare) and _is_simple(node):
        return ast.Compare(node.left, [_OPPOSITE[type(node.ops[0])]()], node.comparators)
    if isinstance(node, ast.BoolOp) and all(isinstance(part, ast.Compare) and _is_simple(part) for part in node.values):
        other: ast.boolop = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        return ast.BoolOp(other, [negated(part) for part in node.values])
    known = {"True": "False", "False": "True"}.get(build.name_of(node))
    return atom(known) if known is not None else py("not _0", node)


def is_none(value: ast.expr) -> ast.expr:
    """The condition that a value is None; `a?.b` is if a is, or a.b."""
    match value:
        case ast.IfExp(test, ast.Constant(None), part):
            return build.both("or", test, is_none(part))
    return py("_0 is None", value)


def _is_simple(node: ast.Compare) -> bool:
    """Whether a comparison has an opposite."""
    return len(node.ops) == 1 and type(node.ops[0]) in _OPPOSITE


def truth(c: Converter, node: Node) -> ast.expr:
    """An expression as a condition: in JavaScript a value that is neither a number, a string nor a bool is true."""
    node = bare(node)
    if node.type == "binary_expression" and text(node.child_by_field_name("operator")) in ("&&", "||"):
        word = "and" if text(node.child_by_field_name("operator")) == "&&" else "or"
        left = truth(c, parse.field(node, "left"))
        if is_always(left, word == "or"):
            return left
        with c.without():
            return build.both(word, left, truth(c, parse.field(node, "right")))
    if node.type in ("binary_expression", "unary_expression", "true", "false"):
        return c.expr(node)
    kind, found = c.kinds.of(node), c.expr(node)
    if kind in (*NUMBERS, STRING, BOOL, NULL):
        return found
    if kind != UNKNOWN or _is_looked_for(c, node):
        return negated(is_none(found))
    check_empty(c, node, found)
    return found


def is_always(test: ast.expr, value: bool) -> bool:
    """Whether a condition is always true, or always false, such as those on `typeof window`."""
    return build.name_of(test) == str(value)


def check_empty(c: Converter, node: Node, found: ast.expr) -> None:
    """Note that a value used as a condition may be an empty list, unless it is the result of a call."""
    if node.type not in ("call_expression", "await_expression") and not isinstance(found, (ast.Compare, ast.Call)):
        c.check(node, "an empty list or dict counts as true in JavaScript, and as false in Python")


def _is_looked_for(c: Converter, node: Node) -> bool:
    """Whether an attribute is None until a method sets it."""
    owner = class_around(node) if text(node).startswith("this.") and node.type == "member_expression" else None
    return owner is not None and text(parse.field(node, "property")) in looked_for(owner)


@expression("ternary_expression")
def ternary(c: Converter, node: Node) -> ast.expr:
    """`a if condition else b`."""
    test = truth(c, parse.field(node, "condition"))
    for part, value in (("consequence", True), ("alternative", False)):
        if is_always(test, value):
            return c.expr(parse.field(node, part))
    return py(
        "_0 if _1 else _2", c.maybe(parse.field(node, "consequence")), test, c.maybe(parse.field(node, "alternative"))
    )
