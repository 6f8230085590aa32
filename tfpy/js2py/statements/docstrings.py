"""JSDoc comments as docstrings."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.converter import Converter
from tfpy.js2py.syntax.comments import is_documentation

_TAG = re.compile(r"@(param|arg|returns?)\s+(?:\{[^}]*\}+\s*)?(.*)")


def documented(c: Converter, made: ast.FunctionDef | ast.ClassDef, node: Node) -> None:
    """Turn the JSDoc comment before a def or a class into its docstring."""
    if node.parent is not None and node.parent.type == "export_statement":
        node = node.parent
    before = node.prev_named_sibling
    if before is not None and before.type == "comment" and is_documentation(before):
        said = docstring(c.place(before))
        if said:
            made.body.insert(0, ast.Expr(ast.Constant(said)))


def docstring(lines: list[str]) -> str:
    """The text of a docstring: the description, then the parameters and the result."""
    plain: list[str] = []
    sections: dict[str, list[str]] = {"Args": [], "Returns": []}
    current = plain
    for line in lines:
        found = _TAG.match(line.strip())
        if found is not None:
            current = sections["Returns" if found[1].startswith("return") else "Args"]
            current.append(f"    {_parameter(found[2]) if found[1] in ('param', 'arg') else found[2]}")
        elif line.strip().startswith("@"):
            current = plain
            current.append(line)
        elif current is plain:
            current.append(line)
        elif line.strip():
            current.append(f"        {line.strip()}")
    while plain and not plain[-1].strip():
        plain.pop()
    out = "\n".join(plain)
    for title, section in sections.items():
        if section:
            out += ("\n\n" if out else "") + "\n".join([f"{title}:", *section])
    return out


def _parameter(said: str) -> str:
    name, _, rest = said.partition(" ")
    name = ".".join(names.variable(part) for part in name.strip("[]").partition("=")[0].split("."))
    rest = rest.strip().removeprefix("- ")
    return f"{name}: {rest}" if rest else name
