"""Statements: removal without losing comments, remarks before them, and functions in their place."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import libcst as cst
from libcst import matchers

from tfpy.migrate.names import Names, dotted

STATEMENTS = (cst.SimpleStatementLine, cst.BaseCompoundStatement)
MARK = "# tfpy migrate: "
# The functions and classes around a name, and the name; that of an attribute has a leading dot.
Place = tuple[tuple[str, ...], str]
_GONE = "__tfpy_removed__"


def remarked(statement: Any, reasons: Sequence[str]) -> Any:
    """A statement with the reasons why parts of it were left, as comments before it."""
    if isinstance(statement, cst.FlattenSentinel):
        first, *others = statement
        return cst.FlattenSentinel([remarked(first, reasons), *others])
    if not reasons or is_remarked(statement):
        return statement
    new = [cst.EmptyLine(comment=cst.Comment(MARK + reason)) for reason in reasons]
    return statement.with_changes(leading_lines=[*statement.leading_lines, *new])


def is_remarked(statement: Any) -> bool:
    """Whether a statement has remarks already, from another part of this run or an earlier one."""
    lines = getattr(statement, "leading_lines", ())
    return any(line.comment is not None and line.comment.value.startswith(MARK) for line in lines)


def with_own_header(module: cst.Module) -> cst.Module:
    """A file whose first statement owns the comments before it, as all others do."""
    if not module.body:
        return module
    first, *others = module.body
    first = first.with_changes(leading_lines=[*module.header, *first.leading_lines])
    return module.with_changes(header=[], body=[first, *others])


def remarks(module: cst.Module) -> list[str]:
    """The remarks in a file."""
    return [line.strip()[len(MARK) :] for line in module.code.splitlines() if line.strip().startswith(MARK)]


def with_comments(statement: Any, original: cst.CSTNode) -> Any:
    """A rewritten statement, with comments before it that were inside it and would be lost."""
    statements = list(statement) if isinstance(statement, cst.FlattenSentinel) else [statement]
    there = Counter(c for s in statements for c in _comments(s))
    lost = Counter(_comments(original)) - there
    if not lost:
        return statement
    lines = [cst.EmptyLine(comment=cst.Comment(text)) for text in lost.elements()]
    first = statements[0].with_changes(leading_lines=[*statements[0].leading_lines, *lines])
    return cst.FlattenSentinel([first, *statements[1:]]) if len(statements) > 1 else first


def _comments(node: cst.CSTNode) -> list[str]:
    if isinstance(node, cst.Comment):
        return [node.value]
    return [text for child in node.children for text in _comments(child)]


def other_quotes(text: cst.FormattedString) -> cst.FormattedString:
    """An f-string whose expressions do not use its own quotes, which Python allows only from 3.12 on."""
    return text.with_changes(parts=[part.visit(_Quotes(text.quote[0])) for part in text.parts])


class _Quotes(cst.CSTTransformer):
    def __init__(self, taken: str) -> None:
        super().__init__()
        self.taken = taken

    def leave_SimpleString(self, original_node: cst.SimpleString, updated_node: cst.SimpleString) -> cst.SimpleString:
        other = "'" if self.taken == '"' else '"'
        inside = updated_node.value[1:-1]
        if updated_node.value[:1] != self.taken or other in inside or "\\" in inside:
            return updated_node
        return updated_node.with_changes(value=f"{other}{inside}{other}")


def removed(line: cst.SimpleStatementLine) -> cst.SimpleStatementLine:
    """A marker in place of a statement, which keeps its comments until `tidied` moves them to the next one."""
    comments = list(line.leading_lines)
    if line.trailing_whitespace.comment is not None:
        comments.append(cst.EmptyLine(comment=line.trailing_whitespace.comment))
    return cst.SimpleStatementLine([cst.Expr(cst.Name(_GONE))], leading_lines=comments)


def replaced(line: cst.SimpleStatementLine, text: str) -> cst.SimpleStatementLine:
    """A new statement with the comments of the old one."""
    return line.with_changes(body=[cst.Expr(cst.parse_expression(text))])


def with_value(line: cst.SimpleStatementLine, value: cst.BaseExpression) -> cst.SimpleStatementLine:
    """An assignment with another value."""
    (item,) = line.body
    return line.with_changes(body=[item.with_changes(value=value)])


def with_lambda(
    line: cst.SimpleStatementLine,
    parameters: Sequence[str],
    value: cst.BaseExpression,
    before: Sequence[cst.SimpleStatementLine],
) -> Any:
    """An attribute that is assigned a function."""
    made = cst.Lambda(cst.Parameters([cst.Param(cst.Name(p)) for p in parameters]), value)
    if not parameters:
        made = made.with_changes(whitespace_after_lambda=cst.SimpleWhitespace(""))
    new = with_value(line, made)
    if not before:
        return new
    first, *others = before
    behind = new.with_changes(leading_lines=[])
    return cst.FlattenSentinel([first.with_changes(leading_lines=line.leading_lines), *others, behind])


def function(
    name: str,
    parameters: Sequence[str],
    value: cst.BaseExpression,
    before: Sequence[cst.SimpleStatementLine],
    line: cst.SimpleStatementLine,
) -> Any:
    """A function in place of an assignment, with its comments; `before` are statements that come first."""
    body = cst.SimpleStatementLine([cst.Return(value)], trailing_whitespace=line.trailing_whitespace)
    made = cst.FunctionDef(
        cst.Name(name),
        cst.Parameters([cst.Param(cst.Name(p)) for p in parameters]),
        cst.IndentedBlock([body]),
        leading_lines=[] if before else line.leading_lines,
        # Tells `tidied` to put blank lines around it.
        whitespace_before_colon=cst.SimpleWhitespace(" "),
    )
    if not before:
        return made
    first, *others = before
    return cst.FlattenSentinel([first.with_changes(leading_lines=line.leading_lines), *others, made])


def tidied(block: Any, blank: int) -> Any:
    """A block without the markers of removed statements, and with blank lines around new functions."""
    out: list[Any] = []
    held: list[cst.EmptyLine] = []
    apart = False
    for statement in block.body:
        if _is_gone(statement):
            held.extend(_after_blank(held, statement.leading_lines))
            continue
        lines = [*held, *_after_blank(held, statement.leading_lines)]
        held = []
        new = isinstance(statement, cst.FunctionDef) and statement.whitespace_before_colon.value == " "
        if new:
            statement = statement.with_changes(whitespace_before_colon=cst.SimpleWhitespace(""))
        if (new or apart) and out:
            lines = _with_blank(lines, blank)
        out.append(statement.with_changes(leading_lines=lines))
        apart = new
    changes: dict[str, Any] = {"body": out}
    if held:
        changes["footer"] = [*[line for line in held if line.comment is not None], *block.footer]
    if not out and isinstance(block, cst.IndentedBlock):
        changes["body"] = [cst.SimpleStatementLine([cst.Pass()])]
    return block.with_changes(**changes)


def _is_gone(statement: cst.CSTNode) -> bool:
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return False
    item = statement.body[0]
    return isinstance(item, cst.Expr) and isinstance(item.value, cst.Name) and item.value.value == _GONE


def _after_blank(held: Sequence[cst.EmptyLine], lines: Sequence[cst.EmptyLine]) -> list[cst.EmptyLine]:
    """Lines to append to others, without leading blank ones if the others have blank ones already."""
    found = list(lines)
    if held and held[-1].comment is None:
        while found and found[0].comment is None:
            found.pop(0)
    return found


def _with_blank(lines: Sequence[cst.EmptyLine], count: int) -> list[cst.EmptyLine]:
    there = 0
    while there < len(lines) and lines[there].comment is None:
        there += 1
    return [*[cst.EmptyLine(indent=False)] * max(0, count - there), *lines]


class _Loads(cst.CSTVisitor):
    """The names that a file reads and binds, each with the functions and classes around it."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.attributes: set[Place] = set()
        self.read: set[Place] = set()
        self.bound: set[Place] = set()
        self._around: list[str] = []
        self._labels: set[cst.CSTNode] = set()

    def on_visit(self, node: cst.CSTNode) -> bool:
        proceed = super().on_visit(node)
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
            self._around.append(node.name.value)
        return proceed

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if isinstance(original_node, (cst.FunctionDef, cst.ClassDef)):
            self._around.pop()
        super().on_leave(original_node)

    def visit_Attribute(self, node: cst.Attribute) -> None:
        if isinstance(node.value, cst.Name) and node.value.value == "self":
            self._read(f".{node.attr.value}")
        if self.names.path(node) is None and (dotted(node) or "").partition(".")[0] not in self.names.others:
            self.attributes.add(attribute(node.attr.value))
        self._labels.add(node.attr)

    def visit_Call(self, node: cst.Call) -> None:
        named = node.args[1].value if len(node.args) > 1 and dotted(node.func) in ("getattr", "hasattr") else None
        if isinstance(named, cst.SimpleString):
            self.attributes.add(attribute(str(named.evaluated_value)))

    def visit_Arg(self, node: cst.Arg) -> None:
        if node.keyword is not None:
            self._labels.add(node.keyword)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._bind(node.name)
        params = [*node.params.params, *node.params.kwonly_params]
        self.bound |= {((*self._around, node.name.value), p.name.value) for p in params}
        self._labels |= {p.name for p in params}

    def visit_Lambda(self, node: cst.Lambda) -> None:
        for param in node.params.params:
            self._bind(param.name)

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._bind(node.name)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> None:
        self._targets(node.target)

    def visit_AnnAssign(self, node: cst.AnnAssign) -> None:
        self._targets(node.target)

    def visit_For(self, node: cst.For) -> None:
        self._targets(node.target)

    def visit_CompFor(self, node: cst.CompFor) -> None:
        self._targets(node.target)

    def visit_ImportAlias(self, node: cst.ImportAlias) -> bool:
        self._bound((dotted(node.asname.name) if node.asname is not None else dotted(node.name)) or "")
        return False

    def _targets(self, target: cst.CSTNode) -> None:
        if isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self._targets(element.value)
        elif isinstance(target, cst.Name):
            self._bind(target)
        elif isinstance(target, cst.Attribute):
            self._bound(f".{target.attr.value}")

    def _bind(self, node: cst.Name) -> None:
        self._bound(node.value)
        self._labels.add(node)

    def _bound(self, name: str) -> None:
        self.bound.add((tuple(self._around), name))

    def _read(self, name: str) -> None:
        self.read.add((tuple(self._around), name))

    def visit_Name(self, node: cst.Name) -> None:
        if node not in self._labels:
            self._read(node.value)


