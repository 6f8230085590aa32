"""Functions: parameters, lambdas, defs, and functions given to functions."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.kind import DICT
from tfpy.js2py.analysis.members import class_around
from tfpy.js2py.analysis.scopes import Binding
from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.expressions.properties import part_of
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import assign, atom, call, py
from tfpy.js2py.syntax.parse import bare, default_of, kids, text

_SHORT = 72  # characters of a body that is one `return`: a longer one is easier to read as a def
# What a function is called that has no name and is given to one of these.
_CALLED = {
    "tidy": "compute", "scope": "compute", "minimize": "loss", "map": "convert", "filter": "is_wanted",
    "sort": "compare", "grad": "f", "grads": "f", "variableGrads": "f", "valueAndGrad": "f", "valueAndGrads": "f",
    "reduce": "combine", "generator": "generate", "customGrad": "f", "time": "compute", "profile": "compute",
    "from": "make",
}  # fmt: skip
# Functions given to these are called before the next statement, so that they see loop variables as they are.
_AT_ONCE = {
    *_CALLED, "forEach", "forEachAsync", "some", "every", "find", "findIndex", "flatMap", "then", "catch", "fit",
} - {"generator"}  # fmt: skip


@expression("arrow_function", "function_expression", "generator_function", "method_definition")
def function(c: Converter, node: Node) -> ast.expr:
    """A function as a value: a lambda, or the name of a def that is put before the statement."""
    return reference(c, node, name_for(node))


def name_for(node: Node) -> str:
    """A name for a function from where it is used."""
    name = node.child_by_field_name("name")
    if name is not None:
        return text(name)
    owner = node.parent
    while owner is not None and owner.type in ("arguments", "parenthesized_expression"):
        owner = owner.parent
    if owner is not None and owner.type == "call_expression":
        return _CALLED.get((parse.path_of(parse.field(owner, "function")) or [""])[-1], "callback")
    if owner is not None and owner.type == "assignment_expression":
        return (parse.path_of(parse.field(owner, "left")) or ["callback"])[-1]
    return "callback"


def reference(c: Converter, node: Node, name: str) -> ast.expr:
    """A function as a value; where it becomes a def, it gets the name."""
    if node.type in ("arrow_function", "function_expression"):
        found = _as_lambda(c, node)
        if found is not None:
            return found
    if node.type not in parse.FUNCTIONS:
        return c.expr(node)
    name = c.new_name(names.variable(name), node.parent or node)
    made = define(c, node, name)
    c.first(made, effects=False)
    return atom(name)


def _as_lambda(c: Converter, node: Node) -> ast.expr | None:
    """A lambda, where the function is one expression and takes plain parameters; else None."""
    body, given = value_of(parse.field(node, "body")), parse.parameters(node)
    simple = all(p.type == "identifier" or is_of_items(p) for p in given)
    if body.type == "statement_block" or not simple or c.scopes.outer_writes(node) or _has_comments(node):
        return None
    noted = len(c.notes)
    try:
        with c.without(places=False), as_items(c, given) as named:
            value = c.expr(body)
    except NotConvertedError:  # a def says where it stops, and only when it is called
        del c.notes[noted:]
        return None
    if any(isinstance(n, ast.NamedExpr) for n in ast.walk(value)):
        return None
    missing: list[ast.expr] = [atom("None") for _ in itertools.dropwhile(lambda p: not parse.is_optional(p), given)]
    arguments = _arguments([named.get(p.id) or _argument(c, p) for p in given], missing, None)
    _bind_loop_variables(c, node, arguments)
    return ast.Lambda(arguments, value)


def value_of(body: Node) -> Node:
    """What a function returns if its body is that alone, and short; else the body."""
    inner = kids(body) if body.type == "statement_block" else []
    if len(inner) != 1 or inner[0].type != "return_statement" or not kids(inner[0]) or len(text(body)) > _SHORT:
        return body
    return bare(kids(inner[0])[0])


def is_of_items(pattern: Node) -> bool:
    """Whether a parameter is `{a, b: c}` or `[a, , b]` with nothing but names."""
    if pattern.type != "object_pattern":
        return parse.is_list_of_names(pattern)
    return all(
        part.type == "shorthand_property_identifier_pattern"
        or (part.type == "pair_pattern" and parse.field(part, "value").type == "identifier")
        for part in kids(pattern)
    )


@contextmanager
def as_items(c: Converter, patterns: list[Node]) -> Iterator[dict[int, str]]:
    """Let the names in parameters such as `{a, b}` stand for items of one variable, named by the id of the pattern."""
    named: dict[int, str] = {}
    saved: dict[Binding, str] = {}
    for pattern in patterns:
        if not is_of_items(pattern):
            continue
        named[pattern.id] = c.new_name("item", pattern)
        for key, target in _keys(pattern):
            binding = c.scopes.bindings[target.id]
            saved[binding], binding.python = binding.python, f"{named[pattern.id]}[{key}]"
    try:
        yield named
    finally:
        for binding, name in saved.items():
            binding.python = name


def _keys(pattern: Node) -> list[tuple[str, Node]]:
    """What each name in a pattern is the item of, as Python writes it between the brackets."""
    if pattern.type == "array_pattern":
        return [(str(at), part) for at, part in enumerate(parse.places(pattern)) if part is not None]
    return [(f'"{key}"', target) for key, target in parts_of(pattern)]


def parts_of(pattern: Node) -> list[tuple[str, Node]]:
    """The keys in a pattern `{a, b: c}` of names, and the names that their values get."""
    parts = [(parse.field(p, "key"), parse.field(p, "value")) if kids(p) else (p, p) for p in kids(pattern)]
    return [(text(key), target) for key, target in parts]


def _has_comments(node: Node) -> bool:
    return any(n.type == "comment" for n in parse.walk(node))


def _argument(c: Converter, node: Node) -> str:
    return c.scopes.bindings[node.id].python


def _arguments(given: list[str], defaults: list[ast.expr], rest: str | None) -> ast.arguments:
    listed = [ast.arg(name) for name in given]
    return ast.arguments([], listed, ast.arg(rest) if rest else None, [], [], None, defaults)


def define(c: Converter, node: Node, name: str, first: str = "") -> ast.FunctionDef:
    """A def.

    Args:
        c: the converter.
        node: the function.
        name: what it is called.
        first: a parameter before the others, such as "self".
    """
    saved = c.pre, c.post, c.certain, c.steps, c.returns, c.checks
    c.pre, c.post, c.certain, c.steps, c.returns, c.checks = None, None, False, [], "return", []
    try:
        arguments, body = _parameters(c, node)
        if first:
            arguments.args.insert(0, ast.arg(first))
        body += _body(c, node)
    finally:
        checks = c.checks
        c.pre, c.post, c.certain, c.steps, c.returns, c.checks = saved
    c.checks.extend(checks)
    _bind_loop_variables(c, node, arguments)
    return build.function(name, arguments, [*_declarations(c, node), *body])


def _body(c: Converter, node: Node) -> list[ast.stmt]:
    """The statements of a function."""
    body = parse.field(node, "body")
    if body.type == "statement_block":
        return c.block(body.named_children)
    return c.result(body)


def _declarations(c: Converter, node: Node) -> list[ast.stmt]:
    """`global` and `nonlocal` for what the function assigns to."""
    outer = c.scopes.outer_writes(node)
    found: list[ast.stmt] = []
    top = sorted({b.python for b in outer if b.scope.function.parent is None})
    inner = sorted({b.python for b in outer if b.scope.function.parent is not None})
    if top:
        found.append(ast.Global(top))
    if inner:
        found.append(ast.Nonlocal(inner))
    return found


def _parameters(c: Converter, node: Node) -> tuple[ast.arguments, list[ast.stmt]]:
    """The parameters of a function, and the statements that take them apart and give what is missing."""
    given: list[str] = []
    defaults: list[ast.expr] = []
    body: list[ast.stmt] = []
    rest = None
    fewest = _fewest(c, node)
    for at, parameter in enumerate(parse.parameters(node)):
        pattern, default = default_of(parameter)
        if pattern.type == "rest_pattern":
            rest = _argument(c, kids(pattern)[0])
            body.append(assign(atom(rest), call("list", atom(rest))))
            continue
        plain = pattern.type == "identifier"
        name = (
            _argument(c, pattern)
            if plain
            else c.new_name("options" if pattern.type == "object_pattern" else "pair", node)
        )
        given.append(name)
        if default is not None:
            value, stays = c.expr(default), _is_constant(default) and not _is_given_undefined(c, node, at)
            defaults.append(value if stays else atom("None"))
            if not stays:
                body.append(ast.If(py("_0 is None", atom(name)), [assign(atom(name), value)], []))
        elif at >= fewest or defaults or parse.is_optional(pattern):
            defaults.append(atom("None"))
        if not plain:
            kind = DICT.name if pattern.type == "object_pattern" else ""
            body += take_apart(c, pattern, atom(name), kind, _always if default is not None else _never)
    return _arguments(given, defaults, rest), body


def _is_constant(node: Node) -> bool:
    if node.type == "unary_expression":
        node = parse.field(node, "argument")
    return node.type in ("number", "string", "true", "false", "null", "undefined")


def _is_given_undefined(c: Converter, node: Node, at: int) -> bool:
    """Whether a function of the script is given `undefined` in a place, which JavaScript takes for nothing given."""
    calls = (kids(arguments) for arguments in _calls_of(c, node) if not _is_spread(arguments))
    return any(text(listed[at]) == "undefined" for listed in calls if at < len(listed))


def _fewest(c: Converter, node: Node) -> int:
    """How many arguments a function of the script is given at least; all, where nobody calls it by its name."""
    listed = parse.parameters(node)
    counts = [len(listed), *(len(kids(arguments)) for arguments in _calls_of(c, node) if not _is_spread(arguments))]
    while listed and _is_looked_for(c, listed[-1]):
        counts.append(len(listed) - 1)
        listed = listed[:-1]
    return min(counts)


def _calls_of(c: Converter, node: Node) -> list[Node]:
    """The arguments of the calls of a function, a method or a constructor by its name."""
    name = node.child_by_field_name("name")
    role = "function"
    if node.type == "method_definition" and text(name) != "constructor":
        return c.calls.get(text(name), [])
    if node.type == "method_definition":
        owner = class_around(node)
        name, role = owner.child_by_field_name("name") if owner is not None else None, "constructor"
    elif name is None and node.parent is not None and node.parent.type == "variable_declarator":
        name = node.parent.child_by_field_name("name")
    binding = c.scopes.bindings.get(name.id) if name is not None else None
    calls = [r.parent for r in binding.reads if r.parent is not None] if binding is not None else []
    given = [call_.child_by_field_name("arguments") for call_ in calls if call_.child_by_field_name(role) is not None]
    return [arguments for arguments in given if arguments is not None]


def _is_spread(arguments: Node) -> bool:
    return any(a.type == "spread_element" for a in kids(arguments))


def _is_looked_for(c: Converter, parameter: Node) -> bool:
    """Whether a function asks if it has been given a parameter."""
    binding = c.scopes.bindings.get(parameter.id)
    for read in binding.reads if binding is not None else []:
        parent = read.parent
        if parent is None or parent.type != "binary_expression" or parent.child_by_field_name("left") != read:
            continue
        sign, other = text(parent.child_by_field_name("operator")), text(parent.child_by_field_name("right"))
        if sign in ("||", "??") or (sign[:2] in ("==", "!=") and other in ("undefined", "null")):
            return True
    return False


def _bind_loop_variables(c: Converter, node: Node, arguments: ast.arguments) -> None:
    """Give a function that lives longer than a step of a loop the loop's variables as they are now."""
    if is_called_at_once(node):
        return
    scope = c.scopes.by_node[node.id]
    written = c.scopes.outer_writes(node)
    for binding in scope.used:
        if binding in written and _is_of_a_step(binding, node):
            c.check(node, f"`{binding.python}` is one variable here, and one for each step in JavaScript")
        elif _is_of_a_step(binding, node) and binding.scope.function is not scope:
            if any(w.start_byte > node.start_byte for w in binding.writes if not _is_a_head(w)):
                c.check(node, f"the function sees `{binding.python}` as it is here, not as it is later")
            arguments.kwonlyargs.append(ast.arg(binding.python))
            arguments.kw_defaults.append(atom(binding.python))


