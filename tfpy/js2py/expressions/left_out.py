"""Parameters that some calls of a script's functions omit, and the same for keys of objects."""

from __future__ import annotations

from tree_sitter import Node

from tfpy.js2py.analysis.members import class_around
from tfpy.js2py.analysis.scopes import Binding
from tfpy.js2py.converter import Converter
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.parse import default_of, kids, text


def may_be_left_out(c: Converter, node: Node) -> bool:
    """Whether an expression is a parameter, or a key of an object, that some call omits and that is never checked."""
    if node.type == "member_expression":
        return not is_checked(node) and c.kinds.lacks(parse.field(node, "object"), text(parse.field(node, "property")))
    binding = c.scopes.bindings.get(node.id) if node.type == "identifier" else None
    if binding is None or binding.writes or _is_looked_for(c, binding.node):
        return False
    owner = binding.node.parent
    if owner is not None and owner.type == "object_pattern":
        return c.kinds.lacks(owner, binding.name)
    if binding.kind == "parameter":
        return _is_parameter_left_out(c, binding)
    return binding.value is not None and binding.value.type == "member_expression" and may_be_left_out(c, binding.value)


def is_checked(node: Node) -> bool:
    """Whether an expression is evaluated only if a condition around it holds, in which it occurs: `x.a && x.a > 1`."""
    inner, around = node, node.parent
    while around is not None and around.type not in parse.FUNCTIONS:
        condition = around.child_by_field_name("left" if parse.has(around, "&&") else "condition")
        if condition is not None and inner.start_byte >= condition.end_byte:
            checked = [n for n in parse.walk(condition) if text(n) == text(node) and not parse.has(n.parent or n, "!")]
            if checked and inner != around.child_by_field_name("alternative"):
                return True
        inner, around = around, around.parent
    return False


def _is_parameter_left_out(c: Converter, binding: Binding) -> bool:
    given = [default_of(parameter) for parameter in parse.parameters(binding.scope.node)]
    at = next((i for i, (pattern, _) in enumerate(given) if pattern == binding.node), None)
    return at is not None and given[at][1] is None and at >= fewest_given(c, binding.scope.node)


def fewest_given(c: Converter, node: Node) -> int:
    """The least number of arguments in the calls of a function; all, if it is never called by name."""
    listed = parse.parameters(node)
    counts = [len(listed), *(len(kids(arguments)) for arguments in calls_of(c, node) if not is_spread(arguments))]
    while listed and _is_looked_for(c, listed[-1]):
        counts.append(len(listed) - 1)
        listed = listed[:-1]
    return min(counts)


def calls_of(c: Converter, node: Node) -> list[Node]:
    """The argument lists of the calls of a function, a method or a constructor by name."""
    name = node.child_by_field_name("name")
    role = "function"
    if node.type == "method_definition" and text(name) != "constructor":
        return c.calls.get(text(name), [])
    if node.type == "method_definition":
        owner = class_around(node)
        name, role = owner.child_by_field_name("name") if owner is not None else None, "constructor"
    elif name is None and node.parent is not None and node.parent.type == "variable_declarator":
        name = node.parent.child_by_field_name("name")
    binding = c.scopes.bindings.get(name.id) if name is not None else None
    calls = [r.parent for r in binding.reads if r.parent is not None] if binding is not None else []
    given = [call_.child_by_field_name("arguments") for call_ in calls if call_.child_by_field_name(role) is not None]
    return [arguments for arguments in given if arguments is not None]


def is_spread(arguments: Node) -> bool:
    return any(a.type == "spread_element" for a in kids(arguments))


def _is_looked_for(c: Converter, parameter: Node) -> bool:
    """Whether a function checks that a parameter was given."""
    binding = c.scopes.bindings.get(parameter.id)
    for read in binding.reads if binding is not None else []:
        parent = read.parent
        if parent is None or parent.type != "binary_expression" or parent.child_by_field_name("left") != read:
            continue
        sign, other = text(parent.child_by_field_name("operator")), text(parent.child_by_field_name("right"))
        if sign in ("||", "??") or (sign[:2] in ("==", "!=") and other in ("undefined", "null")):
            return True
    return False
