"""Regular expressions that Python reads the same way."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import atom, py
from tfpy.js2py.syntax.parse import text

# Regular expressions that Python reads the same way: no lookbehind, named groups or Unicode properties.
_SIMPLE_PATTERN = re.compile(r"(?!.*\(\?[<P])(?!.*\\[pPkuc]).*")


@expression("regex")
def regex(c: Converter, node: Node) -> ast.expr:
    """A regular expression as a value."""
    return py("re.compile(_0)", pattern(node))


def pattern(node: Node) -> ast.expr:
    """A regular expression as a string, if Python reads it the same way."""
    said, flags = text(parse.field(node, "pattern")), text(node.child_by_field_name("flags"))
    if not _SIMPLE_PATTERN.fullmatch(said) or set(flags) - {"g", "i", "m"}:
        raise NotConvertedError("this regular expression has no counterpart; see Python's re")
    inline = "".join(flag for flag in flags if flag in "im") + "a"
    if "m" not in flags:  # the end of the text, but not an escaped dollar or one in brackets
        said = re.sub(r"(\\.|\[(?:\\.|[^\]\\])*\])|\$", lambda found: found[1] or r"\Z", said)
    said = said.replace("\\/", "/")
    said = f"(?{inline}){said}" if re.search(r"\\[dwsDWSb]", said) or len(inline) > 1 else said
    return atom(f'r"{said}"' if '"' not in said else f"r'''{said}'''")
