"""Destructuring patterns of lists and objects, in assignments and as parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.kind import DICT
from tfpy.js2py.analysis.scopes import Binding
from tfpy.js2py.converter import Converter
from tfpy.js2py.expressions.properties import part_of
from tfpy.js2py.expressions.provenance import key_of
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import assign, atom, call, py
from tfpy.js2py.syntax.parse import default_of, kids, text


def is_of_items(pattern: Node) -> bool:
    """Whether a parameter is `{a, b: c}` or `[a, , b]` with names only."""
    if pattern.type != "object_pattern":
        return parse.is_list_of_names(pattern)
    return all(
        part.type == "shorthand_property_identifier_pattern"
        or (part.type == "pair_pattern" and parse.field(part, "value").type == "identifier")
        for part in kids(pattern)
    )


@contextmanager
def as_items(c: Converter, patterns: list[Node]) -> Iterator[dict[int, str]]:
    """Replace the names in parameters such as `{a, b}` by items of one variable, named by the id of the pattern."""
    named: dict[int, str] = {}
    saved: dict[Binding, str] = {}
    for pattern in patterns:
        if not is_of_items(pattern):
            continue
        named[pattern.id] = c.new_name("item", pattern)
        for key, target in _keys(c, pattern):
            binding = c.scopes.bindings[target.id]
            saved[binding], binding.python = binding.python, f"{named[pattern.id]}{key}"
    try:
        yield named
    finally:
        for binding, name in saved.items():
            binding.python = name


def _keys(c: Converter, pattern: Node) -> list[tuple[str, Node]]:
    """The subscript of each name in a pattern, as Python writes it after the object."""
    if pattern.type == "array_pattern":
        return [(f"[{at}]", part) for at, part in enumerate(parse.places(pattern)) if part is not None]
    found = []
    for key, target in parts_of(pattern):
        at = build.string(key_of(c, pattern, key)).id
        found.append((f".get({at})" if c.kinds.lacks(pattern, key) else f"[{at}]", target))
    return found


def parts_of(pattern: Node) -> list[tuple[str, Node]]:
    """The keys in a pattern `{a, b: c}` of names, and the names of their values."""
    parts = [(parse.field(p, "key"), parse.field(p, "value")) if kids(p) else (p, p) for p in kids(pattern)]
    return [(text(key), target) for key, target in parts]


def take_apart(
    c: Converter, pattern: Node, value: ast.expr, kind: str = "", is_complete: bool = True
) -> list[ast.stmt]:
    """The assignments of a pattern: `[a, b]` or `{a, b}`.

    Args:
        c: the converter.
        pattern: the pattern.
        value: the destructured value.
        kind: "dict", or empty for an object with attributes.
        is_complete: whether the keys are present, unless the script says otherwise.
    """
    if pattern.type == "array_pattern":
        return _take_list(c, pattern, value)
    if pattern.type != "object_pattern":
        return [assign(c.expr(pattern), value)]
    found: list[ast.stmt] = []
    for part in kids(pattern):
        if part.type == "rest_pattern":
            test = ast.Tuple([_key_of(c, kids(p)[0] if kids(p) else p) for p in kids(pattern)[:-1]])
            name = c.expr(kids(part)[0])
            found.append(assign(name, py("{k: v for k, v in _0.items() if k not in _1}", value, test)))
            continue
        found += _take_property(c, pattern, part, value, kind, is_complete)
    return found


def _key_of(c: Converter, key: Node) -> ast.expr:
    return c.expr(kids(key)[0]) if key.type == "computed_property_name" else build.string(text(key).strip("'\""))


def _take_property(
    c: Converter, pattern: Node, part: Node, value: ast.expr, kind: str, is_complete: bool
) -> list[ast.stmt]:
    key = parse.field(part, "key") if part.type == "pair_pattern" else part
    target, default = default_of(parse.field(part, "value") if part.type == "pair_pattern" else part)
    key, _ = default_of(key)
    name = text(key).strip("'\"")
    is_computed = key.type == "computed_property_name"
    at = _key_of(c, key) if is_computed else build.string(key_of(c, pattern, name))
    found: ast.expr
    of_tfpy = part_of(value, name) if default is None and not is_computed else None
    if of_tfpy is not None:
        found = of_tfpy
    elif kind == DICT.name or is_computed:
        found = ast.Subscript(value, at)
        if default is not None:
            found = py("_0.get(_1, _2)", value, at, c.expr(default))
        elif not is_complete or c.kinds.lacks(pattern, name):
            found = py("_0.get(_1)", value, at)
    elif default is not None:
        raise NotConvertedError("a default in a destructuring pattern has no counterpart here")
    elif name == "length":
        found = call("len", value)
    else:
        found = ast.Attribute(value, names.attribute(name))
    if target.type in ("object_pattern", "array_pattern"):
        return take_apart(c, target, found, DICT.name)
    return [assign(c.name(target), found)]


def _take_list(c: Converter, pattern: Node, value: ast.expr) -> list[ast.stmt]:
    """`a, b = value`; where names are omitted, each is read by its index."""
    if None in parse.places(pattern) and parse.is_list_of_names(pattern):
        name = value if isinstance(value, ast.Name) else atom(c.new_name("parts", pattern))
        parts = [(at, part) for at, part in enumerate(parse.places(pattern)) if part is not None]
        taken = [assign(c.name(part), py(f"_0[{at}]", name)) for at, part in parts]
        return taken if name is value else [assign(name, value), *taken]
    targets: list[ast.expr] = []
    later: list[ast.stmt] = []
    for part in parse.places(pattern):
        if part is None:
            targets.append(atom("_"))
            continue
        inner, default = default_of(part)
        if default is not None:
            raise NotConvertedError("a default in a destructured list has no counterpart")
        if inner.type == "rest_pattern":
            targets.append(ast.Starred(c.name(kids(inner)[0])))
        elif inner.type in ("object_pattern", "array_pattern"):
            targets.append(atom(c.new_name("part", pattern)))
            later += take_apart(c, inner, targets[-1], DICT.name)
        else:
            targets.append(c.name(inner))
    if len(targets) == 1 and not isinstance(targets[0], ast.Starred):
        return [assign(targets[0], py("_0[0]", value)), *later]
    if isinstance(value, ast.List) and len(value.elts) > 1:
        value = ast.Tuple(value.elts)
    if isinstance(value, ast.Attribute) and value.attr == "shape" and not isinstance(targets[-1], ast.Starred):
        value = py(f"_0[:{len(targets)}]", value)  # `[height, width]` of an image omits its channels
    return [assign(ast.Tuple(targets), value), *later]
