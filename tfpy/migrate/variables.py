"""The names of a file: their scopes, and what is known of the variables and functions that they refer to."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import libcst as cst

from tfpy.migrate.kind import Function, FunctionNode, Kind, as_pinned, join, join_all
from tfpy.migrate.legacy_kinds import SCALARS
from tfpy.migrate.names import Names, dotted
from tfpy.migrate.versions import Labels

Staying = Mapping[cst.CSTNode, tuple[cst.CSTNode, str]]  # a function or the module -> where and why its graphs stay
Key = tuple[Any, str]  # identifies a variable: (scope, name), with the scope None if it has none; ("self", name)
SCOPES = (
    cst.Module,
    cst.FunctionDef,
    cst.Lambda,
    cst.ClassDef,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
    cst.GeneratorExp,
)


class Variables:
    """The variables of a file, and their kinds as far as they are known so far.

    Attributes:
        names: its imports.
        labels: the names that distinguish the successive variables of one name.
        staying: the parts of the file whose graphs stay, so that sessions return NDArrays.
        pinned: names and attributes of arrays that are written to, and stay NDArrays.
        scopes: the scopes around the current node, the innermost last.
        known: the kinds of the names of each scope.
        attributes: the kinds of the attributes of objects.
        returns: the kinds of the results of functions.
        methods: the methods that classes of the file have, by name.
        outer: the names of a scope that are `global` or `nonlocal`.
        views: the arrays of variables that hold flat values.
        escaped: functions with calls that cannot be found, which must keep their parameters.
        changed: whether something new has become known.
    """

    def __init__(self, names: Names, labels: Labels, staying: Staying, pinned: set[Key]) -> None:
        self.names = names
        self.labels = labels
        self.staying = staying
        self.pinned = pinned
        self.scopes: list[cst.CSTNode] = []
        self.known: dict[cst.CSTNode, dict[str, Kind]] = {}
        self.attributes: dict[str, Kind] = {}
        self.returns: dict[cst.CSTNode, Kind] = {}
        self.methods: dict[str, list[cst.FunctionDef]] = {}
        self.outer: dict[cst.CSTNode, set[str]] = {}
        self.views: dict[Key | None, cst.BaseExpression] = {}
        self.escaped: set[FunctionNode] = set()
        self.changed = False

    # Scopes

    @contextlib.contextmanager
    def within(self, scope: cst.CSTNode) -> Iterator[None]:
        """Enter a scope."""
        self.scopes.append(scope)
        try:
            yield
        finally:
            self.scopes.pop()

    @property
    def graphs_stay(self) -> bool:
        """Whether the graphs around the current node stay."""
        return any(scope in self.staying for scope in self.scopes)

    def in_class(self) -> bool:
        """Whether the innermost scope is a class."""
        return bool(self.scopes) and isinstance(self.scopes[-1], cst.ClassDef)

    def function_around(self) -> cst.FunctionDef | None:
        """The innermost function around the current node; not a lambda."""
        return next((scope for scope in reversed(self.scopes) if isinstance(scope, cst.FunctionDef)), None)

    def scope_of(self, name: str) -> cst.CSTNode | None:
        """The scope that defines a name; that of a class is visible only in the class body, not in its methods."""
        for scope in reversed(self.scopes):
            if name in self.known.get(scope, {}) and (scope is self.scopes[-1] or not isinstance(scope, cst.ClassDef)):
                return scope
        return None

    def _defining(self, name: str) -> cst.CSTNode:
        """The scope whose variable an assignment to a name sets."""
        scope = self.scopes[-1]
        if name in self.outer.get(scope, ()):
            return next((s for s in reversed(self.scopes[:-1]) if name in self.known.get(s, {})), self.scopes[0])
        return scope

    # Names

    def label(self, node: cst.Name) -> str:
        """The name that distinguishes a variable in its scope."""
        return self.labels.get(node, node.value)

    def key(self, node: cst.CSTNode) -> Key | None:
        """The key of the variable in an expression; None for other expressions."""
        if isinstance(node, cst.Name):
            label = self.label(node)
            return self.scope_of(label), label
        if isinstance(node, cst.Attribute) and isinstance(node.value, cst.Name) and node.value.value == "self":
            return "self", node.attr.value
        return None

    def path(self, node: cst.CSTNode | None) -> str | None:
        """The path under tfpy.legacy of an expression, unless the file gives its name another meaning."""
        text = dotted(node)
        if text is None or self.scope_of(text.partition(".")[0]) is not None:
            return None
        path = self.names.path(node)
        values = ("ENV.math.", *[f"Scalar.{name}." for name in SCALARS])
        return None if path is not None and path.startswith(values) else path  # what follows is no name of the package

    def is_of_file(self, name: cst.Name) -> bool:
        """Whether the file defines or imports a name."""
        return name.value in self.names.others or self.scope_of(self.label(name)) is not None

    # What is known

    def assign(self, target: cst.Name, kind: Kind) -> None:
        """Record the kind of an assigned name; one of a class is also an attribute, unless it is a method."""
        label = self.label(target)
        scope = self._defining(label)
        self.note(scope, label, kind)
        if isinstance(scope, cst.ClassDef) and not isinstance(kind, Function):
            self.note("self", target.value, kind)

    def note(self, scope: cst.CSTNode | str, name: str, kind: Kind) -> None:
        """Record a kind of a name of a scope, or of an attribute, whose scope is "self"."""
        table = self.attributes if isinstance(scope, str) else self.known.setdefault(scope, {})
        self._join(table, name, as_pinned(kind) if (scope, name) in self.pinned else kind)

    def note_result(self, function: cst.CSTNode, kind: Kind) -> None:
        """Record a kind of the result of a function."""
        self._join(self.returns, function, kind)

    def _join(self, table: dict[Any, Kind], name: Any, kind: Kind) -> None:
        new = join(table.get(name), kind)
        if name not in table or new != table[name]:
            table[name] = new
            self.changed = True

    def results_of(self, name: str) -> Kind:
        """The kind of the results of the methods of a name."""
        return join_all(self.returns.get(method) for method in self.methods.get(name, []))

    def escape(self, found: set[FunctionNode]) -> None:
        """Record functions that must keep their parameters."""
        self.changed |= not found <= self.escaped
        self.escaped |= found
