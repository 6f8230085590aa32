"""Names: of variables, of imports, of JavaScript's own objects, and `this`."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.converter import Converter, expression
from tfpy.js2py.expressions.node_properties import constant
from tfpy.js2py.expressions.properties import GLOBALS
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import parse
from tfpy.js2py.syntax.build import atom, py
from tfpy.js2py.syntax.parse import text

# Names that need no declaration.
_GLOBALS = {
    "undefined": "None",
    "NaN": "math.nan",
    "Infinity": "math.inf",
    "__dirname": "os.path.dirname(__file__)",
    "__filename": "__file__",
}
_TIMERS = {"setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "queueMicrotask"}
_SPIES = {"jasmine", "spyOn", "spyOnProperty", "spyOnAllFunctions"}
# JavaScript's objects without a counterpart, except some of their methods.
_JAVASCRIPTS = {
    "Symbol", "console", "global", "globalThis", "Proxy", "Reflect", "Intl", "Buffer", "process", "Atomics", "BigInt",
    "Date", "Promise", "JSON", "Math", "Object", "Array", "Number", "Function", "eval", "crypto", "exports",
}  # fmt: skip
_BROWSER = {
    "document", "window", "fetch", "localStorage", "sessionStorage", "navigator", "alert", "Image", "location",
    "requestAnimationFrame", "HTMLElement", "ImageData", "XMLHttpRequest", "WebSocket", "indexedDB", "FileReader",
}  # fmt: skip


@expression("identifier", "shorthand_property_identifier", "shorthand_property_identifier_pattern")
def identifier(c: Converter, node: Node) -> ast.expr:
    """A name."""
    name = text(node)
    binding = c.scopes.bindings.get(node.id)
    if name in c.modules and (binding is None or binding.kind in ("import", "variable")):
        path = c.modules[name]
        if path is None:
            raise NotConvertedError(f"{name} comes from a package that has no counterpart here")
        if path.partition(".")[0] not in names.ROOTS:
            return constant(path)
        found = names.resolve(path.split("."))
        if found is None:
            raise NotConvertedError(names.missing(path.split(".")))
        return py(found[0])
    if binding is not None:
        return atom(binding.python)
    if _GLOBALS.get(name):
        return py(_GLOBALS[name])
    if name in _BROWSER:
        raise NotConvertedError(f"{name} exists only in browsers")
    if name in _TIMERS:
        raise NotConvertedError(f"{name} has no counterpart; call the function where it is due")
    if name == "arguments":
        raise NotConvertedError("`arguments` has no counterpart; name the parameters")
    if name in _SPIES:
        raise NotConvertedError(f"{name} has no counterpart; see unittest.mock and pytest's monkeypatch")
    if name in _JAVASCRIPTS:
        raise NotConvertedError(f"this use of {name} has no counterpart")
    return py(".".join(GLOBALS[name])) if name in GLOBALS else atom(names.variable(name))


@expression("this")
def this(c: Converter, node: Node) -> ast.expr:
    """The instance."""
    found = node.parent
    while found is not None and (found.type not in parse.FUNCTIONS or found.type == "arrow_function"):
        if found.type == "class_body":
            return atom("self")
        found = found.parent
    if found is None or found.parent is None or found.parent.type != "class_body" or parse.has(found, "static"):
        raise NotConvertedError("`this` that is not an instance of a class has no counterpart")
    return atom("self")
