"""Calls of methods: those of lists, texts and maps by what they are called on, else those of tfpy or of the script."""

from __future__ import annotations

import ast
from collections.abc import Callable

from tree_sitter import Node

from tfpy.js2py import builtins, names
from tfpy.js2py.analysis.kind import MATCH, NDARRAY, NUMBERS, PARSER, STRING, UNKNOWN, Kind
from tfpy.js2py.analysis.origins import is_module
from tfpy.js2py.calls import callbacks, commandline, patterns
from tfpy.js2py.calls.arguments import fitting, given, with_options
from tfpy.js2py.calls.filling import array_length, fill
from tfpy.js2py.converter import Converter
from tfpy.js2py.expressions import surroundings
from tfpy.js2py.expressions.expressions import element, elements, iterated, with_comments
from tfpy.js2py.expressions.indices import index
from tfpy.js2py.expressions.properties import is_cheap, property_of
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, call, py, string
from tfpy.js2py.syntax.parse import kids, text
from tfpy.js2py.syntax.printing import source

Rule = Callable[[Converter, Node, Node, list[Node]], ast.expr | None]

# What is JavaScript's own, so that each of its methods must have a counterpart.
_JAVASCRIPTS = {
    "list": "list", "ndarray": "typed array", "string": "text", "number": "number", "index": "number", "map": "map",
    "set": "set", "regex": "regular expression", "generator": "generator",
}  # fmt: skip
# Methods that nothing of tfpy has.
_NO_COUNTERPART = {
    "reduceRight", "toPrecision", "addEventListener", "appendChild",
    "querySelector", "getContext", "toISOString", "getTime",
}  # fmt: skip
# Methods that change what they are called on, before the statement where it must be.
_CHANGES = {"add", "fill", "reverse", "set", "sort", "splice"}
# Methods of lists and texts whose arguments are indices or counts.
_BY_INDEX = {"at", "charAt", "charCodeAt", "repeat", "slice", "subarray", "substr", "substring"}
_BRANCHES = ("consequence", "condition", "alternative")
# Methods of tensors that give a promise, and those that give the same at once.
_AWAITED = {
    "data": "data_sync", "array": "array_sync", "buffer": "buffer_sync", "getValuesAsync": "get_values", "val": "get",
    "bytes": "bytes_sync",
}  # fmt: skip


def method(c: Converter, node: Node, callee: Node, arguments: Node) -> ast.expr:
    """A call of a method."""
    owner, name = parse.field(callee, "object"), text(parse.field(callee, "property"))
    if parse.has(callee, "optional_chain"):
        return _if_there(c, node, owner, lambda: _method(c, node, owner, name, callee, arguments))
    return _method(c, node, owner, name, callee, arguments)


def _if_there(c: Converter, node: Node, owner: Node, then: Callable[[], ast.expr]) -> ast.expr:
    """`owner?.method()`: None where the owner is None, which must be cheap to look at twice."""
    value = c.expr(owner)
    if not is_cheap(value):
        raise NotConvertedError("`?.` before a call has no counterpart; write an if")
    with c.without():
        return py("None if _0 is None else _1", value, then())


def _method(c: Converter, node: Node, owner: Node, name: str, callee: Node, arguments: Node) -> ast.expr:
    kind = c.kinds.of(owner)
    if kind == PARSER:
        return commandline.method(c, owner, name, arguments)
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
    """A method of a list, a text and the like, or one that is taken for such; None for what is not known as one."""
    kind = c.kinds.of(owner)
    rule, ahead = _RULES.get(name), len(c.pre or ())
    found = rule(c, node, owner, kids(arguments)) if rule is not None else surroundings.asked(c, owner, name)
    if name in _CHANGES and len(c.pre or ()) > ahead and _is_looked_at_before(owner):
        raise NotConvertedError(f"`{name}` behind something that it changes has no counterpart; give it a statement")
    if found is not None and kind == UNKNOWN and name in c.kinds.members.methods:
        c.check(node, f"is this `{name}` the method of a list or a text, as here, or the script's own?")
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
    """Whether a statement reads something of a list, and then changes the list, which would come first here."""
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
    """`f.call(null, …)`, `f.apply(null, list)` and `f.bind(null, …)`, where `this` is the same or not used."""
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
    """Whether a method that gives a promise is one of tensors, which have a twin that is ready at once."""
    if name == "val":
        return any(module is not None and module.partition(".")[0] == "dl" for module in c.modules.values())
    if given:
        return False
    if kind.name in names.classes():
        return hasattr(names.classes()[kind.name], _AWAITED[name])
    return kind == UNKNOWN and name not in c.kinds.members.methods


