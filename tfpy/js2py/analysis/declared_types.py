"""The types of expressions that TypeScript declares, in its syntax: `Part`, `MaxHeap<Part>`, `number[]`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tree_sitter import Node

from tfpy.js2py.analysis.members import class_around
from tfpy.js2py.analysis.scopes import Binding
from tfpy.js2py.analysis.uses import TAKES_ITEMS
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import FUNCTIONS, PARAMETERS, bare, kids, text

if TYPE_CHECKING:
    from tfpy.js2py.analysis.inference import Inference

_GENERIC = re.compile(r"(\w+)<(.*)>")


class DeclaredTypes:
    """The object types that a script declares, and the declared types of its variables and functions.

    Attributes:
        objects: names of types of plain objects: interfaces and aliases that have no methods, and that no class
            implements.
    """

    def __init__(self, kinds: Inference, root: Node) -> None:
        self._kinds = kinds
        self._keys: dict[str, dict[str, str]] = {}
        self._pending: set[Binding] = set()
        implemented: set[str] = set()
        for node in parse.walk(root):
            body = _body_of(node)
            if node.type == "implements_clause":
                implemented |= {text(kid) for kid in kids(node)}
            elif body is not None and any(kid.type == "method_signature" for kid in kids(body)):
                implemented.add(text(node.child_by_field_name("name")))
            elif body is not None:
                self._keys[text(node.child_by_field_name("name"))] = _keys_in(body)
            elif node.type == "object_type":  # the name of an inline object type is its text
                self._keys[text(node)] = _keys_in(node)
        self.objects = self._keys.keys() - implemented

    def include(self, other: DeclaredTypes) -> None:
        """Add the types of another file."""
        self._keys = other._keys | self._keys
        self.objects |= other.objects

    def of(self, node: Node) -> str:
        """The declared type of an expression; empty if there is none."""
        node = bare(node)
        if node.type == "member_expression":
            owner = self.of(parse.field(node, "object"))
            return self._keys.get(owner, {}).get(text(parse.field(node, "property")), "")
        if node.type == "subscript_expression":
            return _item(self.of(parse.field(node, "object")))
        if node.type == "call_expression":
            return self._result(parse.field(node, "function"))
        binding = self._kinds.scopes.resolve(node) if node.type == "identifier" else None
        return self._of_binding(binding) if binding is not None else ""

    def _of_binding(self, binding: Binding) -> str:
        if binding in self._pending:  # its own value depends on it
            return ""
        self._pending.add(binding)
        try:
            return self._declared(binding)
        finally:
            self._pending.discard(binding)

    def _declared(self, binding: Binding) -> str:
        parent = binding.node.parent
        annotation = parent.child_by_field_name("type") if parent is not None else None
        if annotation is not None:
            return type_text(annotation)
        if parent is not None and parent.type == "for_in_statement":
            return self._looped(parent)
        if parent is not None and parent.type in ("object_pattern", "pair_pattern"):
            return self._part(binding, parent)
        if binding.kind == "parameter":
            return self._of_parameter(binding.node)
        return self.of(binding.value) if binding.value is not None else ""

    def _part(self, binding: Binding, parent: Node) -> str:
        """The type of a variable that is destructured from an object: `{part}` or `{part: name}`."""
        key = parse.field(parent, "key") if parent.type == "pair_pattern" else binding.node
        pattern = parent.parent if parent.type == "pair_pattern" else parent
        owner = pattern.parent if pattern is not None else None
        if pattern is None or owner is None:
            return ""
        annotation, value = owner.child_by_field_name("type"), owner.child_by_field_name("value")
        if annotation is not None:
            whole = type_text(annotation)
        elif owner.type == "for_in_statement":
            whole = self._looped(owner)
        else:
            whole = self.of(value) if value is not None else self._of_parameter(pattern)
        return self._keys.get(whole, {}).get(text(key), "")

    def _looped(self, loop: Node) -> str:
        """The type of the items in a loop `for (… of …)`."""
        return _item(self.of(parse.field(loop, "right"))) if parse.has(loop, "of") else ""

    def _of_parameter(self, name: Node) -> str:
        """The type of the first parameter of a function that a list method calls with its items.

        Args:
            name: the parameter, or the node that may have its TypeScript type.
        """
        parameter = name.parent if name.parent is not None and name.parent.type in PARAMETERS else name
        around = parameter.parent
        if around is None or (around.type not in FUNCTIONS and kids(around)[:1] != [parameter]):
            return ""
        function = around if around.type in FUNCTIONS else around.parent
        call = function.parent.parent if function is not None and function.parent is not None else None
        if call is None or call.type != "call_expression":
            return ""
        callee = parse.field(call, "function")
        of_list = callee.type == "member_expression"
        takes_items = of_list and text(parse.field(callee, "property")) in TAKES_ITEMS
        return _item(self.of(parse.field(callee, "object"))) if takes_items else ""

    def _result(self, callee: Node) -> str:
        """The declared type of a call of the script's functions; T of a class `Heap<T>` comes from the object."""
        for function in self._kinds.called(callee):
            returned = function.child_by_field_name("return_type")
            found = type_text(returned) if returned is not None else ""
            owner = class_around(function)
            parameters = owner.child_by_field_name("type_parameters") if owner is not None else None
            given = _GENERIC.fullmatch(self.of(parse.field(callee, "object"))) if parameters is not None else None
            if parameters is not None and given is not None:
                for name, argument in zip(kids(parameters), given[2].split(", "), strict=False):
                    found = re.sub(rf"\b{text(name)}\b", argument, found)
            return found
        return ""


def _body_of(node: Node) -> Node | None:
    """The keys of an object type: an interface, or an alias of `{…}`."""
    if node.type == "interface_declaration":
        return parse.field(node, "body")
    value = node.child_by_field_name("value") if node.type == "type_alias_declaration" else None
    return value if value is not None and value.type == "object_type" else None


def _keys_in(body: Node) -> dict[str, str]:
    annotations = {text(kid.child_by_field_name("name")): kid.child_by_field_name("type") for kid in kids(body)}
    return {name: type_text(node) for name, node in annotations.items() if node is not None}


def type_text(annotation: Node) -> str:
    """The type of an annotation as text."""
    return text(annotation).lstrip(": ")


def _item(type_: str) -> str:
    """The type of a list's items."""
    if type_.endswith("[]"):
        return type_.removesuffix("[]")
    found = _GENERIC.fullmatch(type_)
    return found[2] if found and found[1] == "Array" else ""
