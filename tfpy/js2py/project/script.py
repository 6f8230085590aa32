"""A whole script: its statements, and the imports that they need."""

from __future__ import annotations

import ast
import warnings

from tfpy.js2py import names
from tfpy.js2py.analysis import call_kinds, expression_kinds
from tfpy.js2py.calls import call, constructors
from tfpy.js2py.converter import Converter
from tfpy.js2py.expressions import (
    assignments,
    conditions,
    functions,
    identifiers,
    literals,
    operators,
    properties,
    regex_literals,
    strings,
)
from tfpy.js2py.notes import MARK, Conversion
from tfpy.js2py.statements import classes, control, declarations, effects, inlining, jumps, loops, modules, switch
from tfpy.js2py.syntax import build, parse, printing

# The modules of the rules; importing them fills the tables.
RULES = (
    (call_kinds, expression_kinds),
    (assignments, conditions, functions, identifiers, literals, operators, properties, regex_literals, strings),
    (call, constructors),
    (classes, control, declarations, effects, inlining, jumps, loops, modules, switch),
)


def converted(source: str, typescript: bool) -> Conversion:
    """The Python code of a script; see `tfpy.js2py.convert`."""
    return finished(Converter(parse.parse(source, typescript), typescript))


def finished(c: Converter) -> Conversion:
    """The Python code of a script that has been read."""
    root = c.scopes.top.node
    c.modules.update(modules.chosen(root))
    body = c.block(root.named_children)
    code = printing.module(_headed(body))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # a script may have odd comparisons
        compile(code, "script", "exec", dont_inherit=True)
    return Conversion(code, sorted(dict.fromkeys(c.notes)))


def _headed(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of a script with its imports, which follow the comments at the beginning."""
    used = _used(body)
    standard: list[ast.stmt] = [ast.Import([ast.alias(name)]) for name in sorted(names.STANDARD) if name in used]
    others: list[ast.stmt] = []
    if "np" in used:
        others.append(ast.Import([ast.alias("numpy", "np")]))
    if "pytest" in used:
        others.append(ast.Import([ast.alias("pytest")]))
    if "tf" in used:
        others.append(ast.Import([ast.alias("tfpy", "tf")]))
    if "dl" in used:
        others.append(ast.ImportFrom("tfpy", [ast.alias("legacy", "dl")], 0))
    own: list[ast.stmt] = []
    rest: list[ast.stmt] = []
    for before, s in zip([None, *body], body, strict=False):
        is_import = isinstance(s, (ast.Import, ast.ImportFrom))
        (own if is_import else rest).append(s)
        if before in own and not is_import:
            build.put_blank(s)
    at = _after_head(rest)
    head, rest = rest[:at], rest[at:]
    groups = [group for group in (standard, others, own) if group]
    for group in groups[0 if head else 1 :]:
        build.put_blank(group[0])
    if groups and rest:
        build.put_blank(rest[0])
    return [*head, *(statement for group in groups for statement in group), *rest]


def _after_head(body: list[ast.stmt]) -> int:
    """The number of comments at the beginning, not counting those that belong to the first statement."""
    count = 0
    while count < len(body) and build.is_comment(body[count]) and not ast.unparse(body[count]).startswith(MARK):
        count += 1
    if count == len(body) or build.has_blank(body[count]):
        return count
    while count and not build.has_blank(body[count]):
        count -= 1
    return count


def _used(body: list[ast.stmt]) -> set[str]:
    """The names that statements use, including those in f-strings."""
    found: set[str] = set()
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and not node.id.startswith("#"):
                inner = ast.walk(ast.parse(node.id, mode="eval")) if node.id.startswith('f"') else [node]
                found |= {n.id for n in inner if isinstance(n, ast.Name)}
    return found
