"""What the names of a file mean: which of them come from tfpy.legacy."""

from __future__ import annotations

import libcst as cst

PACKAGE = "tfpy.legacy"


def dotted(node: cst.CSTNode | None) -> str | None:
    """The text of a name or of names joined by dots; None for anything else."""
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


class Names(cst.CSTVisitor):
    """The imports of a file.

    Attributes:
        legacy: what a prefix of a dotted name means: a path under tfpy.legacy, '' for the package itself.
        is_legacy: whether the file imports tfpy.legacy at all.
        star: whether all legacy names are imported with `*`.
        tf: the name of the new API, if the file has imported it.
        others: all other names that imports bind.
    """

    def __init__(self, module: cst.Module) -> None:
        self.legacy: dict[str, str] = {}
        self.is_legacy = False
        self.star = False
        self.tf: str | None = None
        self.others: set[str] = set()
        module.visit(self)

    def visit_Import(self, node: cst.Import) -> None:
        for alias in node.names:
            name, bound = dotted(alias.name) or "", asname(alias)
            if name == PACKAGE:
                self.legacy[bound] = ""
                self.is_legacy = True
            elif name == "tfpy":
                self.tf = bound
                self.legacy[f"{bound}.legacy"] = ""
            else:
                self.others.add(bound.partition(".")[0])

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        module = dotted(node.module) or ""
        if isinstance(node.names, cst.ImportStar):
            self.star = self.star or module == PACKAGE
            self.is_legacy = self.is_legacy or self.star
            return
        for alias in node.names:
            name, bound = dotted(alias.name) or "", asname(alias)
            if module == "tfpy" and name == "legacy":
                self.legacy[bound] = ""
                self.is_legacy = True
            elif module == PACKAGE or module.startswith(f"{PACKAGE}."):
                self.legacy[bound] = name
                self.is_legacy = True
            else:
                self.others.add(bound)

    def path(self, node: cst.CSTNode | None) -> str | None:
        """The path under tfpy.legacy that an expression means: 'Array2D.new' for `dl.Array2D.new`; else None."""
        text = dotted(node)
        if text is None:
            return None
        parts = text.split(".")
        for n in range(len(parts), 0, -1):
            prefix = ".".join(parts[:n])
            if prefix in self.legacy:
                rest = [self.legacy[prefix], *parts[n:]]
                return ".".join(p for p in rest if p)
        if self.star:
            from tfpy import legacy

            return text if not parts[0].startswith("_") and hasattr(legacy, parts[0]) else None
        return None
