"""The classes of a script, and of the files that it is converted with: the members of their instances."""

from __future__ import annotations

from tree_sitter import Node

from tfpy.js2py.analysis.scopes import Scopes
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import kids, optional, path_of, text

_CLASSES = ("class_declaration", "abstract_class_declaration")


class Members:
    """The classes known to a script.

    Attributes:
        classes: by name.
        methods: the names of the methods of all objects that the script may use.
        names: the names of all their members.
    """

    def __init__(self, scopes: Scopes, root: Node) -> None:
        self._scopes = scopes
        self.classes = {text(n.child_by_field_name("name")): n for n in parse.walk(root) if n.type in _CLASSES}
        self._fields = {name: fields_of(node) for name, node in self.classes.items()}
        self.methods = {
            name
            for fields in self._fields.values()
            for name, found in fields.items()
            if any(node.type == "method_definition" for node in found)
        }
        self.names = {name for fields in self._fields.values() for name in fields}

    def include(self, other: Members, is_imported: bool) -> None:
        """Add the classes of another file and, if it is imported, the names of their members."""
        self.classes = other.classes | self.classes
        self._fields = other._fields | self._fields
        if is_imported:
            self.methods |= other.methods
            self.names |= other.names

    def named(self, node: Node | None) -> str:
        """The declared name of a class."""
        binding = self._scopes.resolve(node) if node is not None else None
        return binding.name if binding is not None else text(node)

    def declares(self, owner: str, name: str) -> bool:
        """Whether a class declares a member itself, or has no base class that may."""
        return owner not in self._fields or name in self._fields[owner] or parse.base_of(self.classes[owner]) is None

    def of(self, owner: str, name: str) -> list[Node]:
        """The members of a class with this name, or else those of its base class."""
        while owner in self._fields:
            if name in self._fields[owner]:
                return self._fields[owner][name]
            owner = self.named(parse.base_of(self.classes[owner]))
        return []


def class_around(node: Node) -> Node | None:
    """The class that surrounds a node."""
    found: Node | None = node
    while found is not None and found.type not in (*_CLASSES, "class"):
        found = found.parent
    return found


def fields_of(owner: Node) -> dict[str, list[Node]]:
    """The members of a class: its methods, and the values assigned or, as `name.push`, pushed to attributes of `this`.

    The TypeScript type of an attribute has the key `name:`.
    """
    found: dict[str, list[Node]] = {}
    for node in parse.walk(owner):
        if node.type in ("method_definition", "abstract_method_signature"):
            found.setdefault(text(parse.field(node, "name")), []).append(node)
        elif is_attribute(node):
            found.setdefault(text(parse.field(node, "pattern")), []).append(parse.field(node, "pattern"))
        elif node.type in ("field_definition", "public_field_definition"):
            name = node.child_by_field_name("property") or node.child_by_field_name("name")
            value, annotation = optional(node, "value"), node.child_by_field_name("type")
            found.setdefault(text(name), []).extend([value] if value is not None else [])
            found.setdefault(f"{text(name)}:", []).extend([annotation] if annotation is not None else [])
        elif node.type == "assignment_expression" or _is_initialized(node):
            target = path_of(parse.field(node, "left"))
            if target is not None and len(target) == 2 and target[0] == "this":
                found.setdefault(target[1], []).append(parse.field(node, "right"))
        elif node.type == "call_expression":
            target = path_of(parse.field(node, "function"))
            if target is not None and len(target) == 3 and target[::2] == ["this", "push"]:
                found.setdefault(f"{target[1]}.push", []).extend(kids(parse.field(node, "arguments")))
    return found


def is_attribute(parameter: Node) -> bool:
    """Whether a constructor parameter declares an attribute in TypeScript: `constructor(private x: number)`."""
    is_parameter = parameter.type in parse.PARAMETERS
    return is_parameter and any(kid.type in ("accessibility_modifier", "readonly") for kid in parameter.children)


def _is_initialized(node: Node) -> bool:
    return node.type == "augmented_assignment_expression" and parse.initializes(node)
