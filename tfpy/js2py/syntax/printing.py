"""Python's source from its syntax trees, with comments, empty lines, and long lines wrapped like formatters do."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from typing import Any

from tfpy.js2py.syntax import build

WIDTH = 88
_INDENT = "    "
_DEFINITIONS = (ast.FunctionDef, ast.ClassDef)
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**"}


def module(body: list[ast.stmt]) -> str:
    """The source of a whole script."""
    lines = "\n".join(_body(body, "", 2)).strip("\n")
    return f"{lines}\n" if lines else ""


def source(node: ast.AST) -> str:
    """The source of an expression or of a short statement on one line."""
    if any(isinstance(n, (ast.GeneratorExp, ast.BoolOp, ast.NamedExpr)) for n in ast.walk(node)):
        node = _Tight().visit(copy.deepcopy(node))
    return ast.unparse(node)


def _takes_items(node: ast.AST) -> bool:
    """Whether the only argument of a call is a generator, which needs no extra parentheses."""
    if not isinstance(node, ast.Call) or len(node.args) != 1 or node.keywords:
        return False
    return isinstance(node.args[0], ast.GeneratorExp)


class _Tight(ast.NodeTransformer):
    """Removes unnecessary parentheses: `all((…))`, `a and (not b)`, `(i := (i + 1))`."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        return ast.Call(node.func, [build.atom(ast.unparse(node.args[0])[1:-1])], []) if _takes_items(node) else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.BoolOp:
        self.generic_visit(node)
        negated = [isinstance(v, ast.UnaryOp) and isinstance(v.op, ast.Not) for v in node.values]
        values = zip(node.values, negated, strict=True)
        return ast.BoolOp(node.op, [build.atom(ast.unparse(v)) if is_not else v for v, is_not in values])

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.NamedExpr:
        self.generic_visit(node)
        if isinstance(node.value, (ast.BinOp, ast.Compare)):
            node.value = build.atom(ast.unparse(node.value))
        return node


def _body(body: Sequence[ast.stmt], indent: str, apart: int) -> list[str]:
    """The lines of statements, with `apart` empty lines around definitions."""
    out: list[str] = []
    leading = False  # comments above a definition belong to it
    for at, statement in enumerate(body):
        following = next((s for s in body[at:] if not build.is_comment(s)), None)
        before = body[at - 1] if at else None
        if before is not None and not (leading and (build.is_comment(before))):
            defines = isinstance(following, _DEFINITIONS) and (
                statement is following or _attached(body[at : body.index(following) + 1])
            )
            empty = apart if defines or isinstance(before, _DEFINITIONS) else int(build.has_blank(statement))
            out.extend([""] * empty)
            leading = defines
        elif before is None:
            leading = isinstance(following, _DEFINITIONS)
        elif build.has_blank(statement):
            out.append("")
        out.extend(_statement(statement, indent))
        if isinstance(statement, _DEFINITIONS):
            leading = False
    return out


def _attached(part: Sequence[ast.stmt]) -> bool:
    """Whether comments and the definition after them have no empty line between them."""
    return not any(build.has_blank(s) for s in part[1:])


def _statement(node: ast.stmt, indent: str) -> list[str]:
    rule = _RULES.get(type(node))
    lines = rule(node, indent) if rule is not None else [indent + source(node)]
    if build.behind(node):
        at = 0 if isinstance(node, (*_DEFINITIONS, ast.If, ast.For, ast.While, ast.With, ast.Try)) else -1
        lines[at] += f"  # {build.behind(node)}"
    return [f"{indent}# {line}".rstrip() for line in build.before(node)] + lines


def _block(body: list[ast.stmt], indent: str) -> list[str]:
    return _body(build.filled(body), indent + _INDENT, 1)


def _expression(prefix: str, node: ast.expr | None, suffix: str, indent: str) -> list[str]:
    """The lines of prefix, expression and suffix."""
    if node is None:
        return [f"{indent}{prefix}{suffix}".rstrip()]
    line = f"{indent}{prefix}{source(node)}{suffix}"
    if len(line) <= WIDTH and not _commented(node):
        return [line]
    return _broken(prefix, node, suffix, indent)


def _commented(node: ast.AST) -> bool:
    return any(build.before(n) or build.behind(n) for n in ast.walk(node))


