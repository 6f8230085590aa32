"""Distinguishes the successive variables that have one name in a script.

A name that is assigned again, or is a loop variable, unconditionally, is a new variable from there on: `x` and then
`x#1`. A function that reads it refers to the variable at the place of the function's definition.
"""

from __future__ import annotations

import libcst as cst

NESTED = (cst.For, cst.While, cst.If, cst.Try)
Labels = dict[cst.CSTNode, str]


def labels(module: cst.Module) -> Labels:
    """The label of each name of a file, which distinguishes the variables of one name."""
    declared = _Declared()
    module.visit(declared)
    found = _Versions(declared.names)
    module.visit(found)
    return found.labels


def plain(label: str) -> str:
    """The name without the number of the variable."""
    return label.partition("#")[0]


class _Declared(cst.CSTVisitor):
    """The names that are set to None before they get their values."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def visit_Assign(self, node: cst.Assign) -> None:
        if isinstance(node.value, cst.Name) and node.value.value == "None":
            for target in node.targets:
                self.names |= _names(target.target)


def _names(target: cst.CSTNode) -> set[str]:
    if isinstance(target, cst.Name):
        return {target.value}
    if isinstance(target, (cst.Tuple, cst.List)):
        return set().union(*[_names(e.value) for e in target.elements])
    return set()


class _Versions(cst.CSTVisitor):
    def __init__(self, fixed: set[str]) -> None:
        self.labels: Labels = {}
        self._fixed = fixed
        self._scopes: list[dict[str, int]] = [{}]
        self._conditions = [0]

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._open({p.name.value for p in node.params.params})

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._close()

    def visit_Lambda(self, node: cst.Lambda) -> None:
        self._open({p.name.value for p in node.params.params})

    def leave_Lambda(self, original_node: cst.Lambda) -> None:
        self._close()

    def _open(self, names: set[str]) -> None:
        self._scopes.append(dict.fromkeys(names, 0))
        self._conditions.append(0)

    def _close(self) -> None:
        self._scopes.pop()
        self._conditions.pop()

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, NESTED):
            self._conditions[-1] += 1
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode) -> None:
        super().on_leave(original_node)
        if isinstance(original_node, NESTED):
            self._conditions[-1] -= 1

    def visit_Assign(self, node: cst.Assign) -> bool:
        node.value.visit(self)
        for target in node.targets:
            self._define(target.target, always=not self._conditions[-1])
            target.visit(self)
        return False

    def visit_For(self, node: cst.For) -> bool:
        node.iter.visit(self)
        self._define(node.target, always=self._conditions[-1] == 1)  # the loop itself
        node.target.visit(self)
        node.body.visit(self)
        if node.orelse is not None:
            node.orelse.visit(self)
        return False

    def _define(self, target: cst.CSTNode, always: bool) -> None:
        """Define the variables of a target from here on; new ones if it is `always` assigned."""
        table = self._scopes[-1]
        for name in _names(target):
            if name in table and always and name not in self._fixed:
                table[name] += 1
            table.setdefault(name, 0)

    def visit_CompFor(self, node: cst.CompFor) -> None:
        for name in _names(node.target):  # of its own scope, and read only there
            self.labels.update(dict.fromkeys(_occurrences(node, name), name))

    def visit_Name(self, node: cst.Name) -> None:
        for table in reversed(self._scopes):
            if node.value in table:
                number = table[node.value]
                if number:
                    self.labels.setdefault(node, f"{node.value}#{number}")
                return


def _occurrences(node: cst.CSTNode, name: str) -> list[cst.CSTNode]:
    found = [node] if isinstance(node, cst.Name) and node.value == name else []
    return [*found, *[n for child in node.children for n in _occurrences(child, name)]]
