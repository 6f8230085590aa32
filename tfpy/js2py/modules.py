"""Imports and exports."""

from __future__ import annotations

import ast
import keyword
import re
import sys

from tree_sitter import Node

from tfpy.js2py import build, names, parse
from tfpy.js2py.build import atom, name_of
from tfpy.js2py.classes import class_of
from tfpy.js2py.converter import Converter, dedented, statement
from tfpy.js2py.functions import define
from tfpy.js2py.notes import MARK, NotConvertedError, Note
from tfpy.js2py.parse import kids, optional, text

_TFJS = re.compile(r"@tensorflow/tfjs(-node|-node-gpu|-core|-layers|-data|-converter)?(/dist/.*)?")
_DEEPLEARN = re.compile(r"deeplearn(/.*)?|(\.\./)+(deeplearn|src/deeplearn|src/index)")
_NOTHING = re.compile(r"@tensorflow/tfjs-backend-.*|.*\.(css|scss)|@babel/polyfill|regenerator-runtime.*")
# Modules of Node and packages beside them, and what nodejs.py calls them; "" for what is known without a name.
_NODE = {
    "argparse": "argparse", "assert": "assert", "fs": "fs", "fs/promises": "fs", "mkdirp": "mkdirp", "os": "os",
    "path": "path", "perf_hooks": "", "process": "process", "shelljs": "shelljs", "util": "util",
}  # fmt: skip


@statement("import_statement")
def import_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`import`: of TF.js, of another file of the script's, or of something that has no counterpart."""
    source = " ".join(text(optional(node, "source"))[1:-1].split())
    if parse.has(node, "type") or _NOTHING.fullmatch(source):
        return []
    clause = next((kid for kid in kids(node) if kid.type == "import_clause"), None)
    parts = list(_imported(clause)) if clause is not None else []
    return _bring(c, node, source, parts)


def _imported(clause: Node) -> list[tuple[str, Node]]:
    """Name in the module and identifier here; "*" for the module, "default" for what it is mainly for."""
    found: list[tuple[str, Node]] = []
    for child in kids(clause):
        if child.type == "identifier":
            found.append(("default", child))
        elif child.type == "namespace_import":
            found.append(("*", kids(child)[0]))
        else:
            found += [(text(kids(part)[0]), kids(part)[-1]) for part in kids(child)]
    return found


def required(c: Converter, pattern: Node, value: Node | None) -> list[ast.stmt] | None:
    """`const x = require(…)`; None for any other declaration."""
    source = _required(value)
    if source is None and pattern.type == "identifier" and _promisified(c, pattern, value):
        return []
    if source is None and value is not None and value.type == "member_expression" and pattern.type == "identifier":
        source = _required(parse.field(value, "object"))
        if source is not None:
            return _bring(c, pattern, source, [(text(parse.field(value, "property")), pattern)])
    if source is None:
        return None
    if pattern.type == "identifier":
        parts = [("*", pattern)]
    else:
        parts = []
        for part in kids(pattern):
            pair = part.type == "pair_pattern"
            parts.append(
                (text(parse.field(part, "key") if pair else part), parse.field(part, "value") if pair else part)
            )
    return _bring(c, pattern, source, parts)


def _promisified(c: Converter, pattern: Node, value: Node | None) -> bool:
    """Make a name known that is set to `util.promisify(fs.readFile)`; whether it is."""
    if value is None or value.type != "call_expression" or not text(value).startswith("util.promisify("):
        return False
    path = parse.path_of(kids(parse.field(value, "arguments"))[0]) or [""]
    module = c.modules.get(path[0])
    if module is not None:
        c.modules[text(pattern)] = ".".join([module, *path[1:]])
    return module is not None


def _required(value: Node | None) -> str | None:
    if value is None or value.type != "call_expression" or text(parse.field(value, "function")) != "require":
        return None
    listed = kids(parse.field(value, "arguments"))
    return text(listed[0])[1:-1] if len(listed) == 1 and listed[0].type == "string" else None


def chosen(root: Node) -> dict[str, str]:
    """Variables that are set to TF.js, or the like, in one of several ways: what they stand for."""
    found = {}
    for node in parse.walk(root):
        if node.type == "assignment_expression" and parse.field(node, "left").type == "identifier":
            source = _required(parse.field(node, "right"))
            module = _root_of(source) if source is not None else None
            if module is not None:
                found[text(parse.field(node, "left"))] = module
    return found


def requires_only(value: Node) -> bool:
    """Whether an expression only loads a module that stands for nothing here."""
    source = _required(value)
    return source is not None and (_root_of(source) is not None or bool(_NOTHING.fullmatch(source)))


