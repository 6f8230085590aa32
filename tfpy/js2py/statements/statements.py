"""Statements: declarations, loops, conditions, errors."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.kind import DICT, NDARRAY
from tfpy.js2py.converter import Converter, expression, statement
from tfpy.js2py.expressions.expressions import is_always, iterated, negated, truth
from tfpy.js2py.expressions.functions import define, is_of_items, parts_of, take_apart
from tfpy.js2py.expressions.operators import update
from tfpy.js2py.expressions.properties import is_cheap, is_of_tfpy, namespace_of, own
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.statements.changing import is_changed, own_numbers
from tfpy.js2py.statements.classes import class_of
from tfpy.js2py.statements.counting import counted_range
from tfpy.js2py.statements.documentation import documented
from tfpy.js2py.statements.growing import is_append
from tfpy.js2py.statements.modules import exported, is_export, required, requires_only
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import assign, atom, call, name_of, py
from tfpy.js2py.syntax.parse import bare, kids, optional, text


@statement("comment", "empty_statement", "type_alias_declaration", "interface_declaration", "hash_bang_line",
           "ambient_declaration", "function_signature")  # fmt: skip
def nothing(c: Converter, node: Node) -> list[ast.stmt]:
    """What means nothing in Python."""
    return []


@statement("statement_block")
def block(c: Converter, node: Node) -> list[ast.stmt]:
    """A block within a block."""
    return c.block(node.named_children)


def body_of(c: Converter, node: Node) -> list[ast.stmt]:
    """The statements of what may be a block or one statement."""
    return c.block(node.named_children) if node.type == "statement_block" else c.block([node])


@statement("lexical_declaration", "variable_declaration")
def declaration(c: Converter, node: Node) -> list[ast.stmt]:
    """`const`, `let` and `var`."""
    out: list[ast.stmt] = []
    for declarator in kids(node):
        pattern, value = parse.field(declarator, "name"), optional(declarator, "value")
        c.pre = []
        found = required(c, pattern, value)
        if found is None:
            found = _declared(c, node, pattern, value)
        out += [*c.pre, *found]
    c.pre = []
    return out


def _declared(c: Converter, node: Node, pattern: Node, value: Node | None) -> list[ast.stmt]:
    if value is None and pattern.type == "identifier" and text(pattern) in c.modules:
        return []
    if value is None:
        if pattern.type == "identifier" and node.type == "variable_declaration" and _is_again(c, pattern):
            return []
        return [assign(c.name(pattern), atom("None"))]
    if pattern.type == "identifier" and value.type in parse.FUNCTIONS:
        return _function(c, value, name_of(c.name(pattern)), node)
    if pattern.type == "identifier" and value.type == "class":
        return [class_of(c, value, text(pattern))]
    if pattern.type == "identifier":
        return [assign(c.name(pattern), own_numbers(c, pattern, value, c.expr(value)))]
    if pattern.type == "object_pattern":
        return _from_object(c, pattern, value)
    return take_apart(c, pattern, iterated(c, value) if c.kinds.of(value) == NDARRAY else c.expr(value))


def _is_again(c: Converter, pattern: Node) -> bool:
    return c.scopes.bindings[pattern.id].node != pattern


def _from_object(c: Converter, pattern: Node, value: Node) -> list[ast.stmt]:
    """`const {a, b} = value`: of a dict, of something of tfpy, or of JavaScript's own `Math` and `Number`."""
    if text(value) in ("Math", "Number") and value.id not in c.scopes.bindings and is_of_items(pattern):
        return [assign(c.name(target), own(f"{text(value)}.{key}")) for key, target in parts_of(pattern)]
    kind = c.kinds.of(value)
    space = namespace_of(c, value)
    found = c.expr(value) if space is None else py(".".join(space))
    out: list[ast.stmt] = []
    if not isinstance(found, (ast.Name, ast.Attribute)) and len(kids(pattern)) > 1:
        name = atom(c.new_name("parts", pattern))
        out, found = [assign(name, found)], name
    plain = kind == DICT or (kind.name == "" and not _has_attributes(pattern, value, c))
    return out + take_apart(c, pattern, found, DICT.name if plain else "", lambda key: c.kinds.lacks(value, key))


def _has_attributes(pattern: Node, value: Node, c: Converter) -> bool:
    """Whether what is taken apart has attributes: a namespace, or a result with these names."""
    if is_of_tfpy(c, value):
        return True
    keys = [text(p if p.type != "pair_pattern" else parse.field(p, "key")) for p in kids(pattern)]
    return (
        value.type != "identifier"
        and not any(k in c.kinds.keys for k in keys)
        and all(k in names.attributes() for k in keys)
    )


def _function(c: Converter, node: Node, name: str, owner: Node) -> list[ast.stmt]:
    """A def with its documentation."""
    made = define(c, node, name)
    documented(c, made, owner)
    return [made]


@statement("function_declaration", "generator_function_declaration")
def function_declaration(c: Converter, node: Node) -> list[ast.stmt]:
    """A function."""
    made = _function(c, node, name_of(c.name(parse.field(node, "name"))), node)
    build.allow_earlier(made[0])
    return made


