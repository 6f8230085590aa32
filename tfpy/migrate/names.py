"""The meanings of the names of a file: those that come from tfpy.legacy."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cached_property

import libcst as cst

PACKAGE = "tfpy.legacy"


def dotted(node: cst.CSTNode | None) -> str | None:
    """The text of a name or a dotted name; None for anything else."""
    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, cst.Attribute):
        left = dotted(node.value)
        return None if left is None else f"{left}.{node.attr.value}"
    return None


def asname(alias: cst.ImportAlias) -> str:
    """The name that an import binds."""
    if alias.asname is not None:
        return dotted(alias.asname.name) or ""
    return dotted(alias.name) or ""


def _is_import(statement: cst.CSTNode) -> bool:
    """Whether a statement contains only imports, or is a string."""
    if not isinstance(statement, cst.SimpleStatementLine):
        return False
    return all(
        isinstance(item, (cst.Import, cst.ImportFrom))
        or (isinstance(item, cst.Expr) and isinstance(item.value, cst.BaseString))
        for item in statement.body
    )


def _is_legacy(name: str) -> bool:
    """Whether `*` imports a name."""
    from tfpy import legacy

    return name in vars(legacy)["__all__"]


class Names(cst.CSTVisitor):
    """The imports of a file.

    Attributes:
        legacy: the meaning of a prefix of a dotted name: a path under tfpy.legacy, '' for the package itself.
        is_legacy: whether the file imports tfpy.legacy at all.
        star: whether all legacy names are imported with `*`.
        tf: the name of the new API, if the file imports it.
        tf_everywhere: whether it is imported at the top, so that all that follows can use it.
        others: all other names that imports bind.
        rebound: those of them that hide names imported by `*`.
        perhaps: names that come from tfpy.legacy or another module, depending on a condition.
        hiding: star imports of other modules, which may hide names imported by `*`.
    """

    def __init__(self, module: cst.Module) -> None:
        self._module = module
        self.legacy: dict[str, str] = {}
        self.is_legacy = False
        self.star = False
        self.tf: str | None = None
        self.tf_everywhere = False
        self.others: set[str] = set()
        self.rebound: set[str] = set()
        self.perhaps: set[str] = set()
        self.hiding: set[cst.CSTNode] = set()
        self._at_top = True  # whether there were only imports so far, which hold for all that follows
        self._inside = 0  # functions, and handlers of failing imports, whose imports hide nothing outside
        for statement in module.body:
            self._at_top = self._at_top and _is_import(statement)
            statement.visit(self)

    def on_visit(self, node: cst.CSTNode) -> bool:
        self._inside += isinstance(node, (cst.FunctionDef, cst.ExceptHandler))
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode) -> None:
        super().on_leave(original_node)
        self._inside -= isinstance(original_node, (cst.FunctionDef, cst.ExceptHandler))

    def _of_legacy(self, bound: str, path: str) -> None:
        if bound in self.others and not self._at_top and not self._inside:
            self.perhaps.add(bound)
        self.legacy[bound] = path
        self.is_legacy = True

    def _of_other(self, bound: str) -> None:
        self.others.add(bound)
        if self._inside or not (bound in self.legacy or (self.star and _is_legacy(bound))):
            return
        if self._at_top:
            self.rebound.add(bound)
            self.legacy.pop(bound, None)
        else:
            self.perhaps.add(bound)

    def visit_Import(self, node: cst.Import) -> None:
        for alias in node.names:
            name, bound = dotted(alias.name) or "", asname(alias)
            if name == PACKAGE:
                self._of_legacy(bound, "")
                if alias.asname is None:  # binds the name tfpy, which other parts of the file may use
                    self.tf = self.tf or "tfpy"
            elif name == "tfpy":
                self.tf = bound
                self.tf_everywhere = self.tf_everywhere or self._at_top
                self.legacy[f"{bound}.legacy"] = ""
            else:
                self._of_other(bound.partition(".")[0])

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        module = dotted(node.module) or ""
        if isinstance(node.names, cst.ImportStar):
            if module == PACKAGE:
                self.star = self.is_legacy = True
                self.rebound.clear()
            elif self.star and not self._inside:
                self.hiding.add(node)
            return
        for alias in node.names:
            name, bound = dotted(alias.name) or "", asname(alias)
            if module == "tfpy" and name == "legacy":
                self._of_legacy(bound, "")
            elif module == PACKAGE or module.startswith(f"{PACKAGE}."):
                self._of_legacy(bound, name)
            else:
                self._of_other(bound)

    @cached_property
    def bindings(self) -> Counter[str]:
        """How often the file binds each name, in any scope."""
        found: Counter[str] = Counter()
        for node in ast.walk(ast.parse(self._module.code)):
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                found[node.id] += 1
            elif isinstance(node, ast.arg):
                found[node.arg] += 1
            elif isinstance(node, ast.alias):
                found[node.asname or node.name.partition(".")[0]] += 1
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                found[node.name] += 1
        return found

    def path(self, node: cst.CSTNode | None) -> str | None:
        """The path under tfpy.legacy of an expression: 'Array2D.new' for `dl.Array2D.new`; None for any other."""
        text = dotted(node)
        if text is None:
            return None
        parts = text.split(".")
        if parts[0] in self.perhaps:
            return None
        for n in range(len(parts), 0, -1):
            prefix = ".".join(parts[:n])
            if prefix in self.legacy:
                rest = [self.legacy[prefix], *parts[n:]]
                return ".".join(p for p in rest if p)
        return text if self.star and parts[0] not in self.rebound and _is_legacy(parts[0]) else None
