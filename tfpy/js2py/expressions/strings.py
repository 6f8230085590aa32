"""Strings: literals, templates, and expressions within them."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from tfpy.js2py.analysis.kind import BYTES, NDARRAY, STRING
from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.syntax import build
from tfpy.js2py.syntax.build import atom, call, py, string
from tfpy.js2py.syntax.parse import bare, kids, text
from tfpy.js2py.syntax.printing import source


@expression("string")
def text_literal(c: Converter, node: Node) -> ast.expr:
    """A string."""
    return string(unescaped(text(node)[1:-1]))


def unescaped(raw: str) -> str:
    """The text of a string literal, with its escapes replaced."""
    simple = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}

    def one(found: re.Match[str]) -> str:
        said = found[1]
        if said[0] in "ux" and len(said) > 1:
            return chr(int(said[1:].strip("{}"), 16))
        return simple.get(said, said)

    text = re.sub(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.|\n)", one, raw, flags=re.DOTALL)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # joins surrogate pairs


@expression("template_string")
def template(c: Converter, node: Node) -> ast.expr:
    """A template: an f-string, or a plain string if it has no expressions."""
    parts: list[str | ast.expr] = []
    at = node.start_byte + 1
    raw = node.text or b""
    for child in [*kids(node), None]:
        if child is not None and child.type != "template_substitution":
            continue
        end = child.start_byte if child is not None else node.end_byte - 1
        parts.append(unescaped(raw[at - node.start_byte : end - node.start_byte].decode()))
        if child is not None:
            parts.append(shown(c, kids(child)[0]))
            at = child.end_byte
    return joined([part for part in parts if part != ""])


def shown(c: Converter, node: Node) -> ast.expr:
    """An expression as part of a string: lists are shown as in JavaScript, with commas only."""
    node = bare(node)
    kind, found = c.kinds.of(node), c.expr(node)
    if kind == NDARRAY:
        return py('",".join(map(str, _0.tolist()))', found)
    if kind == BYTES:
        return py("_0.decode()", found)
    if kind.name == "list":
        return py('",".join(_0)' if kind.item == STRING else '",".join(map(str, _0))', found)
    if kind.is_dict:
        c.check(node, "JavaScript shows an object in a string as [object Object]")
    return found


def joined(parts: list[str | ast.expr]) -> ast.expr:
    """Strings and expressions as one string."""
    parts = [value if isinstance(p, ast.expr) and (value := build.string_value(p)) is not None else p for p in parts]
    if all(isinstance(part, str) for part in parts):
        return string("".join(part for part in parts if isinstance(part, str)))
    if len(parts) == 1 and isinstance(parts[0], ast.expr):
        only = parts[0]
        return only if is_fstring(only) is not None or _is_string(only) else call("str", only)
    pieces = [p if isinstance(p, str) else _field(p) for p in parts]
    if None in pieces:  # quotes or backslashes that an f-string cannot contain before Python 3.12
        texts = [string(p) if isinstance(p, str) else call("str", p) for p in parts]
        found: ast.expr = texts[0]
        for other in texts[1:]:
            found = py("_0 + _1", found, other)
        return found
    quoted = []
    for part, piece in zip(parts, pieces, strict=True):
        assert piece is not None
        quoted.append(build.escaped(piece).replace("{", "{{").replace("}", "}}") if part is piece else piece)
    return atom(f'f"{"".join(quoted)}"')


def _is_string(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("decode", "join")


def _field(node: ast.expr) -> str | None:
    """An expression within an f-string; None if it cannot be written there."""
    if isinstance(node, ast.Call) and build.name_of(node.func) == "str" and len(node.args) == 1:
        node = node.args[0]
    inner = is_fstring(node)
    if inner is not None:
        return inner
    said = source(node)
    if '"' in said and "'" not in said:
        said = said.replace('"', "'")
    if '"' in said or "\\" in said or "#" in said:
        return None
    if said.startswith("{"):
        said = f" {said}"
    return f"{{({said})}}" if isinstance(node, ast.Lambda) else f"{{{said}}}"


def is_fstring(node: ast.expr) -> str | None:
    """The text between the quotes of an f-string; None for anything else."""
    found = node.id if isinstance(node, ast.Name) else ""
    return found[2:-1] if found.startswith('f"') else None
