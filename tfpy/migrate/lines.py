"""Lines of several statements: those that concern a graph are rewritten or removed statement by statement."""

from __future__ import annotations

from typing import Any

import libcst as cst
from libcst import matchers

from tfpy.migrate.inference import infer
from tfpy.migrate.kinds import Kinds
from tfpy.migrate.names import Names
from tfpy.migrate.scoped import Scoped
from tfpy.migrate.symbols import GRAPHISH


def apart(module: cst.Module, names: Names) -> cst.Module:
    """A file in which the statements of a line that concerns a graph have separate lines."""
    lines = matchers.findall(module, matchers.SimpleStatementLine())
    if all(len(cst.ensure_type(line, cst.SimpleStatementLine).body) == 1 for line in lines):
        return module
    return module.visit(_Apart(infer(module, names, {})))


class _Apart(Scoped, cst.CSTTransformer):
    def __init__(self, kinds: Kinds) -> None:
        super().__init__()
        self.kinds = kinds
        self.variables = kinds.variables

    def on_visit(self, node: cst.CSTNode) -> bool:
        self.enter(node)
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        self.leave(original_node)
        return super().on_leave(original_node, updated_node)

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> Any:
        if len(original_node.body) == 1 or not any(map(self._is_for_a_graph, original_node.body)):
            return updated_node
        *others, last = [s.with_changes(semicolon=cst.MaybeSentinel.DEFAULT) for s in updated_node.body]
        first, *rest = [*(cst.SimpleStatementLine([s]) for s in others), updated_node.with_changes(body=[last])]
        rest = [line.with_changes(leading_lines=[]) for line in rest]
        return cst.FlattenSentinel([first.with_changes(leading_lines=updated_node.leading_lines), *rest])

    def _is_for_a_graph(self, node: cst.CSTNode) -> bool:
        """Whether a statement creates a math, or contains a part of a graph."""
        if isinstance(node, cst.Assign) and self.kinds.of(node.value) == "math":
            return True
        if isinstance(node, cst.BaseExpression) and self.kinds.of(node) in GRAPHISH:
            return True
        return any(map(self._is_for_a_graph, node.children))
