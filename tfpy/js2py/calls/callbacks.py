"""Functions as arguments of list methods: comprehensions, conditions, sort keys."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.kind import NDARRAY, STRING
from tfpy.js2py.converter import Converter
from tfpy.js2py.expressions.conditions import truth
from tfpy.js2py.expressions.destructuring import as_items, is_of_items
from tfpy.js2py.expressions.functions import define, is_called_at_once, name_for, reference, value_of
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import assign, atom, call, name_of, py
from tfpy.js2py.syntax.parse import bare, kids, text

BY_LANGUAGE = "`localeCompare` goes by the rules of a language; here letters go by their codes, without case"
CONVERSIONS = {"Number": "float", "parseFloat": "float", "String": "str", "Boolean": "bool", "parseInt": "int"}


class Inlined:
    """A function whose body is inlined where it is called.

    Attributes:
        targets: the variables for its parameters.
        value: its body.
    """

    def __init__(self, targets: list[ast.expr], value: ast.expr) -> None:
        self.targets = targets
        self.value = value


def inlined(c: Converter, function: Node, arity: int, condition: bool = False) -> Inlined:
    """A function of at most `arity` parameters as variables and a body; a longer one becomes a def that is called."""
    function = bare(function)
    given = parse.parameters(function) if function.type in parse.FUNCTIONS else []
    if function.type == "arrow_function" and len(given) <= arity and _is_short(c, function, given):
        noted = len(c.notes), len(c.checks)
        try:
            patterns = [p for p in given if not parse.is_tuple_of_names(p)]
            with c.without(places=False), as_items(c, patterns) as named:
                body = parse.field(function, "body")
                targets = [atom(named[p.id]) if p.id in named else _target(c, p) for p in given]
                return Inlined(targets, truth(c, body) if condition else c.expr(body))
        except NotConvertedError:
            del c.notes[noted[0] :], c.checks[noted[1] :]
    return _called(c, function, given, arity)


def _is_short(c: Converter, function: Node, given: list[Node]) -> bool:
    """Whether a function is one expression that keeps no variable for later, with plain parameters or lists of them."""
    body = parse.field(function, "body")
    nested = any(n.type in parse.FUNCTIONS and not is_called_at_once(n) for n in parse.walk(body))
    plain = all(p.type == "identifier" or is_of_items(p) for p in given)
    return body.type != "statement_block" and plain and not c.scopes.outer_writes(function) and not nested


def _target(c: Converter, node: Node) -> ast.expr:
    if node.type == "array_pattern":
        return ast.Tuple([c.name(kid) for kid in kids(node)])
    return c.name(node)


def _called(c: Converter, function: Node, given: list[Node], arity: int) -> Inlined:
    """A function that is called with new variables."""
    if function.type == "identifier" and function.id not in c.scopes.bindings and text(function) in CONVERSIONS:
        return Inlined([atom("item")], call(CONVERSIONS[text(function)], atom("item")))
    count = min(arity, len(given)) if function.type in parse.FUNCTIONS else _parameters_of(c, function, arity)
    if function.type in parse.FUNCTIONS:
        found: ast.expr = atom(c.new_name(names.variable(name_for(function)), function.parent or function))
        c.first(define(c, function, name_of(found)), effects=False)
    else:
        found = c.expr(function)
    taken = [name_of(c.name(p)) if p.type == "identifier" else "_" for p in given]
    spare = ("item", "i", "items")
    chosen_names = [taken[i] if i < len(taken) and taken[i].strip("_") else spare[i] for i in range(count)]
    targets: list[ast.expr] = [atom(name) for name in chosen_names]
    return Inlined(targets, call(found, *targets))


def _parameters_of(c: Converter, function: Node, arity: int) -> int:
    """The number of arguments that a function takes which is passed by name."""
    binding = c.scopes.bindings.get(function.id)
    declared = binding.value if binding is not None else None
    if declared is not None and declared.type in parse.FUNCTIONS:
        return min(arity, len(parse.parameters(declared)))
    return 1


def comprehension(
    c: Converter, function: Node, over: ast.expr, items: ast.expr | None, counted: bool = False, flat: bool = False
) -> ast.expr:
    """`[f(x) for x in over]`; with the index if the function takes it.

    Args:
        c: the converter.
        function: the function.
        over: the iterable.
        items: the list; None if there are only numbers.
        counted: the items are the numbers from 0 on, and the first parameter is unused.
        flat: the function returns lists, which are concatenated.
    """
    found = inlined(c, function, 3 if items is not None else 2)
    if items is not None:
        over = _with_list(c, found, function, over)
    target, source = _loop(found.targets, over, counted)
    loops = [ast.comprehension(target, source, [], 0)]
    if flat:
        loops.append(ast.comprehension(atom("item"), found.value, [], 0))
        return ast.ListComp(atom("item"), loops)
    made = name_of(found.value.func) if isinstance(found.value, ast.Call) and found.value.args == [target] else ""
    if made in ("float", "int", "str"):
        return py(f"list(map({made}, _0))", source)
    return ast.ListComp(found.value, loops)


def _with_list(c: Converter, found: Inlined, function: Node, over: ast.expr) -> ast.expr:
    """The iterable, for a function that also takes the list itself; a computed list gets a name."""
    if len(found.targets) < 3:
        return over
    if not isinstance(over, (ast.Name, ast.Attribute)):
        name = atom(c.new_name("items", function.parent or function))
        c.first(assign(name, over))
        over = name
    found.value = replaced(found.value, name_of(found.targets[2]), over)
    return over


def replaced(value: ast.expr, name: str, other: ast.expr) -> ast.expr:
    """An expression with a name replaced by another expression."""

    class Replace(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return other if node.id == name else node

    done: ast.expr = Replace().visit(value)
    return done


def _loop(targets: list[ast.expr], over: ast.expr, counted: bool) -> tuple[ast.expr, ast.expr]:
    """The target and the iterable of a loop."""
    if counted:
        return (targets[1] if len(targets) > 1 else atom("_")), over
    if len(targets) > 1 and name_of(targets[0]).strip("_") == "":
        return targets[1], py("range(len(_0))", over)
    return _with_items(targets, over)


def _with_items(targets: list[ast.expr], over: ast.expr) -> tuple[ast.expr, ast.expr]:
    """The target and the iterable of a loop over items."""
    over = build.unlisted(over)
    if len(targets) > 1:
        return ast.Tuple([targets[1], targets[0]]), call("enumerate", over)
    return targets[0] if targets else atom("_"), over


def chosen(c: Converter, function: Node, over: ast.expr) -> ast.expr:
    """`[x for x in over if f(x)]`."""
    function = bare(function)
    if function.type == "identifier" and text(function) == "Boolean":
        return py("[item for item in _0 if item]", over)
    found = inlined(c, function, 3, condition=True)
    if not found.targets:
        raise NotConvertedError("a filter that ignores the items has no counterpart")
    target, source = _with_items(found.targets, _with_list(c, found, function, over))
    return ast.ListComp(found.targets[0], [ast.comprehension(target, source, [found.value], 0)])


def quantified(c: Converter, word: str, function: Node, over: ast.expr) -> ast.expr:
    """`any(f(x) for x in over)`, or the same with `all`."""
    found = inlined(c, function, 3, condition=True)
    target, source = _loop(found.targets, _with_list(c, found, function, over), False)
    return call(word, ast.GeneratorExp(found.value, [ast.comprehension(target, source, [], 0)]))


def searched(c: Converter, function: Node, over: ast.expr, index: bool) -> ast.expr:
    """The first item, or its index, for which a function returns true."""
    found = inlined(c, function, 3, condition=True)
    if not found.targets:
        raise NotConvertedError("a search that ignores the items has no counterpart")
    over = _with_list(c, found, function, over)
    if index and len(found.targets) == 1:
        found.targets.append(atom("i"))
    target, source = _with_items(found.targets, over)
    wanted = found.targets[1] if index else found.targets[0]
    loops = [ast.comprehension(target, source, [found.value], 0)]
    return call("next", ast.GeneratorExp(wanted, loops), atom("-1" if index else "None"))


def reduced(c: Converter, arguments: Node, over: ast.expr) -> ast.expr:
    """`reduce`; a sum is `sum`."""
    function, *start = kids(arguments)
    function = bare(function)
    given = [text(p) for p in parse.parameters(function)] if function.type in parse.FUNCTIONS else []
    body = text(parse.field(function, "body")) if given else ""
    adds = len(given) == 2 and "".join(body.split()) in (f"{given[0]}+{given[1]}", f"{given[1]}+{given[0]}")
    if adds and c.kinds.of(arguments.parent) != STRING and (not start or text(start[0]) == "0"):
        return call("sum", over)
    if len(given) > 2:
        return _reduced_by_index(c, function, over, start)
    return call("functools.reduce", reference(c, function, "combine"), build.unlisted(over), *map(c.expr, start))


def _reduced_by_index(c: Converter, function: Node, over: ast.expr, start: list[Node]) -> ast.expr:
    """`reduce` with a function that also takes the index."""
    if not start:
        raise NotConvertedError("`reduce` with an index and without an initial value has no counterpart")
    combine = atom(c.new_name("combine", function.parent or function))
    c.first(define(c, function, name_of(combine)), effects=False)
    items = ", _2" if len(parse.parameters(function)) > 3 else ""
    form = f"lambda total, pair: _0(total, pair[1], pair[0]{items})"
    return call("functools.reduce", py(form, combine, over, over), call("enumerate", over), c.expr(start[0]))


def sorting(c: Converter, function: Node | None, items: Node) -> list[ast.keyword]:
    """The keywords of `sort` and `sorted` for a comparison function."""
    if function is None:
        kind = c.kinds.of(items)
        if kind == NDARRAY:
            return []  # a typed array is sorted numerically
        if kind.item is not None and kind.item.name == "string":
            return []
        c.check(items, "without a function, JavaScript sorts numbers as strings")
        return [ast.keyword("key", atom("str"))]
    function = bare(function)
    difference = _difference(c, function)
    if difference is None:
        return [ast.keyword("key", call("functools.cmp_to_key", reference(c, function, "compare")))]
    key, backwards = difference
    found = [] if key is None else [ast.keyword("key", key)]
    return found + ([ast.keyword("reverse", atom("True"))] if backwards else [])


def _difference(c: Converter, function: Node) -> tuple[ast.expr | None, bool] | None:
    """Key and direction if a function compares the same expression of both items; None for any other function."""
    given = parse.parameters(function) if function.type in ("arrow_function", "function_expression") else []
    sides = _compared(value_of(parse.field(function, "body"))) if len(given) == 2 else None
    if sides is None or any(p.type != "identifier" for p in given):
        return None
    a, b = (name_of(c.name(p)) for p in given)
    with c.without(places=False):
        left, right = (c.expr(side) for side in sides[:2])
    used = {n.id for n in ast.walk(left) if isinstance(n, ast.Name)} & {a, b}
    if len(used) != 1:
        return None
    mine = used.pop()
    other = b if mine == a else a
    if ast.dump(replaced(right, other, atom(mine))) != ast.dump(left):
        return None
    plain = name_of(left) == mine
    if sides[2]:
        c.check(function, BY_LANGUAGE)
        return atom("str.casefold") if plain else ast.Lambda(_one(mine), py("_0.casefold()", left)), mine == b
    return None if plain else ast.Lambda(_one(mine), left), mine == b


def _compared(body: Node) -> tuple[Node, Node, bool] | None:
    """The two sides of `a - b` and `a.localeCompare(b)`, and whether it is the latter; None for anything else."""
    if body.type == "binary_expression" and text(body.child_by_field_name("operator")) == "-":
        return parse.field(body, "left"), parse.field(body, "right"), False
    callee = parse.field(body, "function") if body.type == "call_expression" else body
    listed = kids(parse.field(body, "arguments")) if callee is not body else []
    if callee.type == "member_expression" and text(parse.field(callee, "property")) == "localeCompare":
        return (parse.field(callee, "object"), listed[0], True) if len(listed) == 1 else None
    return None


def _one(name: str) -> ast.arguments:
    return ast.arguments([], [ast.arg(name)], None, [], [], None, [])
