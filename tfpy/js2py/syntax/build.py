"""Python's syntax trees, built from templates; literals and comments are names that contain their text."""

from __future__ import annotations

import ast
import copy
import functools
import json
import re
from collections.abc import Sequence

_HOLE = re.compile(r"_\d")
# Functions and methods that only iterate over their last argument.
_ITERATING = {"all", "any", "dict", "enumerate", "list", "map", "max", "min", "set", "sorted", "sum", "tuple"}
_METHODS = {"extend", "fromkeys", "join", "update"}


class _Fill(ast.NodeTransformer):
    def __init__(self, parts: Sequence[ast.expr]) -> None:
        self.parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.parts[int(node.id[1:])] if _HOLE.fullmatch(node.id) else node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:  # Python's, since a template names it
            node.args[-1:] = map(unlisted, node.args[-1:])
        return _iterating(node)

    def visit_Slice(self, node: ast.Slice) -> ast.Slice:
        self.generic_visit(node)
        if isinstance(node.lower, ast.Name) and node.lower.id == "0":
            node.lower = None
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return string(node.value) if isinstance(node.value, str) else node


@functools.cache
def _template(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def py(template: str, *parts: ast.expr) -> ast.expr:
    """An expression: a template whose `_0`, `_1`, … are the parts."""
    found: ast.expr = _Fill(parts).visit(copy.deepcopy(_template(template)))
    return found


def both(word: str, left: ast.expr, right: ast.expr) -> ast.expr:
    """`left and right`, or `or`; if the left is such a chain already, the chain is extended.

    `a and b or a and c` is `a and (b or c)`.
    """
    op = ast.And() if word == "and" else ast.Or()
    match left, right:
        case (ast.BoolOp(ast.And(), [test, one]), ast.BoolOp(ast.And(), [again, other])) if word == "or":
            if ast.dump(test) == ast.dump(again):
                return both("and", test, both("or", one, other))
    if isinstance(left, ast.BoolOp) and isinstance(left.op, type(op)):
        return ast.BoolOp(op, [*left.values, right])
    return ast.BoolOp(op, [left, right])


def plus(left: ast.expr, right: ast.expr) -> ast.expr:
    """A sum; if a template has subtracted the right operand from the left one, the two cancel."""
    match left:
        case ast.BinOp(value, ast.Sub(), ast.Constant(taken)) if whole(right) == taken:
            return value
    return ast.BinOp(left, ast.Add(), right)


def holes(template: str) -> int:
    """The number of parts that a template takes."""
    return max((int(hole[1:]) + 1 for hole in re.findall(r"\b_\d\b", template)), default=0)


def atom(text: str) -> ast.Name:
    """Literal source text: a name, a number, a string."""
    return ast.Name(text)


def string(value: str) -> ast.Name:
    """A string literal in double quotes, or in single ones if that avoids backslashes."""
    quoted = json.dumps(value, ensure_ascii=False)
    if '"' in value and "'" not in value:
        quoted = "'" + quoted[1:-1].replace('\\"', '"') + "'"
    return ast.Name(quoted)


def escaped(value: str) -> str:
    """A string, escaped for double quotes."""
    return json.dumps(value, ensure_ascii=False)[1:-1]


def string_value(node: ast.expr) -> str | None:
    """The text of a string literal; None for anything else."""
    if isinstance(node, ast.Name) and node.id[:1] in "\"'":
        return str(ast.literal_eval(node.id))
    return None


def name_of(node: ast.expr) -> str:
    """The name in an expression that is a name; empty for any other."""
    return node.id if isinstance(node, ast.Name) and node.id.isidentifier() else ""


def whole(node: ast.expr) -> int | None:
    """The value of an integer literal; None for anything else."""
    if isinstance(node, ast.Name) and node.id.isdigit():
        return int(node.id)
    return None


def call(function: ast.expr | str, *args: ast.expr, keywords: Sequence[ast.keyword] = ()) -> ast.Call:
    """A call; the function may be given as source."""
    return _iterating(ast.Call(py(function) if isinstance(function, str) else function, list(args), list(keywords)))


def unlisted(node: ast.expr) -> ast.expr:
    """x of `list(x)`, which is only iterated over; any other expression itself."""
    if not isinstance(node, ast.Call) or name_of(node.func) != "list" or before(node) or behind(node):
        return node
    return node.args[0] if len(node.args) == 1 else node


def _iterating(node: ast.Call) -> ast.Call:
    """A call without a list that is made only to iterate over it: `sum(list(x))` is `sum(x)`."""
    if name_of(node.func) in _ITERATING:
        node.args[-1:] = map(unlisted, node.args[-1:])
    return node


def assign(target: ast.expr, value: ast.expr) -> ast.stmt:
    """An assignment."""
    return ast.Assign([target], value, lineno=0)


def comment(text: str) -> ast.stmt:
    """A comment line."""
    return ast.Expr(ast.Name(f"# {text}".rstrip()))


def is_comment(node: ast.stmt) -> bool:
    """Whether a statement is a comment line."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Name) and node.value.id.startswith("#")


def function(name: str, arguments: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    """A def; an empty body becomes `pass`."""
    return ast.FunctionDef(name, arguments, filled(body), [], lineno=0)


def filled(body: list[ast.stmt]) -> list[ast.stmt]:
    """A body that has at least one statement."""
    return body if any(not is_comment(s) for s in body) else [*body, ast.Pass()]


def no_arguments() -> ast.arguments:
    """The parameter list of a function without parameters."""
    return ast.arguments([], [], None, [], [], None, [])


# Comments at expressions and statements: whole lines before them, and the rest of the line after them.


def put_before(node: ast.AST, lines: Sequence[str]) -> None:
    """Put comment lines before a part of a call, a list or a dict."""
    vars(node).setdefault("before", []).extend(lines)


def before(node: ast.AST) -> list[str]:
    """The comment lines before a node."""
    found: list[str] = vars(node).get("before", [])
    return found


def put_behind(node: ast.AST, text: str) -> None:
    """Put a comment after a node, on its line."""
    vars(node)["behind"] = f"{vars(node)['behind']} {text}" if "behind" in vars(node) else text


def behind(node: ast.AST) -> str:
    """The comment after a node, on its line."""
    return str(vars(node).get("behind", ""))


def put_blank(node: ast.stmt) -> None:
    """Put an empty line before a statement."""
    vars(node)["blank"] = True


def has_blank(node: ast.stmt) -> bool:
    """Whether an empty line goes before a statement."""
    return "blank" in vars(node)


def mark_test(node: ast.stmt, declarations: Sequence[ast.stmt] = ()) -> None:
    """Mark a def or a class as a test, or as part of the tests, not of the code under test.

    Args:
        node: the statement.
        declarations: `global` statements for the test that it becomes a part of.
    """
    vars(node)["test_declarations"] = declarations


def is_test(node: ast.stmt) -> bool:
    """Whether a statement is a test, or part of the tests."""
    return "test_declarations" in vars(node)


def declarations_for_tests(node: ast.stmt) -> Sequence[ast.stmt] | None:
    """The `global` statements for a statement that contains a test; None if it contains none or is one itself."""
    within = [] if is_test(node) else [inner for inner in ast.walk(node) if isinstance(inner, ast.stmt)]
    return next((vars(inner)["test_declarations"] for inner in within if is_test(inner)), None)


def allow_earlier(node: ast.stmt) -> None:
    """Mark a def that may precede the statements that use it, since JavaScript hoists such functions."""
    vars(node)["earlier"] = True


def may_be_earlier(node: ast.stmt) -> bool:
    """Whether a def may precede the statements that use it."""
    return "earlier" in vars(node)
