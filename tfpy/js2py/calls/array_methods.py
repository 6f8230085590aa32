"""Methods of lists and typed arrays for which a template is not enough."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py import builtins
from tfpy.js2py.analysis.kind import MATCH, NDARRAY, STRING, UNKNOWN, Kind
from tfpy.js2py.calls import callbacks
from tfpy.js2py.calls.arguments import fitting
from tfpy.js2py.calls.array_fill import array_length, fill
from tfpy.js2py.converter import Converter, MethodRule
from tfpy.js2py.expressions import node_properties
from tfpy.js2py.expressions.indices import index
from tfpy.js2py.expressions.literals import iterated
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, call, py, string
from tfpy.js2py.syntax.parse import kids, text
from tfpy.js2py.syntax.printing import source

_BRANCHES = ("consequence", "condition", "alternative")


def _map(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    if len(given) != 1:
        return None
    length = array_length(owner)
    if length is not None and _takes_no_item(c, given[0]):
        return callbacks.comprehension(c, given[0], call("range", index(c, length)), items=None, counted=True)
    over = _items(c, owner)
    return callbacks.comprehension(c, given[0], over, items=over)


def _takes_no_item(c: Converter, function: Node) -> bool:
    """Whether a function does not use its first parameter."""
    listed = parse.parameters(function) if function.type in parse.FUNCTIONS else []
    binding = c.scopes.bindings.get(listed[0].id) if listed else None
    return function.type in parse.FUNCTIONS and (not listed or (binding is not None and not binding.reads))


def _items(c: Converter, owner: Node) -> ast.expr:
    """The items that a function is called with: those of a list, or those of a numpy array as Python numbers."""
    return iterated(c, owner) if c.kinds.of(owner) == NDARRAY else c.expr(owner)


def _keys(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    length = array_length(owner)
    return call("range", index(c, length)) if length is not None else None


def _entries(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`entries()` of a list or a map: it is assumed to be a list, which is far more common."""
    if c.kinds.of(owner) != UNKNOWN or "entries" in c.kinds.members.methods:
        return None
    c.check(node, "`entries` of a list, as here, is enumerate(…); of a map it must be .items()")
    return call("enumerate", c.expr(owner))


