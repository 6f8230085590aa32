"""JavaScript's own functions for which a template is not enough."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.analysis.kind import BOOL, NDARRAY, NUMBERS, TYPED_ARRAYS, UNKNOWN
from tfpy.js2py.builtins import LISTS
from tfpy.js2py.calls import argument_parser
from tfpy.js2py.calls.arguments import fitting, given
from tfpy.js2py.calls.callbacks import comprehension
from tfpy.js2py.calls.dates import milliseconds_in_utc
from tfpy.js2py.converter import CallRule, Converter
from tfpy.js2py.expressions.conditions import truth
from tfpy.js2py.expressions.indices import index
from tfpy.js2py.expressions.literals import as_list, iterated
from tfpy.js2py.expressions.properties import is_cheap
from tfpy.js2py.expressions.strings import joined, shown
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, call, py
from tfpy.js2py.syntax.parse import kids, text

# The arguments of `print` for the methods of JavaScript's console.
_CONSOLE = {"log": "", "info": "", "debug": "", "error": "sys.stderr", "warn": "sys.stderr"}
# The ends of the names of functions that return information about saved models, in `tf.io` and of models.
_TELLING = (".listModels", ".removeModel", ".copyModel", ".moveModel", ".save")


def printed(c: Converter, name: str, arguments: Node) -> ast.expr:
    """The output of the console's methods."""
    if name not in _CONSOLE:
        raise NotConvertedError(f"console.{name} has no counterpart")
    args = given(c, arguments)
    said = build.string_value(args[0]) if args else None
    if said is not None and len(args) > 1 and "%" in said.replace("%%", ""):
        raise NotConvertedError("a string with % for console.log has no counterpart; write a template")
    keywords = [ast.keyword("file", py(_CONSOLE[name]))] if _CONSOLE[name] else []
    return call("print", *args, keywords=keywords)


def _extreme(name: str) -> CallRule:
    def rule(c: Converter, arguments: Node) -> ast.expr:
        args = [c.expr(a) for a in kids(arguments)]
        if len(args) == 1:
            return call(name, args[0].value) if isinstance(args[0], ast.Starred) else args[0]
        if any(isinstance(arg, ast.Starred) for arg in args):
            return call(name, ast.List(args))  # the spread may be empty
        return call(name, *args)

    return rule


def _array_from(c: Converter, arguments: Node) -> ast.expr:
    """`Array.from(items)`, `Array.from({length: n}, f)`."""
    items, *function = kids(arguments)
    length = _length_of(items)
    over = call("range", index(c, length)) if length is not None else iterated(c, items)
    if function:
        return comprehension(
            c, function[0], over, items=None if length is not None else over, counted=length is not None
        )
    if length is not None:
        return py("[None] * _0", over.args[0] if isinstance(over, ast.Call) else over)
    return as_list(over)


def _sliced(c: Converter, arguments: Node) -> ast.expr:
    """`Array.prototype.slice.call(items, begin, end)`, which makes a list of any sequence."""
    items, *bounds = kids(arguments)
    found = as_list(iterated(c, items))
    return fitting(LISTS["slice"], [found, *(index(c, b) for b in bounds)], "`slice`") if bounds else found


def _concatenated(c: Converter, arguments: Node) -> ast.expr:
    """`Array.prototype.concat.apply([], lists)`."""
    first, *lists = kids(arguments)
    if text(first) != "[]" or len(lists) != 1:
        raise NotConvertedError("`concat.apply` is converted only of an empty list and a list of lists")
    return py(LISTS["flat"][0], iterated(c, lists[0]))


def _length_of(node: Node) -> Node | None:
    """n of `{length: n}`."""
    if node.type != "object" or len(kids(node)) != 1:
        return None
    part = kids(node)[0]
    if part.type == "shorthand_property_identifier":
        return part if text(part) == "length" else None
    return parse.field(part, "value") if part.type == "pair" and text(parse.field(part, "key")) == "length" else None


def new_array(c: Converter, arguments: Node) -> ast.expr:
    items = kids(arguments)
    if len(items) == 1 and c.kinds.of(items[0]) in (*NUMBERS, UNKNOWN):
        return py("[None] * _0", index(c, items[0]))
    return ast.List([c.expr(item) for item in items])


def _typed_from(dtype: str) -> CallRule:
    def rule(c: Converter, arguments: Node) -> ast.expr:
        if len(kids(arguments)) != 1:
            raise NotConvertedError("a typed array made by a function has no counterpart")
        return call("np.array", c.expr(kids(arguments)[0]), keywords=[ast.keyword("dtype", py(dtype))])

    return rule


