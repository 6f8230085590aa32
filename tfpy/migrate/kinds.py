"""The kinds of a file's expressions, as far as they are known so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from tfpy.migrate import legacy_kinds
from tfpy.migrate.kind import UNSEEN, Class, Function, FunctionOf, Kind, ListOf, functions, join_all
from tfpy.migrate.names import dotted
from tfpy.migrate.variables import Variables
from tfpy.node_rules import NodeRules

# The kinds of expressions, by the type of the node; the rules are in expression_kinds.py and call_kinds.py.
kind_of: NodeRules[type, Callable[[Kinds, Any], Kind]] = NodeRules()


class Kinds:
    """The kinds of a file's expressions.

    Attributes:
        variables: the meanings and kinds of its names.
        unused: the expression statements, whose values are unused.
        settled: whether all calls of the file's functions have been followed, so that results still unknown cannot be
            inferred.
    """

    def __init__(self, variables: Variables) -> None:
        self.variables = variables
        self.unused: set[cst.CSTNode] = set()
        self.settled = False

    def of(self, node: cst.CSTNode | None) -> Kind:
        """The kind of an expression; None if it is not known."""
        path = self.variables.path(node)
        if path is not None:
            return legacy_kinds.named(path)
        rule = kind_of.get(type(node))
        return rule(self, node) if rule is not None else None

    def annotated(self, node: cst.BaseExpression) -> Kind:
        """The kind of an annotation: of a class, or of a list of instances."""
        if isinstance(node, cst.Subscript) and dotted(node.value) in ("list", "List", "Sequence", "Iterable"):
            index = node.slice[0].slice
            inner = self.annotated(index.value) if isinstance(index, cst.Index) else None
            return None if inner is None else ListOf(inner)
        path = self.variables.path(node)
        return None if path is None else legacy_kinds.instance(path)

    def evaluated(self) -> Kind:
        """The kind of a session's result: a tensor, unless the graphs stay."""
        return "ndarray" if self.variables.graphs_stay else "array"

    def result_of(self, function: Kind) -> Kind:
        """The kind of the result of a function, or of one of several; None for anything else."""
        return join_all(self._given_by(one) for one in functions(function))

    def _given_by(self, function: Kind) -> Kind:
        match function:
            case FunctionOf(result):
                return result
            case Function(node):
                return self.variables.returns.get(node)
        return None

    def may_be_object(self, node: cst.CSTNode, kind: Kind) -> bool:
        """Whether an expression of a kind may be an object or a class of the file."""
        if dotted(node) in self.variables.names.others:
            return False
        return kind in UNSEEN or kind == "object" or isinstance(kind, Class)

    def is_method(self, function: cst.BaseExpression) -> bool:
        """Whether an expression names a method of the math, or one that classes of the file define."""
        if not isinstance(function, cst.Attribute):
            return False
        return self.of(function.value) == "math" or function.attr.value in self.variables.methods