def _flat_map(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    over = _items(c, owner)
    return callbacks.comprehension(c, given[0], over, items=over, flat=True)


def _filter(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    return callbacks.chosen(c, given[0], _items(c, owner)) if len(given) == 1 else None


def _quantifier(word: str) -> MethodRule:
    return lambda c, node, owner, given: callbacks.quantified(c, word, given[0], _items(c, owner))


def _search(index: bool) -> MethodRule:
    return lambda c, node, owner, given: callbacks.searched(c, given[0], _items(c, owner), index)


def _reduce(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    return callbacks.reduced(c, parse.field(node, "arguments"), _items(c, owner))


def _sort(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`sort` as a statement sorts the list in place; for a new list it is `sorted`."""
    keywords = callbacks.sorting(c, given[0] if given else None, owner)
    alone = node.parent is not None and node.parent.type == "expression_statement"
    value = c.expr(owner)
    if alone:
        return call(ast.Attribute(value, "sort"), keywords=keywords)
    if _is_new(owner):
        if c.kinds.of(owner) == NDARRAY and not keywords:
            return call("np.sort", value)
        if isinstance(value, ast.Subscript) and source(value.slice) == ":":
            value = value.value
        return call("sorted", value, keywords=keywords)
    c.first(ast.Expr(call(ast.Attribute(value, "sort"), keywords=keywords)))
    return value


def _is_new(owner: Node) -> bool:
    """Whether a list is created here, so that changing it has no effect elsewhere."""
    return owner.type in ("call_expression", "new_expression", "array")


def _reverse(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    alone = node.parent is not None and node.parent.type == "expression_statement"
    known = _is_new(owner) or c.kinds.of(owner).name in ("list", "ndarray")
    if given or not (alone or known):
        return None
    value = c.expr(owner)
    if alone:
        return call(ast.Attribute(value, "reverse"))
    if not _is_new(owner):
        c.first(ast.Expr(call(ast.Attribute(value, "reverse"))))
        return value
    return py("_0[::-1]", value)


def _push(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    if len(given) == 1 and given[0].type == "spread_element":
        return py("_0.extend(_1)", c.expr(owner), iterated(c, kids(given[0])[0]))
    if len(given) > 1:
        return py("_0.extend(_1)", c.expr(owner), ast.List([c.expr(g) for g in given]))
    return None


def _concat(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    kind = c.kinds.of(owner)
    if kind.name != "list":
        return None
    found = call("list", c.expr(owner)) if kind.fixed else c.expr(owner)
    for other in given:
        if other.type == "spread_element":
            parts = py("[item for part in _0 for item in part]", iterated(c, kids(other)[0]))
            found = parts if isinstance(found, ast.List) and not found.elts else py("_0 + _1", found, parts)
            continue
        one = call("list", c.expr(other)) if _is_tuple(c, other) else c.expr(other)
        of_items = c.kinds.of(other).name not in ("list", "")
        if _asks_for_list(other):
            one = py("_0 if _1 else [_2]", *(c.expr(parse.field(other, part)) for part in _BRANCHES))
        elif c.kinds.of(other) == UNKNOWN:
            c.check(node, "`concat` with something that is not a list adds it as an item; here it must be a list")
        found = py("_0 + [_1]" if of_items else "_0 + _1", found, one)
    return found


def _asks_for_list(node: Node) -> bool:
    """Whether an expression is `Array.isArray(x) ? … : x`, so that its alternative is an item."""
    if node.type != "ternary_expression":
        return False
    test, _, other = (text(parse.field(node, part)) for part in ("condition", "consequence", "alternative"))
    return test == f"Array.isArray({other})"


def _is_tuple(c: Converter, node: Node) -> bool:
    """Whether a value is a shape, or a part of one that is passed to a function."""
    if node.type == "call_expression" and parse.field(node, "function").type == "member_expression":
        callee = parse.field(node, "function")
        return text(parse.field(callee, "property")) == "slice" and c.kinds.of(parse.field(callee, "object")).fixed
    return c.kinds.of(node).fixed


def _slice(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`slice` of a value of unknown kind: that of a list or a string; a tensor's takes begin and size."""
    start = text(given[0]) if len(given) == 1 else ""
    if node_properties.is_command_line(owner) and start.isdigit() and start != "0":
        return py(f"sys.argv[{int(start) - 1}:]")
    if c.kinds.of(owner) == MATCH and [text(part) for part in given] == ["1"]:
        return py("list(_0.groups())", c.expr(owner))
    if c.kinds.of(owner).fixed and node.parent is not None and node.parent.type != "arguments":
        parts = [c.expr(owner), *(index(c, part) for part in given)]
        return call("list", fitting(builtins.LISTS["slice"], parts, "`slice`") if given else parts[0])
    if c.kinds.of(owner) != UNKNOWN or any(g.type == "array" or c.kinds.of(g).name == "list" for g in given):
        return None
    if len(given) == 2 and text(given[0]) != "0":
        c.check(node, "`slice` of a list or a string takes begin and end; of a tensor it takes begin and size")
    bounds = [index(c, part) for part in given]
    return py("_0[_1:_2]" if len(given) == 2 else "_0[_1:]" if given else "_0[:]", c.expr(owner), *bounds)


def _join(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    if c.kinds.of(owner) != Kind("list", STRING):
        return None
    return py("_0.join(_1)", c.expr(given[0]) if given else string(","), c.expr(owner))


def _splice(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`splice` removes and inserts items."""
    if len(given) < 2:
        raise NotConvertedError("`splice` with one argument has no counterpart; write `del items[at:]`")
    value, at, count = c.expr(owner), index(c, given[0]), index(c, given[1])
    part = py("_0[_1:_1 + _2]", value, at, count)
    start, number = build.whole(at), build.whole(count)
    if start is not None and number is not None:
        part = py(f"_0[{start}:{start + number}]", value)
    put: list[ast.stmt] = [ast.Assign([part], ast.List([c.expr(g) for g in given[2:]]), lineno=0)]
    if len(given) == 2:
        put = [ast.Delete([part])]
    if node.parent is not None and node.parent.type == "expression_statement":
        c.first(*put)
        return atom("None")
    taken = atom(c.new_name("taken", node))
    c.first(build.assign(taken, part), *put)
    return taken


def _for_each(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """A `forEach` that cannot become a loop."""
    over = c.expr(owner)
    found = callbacks.inlined(c, given[0], 3)
    targets = found.targets or [atom("_")]
    target, items = (targets[0], over)
    if len(targets) > 2:
        found.value = callbacks.replaced(found.value, build.name_of(targets[2]), over)
    if len(targets) > 1:
        target, items = ast.Tuple([targets[1], targets[0]]), call("enumerate", over)
    c.first(ast.For(target, items, [ast.Expr(found.value)], [], lineno=0))
    return atom("None")


RULES: dict[str, MethodRule] = {
    "map": _map,
    "flatMap": _flat_map,
    "keys": _keys,
    "entries": _entries,
    "filter": _filter,
    "some": _quantifier("any"),
    "every": _quantifier("all"),
    "find": _search(False),
    "findIndex": _search(True),
    "reduce": _reduce,
    "sort": _sort,
    "reverse": _reverse,
    "fill": fill,
    "push": _push,
    "concat": _concat,
    "slice": _slice,
    "join": _join,
    "splice": _splice,
    "forEach": _for_each,
}
