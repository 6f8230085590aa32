"""How a script uses its declarations: objects as options, arguments of calls, keys of pairs."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.scopes import Binding, is_written
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import kids, text

# Methods of lists and typed arrays that change them, and those of lists that call a function with the items.
_IN_PLACE = {"fill", "pop", "push", "reverse", "set", "shift", "sort", "splice", "unshift"}
TAKES_ITEMS = {"every", "filter", "find", "findIndex", "flatMap", "forEach", "map", "some"}


def is_options(node: Node, path_to: Callable[[Node], list[str]]) -> bool:
    """Whether an object is the options argument of a function or a method of tfpy.

    Args:
        node: the object.
        path_to: returns the parts of the callee, starting with `tf` if it comes from there.
    """
    call = node.parent.parent if node.parent is not None and node.parent.type == "arguments" else None
    if call is None:
        return False
    path = path_to(call.child_by_field_name("function") or call.child_by_field_name("constructor") or call) or [""]
    return path[0] in names.ROOTS or names.attributes().get(path[-1], "") in names.method_options()


def arguments(binding: Binding | None, role: str, at: int) -> list[Node]:
    """The arguments at a position of all calls of a function or a class."""
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


def items_set(binding: Binding) -> list[Node]:
    """The values that a script assigns to the items of a variable: `x[key] = value`."""
    items = [read.parent for read in binding.reads if read.parent is not None]
    writes = [item.parent for item in items if item.type == "subscript_expression" and is_written(item)]
    return [parse.field(write, "right") for write in writes if write is not None and write.child_by_field_name("right")]


def is_changed_in_place(binding: Binding) -> bool:
    """Whether a script sets items of a list or typed array, or adds, removes or moves some."""
    return any(_is_change(read) for read in binding.reads)


def _is_change(read: Node) -> bool:
    part = read.parent
    if part is None or part.child_by_field_name("object") != read:
        return False
    if part.type == "subscript_expression":
        return is_written(part)
    return part.type == "member_expression" and text(part.child_by_field_name("property")) in _IN_PLACE


def method_calls(root: Node) -> dict[str, list[Node]]:
    """The arguments of method calls, by the method's name."""
    found: dict[str, list[Node]] = {}
    for node in parse.walk(root):
        callee = node.child_by_field_name("function") if node.type == "call_expression" else None
        arguments = node.child_by_field_name("arguments")
        if callee is not None and callee.type == "member_expression" and arguments is not None:
            found.setdefault(text(callee.child_by_field_name("property")), []).append(arguments)
    return found


def iterated_by(arguments: Node) -> Node | None:
    """The list whose items a function is called with, as the argument of a list method; None for other arguments."""
    call = arguments.parent
    callee = call.child_by_field_name("function") if call is not None else None
    if callee is None or callee.type != "member_expression":
        return None
    return parse.field(callee, "object") if text(parse.field(callee, "property")) in TAKES_ITEMS else None
