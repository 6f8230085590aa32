"""Conditions on arrays. An array of deeplearn.js is always true, so that scripts use it as a test for its presence.
A tensor has the truth value of its single number, or none.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from tfpy.migrate.kinds import Kinds
from tfpy.migrate.names import dotted
from tfpy.migrate.templates import parenthesized

CHOICE = "an array is always true, a tensor is not; ask whether it `is None`"


class NoneChecks(cst.CSTTransformer):
    """Tests arrays for None, in conditions and in the operands of `and` and `or`."""

    kinds: Kinds

    def __init__(self) -> None:
        super().__init__()
        self._asked: set[cst.CSTNode] = set()

    def _ask(self, node: cst.BaseExpression) -> None:
        """Record an expression used as a condition: its truth value is used, and not its value."""
        self._asked.add(node)
        if isinstance(node, cst.BooleanOperation):
            self._ask(node.left)
            self._ask(node.right)

    def _visit_test(self, node: cst.If | cst.While | cst.IfExp | cst.Assert | cst.CompIf) -> None:
        self._ask(node.test)

    visit_If = visit_While = visit_IfExp = visit_Assert = visit_CompIf = _visit_test

    def visit_UnaryOperation(self, node: cst.UnaryOperation) -> None:
        if isinstance(node.operator, cst.Not):
            self._ask(node.expression)

    def _answered(self, original: cst.CSTNode, updated: Any) -> Any:
        """A condition that is an array: whether it is present."""
        if original not in self._asked or not self._is_array(original) or not isinstance(updated, cst.BaseExpression):
            return updated
        return _is_none(updated, cst.IsNot())

    def _is_array(self, node: cst.CSTNode) -> bool:
        return self.kinds.of(node) == "array" and not isinstance(node, cst.BooleanOperation)

    def leave_UnaryOperation(
        self, original_node: cst.UnaryOperation, updated_node: cst.UnaryOperation
    ) -> cst.BaseExpression:
        inner = updated_node.expression
        if original_node.expression in self._asked and self._is_array(original_node.expression):
            assert isinstance(inner, cst.Comparison)
            return _is_none(inner.left, cst.Is()).with_changes(lpar=updated_node.lpar, rpar=updated_node.rpar)
        return updated_node

    def leave_BooleanOperation(
        self, original_node: cst.BooleanOperation, updated_node: cst.BooleanOperation
    ) -> cst.BaseExpression:
        """`a or b` and `a and b`, whose value is used."""
        if original_node in self._asked or self.kinds.of(original_node.left) != "array":
            return updated_node
        if dotted(original_node.left) is None:
            self._remark(CHOICE)
            return updated_node
        there, other = updated_node.left, updated_node.right
        if isinstance(updated_node.operator, cst.And):
            there, other = other, there
        chosen = cst.IfExp(_is_none(updated_node.left, cst.IsNot()), there, other)
        return parenthesized(chosen)

    def _remark(self, reason: str) -> None:
        raise NotImplementedError


def _is_none(node: cst.BaseExpression, operator: cst.Is | cst.IsNot) -> cst.Comparison:
    simple = isinstance(node, (cst.Name, cst.Attribute, cst.Subscript, cst.Call))
    left = node if simple else parenthesized(node)
    return cst.Comparison(left, [cst.ComparisonTarget(operator, cst.Name("None"))])
