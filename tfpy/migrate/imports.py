"""The imports of a rewritten file, and comments on the remaining legacy names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import dropwhile
from typing import Any

import libcst as cst

from tfpy.legacy.migration.successors import table
from tfpy.migrate.eager import is_in_both
from tfpy.migrate.legacy_kinds import ARRAYS, MATHS
from tfpy.migrate.names import PACKAGE, Names, asname, dotted
from tfpy.migrate.statements import STATEMENTS, remarked, removed, tidied, with_comments

# Names that graphs need: a file whose graphs stay has its comment already.
_OF_GRAPHS = ("Graph", "Session", "FeedEntry", "CostReduction", "GraphRunner", "MetricReduction", "Tensor", "variable")
_OF_GRAPHS_TOO = ("Optimizer", "Initializer", "ProviderBuilder")
_MADE = (*ARRAYS, *MATHS)


def with_imports(module: cst.Module, names: Names, tf: str, helpers: Sequence[str], graphs_stay: bool) -> cst.Module:
    """A rewritten file with the imports that it needs, and no other legacy imports."""
    left = _Left(names, graphs_stay)
    module = module.visit(left)
    uses = _Uses(tf)
    module.visit(uses)
    new = f"import tfpy as {tf}" if tf != "tfpy" else "import tfpy"
    module = module.visit(_Imports(left.used, names, new, uses.tf))
    return _with_helpers(module, [h.format(tf=tf) for h in helpers], new) if helpers else module


class _Left(cst.CSTTransformer):
    """Finds the remaining legacy names, and comments on those that have no comment yet."""

    def __init__(self, names: Names, graphs_stay: bool) -> None:
        super().__init__()
        self.names = names
        self.graphs_stay = graphs_stay
        self.used: set[str] = set()
        self._found: list[list[str]] = []
        self._inside = 0  # functions and classes, whose variables hide nothing outside

    def on_visit(self, node: cst.CSTNode) -> bool:
        self._inside += isinstance(node, (cst.FunctionDef, cst.ClassDef))
        if isinstance(node, STATEMENTS):
            self._found.append([])
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        result = super().on_leave(original_node, updated_node)
        self._inside -= isinstance(original_node, (cst.FunctionDef, cst.ClassDef))
        if isinstance(original_node, STATEMENTS):
            reasons = self._found.pop()
            return remarked(result, list(dict.fromkeys(reasons)))
        return result

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        return False

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        name = dotted(node.target)
        if name in self.names.legacy and not self._inside:
            self._found[-1].append(f"{name} has another meaning here, so that what uses it stays")

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        if not self._see(node):
            node.value.visit(self)
        return False  # attribute names have no meaning of their own

    def visit_Arg(self, node: cst.Arg) -> bool:
        node.value.visit(self)
        return False  # nor do keywords

    def visit_Name(self, node: cst.Name) -> None:
        self._see(node)

    def _see(self, node: cst.Name | cst.Attribute) -> bool:
        path = self.names.path(node)
        head = (dotted(node) or "").partition(".")[0]
        if path is None and head not in self.names.perhaps:
            return False
        self.used.add(head)
        reason = self._reason(path) if path is not None else f"a condition decides whose {head} this is"
        if reason and self._found:
            self._found[-1].append(reason)
        return True

    def _reason(self, path: str) -> str:
        head = path.partition(".")[0]
        of_graphs = head in _OF_GRAPHS or head.endswith(_OF_GRAPHS_TOO)
        if not path or path == "ENV.math" or head in _MADE or is_in_both(head) or (self.graphs_stay and of_graphs):
            return ""
        found = table("class").get(head)
        return found.reason if found is not None and found.reason else f"{path} has no counterpart in the new API"


class _Uses(cst.CSTVisitor):
    """Whether a name is used."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.tf = False

    def visit_Import(self, node: cst.Import) -> bool:
        return False

    def visit_Name(self, node: cst.Name) -> None:
        self.tf = self.tf or node.value == self.name