def _broken(prefix: str, node: ast.expr, suffix: str, indent: str) -> list[str]:
    if isinstance(node, ast.Call) and _links(node) > 2 and not prefix.endswith("("):
        return _chain(prefix, node, suffix, indent)
    if isinstance(node, ast.Call) and _takes_items(node):
        return [*_head(prefix, node.func, "(", indent), *_comprehended(node.args[0], indent), f"{indent}){suffix}"]
    if isinstance(node, ast.Call):
        return _called(prefix, node, suffix, indent)
    if isinstance(node, (ast.List, ast.Dict, ast.Set)) and (node.keys if isinstance(node, ast.Dict) else node.elts):
        opening, closing = "[]" if isinstance(node, ast.List) else "{}"
        parts = _pairs(node) if isinstance(node, ast.Dict) else list(node.elts)
        return [f"{indent}{prefix}{opening}", *_parts(parts, indent), f"{indent}{closing}{suffix}"]
    if isinstance(node, ast.Attribute):
        return _expression(prefix, node.value, f".{node.attr}{suffix}", indent)
    if isinstance(node, ast.Subscript):
        return _expression(prefix, node.value, f"[{source(node.slice)}]{suffix}", indent)
    if isinstance(node, ast.Lambda):
        arguments = source(node.args)
        return _expression(
            f"{prefix}lambda {arguments}: " if arguments else f"{prefix}lambda: ", node.body, suffix, indent
        )
    if isinstance(node, ast.ListComp):
        return [f"{indent}{prefix}[", *_comprehended(node, indent), f"{indent}]{suffix}"]
    if isinstance(node, (ast.BoolOp, ast.BinOp, ast.IfExp, ast.Compare)):
        return _operands(prefix, node, suffix, indent)
    return [f"{indent}{prefix}{source(node)}{suffix}"]


def _called(prefix: str, node: ast.Call, suffix: str, indent: str) -> list[str]:
    """A call; after an expression of several lines the arguments follow on its last line if they fit."""
    parts = [*node.args, *node.keywords]
    if not parts:
        return _expression(prefix, node.func, f"(){suffix}", indent)
    *above, head = _head(prefix, node.func, "(", indent)
    last = f"{head}{', '.join(source(part) for part in parts)}){suffix}"
    if above and len(last) <= WIDTH and not any(_commented(part) for part in parts):
        return [*above, last]
    return [*above, head, *_parts(parts, indent), f"{indent}){suffix}"]


def _head(prefix: str, function: ast.expr, suffix: str, indent: str) -> list[str]:
    return _expression(prefix, function, suffix, indent)


def _links(node: ast.expr) -> int:
    """The number of chained method calls."""
    count = 0
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node, count = node.func.value, count + 1
    return count


def _chain(prefix: str, node: ast.Call, suffix: str, indent: str) -> list[str]:
    """Chained method calls, each on its own line."""
    links: list[tuple[ast.Call, str]] = []
    inner: ast.expr = node
    while (
        isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and isinstance(inner.func.value, ast.Call)
    ):
        links.append((inner, inner.func.attr))
        inner = inner.func.value
    deeper = indent + _INDENT
    lines = _expression("", inner, "", deeper)
    for call, name in reversed(links):
        lines += _expression("", ast.Call(build.atom(f".{name}"), call.args, call.keywords), "", deeper)
    return [f"{indent}{prefix}(", *lines, f"{indent}){suffix}"]


def _pairs(node: ast.Dict) -> list[ast.AST]:
    """The entries of a dict, each as a dict with the comments of its value."""
    pairs: list[ast.AST] = []
    for key, value in zip(node.keys, node.values, strict=True):
        pair = ast.Dict([key], [value])
        vars(pair).update({k: v for k, v in vars(value).items() if k in ("before", "behind")}, entry=True)
        pairs.append(pair)
    return pairs


def _parts(parts: Sequence[ast.AST], indent: str) -> list[str]:
    """The parts in brackets: on one line if they fit, otherwise each on its own."""
    deeper = indent + _INDENT
    line = deeper + ", ".join(_part_source(part) for part in parts)
    if len(line) <= WIDTH and not any(_commented(part) for part in parts):
        return [line]
    out: list[str] = []
    for part in parts:
        out += [f"{deeper}# {said}".rstrip() for said in build.before(part)]
        lines = _part(part, deeper, "," if len(parts) > 1 or build.behind(part) else "")
        if build.behind(part):
            lines[-1] += f"  # {build.behind(part)}"
        out += lines
    return out


def _part_source(part: ast.AST) -> str:
    return source(part)[1:-1] if isinstance(part, ast.Dict) and "entry" in vars(part) else source(part)


