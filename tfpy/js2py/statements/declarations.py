"""Declarations of variables and functions."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.kind import DICT, NDARRAY
from tfpy.js2py.converter import Converter, statement
from tfpy.js2py.expressions.destructuring import is_of_items, parts_of, take_apart
from tfpy.js2py.expressions.functions import define
from tfpy.js2py.expressions.literals import iterated
from tfpy.js2py.expressions.properties import is_of_tfpy, namespace_of, own
from tfpy.js2py.statements.classes import class_of
from tfpy.js2py.statements.docstrings import documented
from tfpy.js2py.statements.modules import required
from tfpy.js2py.statements.mutation import own_copy
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import assign, atom, name_of, py
from tfpy.js2py.syntax.parse import kids, optional, text


@statement("lexical_declaration", "variable_declaration")
def declaration(c: Converter, node: Node) -> list[ast.stmt]:
    """`const`, `let` and `var`."""
    out: list[ast.stmt] = []
    for declarator in kids(node):
        pattern, value = parse.field(declarator, "name"), optional(declarator, "value")
        c.pre = []
        found = required(c, pattern, value)
        if found is None:
            found = _declared(c, node, pattern, value)
        out += [*c.pre, *found]
    c.pre = []
    return out


def _declared(c: Converter, node: Node, pattern: Node, value: Node | None) -> list[ast.stmt]:
    if value is None and pattern.type == "identifier" and text(pattern) in c.modules:
        return []
    if value is None:
        if pattern.type == "identifier" and node.type == "variable_declaration" and _is_again(c, pattern):
            return []
        return [assign(c.name(pattern), atom("None"))]
    if pattern.type == "identifier" and value.type in parse.FUNCTIONS:
        return _function(c, value, name_of(c.name(pattern)), node)
    if pattern.type == "identifier" and value.type == "class":
        return [class_of(c, value, text(pattern))]
    if pattern.type == "identifier":
        return [assign(c.name(pattern), own_copy(c, pattern, value, c.expr(value)))]
    return destructured(c, pattern, value)


def _is_again(c: Converter, pattern: Node) -> bool:
    return c.scopes.bindings[pattern.id].node != pattern


def destructured(c: Converter, pattern: Node, value: Node) -> list[ast.stmt]:
    """`[a, b] = value`, and `{a, b} = value` of a dict, a tfpy object, or JavaScript's own `Math` and `Number`."""
    if pattern.type == "array_pattern":
        return take_apart(c, pattern, iterated(c, value) if c.kinds.of(value) == NDARRAY else c.expr(value))
    if text(value) in ("Math", "Number") and value.id not in c.scopes.bindings and is_of_items(pattern):
        return [assign(c.name(target), own(f"{text(value)}.{key}")) for key, target in parts_of(pattern)]
    kind = c.kinds.of(value)
    space = namespace_of(c, value)
    found = c.expr(value) if space is None else py(".".join(space))
    plain = kind.is_dict or (kind.name == "" and not _has_attributes(pattern, value, c))
    return take_apart(c, pattern, found, DICT.name if plain else "")


def _has_attributes(pattern: Node, value: Node, c: Converter) -> bool:
    """Whether the destructured value has attributes: a namespace, or a result with these names."""
    if is_of_tfpy(c, value):
        return True
    keys = [text(p if p.type != "pair_pattern" else parse.field(p, "key")) for p in kids(pattern)]
    return (
        value.type != "identifier"
        and not any(k in c.kinds.keys for k in keys)
        and all(k in names.attributes() for k in keys)
    )


def _function(c: Converter, node: Node, name: str, owner: Node) -> list[ast.stmt]:
    """A def with its docstring."""
    made = define(c, node, name)
    documented(c, made, owner)
    return [made]


@statement("function_declaration", "generator_function_declaration")
def function_declaration(c: Converter, node: Node) -> list[ast.stmt]:
    """A function."""
    made = _function(c, node, name_of(c.name(parse.field(node, "name"))), node)
    build.allow_earlier(made[0])
    return made
