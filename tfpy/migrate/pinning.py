"""The arrays that a file writes to: they stay NDArrays, under all their names."""

from __future__ import annotations

import libcst as cst

from tfpy.migrate.functions import arguments, called
from tfpy.migrate.kinds import Kinds
from tfpy.migrate.scoped import ScopedVisitor
from tfpy.migrate.variables import Key

_WRITES = ("set", "add", "fill")
_ARRAYS = ("array", "ndarray")


def pin(module: cst.Module, kinds: Kinds) -> bool:
    """Pin the variables whose arrays are written to; returns whether any of them is newly pinned."""
    variables = kinds.variables
    before = len(variables.pinned)
    module.visit(_Writes(kinds))
    while module.visit(_Passing(kinds)) and variables.changed:
        variables.changed = False
    return len(variables.pinned) > before


class _Writes(ScopedVisitor):
    """Finds the arrays that are written to: they stay NDArrays."""

    def leave_Call(self, original_node: cst.Call) -> None:
        if is_write(self.kinds, original_node):
            assert isinstance(original_node.func, cst.Attribute)
            self._pin(original_node.func.value)

    def leave_AssignTarget(self, original_node: cst.AssignTarget) -> None:
        self._written(original_node.target)

    def leave_AugAssign(self, original_node: cst.AugAssign) -> None:
        self._written(original_node.target)

    def _written(self, target: cst.CSTNode) -> None:
        if isinstance(target, cst.Subscript) and self.kinds.of(target.value) == "values":
            value = target.value
            array = value.func.value if isinstance(value, cst.Call) and isinstance(value.func, cst.Attribute) else None
            if array is None:
                array = self.variables.views.get(self.variables.key(value))
            if array is not None:
                self._pin(array)

    def _pin(self, node: cst.CSTNode) -> None:
        while isinstance(node, cst.Subscript):
            node = node.value
        key = self.variables.key(node)
        if key is not None:
            self.variables.pinned.add(key)


class _Passing(ScopedVisitor):
    """Arrays with several names: if one is pinned, so are the others."""

    def _both(self, a: cst.CSTNode, b: cst.CSTNode | Key) -> None:
        key, other = self.variables.key(a), self.variables.key(b) if isinstance(b, cst.CSTNode) else b
        if key is not None and other is not None and len(self.variables.pinned & {key, other}) == 1:
            self.variables.pinned |= {key, other}
            self.variables.changed = True

    def leave_Assign(self, original_node: cst.Assign) -> None:
        for target in original_node.targets:
            self._both(target.target, original_node.value)

    def visit_For(self, node: cst.For) -> None:
        if isinstance(node.target, cst.Name):
            self._both(node.target, node.iter)

    def leave_Call(self, original_node: cst.Call) -> None:
        for function, method in called(self.kinds, original_node):
            for param, arg in arguments(function, original_node.args, method):
                self._both(arg.value, (function, param.name.value))


def is_write(kinds: Kinds, call: cst.Call) -> bool:
    """Whether a call writes into an array: `a.set(…)`, `a.add(…)`, `a.fill(…)`.

    `a.add(b)` of two arrays does not: it returns their sum. Nor does an `a.add(b)` whose result is used.
    """
    func = call.func
    if not isinstance(func, cst.Attribute) or func.attr.value not in _WRITES:
        return False
    may_sum = func.attr.value == "add" and len(call.args) == 1
    if may_sum and (call not in kinds.unused or kinds.of(call.args[0].value) in _ARRAYS):
        return False
    return kinds.of(func.value) in _ARRAYS