def _merged(c: Converter, arguments: Node) -> ast.expr:
    """`Object.assign(target, source)`, which changes the target unless that is a literal."""
    target, *sources = kids(arguments)
    if target.type == "this" or any(s.type == "spread_element" for s in sources):
        raise NotConvertedError("`Object.assign` on this has no counterpart; set the attributes one by one")
    values = [c.expr(source) for source in sources]
    found = c.expr(target)
    if isinstance(found, ast.Dict):
        for value in values:
            found.keys += value.keys if isinstance(value, ast.Dict) else [None]
            found.values += value.values if isinstance(value, ast.Dict) else [value]
        return found
    updates: list[ast.stmt] = [ast.Expr(call(ast.Attribute(found, "update"), value)) for value in values]
    c.first(*updates)
    statement = arguments.parent.parent if arguments.parent is not None else None
    return atom("None") if statement is not None and statement.type == "expression_statement" else found


def _all_of(c: Converter, arguments: Node) -> ast.expr:
    """`Promise.all(list)`: its items are ready."""
    return c.expr(kids(arguments)[0])


def _characters(c: Converter, arguments: Node) -> ast.expr:
    """`String.fromCharCode(…)`."""
    codes = given(c, arguments)
    if len(codes) == 1 and not isinstance(codes[0], ast.Starred):
        return call("chr", codes[0])
    return py('"".join(map(chr, _0))', codes[0].value if isinstance(codes[0], ast.Starred) else ast.List(codes))


def _as_json(c: Converter, arguments: Node) -> ast.expr:
    """`JSON.stringify(value, null, indent)`: it writes a typed array as an object, and a date as a string."""
    value, *more = kids(arguments)
    if more and text(more[0]) not in ("null", "undefined"):
        raise NotConvertedError("a replacer for `JSON.stringify` has no counterpart")
    found = c.expr(value)
    if c.kinds.of(value) == NDARRAY:
        found = py("dict(enumerate(_0.tolist()))", found)
    keywords = [ast.keyword("indent", c.expr(more[1]))] if len(more) > 1 else []
    if _has_dates(c, value):
        keywords.append(ast.keyword("default", atom("str")))
    return call("json.dumps", found, keywords=keywords)


def _has_dates(c: Converter, node: Node) -> bool:
    """Whether an expression is information about saved models, which contains dates."""
    node = kids(node)[0] if node.type == "await_expression" else node
    binding = c.scopes.resolve(node)
    if binding is not None and binding.value is not None and not binding.writes:
        return _has_dates(c, binding.value)
    return node.type == "call_expression" and text(node.child_by_field_name("function")).endswith(_TELLING)


def _is_whole(c: Converter, arguments: Node) -> ast.expr:
    """`Number.isInteger(value)`, for a value of any kind."""
    value, form = c.expr(kids(arguments)[0]), "float(_0).is_integer()"
    is_known = c.kinds.of(kids(arguments)[0]) in NUMBERS
    return py(form if is_known or not is_cheap(value) else f"isinstance(_0, (int, float)) and {form}", value)


def _as_text(c: Converter, arguments: Node) -> ast.expr:
    """`String(value)`."""
    return joined([shown(c, part) for part in kids(arguments)[:1]])


def _as_bool(c: Converter, arguments: Node) -> ast.expr:
    """`Boolean(value)`."""
    listed = kids(arguments)
    if len(listed) != 1:
        raise NotConvertedError(f"Boolean with {len(listed)} arguments has no counterpart")
    found = truth(c, listed[0])
    return found if isinstance(found, ast.Compare) or c.kinds.of(listed[0]) == BOOL else call("bool", found)


SPECIAL: dict[str, CallRule] = {
    "Boolean": _as_bool,
    "JSON.stringify": _as_json,
    "String": _as_text,
    "Number.isInteger": _is_whole,
    "Math.hypot": lambda c, arguments: call("math.hypot", *given(c, arguments)),
    "Math.max": _extreme("max"),
    "Math.max.apply": lambda c, arguments: call("max", iterated(c, kids(arguments)[-1])),
    "Math.min.apply": lambda c, arguments: call("min", iterated(c, kids(arguments)[-1])),
    "Math.min": _extreme("min"),
    "Array.from": _array_from,
    "Array.prototype.slice.call": _sliced,
    "Array.prototype.concat.apply": _concatenated,
    "Date.UTC": milliseconds_in_utc,
    "Array.of": lambda c, arguments: ast.List(given(c, arguments)),
    "Array": new_array,
    "Object.assign": _merged,
    "Promise.all": _all_of,
    "argparse.ArgumentParser": argument_parser.parser,
    "String.fromCharCode": _characters,
    "String.fromCodePoint": _characters,
    "Promise.resolve": lambda c, arguments: c.expr(kids(arguments)[0]) if kids(arguments) else atom("None"),
    **{f"{name}.from": _typed_from(dtype) for name, dtype in TYPED_ARRAYS.items()},
}
