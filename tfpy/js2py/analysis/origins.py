"""The origins of imported variables: the module, and the name in it."""

from __future__ import annotations

from typing import NamedTuple

from tree_sitter import Node

from tfpy.js2py.analysis.scopes import Binding
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import kids, optional, text


class Origin(NamedTuple):
    """The origin of an imported variable.

    Attributes:
        source: the module, as the script names it.
        name: the name in the module; "*" for all of it, "default" for its default export.
    """

    source: str
    name: str


def required(value: Node | None) -> str | None:
    """The module in `require("module")`; None for anything else."""
    if value is None or value.type != "call_expression" or text(parse.field(value, "function")) != "require":
        return None
    listed = kids(parse.field(value, "arguments"))
    return text(listed[0])[1:-1] if len(listed) == 1 and listed[0].type == "string" else None


def source_of(statement: Node) -> str | None:
    """The module in an import or an export; None if there is none."""
    source = optional(statement, "source")
    return " ".join(text(source)[1:-1].split()) if source is not None else None


def origin_of(binding: Binding) -> Origin | None:
    """The origin of a variable; None for one that is not imported."""
    return _imported(binding.node) if binding.kind == "import" else _required(binding)


def is_module(binding: Binding | None) -> bool:
    """Whether a variable is a whole module: `import * as x`, `const x = require(…)`."""
    origin = origin_of(binding) if binding is not None else None
    return origin is not None and origin.name == "*"


def _imported(node: Node) -> Origin | None:
    part: Node | None = node.parent
    name = "default"
    if part is not None and part.type == "import_specifier":
        name = text(parse.field(part, "name"))
    elif part is not None and part.type == "namespace_import":
        name = "*"
    while part is not None and part.type != "import_statement":
        part = part.parent
    source = source_of(part) if part is not None else None
    return Origin(source, name) if source is not None else None


def _required(binding: Binding) -> Origin | None:
    """The origin of `const x = require(…)`, `const {x} = require(…)` and `const x = require(…).x`."""
    value, name = taken_from(binding)
    source = required(value)
    return Origin(source, name) if source is not None else None


def taken_from(binding: Binding) -> tuple[Node | None, str]:
    """A variable's initial value, and the property of it that it holds: `const {x} = a`, `const x = a.x`; or "*"."""
    value, name = binding.value, "*"
    declarator: Node | None = binding.node.parent
    if value is None and declarator is not None and declarator.type in ("object_pattern", "pair_pattern"):
        name = text(declarator.child_by_field_name("key") or binding.node)
        while declarator is not None and declarator.type != "variable_declarator":
            declarator = declarator.parent
        value = optional(declarator, "value") if declarator is not None else None
    elif value is not None and value.type == "member_expression":
        name, value = text(parse.field(value, "property")), parse.field(value, "object")
    return value, name
