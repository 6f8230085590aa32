"""Dates: `new Date`, and the setters of its parts; in Python dates are in local time, and immutable."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from tfpy.js2py.analysis.kind import DATE, NUMBERS, STRING, UNKNOWN
from tfpy.js2py.converter import Converter, MethodRule
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, call, py
from tfpy.js2py.syntax.parse import kids, text

# Parts of a date in JavaScript's getters and setters, and in Python.
_PARTS = {
    "FullYear": "year", "Month": "month", "Date": "day", "Hours": "hour", "Minutes": "minute", "Seconds": "second",
}  # fmt: skip
_HAS_TIME = re.compile(r"T.*(?<!Z)$")


def new_date(c: Converter, arguments: Node | None) -> ast.expr:
    """`new Date(…)`."""
    listed = kids(arguments) if arguments is not None else []
    if not listed:
        return py("datetime.datetime.now()")
    if len(listed) > 1:
        return call("datetime.datetime", *_parts(c, listed))
    kind, value = c.kinds.of(listed[0]), c.expr(listed[0])
    if kind == DATE:
        return value
    if kind == STRING:
        if not _HAS_TIME.search(build.string_value(value) or ""):
            c.check(listed[0], "JavaScript reads a date without a time as UTC; here it is in local time")
        return py("datetime.datetime.fromisoformat(_0)", value)
    if kind == UNKNOWN:
        c.check(listed[0], "this is assumed to be milliseconds; `datetime.datetime.fromisoformat` reads a string")
    elif kind not in NUMBERS:
        raise NotConvertedError("a date made of this has no counterpart")
    match value:
        case ast.BinOp(seconds, ast.Mult(), ast.Constant(1000)):
            return py("datetime.datetime.fromtimestamp(_0)", seconds)
    return py("datetime.datetime.fromtimestamp(_0 / 1000)", value)


def milliseconds_in_utc(c: Converter, arguments: Node) -> ast.expr:
    """`Date.UTC(…)`."""
    zone = ast.keyword("tzinfo", py("datetime.UTC"))
    return py("_0.timestamp() * 1000", call("datetime.datetime", *_parts(c, kids(arguments)), keywords=[zone]))


def _parts(c: Converter, given: list[Node]) -> list[ast.expr]:
    """Year, month, day and so on; JavaScript counts months from 0, defaults to day 1, and has no microseconds."""
    found = [c.expr(part) for part in given]
    found[1:2] = [_from_1(part) for part in found[1:2]]
    found[6:] = [py("_0 * 1000", part) for part in found[6:]]
    return found if len(found) > 2 else [*found, atom("1")]


def _from_1(month: ast.expr) -> ast.expr:
    """A month, counted from 1."""
    match month:
        case ast.BinOp(value, ast.Sub(), ast.Name("1")):
            return value
    number = build.whole(month)
    if number is not None:
        return atom(str(number + 1))
    return build.plus(month, atom("1"))


def _get_time(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`new Date().getTime()`, which needs no date object; for other dates there is a template."""
    is_now = owner.type == "new_expression" and "".join(text(owner).split()) in ("newDate()", "newDate")
    return py("time.time() * 1000") if is_now else None


def _setter(name: str) -> MethodRule:
    def rule(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
        if c.kinds.of(owner) != DATE:
            return None
        binding = c.scopes.bindings.get(owner.id)
        alone = node.parent is not None and node.parent.type in ("expression_statement", "for_statement")
        if binding is None or binding.scope.function is not c.scopes.of(node).function or not alone or len(given) != 1:
            raise NotConvertedError("Python's dates do not change; give the variable a new one")
        date, steps = atom(binding.python), _steps(c, given[0], f"{text(owner)}.get{name}()")
        if steps is not None and name not in ("FullYear", "Month"):
            c.first(ast.AugAssign(date, ast.Add(), call("datetime.timedelta", keywords=[_keyword(name, steps, "s")])))
        else:
            part = _from_1(c.expr(given[0])) if name == "Month" else c.expr(given[0])
            changed = call(ast.Attribute(date, "replace"), keywords=[_keyword(name, part)])
            c.first(build.assign(date, changed))
        return atom("None")

    return rule


def _keyword(name: str, value: ast.expr, plural: str = "") -> ast.keyword:
    return ast.keyword(_PARTS[name] + plural, value)


def _steps(c: Converter, node: Node, part: str) -> ast.expr | None:
    """The number of days, hours and so on that is added to a date's own; None if the part is set to something else."""
    if node.type != "binary_expression" or text(parse.field(node, "left")) != part:
        return None
    sign, steps = text(node.child_by_field_name("operator")), c.expr(parse.field(node, "right"))
    return steps if sign == "+" else py("-_0", steps) if sign == "-" else None


RULES: dict[str, MethodRule] = {
    "getTime": _get_time,
    **{f"set{name}": _setter(name) for name in _PARTS},
}
