"""Assignments, including `x += 1` and `i++`, as statements and within expressions."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.kind import INDEX, STRING
from tfpy.js2py.converter import Converter, NeedsStatementsError, effect, expression
from tfpy.js2py.expressions.initialization import initialized, unless
from tfpy.js2py.expressions.operators import BINARY, sign_of
from tfpy.js2py.expressions.strings import joined, shown
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import assign, atom, py
from tfpy.js2py.syntax.parse import text


@expression("assignment_expression")
def assignment(c: Converter, node: Node) -> ast.expr:
    """An assignment within an expression: `:=` for a name, otherwise a statement before it."""
    left = parse.field(node, "left")
    if _is_whole_body(node) or (
        left.type in ("member_expression", "subscript_expression") and _is_alone(c, node, left)
    ):
        value, target = c.expr(parse.field(node, "right")), c.expr(left)
        c.first(assign(target, value))
        return target
    if left.type == "identifier" and not (c.pre is None and _is_outer(c, left)):
        target = c.expr(left)
        assert isinstance(target, ast.Name)
        return ast.NamedExpr(target, c.expr(parse.field(node, "right")))
    raise NeedsStatementsError(f"`{text(node)}` here has no counterpart; give it a statement of its own")


def _is_whole_body(node: Node) -> bool:
    """Whether an expression is the whole body of an arrow function or `return`, or the start of a statement."""
    statement, parent = node, node.parent
    while statement.parent is not None and not statement.type.endswith("_statement"):
        statement = statement.parent
    if parent is not None and parent.type == "parenthesized_expression" and statement.type == "expression_statement":
        return text(statement).startswith(f"({text(node)})")
    while parent is not None and parent.type == "parenthesized_expression":
        parent = parent.parent
    return parent is not None and parent.type in ("arrow_function", "return_statement")


def _is_outer(c: Converter, node: Node) -> bool:
    """Whether a variable belongs to another function than the one that uses it."""
    binding = c.scopes.bindings.get(node.id)
    return binding is None or binding.scope.function is not c.scopes.of(node).function


@expression("augmented_assignment_expression")
def augmented(c: Converter, node: Node) -> ast.expr:
    """`x += 1` within an expression."""
    left, sign = parse.field(node, "left"), sign_of(node)
    if sign in ("||=", "??="):
        return initialized(c, sign, left, parse.field(node, "right"))
    target = c.expr(left)
    if c.certain and c.pre is not None and (_is_whole_body(node) or _is_alone(c, node, left)):
        c.first(*update(c, node))
        return target
    if left.type != "identifier" or sign[:-1] not in BINARY or (c.pre is None and _is_outer(c, left)):
        raise NeedsStatementsError(f"`{text(node)}` here has no counterpart; give it a statement of its own")
    assert isinstance(target, ast.Name)
    return ast.NamedExpr(target, py(BINARY[sign[:-1]], target, c.expr(parse.field(node, "right"))))


@expression("update_expression")
def updated(c: Converter, node: Node) -> ast.expr:
    """`i++` within an expression: a statement after or before if possible, otherwise `:=`."""
    inner, sign = parse.field(node, "argument"), "+" if parse.has(node, "++") else "-"
    target, prefix = c.expr(inner), node.children[0].type in ("++", "--")
    statement = _step(target, sign)
    apart = (prefix and _is_whole_body(node)) or _is_alone(c, node, inner)
    if apart and c.certain and c.pre is not None and c.post is not None:
        (c.pre if prefix else c.post).append(statement)
        return target
    if inner.type == "member_expression" and c.certain and c.pre is not None and _is_first(node, inner):
        before = target if prefix else atom(c.new_name(names.variable(text(parse.field(inner, "property"))), node))
        c.first(*([] if prefix else [assign(before, target)]), statement)
        return before
    if inner.type != "identifier" or (c.pre is None and _is_outer(c, inner)):
        raise NeedsStatementsError(f"`{text(node)}` here has no counterpart; give it a statement of its own")
    assert isinstance(target, ast.Name)
    found = ast.NamedExpr(target, py(f"_0 {sign} 1", target))
    return found if prefix else py(f"_0 {'-' if sign == '+' else '+'} 1", found)


def _is_alone(c: Converter, node: Node, inner: Node) -> bool:
    """Whether the variable is used once in its statement, and the statement does not leave its block."""
    statement = node
    while statement.parent is not None and not statement.type.endswith(("_statement", "_declaration")):
        statement = statement.parent
    if statement.type not in ("expression_statement", "lexical_declaration", "variable_declaration"):
        return False
    calls = [n for n in parse.walk(statement) if n.type in ("call_expression", "new_expression")]
    return not calls and sum(text(n) == text(inner) for n in parse.walk(statement) if n.type == inner.type) == 1


def _is_first(node: Node, inner: Node) -> bool:
    """Whether a statement does nothing before an expression in it, and uses the changed variable once."""
    statement = node
    while statement.parent is not None and not statement.type.endswith(("_statement", "_declaration")):
        statement = statement.parent
    if statement.type not in (
        "expression_statement",
        "lexical_declaration",
        "variable_declaration",
        "return_statement",
    ):
        return False
    effects = ("call_expression", "new_expression", "update_expression", "assignment_expression")
    others = [n for n in parse.walk(statement) if n.type in effects and n != node]
    around = all(n.start_byte <= node.start_byte < n.end_byte or n.start_byte > node.end_byte for n in others)
    return around and sum(text(n) == text(inner) for n in parse.walk(statement) if n.type == inner.type) == 1


def _step(target: ast.expr, sign: str) -> ast.stmt:
    return ast.AugAssign(target, ast.Add() if sign == "+" else ast.Sub(), atom("1"))  # type: ignore[arg-type]


_AUGMENTED: dict[str, type[ast.operator]] = {
    "+=": ast.Add, "-=": ast.Sub, "*=": ast.Mult, "/=": ast.Div, "**=": ast.Pow, "%=": ast.Mod, "<<=": ast.LShift,
    ">>=": ast.RShift, "&=": ast.BitAnd, "|=": ast.BitOr, "^=": ast.BitXor,
}  # fmt: skip


@effect("augmented_assignment_expression", "update_expression")
def update(c: Converter, node: Node) -> list[ast.stmt]:
    """`x += 1`, `i++` and the like as statements."""
    if node.type == "update_expression":
        return [_step(c.expr(parse.field(node, "argument")), "+" if parse.has(node, "++") else "-")]
    sign, left, right = sign_of(node), parse.field(node, "left"), parse.field(node, "right")
    target = c.expr(left)
    if sign in ("||=", "??=", "&&="):
        return [ast.If(unless(c, sign, left, target), [assign(target, c.expr(right))], [])]
    if sign not in _AUGMENTED:
        raise NotConvertedError(f"`{sign}` has no counterpart")
    if sign == "+=" and c.kinds.of(left) == STRING and c.kinds.of(right) != STRING:
        return [assign_text(target, shown(c, right))]
    if sign == "+=" and (c.kinds.of(left).name == "list" or c.kinds.of(right).name in ("list", "dict")):
        raise NotConvertedError("`+=` on a list or an object makes a string of it; say what is meant")
    if sign == "|=" and text(right) == "0":
        return [assign(target, py("(int(_0) + 2**31) % 2**32 - 2**31", target))]  # a hash, cut to 32 bits
    if sign == "%=" and c.kinds.of(left) != INDEX:
        c.check(node, "`%` of a negative number is negative in JavaScript and positive in Python")
    return [ast.AugAssign(target, _AUGMENTED[sign](), c.expr(right))]  # type: ignore[arg-type]


def assign_text(target: ast.expr, value: ast.expr) -> ast.stmt:
    """`target += value as a string`."""
    said = value if isinstance(value, ast.Name) and value.id[:2] in ('f"', '"') else joined([value])
    return ast.AugAssign(target, ast.Add(), said)  # type: ignore[arg-type]
