"""The kinds of expressions: rules by the type of the expression. Those for calls are in call_kinds.py."""

from __future__ import annotations

import libcst as cst

from tfpy.migrate.kind import (
    UNKNOWN,
    DictOf,
    Function,
    Kind,
    ListOf,
    RecordOf,
    TupleOf,
    dict_of,
    element,
    holds_arrays,
    is_function,
    join,
    text_of,
    value,
)
from tfpy.migrate.kinds import Kinds, kind_of
from tfpy.migrate.legacy_kinds import math_method
from tfpy.migrate.names import dotted

_PROPERTIES = ("property", "cached_property", "functools.cached_property")
# Attributes that only owners of this kind have, and attributes that any object may have.
_ATTRIBUTES: dict[tuple[Kind, str], Kind] = {("graph", "layers"): "layers", ("variable", "node"): "node"}
_OF_ANY: dict[str, Kind] = {"size": "number", "rank": "number", "shape": "shape"}


@kind_of(cst.Name)
def name(kinds: Kinds, node: cst.Name) -> Kind:
    """A variable."""
    if node.value in ("True", "False"):
        return "truth"
    variables = kinds.variables
    label = variables.label(node)
    scope = variables.scope_of(label)
    if scope is None:
        return UNKNOWN if kinds.settled and label in variables.names.others else None
    return variables.known[scope][label]


@kind_of(cst.Integer, cst.Float)
def number(kinds: Kinds, node: cst.CSTNode) -> Kind:
    """A numeric literal."""
    return "number"


@kind_of(cst.UnaryOperation)
def unary(kinds: Kinds, node: cst.UnaryOperation) -> Kind:
    """`not x`, `-x` and the like."""
    return "truth" if isinstance(node.operator, cst.Not) else kinds.of(node.expression)


@kind_of(cst.Comparison)
def comparison(kinds: Kinds, node: cst.Comparison) -> Kind:
    """`a < b` and the like."""
    return "truth"


@kind_of(cst.BinaryOperation)
def binary(kinds: Kinds, node: cst.BinaryOperation) -> Kind:
    """Two numbers, two concatenated lists, or one repeated list."""
    left, right = kinds.of(node.left), kinds.of(node.right)
    if left is not None and not isinstance(left, str) and right in (left, "number"):
        return left
    return "number" if left == right == "number" else None


@kind_of(cst.BooleanOperation)
def choice(kinds: Kinds, node: cst.BooleanOperation) -> Kind:
    """`a or b`, whose value is either of them."""
    return join(kinds.of(node.left), kinds.of(node.right))


@kind_of(cst.IfExp)
def conditional(kinds: Kinds, node: cst.IfExp) -> Kind:
    """`a if … else b`."""
    return join(kinds.of(node.body), kinds.of(node.orelse))


@kind_of(cst.Await)
def awaited(kinds: Kinds, node: cst.Await) -> Kind:
    """The awaited value."""
    return kinds.of(node.expression)


@kind_of(cst.NamedExpr)
def assigned(kinds: Kinds, node: cst.NamedExpr) -> Kind:
    """`(x := value)`."""
    return kinds.of(node.value)


@kind_of(cst.Lambda)
def function(kinds: Kinds, node: cst.Lambda) -> Kind:
    """A lambda."""
    return Function(node)


@kind_of(cst.List, cst.Tuple)
def sequence(kinds: Kinds, node: cst.List | cst.Tuple) -> Kind:
    """A list or a tuple literal; the items of an empty one are still unknown."""
    items = [kinds.of(e.value) for e in node.elements]
    if not items:
        return None
    same = all(item == items[0] for item in items)
    return ListOf(items[0]) if same and isinstance(node, cst.List) else TupleOf(tuple(items))


@kind_of(cst.ListComp, cst.GeneratorExp)
def comprehension(kinds: Kinds, node: cst.ListComp | cst.GeneratorExp) -> Kind:
    """`[f(x) for x in …]`."""
    with kinds.variables.within(node):
        return ListOf(kinds.of(node.elt))


@kind_of(cst.Dict)
def dictionary(kinds: Kinds, node: cst.Dict) -> Kind:
    """A dict literal."""
    return dict_of((text_of(e.key), kinds.of(e.value)) for e in node.elements if isinstance(e, cst.DictElement))


@kind_of(cst.DictComp)
def dict_comprehension(kinds: Kinds, node: cst.DictComp) -> Kind:
    """`{k: f(k) for k in …}`."""
    with kinds.variables.within(node):
        return dict_of([(None, kinds.of(node.value))])


@kind_of(cst.Subscript)
def item(kinds: Kinds, node: cst.Subscript) -> Kind:
    """An item, or a slice, which has the kind of the whole."""
    kind = kinds.of(node.value)
    if len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Slice):
        return kind
    index = index_of(node)
    match kind:
        case "kept":
            return kind
        case DictOf() | RecordOf():
            return value(kind, index)
        case TupleOf(items) if isinstance(index, cst.Integer):
            return items[int(index.value)] if int(index.value) < len(items) else None
    return element(kind)


def index_of(node: cst.Subscript) -> cst.BaseExpression | None:
    """The index in the brackets, if it is one expression."""
    index = node.slice[0].slice if len(node.slice) == 1 else None
    return index.value if isinstance(index, cst.Index) else None


@kind_of(cst.Attribute)
def attribute(kinds: Kinds, node: cst.Attribute) -> Kind:
    """An attribute: of `self`, of an object of the file, or of an object of tfpy.legacy."""
    name = node.attr.value
    if kinds.variables.key(node) is not None and name in kinds.variables.attributes:
        return kinds.variables.attributes[name]
    owner = kinds.of(node.value)
    if owner == "math":
        return math_method(name)
    own = _of_object(kinds, node, owner)
    if own is not None:
        return own
    if isinstance(owner, RecordOf):
        return dict(owner.fields).get(name)
    known = _of_owner(kinds, owner, name)
    if known is None and kinds.settled and (dotted(node) or "").partition(".")[0] in kinds.variables.names.others:
        return UNKNOWN
    return known


def _of_object(kinds: Kinds, node: cst.Attribute, owner: Kind) -> Kind:
    """The attribute of an object of the file, if it matters for rewriting: maths, functions, arrays."""
    name, variables = node.attr.value, kinds.variables
    methods = variables.methods.get(name, [])
    if kinds.may_be_object(node.value, owner):
        found = variables.attributes.get(name)
        for method in filter(_is_property, methods):
            found = join(found, variables.returns.get(method))
        if found == "math" or is_function(found) or holds_arrays(found):
            return found
    if variables.key(node) is not None and len(methods) == 1:
        return Function(methods[0])
    return None


def _of_owner(kinds: Kinds, owner: Kind, name: str) -> Kind:
    """The attribute of a part of a graph, of an array, or of a record of arrays."""
    if owner == "node" and name == "data":
        return kinds.evaluated()
    if owner in ("record", "kept"):
        return "array" if owner == "record" else "kept"
    return _ATTRIBUTES.get((owner, name)) or _OF_ANY.get(name)


def _is_property(method: cst.FunctionDef) -> bool:
    return any(dotted(d.decorator) in _PROPERTIES for d in method.decorators)
