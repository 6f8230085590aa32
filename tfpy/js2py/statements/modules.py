"""Imports and exports."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.exports import renamed, specifiers
from tfpy.js2py.analysis.module import Module, sibling
from tfpy.js2py.analysis.origins import required as required_from
from tfpy.js2py.analysis.origins import source_of
from tfpy.js2py.analysis.scopes import Binding
from tfpy.js2py.converter import Converter, statement
from tfpy.js2py.expressions.functions import define
from tfpy.js2py.notes import MARK, NotConvertedError, Note
from tfpy.js2py.packages import NODE, NOTHING, root_of
from tfpy.js2py.statements.classes import class_of
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import assign, atom, name_of, py
from tfpy.js2py.syntax.comments import dedented
from tfpy.js2py.syntax.parse import kids, optional, text


@statement("import_statement")
def import_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """`import`: of TF.js, of another file of the script, or of a module without a counterpart."""
    source = source_of(node)
    if source is None:
        raise NotConvertedError("this import has no counterpart")
    if parse.has(node, "type"):
        return []
    clause = next((kid for kid in kids(node) if kid.type == "import_clause"), None)
    parts = _imported(clause) if clause is not None else []
    used = [(name, local) for name, local in parts if not c.typescript or c.scopes.bindings[local.id].reads]
    if NOTHING.fullmatch(source):
        c.modules.update(dict.fromkeys([text(local) for _, local in used]))
        return []
    return _bring(c, node, source, used) if used or not parts else []  # unused names are types


def _imported(clause: Node) -> list[tuple[str, Node]]:
    """Name in the module and identifier in the script; "*" for the module, "default" for the default export."""
    found: list[tuple[str, Node]] = []
    for child in kids(clause):
        if child.type == "identifier":
            found.append(("default", child))
        elif child.type == "namespace_import":
            found.append(("*", kids(child)[0]))
        else:
            found += [(text(kids(part)[0]), kids(part)[-1]) for part in kids(child) if not parse.has(part, "type")]
    return found


def required(c: Converter, pattern: Node, value: Node | None) -> list[ast.stmt] | None:
    """`const x = require(…)`; None for any other declaration."""
    source = required_from(value)
    if source is None and pattern.type == "identifier" and _promisified(c, pattern, value):
        return []
    if source is None and value is not None and value.type == "member_expression" and pattern.type == "identifier":
        source = required_from(parse.field(value, "object"))
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
    """Record a name that is set to `util.promisify(fs.readFile)`; returns whether it is one."""
    if value is None or value.type != "call_expression" or not text(value).startswith("util.promisify("):
        return False
    path = parse.path_of(kids(parse.field(value, "arguments"))[0]) or [""]
    module = c.modules.get(path[0])
    if module is not None:
        c.modules[text(pattern)] = ".".join([module, *path[1:]])
    return module is not None


def chosen(root: Node) -> dict[str, str]:
    """Variables that are set to TF.js, or the like, in one of several ways: the modules that they stand for."""
    found = {}
    for node in parse.walk(root):
        if node.type == "assignment_expression" and parse.field(node, "left").type == "identifier":
            source = required_from(parse.field(node, "right"))
            module = root_of(source) if source is not None else None
            if module is not None:
                found[text(parse.field(node, "left"))] = module
    return found


def requires_only(value: Node) -> bool:
    """Whether an expression only loads a module that has no counterpart."""
    source = required_from(value)
    return source is not None and (root_of(source) is not None or bool(NOTHING.fullmatch(source)))


def _bring(c: Converter, node: Node, source: str, parts: list[tuple[str, Node]]) -> list[ast.stmt]:
    """Record imported names, and return the corresponding import."""
    there = c.find_module(source)
    if there is not None:
        return _from_file(c, node, there, parts)
    root = root_of(source)
    if root is not None:
        for name, local in parts:
            whole = name in ("*", "default")
            found = None if whole else names.resolve([*root.split("."), name])
            c.modules[text(local)] = root if whole else found[0] if found is not None else f"{root}.{name}"
        return []
    source = source.removeprefix("node:")
    if source in NODE:
        for name, local in parts:
            c.modules[text(local)] = (
                NODE[source] if name in ("*", "default") else ".".join(filter(None, (NODE[source], name)))
            )
        return []
    said = f"the package {source} has no counterpart here"
    if source.endswith(".json"):
        said = f"{source} is no script; `json.load` reads it"
    elif source.startswith("."):
        said = f"{source} is not among what is converted; convert the folder that has both"
    return _left(c, node, said, parts)


def _left(c: Converter, node: Node, said: str, parts: list[tuple[str, Node]]) -> list[ast.stmt]:
    """The comment for an import that is not converted; nor are the uses of the imported names."""
    for _, local in parts:
        c.modules[text(local)] = None
    statement = node
    while statement.parent is not None and not statement.type.endswith(("_statement", "_declaration")):
        statement = statement.parent
    c.notes.append(Note(parse.line_of(node), said, True))
    return [build.comment(f"{MARK[2:]}{said}"), *(build.comment(f"    {line}") for line in dedented(statement))]


def _from_file(c: Converter, node: Node, there: Module, parts: list[tuple[str, Node]]) -> list[ast.stmt]:
    """An import of another converted file."""
    module = there.module
    out: list[ast.stmt] = []
    taken: list[ast.alias] = []
    late: list[tuple[Binding, str]] = []
    for name, local in parts:
        binding, here = c.scopes.bindings[local.id], name_of(c.name(local))
        if name == "*" and not there.default:
            out.append(ast.Import([ast.alias(module, None if module == here else here)]))
            continue
        found = there.name("default" if name == "*" else name, here)
        if found is None and not c.typescript:
            out += _left(
                c, node, f"the file that becomes {module.replace('.', '/')}.py exports no {name}", [(name, local)]
            )
        elif found is not None and name in there.late:
            late.append((binding, found))
        elif found is not None:  # otherwise it is a type
            taken.append(ast.alias(found, None if found == here else here))
    if late:
        out.append(_looked_up(c, module, late))
    if not parts:
        out.append(ast.Import([ast.alias(module)]))
    return out + ([ast.ImportFrom(module, taken, 0)] if taken else [])


def _looked_up(c: Converter, module: str, late: list[tuple[Binding, str]]) -> ast.stmt:
    """The import of a module whose names are accessed as its attributes at each use."""
    name = module.rpartition(".")[2]
    if any(b.python == name for scope in c.scopes.by_node.values() for b in scope.bindings.values()):
        name += "_module"
    name = c.new_name(name, c.scopes.top.node)
    for binding, found in late:
        binding.python = f"{name}.{found}"
    return ast.Import([ast.alias(module, None if module == name else name)])


@statement("export_statement")
def export_statement(c: Converter, node: Node) -> list[ast.stmt]:
    """An export becomes a plain declaration: in Python all names of a module can be imported."""
    declaration, value = optional(node, "declaration"), optional(node, "value")
    if declaration is not None:
        return c.statement(declaration)
    source = source_of(node)
    clause = next((kid for kid in kids(node) if kid.type in ("export_clause", "namespace_export")), None)
    if parse.has(node, "type"):
        return []
    if source is not None:
        return _passed_on(c, source, clause)
    if value is not None:
        return _by_default(c, value)
    if clause is None:
        raise NotConvertedError("this export has no counterpart")
    return [s for name, alias in specifiers(clause) for s in _own(c, name, alias)]


def _own(c: Converter, name: Node, alias: str) -> list[ast.stmt]:
    """The statement that gives a variable of the script the name under which it is exported."""
    if c.modules.get(text(name), "") is None:
        return []  # the import has a note that there is no counterpart
    if text(name) in c.modules or not name_of(c.name(name)):  # of TF.js, or an attribute of a module
        return [assign(atom(names.variable(alias)), c.expr(name))]
    is_type = c.typescript and c.scopes.top.find(text(name)) is None
    return [] if is_type or alias in ("default", text(name)) else _named(c, alias, name)


def _passed_on(c: Converter, source: str, clause: Node | None) -> list[ast.stmt]:
    """`export … from source`: of another file an import, of TF.js an assignment for each name."""
    there, root = c.find_module(source), root_of(source)
    if there is None and (root is None or clause is None):
        raise NotConvertedError(f"an export from {source} has no counterpart; import it where it is used")
    if clause is not None and clause.type == "namespace_export":
        name = names.variable(text(kids(clause)[0]))
        if there is None:
            return [assign(atom(name), py(root or ""))]
        return [ast.Import([ast.alias(there.module, None if there.module == name else name)])]
    if clause is None:
        assert there is not None
        return _all_of(there)
    taken = []
    out: list[ast.stmt] = []
    for part, alias in specifiers(clause):
        found = names.resolve([*(root or "tf").split("."), text(part)]) if there is None else None
        python = there.name(text(part), names.variable(alias)) if there is not None else None
        if found is not None:
            out.append(assign(atom(names.variable(alias)), py(found[0])))
        elif python is not None:
            here = renamed(alias, text(part), python)
            taken.append(ast.alias(python, None if python == here else here))
    return [*out, *([ast.ImportFrom(there.module, taken, 0)] if there is not None and taken else [])]


def _all_of(there: Module) -> list[ast.stmt]:
    """`export * from './file'`: all names that the file is known to export."""
    known = ["*"]
    if there.names is not None:
        known = sorted({python for name, python in there.names.items() if name != "default"})
    return [ast.ImportFrom(there.module, [ast.alias(name) for name in known], 0)] if known else []


def _by_default(c: Converter, value: Node) -> list[ast.stmt]:
    """The export of a whole module: a name that exists already, or a value that gets one."""
    if value.type == "identifier":
        return []
    if value.type == "class" and optional(value, "name") is not None:
        return [class_of(c, value, text(optional(value, "name")))]
    if c.find_module is sibling:
        c.check(value, "this is exported by default; another file has to import it by the name `default`")
    return _named(c, "default", value)


def is_export(left: Node) -> bool:
    """Whether an assignment is an export in Node's style."""
    path = parse.path_of(left) or []
    return path[:2] == ["module", "exports"] or (path[:1] == ["exports"] and len(path) == 2)


def exported(c: Converter, left: Node, value: Node) -> list[ast.stmt]:
    """`module.exports = value` and `exports.name = value`: a value without a name gets the exported one."""
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
            raise NotConvertedError("an export by `...` has no counterpart; import it where it is used")
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
        made = [] if name_of(found) == spelled else [assign(atom(spelled), found)]
    if made and any(b.python == spelled for b in c.scopes.top.bindings.values()):
        raise NotConvertedError(f"the export {name} is something other than {spelled} here")
    return made
