"""Method calls: of lists, strings and maps by the kind of the object, otherwise of tfpy or the script."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tree_sitter import Node

from tfpy.js2py import builtins, names
from tfpy.js2py.analysis.kind import PARSER, UNKNOWN, Kind
from tfpy.js2py.analysis.origins import is_module
from tfpy.js2py.calls import argument_parser, array_methods, collection_methods, dates, promises, string_methods
from tfpy.js2py.calls.arguments import fitting, given, with_options
from tfpy.js2py.converter import Converter, MethodRule
from tfpy.js2py.expressions import node_properties
from tfpy.js2py.expressions.indices import index
from tfpy.js2py.expressions.literals import element, elements, with_comments
from tfpy.js2py.expressions.properties import is_cheap, property_of
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import call, py
from tfpy.js2py.syntax.parse import kids, text

# JavaScript's own kinds: each of their methods needs a counterpart.
_JAVASCRIPTS = {
    "list": "list", "ndarray": "typed array", "string": "text", "number": "number", "index": "number", "map": "map",
    "set": "set", "date": "date", "bytes": "buffer", "regex": "regular expression", "generator": "generator",
}  # fmt: skip
# Methods that no object of tfpy has.
_NO_COUNTERPART = {
    "reduceRight", "toPrecision", "addEventListener", "appendChild",
    "querySelector", "getContext",
}  # fmt: skip
# Methods that change their object, before the statement if necessary.
_CHANGES = {"add", "fill", "reverse", "set", "sort", "splice"}
# Methods of lists and strings whose arguments are indices or counts.
_BY_INDEX = {"at", "charAt", "charCodeAt", "repeat", "slice", "subarray", "substr", "substring"}
# Methods of tensors that return a promise, and their synchronous counterparts.
_AWAITED = {
    "data": "data_sync", "array": "array_sync", "buffer": "buffer_sync", "getValuesAsync": "get_values", "val": "get",
    "bytes": "bytes_sync",
}  # fmt: skip


def method(c: Converter, node: Node, callee: Node, arguments: Node) -> ast.expr:
    """A call of a method."""
    owner, name = parse.field(callee, "object"), text(parse.field(callee, "property"))
    if parse.is_chained(callee):
        return _if_there(c, node, owner, lambda: _method(c, node, owner, name, callee, arguments))
    return _method(c, node, owner, name, callee, arguments)


def _if_there(c: Converter, node: Node, owner: Node, then: Callable[[], ast.expr]) -> ast.expr:
    """`owner?.method()`: None if the owner is None; the owner must be cheap to evaluate twice."""
    value = c.expr(owner)
    if not is_cheap(value):
        raise NotConvertedError("`?.` before a call has no counterpart; write an if")
    with c.without():
        return py("None if _0 is None else _1", value, then())


def _method(c: Converter, node: Node, owner: Node, name: str, callee: Node, arguments: Node) -> ast.expr:
    kind = c.kinds.of(owner)
    if kind == PARSER:
        return argument_parser.method(c, owner, name, arguments)
    ours = kind.name in names.classes() or kind.name.startswith(".") or owner.type in ("super", "this")
    if is_module(c.scopes.bindings.get(owner.id)):
        return call(ast.Attribute(c.expr(owner), names.variable(name)), *given(c, arguments))
    found = None if ours else _of_javascript(c, node, owner, name, arguments)
    if found is not None:
        return found
    bound = _bound(c, owner, name, arguments)
    if bound is not None:
        return bound
    if name == "toString" and (owner.type == "super" or (kind.name.startswith(".") and not kids(arguments))):
        return call("super().__str__") if owner.type == "super" else call("str", c.expr(owner))
    if owner.type == "super":
        return call(ast.Attribute(py("super()"), names.attribute(name)), *given(c, arguments))
    value = c.expr(owner)
    function = property_of(c, callee, owner, value, name)
    own = kind.name.startswith(".") or (kind == UNKNOWN and name in c.kinds.members.names)
    if name in _AWAITED and isinstance(function, ast.Attribute) and _has_twin(c, kind, name, kids(arguments)):
        function.attr = _AWAITED[name]
    options = None if own or not isinstance(function, ast.Attribute) else names.method_options().get(function.attr)
    return with_options(c, function, arguments, options)


def _of_javascript(c: Converter, node: Node, owner: Node, name: str, arguments: Node) -> ast.expr | None:
    """A method of a list, a string and the like, or one that is assumed to be; None for any other."""
    kind = c.kinds.of(owner)
    rule, ahead = _RULES.get(name), len(c.pre or ())
    found = rule(c, node, owner, kids(arguments)) if rule is not None else node_properties.asked(c, owner, name)
    if name in _CHANGES and len(c.pre or ()) > ahead and _is_looked_at_before(owner):
        raise NotConvertedError(f"`{name}` after something that it changes has no counterpart; give it a statement")
    if found is not None and kind == UNKNOWN and name in c.kinds.members.methods:
        c.check(node, f"is this `{name}` the method of a list or a string, as here, or the script's own?")
    if found is not None:
        return found
    templates = builtins.BY_KIND.get(kind.name, builtins.UNKNOWN if kind == UNKNOWN else {}).get(name)
    if name in _NO_COUNTERPART:
        raise NotConvertedError(f"`{name}` has no counterpart")
    if templates is None and kind.name in _JAVASCRIPTS:
        raise NotConvertedError(f"`{name}` of a {_JAVASCRIPTS[kind.name]} has no counterpart")
    if templates is None:
        return None
    by_index = name in _BY_INDEX and not any(part.type == "spread_element" for part in kids(arguments))
    parts = [index(c, part) for part in kids(arguments)] if by_index else elements(c, arguments)
    if any(isinstance(n, ast.NamedExpr) for part in parts for n in ast.walk(part)):
        templates = builtins.ONCE.get(name, templates)
    return fitting(templates, [c.expr(owner), *parts], f"`{name}`")


def _is_looked_at_before(owner: Node) -> bool:
    """Whether a statement reads from a list before it changes the list; here the change would come first."""
    first = owner
    while first.type in ("member_expression", "subscript_expression"):
        first = parse.field(first, "object")
    statement = owner
    while statement.parent is not None and not statement.type.endswith(("_statement", "_declarator")):
        statement = statement.parent
    names_before = (n for n in parse.walk(statement) if n.start_byte < owner.start_byte and n.type == first.type)
    return first.type == "identifier" and any(
        text(n) == text(first)
        and n.parent is not None
        and n.parent.type in ("member_expression", "subscript_expression")
        for n in names_before
    )


def _bound(c: Converter, owner: Node, name: str, arguments: Node) -> ast.expr | None:
    """`f.call(null, …)`, `f.apply(null, list)` and `f.bind(null, …)`, where `this` is unchanged or unused."""
    listed = kids(arguments)
    if name not in ("call", "apply", "bind") or not listed:
        return None
    holder = text(parse.field(owner, "object")) if owner.type == "member_expression" else "null"
    if text(listed[0]) not in ("null", "undefined", "this", holder):
        if (
            name == "bind"
            and listed[0].type in ("identifier", "member_expression")
            and name not in c.kinds.members.methods
        ):
            raise NotConvertedError("`bind` to another object has no counterpart; write a function")
        return None
    rest = [element(c, *part) for part in with_comments(c, arguments)][1:]
    if name == "bind":
        return call("functools.partial", c.expr(owner), *rest) if rest else c.expr(owner)
    return call(c.expr(owner), *([ast.Starred(rest[0])] if name == "apply" and rest else rest))


def _has_twin(c: Converter, kind: Kind, name: str, given: list[Node]) -> bool:
    """Whether a method that returns a promise is a tensor's, which has a synchronous counterpart."""
    if name == "val":
        return any(module is not None and module.partition(".")[0] == "dl" for module in c.modules.values())
    if given:
        return False
    if kind.name in names.classes():
        return hasattr(names.classes()[kind.name], _AWAITED[name])
    return kind == UNKNOWN and name not in c.kinds.members.methods


_RULES: dict[str, MethodRule] = {
    **array_methods.RULES,
    **collection_methods.RULES,
    **string_methods.RULES,
    **dates.RULES,
    **promises.RULES,
}
