"""Loops: `for` in all its forms, `while` and `do`."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.analysis.kind import DICT
from tfpy.js2py.converter import Converter, statement
from tfpy.js2py.expressions.conditions import negated, truth
from tfpy.js2py.expressions.destructuring import take_apart
from tfpy.js2py.expressions.literals import iterated
from tfpy.js2py.statements.control import body_of
from tfpy.js2py.statements.mutation import is_changed
from tfpy.js2py.statements.range_loops import counted_range
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, call, py
from tfpy.js2py.syntax.parse import bare, kids, optional, text


@statement("for_statement")
def for_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """A for loop with three parts: over a range if it counts, otherwise a while loop."""
    counted = counted_range(c, node)
    saved, c.steps = c.steps, []
    try:
        if counted is not None:
            target, over = counted
            return [ast.For(target, over, _loop_body(c, node), [], lineno=0)]
        return _as_while(c, node)
    finally:
        c.steps = saved


def _loop_body(c: Converter, node: Node) -> list[ast.stmt]:
    return build.filled(body_of(c, parse.field(node, "body")))


def _as_while(c: Converter, node: Node) -> list[ast.stmt]:
    initializer, condition = optional(node, "initializer"), optional(node, "condition")
    increment = optional(node, "increment")
    out = c.block([initializer]) if initializer is not None and initializer.type != "empty_statement" else []
    test: ast.expr = atom("True")
    if condition is not None and condition.type != "empty_statement":
        inner = bare(kids(condition)[0]) if condition.type == "expression_statement" else condition
        test = truth(c, inner)
    c.steps = c.by_rule(increment, Converter.effects) if increment is not None else []
    body = _loop_body(c, node)
    return [*out, ast.While(test, [*body, *c.steps], [])]


@statement("for_in_statement")
def for_in_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`for … of`, `for await` and `for … in`."""
    left, right = parse.field(node, "left"), parse.field(node, "right")
    kind = c.kinds.of(right)
    within = text(node.child_by_field_name("operator")) == "in"
    over = c.expr(right) if within else iterated(c, right)
    if within:
        if kind.name in ("list", "ndarray"):
            over = py("range(len(_0))", over)
        elif not kind.is_dict:
            c.check(node, "`for … in` iterates over the keys of a dict here; for a list it must be range(len(…))")
    if kind.name == "list":
        over = build.unlisted(over)
    if is_changed(c, node, right, parse.field(node, "body")):
        over = call("list", over)
    target, later = loop_target(c, left)
    saved, c.steps = c.steps, []
    body = _loop_body(c, node)
    c.steps = saved
    return [ast.For(target, over, [*later, *body], [], lineno=0)]


def loop_target(c: Converter, left: Node) -> tuple[ast.expr, list[ast.stmt]]:
    """The variable of a loop, and the statements that destructure an item."""
    if parse.is_tuple_of_names(left):
        return ast.Tuple([c.name(kid) for kid in kids(left)]), []
    if left.type in ("array_pattern", "object_pattern"):
        item = atom(c.new_name("item", left))
        first, *later = take_apart(c, left, item, DICT.name)
        match first:
            case ast.Assign([ast.Tuple() as target], value) if value is item:
                return target, later
        return item, [first, *later]
    return c.name(left), []


@statement("while_statement")
def while_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`while`."""
    saved, c.steps = c.steps, []
    with c.without(places=False):
        test = truth(c, parse.field(node, "condition"))
    body = _loop_body(c, node)
    c.steps = saved
    return [ast.While(test, body, [])]


@statement("do_statement")
def do_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`do … while` as an infinite loop with a break at the end of its body."""
    saved = c.steps
    with c.without(places=False):
        test = truth(c, parse.field(node, "condition"))
    leave = ast.If(negated(test), [ast.Break()], [])
    c.steps = [leave]
    body = _loop_body(c, node)
    c.steps = saved
    return [ast.While(atom("True"), [*body, leave], [])]