def _part(part: ast.AST, indent: str, comma: str) -> list[str]:
    if isinstance(part, ast.keyword):
        return _expression(f"{part.arg}=" if part.arg else "**", _bare(part.value), comma, indent)
    if isinstance(part, ast.Starred):
        return _unpacked("*", _bare(part.value), comma, indent)
    if isinstance(part, ast.Dict) and "entry" in vars(part):
        key, value = part.keys[0], _bare(part.values[0])
        if key is None:
            return _unpacked("**", value, comma, indent)
        return _expression(f"{source(key)}: ", value, comma, indent)
    assert isinstance(part, ast.expr)
    return _expression("", _bare(part), comma, indent)


def _unpacked(stars: str, value: ast.expr, comma: str, indent: str) -> list[str]:
    """A value after stars, in parentheses if it needs them."""
    operand = _operand(value)
    if operand == source(value):
        return _expression(stars, value, comma, indent)
    line = f"{indent}{stars}{operand}{comma}"
    return [line] if len(line) <= WIDTH else _operands(stars, value, comma, indent)


def _bare(node: ast.expr) -> ast.expr:
    """The expression without its own comments, which the caller prints."""
    if build.before(node) or build.behind(node):
        node = type(node)(**{name: value for name, value in ast.iter_fields(node)})
    return node


def _comprehended(node: ast.expr, indent: str) -> list[str]:
    """The text in the brackets of a comprehension."""
    assert isinstance(node, (ast.ListComp, ast.GeneratorExp))
    lines = [source(node.elt), *(line for g in node.generators for line in _generator(g))]
    return [f"{indent}{_INDENT}{line}" for line in lines]


def _generator(node: ast.comprehension) -> list[str]:
    """The `for` of a comprehension and its conditions, each on its own line."""
    return [f"for {_targets(node.target)} in {_operand(node.iter)}", *(f"if {_condition(test)}" for test in node.ifs)]


def _operands(prefix: str, node: ast.expr, suffix: str, indent: str) -> list[str]:
    """An expression of several operands in parentheses, each operand on its own line."""
    deeper = indent + _INDENT
    whole = f"{deeper}{source(node)}"
    lines = [whole] if len(whole) <= WIDTH or isinstance(node, ast.Compare) else [deeper + o for o in _listed(node)]
    return [f"{indent}{prefix}(", *lines, f"{indent}){suffix}"]


def _listed(node: ast.expr) -> list[str]:
    if isinstance(node, ast.IfExp):
        return [_operand(node.body), f"if {_operand(node.test)}", f"else {source(node.orelse)}"]
    if isinstance(node, ast.BoolOp):
        sign = "and" if isinstance(node.op, ast.And) else "or"
        first, *others = [_operand(value) for value in node.values]
        return [first, *(f"{sign} {other}" for other in others)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        left = _listed(node.left)
        right = source(node.right)
        simple = not isinstance(node.right, (ast.IfExp, ast.BoolOp, ast.Compare)) and not (
            isinstance(node.right, ast.BinOp) and isinstance(node.right.op, (ast.Add, ast.Sub))
        )
        return [*left, f"{_SIGNS[type(node.op)]} {right if simple else f'({right})'}"]
    return [_operand(node)]


def _condition(node: ast.expr) -> str:
    return f"({source(node)})" if isinstance(node, (ast.IfExp, ast.Lambda)) else source(node)


def _operand(node: ast.expr) -> str:
    text = source(node)
    return f"({text})" if isinstance(node, (ast.IfExp, ast.BoolOp, ast.Lambda)) else text


def _if(node: ast.If, indent: str, word: str = "if") -> list[str]:
    lines = [*_expression(f"{word} ", node.test, ":", indent), *_block(node.body, indent)]
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) and not build.before(node.orelse[0]):
        return lines + _if(node.orelse[0], indent, "elif")
    return lines + ([f"{indent}else:", *_block(node.orelse, indent)] if node.orelse else [])


def _for(node: ast.For, indent: str) -> list[str]:
    head = _expression(f"for {_targets(node.target)} in ", node.iter, ":", indent)
    return [*head, *_block(node.body, indent), *_otherwise(node, indent)]


def _otherwise(node: ast.For | ast.While, indent: str) -> list[str]:
    return [f"{indent}else:", *_block(node.orelse, indent)] if node.orelse else []


def _targets(node: ast.expr) -> str:
    return source(node)[1:-1].rstrip(",") if isinstance(node, ast.Tuple) and node.elts else source(node)


def _try(node: ast.Try, indent: str) -> list[str]:
    lines = [f"{indent}try:", *_block(node.body, indent)]
    for handler in node.handlers:
        name = f" as {handler.name}" if handler.name else ""
        kind = f" {source(handler.type)}" if handler.type is not None else ""
        lines += [f"{indent}except{kind}{name}:", *_block(handler.body, indent)]
    return lines + ([f"{indent}finally:", *_block(node.finalbody, indent)] if node.finalbody else [])