def attribute(name: str) -> Place:
    """The place of an attribute, which objects of other classes may read, too."""
    return (), f".{name}"


def missing(module: cst.Module, removed_names: set[Place], names: Names) -> set[Place]:
    """Names that a file reads although their definitions were taken away."""
    loads = _Loads(names)
    module.visit(loads)
    found = removed_names & loads.attributes
    for place, name in removed_names:
        for around, read in loads.read:
            if read == name and _is_within(around, place, name, loads.bound):
                found.add((place, name))
    return found


def reads(statement: Any, places: set[Place]) -> bool:
    """Whether a statement, or one of several that replaced it, reads a name of one of the places."""
    parts = list(statement) if isinstance(statement, cst.FlattenSentinel) else [statement]
    found = [matchers.findall(part, matchers.Name() | matchers.Attribute()) for part in parts]
    return not {name for _, name in places}.isdisjoint(_text(node) for nodes in found for node in nodes)


def _text(node: cst.CSTNode) -> str:
    return f".{node.attr.value}" if isinstance(node, cst.Attribute) else cst.ensure_type(node, cst.Name).value


def _is_within(around: tuple[str, ...], place: tuple[str, ...], name: str, bound: set[Place]) -> bool:
    """Whether a name refers to the definition at a place, since no closer scope binds it."""
    if around[: len(place)] != place and place[:1] != around[:1]:
        return False
    return not any((around[:n], name) in bound for n in range(min(len(place), len(around)), len(around) + 1))