class _Imports(cst.CSTTransformer):
    """Removes unused legacy imports, and puts that of the new API in the place of the first one."""

    def __init__(self, used: set[str], names: Names, new: str, wanted: bool) -> None:
        super().__init__()
        self.used = used
        self.names = names
        self.new = new
        self.wanted = wanted
        self._there = [names.tf_everywhere]  # for the file and each function around: whether it has the import by now

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._there.append(False)

    def leave_FunctionDef(self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef) -> cst.FunctionDef:
        self._there.pop()
        return updated_node

    def visit_Import(self, node: cst.Import) -> None:
        if self.names.tf is not None and any(dotted(alias.name) == "tfpy" for alias in node.names):
            self._there[-1] = True

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        if not any(map(self._is_legacy, updated_node.body)):
            return updated_node
        new = self._replaced(updated_node.body)
        if not new:
            return removed(updated_node)
        if len(updated_node.body) > 1:
            return updated_node.with_changes(body=new)
        *before, last = new
        lines = [*(cst.SimpleStatementLine([item]) for item in before), updated_node.with_changes(body=[last])]
        lines = [line.with_changes(leading_lines=[]) for line in lines]
        lines[0] = lines[0].with_changes(leading_lines=updated_node.leading_lines)
        return with_comments(cst.FlattenSentinel(lines), original_node)

    def leave_SimpleStatementSuite(
        self, original_node: cst.SimpleStatementSuite, updated_node: cst.SimpleStatementSuite
    ) -> cst.SimpleStatementSuite:
        if not any(map(self._is_legacy, updated_node.body)):
            return updated_node
        return updated_node.with_changes(body=self._replaced(updated_node.body) or [cst.Pass()])

    def _replaced(self, statements: Sequence[cst.BaseSmallStatement]) -> list[cst.BaseSmallStatement]:
        """The statements of a line, with other imports in place of the legacy ones."""
        found: list[cst.BaseSmallStatement] = []
        for statement in statements:
            is_legacy = self._is_legacy(statement)
            if is_legacy and self.wanted and not any(self._there):
                self._there[-1] = True
                found += cst.ensure_type(cst.parse_statement(self.new), cst.SimpleStatementLine).body
            left = self._left(statement) if is_legacy else statement
            if left is not None:
                found.append(left)
        found[-1:] = [last.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for last in found[-1:]]
        return found

    def leave_IndentedBlock(self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock) -> Any:
        return tidied(updated_node, 1)

    def leave_Module(self, original_node: cst.Module, updated_node: cst.Module) -> Any:
        return tidied(updated_node, 2)

    def _is_legacy(self, node: cst.BaseSmallStatement) -> bool:
        if isinstance(node, cst.Import):
            return any(dotted(a.name) == PACKAGE for a in node.names)
        if not isinstance(node, cst.ImportFrom):
            return False
        module = dotted(node.module) or ""
        if module == "tfpy" and not isinstance(node.names, cst.ImportStar):
            return any(dotted(a.name) == "legacy" for a in node.names)
        return module == PACKAGE or module.startswith(f"{PACKAGE}.")

    def _left(self, node: cst.BaseSmallStatement) -> cst.BaseSmallStatement | None:
        assert isinstance(node, (cst.Import, cst.ImportFrom))
        if isinstance(node.names, cst.ImportStar):
            return node if self.used else None
        left = [a for a in node.names if asname(a).partition(".")[0] in self.used or not self._of_legacy(node, a)]
        if not left:
            return None
        left[-1] = left[-1].with_changes(comma=node.names[-1].comma)
        return node.with_changes(names=left)

    def _of_legacy(self, node: cst.Import | cst.ImportFrom, alias: cst.ImportAlias) -> bool:
        return asname(alias) in self.names.legacy


def _with_helpers(module: cst.Module, helpers: Sequence[str], new: str) -> cst.Module:
    """Helper functions after the imports, with the new API's import if the file has it only further inside."""
    body = list(module.body)
    first = 0 if module.get_docstring() is None else 1
    place = max((i + 1 for i, s in enumerate(body) if _imports(s)), default=first)
    needs = [] if any(_imports(s, "tfpy") for s in body[:place]) else [new]
    added = list(cst.parse_module("\n\n\n".join(text.strip() for text in [*needs, *helpers]) + "\n").body)
    if place:
        added[0] = _apart(added[0], 1 if needs else 2)
    if place < len(body):
        body[place] = _apart(body[place], 2)
    return module.with_changes(body=[*body[:place], *added, *body[place:]])


def _apart(statement: Any, count: int) -> Any:
    """A statement with blank lines before it."""
    lines = dropwhile(lambda line: line.comment is None, statement.leading_lines)
    return statement.with_changes(leading_lines=[*[cst.EmptyLine(indent=False)] * count, *lines])


def _imports(statement: cst.CSTNode, module: str = "") -> bool:
    """Whether a statement of the file has an import, or `import module`."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    if not module:
        return any(isinstance(item, (cst.Import, cst.ImportFrom)) for item in statement.body)
    imports = [item for item in statement.body if isinstance(item, cst.Import)]
    return any(dotted(alias.name) == module for item in imports for alias in item.names)
