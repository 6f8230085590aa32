"""Methods of strings, numbers and regular expressions for which a template is not enough."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.analysis.kind import BYTES, NUMBERS, STRING, UNKNOWN
from tfpy.js2py.calls import callbacks, regex
from tfpy.js2py.converter import Converter, MethodRule
from tfpy.js2py.expressions.properties import is_cheap
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, call, py, string
from tfpy.js2py.syntax.parse import text
from tfpy.js2py.syntax.printing import source

# Encodings with the same names in Python.
_ENCODINGS = ("ascii", "latin1", "utf-8", "utf8", "utf16le")


def _split(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    if len(given) == 1 and regex.known(c, given[0]) is not None:
        return py("re.split(_0, _1)", regex.put(c, given[0]), c.expr(owner))
    if given and text(given[0]) in ("''", '""'):
        return call("list", c.expr(owner))
    return None


def _replace(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    if len(given) != 2:
        return None
    literal = regex.known(c, given[0])
    if literal is None:
        kind = c.kinds.of(owner)
        if kind not in (UNKNOWN, STRING):
            return None
        once = text(parse.field(parse.field(node, "function"), "property")) == "replace"
        return py("_0.replace(_1, _2, 1)" if once else "_0.replace(_1, _2)", c.expr(owner), *map(c.expr, given))
    other = regex.replacement(c, given[1])
    every = "g" in text(literal.child_by_field_name("flags"))
    form = "re.sub(_0, _1, _2)" if every else "re.sub(_0, _1, _2, count=1)"
    return py(form, regex.put(c, given[0]), other, c.expr(owner))


def _to_fixed(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    digits = build.whole(c.expr(given[0])) if given else 0
    value = c.expr(owner)
    said = f"{digits}" if digits is not None else f"{{{source(c.expr(given[0]))}}}"
    inner = source(value)
    if '"' in inner:
        inner = inner.replace('"', "'")
    if "\\" in inner or ('"' in source(value) and "'" in source(value)):
        return call("format", value, string(f".{digits}f"))
    return atom(f'f"{{{inner}:.{said}f}}"')


def _to_string(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`n.toString(16)`, `buffer.toString('utf8')`."""
    if not given or (c.kinds.of(owner) == BYTES and text(given[0])[1:-1] in _ENCODINGS):
        return None
    form = {"16": "x", "8": "o", "2": "b"}.get(text(given[0]))
    if form is None or c.kinds.of(owner) not in NUMBERS:
        raise NotConvertedError("`toString` in this base has no counterpart")
    return py("format(_0, _1)", c.expr(owner), string(form))


def _locale_compare(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`a.localeCompare(b)`, of which only the sign matters."""
    if len(given) != 1:
        raise NotConvertedError("`localeCompare` with options has no counterpart; see Python's locale")
    one, other = c.expr(owner), c.expr(given[0])
    if not (is_cheap(one) and is_cheap(other)):
        raise NotConvertedError("`localeCompare` of a computed value has no counterpart here; give it a name")
    c.check(node, callbacks.BY_LANGUAGE)
    return py("(_0.casefold() > _1.casefold()) - (_0.casefold() < _1.casefold())", one, other)


RULES: dict[str, MethodRule] = {
    "localeCompare": _locale_compare,
    "toString": _to_string,
    "split": _split,
    "replace": _replace,
    "replaceAll": _replace,
    "test": regex.test,
    "exec": regex.searched,
    "match": regex.match,
    "matchAll": regex.match_all,
    "toFixed": _to_fixed,
}
