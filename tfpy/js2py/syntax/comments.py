"""Comments of a script: their lines, the declarations that they document, and source code as a comment."""

from __future__ import annotations

from tree_sitter import Node

from tfpy.js2py.syntax.parse import FUNCTIONS, kids, text


def is_documentation(node: Node) -> bool:
    """Whether a comment documents the function or class after it."""
    following = node.next_named_sibling
    if not text(node).startswith("/**") or following is None or following.type == "comment":
        return False
    if following.type == "export_statement":
        following = following.child_by_field_name("declaration") or following
    if following.type in ("lexical_declaration", "variable_declaration"):
        values = [n.child_by_field_name("value") for n in kids(following)]
        return any(v is not None and v.type in FUNCTIONS for v in values)
    return following.type in FUNCTIONS or following.type == "class_declaration"


def comment_lines(node: Node) -> list[str]:
    """The lines of a comment without its markers."""
    said = text(node)
    if said.startswith("//"):
        return [said[2:].removeprefix(" ").rstrip()]
    if said.startswith("#!"):
        return []
    lines = [line.strip().removeprefix("*").removeprefix(" ").rstrip() for line in said[2:-2].strip("*").split("\n")]
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    return [line.strip() if len(lines) == 1 else line for line in lines]


def dedented(node: Node) -> list[str]:
    """The source of a node, with its lines dedented to the first."""
    lines = text(node).expandtabs(2).split("\n")
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    shift = min(indents, default=0)
    return [lines[0], *(line[min(shift, len(line) - len(line.lstrip())) :] for line in lines[1:])]
