"""`new` of a class of the script, of tfpy or of JavaScript."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tree_sitter import Node

from tfpy.js2py.analysis.kind import BYTES, NUMBERS, PARSER, TYPED_ARRAYS, UNKNOWN
from tfpy.js2py.calls import argument_parser, promises
from tfpy.js2py.calls.arguments import given
from tfpy.js2py.calls.call import of_tfpy
from tfpy.js2py.calls.dates import new_date
from tfpy.js2py.calls.globals import new_array
from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.expressions.indices import index
from tfpy.js2py.expressions.properties import GLOBALS, tfpy_path
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import call, py
from tfpy.js2py.syntax.parse import kids, path_of, text

NewRule = Callable[[Converter, Node | None], ast.expr]

_ERRORS = {"Error": "RuntimeError", "TypeError": "TypeError", "RangeError": "ValueError", "SyntaxError": "ValueError"}


@expression("new_expression")
def new(c: Converter, node: Node) -> ast.expr:
    """`new` of a class of the script, of tfpy or of JavaScript."""
    constructor = parse.field(node, "constructor")
    arguments = node.child_by_field_name("arguments")
    name = text(constructor)
    if name in _NEW and constructor.id not in c.scopes.bindings:
        return _NEW[name](c, arguments)
    if c.kinds.of(node) == PARSER:
        return argument_parser.parser(c, arguments)
    path = path_of(constructor)
    known = constructor.id in c.scopes.bindings or name in c.modules or name in GLOBALS
    if not known and path is not None and len(path) == 1:
        raise NotConvertedError(f"new {name} has no counterpart")
    function = c.expr(constructor)
    if arguments is None:
        return call(function)
    first = constructor
    while first.type == "member_expression":
        first = parse.field(first, "object")
    module = tfpy_path(c, first, path) if path is not None else None
    return of_tfpy(c, module, arguments) if module is not None else call(function, *given(c, arguments))


def _new_typed(name: str) -> NewRule:
    def rule(c: Converter, arguments: Node | None) -> ast.expr:
        items = kids(arguments) if arguments is not None else []
        kind = c.kinds.of(items[0]) if items else UNKNOWN
        keywords = [ast.keyword("dtype", py(TYPED_ARRAYS[name]))]
        if arguments is not None and "Clamped" in name:
            c.check(arguments, "JavaScript rounds values stored here, and clips them to 0 … 255; numpy does not")
        if len(items) == 1 and kind in NUMBERS:
            return call("np.zeros", index(c, items[0]), keywords=keywords)
        if len(items) == 1 and kind.name in ("list", "ndarray"):
            return call("np.array", c.expr(items[0]), keywords=keywords)
        if len(items) == 1 and kind == BYTES:
            return call("np.array", call("bytearray", c.expr(items[0])), keywords=keywords)
        raise NotConvertedError(
            "is this a length, a list or a buffer? np.zeros, np.array and np.frombuffer make arrays"
        )

    return rule


def _new_map(c: Converter, arguments: Node | None) -> ast.expr:
    items = kids(arguments) if arguments is not None else []
    return call("dict", c.expr(items[0])) if items else ast.Dict([], [])


def _new_set(c: Converter, arguments: Node | None) -> ast.expr:
    items = kids(arguments) if arguments is not None else []
    return call("set", *(c.expr(item) for item in items))


def _new_error(name: str) -> NewRule:
    def rule(c: Converter, arguments: Node | None) -> ast.expr:
        return call(name, *(given(c, arguments)[:1] if arguments is not None else []))

    return rule


_NEW: dict[str, NewRule] = {
    "Array": lambda c, arguments: new_array(c, arguments) if arguments is not None else ast.List([]),
    "Map": _new_map,
    "Set": _new_set,
    "Date": new_date,
    "Promise": promises.made,
    **{name: _new_typed(name) for name in TYPED_ARRAYS},
    **{name: _new_error(python) for name, python in _ERRORS.items()},
}
