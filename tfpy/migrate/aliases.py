"""Names that a file gives to parts of tfpy.legacy, such as `ENV = dl.ENV`, as the equivalent imports."""

from __future__ import annotations

import libcst as cst

from tfpy.migrate.names import PACKAGE, Names, dotted


def imported(module: cst.Module, names: Names) -> cst.Module:
    """The file with an import in place of each top-level `name = dl.part`, if the name has no other meaning."""
    return module.with_changes(body=[_import_for(statement, names) or statement for statement in module.body])


def _import_for(
    statement: cst.SimpleStatementLine | cst.BaseCompoundStatement, names: Names
) -> cst.SimpleStatementLine | None:
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    assigned = statement.body[0]
    if not isinstance(assigned, cst.Assign) or len(assigned.targets) != 1:
        return None
    name, part = dotted(assigned.targets[0].target), names.path(assigned.value)
    if name is None or names.bindings[name] != 1 or not part or "." in part:
        return None
    new = cst.parse_statement(f"from {PACKAGE} import {part}" + (f" as {name}" if name != part else ""))
    return statement.with_changes(body=cst.ensure_type(new, cst.SimpleStatementLine).body)
