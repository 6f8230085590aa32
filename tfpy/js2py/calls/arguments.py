"""The arguments of calls: of the script's own functions, of templates, and tfpy's options as keywords."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.converter import Converter
from tfpy.js2py.expressions.literals import element, entry, with_comments
from tfpy.js2py.names import Options
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build
from tfpy.js2py.syntax.build import call, holes, py


def given(c: Converter, arguments: Node) -> list[ast.expr]:
    """The arguments of a call of something that the script defines."""
    return [element(c, *part) for part in with_comments(c, arguments)]


def fitting(templates: Sequence[str], parts: Sequence[ast.expr], name: str) -> ast.expr:
    """The template for this number of arguments."""
    if any(isinstance(part, ast.Starred) for part in parts):
        raise NotConvertedError(f"{name} with `...` has no counterpart")
    for template in templates:
        if holes(template) == len(parts):
            return py(template, *parts)
    raise NotConvertedError(f"{name} with {len(parts)} arguments has no counterpart")


def with_options(c: Converter, function: ast.expr, arguments: Node, options: Options | None) -> ast.expr:
    """A call whose last argument becomes keywords, if it is an object literal at the position of the options."""
    args: list[ast.expr] = []
    keywords: list[ast.keyword] = []
    parts = with_comments(c, arguments)
    for at, (node, before, behind) in enumerate(parts):
        if options is not None and node.type == "object" and at == options.at == len(parts) - 1:
            keywords = _keywords(c, node, options)
            if before and keywords:
                build.put_before(keywords[0], before)
        else:
            args.append(element(c, node, before, behind))
    return call(function, *args, keywords=keywords)


def _keywords(c: Converter, node: Node, options: Options) -> list[ast.keyword]:
    keywords = []
    for child, before, behind in with_comments(c, node):
        key, value = entry(c, child)
        name = build.string_value(key) if key is not None else None
        if name == "callbacks" and isinstance(value, ast.Dict):
            value.keys = [_respelled(key) for key in value.keys]
        if key is not None and (name is None or not name.isidentifier()):
            raise NotConvertedError("an option whose name is computed has no counterpart")
        keyword = ast.keyword(None if name is None else options.names.get(name) or names.attribute(name), value)
        if before:
            build.put_before(keyword, before)
        if behind:
            build.put_behind(keyword, behind)
        keywords.append(keyword)
    return keywords


def _respelled(key: ast.expr | None) -> ast.expr | None:
    """The Python name of a callback, for use as a key."""
    name = build.string_value(key) if key is not None else None
    return build.string(names.attributes()[name]) if name in names.attributes() else key
