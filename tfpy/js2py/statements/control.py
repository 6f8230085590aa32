"""Conditions, blocks, statements that leave a function, and errors."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.converter import Converter, statement
from tfpy.js2py.expressions.conditions import is_always, truth
from tfpy.js2py.expressions.properties import is_cheap
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import call, name_of, py
from tfpy.js2py.syntax.parse import kids, optional, text


@statement("comment", "empty_statement", "type_alias_declaration", "interface_declaration", "hash_bang_line",
           "ambient_declaration", "function_signature")  # fmt: skip
def nothing(c: Converter, node: Node) -> list[ast.stmt]:
    """A statement without meaning in Python."""
    return []


@statement("statement_block")
def block(c: Converter, node: Node) -> list[ast.stmt]:
    """A block within a block."""
    return c.block(node.named_children)


def body_of(c: Converter, node: Node) -> list[ast.stmt]:
    """The statements of a block or of a single statement."""
    return c.block(node.named_children) if node.type == "statement_block" else c.block([node])


@statement("if_statement")
def if_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`if`, with `elif` for an if in the else branch."""
    condition = parse.field(node, "condition")
    consequence, alternative = parse.field(node, "consequence"), node.child_by_field_name("alternative")
    if text(condition).replace(" ", "") == "require.main===module":
        return [ast.If(py('__name__ == "__main__"'), body_of(c, consequence), [])]
    test = truth(c, condition)
    other = [n for n in alternative.named_children] if alternative is not None else []
    if len(other) == 1 and other[0].type == "statement_block":
        other = other[0].named_children
    if is_always(test, False) and condition.type != "false":
        _drop(c, consequence)
        return c.block(other)
    body = body_of(c, consequence)
    if is_always(test, True) and condition.type != "true":
        _drop(c, alternative)
        return body
    otherwise = c.block(other)
    if not body and not otherwise and kids(consequence) and is_cheap(test):
        c.checks.clear()
        return []  # its body has no meaning in Python
    return [ast.If(test, build.filled(body), otherwise)]


def _drop(c: Converter, node: Node | None) -> None:
    """Omit code that never runs, with its comments."""
    for inner in parse.walk(node) if node is not None else ():
        if inner.type == "comment":
            c.place(inner)


@statement("return_statement")
def return_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`return`; in the body of a forEach that became a loop it continues with the next item."""
    if c.returns == "continue":
        return [ast.Continue()]
    if not kids(node):
        return [ast.Return(None)]
    value = c.expr(kids(node)[0])
    return [ast.Return(value)]


@statement("throw_statement")
def throw_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`raise`."""
    value = kids(node)[0]
    if value.type == "identifier" and c.kinds.of(value).name == "error":
        return [ast.Raise(c.expr(value))]
    if value.type != "new_expression" and c.kinds.of(value).name != "error":
        return [ast.Raise(call("RuntimeError", c.expr(value)))]
    return [ast.Raise(c.expr(value))]


@statement("try_statement")
def try_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`try`."""
    handler, final = optional(node, "handler"), optional(node, "finalizer")
    handlers = []
    if handler is not None:
        parameter = optional(handler, "parameter")
        if parameter is not None and parameter.type != "identifier":
            raise NotConvertedError("a destructured error has no counterpart")
        used = parameter is not None and bool(c.scopes.bindings[parameter.id].reads)
        name = name_of(c.name(parameter)) if parameter is not None and used else None
        caught = build.filled(body_of(c, parse.field(handler, "body")))
        handlers.append(ast.ExceptHandler(py("Exception"), name, caught))
    body = build.filled(body_of(c, parse.field(node, "body")))
    last = build.filled(c.block(parse.field(final, "body").named_children)) if final is not None else []
    return [ast.Try(body, handlers, [], last)]
