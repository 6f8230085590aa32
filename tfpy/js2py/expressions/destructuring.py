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
from tfpy.js2py.expressions.properties import is_cheap, is_get, part_of
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
    if len(kids(pattern)) > 1 and not _may_be_repeated(c, pattern, value):
        parts = atom(c.new_name("parts", pattern))
        found, value = [assign(parts, value)], parts
    for part in kids(pattern):
        if part.type == "rest_pattern":
            test = ast.Tuple([_key_of(c, pattern, kids(p)[0] if kids(p) else p) for p in kids(pattern)[:-1]])
            name = c.expr(kids(part)[0])
            found.append(assign(name, py("{k: v for k, v in _0.items() if k not in _1}", value, test)))
            continue
        found += _take_property(c, pattern, part, value, kind, is_complete)
    return found


def _may_be_repeated(c: Converter, pattern: Node, value: ast.expr) -> bool:
    """Whether a value may be evaluated for each part of a pattern: it is a part of a variable that they do not set."""
    if not isinstance(value, (ast.Name, ast.Attribute, ast.Subscript)) and not is_get(value):
        return False
    bound = {c.scopes.bindings[n.id].python for n in parse.walk(pattern) if n.id in c.scopes.bindings}
    return is_cheap(value) and not any(isinstance(n, ast.Name) and n.id in bound for n in ast.walk(value))


def _key_of(c: Converter, pattern: Node, key: Node) -> ast.expr:
    if key.type == "computed_property_name":
        return c.expr(kids(key)[0])
    return build.string(key_of(c, pattern, text(key).strip("'\"")))


def _take_property(
    c: Converter, pattern: Node, part: Node, value: ast.expr, kind: str, is_complete: bool
) -> list[ast.stmt]:
    key = parse.field(part, "key") if part.type == "pair_pattern" else part
    target, default = default_of(parse.field(part, "value") if part.type == "pair_pattern" else part)
    key, _ = default_of(key)
    name = text(key).strip("'\"")
    is_computed = key.type == "computed_property_name"
    at = _key_of(c, pattern, key)
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
    """`a, b = value`; where names are omitted or have defaults, each is read by its index."""
    places = parse.places(pattern)
    has_defaults = any(part is not None and default_of(part)[1] is not None for part in places)
    if has_defaults or (None in places and parse.is_list_of_names(pattern)):
        return _take_places(c, pattern, value)
    targets: list[ast.expr] = []
    later: list[ast.stmt] = []
    for part in places:
        if part is None:
            targets.append(atom("_"))
            continue
        if part.type == "rest_pattern":
            targets.append(ast.Starred(c.name(kids(part)[0])))
        elif part.type in ("object_pattern", "array_pattern"):
            targets.append(atom(c.new_name("part", pattern)))
            later += take_apart(c, part, targets[-1], DICT.name)
        else:
            targets.append(c.name(part))
    if len(targets) == 1 and not isinstance(targets[0], ast.Starred):
        return [assign(targets[0], py("_0[0]", value)), *later]
    if isinstance(value, ast.List) and len(value.elts) > 1:
        value = ast.Tuple(value.elts)
    if isinstance(value, ast.Attribute) and value.attr == "shape" and not isinstance(targets[-1], ast.Starred):
        value = py(f"_0[:{len(targets)}]", value)  # `[height, width]` of an image omits its channels
    return [assign(ast.Tuple(targets), value), *later]


def _take_places(c: Converter, pattern: Node, value: ast.expr) -> list[ast.stmt]:
    """`a = value[0]` and so on, by index."""
    name = value if isinstance(value, ast.Name) else atom(c.new_name("parts", pattern))
    found: list[ast.stmt] = [] if name is value else [assign(name, value)]
    for at, part in enumerate(parse.places(pattern)):
        if part is None:
            continue
        inner, default = default_of(part)
        form = "_0[_1:]" if inner.type == "rest_pattern" else "_0[_1]"
        taken = py(form, name, atom(str(at)))
        if default is not None:
            taken = py("_0 if len(_1) > _2 else _3", taken, name, atom(str(at)), c.maybe(default))
        found += take_apart(c, kids(inner)[0] if inner.type == "rest_pattern" else inner, taken, DICT.name)
    return found
