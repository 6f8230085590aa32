"""The kinds that TypeScript's types give to expressions by where they stand, and the arguments of generic functions."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import replace
from typing import TYPE_CHECKING

from tree_sitter import Node

from tfpy.js2py.analysis.kind import UNKNOWN, Kind, filled, joined, matched
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import FUNCTIONS, bare, kids, optional, text
from tfpy.node_rules import NodeRules

if TYPE_CHECKING:
    from tfpy.js2py.analysis.inference import Inference

# The expected kind of a node, by the type of its parent.
expected_rule: NodeRules[str, Callable[[Inference, Node, Node], Kind]] = NodeRules()


def expected(kinds: Inference, node: Node) -> Kind:
    """The kind that an expression must have."""
    parent = node.parent
    rule = expected_rule.get(parent.type) if parent is not None else None
    return rule(kinds, node, parent) if rule is not None and parent is not None else UNKNOWN


def type_arguments(kinds: Inference, call: Node, without: Container[str] = ()) -> dict[str, Kind]:
    """What the type parameters of the called function are: as the call says, or according to its arguments.

    Args:
        kinds: the kinds of expressions.
        call: the call.
        without: types of the nodes of arguments that are left out.
    """
    listed, found = call.child_by_field_name("type_arguments"), dict[str, Kind]()
    for function in _called(kinds, call):
        if listed is not None:
            found |= kinds.types.given(function, kinds.types.listed(listed))
        elif function.child_by_field_name("type_parameters") is not None:
            parameters, given = parse.parameters(function), kids(parse.field(call, "arguments"))
            for parameter, argument in zip(parameters, given, strict=False):
                if argument.type not in without:
                    found |= matched(kinds.declared(parse.default_of(parameter)[0]), _given(kinds, argument))
    return found


def _called(kinds: Inference, call: Node) -> list[Node]:
    callee = optional(call, "function")
    return [f for f in (kinds.called(callee) if callee is not None else []) if f.type in FUNCTIONS]


def _given(kinds: Inference, argument: Node) -> Kind:
    """The kind of an argument; that of a function has the kind of its result."""
    kind = kinds.of(argument)
    return replace(kind, item=kinds.result_of(argument)) if bare(argument).type in FUNCTIONS else kind


@expected_rule("variable_declarator", "public_field_definition", "required_parameter", "optional_parameter")
def _declared(kinds: Inference, node: Node, parent: Node) -> Kind:
    return kinds.types.of(parent.child_by_field_name("type"))


@expected_rule("arguments")
def _argument(kinds: Inference, node: Node, parent: Node) -> Kind:
    if parent.parent is None:
        return UNKNOWN
    at = kids(parent).index(node)
    given = [p for f in _called(kinds, parent.parent) for p in parse.parameters(f)[at : at + 1]]
    found = joined([kinds.declared(parse.default_of(parameter)[0]) for parameter in given])
    return filled(found, type_arguments(kinds, parent.parent, FUNCTIONS))


@expected_rule("object")
def _method(kinds: Inference, node: Node, parent: Node) -> Kind:
    """A method of an object."""
    return kinds.types.kind_of_key(expected(kinds, parent), text(node.child_by_field_name("name")))


@expected_rule("pair")
def _value(kinds: Inference, node: Node, parent: Node) -> Kind:
    owner = expected(kinds, parent.parent) if parent.parent is not None else UNKNOWN
    return kinds.types.kind_of_key(owner, text(parent.child_by_field_name("key")).strip("'\""))


@expected_rule("array")
def _item(kinds: Inference, node: Node, parent: Node) -> Kind:
    return expected(kinds, parent).item or UNKNOWN


@expected_rule("return_statement", "arrow_function")
def _result(kinds: Inference, node: Node, parent: Node) -> Kind:
    function = parent if parent.type in FUNCTIONS else parse.function_around(parent)
    return kinds.types.of(function.child_by_field_name("return_type")) if function is not None else UNKNOWN
