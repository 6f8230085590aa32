"""The exports of a script, and their names in Python."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.origins import source_of
from tfpy.js2py.analysis.scopes import Binding, Export, Scope, Scopes
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import FUNCTIONS, kids, optional, text


class ReExport(NamedTuple):
    """`export {name as alias} from source`; the name is "*" for the whole module."""

    alias: str
    source: str
    name: str


@dataclass
class Exports:
    """The exports of a script.

    Attributes:
        own: by the names under which other scripts import them.
        passed: its re-exports from other modules.
        whole: the modules that it re-exports as a whole.
        is_default: whether it exports one thing by `module.exports = …`.
        is_known: whether these are all its exports.
    """

    own: dict[str, Export] = field(default_factory=dict)
    passed: list[ReExport] = field(default_factory=list)
    whole: list[str] = field(default_factory=list)
    is_default: bool = False
    is_known: bool = True


def exports_of(root: Node, scopes: Scopes) -> Exports:
    """The exports of a script, from its top-level statements."""
    found = Exports()
    for node in root.named_children:
        if node.type == "export_statement" and not parse.has(node, "type"):
            _exported(found, node, scopes.top)
        elif node.type == "expression_statement" and kids(node)[0].type == "assignment_expression":
            _assigned(found, kids(node)[0], scopes.top)
    return found


def _exported(found: Exports, node: Node, top: Scope) -> None:
    declaration, value, source = optional(node, "declaration"), optional(node, "value"), source_of(node)
    clause = next((kid for kid in kids(node) if kid.type in ("export_clause", "namespace_export")), None)
    if source is not None and clause is None:
        found.whole.append(source)
    elif clause is not None and clause.type == "namespace_export" and source is not None:
        found.passed.append(ReExport(text(kids(clause)[0]), source, "*"))
    elif clause is not None:
        for name, alias in specifiers(clause):
            if source is not None:
                found.passed.append(ReExport(alias, source, text(name)))
            else:
                _put(found, alias, name, top)
    elif declaration is not None:
        for binding in _declared(declaration, top):
            found.own["default" if parse.has(node, "default") else binding.name] = Export(binding.python, binding)
    elif value is not None:
        _put(found, "default", value, top)


def specifiers(clause: Node) -> list[tuple[Node, str]]:
    """The names in `export {a, b as c}` and their export names, without types."""
    return [
        (parse.field(part, "name"), text(part.child_by_field_name("alias") or part.child_by_field_name("name")))
        for part in kids(clause)
        if part.type == "export_specifier" and not parse.has(part, "type")
    ]


def renamed(alias: str, name: str, python: str) -> str:
    """The Python name of a module's name in a file that exports it under an alias."""
    return python if alias in (name, "default") else names.variable(alias)


def _declared(declaration: Node, top: Scope) -> list[Binding]:
    """The variables of the script that a statement declares."""
    inside = range(declaration.start_byte, declaration.end_byte)
    found = [b for b in top.bindings.values() if b.node.start_byte in inside]
    function = declaration if declaration.type in FUNCTIONS else None
    return [b for b in found if function is None or b.value == function]


def _put(found: Exports, alias: str, value: Node, top: Scope) -> None:
    """Record a value that is exported under a name: a variable of the script, or one that is created for it."""
    if value.type in ("identifier", "shorthand_property_identifier"):
        binding = top.find(text(value))
        if binding is not None:
            found.own[alias] = Export(renamed(alias, text(value), binding.python), binding)
        return
    name = value.child_by_field_name("name")
    python = text(name) if value.type == "class" and name is not None else names.variable(alias)
    kind = "class" if value.type == "class" else "variable"
    found.own[alias] = Export(python, Binding(python, kind, top, value, value, python))


def _assigned(found: Exports, node: Node, top: Scope) -> None:
    """`module.exports = …` and `exports.name = …`."""
    path, value = parse.path_of(parse.field(node, "left")) or [], parse.field(node, "right")
    if path == ["module", "exports"] and value.type == "object":
        for part in kids(value):
            if part.type in ("shorthand_property_identifier", "method_definition"):
                _put(found, text(part.child_by_field_name("name") or part), part, top)
            elif part.type == "pair":
                _put(found, text(parse.field(part, "key")).strip("'\""), parse.field(part, "value"), top)
            else:
                found.is_known = False
    elif path == ["module", "exports"]:
        found.is_default = True
        _put(found, "default", value, top)
    elif path[:1] == ["exports"] or path[:2] == ["module", "exports"]:
        _put(found, path[-1], value, top)