def _bring(c: Converter, node: Node, source: str, parts: list[tuple[str, Node]]) -> list[ast.stmt]:
    """Make imported names known, and give the import that stands for it."""
    root = _root_of(source)
    if root is not None:
        for name, local in parts:
            whole = name in ("*", "default")
            found = None if whole else names.resolve([*root.split("."), name])
            c.modules[text(local)] = root if whole else found[0] if found is not None else None
        return []
    source = source.removeprefix("node:")
    if source in _NODE:
        for name, local in parts:
            c.modules[text(local)] = (
                _NODE[source] if name in ("*", "default") else ".".join(filter(None, (_NODE[source], name)))
            )
        return []
    if source.startswith("./"):
        return _from_file(c, source, parts)
    for _, local in parts:
        c.modules[text(local)] = None
    said = (
        f"the package {source} has no counterpart here"
        if not source.startswith(".")
        else f"{source} is in another folder"
    )
    statement = node
    while statement.parent is not None and not statement.type.endswith(("_statement", "_declaration")):
        statement = statement.parent
    c.notes.append(Note(parse.line_of(node), said, True))
    return [build.comment(f"{MARK[2:]}{said}"), *(build.comment(f"    {line}") for line in dedented(statement))]


def _root_of(source: str) -> str | None:
    """What stands for a module of TF.js, tfjs-vis or deeplearn.js; None for any other."""
    if source == "@tensorflow/tfjs-vis":
        return "tf.vis"
    return "tf" if _TFJS.fullmatch(source) else "dl" if _DEEPLEARN.fullmatch(source) else None


def _module(source: str) -> str:
    """The module that a file such as ./some-file.js becomes: not one that Python has."""
    parts = [names.snake(re.sub(r"\W", "_", part)) for part in re.sub(r"\.[jt]s$", "", source[2:]).split("/")]
    taken = {*keyword.kwlist, *sys.stdlib_module_names}
    return ".".join(f"{part}_" if part in taken else part for part in parts)


def _from_file(c: Converter, source: str, parts: list[tuple[str, Node]]) -> list[ast.stmt]:
    """An import of another converted file."""
    module = _module(source)
    out: list[ast.stmt] = []
    taken: list[ast.alias] = []
    for name, local in parts:
        here = name_of(c.name(local))
        if name == "*":
            out.append(ast.Import([ast.alias(module, None if module == here else here)]))
        else:
            there = here if name == "default" else names.variable(name)
            taken.append(ast.alias(there, None if there == here else here))
    if not parts:
        out.append(ast.Import([ast.alias(module)]))
    return out + ([ast.ImportFrom(module, taken, 0)] if taken else [])


@statement("export_statement")
def export_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """What is exported is there; nothing need be said of it."""
    declaration, value = optional(node, "declaration"), optional(node, "value")
    if declaration is not None:
        return c.statement(declaration)
    source = optional(node, "source")
    if source is not None and parse.has(node, "*") and text(source)[1:3] == "./":
        return [ast.ImportFrom(_module(text(source)[1:-1]), [ast.alias("*")], 0)]
    if source is not None:
        raise NotConvertedError("what is exported from another module has no counterpart; import it")
    if value is not None:
        return _by_default(c, value)
    renamed = [n for n in parse.walk(node) if n.type == "export_specifier" and n.child_by_field_name("alias")]
    pairs = [(text(parse.field(n, "alias")), parse.field(n, "name")) for n in renamed]
    return [s for alias, name in pairs if alias != "default" for s in _named(c, alias, name)]


def _by_default(c: Converter, value: Node) -> list[ast.stmt]:
    """What is exported as a whole: a name, which is there, or something that gets one."""
    if value.type == "identifier":
        return []
    if value.type == "class" and optional(value, "name") is not None:
        return [class_of(c, value, text(optional(value, "name")))]
    c.check(value, "this is exported by default; another file has to import it by the name `default`")
    return _named(c, "default", value)


def is_export(left: Node) -> bool:
    """Whether an assignment exports something as Node does."""
    path = parse.path_of(left) or []
    return path[:2] == ["module", "exports"] or (path[:1] == ["exports"] and len(path) == 2)


def exported(c: Converter, left: Node, value: Node) -> list[ast.stmt]:
    """`module.exports = value` and `exports.name = value`: what has no name yet gets that by which it is exported."""
    path = parse.path_of(left) or []
    if path[-1] != "exports":
        return _named(c, path[-1], value)
    if value.type != "object":
        return _by_default(c, value)
    found: list[ast.stmt] = []
    for part in kids(value):
        if part.type == "method_definition":
            found += _named(c, text(parse.field(part, "name")), part)
        elif part.type == "pair":
            found += _named(c, text(parse.field(part, "key")).strip("'\""), parse.field(part, "value"))
        elif part.type != "shorthand_property_identifier":
            raise NotConvertedError("what is exported by `...` has no counterpart; import it where it is used")
    return found


def _named(c: Converter, name: str, value: Node) -> list[ast.stmt]:
    """A value that is exported under a name."""
    spelled = names.variable(name)
    if value.type in parse.FUNCTIONS:
        made: list[ast.stmt] = [define(c, value, spelled)]
    elif value.type == "class":
        made = [class_of(c, value, spelled)]
    else:
        found = c.expr(value)
        made = [] if name_of(found) == spelled else [build.assign(atom(spelled), found)]
    if made and any(b.python == spelled for b in c.scopes.top.bindings.values()):
        raise NotConvertedError(f"what is exported as {name} is something else than {spelled} here")
    return made
