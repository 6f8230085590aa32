"""Constructor functions, which are the classes of scripts from before 2015, as class declarations.

`function Dot(x) { this.x = x; }`, followed by `Dot.prototype.add = function (n) {…};`, becomes `class Dot {
constructor(x) {…} add(n) {…} }` on the same lines, so that remarks have the line numbers of the script.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import NamedTuple

from tree_sitter import Node

from tfpy.js2py.syntax.parse import FUNCTIONS, field, has, kids, path_of, text, walk, walk_own


class _Edit(NamedTuple):
    """A part of the source, and what replaces it; its line breaks are kept."""

    start: int
    end: int
    replacement: str = ""


def with_classes(root: Node, source: bytes) -> bytes:
    """The source of a script with classes in place of constructor functions and their prototypes' methods."""
    for start, end, replacement in sorted(_edits(root), reverse=True):
        lines = b"\n" * source.count(b"\n", start, end)
        source = source[:start] + replacement.encode() + lines + source[end:]
    return source


def _edits(root: Node) -> Iterator[_Edit]:
    nodes = [*walk(root)]
    bases = dict(filter(None, map(_inheritance, nodes)))
    created = {text(field(node, "constructor")) for node in nodes if node.type == "new_expression"} | {*bases.values()}
    calls = [node for node in nodes if node.type == "call_expression"]
    created -= {path[0] for call in calls for path in [_called(call)] if path != [bases.get(_around(call)), "call"]}
    for block in nodes:
        if block.type not in ("program", "statement_block"):
            continue
        statements = kids(block)
        for at, statement in enumerate(statements):
            declaration = statement.child_by_field_name("declaration") or statement
            name, function = _declared(declaration)
            if function is not None and name in created:
                rest = [*takewhile(bool, (_members(name, following) for following in statements[at + 1 :]))]
                if _is_constructor(function, rest):
                    yield from _class(name, bases.get(name, ""), declaration, function, rest)


def _inheritance(node: Node) -> tuple[str, str] | None:
    """A class and its base, of `B.prototype = Object.create(A.prototype)`."""
    path = _target(node)
    if path[1:] != ["prototype"] or field(node, "right").type != "call_expression":
        return None
    call = field(node, "right")
    given = kids(field(call, "arguments"))
    base = path_of(given[0]) if len(given) == 1 and text(field(call, "function")) == "Object.create" else None
    return (path[0], base[0]) if base and base[1:] == ["prototype"] else None


def _target(node: Node) -> list[str]:
    """The path that is assigned to; empty for other nodes."""
    return (path_of(field(node, "left")) or []) if node.type == "assignment_expression" else []


def _called(call: Node) -> list[str]:
    """The path of the function of `f(…)`, `f.call(…)` and `f.apply(…)`, which call it without `new`."""
    path = path_of(field(call, "function"))
    return path if path and path[1:] in ([], ["call"], ["apply"]) else [""]


def _around(node: Node) -> str:
    """The name of the function that a node is in."""
    while node.parent is not None and node.type not in FUNCTIONS:
        node = node.parent
    named = node.parent if node.parent is not None and node.parent.type == "variable_declarator" else node
    return text(named.child_by_field_name("name"))


def _declared(declaration: Node) -> tuple[str, Node | None]:
    """The name and the function of `function f(…) {…}` or `var f = function (…) {…};`."""
    if declaration.type == "function_declaration":
        return text(field(declaration, "name")), declaration
    if declaration.type in ("variable_declaration", "lexical_declaration"):
        made = kids(declaration)
        value = made[0].child_by_field_name("value") if len(made) == 1 else None
        if value is not None and value.type == "function_expression":
            return text(field(made[0], "name")), value
    return "", None


def _is_constructor(function: Node, members: list[list[_Edit]]) -> bool:
    """Whether a function uses `this` or has a prototype with members, and returns nothing."""
    own = [*walk_own(field(function, "body"))]
    returns = any(node.type == "return_statement" and kids(node) for node in own)
    return (bool(members) or any(node.type == "this" for node in own)) and not returns and not has(function, "async")


def _members(name: str, statement: Node) -> list[_Edit]:
    """The edits that make members of a class of a statement after it; none if the statement is no such member."""
    assignment = kids(statement)[0] if statement.type == "expression_statement" else statement
    whole = statement.start_byte, statement.end_byte
    value = field(assignment, "right") if _target(assignment) else assignment
    match _target(assignment):
        case [_, "prototype", "constructor"] if text(value) == name:
            found = [_Edit(*whole)]
        case [_, "prototype"] if _inheritance(assignment):
            found = [_Edit(*whole)]
        case [_, "prototype"] if value.type == "object":
            found = _methods(value, *whole)
        case [_, "prototype", method]:
            found = _method(method, value, *whole)
        case [_, attribute] if value.type in ("number", "string", "true", "false"):
            found = [_Edit(whole[0], value.start_byte, f"static {attribute} = "), _Edit(whole[1], whole[1])]
        case [_, attribute]:
            found = _method(attribute, value, *whole, static="static ")
        case _:
            return []
    return found if _target(assignment)[0] == name else []


def _method(name: str, value: Node, start: int, end: int, static: str = "") -> list[_Edit]:
    """A function as a method in place of a part of the source; nothing for other values."""
    if value.type != "function_expression" or has(value, "*"):
        return []
    head = static + ("async " if has(value, "async") else "") + name
    return [_Edit(start, field(value, "parameters").start_byte, head), _Edit(value.end_byte, end)]


def _methods(literal: Node, start: int, end: int) -> list[_Edit]:
    """The functions in an object literal as methods in place of a part of the source."""
    found = [_Edit(start, literal.start_byte + 1), _Edit(literal.end_byte - 1, end)]
    for part in kids(literal):
        if part.type == "method_definition":
            continue
        value = part.child_by_field_name("value") or part
        made = _method(text(part.child_by_field_name("key")), value, part.start_byte, part.end_byte)
        if not made:
            return []
        found += made
    return found + [_Edit(comma.start_byte, comma.end_byte) for comma in literal.children if comma.type == ","]


def _class(name: str, base: str, declaration: Node, function: Node, members: list[list[_Edit]]) -> Iterator[_Edit]:
    head = f"class {name} extends {base}" if base else f"class {name}"
    yield _Edit(declaration.start_byte, field(function, "parameters").start_byte, head + " { constructor")
    yield _Edit(function.end_byte, declaration.end_byte)
    for edits in members:
        yield from edits
    end = max(edit.end for edit in (members[-1] if members else [_Edit(0, declaration.end_byte)]))
    yield _Edit(end, end, " }")
    for node in walk_own(field(function, "body")):
        if node.type == "call_expression" and _called(node) == [base, "call"]:
            yield from _super(node)
        elif _target(node)[:1] == ["this"]:
            yield from _arrow(field(node, "right"))


def _super(call: Node) -> Iterator[_Edit]:
    """`Base.call(this, …)` as `super(…)`."""
    given = kids(field(call, "arguments"))
    end = given[1].start_byte if len(given) > 1 else call.end_byte - 1
    yield _Edit(call.start_byte, end, "super(")


def _arrow(value: Node) -> Iterator[_Edit]:
    """A function that a constructor keeps as an arrow function, whose `this` is the instance, too."""
    if any(text(inner) == "arguments" for inner in walk(value)):
        return
    opening = _method("", value, value.start_byte, value.end_byte)
    if opening:
        yield opening[0]
        at = field(value, "body").start_byte
        yield _Edit(at, at, "=> ")
