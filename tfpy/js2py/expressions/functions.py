"""Functions: parameters, lambdas, defs, functions as arguments, `await` and `yield`."""

from __future__ import annotations

import ast
import itertools

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.kind import DICT
from tfpy.js2py.analysis.members import class_around
from tfpy.js2py.analysis.scopes import Binding
from tfpy.js2py.analysis.uses import is_changed_in_place
from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.expressions.destructuring import as_items, is_of_items, take_apart
from tfpy.js2py.expressions.left_out import calls_of, fewest_given, is_spread
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import assign, atom, call, py
from tfpy.js2py.syntax.parse import bare, default_of, kids, text

_SHORT = 72  # characters of a body that is one `return`: a longer one is more readable as a def
# The name of an anonymous function that is passed to one of these.
_CALLED = {
    "tidy": "compute", "scope": "compute", "minimize": "loss", "map": "convert", "filter": "is_wanted",
    "sort": "compare", "grad": "f", "grads": "f", "variableGrads": "f", "valueAndGrad": "f", "valueAndGrads": "f",
    "reduce": "combine", "generator": "generate", "customGrad": "f", "time": "compute", "profile": "compute",
    "from": "make",
}  # fmt: skip
# Functions passed to these are called before the next statement, so that they see the loop variables' current values.
_AT_ONCE = {
    *_CALLED, "forEach", "forEachAsync", "some", "every", "find", "findIndex", "flatMap", "then", "catch", "fit",
} - {"generator"}  # fmt: skip


@expression("arrow_function", "function_expression", "generator_function", "method_definition")
def function(c: Converter, node: Node) -> ast.expr:
    """A function as a value: a lambda, or the name of a def before the statement."""
    return reference(c, node, name_for(node))


def name_for(node: Node) -> str:
    """A name for a function, from where it is used."""
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
    """A function as a value; if it becomes a def, it gets the name."""
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
    """A lambda if the function is one expression with plain parameters; otherwise None."""
    body, given = value_of(parse.field(node, "body")), parse.parameters(node)
    simple = all(p.type == "identifier" or is_of_items(p) for p in given)
    if body.type == "statement_block" or not simple or c.scopes.outer_writes(node) or _has_comments(node):
        return None
    noted = len(c.notes)
    try:
        with c.without(places=False), as_items(c, given) as named:
            value = c.expr(body)
    except NotConvertedError:  # a def reports where it fails, and only when it is called
        del c.notes[noted:]
        return None
    if any(isinstance(n, ast.NamedExpr) for n in ast.walk(value)):
        return None
    missing: list[ast.expr] = [atom("None") for _ in itertools.dropwhile(lambda p: not parse.is_optional(p), given)]
    arguments = _arguments([named.get(p.id) or _argument(c, p) for p in given], missing, None)
    _bind_loop_variables(c, node, arguments)
    return ast.Lambda(arguments, value)


def value_of(body: Node) -> Node:
    """The result of a function if its body is one short `return`; otherwise the body."""
    inner = kids(body) if body.type == "statement_block" else []
    if len(inner) != 1 or inner[0].type != "return_statement" or not kids(inner[0]) or len(text(body)) > _SHORT:
        return body
    return bare(kids(inner[0])[0])


def _has_comments(node: Node) -> bool:
    return any(n.type == "comment" for n in parse.walk(node))


def _argument(c: Converter, node: Node) -> str:
    return c.scopes.bindings[node.id].python


def _arguments(given: list[str], defaults: list[ast.expr], rest: str | None) -> ast.arguments:
    listed = [ast.arg(name) for name in given]
    return ast.arguments([], listed, ast.arg(rest) if rest else None, [], [], None, defaults)


def define(c: Converter, node: Node, name: str, first: str = "", is_looked_at: bool = True) -> ast.FunctionDef:
    """A def.

    Args:
        c: the converter.
        node: the function.
        name: its name.
        first: a parameter before the others, such as "self".
        is_looked_at: whether its result is used.
    """
    saved = c.pre, c.post, c.certain, c.steps, c.returns, c.checks
    c.pre, c.post, c.certain, c.steps, c.returns, c.checks = None, None, False, [], "return", []
    try:
        arguments, body = _parameters(c, node)
        if first:
            arguments.args.insert(0, ast.arg(first))
        body += c.body(node, is_looked_at)
    finally:
        checks = c.checks
        c.pre, c.post, c.certain, c.steps, c.returns, c.checks = saved
    c.checks.extend(checks)
    _bind_loop_variables(c, node, arguments)
    return build.function(name, arguments, [*outer_declarations(c, node), *body])


