"""Methods that take regular expressions."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from tfpy.js2py.converter import Converter
from tfpy.js2py.expressions.functions import reference
from tfpy.js2py.expressions.regex_literals import pattern
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import py, string
from tfpy.js2py.syntax.parse import text


def test(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`/…/.test(text)`."""
    if owner.type == "regex":
        return py("re.search(_0, _1) is not None", pattern(owner), c.expr(given[0]))
    if c.kinds.of(owner).name == "regex":
        return py("_0.search(_1) is not None", c.expr(owner), c.expr(given[0]))
    return None


def searched(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`/…/.exec(text)` returns a match, whose groups are items as in JavaScript."""
    if c.kinds.of(owner).name != "regex":
        return None
    literal = known(c, owner)
    if literal is None or "g" in text(literal.child_by_field_name("flags")):
        raise NotConvertedError("`exec` that continues after the last match has no counterpart; see re.finditer")
    return py("_0.search(_1)", c.expr(owner), c.expr(given[0]))


def known(c: Converter, node: Node) -> Node | None:
    """The regular expression literal of a node, or the one that the variable there is always set to."""
    if node.type == "regex":
        return node
    binding = c.scopes.bindings.get(node.id)
    value = binding.value if binding is not None and not binding.writes else None
    return value if value is not None and value.type == "regex" else None


def put(c: Converter, node: Node) -> ast.expr:
    """A known regular expression, as an argument of the functions of `re`."""
    return pattern(node) if node.type == "regex" else c.expr(node)


def match(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`text.match(/…/)`."""
    literal = known(c, given[0]) if given else None
    if literal is None:
        return None
    form = "re.search(_0, _1)"
    if "g" in text(literal.child_by_field_name("flags")):
        form = "re.findall(_0, _1) or None"
        if "(" in text(parse.field(literal, "pattern")):
            form = "[found[0] for found in re.finditer(_0, _1)] or None"
    return py(form, put(c, given[0]), c.expr(owner))


def match_all(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`text.matchAll(/…/g)`."""
    if len(given) != 1 or known(c, given[0]) is None:
        raise NotConvertedError("`matchAll` of this has no counterpart; see re.finditer")
    return py("re.finditer(_0, _1)", put(c, given[0]), c.expr(owner))


def replacement(c: Converter, node: Node) -> ast.expr:
    """The replacement of a match: a string with Python's group references, or a function of the match."""
    if node.type in parse.FUNCTIONS:
        count = len(parse.parameters(node))
        found = reference(c, node, "replacement")
        groups = ", ".join(f"found[{i}]" for i in range(count))
        return py(f"lambda found: str(_0({groups}))", found)
    said = build.string_value(c.expr(node))
    if said is None or "\\" in said or re.search(r"\$(?![&\d])", said):
        raise NotConvertedError("this replacement for a regular expression has no counterpart")
    return string(re.sub(r"\$(&|\d+)", lambda at: rf"\g<{'0' if at[1] == '&' else at[1]}>", said))
