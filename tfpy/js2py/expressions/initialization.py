"""Initialization at the first use: `x || (x = value)`, `x ||= value`, `x ??= value`."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.converter import Converter
from tfpy.js2py.expressions.conditions import negated, truth
from tfpy.js2py.expressions.properties import is_cheap
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import assign, py

_ALWAYS_TRUE = ("dict", "list", "map", "set")


def unless(c: Converter, sign: str, left: Node, target: ast.expr) -> ast.expr:
    """The condition under which `||=`, `??=` and `&&=` assign; an item of a dict may be missing."""
    if isinstance(target, ast.Subscript) and c.kinds.of(parse.field(left, "object")).is_dict:
        item = py("_0.get(_1)", target.value, target.slice)
        return {"||=": py("not _0", item), "&&=": item}.get(sign, py("_0 is None", item))
    return {"||=": negated(truth(c, left)), "&&=": truth(c, left)}.get(sign, py("_0 is None", target))


def initialized(c: Converter, sign: str, left: Node, value: Node) -> ast.expr:
    """The value that a variable or an item has, or else gets by `||=` or `??=`."""
    target, found = c.expr(left), c.expr(value)
    is_item = isinstance(target, ast.Subscript) and c.kinds.of(parse.field(left, "object")).is_dict
    if isinstance(target, ast.Subscript) and is_item and is_cheap(found) and c.kinds.of(value).name in _ALWAYS_TRUE:
        return py("_0.setdefault(_1, _2)", target.value, target.slice, found)
    c.first(ast.If(unless(c, sign, left, target), [assign(target, found)], []))
    return target