@statement("expression_statement")
def expression_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """An expression for its effects."""
    return effects(c, bare(kids(node)[0]))


def effects(c: Converter, node: Node) -> list[ast.stmt]:
    """What an expression does."""
    from tfpy.js2py.statements.inlining import inlined_call, started

    node = bare(node)
    if node.type == "await_expression":
        node = bare(kids(node)[0])
        if node.type == "call_expression" and text(parse.field(node, "function")) == "Promise.all":
            together = kids(parse.field(node, "arguments"))[0]
            if together.type == "array":
                return [s for kid in kids(together) for s in effects(c, kid)]
        return effects(c, node) if node.type == "call_expression" else [ast.Expr(c.expr(node))]
    if node.type in ("augmented_assignment_expression", "update_expression"):
        return update(c, node)
    if node.type == "assignment_expression":
        return _assigned(c, node)
    if node.type == "sequence_expression":
        return [s for kid in kids(node) for s in effects(c, kid)]
    if node.type in ("ternary_expression", "binary_expression"):
        return _conditional(c, node)
    if node.type == "string":
        return []  # "use strict"
    if node.type == "call_expression":
        if requires_only(node):
            return []
        found = inlined_call(c, node) or started(c, node)
        if found is not None:
            return found
    value = c.expr(node)
    return [] if isinstance(value, ast.Name) and value.id == "None" else [ast.Expr(value)]


def _assigned(c: Converter, node: Node) -> list[ast.stmt]:
    left, right = parse.field(node, "left"), parse.field(node, "right")
    if is_export(left):
        return exported(c, left, right)
    if left.type == "identifier" and text(left) in c.modules and requires_only(right):
        return []
    if left.type == "identifier" and right.type in parse.FUNCTIONS:
        return [define(c, right, name_of(c.name(left)))]
    if left.type in ("array_pattern", "object_pattern"):
        value = c.expr(right)
        return take_apart(c, left, value, DICT.name if c.kinds.of(right) == DICT else "")
    if left.type == "member_expression" and _is_length(c, left):
        if text(right) == "0":
            return [ast.Expr(call(ast.Attribute(c.expr(parse.field(left, "object")), "clear")))]
        raise NotConvertedError("a length that is set has no counterpart")
    if left.type == "subscript_expression" and is_append(c, left):
        return [ast.Expr(call(ast.Attribute(c.expr(parse.field(left, "object")), "append"), c.expr(right)))]
    if right.type == "assignment_expression":
        inner = _assigned(c, right)
        last = inner[-1]
        if isinstance(last, ast.Assign) and not isinstance(last.targets[0], ast.Tuple):
            return [*inner[:-1], ast.Assign([c.expr(left), *last.targets], last.value, lineno=0)]
    return [assign(c.name(left), c.expr(right))]


def _is_length(c: Converter, node: Node) -> bool:
    """Whether a property is the length of a list, and not an attribute or an item that has this name."""
    kind = c.kinds.of(parse.field(node, "object"))
    return text(parse.field(node, "property")) == "length" and kind != DICT and not kind.name.startswith(".")


def _conditional(c: Converter, node: Node) -> list[ast.stmt]:
    """`a && f()` and `a ? f() : g()` as an if."""
    if node.type == "ternary_expression":
        branches = [effects(c, parse.field(node, name)) for name in ("consequence", "alternative")]
        return [ast.If(truth(c, parse.field(node, "condition")), branches[0], branches[1])]
    sign = text(node.child_by_field_name("operator"))
    if sign not in ("&&", "||"):
        return [ast.Expr(c.expr(node))]
    test = truth(c, parse.field(node, "left"))
    inner = c.by_rule(parse.field(node, "right"), effects)
    return [ast.If(test if sign == "&&" else negated(test), inner, [])]


