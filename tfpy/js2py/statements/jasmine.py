"""Jasmine tests as pytest tests: `describe` as a class, `beforeEach` as a fixture, `expect` as `assert`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.kind import NDARRAY, NULL
from tfpy.js2py.analysis.scopes import is_described, is_inlined, is_repeated
from tfpy.js2py.converter import Converter
from tfpy.js2py.expressions.conditions import negated, truth
from tfpy.js2py.expressions.functions import define, outer_declarations
from tfpy.js2py.expressions.operators import of_type, sign_of
from tfpy.js2py.expressions.regex_literals import pattern
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import call, py
from tfpy.js2py.syntax.parse import bare, kids, string_in, text
from tfpy.node_rules import NodeRules

_SKIPPED = "pytest.mark.skip"
# Jasmine's functions for tests and groups of tests; the names of skipped ones begin with an x.
_TESTS = {"it": "", "fit": "", "xit": _SKIPPED}
_GROUPS = {"describe": "", "fdescribe": "", "xdescribe": _SKIPPED}
_FIXTURES = {
    "beforeEach": "pytest.fixture(autouse=True)", "afterEach": "pytest.fixture(autouse=True)",
    "beforeAll": 'pytest.fixture(autouse=True, scope="class")',
    "afterAll": 'pytest.fixture(autouse=True, scope="class")',
}  # fmt: skip
# Expectations of a value, `_0`.
_MATCHERS = {
    "toBeGreaterThan": "_0 > _1", "toBeGreaterThanOrEqual": "_0 >= _1", "toBeLessThan": "_0 < _1",
    "toBeLessThanOrEqual": "_0 <= _1", "toBeNull": "_0 is None", "toBeUndefined": "_0 is None",
    "toBeDefined": "_0 is not None", "toBeNaN": "math.isnan(_0)", "toContain": "_1 in _0",
    "toBeInstanceOf": "isinstance(_0, _1)",
}  # fmt: skip
# The number of arguments of other expectations, if it is not one; a message may follow.
_COUNTS = {"toBeTruthy": 0, "toBeFalsy": 0, "toBeCloseTo": 2}
# Those for which a template is not enough: functions of the value and the expected value.
_matcher: NodeRules[str, Callable[[Converter, Node, list[Node]], ast.expr]] = NodeRules()


def tested(c: Converter, node: Node) -> list[ast.stmt] | None:
    """The Python code of a jasmine call; None for any other call."""
    callee, given = parse.field(node, "function"), kids(parse.field(node, "arguments"))
    name = text(callee)
    if callee.type == "identifier" and callee.id not in c.scopes.bindings:
        if name in _GROUPS and len(given) == 2:
            return _group(c, given[0], bare(given[1]), _GROUPS[name])
        if name in _TESTS and len(given) in (2, 3):
            if is_repeated(bare(given[1])):
                return _repeated(c, bare(given[1]))
            return _function(c, bare(given[1]), _test_name(given[0]), _TESTS[name])
        if name in _FIXTURES and given:
            return _fixture(c, name, bare(given[0]))
        if name == "expect":
            return [s for value in given for s in c.effects(value)]  # nothing is expected of it
    return _expectation(c, callee, given) if callee.type == "member_expression" else None


def _words(node: Node) -> list[str]:
    """The words of the description of a test, or of the expression that computes it."""
    return re.findall(r"[^\W_]+", string_in(node) or text(node)) or ["case"]


def _test_name(said: Node) -> str:
    return "_".join(["test", *(names.snake(word).lower().strip("_") for word in _words(said))])


def _group(c: Converter, said: Node, function: Node, mark: str) -> list[ast.stmt]:
    """`describe`: its declarations, then a class with its tests."""
    if not is_inlined(function):
        raise NotConvertedError("`describe` within something else has no counterpart")
    name = c.new_name("".join(["Test", *(word[:1].upper() + word[1:] for word in _words(said))]), said)
    around: list[ast.stmt] = []
    tests: list[ast.stmt] = []
    comments: list[ast.stmt] = []
    for statement in c.block(parse.field(function, "body").named_children):
        outer = build.declarations_for_tests(statement)
        made = statement if outer is None else _test_of(said, statement, outer)
        comments.append(made)
        if not build.is_comment(made):
            (tests if build.is_test(made) else around).extend(comments)
            comments = []
    _number(tests)
    group = ast.ClassDef(name, [], [], build.filled([*tests, *comments]), [py(mark)] if mark else [])
    build.mark_test(group)
    return [*around, group]


def _repeated(c: Converter, function: Node) -> list[ast.stmt]:
    """A test in a loop or a condition, as a part of the test that `_group` makes of the whole loop."""
    body = build.filled(c.body(function))
    build.mark_test(body[0], outer_declarations(c, c.scopes.of(function.parent or function).function.node))
    return body


def _test_of(said: Node, cases: ast.stmt, outer: Sequence[ast.stmt]) -> ast.stmt:
    """A loop or a condition with tests as one test, with the name of its group, after `global` statements."""
    parameters = build.no_arguments()
    parameters.args.append(ast.arg("self"))
    test = build.function(_test_name(said), parameters, [*outer, cases])
    build.mark_test(test)
    return test


def _number(tests: list[ast.stmt]) -> None:
    """Add numbers to tests of the same name."""
    seen: dict[str, int] = {}
    for test in tests:
        if isinstance(test, ast.FunctionDef):
            seen[test.name] = seen.get(test.name, 0) + 1
            test.name += f"_{seen[test.name]}" if seen[test.name] > 1 else ""


def _function(c: Converter, node: Node, name: str, decorator: str) -> list[ast.stmt]:
    """A test or a fixture; a method if it is in a class."""
    if node.type not in parse.FUNCTIONS:
        raise NotConvertedError("a test that is a variable has no counterpart")
    if parse.parameters(node):
        raise NotConvertedError("a test that calls `done` has no counterpart; make it an async function")
    block = parse.block_around(node)
    is_method = block.parent is not None and is_described(block.parent)
    if block.type != "program" and not is_method:
        raise NotConvertedError("a test within a loop or a condition has no counterpart; see pytest.mark.parametrize")
    name = name if is_method else c.new_name(name, block)  # those of methods are numbered by their group
    made = define(c, node, name, "self" if is_method else "", is_looked_at=False)
    made.decorator_list = [py(decorator)] if decorator else []
    build.mark_test(made)
    return [made]


def _fixture(c: Converter, name: str, function: Node) -> list[ast.stmt]:
    """A fixture for code before or after each test or all tests."""
    (made,) = _function(c, function, names.snake(name), _FIXTURES[name])
    if name.startswith("after") and isinstance(made, ast.FunctionDef):
        at = next(i for i, s in enumerate(made.body) if not isinstance(s, (ast.Global, ast.Nonlocal)))
        made.body.insert(at, ast.Expr(ast.Yield()))
    return [made]


# Expectations


def _expectation(c: Converter, callee: Node, given: list[Node]) -> list[ast.stmt] | None:
    """`expect(value).toBe(…)`, also after `not` and `withContext`; None for anything else."""
    owner, is_not, said = _expected(callee)
    if owner.type != "call_expression" or text(parse.field(owner, "function")) != "expect":
        return None
    if parse.field(owner, "function").id in c.scopes.bindings:
        return None
    name = text(parse.field(callee, "property"))
    if name == "nothing":
        return []
    if not kids(parse.field(owner, "arguments")):
        raise NotConvertedError("`expect` of nothing has no counterpart")
    value = bare(kids(parse.field(owner, "arguments"))[0])
    if name in ("toThrow", "toThrowError"):
        body = _done(c, value)
        return body if is_not else [ast.With([ast.withitem(_raises(c, given))], build.filled(body))]
    found, count = _condition(c, name, value, given), _count(name)
    said = given[count] if len(given) > count else said
    return [ast.Assert(negated(found) if is_not else found, c.maybe(said) if said is not None else None)]


def _expected(callee: Node) -> tuple[Node, bool, Node | None]:
    """What an expectation is called on: `expect(value)`, whether `not` follows, and the message of `withContext`."""
    owner, is_not, said = parse.field(callee, "object"), False, None
    while True:
        if owner.type == "member_expression" and text(parse.field(owner, "property")) == "not":
            owner, is_not = parse.field(owner, "object"), True
            continue
        called = parse.field(owner, "function") if owner.type == "call_expression" else None
        if called is None or called.type != "member_expression" or not text(called).endswith(".withContext"):
            return owner, is_not, said
        owner, said = parse.field(called, "object"), next(iter(kids(parse.field(owner, "arguments"))), said)


def _count(name: str) -> int:
    """The number of arguments of an expectation before the message."""
    return build.holes(_MATCHERS[name]) - 1 if name in _MATCHERS else _COUNTS.get(name, 1)


def _condition(c: Converter, name: str, value: Node, given: list[Node]) -> ast.expr:
    count = _count(name)
    if name in _matcher and (given or not count):
        return _matcher[name](c, value, given[:count])
    if name not in _MATCHERS or len(given) < count:
        raise NotConvertedError(f"`{name}` has no counterpart")
    return py(_MATCHERS[name], *(c.expr(part) for part in (value, *given[:count])))


def _done(c: Converter, function: Node) -> list[ast.stmt]:
    """The body of a function that is expected to raise an error, or not to."""
    if function.type not in parse.FUNCTIONS:
        return [ast.Expr(call(c.expr(function)))]
    body = parse.field(function, "body")
    if is_inlined(function):
        return c.block(body.named_children)
    return c.effects(body) if body.type != "statement_block" else [ast.Expr(call(c.expr(function)))]


def _raises(c: Converter, given: list[Node]) -> ast.expr:
    """`pytest.raises(…)` of the expected error: its class, its message, or a pattern that its message matches."""
    said = given[-1] if given and given[-1].type in ("regex", "string", "template_string") else None
    errors = [c.expr(error) for error in given if error != said] or [py("Exception")]
    if said is None:
        return call("pytest.raises", *errors)
    match = pattern(said) if said.type == "regex" else py("re.escape(_0)", c.expr(said))
    return call("pytest.raises", *errors, keywords=[ast.keyword("match", match)])


@_matcher("toBe", "toEqual", "toStrictEqual")
def _equal(c: Converter, value: Node, given: list[Node]) -> ast.expr:
    (other,) = given
    if value.type == "unary_expression" and sign_of(value) == "typeof" and other.type == "string":
        return of_type(c, parse.field(value, "argument"), string_in(other))
    if other.type in ("true", "false"):
        return truth(c, value) if other.type == "true" else negated(truth(c, value))
    kinds = c.kinds.of(value), c.kinds.of(other)
    found, expected = c.expr(value), c.expr(other)
    if kinds[1] == NULL:
        return py("_0 is None", found)
    if NDARRAY in kinds:
        nan = ", equal_nan=True" if "NaN" in text(other) else ""
        return py(f"np.array_equal(_0, _1{nan})", found, expected)
    if text(other) in ("NaN", "Number.NaN"):
        return py("math.isnan(_0)", found)
    if kinds[0].fixed and not kinds[1].fixed:
        expected = _shapes(expected) if isinstance(expected, ast.List) else call("tuple", expected)
    return py("_0 == _1", found, expected)


def _shapes(expected: ast.List) -> ast.expr:
    """The tuple for the list of a shape's sizes, or a list of tuples for those of several shapes."""
    several = [ast.Tuple(part.elts) for part in expected.elts if isinstance(part, ast.List)]
    return ast.List(list(several)) if several else ast.Tuple(expected.elts)


@_matcher("toBeTruthy")
def _true(c: Converter, value: Node, given: list[Node]) -> ast.expr:
    return truth(c, value)


@_matcher("toBeFalsy")
def _false(c: Converter, value: Node, given: list[Node]) -> ast.expr:
    return negated(truth(c, value))


@_matcher("toBeCloseTo")
def _close(c: Converter, value: Node, given: list[Node]) -> ast.expr:
    """Equality up to half a unit of the last of some digits, two by default."""
    digits = text(given[1]) if len(given) > 1 else "2"
    tolerance = build.atom(f"5e-{int(digits) + 1}") if digits.isdigit() else py("10 ** -_0 / 2", c.expr(given[1]))
    return py("_0 == pytest.approx(_1, abs=_2)", c.expr(value), c.expr(given[0]), tolerance)


@_matcher("toMatch")
def _match(c: Converter, value: Node, given: list[Node]) -> ast.expr:
    (wanted,) = given
    if wanted.type == "regex":
        return py("re.search(_0, _1)", pattern(wanted), c.expr(value))
    return py("_0 in _1", c.expr(wanted), c.expr(value))