def _map(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    if len(given) != 1:
        return None
    length = array_length(owner)
    if length is not None and _takes_no_item(c, given[0]):
        return callbacks.comprehension(c, given[0], call("range", index(c, length)), items=None, counted=True)
    over = _items(c, owner)
    return callbacks.comprehension(c, given[0], over, items=over)


def _takes_no_item(c: Converter, function: Node) -> bool:
    """Whether a function does not look at its first parameter."""
    listed = parse.parameters(function) if function.type in parse.FUNCTIONS else []
    binding = c.scopes.bindings.get(listed[0].id) if listed else None
    return function.type in parse.FUNCTIONS and (not listed or (binding is not None and not binding.reads))


def _items(c: Converter, owner: Node) -> ast.expr:
    """What a function is called for: the items of a list, those of a numpy array as Python's numbers."""
    return iterated(c, owner) if c.kinds.of(owner) == NDARRAY else c.expr(owner)


def _keys(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    length = array_length(owner)
    return call("range", index(c, length)) if length is not None else None


def _entries(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`entries()` of what may be a list or a map: lists are gone over with their indices far more often."""
    if c.kinds.of(owner) != UNKNOWN or "entries" in c.kinds.members.methods:
        return None
    c.check(node, "`entries` of a list, as here, is enumerate(…); of a map it must be .items()")
    return call("enumerate", c.expr(owner))


def _flat_map(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    over = _items(c, owner)
    return callbacks.comprehension(c, given[0], over, items=over, flat=True)


def _filter(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    return callbacks.chosen(c, given[0], _items(c, owner)) if len(given) == 1 else None


def _quantifier(word: str) -> Rule:
    return lambda c, node, owner, given: callbacks.quantified(c, word, given[0], _items(c, owner))


def _search(index: bool) -> Rule:
    return lambda c, node, owner, given: callbacks.searched(c, given[0], _items(c, owner), index)


def _reduce(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    return callbacks.reduced(c, parse.field(node, "arguments"), _items(c, owner))


def _sort(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`sort` as a statement sorts the list; of a new list it is `sorted`."""
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
    """Whether a list is made here, so that nobody sees it being changed."""
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
            c.check(node, "`concat` with something that is no list adds it as an item; here it must be a list")
        found = py("_0 + [_1]" if of_items else "_0 + _1", found, one)
    return found


def _asks_for_list(node: Node) -> bool:
    """Whether an expression is `Array.isArray(x) ? … : x`, so that its alternative is an item."""
    if node.type != "ternary_expression":
        return False
    test, _, other = (text(parse.field(node, part)) for part in ("condition", "consequence", "alternative"))
    return test == f"Array.isArray({other})"


def _is_tuple(c: Converter, node: Node) -> bool:
    """Whether something is a shape, or a part of one that is given to a function."""
    if node.type == "call_expression" and parse.field(node, "function").type == "member_expression":
        callee = parse.field(node, "function")
        return text(parse.field(callee, "property")) == "slice" and c.kinds.of(parse.field(callee, "object")).fixed
    return c.kinds.of(node).fixed


def _slice(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`slice` of what is not known: a list's and a text's; a tensor's takes begin and size."""
    if surroundings.is_command_line(owner) and len(given) == 1 and text(given[0]).isdigit() and text(given[0]) != "0":
        return py(f"sys.argv[{int(text(given[0])) - 1}:]")
    if c.kinds.of(owner) == MATCH and [text(part) for part in given] == ["1"]:
        return py("list(_0.groups())", c.expr(owner))
    if c.kinds.of(owner).fixed and node.parent is not None and node.parent.type != "arguments":
        parts = [c.expr(owner), *(index(c, part) for part in given)]
        return call("list", fitting(builtins.LISTS["slice"], parts, "`slice`") if given else parts[0])
    if c.kinds.of(owner) != UNKNOWN or any(g.type == "array" or c.kinds.of(g).name == "list" for g in given):
        return None
    if len(given) == 2 and text(given[0]) != "0":
        c.check(node, "`slice` of a list or a text takes begin and end; of a tensor it takes begin and size")
    bounds = [index(c, part) for part in given]
    return py("_0[_1:_2]" if len(given) == 2 else "_0[_1:]" if given else "_0[:]", c.expr(owner), *bounds)


def _join(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    if c.kinds.of(owner) != Kind("list", STRING):
        return None
    return py("_0.join(_1)", c.expr(given[0]) if given else string(","), c.expr(owner))


def _splice(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`splice` takes items out and puts others in."""
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


def _split(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    if len(given) == 1 and patterns.known(c, given[0]) is not None:
        return py("re.split(_0, _1)", patterns.put(c, given[0]), c.expr(owner))
    if given and text(given[0]) in ("''", '""'):
        return call("list", c.expr(owner))
    return None


def _replace(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    if len(given) != 2:
        return None
    literal = patterns.known(c, given[0])
    if literal is None:
        kind = c.kinds.of(owner)
        if kind not in (UNKNOWN, STRING):
            return None
        once = text(parse.field(parse.field(node, "function"), "property")) == "replace"
        return py("_0.replace(_1, _2, 1)" if once else "_0.replace(_1, _2)", c.expr(owner), *map(c.expr, given))
    other = patterns.replacement(c, given[1])
    every = "g" in text(literal.child_by_field_name("flags"))
    form = "re.sub(_0, _1, _2)" if every else "re.sub(_0, _1, _2, count=1)"
    return py(form, patterns.put(c, given[0]), other, c.expr(owner))


def _to_fixed(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    digits = build.whole(c.expr(given[0])) if given else 0
    value = c.expr(owner)
    said = f"{digits}" if digits is not None else f"{{{source(c.expr(given[0]))}}}"
    inner = source(value)
    if '"' in inner:
        inner = inner.replace('"', "'")
    if "\\" in inner or ('"' in source(value) and "'" in source(value)):
        return call("format", value, string(f".{digits}f"))
    return atom(f'f"{{{inner}:.{said}f}}"')


def _set(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`map.set(k, v)` and `array.set(values, offset)`."""
    kind = c.kinds.of(owner)
    if kind.name not in ("map", "ndarray"):
        return None
    value = c.expr(owner)
    alone = node.parent is not None and node.parent.type == "expression_statement"
    if kind.name == "map":
        c.first(build.assign(ast.Subscript(value, c.expr(given[0])), c.expr(given[1])))
        return atom("None") if alone else value
    at, items = c.expr(given[1]) if len(given) > 1 else atom("0"), c.expr(given[0])
    if isinstance(items, ast.List) and len(items.elts) == 1 and not isinstance(items.elts[0], ast.Starred):
        c.first(build.assign(ast.Subscript(value, at), items.elts[0]))
        return atom("None")
    named = [p if is_cheap(p) else atom(c.new_name(name, node)) for p, name in ((at, "at"), (items, "items"))]
    c.first(*(build.assign(name, p) for name, p in zip(named, (at, items), strict=True) if name is not p))
    c.first(build.assign(py("_0[_1:_1 + len(_2)]", value, *named), named[1]))
    return atom("None")


def _add(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`set.add(item)`, which gives the set."""
    if c.kinds.of(owner).name != "set" or (node.parent is not None and node.parent.type == "expression_statement"):
        return None
    value = c.expr(owner)
    c.first(ast.Expr(py("_0.add(_1)", value, c.expr(given[0]))))
    return value


def _for_each(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`forEach` that could not become a loop."""
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


def _to_string(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`n.toString(16)`."""
    if not given:
        return None
    form = {"16": "x", "8": "o", "2": "b"}.get(text(given[0]))
    if form is None or c.kinds.of(owner) not in NUMBERS:
        raise NotConvertedError("`toString` in this base has no counterpart")
    return py("format(_0, _1)", c.expr(owner), string(form))


def _delete(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`delete` of a map or a set, which says whether something was there."""
    alone = node.parent is not None and node.parent.type == "expression_statement"
    if alone or c.kinds.of(owner).name not in ("map", "set"):
        return None
    raise NotConvertedError("whether `delete` found something has no counterpart; ask with `has` before")


def _time(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`new Date().getTime()`."""
    now = owner.type == "new_expression" and "".join(text(owner).split()) in ("newDate()", "newDate")
    return py("time.time() * 1000") if now else None


def _locale_compare(c: Converter, node: Node, owner: Node, given: list[Node]) -> ast.expr | None:
    """`a.localeCompare(b)`, of which the sign counts."""
    if len(given) != 1:
        raise NotConvertedError("`localeCompare` with options has no counterpart; see Python's locale")
    one, other = c.expr(owner), c.expr(given[0])
    if not (is_cheap(one) and is_cheap(other)):
        raise NotConvertedError("`localeCompare` of what is computed has no counterpart here; give it a name")
    c.check(node, callbacks.BY_LANGUAGE)
    return py("(_0.casefold() > _1.casefold()) - (_0.casefold() < _1.casefold())", one, other)


_RULES: dict[str, Rule] = {
    "localeCompare": _locale_compare,
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
    "toString": _to_string,
    "splice": _splice,
    "split": _split,
    "replace": _replace,
    "replaceAll": _replace,
    "test": patterns.test,
    "exec": patterns.searched,
    "match": patterns.match,
    "matchAll": patterns.match_all,
    "toFixed": _to_fixed,
    "set": _set,
    "add": _add,
    "forEach": _for_each,
    "delete": _delete,
    "getTime": _time,
}
