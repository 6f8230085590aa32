"""Literals: numbers, lists, objects, and iteration over items."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from tfpy.js2py.analysis.kind import NDARRAY, NUMBERS
from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.expressions.conditions import truth
from tfpy.js2py.expressions.functions import reference
from tfpy.js2py.expressions.properties import NUMBERS_AS_KEYS
from tfpy.js2py.expressions.strings import unescaped
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, py, string
from tfpy.js2py.syntax.parse import bare, kids, text


@expression("number")
def number(c: Converter, node: Node) -> ast.expr:
    """A number, written as in the script if Python reads it the same way."""
    raw = text(node).lower().removesuffix("n")
    if re.fullmatch(r"0[0-7]+", raw):
        return atom(f"0o{raw[1:]}")
    if re.fullmatch(r"[\d_]*\.?\d*e\+?\d+", raw) and float(raw).is_integer() and float(raw) < 1e15:
        return atom(str(int(float(raw))))
    raw = re.sub(r"^\.", "0.", raw)
    return atom(re.sub(r"\.($|e)", r".0\1", raw))


@expression("true", "false", "null", "undefined")
def literal(c: Converter, node: Node) -> ast.expr:
    """True, False and None."""
    return atom({"true": "True", "false": "False"}.get(node.type, "None"))


@expression("array")
def array(c: Converter, node: Node) -> ast.expr:
    """A list; `[...Array(n).keys()]` is a range."""
    items = elements(c, node)
    if len(items) == 1 and isinstance(items[0], ast.Starred):
        return as_list(items[0].value)
    return ast.List(items)


def as_list(items: ast.expr) -> ast.expr:
    """A list of the items of an iterable; those of a numpy array are a list already."""
    made = isinstance(items, ast.Call) and isinstance(items.func, ast.Attribute) and items.func.attr == "tolist"
    return items if made else py("list(_0)", items)


def elements(c: Converter, node: Node) -> list[ast.expr]:
    """The items of a list or the arguments of a call, with the comments among them."""
    return [found for child in with_comments(c, node) for found in [element(c, child[0], child[1], child[2])]]


def with_comments(c: Converter, node: Node) -> list[tuple[Node, list[str], str]]:
    """The children of a node, each with the comment lines before it and the comment after it."""
    found: list[tuple[Node, list[str], str]] = []
    waiting: list[str] = []
    for child in node.named_children:
        if child.type != "comment":
            found.append((child, waiting, ""))
            waiting = []
        elif found and found[-1][0].end_point.row == child.start_point.row:
            found[-1] = (*found[-1][:2], " ".join(c.place(child)))
        else:
            waiting = waiting + c.place(child)
    if waiting and found:
        found[-1] = (*found[-1][:2], " ".join([found[-1][2], *waiting]).strip())
    return found


def element(c: Converter, node: Node, before: list[str], behind: str) -> ast.expr:
    """An item with its comments."""
    if node.type == "spread_element":
        found: ast.expr = spread(c, node)
    else:
        found = c.expr(node)
    if before:
        build.put_before(found, before)
    if behind:
        build.put_behind(found, behind)
    return found


@expression("object")
def mapping(c: Converter, node: Node) -> ast.expr:
    """A dict; its keys are unchanged."""
    keys: list[ast.expr | None] = []
    values: list[ast.expr] = []
    for child, before, behind in with_comments(c, node):
        key, value = entry(c, child)
        if before:
            build.put_before(value, before)
        if behind:
            build.put_behind(value, behind)
        keys.append(key)
        values.append(value)
    return ast.Dict(keys, values)


def entry(c: Converter, node: Node) -> tuple[ast.expr | None, ast.expr]:
    """Key and value of an entry of an object; a spread has no key."""
    if node.type == "spread_element":
        return None, _spread_object(c, bare(kids(node)[0]))
    if node.type == "shorthand_property_identifier":
        return string(text(node)), c.expr(node)
    if node.type == "method_definition":
        if parse.has(node, "get") or parse.has(node, "set"):
            raise NotConvertedError("a plain object with getters or setters has no counterpart; write a class")
        key = text(parse.field(node, "name"))
        return string(key), reference(c, node, key)
    key_node, value = parse.field(node, "key"), parse.field(node, "value")
    if key_node.type == "computed_property_name":
        if c.kinds.of(kids(key_node)[0]) in NUMBERS:
            c.check(node.parent or node, NUMBERS_AS_KEYS)
        return c.expr(kids(key_node)[0]), c.expr(value)
    if key_node.type == "number":
        c.check(node.parent or node, NUMBERS_AS_KEYS)
        return c.expr(key_node), c.expr(value)
    key = text(key_node) if key_node.type == "property_identifier" else unescaped(text(key_node)[1:-1])
    return string(key), reference(c, value, key) if value.type in parse.FUNCTIONS else c.expr(value)


def _spread_object(c: Converter, node: Node) -> ast.expr:
    """The entries that `...` adds to an object; `...(a && {b})` adds none if a is false."""
    if node.type != "binary_expression" or not parse.has(node, "&&"):
        return c.expr(node)
    test = truth(c, parse.field(node, "left"))
    return py("_0 if _1 else {}", c.maybe(parse.field(node, "right")), test)


@expression("spread_element")
def spread(c: Converter, node: Node) -> ast.expr:
    """`*items` within a call or a list."""
    return ast.Starred(build.unlisted(iterated(c, kids(node)[0])))


def iterated(c: Converter, node: Node) -> ast.expr:
    """The items of an expression in JavaScript's order: the pairs of a map, a set in insertion order.

    Those of numpy arrays become Python numbers, since arithmetic with numpy's own wraps around and rounds.
    """
    node = bare(node)
    kind = c.kinds.of(node)
    if kind.name == "map":
        return py("_0.items()", c.expr(node))
    if kind == NDARRAY:
        return py("_0.tolist()", c.expr(node))
    if kind.name == "set" and node.type == "new_expression" and len(kids(parse.field(node, "arguments"))) == 1:
        return py("dict.fromkeys(_0)", iterated(c, kids(parse.field(node, "arguments"))[0]))
    if kind.name == "set":
        c.check(node, "sets are unordered in Python; in JavaScript they keep the order of insertion")
    return c.expr(node)
