"""Jumps: `break` and `continue`, with and without labels."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tree_sitter import Node

from tfpy.js2py.converter import Converter, statement
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import kids, text


@statement("break_statement", "continue_statement")
def jump(c: Converter, node: Node) -> list[ast.stmt]:
    """`break` and `continue`; one that leaves two loops is marked, and `labelled` handles the outer one."""
    word, label = node.type.partition("_")[0], text(kids(node)[0]) if kids(node) else ""
    if label and not _is_of_this_loop(node, label):
        made = ast.Break()
        vars(made)["jump"] = (word, label)
        return [made]
    return [ast.Break()] if word == "break" else [*c.steps, ast.Continue()]


def _is_of_this_loop(node: Node, label: str) -> bool:
    """Whether a label belongs to the innermost loop around a jump."""
    loop = node.parent
    while loop is not None and loop.type not in parse.LOOPS:
        loop = loop.parent
    owner = loop.parent if loop is not None else None
    return owner is not None and owner.type == "labeled_statement" and text(parse.field(owner, "label")) == label


@statement("labeled_statement")
def labelled(c: Converter, node: Node) -> list[ast.stmt]:
    """A loop with a label: a jump to it ends the inner loop, whose `else` has the statements for the other case."""
    label, loop, noted = text(parse.field(node, "label")), parse.field(node, "body"), len(c.notes)
    found = c.statement(loop)
    jumps = [n for s in found for n in ast.walk(s) if vars(n).get("jump", ("", ""))[1] == label]
    if not jumps:
        return found
    words = {vars(jump)["jump"][0] for jump in jumps}
    outer = found[-1]
    if isinstance(outer, ast.While) and loop.type != "while_statement":
        inside = []  # a `for` with its step at the end of its body, which a jump would skip
    else:
        inside = [s for s in _body(outer) if any(n in jumps for n in ast.walk(s))]
    if len(words) > 1 or len(inside) != 1 or not _ends_by_jumps(inside[0], jumps):
        del c.notes[noted:]
        raise NotConvertedError("a jump to a label that is not a plain loop around this one has no counterpart")
    inner = inside[0]
    assert isinstance(inner, (ast.For, ast.While))
    assert isinstance(outer, (ast.For, ast.While))
    at = outer.body.index(inner)
    rest = outer.body[at + 1 :]
    leaves = words == {"break"}
    inner.orelse = [*rest, ast.Continue()] if leaves else rest
    outer.body = [*outer.body[: at + 1], *([ast.Break()] if leaves else [])]
    return found


def _body(loop: ast.stmt) -> list[ast.stmt]:
    return loop.body if isinstance(loop, (ast.For, ast.While)) else []


def _ends_by_jumps(loop: ast.stmt, jumps: list[ast.AST]) -> bool:
    """Whether a loop ends early by these jumps alone, which are all in it and in no inner loop."""
    if not isinstance(loop, (ast.For, ast.While)):
        return False
    own = {id(n) for s in loop.body for n in _own(s) if isinstance(n, ast.Break)}
    return own == {id(jump) for jump in jumps}


def _own(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, (ast.For, ast.While, ast.FunctionDef)):
        for child in ast.iter_child_nodes(node):
            yield from _own(child)
