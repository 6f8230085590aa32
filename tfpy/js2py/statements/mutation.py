"""Mutations that JavaScript allows and Python does not: of dicts during iteration, of a tensor's numbers and shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tree_sitter import Node

from tfpy.js2py.analysis.kind import NDARRAY
from tfpy.js2py.analysis.uses import is_changed_in_place
from tfpy.js2py.builtins import OF_OBJECTS
from tfpy.js2py.converter import Converter
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import call, py
from tfpy.js2py.syntax.parse import FUNCTIONS, bare, kids, optional, text

_OF_MAPS = {"keys", "values", "entries"}


def is_changed(c: Converter, loop: Node, over: Node, body: Node) -> bool:
    """Whether the body of a loop, or a function of the script that it calls, adds or removes keys.

    Args:
        c: the converter.
        loop: the loop, or the call of `forEach`.
        over: the iterable.
        body: the body of the loop.
    """
    owner = _owner_of(over)
    is_map = c.kinds.of(owner).name in ("map", "set")
    if not is_map and (
        c.kinds.of(owner).name not in ("dict", "") or not (owner != bare(over) or parse.has(loop, "in"))
    ):
        return False
    change = _takes_out if is_map else _changes
    return any(change(owner, node) and not _is_at_its_key(loop, node) for node in _done(c, body, set()))


def own_copy(c: Converter, name: Node, value: Node, found: ast.expr) -> ast.expr:
    """The value of a variable: a copy of a tensor's numbers or shape if the script changes them in place."""
    binding = c.scopes.bindings.get(name.id)
    if binding is None or not is_changed_in_place(binding):
        return found
    if c.kinds.of(value).fixed:
        return call("list", found)
    given = kids(value)[0] if value.type == "await_expression" else value
    callee = optional(given, "function") if given.type == "call_expression" else None
    is_data = callee is not None and text(callee.child_by_field_name("property")) in ("data", "dataSync")
    return py("_0.copy()", found) if is_data and c.kinds.of(value) == NDARRAY else found


def _owner_of(over: Node) -> Node:
    """x of `x`, `Object.keys(x)` and `x.keys()`."""
    over = bare(over)
    callee = optional(over, "function") if over.type == "call_expression" else None
    if callee is None:
        return over
    given = kids(parse.field(over, "arguments"))
    if text(callee) in OF_OBJECTS and len(given) == 1:
        return bare(given[0])
    is_view = callee.type == "member_expression" and text(parse.field(callee, "property")) in _OF_MAPS
    return parse.field(callee, "object") if is_view and not given else over


def _done(c: Converter, body: Node, seen: set[int]) -> Iterator[Node]:
    """The nodes of a body, and of the functions of the script that it calls."""
    seen.add(body.id)
    for node in parse.walk(body):
        yield node
        callee = optional(node, "function") if node.type == "call_expression" else None
        for function in c.kinds.called(callee) if callee is not None else []:
            if function.type in FUNCTIONS and function.id not in seen:
                yield from _done(c, function, seen)


def _takes_out(owner: Node, node: Node) -> bool:
    """Whether a node removes something from a map or a set; JavaScript also iterates over what is added."""
    callee = optional(node, "function") if node.type == "call_expression" else None
    return callee is not None and _part_of(owner, callee) in ("clear", "delete")


def _changes(owner: Node, node: Node) -> bool:
    """Whether a node adds a key to an object or removes one."""
    if node.type == "unary_expression" and parse.has(node, "delete"):
        return _part_of(owner, parse.field(node, "argument")) != ""
    return node.type == "assignment_expression" and _part_of(owner, parse.field(node, "left")) != ""


def _part_of(owner: Node, node: Node) -> str:
    """The property or item of an expression that a node accesses; empty if none."""
    if text(node.child_by_field_name("object")) != text(owner):
        return ""
    return text(node.child_by_field_name("property") or node.child_by_field_name("index"))


def _is_at_its_key(loop: Node, node: Node) -> bool:
    """Whether an assignment in a loop is to the item of the loop's current key, which exists already."""
    if node.type != "assignment_expression" or not loop.start_byte <= node.start_byte < loop.end_byte:
        return False
    at = optional(parse.field(node, "left"), "index")
    if at is None or at.type != "identifier":
        return False
    head = loop.child_by_field_name("left") or loop.child_by_field_name("arguments")
    return any(n.type == "identifier" and text(n) == text(at) for n in _head(head))


def _head(node: Node | None) -> Iterator[Node]:
    """The declarations of a loop: its variable, or the parameters of the function passed to `forEach`."""
    if node is not None and node.type == "arguments":
        for function in kids(node):
            for parameter in parse.parameters(function):
                yield from parse.walk(parameter)
    elif node is not None:
        yield from parse.walk(node)
