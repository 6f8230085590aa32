"""Rewrites one file: its statements, and the expressions in them, until no removed definition is still used."""

from __future__ import annotations

from typing import Any, NamedTuple

import libcst as cst

from tfpy.migrate import aliases, lines, statements
from tfpy.migrate.expressions import ExpressionRewriter
from tfpy.migrate.feeds import Feed
from tfpy.migrate.graphs import Graphs, are_placeholders
from tfpy.migrate.imports import with_imports
from tfpy.migrate.inference import infer
from tfpy.migrate.kind import FunctionNode, FunctionOf, Kind, functions
from tfpy.migrate.kinds import Kinds
from tfpy.migrate.names import Names
from tfpy.migrate.templates import CannotRewrite
from tfpy.migrate.variables import Key
from tfpy.migrate.versions import plain

Place = statements.Place
_FREE = ("graph", "session", "placeholder")


class Migration(NamedTuple):
    """The result of migrating a file.

    Attributes:
        code: its new text.
        rewritten: the number of rewritten constructs.
        left: the reasons why the others were left, one text for each.
    """

    code: str
    rewritten: int
    left: list[str]


def migrate(source: str) -> Migration:
    """The text of a Python file, migrated to the new API as far as there are rules for it.

    Raises:
        libcst.ParserSyntaxError: the text is not valid Python.
    """
    module = statements.with_own_header(cst.parse_module(source))
    names = Names(module)
    if not names.is_legacy:
        return Migration(source, 0, [])
    unchanged = statements.unchanged(module, names)
    if unchanged is not None:
        code, left = unchanged
        return Migration(code.code, 0, left)
    module = aliases.imported(module, names)
    module = lines.apart(module, Names(module))
    names = Names(module)
    keep: set[Place] = set()
    staying: dict[cst.CSTNode, tuple[cst.CSTNode, str]] = {}
    while True:
        kinds = infer(module, names, staying)
        graphs = Graphs(kinds)
        graphs.study(module)
        if graphs.problems:
            staying |= graphs.problems
            continue
        rewriter = Rewriter(kinds, graphs, keep)
        result = module.visit(rewriter)
        if rewriter.failed:
            staying |= rewriter.failed
            continue
        missing = statements.missing(result, rewriter.removed, names) - keep
        if not missing:
            break
        keep |= missing
        if missing & rewriter.of_graphs:
            named = ", ".join(sorted({name.removeprefix(".") for _, name in missing}))
            place = next((old for old, new in rewriter.statements if statements.reads(new, missing)), module.body[0])
            staying[module] = place, f"{named} is used in a way that has no counterpart"
    code = with_imports(result, names, rewriter.tf, rewriter.helpers, bool(staying))
    return Migration(code.code, rewriter.count, statements.remarks(code))


