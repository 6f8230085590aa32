"""Visitors that track the scopes around each node."""

from __future__ import annotations

import libcst as cst

from tfpy.migrate.kinds import Kinds
from tfpy.migrate.variables import SCOPES, Variables


class Scoped:
    """Base of visitors that track the scopes around a node."""

    kinds: Kinds
    variables: Variables

    def enter(self, node: cst.CSTNode) -> None:
        if isinstance(node, SCOPES):
            self.variables.scopes.append(node)

    def leave(self, node: cst.CSTNode) -> None:
        if isinstance(node, SCOPES):
            self.variables.scopes.pop()


class ScopedVisitor(Scoped, cst.CSTVisitor):
    """A visitor that tracks the scopes around a node."""

    def __init__(self, kinds: Kinds) -> None:
        super().__init__()
        self.kinds = kinds
        self.variables = kinds.variables

    def on_visit(self, node: cst.CSTNode) -> bool:
        proceed = super().on_visit(node)
        self.enter(node)
        return proceed

    def on_leave(self, original_node: cst.CSTNode) -> None:
        self.leave(original_node)
        super().on_leave(original_node)
