"""How a script uses what it declares: members of classes, objects as options, arguments of calls, keys of pairs."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.scopes import Binding
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import kids, optional, path_of, text


def fields(owner: Node) -> dict[str, list[Node]]:
    """The members of a class: its methods, and what is assigned or, as `name.push`, pushed to attributes of `this`.

    Under `name:` is what TypeScript says that an attribute is.
    """
    found: dict[str, list[Node]] = {}
    for node in parse.walk(owner):
        if node.type == "method_definition":
            found.setdefault(text(parse.field(node, "name")), []).append(node)
        elif is_attribute(node):
            found.setdefault(text(parse.field(node, "pattern")), []).append(parse.field(node, "pattern"))
        elif node.type in ("field_definition", "public_field_definition"):
            name = node.child_by_field_name("property") or node.child_by_field_name("name")
            value, said = optional(node, "value"), node.child_by_field_name("type")
            found.setdefault(text(name), []).extend([value] if value is not None else [])
            found.setdefault(f"{text(name)}:", []).extend([said] if said is not None else [])
        elif node.type == "assignment_expression":
            target = path_of(parse.field(node, "left"))
            if target is not None and len(target) == 2 and target[0] == "this":
                found.setdefault(target[1], []).append(parse.field(node, "right"))
        elif node.type == "call_expression":
            target = path_of(parse.field(node, "function"))
            if target is not None and len(target) == 3 and target[::2] == ["this", "push"]:
                found.setdefault(f"{target[1]}.push", []).extend(kids(parse.field(node, "arguments")))
    return found


def is_attribute(parameter: Node) -> bool:
    """Whether TypeScript makes an attribute of a parameter of a constructor: `constructor(private x: number)`."""
    is_parameter = parameter.type in ("required_parameter", "optional_parameter")
    return is_parameter and any(kid.type in ("accessibility_modifier", "readonly") for kid in parameter.children)


def object_types(root: Node) -> set[str]:
    """The interfaces of TypeScript that plain objects have: those without methods, which no class implements."""
    found: set[str] = set()
    implemented: set[str] = set()
    for node in parse.walk(root):
        if node.type == "interface_declaration":
            has_methods = any(kid.type == "method_signature" for kid in kids(parse.field(node, "body")))
            (implemented if has_methods else found).add(text(node.child_by_field_name("name")))
        elif node.type == "implements_clause":
            implemented |= {text(kid) for kid in kids(node)}
    return found - implemented


def is_key(pattern: Node, name: Node) -> bool:
    """Whether a name is the key of the pairs of `Object.entries(…)` that a loop or a function of a list takes apart."""
    owner = pattern.parent
    over = owner.child_by_field_name("right") if owner is not None and owner.type == "for_in_statement" else None
    call = owner.parent.parent if owner is not None and owner.type == "formal_parameters" and owner.parent else None
    if call is not None and call.parent is not None and call.type == "arguments":
        over = (
            optional(parse.field(call.parent, "function"), "object") if call.parent.type == "call_expression" else None
        )
    return parse.places(pattern)[:1] == [name] and text(over).startswith("Object.entries(")


def is_options(node: Node, path_to: Callable[[Node], list[str]]) -> bool:
    """Whether an object is what a function or a method of tfpy takes as its options.

    Args:
        node: the object.
        path_to: gives the parts of what is called, from `tf` on where it comes from there.
    """
    call = node.parent.parent if node.parent is not None and node.parent.type == "arguments" else None
    if call is None:
        return False
    path = path_to(call.child_by_field_name("function") or call.child_by_field_name("constructor") or call) or [""]
    return path[0] in names.ROOTS or names.attributes().get(path[-1], "") in names.method_options()


def arguments(binding: Binding | None, role: str, at: int) -> list[Node]:
    """What is given at a position where a function or a class is called."""
    found = []
    for read in binding.reads if binding is not None else []:
        call = read.parent
        if call is None or call.child_by_field_name(role) != read:
            continue
        given = call.child_by_field_name("arguments")
        listed = kids(given) if given is not None else []
        if at < len(listed) and not any(a.type == "spread_element" for a in listed):
            found.append(listed[at])
    return found
