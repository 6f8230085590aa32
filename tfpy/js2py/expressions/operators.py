"""Operators that differ between JavaScript and Python."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.kind import BOOL, DATE, INDEX, NAMESPACE, NULL, NUMBERS, STRING, UNKNOWN, Kind
from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.expressions.conditions import check_empty, is_always, is_none, negated, truth
from tfpy.js2py.expressions.initialization import initialized
from tfpy.js2py.expressions.left_out import may_be_left_out
from tfpy.js2py.expressions.properties import GLOBALS, is_cheap, is_get, property_of, there
from tfpy.js2py.expressions.provenance import spelled_key
from tfpy.js2py.expressions.strings import joined, shown
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, call, py, string
from tfpy.js2py.syntax.parse import kids, text
from tfpy.node_rules import NodeRules

# The Python operator if there is no rule, or if the rule returns None.
BINARY = {
    "+": "_0 + _1", "-": "_0 - _1", "*": "_0 * _1", "/": "_0 / _1", "**": "_0 ** _1", "<": "_0 < _1", ">": "_0 > _1",
    "<=": "_0 <= _1", ">=": "_0 >= _1", "&": "_0 & _1", "|": "_0 | _1", "^": "_0 ^ _1", "<<": "_0 << _1",
    ">>": "_0 >> _1",
}  # fmt: skip
_TYPES = {
    "string": "isinstance(_0, str)", "number": "isinstance(_0, (int, float))", "boolean": "isinstance(_0, bool)",
    "function": "callable(_0)", "undefined": "_0 is None",
    "object": "not isinstance(_0, (str, int, float, type(None)))",
}  # fmt: skip
# Python's counterparts of JavaScript's classes.
INSTANCES = {
    "Error": "Exception", "TypeError": "TypeError", "RangeError": "ValueError", "Array": "list", "Map": "dict",
    "Set": "set", "Float32Array": "np.ndarray", "Int32Array": "np.ndarray", "Uint8Array": "np.ndarray",
    "Date": "datetime.datetime",
}  # fmt: skip
_LARGEST = 2**53  # up to here JavaScript's integers are exact
# Kinds that `===` compares by identity, and not by content.
_BY_IDENTITY = {"list", "dict", "map", "set", "ndarray", "function", "error", "date"}


# Rules for operators: they return the expression for `left sign right`, or None.
_operator: NodeRules[str, Callable[[Converter, Node, Node, Node], ast.expr | None]] = NodeRules()


def sign_of(node: Node) -> str:
    """The operator of an expression."""
    return text(node.child_by_field_name("operator"))


@expression("binary_expression")
def binary(c: Converter, node: Node) -> ast.expr:
    """An expression with two operands."""
    left, right, sign = parse.field(node, "left"), parse.field(node, "right"), sign_of(node)
    rule = _operator.get(sign)
    found = rule(c, node, left, right) if rule is not None else None
    return found if found is not None else py(BINARY[sign], c.expr(left), c.expr(right))


@_operator("-")
def _minus(c: Converter, node: Node, left: Node, right: Node) -> ast.expr | None:
    """A difference; that of two dates is in milliseconds."""
    if c.kinds.of(left) == c.kinds.of(right) == DATE:
        return py("(_0.timestamp() - _1.timestamp()) * 1000", c.expr(left), c.expr(right))
    return _arithmetic(c, node, left, right)


@_operator("*", "/", "**")
def _arithmetic(c: Converter, node: Node, left: Node, right: Node) -> ast.expr:
    return py(BINARY[sign_of(node)], _as_number(c, left), _as_number(c, right))


def _as_number(c: Converter, node: Node) -> ast.expr:
    """An operand of arithmetic; JavaScript converts a string to a number, and a date to milliseconds."""
    kind = c.kinds.of(node)
    if kind == DATE:
        return py("_0.timestamp() * 1000", c.expr(node))
    return call("float", c.expr(node)) if kind == STRING else c.expr(node)


@_operator("in")
def _in(c: Converter, node: Node, left: Node, right: Node) -> ast.expr:
    """Whether a key is present; the keys of lists are their indices."""
    is_list = c.kinds.of(right).name in ("list", "ndarray")
    return py("0 <= _0 < len(_1)" if is_list else "_0 in _1", spelled_key(c, right, left), c.expr(right))


@_operator("instanceof")
def _is_instance(c: Converter, node: Node, left: Node, right: Node) -> ast.expr:
    return py("isinstance(_0, _1)", c.expr(left), _class(c, right))


def _class(c: Converter, node: Node) -> ast.expr:
    known = INSTANCES.get(text(node))
    if known is not None and node.id not in c.scopes.bindings:
        return py(known)
    found = c.expr(node)
    has_graphs = b"Graph" in (c.scopes.top.node.text or b"")
    # Up to 0.4 deeplearn.js's Tensor is a part of a graph, in 0.5 an array, of which variables are a subclass.
    return py("dl.NDArray, dl.Variable") if ast.unparse(found) == "dl.Tensor" and not has_graphs else found


@_operator("|")
def _bitwise_or(c: Converter, node: Node, left: Node, right: Node) -> ast.expr | None:
    """`x | 0`, which truncates a number to an integer."""
    return call("int", c.expr(left)) if text(right) == "0" else None


@_operator("&")
def _bitwise_and(c: Converter, node: Node, left: Node, right: Node) -> None:
    _check_product(c, left, right)


@_operator("<<")
def _shifted(c: Converter, node: Node, left: Node, right: Node) -> None:
    c.check(node, "JavaScript truncates the result of `<<` to 32 bits")


@_operator(">>>")
def _without_sign(c: Converter, node: Node, left: Node, right: Node) -> None:
    raise NotConvertedError("`>>>` has no counterpart")


@_operator("??")
def _unless_null(c: Converter, node: Node, left: Node, right: Node) -> ast.expr:
    """`??`, whose result is one of the operands."""
    if parse.initializes(node):
        return initialized(c, "??=", parse.field(right, "left"), parse.field(right, "right"))
    value = c.expr(left)
    if left.type in ("number", "string", "template_string"):
        return value
    return _or_default(c, left, value, c.maybe(right))


def _is_never_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and build.name_of(node.func) in ("len", "str")


def _or_default(c: Converter, node: Node, value: ast.expr, other: ast.expr) -> ast.expr:
    """A value, or another one if it is None or missing."""
    if isinstance(value, ast.Call) and is_get(value) and is_cheap(other):
        return ast.Call(value.func, [*value.args, other], [])
    match value:  # of `a?.b ?? other`
        case ast.IfExp(test, ast.Constant(None), part) if is_get(part) and is_cheap(other):
            return ast.IfExp(test, other, _or_default(c, node, part, other))
        case ast.IfExp(test, ast.Constant(None), part) if is_cheap(part) or _is_never_none(part):
            return ast.IfExp(test if _is_never_none(part) else is_none(value), other, part)
    return there(c, node, value, "_0 if _1 is not None else _2", other)


@_operator("&&", "||")
def _either(c: Converter, node: Node, left: Node, right: Node) -> ast.expr:
    """`&&` and `||`, whose result is one of the operands."""
    kind, sign = c.kinds.of(left), sign_of(node)
    if parse.initializes(node):
        return initialized(c, "||=", parse.field(right, "left"), parse.field(right, "right"))
    by_value = kind in (*NUMBERS, STRING, BOOL, NULL) or left.type in ("binary_expression", "unary_expression")
    value = c.expr(left)
    if is_always(value, sign == "||"):
        return value
    if kind == UNKNOWN and not by_value:
        check_empty(c, left, value)
    if kind != UNKNOWN and not by_value:
        if sign == "||" and right.type in ("null", "undefined"):
            return value
        if sign == "||":
            return _or_default(c, left, value, c.maybe(right))
        return there(c, left, value, "_2 if _1 is not None else _0", c.maybe(right))
    return build.both("or" if sign == "||" else "and", value, c.maybe(right))


@_operator("<", "<=", ">", ">=")
def _ordered(c: Converter, node: Node, left: Node, right: Node) -> ast.expr:
    """`<`, `>` and the like; any comparison with a missing value is false."""
    found = py(BINARY[sign_of(node)], c.expr(left), c.expr(right))
    for operand in (right, left):
        if may_be_left_out(c, operand):
            found = build.both("and", py("_0 is not None", c.expr(operand)), found)
    return found


@_operator("===", "!==", "==", "!=")
def _compared(c: Converter, node: Node, left: Node, right: Node) -> ast.expr:
    sign = sign_of(node)
    found = _equal(c, node, left, right, loose=len(sign) == 2)
    return negated(found) if sign.startswith("!") else found


def _equal(c: Converter, node: Node, left: Node, right: Node, loose: bool) -> ast.expr:
    """Equality; for null, lists, dicts and tensors it is identity."""
    for side, other in ((left, right), (right, left)):
        if side.type == "unary_expression" and sign_of(side) == "typeof" and other.type == "string":
            return of_type(c, parse.field(side, "argument"), text(other)[1:-1])
    kinds = c.kinds.of(left), c.kinds.of(right)
    for side, other, kind in ((left, right, kinds[1]), (right, left, kinds[0])):
        if kind == NULL and other.type in ("null", "undefined", "identifier") and text(other) in ("null", "undefined"):
            return is_none(c.expr(side))
    found = _membership(c, left, right)
    if found is not None:
        return found
    plain = any(k in (*NUMBERS, STRING, BOOL) for k in kinds)
    if _is_written_out(left) and _is_written_out(right):
        return py("_0 == _1", *(c.expr(kids(parse.field(side, "arguments"))[0]) for side in (left, right)))
    if any(k.name in _BY_IDENTITY or k.name in names.classes() for k in kinds):
        if plain and loose:
            raise NotConvertedError("`==` between a list or an object and something else makes a string of it")
        return py("_0 == _1" if plain else "_0 is _1", c.expr(left), c.expr(right))
    if loose and not _alike(*kinds):
        c.check(node, "JavaScript's `==` treats 1 and '1' as equal; Python's does not")
    return py("_0 == _1", c.expr(left), c.expr(right))


def _is_written_out(node: Node) -> bool:
    """Whether an expression is `JSON.stringify(x)`; two of these are compared by their arguments."""
    called = node.type == "call_expression" and text(parse.field(node, "function")) == "JSON.stringify"
    return called and len(kids(parse.field(node, "arguments"))) == 1


def _alike(left: Kind, right: Kind) -> bool:
    return left != UNKNOWN and (left == right or (left in NUMBERS and right in NUMBERS))


def _membership(c: Converter, left: Node, right: Node) -> ast.expr | None:
    """`xs.indexOf(x) === -1` as `x not in xs`; None for anything else."""
    if left.type != "call_expression" or text(right) != "-1":
        return None
    callee = parse.field(left, "function")
    if callee.type != "member_expression" or text(parse.field(callee, "property")) != "indexOf":
        return None
    given = kids(parse.field(left, "arguments"))
    if len(given) != 1:
        return None
    return py("_0 not in _1", c.expr(given[0]), c.expr(parse.field(callee, "object")))


def of_type(c: Converter, node: Node, said: str) -> ast.expr:
    """`typeof x === said`."""
    undeclared = node.type == "identifier" and node.id not in c.scopes.bindings and text(node) not in c.modules
    if undeclared and text(node) not in GLOBALS:
        return atom(str(said == "undefined"))
    if said not in _TYPES:
        raise NotConvertedError(f"`typeof … === '{said}'` has no counterpart")
    if said == "object" and c.kinds.of(node) == UNKNOWN:
        c.check(node, "here functions count as objects and null does not; in JavaScript it is the opposite")
    return py(_TYPES[said], c.expr(node))


@_operator("+")
def _plus(c: Converter, node: Node, left: Node, right: Node) -> ast.expr:
    """Addition or string concatenation."""
    kinds = c.kinds.of(left), c.kinds.of(right)
    if STRING in kinds:
        parts = [*_summands(c, left), *_summands(c, right)]
        if all(c.kinds.of(part) == STRING and part.type not in ("string", "template_string") for part in parts):
            return py("_0 + _1", c.expr(left), c.expr(right))
        return joined([shown(c, part) for part in parts])
    if any(kind.name in ("list", "dict", "ndarray") for kind in kinds):
        raise NotConvertedError("`+` on a list or an object makes a string of it; say what is meant")
    if DATE in kinds:
        raise NotConvertedError("`+` on a date makes a string of it; add to its `getTime()`")
    return build.plus(c.expr(left), c.expr(right))


def _summands(c: Converter, node: Node) -> list[Node]:
    """The operands of the `+`s of a string; everything that is added before the first string is one operand."""
    node = parse.bare(node)
    if node.type != "binary_expression" or sign_of(node) != "+" or c.kinds.of(node) != STRING:
        return [node]
    return [*_summands(c, parse.field(node, "left")), *_summands(c, parse.field(node, "right"))]


@_operator("%")
def _remainder(c: Converter, node: Node, left: Node, right: Node) -> ast.expr:
    """`%`, whose sign is that of the left operand in JavaScript and that of the right one in Python."""
    parent = node.parent
    while parent is not None and parent.type == "parenthesized_expression":
        parent = parent.parent
    zero = parent is not None and parent.type == "binary_expression" and "0" in (text(k) for k in kids(parent))
    only_zero = zero and parent is not None and sign_of(parent) in ("===", "!==", "==", "!=")
    _check_product(c, left, right)
    if not (only_zero or c.kinds.of(left) == INDEX):
        c.check(node, "`%` of a negative number is negative in JavaScript and positive in Python")
    return py("_0 % _1", _as_number(c, left), _as_number(c, right))


def _check_product(c: Converter, left: Node, right: Node) -> None:
    """Note a step of a random number generator, reduced by `%` or `&`, that exceeds the precision of JavaScript."""
    for product in parse.walk(left):
        if product.type == "binary_expression" and sign_of(product) == "*":
            numbers = [ast.literal_eval(ast.unparse(c.expr(n))) for n in (*kids(product), right) if n.type == "number"]
            if len(numbers) > 1 and math.prod(numbers) > _LARGEST:
                c.check(left, "JavaScript loses the last digits of products beyond 2**53; Python does not")


@expression("unary_expression")
def unary(c: Converter, node: Node) -> ast.expr:
    """`!`, `-`, `+`, `~`, `typeof`, `void`, `delete`."""
    sign, inner = text(node.child_by_field_name("operator")), parse.field(node, "argument")
    if sign == "!":
        return negated(truth(c, inner))
    if sign == "+":
        found = _as_number(c, inner)
        return found if c.kinds.of(inner) in (*NUMBERS, STRING, DATE) else call("float", found)
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
