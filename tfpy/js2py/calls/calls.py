"""Calls: of tfpy with options as keywords, of JavaScript's own functions, of methods, and `new`."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tree_sitter import Node

from tfpy.js2py import builtins, names
from tfpy.js2py.analysis.kind import BOOL, NDARRAY, NUMBERS, PARSER, TYPED_ARRAYS, UNKNOWN
from tfpy.js2py.analysis.origins import required
from tfpy.js2py.builtins import OF_OBJECTS
from tfpy.js2py.calls import commandline, nodejs
from tfpy.js2py.calls.arguments import fitting, given, with_options
from tfpy.js2py.calls.callbacks import comprehension
from tfpy.js2py.calls.domains import check_domain
from tfpy.js2py.calls.methods import method
from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.expressions.expressions import as_list, iterated, joined, shown, truth
from tfpy.js2py.expressions.indices import index
from tfpy.js2py.expressions.properties import GLOBALS, chained, tfpy_path
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.packages import root_of
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, call, py, string
from tfpy.js2py.syntax.parse import kids, path_of, text

Rule = Callable[[Converter, Node], ast.expr]
NewRule = Callable[[Converter, Node | None], ast.expr]

# `print` of what JavaScript's console writes, by method.
_CONSOLE = {"log": "", "info": "", "debug": "", "error": "sys.stderr", "warn": "sys.stderr"}
# Backends of TF.js that are not here, and what is nearest to them.
_BACKENDS = {"wasm": "cpu", "tensorflow": "cpu", "webgpu": "webgl"}
# The ends of calls that tell of saved models: of `tf.io`, and of models.
_TELLING = (".listModels", ".removeModel", ".copyModel", ".moveModel", ".save")
_ERRORS = {"Error": "RuntimeError", "TypeError": "TypeError", "RangeError": "ValueError", "SyntaxError": "ValueError"}


@expression("call_expression")
def called(c: Converter, node: Node) -> ast.expr:
    """A call."""
    callee = parse.field(node, "function")
    arguments = node.child_by_field_name("arguments")
    if arguments is None or arguments.type != "arguments":
        raise NotConvertedError("a tagged template has no counterpart")
    if parse.has(node, "optional_chain"):
        return chained(c, callee, lambda found: call(found, *given(c, arguments)))
    if callee.type == "import":
        raise NotConvertedError(f"`{text(node)[:20]}…` has no counterpart")
    if callee.type == "super":
        return call(ast.Attribute(py("super()"), "__init__"), *given(c, arguments))
    if callee.type in parse.FUNCTIONS:
        return call(c.expr(callee), *given(c, arguments))
    path = path_of(callee)
    found = _known(c, callee, path, arguments) if path is not None else None
    if found is not None:
        return found
    if callee.type == "member_expression" and c.scopes.export(callee) is not None:
        return call(c.expr(callee), *given(c, arguments))
    if callee.type == "member_expression":
        return method(c, node, callee, arguments)
    if callee.type == "identifier" and text(callee) == "require":
        root = root_of(required(node) or "")
        if root is not None:
            return py(root)
        raise NotConvertedError("`require` within an expression has no counterpart")
    return call(c.expr(callee), *given(c, arguments))


def _known(c: Converter, callee: Node, path: list[str], arguments: Node) -> ast.expr | None:
    """A call of tfpy or of a function of JavaScript; None for anything else."""
    first = callee
    while first.type == "member_expression":
        first = parse.field(first, "object")
    module = tfpy_path(c, first, path)
    if module is not None:
        return _tfpy(c, module, arguments)
    binding = c.scopes.bindings.get(first.id)
    if (binding is not None and binding.kind != "import" and path[0] not in c.modules) or path[:2] == [
        "process",
        "argv",
    ]:
        return None
    known = ".".join([c.modules.get(path[0]) or path[0], *path[1:]])
    if path[0] == "console" and len(path) == 2:
        return _printed(c, path[1], arguments)
    special = _SPECIAL.get(known)
    if special is not None:
        return special(c, arguments)
    found = nodejs.function(c, known, arguments)
    if found is not None:
        return found
    templates = builtins.FUNCTIONS.get(known)
    if templates is None:
        if path[0] in c.modules or path[0] in ("Math", "Object", "Number", "JSON", "Promise", "Reflect", "process"):
            raise NotConvertedError(f"{'.'.join(path)} has no counterpart")
        return None
    kinds = {c.kinds.of(a).name for a in kids(arguments)} if known in OF_OBJECTS else set()
    if kinds & {"list", "ndarray"}:
        raise NotConvertedError(f"{known} of a list has no counterpart; see enumerate and range")
    if "class" in kinds:
        raise NotConvertedError(f"{known} of an enum or a class has no counterpart; list its constants")
    check_domain(c, known, kids(arguments))
    parts = [c.expr(a) for a in kids(arguments)]
    return fitting(templates, parts, known)


def _tfpy(c: Converter, path: list[str], arguments: Node) -> ast.expr:
    """A call of a function of tfpy."""
    found = names.resolve(path)
    if found is None:
        raise NotConvertedError(names.missing(path))
    backend = text(kids(arguments)[0])[1:-1] if found[0] == "tf.set_backend" and kids(arguments) else ""
    if backend in _BACKENDS:
        c.check(arguments, f"tfpy has no backend '{backend}'; '{_BACKENDS[backend]}' stands for it")
        return py("tf.set_backend(_0)", string(_BACKENDS[backend]))
    return with_options(c, py(found[0]), arguments, names.options_of(found[1]))


def _printed(c: Converter, name: str, arguments: Node) -> ast.expr:
    """What the console writes."""
    if name not in _CONSOLE:
        raise NotConvertedError(f"console.{name} has no counterpart")
    args = given(c, arguments)
    said = build.string_value(args[0]) if args else None
    if said is not None and len(args) > 1 and "%" in said.replace("%%", ""):
        raise NotConvertedError("a text with % for console.log has no counterpart; write a template")
    keywords = [ast.keyword("file", py(_CONSOLE[name]))] if _CONSOLE[name] else []
    return call("print", *args, keywords=keywords)


def _extreme(name: str) -> Rule:
    def rule(c: Converter, arguments: Node) -> ast.expr:
        args = [c.expr(a) for a in kids(arguments)]
        if len(args) == 1:
            return call(name, args[0].value) if isinstance(args[0], ast.Starred) else args[0]
        if any(isinstance(arg, ast.Starred) for arg in args):
            return call(name, ast.List(args))  # what `...` stands for may be empty
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


def _length_of(node: Node) -> Node | None:
    """n of `{length: n}`."""
    if node.type != "object" or len(kids(node)) != 1:
        return None
    part = kids(node)[0]
    if part.type == "shorthand_property_identifier":
        return part if text(part) == "length" else None
    return parse.field(part, "value") if part.type == "pair" and text(parse.field(part, "key")) == "length" else None


def _new_array(c: Converter, arguments: Node) -> ast.expr:
    items = kids(arguments)
    if len(items) == 1 and c.kinds.of(items[0]) in (*NUMBERS, UNKNOWN):
        return py("[None] * _0", index(c, items[0]))
    return ast.List([c.expr(item) for item in items])


def _typed_from(dtype: str) -> Rule:
    def rule(c: Converter, arguments: Node) -> ast.expr:
        if len(kids(arguments)) != 1:
            raise NotConvertedError("a typed array made by a function has no counterpart")
        return call("np.array", c.expr(kids(arguments)[0]), keywords=[ast.keyword("dtype", py(dtype))])

    return rule


def _merged(c: Converter, arguments: Node) -> ast.expr:
    """`Object.assign(target, source)`, which changes the target unless that is written there."""
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
    """`Promise.all(list)`: what is in it is ready."""
    return c.expr(kids(arguments)[0])


def _characters(c: Converter, arguments: Node) -> ast.expr:
    """`String.fromCharCode(…)`."""
    codes = given(c, arguments)
    if len(codes) == 1 and not isinstance(codes[0], ast.Starred):
        return call("chr", codes[0])
    return py('"".join(map(chr, _0))', codes[0].value if isinstance(codes[0], ast.Starred) else ast.List(codes))


def _as_json(c: Converter, arguments: Node) -> ast.expr:
    """`JSON.stringify(value, null, indent)`: a typed array is an object there, and a date a text."""
    value, *more = kids(arguments)
    if more and text(more[0]) not in ("null", "undefined"):
        raise NotConvertedError("what chooses or replaces values for `JSON.stringify` has no counterpart")
    found = c.expr(value)
    if c.kinds.of(value) == NDARRAY:
        found = py("dict(enumerate(_0.tolist()))", found)
    keywords = [ast.keyword("indent", c.expr(more[1]))] if len(more) > 1 else []
    if _has_dates(c, value):
        keywords.append(ast.keyword("default", atom("str")))
    return call("json.dumps", found, keywords=keywords)


def _has_dates(c: Converter, node: Node) -> bool:
    """Whether an expression is what is told of models that are saved, as when they were."""
    node = kids(node)[0] if node.type == "await_expression" else node
    binding = c.scopes.meant(node)
    if binding is not None and binding.value is not None and not binding.writes:
        return _has_dates(c, binding.value)
    return node.type == "call_expression" and text(node.child_by_field_name("function")).endswith(_TELLING)


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


_SPECIAL: dict[str, Rule] = {
    "Boolean": _as_bool,
    "JSON.stringify": _as_json,
    "String": _as_text,
    "Math.hypot": lambda c, arguments: call("math.hypot", *given(c, arguments)),
    "Math.max": _extreme("max"),
    "Math.max.apply": lambda c, arguments: call("max", c.expr(kids(arguments)[-1])),
    "Math.min.apply": lambda c, arguments: call("min", c.expr(kids(arguments)[-1])),
    "Math.min": _extreme("min"),
    "Array.from": _array_from,
    "Array.of": lambda c, arguments: ast.List(given(c, arguments)),
    "Array": _new_array,
    "Object.assign": _merged,
    "Promise.all": _all_of,
    "argparse.ArgumentParser": commandline.parser,
    "String.fromCharCode": _characters,
    "String.fromCodePoint": _characters,
    "Promise.resolve": lambda c, arguments: c.expr(kids(arguments)[0]) if kids(arguments) else atom("None"),
    **{f"{name}.from": _typed_from(dtype) for name, dtype in TYPED_ARRAYS.items()},
}


@expression("new_expression")
def new(c: Converter, node: Node) -> ast.expr:
    """`new`: of a class of the script or of tfpy, or of JavaScript's."""
    constructor = parse.field(node, "constructor")
    arguments = node.child_by_field_name("arguments")
    name = text(constructor)
    if name in _NEW and constructor.id not in c.scopes.bindings:
        return _NEW[name](c, arguments)
    if c.kinds.of(node) == PARSER:
        return commandline.parser(c, arguments)
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
    return _tfpy(c, module, arguments) if module is not None else call(function, *given(c, arguments))


