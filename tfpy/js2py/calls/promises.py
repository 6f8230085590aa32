"""Promises within expressions: their results are ready when a call returns."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tree_sitter import Node

from tfpy.js2py.analysis.kind import DICT
from tfpy.js2py.converter import Converter, MethodRule
from tfpy.js2py.expressions.destructuring import take_apart
from tfpy.js2py.expressions.functions import reference, value_of
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import assign, atom, call, name_of, py
from tfpy.js2py.syntax.parse import bare, kids, text


def _then(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`p.then(f)` is `f(p)`."""
    if len(given) != 1 or "then" in c.kinds.members.methods:
        return None
    value = c.expr(owner)
    return _called(c, bare(given[0]), value)


def _catch(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`p.catch(f)` is p, or f of the error."""
    if len(given) != 1 or "catch" in c.kinds.members.methods:
        return None
    found, error = atom(c.new_name("found", node)), atom(c.new_name("error", node))
    tried = _separate(c, found, lambda: c.expr(owner))
    handled = _separate(c, found, lambda: _called(c, bare(given[0]), error))
    name = error.id if any(error.id in ast.unparse(s) for s in handled) else None
    c.first(ast.Try(tried, [ast.ExceptHandler(py("Exception"), name, handled)], [], []))
    return found


def _separate(c: Converter, target: ast.expr, value: Callable[[], ast.expr]) -> list[ast.stmt]:
    """The statements that set a variable."""
    saved, c.pre = c.pre, []
    try:
        found = value()
        return [*c.pre, assign(target, found)]
    finally:
        c.pre = saved


def _called(c: Converter, function: Node, value: ast.expr) -> ast.expr:
    """A function called with one value; one that is an expression becomes that, after a variable for its parameter."""
    if function.type not in parse.FUNCTIONS:
        return call(reference(c, function, "callback"), value)
    patterns, body = parse.parameters(function)[:1], value_of(parse.field(function, "body"))
    if not patterns and not isinstance(value, ast.Name):
        c.first(ast.Expr(value))
    if body.type == "statement_block" or c.pre is None or not c.certain:
        return call(reference(c, function, "callback"), *([value] if patterns else []))
    for binding in c.scopes.by_node[function.id].bindings.values():
        is_value = isinstance(value, ast.Name) and [binding.node] == patterns
        binding.python = name_of(value) if is_value else c.new_name(binding.python, function.parent or function)
    if patterns and not (isinstance(value, ast.Name) and patterns[0].type == "identifier"):
        c.first(*take_apart(c, patterns[0], value, DICT.name))
    return c.expr(body)


def made(c: Converter, arguments: Node | None) -> ast.expr:
    """`new Promise(resolve => setTimeout(resolve, ms))`."""
    inner = [n for n in parse.walk(arguments) if n.type == "call_expression"] if arguments is not None else []
    if len(inner) == 1 and text(parse.field(inner[0], "function")) == "setTimeout":
        timing = kids(parse.field(inner[0], "arguments"))
        if len(timing) == 2:
            return py("time.sleep(_0 / 1000)", c.expr(timing[1]))
    raise NotConvertedError("`new Promise` has no counterpart: a call returns when its result is ready, so return that")


RULES: dict[str, MethodRule] = {"then": _then, "catch": _catch}
