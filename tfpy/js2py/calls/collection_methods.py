"""Methods that change maps, sets and typed arrays, and for which a template is not enough."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.converter import Converter, MethodRule
from tfpy.js2py.expressions.properties import is_cheap
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build
from tfpy.js2py.syntax.build import atom, py


def _set(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`map.set(k, v)` and `array.set(values, offset)`."""
    kind = c.kinds.of(owner)
    if kind.name not in ("map", "ndarray"):
        return None
    value = c.expr(owner)
    alone = node.parent is not None and node.parent.type == "expression_statement"
    if kind.name == "map":
        c.first(build.assign(ast.Subscript(value, c.expr(given[0])), c.expr(given[1])))
        return atom("None") if alone else value
    at, items = c.expr(given[1]) if len(given) > 1 else atom("0"), c.expr(given[0])
    if isinstance(items, ast.List) and len(items.elts) == 1 and not isinstance(items.elts[0], ast.Starred):
        c.first(build.assign(ast.Subscript(value, at), items.elts[0]))
        return atom("None")
    named = [p if is_cheap(p) else atom(c.new_name(name, node)) for p, name in ((at, "at"), (items, "items"))]
    c.first(*(build.assign(name, p) for name, p in zip(named, (at, items), strict=True) if name is not p))
    c.first(build.assign(py("_0[_1:_1 + len(_2)]", value, *named), named[1]))
    return atom("None")


def _add(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`set.add(item)`, which returns the set."""
    if c.kinds.of(owner).name != "set" or (node.parent is not None and node.parent.type == "expression_statement"):
        return None
    value = c.expr(owner)
    c.first(ast.Expr(py("_0.add(_1)", value, c.expr(given[0]))))
    return value


def _delete(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`delete` of a map or a set, which returns whether the key was present."""
    alone = node.parent is not None and node.parent.type == "expression_statement"
    if alone or c.kinds.of(owner).name not in ("map", "set"):
        return None
    raise NotConvertedError("the result of `delete` has no counterpart; call `has` before")


RULES: dict[str, MethodRule] = {
    "set": _set,
    "add": _add,
    "delete": _delete,
}