class _Unchanged(cst.CSTTransformer):
    """Adds remarks to the statements that prevent the migration of a file."""

    def __init__(self, names: Names) -> None:
        super().__init__()
        self.names = names
        self.found = False
        self._here: list[str] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, STATEMENTS):
            self._here.append("")
        return super().on_visit(node)

    def on_leave(self, original_node: cst.CSTNode, updated_node: cst.CSTNode) -> Any:
        result = super().on_leave(original_node, updated_node)
        reason = self._here.pop() if isinstance(original_node, STATEMENTS) else ""
        return remarked(result, [f"{reason}; the file stays as it is"]) if reason else result

    def _stays(self, reason: str) -> None:
        self.found = True
        self._here[-1] = reason

    def visit_ImportFrom(self, node: cst.ImportFrom) -> None:
        if node in self.names.hiding:
            self._stays("this may hide names of tfpy.legacy")

    def visit_Call(self, node: cst.Call) -> None:
        named = node.args[0].value if node.args else None
        ours = isinstance(named, cst.SimpleString) and named.evaluated_value == "tfjs"
        if self.names.path(node.func) == "numerics" and self._here and not ours:
            self._stays("the new API has no numbers of deeplearn.js")


def unchanged(module: cst.Module, names: Names) -> tuple[cst.Module, list[str]] | None:
    """An unchanged file with remarks where it needs deeplearn.js's numbers or hides names; None for any other."""
    finder = _Unchanged(names)
    result = module.visit(finder)
    return (result, remarks(result)) if finder.found else None
