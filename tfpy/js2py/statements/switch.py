"""`switch`, as `match` or as `if`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from tree_sitter import Node

from tfpy.js2py.converter import Converter, statement
from tfpy.js2py.expressions.conditions import truth
from tfpy.js2py.expressions.operators import of_type
from tfpy.js2py.expressions.properties import is_cheap
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import assign, atom, py
from tfpy.js2py.syntax.parse import kids, text

_ENDS = ("break_statement", "return_statement", "throw_statement", "continue_statement")


class Case(NamedTuple):
    """The statements for some values.

    Attributes:
        values: the values.
        body: the statements.
    """

    values: list[Node]
    body: list[ast.stmt]


@statement("switch_statement")
def switch_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`switch` as `match` if the values are literals, otherwise as an if chain; each case must end."""
    subject = parse.field(node, "value")
    value = None if text(subject) == "true" or _is_type(subject) else c.expr(subject)
    cases, default = _cases(c, node)
    patterns = [[_pattern(c, v) for v in case.values] for case in cases] if value is not None else []
    if value is None or any(p is None for group in patterns for p in group):
        return _as_conditions(c, subject, value, cases, default)
    found = []
    for case, group in zip(cases, patterns, strict=True):
        known = [p for p in group if p is not None]
        found.append(ast.match_case(known[0] if len(known) == 1 else ast.MatchOr(known), None, case.body))
    if default is not None:
        found.append(ast.match_case(ast.MatchAs(), None, default))
    return [ast.Match(value, found)]


def _is_type(node: Node) -> bool:
    return node.type == "unary_expression" and parse.has(node, "typeof")


def _cases(c: Converter, node: Node) -> tuple[list[Case], list[ast.stmt] | None]:
    """The cases, with those without a body merged into the next one, and the statements of the default."""
    cases: list[Case] = []
    waiting: list[Node] = []
    default: list[ast.stmt] | None = None
    parts = kids(parse.field(node, "body"))
    for at, case in enumerate(parts):
        inner = [n for n in case.named_children if n != case.child_by_field_name("value")]
        if case.type == "switch_case":
            waiting.append(parse.field(case, "value"))
        body = _case_body(c, inner, at == len(parts) - 1)
        if body is None and case.type == "switch_default":
            raise NotConvertedError("a default that falls through to the next case has no counterpart")
        if body is not None:
            if case.type == "switch_default":
                default = body
            else:
                cases.append(Case(waiting, body))
            waiting = []
    return cases + ([Case(waiting, [ast.Pass()])] if waiting else []), default


def _pattern(c: Converter, node: Node) -> ast.pattern | None:
    """A literal as a pattern; None for a value that must be compared."""
    if node.type in ("null", "undefined") or text(node) == "undefined":
        return ast.MatchSingleton(None)
    if node.type not in ("string", "number", "member_expression"):
        return None
    value = c.expr(node)
    return ast.MatchValue(value) if node.type != "member_expression" or isinstance(value, ast.Attribute) else None


def _as_conditions(
    c: Converter, subject: Node, value: ast.expr | None, cases: list[Case], default: list[ast.stmt] | None
) -> list[ast.stmt]:
    """`if` and `elif`; a computed value gets a name."""
    out: list[ast.stmt] = []
    if value is not None and not is_cheap(value):
        name = atom(c.new_name("value", subject))
        out, value = [assign(name, value)], name
    chain = default or []
    if _is_type(subject):  # True is an int, so this comes first
        cases = sorted(cases, key=lambda case: all(parse.string_in(v) != "boolean" for v in case.values))
    for case in reversed(cases):
        test: ast.expr | None = None
        for one in case.values:
            with c.without(places=False):
                found = _condition(c, subject, value, one)
            test = found if test is None else build.both("or", test, found)
        assert test is not None
        chain = [ast.If(test, case.body, chain)]
    return [*out, *chain]


def _condition(c: Converter, subject: Node, value: ast.expr | None, one: Node) -> ast.expr:
    """Whether a case applies."""
    if value is not None:
        return py("_0 == _1", value, c.expr(one))
    if not _is_type(subject):
        return truth(c, one)
    if one.type != "string":
        raise NotConvertedError("a comparison of a type with something that is not a string has no counterpart")
    return of_type(c, parse.field(subject, "argument"), text(one)[1:-1])


def _case_body(c: Converter, inner: list[Node], is_last: bool) -> list[ast.stmt] | None:
    """The statements of a case without its `break`; None for an empty one, which shares the next one's."""
    if len(inner) == 1 and inner[0].type == "statement_block":
        inner = inner[0].named_children
    plain = [n for n in inner if n.type != "comment"]
    if not plain and not is_last:
        return None
    if plain and plain[-1].type not in _ENDS and not is_last:
        raise NotConvertedError("a case that falls through to the next has no counterpart")
    inner = [n for n in inner if not plain or n != plain[-1] or n.type != "break_statement" or kids(n)]
    if any(n.type == "break_statement" and not kids(n) for n in _outside_loops(inner)):
        raise NotConvertedError("a `break` within a case has no counterpart; write if and elif")
    return build.filled(c.block(inner))


def _outside_loops(nodes: list[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        if node.type not in (*parse.LOOPS, "switch_statement", *parse.FUNCTIONS):
            yield from _outside_loops(node.children)
