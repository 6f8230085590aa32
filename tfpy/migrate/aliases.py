"""Names that a file gives to parts of tfpy.legacy, such as `ENV = dl.ENV`, as the equivalent imports."""

from __future__ import annotations

import ast
from collections import Counter

import libcst as cst

from tfpy.migrate.names import PACKAGE, Names, dotted


def imported(module: cst.Module, names: Names) -> cst.Module:
    """The file with an import in place of each top-level `name = dl.part`, if the name has no other meaning."""
    bound = _bound(module.code)
    return module.with_changes(body=[_import_for(statement, names, bound) or statement for statement in module.body])


def _import_for(
    statement: cst.SimpleStatementLine | cst.BaseCompoundStatement, names: Names, bound: Counter[str]
) -> cst.SimpleStatementLine | None:
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    assigned = statement.body[0]
    if not isinstance(assigned, cst.Assign) or len(assigned.targets) != 1:
        return None
    name, part = dotted(assigned.targets[0].target), names.path(assigned.value)
    if name is None or bound[name] != 1 or not part or "." in part:
        return None
    new = cst.parse_statement(f"from {PACKAGE} import {part}" + (f" as {name}" if name != part else ""))
    return statement.with_changes(body=cst.ensure_type(new, cst.SimpleStatementLine).body)


def _bound(code: str) -> Counter[str]:
    """The number of bindings of each name, in any scope."""
    found: Counter[str] = Counter()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] += 1
        elif isinstance(node, ast.arg):
            found[node.arg] += 1
        elif isinstance(node, ast.alias):
            found[node.asname or node.name.partition(".")[0]] += 1
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found[node.name] += 1
    return found
