"""The kinds of expressions: the rules of inference, by the type of the expression."""

from __future__ import annotations

from dataclasses import replace

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis import builtin_kinds
from tfpy.js2py.analysis.inference import Inference, kind_of
from tfpy.js2py.analysis.kind import (
    BOOL,
    INDEX,
    LIST,
    NDARRAY,
    NULL,
    NUMBER,
    NUMBERS,
    PARSER,
    STRING,
    TYPED_ARRAYS,
    UNKNOWN,
    Kind,
    joined,
    map_of,
)
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import kids, text


@kind_of("number")
def number(kinds: Inference, node: Node) -> Kind:
    """An integer, which may be an index, or any other number."""
    return INDEX if text(node).isdigit() else NUMBER


@kind_of("array")
def array(kinds: Inference, node: Node) -> Kind:
    """A list, with the common kind of its items."""
    items = [kinds.item_of(kids(kid)[0]) if kid.type == "spread_element" else kinds.of(kid) for kid in kids(node)]
    found = joined(items)
    is_tuple = found == UNKNOWN and not any(kid.type == "spread_element" for kid in kids(node))
    return Kind("list", found, parts=tuple(items) if is_tuple else ()) if items else LIST


@kind_of("identifier", "shorthand_property_identifier")
def identifier(kinds: Inference, node: Node) -> Kind:
    """A variable, or one of JavaScript's own names."""
    binding = kinds.scopes.resolve(node)
    if binding is not None:
        return kinds.of_binding(binding)
    return {"undefined": NULL, "NaN": NUMBER, "Infinity": NUMBER}.get(text(node), UNKNOWN)


@kind_of("this")
def this(kinds: Inference, node: Node) -> Kind:
    """An instance of the class around it."""
    return kinds.types.instance(node)


@kind_of("unary_expression")
def unary(kinds: Inference, node: Node) -> Kind:
    """`!`, `-`, `typeof` and the like."""
    sign = text(node.child_by_field_name("operator"))
    return {"!": BOOL, "typeof": STRING, "void": NULL, "delete": BOOL}.get(sign, NUMBER)


@kind_of("binary_expression")
def binary(kinds: Inference, node: Node) -> Kind:
    """Two operands: `+` concatenates strings and adds numbers."""
    left, right = kinds.of(parse.field(node, "left")), kinds.of(parse.field(node, "right"))
    sign = text(node.child_by_field_name("operator"))
    if parse.initializes(node):
        return right
    if sign in ("&&", "||", "??"):
        return joined([left, right])
    if sign == "+":
        if STRING in (left, right):
            return STRING
        return joined([left, right]) if left in NUMBERS and right in NUMBERS else UNKNOWN
    if sign == "|" and text(parse.field(node, "right")) == "0":
        return INDEX if is_index(kinds, parse.field(node, "left")) else NUMBER
    if sign in ("*", "%", ">>", "&", "|", "**"):
        return INDEX if left == INDEX and right == INDEX else NUMBER
    return NUMBER if sign in ("-", "/", "<<", "^", ">>>") else BOOL


def is_index(kinds: Inference, node: Node | None) -> bool:
    """Whether a truncated number may be an index."""
    if node is None:
        return False
    if node.type == "binary_expression" and text(node.child_by_field_name("operator")) in ("*", "/", "+"):
        return is_index(kinds, parse.field(node, "left")) and is_index(kinds, parse.field(node, "right"))
    return kinds.of(node) == INDEX or text(node) == "Math.random()"


@kind_of("ternary_expression")
def ternary(kinds: Inference, node: Node) -> Kind:
    """The common kind of both branches."""
    return joined([kinds.of(parse.field(node, "consequence")), kinds.of(parse.field(node, "alternative"))])


@kind_of("augmented_assignment_expression")
def augmented(kinds: Inference, node: Node) -> Kind:
    """The kind of the new value, if that is the assigned one."""
    return kinds.of(parse.field(node, "right")) if parse.initializes(node) else UNKNOWN


@kind_of("assignment_expression")
def assignment(kinds: Inference, node: Node) -> Kind:
    """The kind of the assigned value."""
    return kinds.of(parse.field(node, "right"))


@kind_of("await_expression")
def awaited(kinds: Inference, node: Node) -> Kind:
    """The kind of the awaited value, which is ready immediately here."""
    return kinds.of(kids(node)[0])


@kind_of("member_expression")
def member(kinds: Inference, node: Node) -> Kind:
    """A property, or an export of another file."""
    binding = kinds.scopes.resolve(node)
    if binding is not None:
        return kinds.of_binding(binding)
    return kinds.of_member(parse.field(node, "object"), text(parse.field(node, "property")))


@kind_of("subscript_expression")
def subscript(kinds: Inference, node: Node) -> Kind:
    """An item of a list, a dict or a string."""
    owner, at = parse.field(node, "object"), parse.field(node, "index")
    kind, place = kinds.of(owner), text(at)
    if kind.is_dict and at.type == "string":
        return kinds.of_member(owner, place[1:-1])
    if kind.is_dict:
        return kinds.value_of(owner)
    known = place.isdigit() and int(place) < len(kind.parts)
    return kind.parts[int(place)] if known else kinds.item_of(owner)


@kind_of("method_definition")
def getter(kinds: Inference, node: Node) -> Kind:
    """The kind of a getter's value, which is read as an attribute."""
    return kinds.result_of(node) if parse.has(node, "get") else UNKNOWN


@kind_of("new_expression")
def new(kinds: Inference, node: Node) -> Kind:
    """An instance of a class of tfpy, of JavaScript or of the script."""
    name, given = text(parse.field(node, "constructor")), node.child_by_field_name("type_arguments")
    if name in TYPED_ARRAYS:
        return NDARRAY
    if name.rpartition(".")[2] == "ArgumentParser" and name not in kinds.members.classes:
        return PARSER
    path = kinds.path_to(parse.field(node, "constructor"))
    if path[:1] == ["tf"] and path[-1] in names.classes():
        return Kind(path[-1])
    binding = kinds.scopes.resolve(parse.field(node, "constructor"))
    if given is not None:
        return kinds.types.named(binding.name if binding is not None else name, kinds.types.listed(given))
    return Kind(f".{binding.name}") if binding is not None else _built_in(kinds, name, node)


def _built_in(kinds: Inference, name: str, node: Node) -> Kind:
    """An instance of a class of JavaScript, with the items that a set or a map is made from."""
    found, listed = builtin_kinds.NEW.get(name, UNKNOWN), node.child_by_field_name("arguments")
    item = kinds.item_of(kids(listed)[0]) if listed is not None and kids(listed) else UNKNOWN
    if found.name == "map" and len(item.parts) == 2:
        return map_of(*item.parts)
    return replace(found, item=item) if found.name == "set" and item != UNKNOWN else found