def _def(node: ast.FunctionDef, indent: str) -> list[str]:
    head = [f"{indent}@{source(d)}" for d in node.decorator_list]
    line = f"{indent}def {node.name}({source(node.args)}):"
    lines = (
        [line] if len(line) <= WIDTH else [f"{indent}def {node.name}(", *_arguments(node.args, indent), f"{indent}):"]
    )
    return [*head, *lines, *_docstring(node.body, indent)]


def _arguments(node: ast.arguments, indent: str) -> list[str]:
    """The parameters of a def: on one line if they fit, otherwise each on its own."""
    deeper = indent + _INDENT
    whole = f"{deeper}{source(node)}"
    required = len(node.args) - len(node.defaults)
    if len(whole) <= WIDTH or node.vararg is not None or node.kwonlyargs:
        return [whole]
    lines = [f"{deeper}{arg.arg}," for arg in node.args[:required]]
    pairs = zip(node.args[required:], node.defaults, strict=True)
    return lines + [f"{deeper}{arg.arg}={source(default)}," for arg, default in pairs]


def _class(node: ast.ClassDef, indent: str) -> list[str]:
    bases = f"({', '.join(source(b) for b in node.bases)})" if node.bases else ""
    return [f"{indent}class {node.name}{bases}:", *_docstring(node.body, indent, apart=True)]


def _docstring(body: list[ast.stmt], indent: str, apart: bool = False) -> list[str]:
    """A body that may begin with a docstring, an expression with its text as a constant."""
    first = body[0] if body else None
    if not (isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)):
        return _block(body, indent)
    said = str(first.value.value).replace("\\", "\\\\").replace('"""', "'''").split("\n")
    closing = ['"""'] if len(said) > 1 or said[-1].endswith('"') else []
    lines = [f'"""{said[0]}', *said[1:], *closing]
    if not closing:
        lines[-1] += '"""'
    rest = _body(body[1:], indent + _INDENT, 1)
    gap = [""] if rest and (apart or isinstance(body[1], _DEFINITIONS)) else []
    return [*(f"{indent}{_INDENT}{line}".rstrip() for line in lines), *gap, *rest]


def _match(node: ast.Match, indent: str) -> list[str]:
    lines = [f"{indent}match {source(node.subject)}:"]
    for case in node.cases:
        lines += [f"{indent}{_INDENT}case {source(case.pattern)}:", *_block(case.body, indent + _INDENT)]
    return lines


def _effect(node: ast.Expr, indent: str) -> list[str]:
    if isinstance(node.value, ast.Yield):
        return _expression("yield ", node.value.value, "", indent)
    if isinstance(node.value, ast.YieldFrom):
        return _expression("yield from ", node.value.value, "", indent)
    return _expression("", node.value, "", indent)


def _assign(node: ast.Assign, indent: str) -> list[str]:
    prefix = "".join(f"{_targets(target)} = " for target in node.targets)
    value = node.value
    if isinstance(value, ast.Tuple) and len(value.elts) > 1:
        line = f"{indent}{prefix}{_targets(value)}"
        if len(line) <= WIDTH:
            return [line]
        value = ast.List(value.elts)
    return _expression(prefix, value, "", indent)


_RULES: dict[type[ast.stmt], Callable[[Any, str], list[str]]] = {
    ast.If: _if,
    ast.For: _for,
    ast.While: lambda n, i: [*_expression("while ", n.test, ":", i), *_block(n.body, i), *_otherwise(n, i)],
    ast.With: lambda n, i: [f"{i}with {', '.join(source(w) for w in n.items)}:", *_block(n.body, i)],
    ast.Try: _try,
    ast.FunctionDef: _def,
    ast.ClassDef: _class,
    ast.Match: _match,
    ast.Assign: _assign,
    ast.Expr: lambda n, i: _effect(n, i),
    ast.Return: lambda n, i: _expression("return ", n.value, "", i) if n.value else [f"{i}return"],
    ast.Raise: lambda n, i: _expression("raise ", n.exc, "", i) if n.exc else [f"{i}raise"],
    ast.AugAssign: lambda n, i: _expression(f"{source(n.target)} {_SIGNS_ALL[type(n.op)]}= ", n.value, "", i),
}
_SIGNS_ALL: dict[type[ast.operator], str] = {
    **_SIGNS, ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
}  # fmt: skip