def outer_declarations(c: Converter, node: Node) -> list[ast.stmt]:
    """`global` and `nonlocal` for the outer variables that the function assigns to."""
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
    """The parameters of a function, and the statements that destructure them and set missing values."""
    given: list[str] = []
    defaults: list[ast.expr] = []
    body: list[ast.stmt] = []
    rest = None
    fewest = fewest_given(c, node)
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
        if plain and _is_changed_shape(c, node, at, pattern):
            body.append(assign(atom(name), call("list", atom(name))))
        if not plain:
            kind = DICT.name if pattern.type == "object_pattern" else ""
            body += take_apart(c, pattern, atom(name), kind, default is None)
    return _arguments(given, defaults, rest), body


def _is_changed_shape(c: Converter, node: Node, at: int, name: Node) -> bool:
    """Whether a parameter is a shape that the function changes in place."""
    if not is_changed_in_place(c.scopes.bindings[name.id]):
        return False
    around = class_around(node) if node.type == "method_definition" else None
    base = parse.base_of(around) if around is not None else None
    is_of_a_layer = "Layer" in text(base) and text(parse.field(node, "name")) in ("build", "computeOutputShape")
    shapes = [c.kinds.of(given).fixed for given in c.kinds.given(node, at)]
    return is_of_a_layer or (bool(shapes) and all(shapes))


def _is_constant(node: Node) -> bool:
    if node.type == "unary_expression":
        node = parse.field(node, "argument")
    return node.type in ("number", "string", "true", "false", "null", "undefined")


def _is_given_undefined(c: Converter, node: Node, at: int) -> bool:
    """Whether a call of a function passes `undefined` at a position, which JavaScript treats as a missing argument."""
    calls = (kids(arguments) for arguments in calls_of(c, node) if not is_spread(arguments))
    return any(text(listed[at]) == "undefined" for listed in calls if at < len(listed))


def _bind_loop_variables(c: Converter, node: Node, arguments: ast.arguments) -> None:
    """Bind a loop's current variables to a function that is used after the current step."""
    if is_called_at_once(node):
        return
    scope = c.scopes.by_node[node.id]
    written = c.scopes.outer_writes(node)
    for binding in scope.used:
        if binding in written and _is_of_a_step(binding, node):
            c.check(node, f"`{binding.python}` is one variable here, and one for each step in JavaScript")
        elif _is_of_a_step(binding, node) and binding.scope.function is not scope:
            if any(w.start_byte > node.start_byte for w in binding.writes if not _is_a_head(w)):
                c.check(node, f"the function uses the value of `{binding.python}` here, not a later one")
            arguments.kwonlyargs.append(ast.arg(binding.python))
            arguments.kw_defaults.append(atom(binding.python))


def _is_a_head(node: Node) -> bool:
    """Whether an assignment is the update of a for loop."""
    parent = node.parent
    return parent is not None and parent.parent is not None and parent.parent.type == "for_statement"


def is_called_at_once(node: Node) -> bool:
    """Whether a function is passed to something that calls it before it returns, and does not keep it."""
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
    """Whether a variable is created anew in each step of a loop around a function."""
    declaration = binding.node.parent
    if binding.kind not in ("variable", "loop") or declaration is None:
        return False
    around = declaration.parent if declaration.type == "variable_declarator" else declaration
    if around is not None and (around.type == "variable_declaration" or parse.has(around, "var")):
        return False  # a `var` is shared by all steps
    found: Node | None = node.parent
    while found is not None and found.type not in parse.FUNCTIONS:
        inside = found.start_byte <= binding.node.start_byte < found.end_byte
        if inside and found.type in parse.LOOPS:
            return True
        found = found.parent
    return False


@expression("await_expression")
def awaited(c: Converter, node: Node) -> ast.expr:
    """The awaited value, which is ready immediately here."""
    return c.expr(kids(node)[0])


@expression("yield_expression")
def yielded(c: Converter, node: Node) -> ast.expr:
    """`yield` and `yield from`."""
    inner = [c.expr(kid) for kid in kids(node)]
    if parse.has(node, "*"):
        return ast.YieldFrom(inner[0])
    if node.parent is None or node.parent.type != "expression_statement":
        raise NotConvertedError("a value that is sent into a generator has no counterpart")
    return ast.Yield(inner[0] if inner else None)
