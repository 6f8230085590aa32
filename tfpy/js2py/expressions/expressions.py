"""Expressions: literals, texts, lists, objects, names, conditions."""

from __future__ import annotations

import ast
import re

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.kind import BOOL, DICT, NAMESPACE, NDARRAY, NULL, NUMBERS, STRING, UNKNOWN
from tfpy.js2py.analysis.members import class_around
from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.expressions.functions import reference
from tfpy.js2py.expressions.properties import GLOBALS, NUMBERS_AS_KEYS, looked_for, property_of
from tfpy.js2py.expressions.surroundings import constant
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, call, py, string
from tfpy.js2py.syntax.parse import bare, kids, text
from tfpy.js2py.syntax.printing import source

# Names that need no declaration.
_GLOBALS = {
    "undefined": "None",
    "NaN": "math.nan",
    "Infinity": "math.inf",
    "__dirname": "os.path.dirname(__file__)",
    "__filename": "__file__",
}
_TIMERS = {"setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "queueMicrotask"}
# Objects of JavaScript of which nothing, or only some methods, has a counterpart.
_JAVASCRIPTS = {
    "Symbol", "console", "globalThis", "Proxy", "Reflect", "Intl", "Buffer", "process", "Atomics", "BigInt", "Date",
    "Promise", "JSON", "Math", "Object", "Array", "Number", "Function", "eval", "crypto", "exports",
}  # fmt: skip
_BROWSER = {
    "document", "window", "fetch", "localStorage", "sessionStorage", "navigator", "alert", "Image", "location",
    "requestAnimationFrame", "HTMLElement", "ImageData", "XMLHttpRequest", "WebSocket", "indexedDB", "FileReader",
}  # fmt: skip


@expression("number")
def number(c: Converter, node: Node) -> ast.expr:
    """A number, written as in the script where Python reads it alike."""
    raw = text(node).lower().removesuffix("n")
    if re.fullmatch(r"0[0-7]+", raw):
        return atom(f"0o{raw[1:]}")
    if re.fullmatch(r"[\d_]*\.?\d*e\+?\d+", raw) and float(raw).is_integer() and float(raw) < 1e15:
        return atom(str(int(float(raw))))
    raw = re.sub(r"^\.", "0.", raw)
    return atom(re.sub(r"\.($|e)", r".0\1", raw))


@expression("true", "false", "null", "undefined")
def literal(c: Converter, node: Node) -> ast.expr:
    """True, False and None."""
    return atom({"true": "True", "false": "False"}.get(node.type, "None"))


@expression("string")
def text_literal(c: Converter, node: Node) -> ast.expr:
    """A string."""
    return string(unescaped(text(node)[1:-1]))


def unescaped(raw: str) -> str:
    """The text that is meant by what is between the quotes."""
    simple = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}

    def one(found: re.Match[str]) -> str:
        said = found[1]
        if said[0] in "ux" and len(said) > 1:
            return chr(int(said[1:].strip("{}"), 16))
        return simple.get(said, said)

    text = re.sub(r"\\(u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|.|\n)", one, raw, flags=re.DOTALL)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # halves of pairs are put together


@expression("template_string")
def template(c: Converter, node: Node) -> ast.expr:
    """A template: an f-string, or a plain string where nothing is filled in."""
    parts: list[str | ast.expr] = []
    at = node.start_byte + 1
    raw = node.text or b""
    for child in [*kids(node), None]:
        if child is not None and child.type != "template_substitution":
            continue
        end = child.start_byte if child is not None else node.end_byte - 1
        parts.append(unescaped(raw[at - node.start_byte : end - node.start_byte].decode()))
        if child is not None:
            parts.append(shown(c, kids(child)[0]))
            at = child.end_byte
    return joined([part for part in parts if part != ""])


def shown(c: Converter, node: Node) -> ast.expr:
    """An expression as part of a text: lists are shown as JavaScript does, with commas only."""
    node = bare(node)
    kind, found = c.kinds.of(node), c.expr(node)
    if kind == NDARRAY:
        return py('",".join(map(str, _0.tolist()))', found)
    if kind.name == "list":
        return py('",".join(_0)' if kind.item == STRING else '",".join(map(str, _0))', found)
    if kind == DICT:
        c.check(node, "JavaScript shows an object in a text as [object Object]")
    return found


