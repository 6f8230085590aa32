"""Expressions that stand alone, for what they do: assignments, calls, conditions."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.analysis.kind import DICT
from tfpy.js2py.converter import Converter, expression, statement
from tfpy.js2py.expressions.conditions import negated, truth
from tfpy.js2py.expressions.destructuring import take_apart
from tfpy.js2py.expressions.functions import define
from tfpy.js2py.expressions.operators import update
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.statements.list_append import is_append
from tfpy.js2py.statements.modules import exported, is_export, requires_only
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import assign, call, name_of
from tfpy.js2py.syntax.parse import bare, kids, text


@statement("expression_statement")
def expression_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """An expression for its effects."""
    return effects(c, bare(kids(node)[0]))


def effects(c: Converter, node: Node) -> list[ast.stmt]:
    """What an expression does."""
    from tfpy.js2py.statements.inlining import inlined_call, started

    node = bare(node)
    if node.type == "await_expression":
        node = bare(kids(node)[0])
        if node.type == "call_expression" and text(parse.field(node, "function")) == "Promise.all":
            together = kids(parse.field(node, "arguments"))[0]
            if together.type == "array":
                return [s for kid in kids(together) for s in effects(c, kid)]
        return effects(c, node) if node.type == "call_expression" else [ast.Expr(c.expr(node))]
    if node.type in ("augmented_assignment_expression", "update_expression"):
        return update(c, node)
    if node.type == "assignment_expression":
        return _assigned(c, node)
    if node.type == "sequence_expression":
        return [s for kid in kids(node) for s in effects(c, kid)]
    if node.type in ("ternary_expression", "binary_expression"):
        return _conditional(c, node)
    if node.type == "string":
        return []  # "use strict"
    if node.type == "call_expression":
        if requires_only(node):
            return []
        found = inlined_call(c, node) or started(c, node)
        if found is not None:
            return found
    value = c.expr(node)
    return [] if isinstance(value, ast.Name) and value.id == "None" else [ast.Expr(value)]


def _assigned(c: Converter, node: Node) -> list[ast.stmt]:
    left, right = parse.field(node, "left"), parse.field(node, "right")
    if is_export(left):
        return exported(c, left, right)
    if left.type == "identifier" and text(left) in c.modules and requires_only(right):
        return []
    if left.type == "identifier" and right.type in parse.FUNCTIONS:
        return [define(c, right, name_of(c.name(left)))]
    if left.type in ("array_pattern", "object_pattern"):
        value = c.expr(right)
        return take_apart(c, left, value, DICT.name if c.kinds.of(right) == DICT else "")
    if left.type == "member_expression" and _is_length(c, left):
        if text(right) == "0":
            return [ast.Expr(call(ast.Attribute(c.expr(parse.field(left, "object")), "clear")))]
        raise NotConvertedError("a length that is set has no counterpart")
    if left.type == "subscript_expression" and is_append(c, left):
        return [ast.Expr(call(ast.Attribute(c.expr(parse.field(left, "object")), "append"), c.expr(right)))]
    if right.type == "assignment_expression":
        inner = _assigned(c, right)
        last = inner[-1]
        if isinstance(last, ast.Assign) and not isinstance(last.targets[0], ast.Tuple):
            return [*inner[:-1], ast.Assign([c.expr(left), *last.targets], last.value, lineno=0)]
    return [assign(c.name(left), c.expr(right))]


def _is_length(c: Converter, node: Node) -> bool:
    """Whether a property is the length of a list, and not an attribute or an item that has this name."""
    kind = c.kinds.of(parse.field(node, "object"))
    return text(parse.field(node, "property")) == "length" and kind != DICT and not kind.name.startswith(".")


def _conditional(c: Converter, node: Node) -> list[ast.stmt]:
    """`a && f()` and `a ? f() : g()` as an if."""
    if node.type == "ternary_expression":
        branches = [effects(c, parse.field(node, name)) for name in ("consequence", "alternative")]
        return [ast.If(truth(c, parse.field(node, "condition")), branches[0], branches[1])]
    sign = text(node.child_by_field_name("operator"))
    if sign not in ("&&", "||"):
        return [ast.Expr(c.expr(node))]
    test = truth(c, parse.field(node, "left"))
    inner = c.by_rule(parse.field(node, "right"), effects)
    return [ast.If(test if sign == "&&" else negated(test), inner, [])]


@expression("sequence_expression")
def sequence(c: Converter, node: Node) -> ast.expr:
    """`a, b` within an expression: a goes before."""
    *before, last = kids(node)
    for inner in before:
        c.first(*effects(c, inner))
    return c.expr(last)
