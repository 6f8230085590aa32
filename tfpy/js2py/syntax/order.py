"""The order of statements: functions that JavaScript hoists go before the statements that use them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tfpy.js2py.syntax import build


def in_order(body: list[ast.stmt]) -> list[ast.stmt]:
    """Statements with every function before the first statement that calls it, directly or indirectly."""
    defs = {s.name: s for s in body if isinstance(s, ast.FunctionDef)}
    movable = {name for name, made in defs.items() if build.may_be_earlier(made)}
    if not movable:
        return body
    units = _units(body)
    out: list[list[ast.stmt]] = []
    while units:
        unit = units.pop(0)
        if not isinstance(unit[-1], ast.FunctionDef):
            needed = _reached(unit, defs)
            early = [u for u in units if _name(u) in needed & movable]
            units = [u for u in units if all(u is not e for e in early)]
            out.extend(early)
        out.append(unit)
    return [statement for unit in out for statement in unit]


def _units(body: list[ast.stmt]) -> list[list[ast.stmt]]:
    """Statements with the comments right before them."""
    units: list[list[ast.stmt]] = []
    comments: list[ast.stmt] = []
    for statement in body:
        if comments and build.has_blank(statement):
            units.append(comments)
            comments = []
        comments.append(statement)
        if not build.is_comment(statement):
            units.append(comments)
            comments = []
    return [*units, comments] if comments else units


def _name(unit: list[ast.stmt]) -> str:
    return unit[-1].name if isinstance(unit[-1], ast.FunctionDef) else ""


def _reached(unit: list[ast.stmt], defs: dict[str, ast.FunctionDef]) -> set[str]:
    """The functions that a statement names, directly or through other functions."""
    found: set[str] = set()
    waiting: list[ast.stmt] = list(unit)
    while waiting:
        for name in _names(waiting.pop()) - found:
            if name in defs:
                found.add(name)
                waiting.append(defs[name])
    return found


def _names(node: ast.stmt) -> set[str]:
    used: Iterable[ast.AST] = ast.walk(node)
    found = {n.id for n in used if isinstance(n, ast.Name) and not n.id.startswith("#")}
    # Names in f-strings, which are strings here.
    inner = [n for text in found if text.startswith('f"') for n in ast.walk(ast.parse(text, mode="eval"))]
    return found | {n.id for n in inner if isinstance(n, ast.Name)}