class Rewriter(ExpressionRewriter):
    """Rewrites a file: its statements, and the expressions in them.

    Attributes:
        removed: the names whose definitions were removed.
        of_graphs: those of them that belong to graphs.
        statements: the statements of the file and their replacements, inner ones first.
    """

    def __init__(self, kinds: Kinds, graphs: Graphs, keep: set[Place]) -> None:
        super().__init__(kinds, graphs, keep)
        self.removed: set[Place] = set()
        self.of_graphs: set[Place] = set()
        self.statements: list[tuple[cst.CSTNode, Any]] = []

    # Visiting the file

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, statements.STATEMENTS):
            self._remarks.append([])
        for place, reason in self.variables.staying.values():
            if node is place:  # the innermost statement around it
                self._remark(f"graphs stay as they are: {reason}")
        proceed = super().on_visit(node)
        self.enter(node)
        return proceed

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        self.leave(original_node)
        result = self._answered(original_node, super().on_leave(original_node, updated_node))
        if isinstance(original_node, statements.STATEMENTS):
            self.statements.append((original_node, result))
        if isinstance(original_node, cst.SimpleStatementLine) and result is not original_node:
            result = statements.with_comments(result, original_node)
        if isinstance(original_node, statements.STATEMENTS):
            result = statements.remarked(result, self._remarks.pop())
        return result

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    # Statements

    def visit_Assign(self, node: cst.Assign) -> None:
        if any(self.variables.key(t.target) in self.variables.pinned for t in node.targets):
            self._freeze(node.value)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        if len(original_node.body) != 1:
            return updated_node
        old, new = original_node.body[0], updated_node.body[0]
        if isinstance(old, cst.Assign) and len(old.targets) == 1 and isinstance(new, cst.Assign):
            return self._assignment(old.targets[0].target, old.value, new.value, updated_node)
        if isinstance(old, cst.AnnAssign) and old.value is not None and isinstance(new, cst.AnnAssign):
            assert new.value is not None
            return self._assignment(old.target, old.value, new.value, updated_node)
        if isinstance(old, cst.Expr) and self._is_idle(old.value):
            self.count += 1
            return statements.removed(updated_node)
        return updated_node

    def _assignment(
        self,
        target: cst.BaseExpression,
        old: cst.BaseExpression,
        new: cst.BaseExpression,
        line: cst.SimpleStatementLine,
    ) -> Any:
        kind, key = self.kinds.of(old), self.variables.key(target)
        place = self._place_of(key)
        attribute = statements.attribute(key[1]) if key is not None and _is_attribute(key) else place
        if self.keep & {place, attribute}:
            return line
        if new is not old and isinstance(self.variables.scopes[-1], cst.ClassDef) and _names_functions(kind, old):
            return statements.with_value(line, cst.Call(cst.Name("staticmethod"), [cst.Arg(new)]))
        if kind == "math" and key is not None:
            self._remove(place)
            self.removed.add(attribute)
            backend = _backend(self.kinds, old)
            return statements.replaced(line, f'{self.tf}.set_backend("cpu")') if backend else statements.removed(line)
        if self.variables.graphs_stay:
            return line
        feeds = self.graphs.feeds.lists.get(key) if key is not None else None
        if kind in _FREE or are_placeholders(kind) or feeds is not None:
            if feeds is not None and any(feed.place for feed in feeds.values()):
                self.count += 1
                return statements.with_value(line, self._in_a_dict(feeds))
            self._remove(place)
            self.of_graphs.add(place)
            return statements.removed(line)
        if key in self.graphs.symbols.named:
            return self._function(key, old, new, line)
        return line

    def _in_a_dict(self, feeds: dict[Key, Feed]) -> cst.Dict:
        """The values of a list of feeds by the names of the arguments."""
        items = {cst.SimpleString(f'"{plain(key[1])}"'): self.again(feed.value) for key, feed in feeds.items()}
        return cst.Dict([cst.DictElement(key, value) for key, value in items.items()])

    def _place_of(self, key: Key | None) -> Place:
        """The place of a variable's definition."""
        name = plain(key[1]) if key is not None else ""
        return self._place(f".{name}" if key is not None and key[0] == "self" else name)

    def _place(self, name: str, *inner: str) -> Place:
        """A name with its enclosing functions and classes."""
        around = [s.name.value for s in self.variables.scopes if isinstance(s, (cst.FunctionDef, cst.ClassDef))]
        return (*around, *inner), name

    def _remove(self, place: Place) -> None:
        self.removed.add(place)
        self.count += 1

    def _function(
        self, key: Key, old: cst.BaseExpression, new: cst.BaseExpression, line: cst.SimpleStatementLine
    ) -> Any:
        """A symbolic tensor as a function of its dependencies."""
        symbol = self.graphs.symbols.named[key]
        before: list[cst.SimpleStatementLine] = []
        assert isinstance(old, cst.Call)
        assert isinstance(old.func, cst.Attribute)
        if self.kinds.of(old.func.value) == "layers":
            try:
                before, new = self.sessions.dense(symbol.name, old)
            except CannotRewrite as error:
                self._cannot(old, str(error))
                return line
            self.count += 1
        if key[0] == "self":
            return statements.with_lambda(line, [plain(p[1]) for p in symbol.placeholders], new, before)
        return statements.function(symbol.name, [plain(p[1]) for p in symbol.placeholders], new, before, line)

    def _is_idle(self, node: cst.BaseExpression) -> bool:
        """Whether a statement has no effect in the new API."""
        if not isinstance(node, cst.Call):
            return False
        if self.variables.path(node.func) == "numerics":
            return True
        if not isinstance(node.func, cst.Attribute):
            return bool(self.kinds.of(node.func) == "track")
        owner, name = self.kinds.of(node.func.value), node.func.attr.value
        if name == "track" and owner == "math":
            return True
        return name == "dispose" and bool(owner == "math" or (owner == "session" and not self.variables.graphs_stay))

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:
        return updated_node.with_changes(params=self._params(original_node, updated_node.params))

    def leave_Lambda(self, original_node: cst.Lambda, updated_node: cst.Lambda) -> cst.Lambda:
        params = self._params(original_node, updated_node.params)
        if params is updated_node.params:
            return updated_node
        left = params.params or params.kwonly_params or isinstance(params.star_arg, cst.Param) or params.star_kwarg
        space = updated_node.whitespace_after_lambda if left else cst.SimpleWhitespace("")
        return updated_node.with_changes(params=params, whitespace_after_lambda=space)

    def _params(self, function: FunctionNode, params: cst.Parameters) -> cst.Parameters:
        every = [*params.params, *params.kwonly_params]
        dropped = {p.name.value for p in every if self._drops(function, p.name.value)}
        if not dropped:
            return params
        self.removed |= {self._inside(function, name) for name in dropped}
        left, named = ([p for p in of if p.name.value not in dropped] for of in (params.params, params.kwonly_params))
        for group in (left, named):
            group[-1:] = [p.with_changes(comma=cst.MaybeSentinel.DEFAULT) for p in group[-1:]]
        alone = not named and isinstance(params.star_arg, cst.ParamStar)
        star = cst.MaybeSentinel.DEFAULT if alone else params.star_arg
        return params.with_changes(params=left, star_arg=star, kwonly_params=named)

    def _inside(self, function: FunctionNode, name: str) -> Place:
        inner = (function.name.value,) if isinstance(function, cst.FunctionDef) else ()
        return self._place(name, *inner)

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> Any:
        return statements.tidied(updated_node, 1)

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> Any:
        return statements.tidied(updated_node, 2)


def _is_attribute(key: Key) -> bool:
    """Whether a variable is an attribute of an object or a class."""
    return key[0] == "self" or isinstance(key[0], cst.ClassDef)


def _names_functions(kind: Kind, node: cst.BaseExpression) -> bool:
    """Whether an expression names methods of the math, which are not bound to the objects whose classes have them."""
    return not isinstance(node, cst.Call) and all(isinstance(part, FunctionOf) for part in functions(kind))


def _backend(kinds: Kinds, node: cst.BaseExpression) -> bool:
    """Whether a math created here runs on the CPU."""
    if not isinstance(node, cst.Call):
        return False
    path = kinds.variables.path(node.func)
    named = node.args[0].value if node.args else None
    cpu = isinstance(named, cst.SimpleString) and named.evaluated_value == "cpu"
    return path == "NDArrayMathCPU" or (path == "NDArrayMath" and cpu)
