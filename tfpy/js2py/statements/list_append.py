"""Lists that grow by assignment to the index after their last item, which in Python is `append`."""

from __future__ import annotations

import re

from tree_sitter import Node

from tfpy.js2py.converter import Converter
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import kids, optional, text

# Methods of lists that change their length.
GROWING = {"push", "pop", "shift", "unshift", "splice"}
_EMPTY = {"[]", "new Array()", "Array()"}


def is_append(c: Converter, left: Node) -> bool:
    """Whether an assignment to an item appends to a list: `xs[xs.length] = x`, or step by step in a loop."""
    owner, at = parse.field(left, "object"), parse.field(left, "index")
    if text(at) == f"{text(owner)}.length":
        return c.kinds.of(owner).name == "list"
    loop = _loop_of(left)
    return (
        loop is not None and _counts_from_zero(c, loop, at) and _is_empty_before(loop, owner) and _is_alone(loop, left)
    )


def _loop_of(left: Node) -> Node | None:
    """The `for` loop that makes an assignment unconditionally in each step."""
    statement = left.parent.parent if left.parent is not None else None
    if statement is None or statement.type != "expression_statement":
        return None
    body = (
        statement.parent if statement.parent is not None and statement.parent.type == "statement_block" else statement
    )
    loop = body.parent
    if loop is None or loop.type != "for_statement" or parse.field(loop, "body") != body:
        return None
    return None if any(n.type == "continue_statement" for n in parse.walk_own(body)) else loop


def _counts_from_zero(c: Converter, loop: Node, at: Node) -> bool:
    """Whether an index counts from 0 in steps of one: `i` of a loop from 0, `i - 1` of one from 1."""
    start = "0"
    if at.type == "binary_expression" and parse.has(at, "-"):
        at, start = parse.field(at, "left"), text(parse.field(at, "right"))
    initializer, increment = optional(loop, "initializer"), optional(loop, "increment")
    binding = c.scopes.bindings.get(at.id)
    if binding is None or initializer is None or increment is None or len(binding.writes) != 1:
        return False
    steps = increment.type == "update_expression" and parse.has(increment, "++")
    return steps and binding.node.parent in kids(initializer) and text(binding.value) == start


def _is_empty_before(loop: Node, owner: Node) -> bool:
    """Whether a list is created empty in the block of a loop, and not used between there and the loop."""
    name = re.compile(rf"(?<![\w.]){re.escape(text(owner))}(?!\w)")
    before = loop.prev_named_sibling
    while before is not None and not name.search(text(before)):
        before = before.prev_named_sibling
    if before is None:
        return False
    made = kids(before)[0] if before.type == "expression_statement" else None
    pairs = [(made, "left", "right")] if made is not None else [(kid, "name", "value") for kid in kids(before)]
    return any(
        text(node.child_by_field_name(target)) == text(owner) and text(node.child_by_field_name(value)) in _EMPTY
        for node, target, value in pairs
    )


def _is_alone(loop: Node, left: Node) -> bool:
    """Whether nothing else in a loop sets items of a list or changes its length."""
    name = text(parse.field(left, "object"))
    for node in parse.walk(parse.field(loop, "body")):
        is_call = node.type == "member_expression" and text(parse.field(node, "property")) in GROWING
        if is_call and text(parse.field(node, "object")) == name:
            return False
        if node.type == "assignment_expression" and node != left.parent:
            target = parse.field(node, "left")
            if name in (text(target), text(target.child_by_field_name("object"))):
                return False
    return True
