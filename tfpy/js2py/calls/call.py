"""Calls: of tfpy with options as keywords, of JavaScript's own functions, of methods, and of the script's functions."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py import builtins, names
from tfpy.js2py.analysis.origins import required
from tfpy.js2py.builtins import OF_OBJECTS
from tfpy.js2py.calls import nodejs
from tfpy.js2py.calls.arguments import fitting, given, with_options
from tfpy.js2py.calls.globals import SPECIAL, printed
from tfpy.js2py.calls.math_domains import check_domain
from tfpy.js2py.calls.methods import method
from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.expressions.properties import chained, tfpy_path
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.packages import root_of
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import call, py, string
from tfpy.js2py.syntax.parse import kids, path_of, text

# Backends of TF.js that tfpy does not have, and the closest ones that it has.
_BACKENDS = {"wasm": "cpu", "tensorflow": "cpu", "webgpu": "webgl"}


@expression("call_expression")
def called(c: Converter, node: Node) -> ast.expr:
    """A call."""
    callee = parse.field(node, "function")
    arguments = node.child_by_field_name("arguments")
    if arguments is None or arguments.type != "arguments":
        raise NotConvertedError("a tagged template has no counterpart")
    if parse.is_chained(node):
        return chained(c, callee, lambda found: call(found, *given(c, arguments)))
    if callee.type == "import":
        raise NotConvertedError(f"`{text(node)[:20]}…` has no counterpart")
    if callee.type == "super":
        return call(ast.Attribute(py("super()"), "__init__"), *given(c, arguments))
    if callee.type in parse.FUNCTIONS:
        return call(c.expr(callee), *given(c, arguments))
    path = path_of(callee)
    found = _known(c, callee, path, arguments) if path is not None else None
    if found is not None:
        return found
    if callee.type == "member_expression" and c.scopes.export(callee) is not None:
        return call(c.expr(callee), *given(c, arguments))
    if callee.type == "member_expression":
        return method(c, node, callee, arguments)
    if callee.type == "identifier" and text(callee) == "require":
        root = root_of(required(node) or "")
        if root is not None:
            return py(root)
        raise NotConvertedError("`require` within an expression has no counterpart")
    return call(c.expr(callee), *given(c, arguments))


def _known(c: Converter, callee: Node, path: list[str], arguments: Node) -> ast.expr | None:
    """A call of tfpy or of a function of JavaScript; None for anything else."""
    first = callee
    while first.type == "member_expression":
        first = parse.field(first, "object")
    module = tfpy_path(c, first, path)
    if module is not None:
        return of_tfpy(c, module, arguments)
    binding = c.scopes.bindings.get(first.id)
    if (binding is not None and binding.kind != "import" and path[0] not in c.modules) or path[:2] == [
        "process",
        "argv",
    ]:
        return None
    known = ".".join([c.modules.get(path[0]) or path[0], *path[1:]])
    if path[0] == "console" and len(path) == 2:
        return printed(c, path[1], arguments)
    special = SPECIAL.get(known)
    if special is not None:
        return special(c, arguments)
    found = nodejs.function(c, known, arguments)
    if found is not None:
        return found
    templates = builtins.FUNCTIONS.get(known)
    if templates is None:
        if path[:2] == ["Array", "prototype"] and len(path) > 2:
            raise NotConvertedError(f"{known} has no counterpart; call {path[2]} of a list, as of Array.from(…)")
        if path[0] in c.modules or path[0] in ("Math", "Object", "Number", "JSON", "Promise", "Reflect", "process"):
            raise NotConvertedError(f"{'.'.join(path)} has no counterpart")
        return None
    kinds = {c.kinds.of(a).name for a in kids(arguments)} if known in OF_OBJECTS else set()
    if kinds & {"list", "ndarray"}:
        raise NotConvertedError(f"{known} of a list has no counterpart; see enumerate and range")
    if "class" in kinds:
        raise NotConvertedError(f"{known} of an enum or a class has no counterpart; list its constants")
    check_domain(c, known, kids(arguments))
    parts = [c.expr(a) for a in kids(arguments)]
    return fitting(templates, parts, known)


def of_tfpy(c: Converter, path: list[str], arguments: Node) -> ast.expr:
    """A call of a function of tfpy."""
    found = names.resolve(path)
    if found is None:
        raise NotConvertedError(names.missing(path))
    backend = text(kids(arguments)[0])[1:-1] if found[0] == "tf.set_backend" and kids(arguments) else ""
    if backend in _BACKENDS:
        c.check(arguments, f"tfpy has no backend '{backend}'; '{_BACKENDS[backend]}' is used instead")
        return py("tf.set_backend(_0)", string(_BACKENDS[backend]))
    return with_options(c, py(found[0]), arguments, names.options_of(found[1]))