def _is_a_head(node: Node) -> bool:
    """Whether an assignment is the step of a for loop."""
    parent = node.parent
    return parent is not None and parent.parent is not None and parent.parent.type == "for_statement"


def is_called_at_once(node: Node) -> bool:
    """Whether a function is given to something that calls it before it returns, and does not keep it."""
    owner = node.parent
    if owner is not None and owner.type == "arguments" and owner.parent is not None:
        callee = owner.parent.child_by_field_name("function")
        path = parse.path_of(callee) if callee is not None else None
        name = path[-1] if path else text(callee.child_by_field_name("property")) if callee is not None else ""
        return name in _AT_ONCE
    while owner is not None and owner.type not in parse.FUNCTIONS and not owner.type.endswith("_statement"):
        if owner.type == "call_expression":  # in the options of a call such as fit
            return _last_name(owner) in _AT_ONCE
        owner = owner.parent
    return False


def _last_name(node: Node) -> str:
    callee = parse.field(node, "function")
    return text(callee.child_by_field_name("property")) if callee.type == "member_expression" else text(callee)


def _is_of_a_step(binding: Binding, node: Node) -> bool:
    """Whether a variable is a new one in each step of a loop around a function."""
    declaration = binding.node.parent
    if binding.kind not in ("variable", "loop") or declaration is None:
        return False
    around = declaration.parent if declaration.type == "variable_declarator" else declaration
    if around is not None and (around.type == "variable_declaration" or parse.has(around, "var")):
        return False  # a `var` is one variable for all steps
    found: Node | None = node.parent
    while found is not None and found.type not in parse.FUNCTIONS:
        inside = found.start_byte <= binding.node.start_byte < found.end_byte
        if inside and found.type in parse.LOOPS:
            return True
        found = found.parent
    return False


