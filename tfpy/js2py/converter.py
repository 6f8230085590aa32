"""The converter: its state while it processes a script, and the tables of rules that it applies.

The rules are functions in the other modules, one for each type of node of the syntax tree. A rule for an expression
returns an expression; it adds statements that must come before, such as a function with a body, to `pre`. A rule that
finds no counterpart raises NotConvertedError, and the statement becomes a marked comment and a `raise`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tree_sitter import Node

from tfpy.js2py.analysis.inference import Inference
from tfpy.js2py.analysis.module import Module, sibling
from tfpy.js2py.analysis.scopes import Binding, Scopes
from tfpy.js2py.notes import MARK, NotConvertedError, Note
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.comments import comment_lines, dedented, is_documentation
from tfpy.js2py.syntax.order import in_order
from tfpy.js2py.syntax.parse import bare
from tfpy.node_rules import NodeRules

ExpressionRule = Callable[["Converter", Node], ast.expr]
StatementRule = Callable[["Converter", Node], list[ast.stmt]]
# For calls: they take the arguments.
CallRule = Callable[["Converter", Node], ast.expr]
# For methods: they take the call, the object and the arguments; None leaves the call to other rules.
MethodRule = Callable[["Converter", Node, Node, list[Node]], ast.expr | None]

expression: NodeRules[str, ExpressionRule] = NodeRules()
statement: NodeRules[str, StatementRule] = NodeRules()
effect: NodeRules[str, StatementRule] = NodeRules()  # of expression statements, whose value is unused


class NeedsStatementsError(NotConvertedError):
    """An expression needs statements in Python, which cannot be placed here."""


class Converter:
    """The state of a conversion.

    Attributes:
        typescript: whether the script is TypeScript.
        scopes: the declarations.
        find_module: finds another file by the name in an import.
        kinds: the kinds of expressions.
        notes: the notes so far.
        calls: the arguments of method calls, by the method's name.
        modules: the counterparts of imported names, such as "tf" or "tf.layers", by the name in the script; None if
            there is no counterpart.
        pre: statements to place before the current one; None if that is impossible.
        post: statements to place after it; None if that is impossible.
        certain: whether what is being converted is evaluated exactly once with the statement.
        steps: the statements that a `continue` of the innermost loop must run first.
        checks: what a person should check in the current statement.
        returns: what `return` becomes here: "return", or "continue" in the body of a forEach.
    """

    def __init__(self, root: Node, typescript: bool = False, bindings: dict[int, Binding] | None = None) -> None:
        self.typescript = typescript
        self.scopes = Scopes(root, bindings)
        self.find_module: Callable[[str], Module | None] = sibling
        self.kinds = Inference(self.scopes, root)
        self.notes: list[Note] = []
        self.calls = self.kinds.calls
        self.modules: dict[str, str | None] = {}
        self.pre: list[ast.stmt] | None = None
        self.post: list[ast.stmt] | None = None
        self.certain = False
        self.steps: list[ast.stmt] = []
        self.returns = "return"
        self._placed: set[int] = set()
        self.checks: list[Note] = []
        self._functions: dict[int, set[str]] = {}

    def expr(self, node: Node) -> ast.expr:
        """The Python code of an expression."""
        node = bare(node)
        rule = expression.get(node.type)
        if rule is None:
            raise NotConvertedError(f"{node.type.replace('_', ' ')} has no counterpart")
        return rule(self, node)

    def maybe(self, node: Node) -> ast.expr:
        """The Python code of an expression that may not be evaluated."""
        with self.without(certain=False):
            return self.expr(node)

    @contextmanager
    def without(self, certain: bool = False, places: bool = True) -> Iterator[None]:
        """Convert expressions that may not be evaluated, or that statements cannot be placed before."""
        saved = self.pre, self.post, self.certain
        self.certain = self.certain and certain
        if not places:
            self.pre = self.post = None
        try:
            yield
        finally:
            self.pre, self.post, self.certain = saved

    def first(self, *statements: ast.stmt, effects: bool = True) -> None:
        """Put statements before the current one.

        Raises:
            NeedsStatementsError: they cannot be placed, or they have effects and the expression may not be evaluated.
        """
        if self.pre is None or (effects and not self.certain):
            raise NeedsStatementsError("this takes statements where Python takes only an expression")
        self.pre.extend(statements)

    def check(self, node: Node, said: str) -> None:
        """Note something that a person should check."""
        self.checks.append(Note(parse.line_of(node), said, False))

    def new_name(self, wanted: str, node: Node) -> str:
        """A new name for a function, which is unused where a node is."""
        scope = self.scopes.of(node).function
        taken = {b.python for b in scope.used}
        for around in scope.around():
            taken |= {b.python for b in around.bindings.values()} | self._functions.get(around.node.id, set())
        found, number = wanted, 1
        while found in taken:
            number += 1
            found = f"{wanted}_{number}"
        self._functions.setdefault(scope.node.id, set()).add(found)
        return found

    def block(self, nodes: Sequence[Node]) -> list[ast.stmt]:
        """The Python code of statements and the comments between them."""
        out: list[ast.stmt] = []
        dropped = False
        for at, node in enumerate(nodes):
            before = nodes[at - 1] if at else None
            apart = dropped or (before is not None and node.start_point.row - before.end_point.row > 1)
            if node.type == "comment":
                if is_documentation(node):
                    continue
                found = self.comment(node, before, out)
            else:
                found = self.statement(node)
                if before is not None and before.type == "comment":
                    found = [*self.comment(before, None, out), *found]
            if found and apart:
                build.put_blank(found[0])
            dropped = not found and (
                dropped or node.type in ("import_statement", "lexical_declaration", "expression_statement")
            )
            out.extend(found)
        return in_order(out)

    def comment(self, node: Node, before: Node | None, out: list[ast.stmt]) -> list[ast.stmt]:
        """A comment between statements: after the previous statement if it is on its line, otherwise on own lines."""
        if node.id in self._placed:
            return []
        self._placed.add(node.id)
        lines = comment_lines(node)
        behind = before is not None and before.end_point.row == node.start_point.row and len(lines) == 1
        if behind and out and not build.is_comment(out[-1]):
            build.put_behind(out[-1], lines[0])
            return []
        return [build.comment(line) for line in lines]

    def place(self, node: Node) -> list[str]:
        """The lines of a comment that the caller prints."""
        self._placed.add(node.id)
        return comment_lines(node)

    def name(self, node: Node) -> ast.expr:
        """The target of an assignment: a variable by its Python name, a subscript or an attribute."""
        binding = self.scopes.bindings.get(node.id)
        return build.atom(binding.python) if binding is not None else self.expr(node)

    def statement(self, node: Node) -> list[ast.stmt]:
        """The Python code of one statement."""
        return self.by_rule(node, statement.get(node.type, _unknown))

    def effects(self, node: Node) -> list[ast.stmt]:
        """The effects of an expression whose value is unused, as statements."""
        node = bare(node)
        return effect.get(node.type, evaluated)(self, node)

    def result(self, node: Node) -> list[ast.stmt]:
        """The `return` of an expression that is the whole body of a function."""
        return self.by_rule(node, _returned)

    def body(self, function: Node, is_looked_at: bool = False) -> list[ast.stmt]:
        """The statements of a function, whose result may be used."""
        body = parse.field(function, "body")
        if body.type == "statement_block":
            return self.block(body.named_children)
        return self.result(body) if is_looked_at else self.by_rule(body, Converter.effects)

    def by_rule(self, node: Node, rule: StatementRule) -> list[ast.stmt]:
        """The Python code of a statement by its rule, with the statements around it, and its inner comments."""
        saved = self.pre, self.post, self.certain, self.checks
        self.pre, self.post, self.certain, self.checks = [], [], True, []
        try:
            body = rule(self, node)
            found = [*self.pre, *body, *self.post]
            _check_targets(found)
        except NotConvertedError as error:
            found = self._left(node, str(error))
        finally:
            checks = self.checks
            self.pre, self.post, self.certain, self.checks = saved
        comments = [build.comment(line) for n in parse.walk(node) if n.type == "comment" for line in self._rest(n)]
        return [*comments, *self._said(checks), *found]

    def _rest(self, node: Node) -> list[str]:
        return [] if node.id in self._placed else self.place(node)

    def _said(self, checks: list[Note]) -> list[ast.stmt]:
        self.notes.extend(checks)
        return [build.comment(f"{MARK[2:]}check: {said}") for said in dict.fromkeys(note.text for note in checks)]

    def _left(self, node: Node, reason: str) -> list[ast.stmt]:
        """The replacement of a statement that is not converted: the reason, the original, and a `raise`."""
        reason = " ".join(reason.split())
        self.notes.append(Note(parse.line_of(node), reason, True))
        for inner in parse.walk(node):
            if inner.type == "comment":
                self._placed.add(inner.id)
        original = [build.comment(f"    {line}") for line in dedented(node)]
        raised = build.call("NotImplementedError", build.string(f"line {parse.line_of(node)}: {reason}"))
        empty = [build.assign(build.atom(name), build.atom("None")) for name in self._set_further_in(node)]
        return [build.comment(f"{MARK[2:]}{reason}"), *original, *empty, ast.Raise(raised)]

    def _set_further_in(self, node: Node) -> list[str]:
        """The variables of a function that a statement declares and nested functions set; they must be declared."""
        found = []
        for inner in parse.walk(node):
            binding = self.scopes.bindings.get(inner.id)
            if binding is None or binding.node != inner or binding.scope.function.parent is None:
                continue
            if any(self.scopes.of(write).function is not binding.scope.function for write in binding.writes):
                found.append(binding.python)
        return found


def _check_targets(found: list[ast.stmt]) -> None:
    """Raise NotConvertedError for an assignment with a target that Python cannot assign to."""
    for made in found:
        if isinstance(made, (ast.Assign, ast.AugAssign, ast.Delete)):
            try:
                ast.parse(ast.unparse(made))
            except SyntaxError:
                raise NotConvertedError("this target of an assignment has no counterpart") from None


def _returned(c: Converter, node: Node) -> list[ast.stmt]:
    value = c.expr(node)
    return [] if isinstance(value, ast.Name) and value.id == "None" else [ast.Return(value)]


def evaluated(c: Converter, node: Node) -> list[ast.stmt]:
    """An expression as a statement; nothing if it is None."""
    value = c.expr(node)
    return [] if isinstance(value, ast.Name) and value.id == "None" else [ast.Expr(value)]


def _unknown(c: Converter, node: Node) -> list[ast.stmt]:
    raise NotConvertedError(f"{node.type.replace('_', ' ')} has no counterpart")
