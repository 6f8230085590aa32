"""Calls with a function that become blocks: forEach a loop, `then` the next statements, tidy a `with`."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.analysis.kind import DICT
from tfpy.js2py.analysis.scopes import is_inlined
from tfpy.js2py.converter import Converter, effect, evaluated
from tfpy.js2py.expressions.conditions import negated
from tfpy.js2py.expressions.destructuring import take_apart
from tfpy.js2py.expressions.functions import define
from tfpy.js2py.expressions.literals import iterated
from tfpy.js2py.statements.jasmine import tested
from tfpy.js2py.statements.loops import loop_target
from tfpy.js2py.statements.modules import requires_only
from tfpy.js2py.statements.mutation import is_changed, own_copy
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import assign, atom, call, name_of, py
from tfpy.js2py.syntax.parse import bare, kids, text


@effect("call_expression")
def call_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """A call whose result is unused."""
    if requires_only(node):
        return []
    for special in (tested, inlined_call, started):
        found = special(c, node)
        if found is not None:
            return found
    found = evaluated(c, node)
    match found:
        case [ast.Expr(ast.IfExp(test, ast.Constant(None), value))]:  # of `a?.b()`
            return [ast.If(negated(test), [ast.Expr(value)], [])]
    return found


def inlined_call(c: Converter, node: Node) -> list[ast.stmt] | None:
    """The statements for a call with a function whose body can be inlined; None for any other call."""
    callee = parse.field(node, "function")
    given = kids(parse.field(node, "arguments"))
    if callee.type != "member_expression" or not given:
        return None
    owner, name = parse.field(callee, "object"), text(parse.field(callee, "property"))
    if name in ("catch", "finally") and len(given) == 1:
        return _guarded(c, owner, name, bare(given[0]))
    function = bare(given[0])
    if name == "then" and len(given) == 1 and function.type in ("identifier", "member_expression"):
        return _called(c, function, [c.expr(owner)])
    if function.type not in parse.FUNCTIONS or not is_inlined(function):
        return None
    if name == "tidy":
        return [ast.With([ast.withitem(call("tf.tidy"))], build.filled(c.body(function)))]
    return _then(c, owner, function) if name == "then" else _loop(c, node, owner, function)


def _loop(c: Converter, loop: Node, owner: Node, function: Node) -> list[ast.stmt]:
    kind = c.kinds.of(owner)
    over = c.expr(owner) if kind.name == "map" else iterated(c, owner)
    given = parse.parameters(function)
    later: list[ast.stmt] = []
    if not given:
        target: ast.expr = atom("_")
    else:
        target, later = loop_target(c, given[0])
    if kind.name == "map":
        over = py("_0.items()" if len(given) > 1 else "_0.values()", over)
    if len(given) == 2:
        index = c.name(given[1])
        target = ast.Tuple([index, target])
        over = over if kind.name == "map" else call("enumerate", over)
    if kind.name in ("map", "set") and is_changed(c, loop, owner, parse.field(function, "body")):
        over = call("list", over)
    saved = c.steps, c.returns
    c.steps, c.returns = [], "continue"
    body = c.body(function)
    c.steps, c.returns = saved
    while body and isinstance(body[-1], ast.Continue):
        body.pop()
    return [ast.For(target, over, build.filled([*later, *body]), [], lineno=0)]


def _then(c: Converter, owner: Node, function: Node) -> list[ast.stmt]:
    """The awaited expression, then the statements that use its result."""
    given = parse.parameters(function)
    if not given:
        return [*c.effects(owner), *c.body(function)]
    value = c.expr(owner)
    first = (
        [assign(c.name(given[0]), own_copy(c, given[0], owner, value))]
        if given[0].type == "identifier"
        else take_apart(c, given[0], value, DICT.name)
    )
    return [*first, *c.body(function)]


def _guarded(c: Converter, owner: Node, name: str, function: Node) -> list[ast.stmt]:
    """`p.catch(f)` and `p.finally(f)` as `try`."""
    body = c.effects(owner)
    inline = function.type in parse.FUNCTIONS and is_inlined(function)
    if name == "finally":
        return [ast.Try(body, [], [], build.filled(c.body(function) if inline else _called(c, function, [])))]
    given = parse.parameters(function) if inline else []
    if inline and (not given or given[0].type == "identifier"):
        error = name_of(c.name(given[0])) if given else None
        return [ast.Try(body, [ast.ExceptHandler(py("Exception"), error, build.filled(c.body(function)))], [], [])]
    error = c.new_name("error", function)
    return [ast.Try(body, [ast.ExceptHandler(py("Exception"), error, _called(c, function, [atom(error)]))], [], [])]


def _called(c: Converter, function: Node, given: list[ast.expr]) -> list[ast.stmt]:
    """A function called with as many of the given arguments as it takes."""
    if text(function) in ("console.error", "console.log", "console.warn"):
        return [ast.Expr(call("print", *given, keywords=_error_stream(text(function))))]
    takes = len(parse.parameters(function)) if function.type in parse.FUNCTIONS else len(given)
    return [ast.Expr(call(c.expr(function), *given[:takes]))]


def _error_stream(name: str) -> list[ast.keyword]:
    return [] if name.endswith("log") else [ast.keyword("file", py("sys.stderr"))]


def started(c: Converter, node: Node) -> list[ast.stmt] | None:
    """`(async () => {…})()` as `def main` and its call; None for any other call."""
    function = parse.field(node, "function")
    if function.type not in parse.FUNCTIONS or kids(parse.field(node, "arguments")):
        return None
    name = c.new_name("main", node)
    return [define(c, function, name), ast.Expr(call(name))]
