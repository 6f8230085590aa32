"""The classes of a script, and of the files that it is converted with: what their instances have."""

from __future__ import annotations

from tree_sitter import Node

from tfpy.js2py.analysis import uses
from tfpy.js2py.analysis.scopes import Scopes
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import text

_CLASSES = ("class_declaration", "abstract_class_declaration")


class Members:
    """The classes that a script knows.

    Attributes:
        classes: by name.
        methods: the names of the methods that something may have which the script uses.
        names: the names of all that it may have.
    """

    def __init__(self, scopes: Scopes, root: Node) -> None:
        self._scopes = scopes
        self.classes = {text(n.child_by_field_name("name")): n for n in parse.walk(root) if n.type in _CLASSES}
        self._fields = {name: uses.fields(node) for name, node in self.classes.items()}
        self.methods = {
            name
            for fields in self._fields.values()
            for name, found in fields.items()
            if any(node.type == "method_definition" for node in found)
        }
        self.names = {name for fields in self._fields.values() for name in fields}

    def know(self, other: Members, is_imported: bool) -> None:
        """Make the classes of another file known and, if it is imported, the names of what they have."""
        self.classes = other.classes | self.classes
        self._fields = other._fields | self._fields
        if is_imported:
            self.methods |= other.methods
            self.names |= other.names

    def named(self, node: Node | None) -> str:
        """The name that a class has where it is declared."""
        binding = self._scopes.meant(node) if node is not None else None
        return binding.name if binding is not None else text(node)

    def of(self, owner: str, name: str) -> list[Node]:
        """What a class, or else the one that it extends, has under a name."""
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
