"""Lists and typed arrays that repeat one item: `new Array(n).fill(0)` and the like."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.analysis.kind import NDARRAY
from tfpy.js2py.converter import Converter
from tfpy.js2py.expressions.indices import index
from tfpy.js2py.expressions.properties import is_cheap
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import assign, atom, call, py
from tfpy.js2py.syntax.parse import kids, text
from tfpy.js2py.syntax.printing import source


def array_length(owner: Node) -> Node | None:
    """n of `Array(n)`, `new Array(n)`, either with `.fill(…)`, and `[...Array(n)]`."""
    if owner.type == "array" and len(kids(owner)) == 1 and kids(owner)[0].type == "spread_element":
        owner = kids(kids(owner)[0])[0]
    if owner.type == "call_expression" and owner.child_by_field_name("function") is not None:
        callee = parse.field(owner, "function")
        if callee.type == "member_expression" and text(parse.field(callee, "property")) == "fill":
            owner = parse.field(callee, "object")
    called = owner.child_by_field_name("constructor") or owner.child_by_field_name("function")
    if called is None or text(called) != "Array":
        return None
    listed = kids(parse.field(owner, "arguments"))
    return listed[0] if len(listed) == 1 else None


def fill(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`new Array(n).fill(0)`; an existing list is filled in place."""
    if len(given) != 1:
        return None
    if c.kinds.of(owner) == NDARRAY:
        return _fill_array(c, node, owner, given[0])
    length = array_length(node)
    if length is not None and owner.type in ("new_expression", "call_expression"):
        return py("[_1] * _0", index(c, length), c.expr(given[0]))
    if c.kinds.of(owner).name != "list":
        return None
    value = c.expr(owner)
    c.first(assign(py("_0[:]", value), py("[_1] * len(_0)", value, c.expr(given[0]))))
    return value


def _fill_array(c: Converter, node: Node, owner: Node, item: Node) -> ast.expr | None:
    """`fill` of a typed array, which returns the array; numpy's `fill` returns None."""
    if node.parent is not None and node.parent.type == "expression_statement":
        return None
    value = c.expr(owner)
    if isinstance(value, ast.Call) and source(value.func) == "np.zeros":
        return call("np.full", *value.args, c.expr(item), keywords=value.keywords)
    if not is_cheap(value):
        name = atom(c.new_name("filled", node))
        c.first(assign(name, value))
        value = name
    c.first(ast.Expr(py("_0.fill(_1)", value, c.expr(item))))
    return value
