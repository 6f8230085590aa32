"""Expression statements: assignments, calls, conditions."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.converter import Converter, effect, expression, statement
from tfpy.js2py.expressions.conditions import negated, truth
from tfpy.js2py.expressions.functions import define
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.statements.declarations import destructured
from tfpy.js2py.statements.list_append import is_append
from tfpy.js2py.statements.modules import exported, is_export, requires_only
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import assign, call, name_of
from tfpy.js2py.syntax.parse import bare, kids, text

# Globals of browsers that scripts for Node import from packages.
_OF_PAGES = {"global.fetch", "globalThis.fetch"}
# Calls that let the browser draw when they are awaited.
_PAUSES = {"tf.next_frame()", "dl.next_frame()", "dl.util.next_frame()"}


@statement("expression_statement")
def expression_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """An expression whose value is unused."""
    return c.effects(kids(node)[0])


@effect("await_expression")
def awaited(c: Converter, node: Node) -> list[ast.stmt]:
    """An awaited expression, which is complete immediately here; those of `Promise.all([…])` run in order."""
    node = bare(kids(node)[0])
    if node.type != "call_expression":
        return [ast.Expr(c.expr(node))]
    if text(parse.field(node, "function")) == "Promise.all":
        together = kids(parse.field(node, "arguments"))[0]
        if together.type == "array":
            return [s for kid in kids(together) for s in c.effects(kid)]
    return [s for s in c.effects(node) if ast.unparse(s) not in _PAUSES]


@effect("sequence_expression")
def in_sequence(c: Converter, node: Node) -> list[ast.stmt]:
    """`a, b`: first a, then b."""
    return [s for kid in kids(node) for s in c.effects(kid)]


@effect("string")
def directive(c: Converter, node: Node) -> list[ast.stmt]:
    """`"use strict"`, which has no meaning in Python."""
    return []


@effect("assignment_expression")
def assigned(c: Converter, node: Node) -> list[ast.stmt]:
    """An assignment."""
    left, right = parse.field(node, "left"), parse.field(node, "right")
    if is_export(left):
        return exported(c, left, right)
    if left.type == "identifier" and text(left) in c.modules and requires_only(right):
        return []
    if text(left) in _OF_PAGES:
        return []
    if left.type == "identifier" and right.type in parse.FUNCTIONS:
        return [define(c, right, name_of(c.name(left)))]
    if left.type in ("array_pattern", "object_pattern"):
        return destructured(c, left, right)
    if left.type == "member_expression" and _is_length(c, left):
        if text(right) == "0":
            return [ast.Expr(call(ast.Attribute(c.expr(parse.field(left, "object")), "clear")))]
        raise NotConvertedError("a length that is set has no counterpart")
    if left.type == "member_expression" and c.kinds.of(parse.field(left, "object")).name == "list":
        raise NotConvertedError("a property of a list has no counterpart; give it a name of its own")
    if left.type == "subscript_expression" and is_append(c, left):
        return [ast.Expr(call(ast.Attribute(c.expr(parse.field(left, "object")), "append"), c.expr(right)))]
    if right.type == "assignment_expression":
        inner = assigned(c, right)
        last = inner[-1]
        if isinstance(last, ast.Assign) and not isinstance(last.targets[0], ast.Tuple):
            return [*inner[:-1], ast.Assign([c.expr(left), *last.targets], last.value, lineno=0)]
    return [assign(c.name(left), c.expr(right))]


def _is_length(c: Converter, node: Node) -> bool:
    """Whether a property is the length of a list, and not an attribute or an item of that name."""
    kind = c.kinds.of(parse.field(node, "object"))
    return text(parse.field(node, "property")) == "length" and not kind.is_dict and not kind.name.startswith(".")


@effect("ternary_expression", "binary_expression")
def conditional(c: Converter, node: Node) -> list[ast.stmt]:
    """`a && f()` and `a ? f() : g()` as an if."""
    if node.type == "ternary_expression":
        branches = [c.effects(parse.field(node, name)) for name in ("consequence", "alternative")]
        return [ast.If(truth(c, parse.field(node, "condition")), branches[0], branches[1])]
    sign = text(node.child_by_field_name("operator"))
    if sign not in ("&&", "||"):
        return [ast.Expr(c.expr(node))]
    test = truth(c, parse.field(node, "left"))
    inner = c.by_rule(parse.field(node, "right"), Converter.effects)
    return [ast.If(test if sign == "&&" else negated(test), inner, [])]


@expression("sequence_expression")
def sequence(c: Converter, node: Node) -> ast.expr:
    """`a, b` within an expression: a becomes a statement before it."""
    *before, last = kids(node)
    for inner in before:
        c.first(*c.effects(inner))
    return c.expr(last)