@statement("if_statement")
def if_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`if`, with `elif` for an if in the else."""
    condition = parse.field(node, "condition")
    consequence, alternative = parse.field(node, "consequence"), node.child_by_field_name("alternative")
    if text(condition).replace(" ", "") == "require.main===module":
        return [ast.If(py('__name__ == "__main__"'), body_of(c, consequence), [])]
    test = truth(c, condition)
    other = [n for n in alternative.named_children] if alternative is not None else []
    if len(other) == 1 and other[0].type == "statement_block":
        other = other[0].named_children
    if is_always(test, False) and condition.type != "false":
        _drop(c, consequence)
        return c.block(other)
    body = body_of(c, consequence)
    if is_always(test, True) and condition.type != "true":
        _drop(c, alternative)
        return body
    otherwise = c.block(other)
    if not body and not otherwise and kids(consequence) and is_cheap(test):
        c.checks.clear()
        return []  # what was done here means nothing in Python
    return [ast.If(test, build.filled(body), otherwise)]


def _drop(c: Converter, node: Node | None) -> None:
    """Leave out what is never done, with its comments."""
    for inner in parse.walk(node) if node is not None else ():
        if inner.type == "comment":
            c.place(inner)


@statement("for_statement")
def for_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """A for with three parts: over a range if it counts, else a while."""
    counted = counted_range(c, node)
    saved, c.steps = c.steps, []
    try:
        if counted is not None:
            target, over = counted
            return [ast.For(target, over, _loop_body(c, node), [], lineno=0)]
        return _as_while(c, node)
    finally:
        c.steps = saved


def _loop_body(c: Converter, node: Node) -> list[ast.stmt]:
    return build.filled(body_of(c, parse.field(node, "body")))


def _as_while(c: Converter, node: Node) -> list[ast.stmt]:
    initializer, condition = optional(node, "initializer"), optional(node, "condition")
    increment = optional(node, "increment")
    out = c.block([initializer]) if initializer is not None and initializer.type != "empty_statement" else []
    test: ast.expr = atom("True")
    if condition is not None and condition.type != "empty_statement":
        inner = bare(kids(condition)[0]) if condition.type == "expression_statement" else condition
        test = truth(c, inner)
    c.steps = c.by_rule(increment, effects) if increment is not None else []
    body = _loop_body(c, node)
    return [*out, ast.While(test, [*body, *c.steps], [])]


@statement("for_in_statement")
def for_in_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`for … of`, `for await` and `for … in`."""
    left, right = parse.field(node, "left"), parse.field(node, "right")
    kind = c.kinds.of(right)
    within = text(node.child_by_field_name("operator")) == "in"
    over = c.expr(right) if within else iterated(c, right)
    if within:
        if kind.name in ("list", "ndarray"):
            over = py("range(len(_0))", over)
        elif kind != DICT:
            c.check(node, "`for … in` goes over the keys of a dict here; over a list it must be range(len(…))")
    if isinstance(over, ast.Call) and name_of(over.func) == "list" and len(over.args) == 1 and kind.name == "list":
        over = over.args[0]  # list(d.items()) and list(d) of Object.entries and keys
    if is_changed(c, node, right, parse.field(node, "body")):
        over = call("list", over)
    target, later = loop_target(c, left)
    saved, c.steps = c.steps, []
    body = _loop_body(c, node)
    c.steps = saved
    return [ast.For(target, over, [*later, *body], [], lineno=0)]


def loop_target(c: Converter, left: Node) -> tuple[ast.expr, list[ast.stmt]]:
    """The variable of a loop, and the statements that take an item apart."""
    if parse.is_tuple_of_names(left):
        return ast.Tuple([c.name(kid) for kid in kids(left)]), []
    if left.type in ("array_pattern", "object_pattern"):
        item = atom(c.new_name("item", left))
        return item, take_apart(c, left, item, DICT.name)
    return c.name(left), []


@statement("while_statement")
def while_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`while`."""
    saved, c.steps = c.steps, []
    with c.without(places=False):
        test = truth(c, parse.field(node, "condition"))
    body = _loop_body(c, node)
    c.steps = saved
    return [ast.While(test, body, [])]


@statement("do_statement")
def do_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`do … while` as an endless loop that is left at the end of its body."""
    saved = c.steps
    with c.without(places=False):
        test = truth(c, parse.field(node, "condition"))
    leave = ast.If(negated(test), [ast.Break()], [])
    c.steps = [leave]
    body = _loop_body(c, node)
    c.steps = saved
    return [ast.While(atom("True"), [*body, leave], [])]


@statement("return_statement")
def return_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`return`; in the body of a forEach that became a loop it goes on with the next item."""
    if c.returns == "continue":
        return [ast.Continue()]
    if not kids(node):
        return [ast.Return(None)]
    value = c.expr(kids(node)[0])
    return [ast.Return(value)]


@statement("throw_statement")
def throw_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`raise`."""
    value = kids(node)[0]
    if value.type == "identifier" and c.kinds.of(value).name == "error":
        return [ast.Raise(c.expr(value))]
    if value.type != "new_expression" and c.kinds.of(value).name != "error":
        return [ast.Raise(call("RuntimeError", c.expr(value)))]
    return [ast.Raise(c.expr(value))]


@statement("try_statement")
def try_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`try`."""
    handler, final = optional(node, "handler"), optional(node, "finalizer")
    handlers = []
    if handler is not None:
        parameter = optional(handler, "parameter")
        if parameter is not None and parameter.type != "identifier":
            raise NotConvertedError("an error that is taken apart has no counterpart")
        used = parameter is not None and bool(c.scopes.bindings[parameter.id].reads)
        name = name_of(c.name(parameter)) if parameter is not None and used else None
        caught = build.filled(body_of(c, parse.field(handler, "body")))
        handlers.append(ast.ExceptHandler(py("Exception"), name, caught))
    body = build.filled(body_of(c, parse.field(node, "body")))
    last = build.filled(c.block(parse.field(final, "body").named_children)) if final is not None else []
    return [ast.Try(body, handlers, [], last)]


@expression("sequence_expression")
def sequence(c: Converter, node: Node) -> ast.expr:
    """`a, b` within an expression: a goes before."""
    *before, last = kids(node)
    for inner in before:
        c.first(*effects(c, inner))
    return c.expr(last)