def _never(key: str) -> bool:
    return False


def _always(key: str) -> bool:
    return True


def take_apart(
    c: Converter, pattern: Node, value: ast.expr, kind: str = "", may_lack: Callable[[str], bool] = _never
) -> list[ast.stmt]:
    """The assignments of a pattern: `[a, b]` or `{a, b}`.

    Args:
        c: the converter.
        pattern: the pattern.
        value: what is taken apart.
        kind: "dict", or nothing for what has attributes.
        may_lack: says whether a key may be missing.
    """
    if pattern.type == "array_pattern":
        return _take_list(c, pattern, value)
    if pattern.type != "object_pattern":
        return [assign(c.expr(pattern), value)]
    found: list[ast.stmt] = []
    for part in kids(pattern):
        if part.type == "rest_pattern":
            test = ast.Tuple([_key_of(c, kids(p)[0] if kids(p) else p) for p in kids(pattern)[:-1]])
            name = c.expr(kids(part)[0])
            found.append(assign(name, py("{k: v for k, v in _0.items() if k not in _1}", value, test)))
            continue
        found += _take_property(c, part, value, kind, may_lack)
    return found


def _key_of(c: Converter, key: Node) -> ast.expr:
    return c.expr(kids(key)[0]) if key.type == "computed_property_name" else build.string(text(key).strip("'\""))