def _new_typed(name: str) -> NewRule:
    def rule(c: Converter, arguments: Node | None) -> ast.expr:
        items = kids(arguments) if arguments is not None else []
        kind = c.kinds.of(items[0]) if items else UNKNOWN
        keywords = [ast.keyword("dtype", py(TYPED_ARRAYS[name]))]
        if arguments is not None and "Clamped" in name:
            c.check(arguments, "JavaScript rounds what is put here, and keeps it between 0 and 255; numpy does not")
        if len(items) == 1 and kind in NUMBERS:
            return call("np.zeros", index(c, items[0]), keywords=keywords)
        if len(items) == 1 and kind.name in ("list", "ndarray"):
            return call("np.array", c.expr(items[0]), keywords=keywords)
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
    "Array": lambda c, arguments: _new_array(c, arguments) if arguments is not None else ast.List([]),
    "Map": _new_map,
    "Set": _new_set,
    "Promise": lambda c, arguments: _slept(c, arguments),
    **{name: _new_typed(name) for name in TYPED_ARRAYS},
    **{name: _new_error(python) for name, python in _ERRORS.items()},
}


def _slept(c: Converter, arguments: Node | None) -> ast.expr:
    """`new Promise(resolve => setTimeout(resolve, ms))`."""
    inner = [n for n in parse.walk(arguments) if n.type == "call_expression"] if arguments is not None else []
    if len(inner) == 1 and text(parse.field(inner[0], "function")) == "setTimeout":
        timing = kids(parse.field(inner[0], "arguments"))
        if len(timing) == 2:
            return py("time.sleep(_0 / 1000)", c.expr(timing[1]))
    raise NotConvertedError("a promise of one's own has no counterpart")