def joined(parts: list[str | ast.expr]) -> ast.expr:
    """Texts and expressions as one string."""
    parts = [value if isinstance(p, ast.expr) and (value := build.string_value(p)) is not None else p for p in parts]
    if all(isinstance(part, str) for part in parts):
        return string("".join(part for part in parts if isinstance(part, str)))
    if len(parts) == 1 and isinstance(parts[0], ast.expr):
        only = parts[0]
        return only if is_fstring(only) is not None or _is_joined(only) else call("str", only)
    pieces = [p if isinstance(p, str) else _field(p) for p in parts]
    if None in pieces:  # quotes or backslashes that an f-string must not have before Python 3.12
        texts = [string(p) if isinstance(p, str) else call("str", p) for p in parts]
        found: ast.expr = texts[0]
        for other in texts[1:]:
            found = py("_0 + _1", found, other)
        return found
    quoted = []
    for part, piece in zip(parts, pieces, strict=True):
        assert piece is not None
        quoted.append(build.escaped(piece).replace("{", "{{").replace("}", "}}") if part is piece else piece)
    return atom(f'f"{"".join(quoted)}"')


def _is_joined(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "join"


def _field(node: ast.expr) -> str | None:
    """An expression within an f-string; None if it cannot be written there."""
    if isinstance(node, ast.Call) and build.name_of(node.func) == "str" and len(node.args) == 1:
        node = node.args[0]
    inner = is_fstring(node)
    if inner is not None:
        return inner
    said = source(node)
    if '"' in said and "'" not in said:
        said = said.replace('"', "'")
    if '"' in said or "\\" in said or "#" in said:
        return None
    if said.startswith("{"):
        said = f" {said}"
    return f"{{({said})}}" if isinstance(node, ast.Lambda) else f"{{{said}}}"


def is_fstring(node: ast.expr) -> str | None:
    """What is between the quotes of an f-string; None for anything else."""
    found = node.id if isinstance(node, ast.Name) else ""
    return found[2:-1] if found.startswith('f"') else None


@expression("array")
def array(c: Converter, node: Node) -> ast.expr:
    """A list; `[...Array(n).keys()]` is a range."""
    items = elements(c, node)
    if len(items) == 1 and isinstance(items[0], ast.Starred):
        return as_list(items[0].value)
    return ast.List(items)


def as_list(items: ast.expr) -> ast.expr:
    """A list of what can be gone over; that of a numpy array is one already."""
    made = isinstance(items, ast.Call) and isinstance(items.func, ast.Attribute) and items.func.attr == "tolist"
    return items if made else py("list(_0)", items)


def elements(c: Converter, node: Node) -> list[ast.expr]:
    """The items of a list or the arguments of a call, with the comments that stand among them."""
    return [found for child in with_comments(c, node) for found in [element(c, child[0], child[1], child[2])]]


def with_comments(c: Converter, node: Node) -> list[tuple[Node, list[str], str]]:
    """The children of a node, each with the lines of comment before it and the comment behind it."""
    found: list[tuple[Node, list[str], str]] = []
    waiting: list[str] = []
    for child in node.named_children:
        if child.type != "comment":
            found.append((child, waiting, ""))
            waiting = []
        elif found and found[-1][0].end_point.row == child.start_point.row:
            found[-1] = (*found[-1][:2], " ".join(c.place(child)))
        else:
            waiting = waiting + c.place(child)
    if waiting and found:
        found[-1] = (*found[-1][:2], " ".join([found[-1][2], *waiting]).strip())
    return found


def element(c: Converter, node: Node, before: list[str], behind: str) -> ast.expr:
    """An item with its comments."""
    if node.type == "spread_element":
        found: ast.expr = spread(c, node)
    else:
        found = c.expr(node)
    if before:
        build.put_before(found, before)
    if behind:
        build.put_behind(found, behind)
    return found


@expression("object")
def mapping(c: Converter, node: Node) -> ast.expr:
    """A dict; its keys stay as they are."""
    keys: list[ast.expr | None] = []
    values: list[ast.expr] = []
    for child, before, behind in with_comments(c, node):
        key, value = entry(c, child)
        if before:
            build.put_before(value, before)
        if behind:
            build.put_behind(value, behind)
        keys.append(key)
        values.append(value)
    return ast.Dict(keys, values)


def entry(c: Converter, node: Node) -> tuple[ast.expr | None, ast.expr]:
    """Key and value of a part of an object; a spread has no key."""
    if node.type == "spread_element":
        return None, _spread_object(c, bare(kids(node)[0]))
    if node.type == "shorthand_property_identifier":
        return string(text(node)), c.expr(node)
    if node.type == "method_definition":
        if parse.has(node, "get") or parse.has(node, "set"):
            raise NotConvertedError("a plain object with getters or setters has no counterpart; write a class")
        key = text(parse.field(node, "name"))
        return string(key), reference(c, node, key)
    key_node, value = parse.field(node, "key"), parse.field(node, "value")
    if key_node.type == "computed_property_name":
        if c.kinds.of(kids(key_node)[0]) in NUMBERS:
            c.check(node.parent or node, NUMBERS_AS_KEYS)
        return c.expr(kids(key_node)[0]), c.expr(value)
    if key_node.type == "number":
        c.check(node.parent or node, NUMBERS_AS_KEYS)
        return c.expr(key_node), c.expr(value)
    key = text(key_node) if key_node.type == "property_identifier" else unescaped(text(key_node)[1:-1])
    return string(key), reference(c, value, key) if value.type in parse.FUNCTIONS else c.expr(value)


def _spread_object(c: Converter, node: Node) -> ast.expr:
    """What `...` puts into an object; of `...(a && {b})` nothing where a is false."""
    if node.type != "binary_expression" or not parse.has(node, "&&"):
        return c.expr(node)
    test = truth(c, parse.field(node, "left"))
    return py("_0 if _1 else {}", c.maybe(parse.field(node, "right")), test)


@expression("identifier", "shorthand_property_identifier")
def identifier(c: Converter, node: Node) -> ast.expr:
    """A name."""
    name = text(node)
    binding = c.scopes.bindings.get(node.id)
    if name in c.modules and (binding is None or binding.kind in ("import", "variable")):
        path = c.modules[name]
        if path is None:
            raise NotConvertedError(f"{name} comes from a package that has no counterpart here")
        if path.partition(".")[0] not in names.ROOTS:
            return constant(path)
        found = names.resolve(path.split("."))
        if found is None:
            raise NotConvertedError(names.missing(path.split(".")))
        return py(found[0])
    if binding is not None:
        return atom(binding.python)
    if _GLOBALS.get(name):
        return py(_GLOBALS[name])
    if name in _BROWSER:
        raise NotConvertedError(f"{name} is the browser's")
    if name in _TIMERS:
        raise NotConvertedError(f"{name} has no counterpart; call the function where it is due")
    if name == "arguments":
        raise NotConvertedError("`arguments` has no counterpart; name the parameters")
    if name in _JAVASCRIPTS:
        raise NotConvertedError(f"this use of {name} has no counterpart")
    return py(".".join(GLOBALS[name])) if name in GLOBALS else atom(names.variable(name))


@expression("this")
def this(c: Converter, node: Node) -> ast.expr:
    """The instance."""
    found = node.parent
    while found is not None and (found.type not in parse.FUNCTIONS or found.type == "arrow_function"):
        if found.type == "class_body":
            return atom("self")
        found = found.parent
    if found is None or found.parent is None or found.parent.type != "class_body" or parse.has(found, "static"):
        raise NotConvertedError("`this` that is no instance of a class has no counterpart")
    return atom("self")


@expression("unary_expression")
def unary(c: Converter, node: Node) -> ast.expr:
    """`!`, `-`, `+`, `~`, `typeof`, `void`, `delete`."""
    sign, inner = text(node.child_by_field_name("operator")), parse.field(node, "argument")
    if sign == "!":
        return negated(truth(c, inner))
    if sign == "+":
        return c.expr(inner) if c.kinds.of(inner) in NUMBERS else call("float", c.expr(inner))
    if sign == "void":
        return atom("None")
    if sign == "delete":
        if inner.type not in ("member_expression", "subscript_expression"):
            raise NotConvertedError("`delete` of this has no counterpart")
        item = property_of(c, inner, *_owner(c, inner)) if inner.type == "member_expression" else c.expr(inner)
        if isinstance(item, ast.Subscript):
            return py("_0.pop(_1, None)", item.value, item.slice)
        if isinstance(item, ast.Attribute) and c.kinds.of(parse.field(inner, "object")) == NAMESPACE:
            return call("delattr", item.value, string(item.attr))
    if sign == "~" and inner.type == "unary_expression" and parse.has(inner, "~"):
        return call("int", c.expr(parse.field(inner, "argument")))
    if sign == "typeof":
        c.check(node, "Python's types have other names: int and float for number, str for string")
        return py("type(_0).__name__", c.expr(inner))
    if sign in ("-", "~"):
        return py(f"{sign}_0", c.expr(inner))
    raise NotConvertedError(f"`{sign}` has no counterpart here")


def _owner(c: Converter, node: Node) -> tuple[Node, ast.expr, str]:
    owner = parse.field(node, "object")
    return owner, c.expr(owner), text(parse.field(node, "property"))


_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def negated(node: ast.expr) -> ast.expr:
    """The opposite of a condition."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _OPPOSITE:
        return ast.Compare(node.left, [_OPPOSITE[type(node.ops[0])]()], node.comparators)
    known = {"True": "False", "False": "True"}.get(build.name_of(node))
    return atom(known) if known is not None else py("not _0", node)


def truth(c: Converter, node: Node) -> ast.expr:
    """An expression as a condition: what is no number, text or bool is true in JavaScript unless it is not there."""
    node = bare(node)
    if node.type == "binary_expression" and text(node.child_by_field_name("operator")) in ("&&", "||"):
        word = "and" if text(node.child_by_field_name("operator")) == "&&" else "or"
        left = truth(c, parse.field(node, "left"))
        if is_always(left, word == "or"):
            return left
        with c.without():
            return build.both(word, left, truth(c, parse.field(node, "right")))
    if node.type in ("binary_expression", "unary_expression", "true", "false"):
        return c.expr(node)
    kind, found = c.kinds.of(node), c.expr(node)
    if kind in (*NUMBERS, STRING, BOOL, NULL):
        return found
    if kind != UNKNOWN or _is_looked_for(c, node):
        return py("_0 is not None", found)
    check_empty(c, node, found)
    return found


def is_always(test: ast.expr, value: bool) -> bool:
    """Whether a condition is known to be true, or false, as those on `typeof window` are."""
    return build.name_of(test) == str(value)


def check_empty(c: Converter, node: Node, found: ast.expr) -> None:
    """Note that something which is asked for its truth may be an empty list, unless a call gives it."""
    if node.type not in ("call_expression", "await_expression") and not isinstance(found, (ast.Compare, ast.Call)):
        c.check(node, "an empty list or dict counts as true in JavaScript, and as false in Python")


def _is_looked_for(c: Converter, node: Node) -> bool:
    """Whether an attribute is None until a method sets it."""
    owner = class_around(node) if text(node).startswith("this.") and node.type == "member_expression" else None
    return owner is not None and text(parse.field(node, "property")) in looked_for(owner)


@expression("ternary_expression")
def ternary(c: Converter, node: Node) -> ast.expr:
    """`a if condition else b`."""
    test = truth(c, parse.field(node, "condition"))
    for part, value in (("consequence", True), ("alternative", False)):
        if is_always(test, value):
            return c.expr(parse.field(node, part))
    return py(
        "_0 if _1 else _2", c.maybe(parse.field(node, "consequence")), test, c.maybe(parse.field(node, "alternative"))
    )


@expression("spread_element")
def spread(c: Converter, node: Node) -> ast.expr:
    """`*items` within a call or a list."""
    return ast.Starred(iterated(c, kids(node)[0]))


def iterated(c: Converter, node: Node) -> ast.expr:
    """What gives the items of something in JavaScript's order: of a map its pairs, of a set what was put in first.

    Those of numpy arrays become Python's numbers, since numpy's own wrap and round when they are computed with.
    """
    node = bare(node)
    kind = c.kinds.of(node)
    if kind.name == "map":
        return py("_0.items()", c.expr(node))
    if kind == NDARRAY:
        return py("_0.tolist()", c.expr(node))
    if kind.name == "set" and node.type == "new_expression" and len(kids(parse.field(node, "arguments"))) == 1:
        return py("dict.fromkeys(_0)", iterated(c, kids(parse.field(node, "arguments"))[0]))
    if kind.name == "set":
        c.check(node, "a set of Python has no order; in JavaScript it is that in which the items came")
    return c.expr(node)


@expression("await_expression")
def awaited(c: Converter, node: Node) -> ast.expr:
    """What is awaited: here it is ready at once."""
    return c.expr(kids(node)[0])


@expression("yield_expression")
def yielded(c: Converter, node: Node) -> ast.expr:
    """`yield` and `yield from`."""
    inner = [c.expr(kid) for kid in kids(node)]
    if parse.has(node, "*"):
        return ast.YieldFrom(inner[0])
    if node.parent is None or node.parent.type != "expression_statement":
        raise NotConvertedError("a value that is sent into a generator has no counterpart")
    return ast.Yield(inner[0] if inner else None)