def _take_property(
    c: Converter, part: Node, value: ast.expr, kind: str, may_lack: Callable[[str], bool]
) -> list[ast.stmt]:
    key = parse.field(part, "key") if part.type == "pair_pattern" else part
    target, default = default_of(parse.field(part, "value") if part.type == "pair_pattern" else part)
    key, _ = default_of(key)
    name = text(key).strip("'\"")
    is_computed = key.type == "computed_property_name"
    at = _key_of(c, key)
    found: ast.expr
    of_tfpy = part_of(value, name) if default is None and not is_computed else None
    if of_tfpy is not None:
        found = of_tfpy
    elif kind == DICT.name or is_computed:
        found = ast.Subscript(value, at)
        if default is not None:
            found = py("_0.get(_1, _2)", value, at, c.expr(default))
        elif may_lack(name):
            found = py("_0.get(_1)", value, at)
    elif default is not None:
        raise NotConvertedError("a default in what is taken apart has no counterpart here")
    elif name == "length":
        found = call("len", value)
    else:
        found = ast.Attribute(value, names.attribute(name))
    if target.type in ("object_pattern", "array_pattern"):
        return take_apart(c, target, found, DICT.name)
    return [assign(c.name(target), found)]


def _take_list(c: Converter, pattern: Node, value: ast.expr) -> list[ast.stmt]:
    """`a, b = value`; where names are left out, each is taken from its place."""
    if None in parse.places(pattern) and parse.is_list_of_names(pattern):
        name = value if isinstance(value, ast.Name) else atom(c.new_name("parts", pattern))
        parts = [(at, part) for at, part in enumerate(parse.places(pattern)) if part is not None]
        taken = [assign(c.name(part), py(f"_0[{at}]", name)) for at, part in parts]
        return taken if name is value else [assign(name, value), *taken]
    targets: list[ast.expr] = []
    later: list[ast.stmt] = []
    for part in parse.places(pattern):
        if part is None:
            targets.append(atom("_"))
            continue
        inner, default = default_of(part)
        if default is not None:
            raise NotConvertedError("a default in a list that is taken apart has no counterpart")
        if inner.type == "rest_pattern":
            targets.append(ast.Starred(c.name(kids(inner)[0])))
        elif inner.type in ("object_pattern", "array_pattern"):
            targets.append(atom(c.new_name("part", pattern)))
            later += take_apart(c, inner, targets[-1], DICT.name)
        else:
            targets.append(c.name(inner))
    if len(targets) == 1 and not isinstance(targets[0], ast.Starred):
        return [assign(targets[0], py("_0[0]", value)), *later]
    if isinstance(value, ast.List) and len(value.elts) > 1:
        value = ast.Tuple(value.elts)
    return [assign(ast.Tuple(targets), value), *later]
