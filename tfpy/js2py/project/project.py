"""Scripts that are converted together, so that the imports between them are known."""

from __future__ import annotations

import functools
import posixpath
from pathlib import PurePosixPath

from tree_sitter import Node

from tfpy.js2py import names
from tfpy.js2py.analysis.exports import Exports, exports_of, renamed
from tfpy.js2py.analysis.module import SUFFIXES, TYPESCRIPT, Module, module_name
from tfpy.js2py.analysis.origins import origin_of
from tfpy.js2py.analysis.scopes import Binding, Export
from tfpy.js2py.converter import Converter
from tfpy.js2py.notes import Conversion
from tfpy.js2py.packages import root_of
from tfpy.js2py.project.script import finished
from tfpy.js2py.syntax import parse


class Script:
    """A script of a project.

    Attributes:
        path: relative to the project's root.
        module: its name as a Python module.
        converter: its converter.
        exports: its exports.
        imports: the scripts that it imports values from.
    """

    def __init__(self, path: PurePosixPath, source: str, bindings: dict[int, Binding]) -> None:
        root = parse.parse(source, path.suffix in TYPESCRIPT)
        self.path = path
        self.module = module_name(path.with_suffix("").parts)
        self.converter = Converter(root, path.suffix in TYPESCRIPT, bindings)
        self.exports: Exports = exports_of(root, self.converter.scopes)
        self.imports: dict[Script, None] = {}

    def imported(self) -> list[Binding]:
        """The imported variables."""
        scopes = self.converter.scopes.by_node.values()
        return list(dict.fromkeys(b for scope in scopes for b in scope.bindings.values() if origin_of(b) is not None))


class Project:
    """Scripts that import each other.

    Scripts are added first, then linked, then converted.
    """

    def __init__(self) -> None:
        self.scripts: dict[PurePosixPath, Script] = {}
        self._bindings: dict[int, Binding] = {}
        self._exports: dict[Script, dict[str, Export]] = {}

    def add(self, path: PurePosixPath, source: str) -> None:
        """Read a script.

        Raises:
            ScriptError: it has a syntax error.
        """
        self.scripts[path] = Script(path, source, self._bindings)

    def link(self) -> None:
        """Link the imports of each script to the other scripts."""
        for script in self.scripts.values():
            for binding in script.imported():
                self._link(script, binding)
            for passed in (*script.exports.whole, *(p.source for p in script.exports.passed)):
                self._note_import(script, self._found(script, passed))
        for script in self.scripts.values():
            script.converter.find_module = functools.partial(self._find_module, script)
            for other in self.scripts.values():
                if other is not script:
                    script.converter.kinds.include(other.converter.kinds, other in script.imports)

    def convert(self, path: PurePosixPath) -> Conversion:
        """The Python code of a script."""
        return finished(self.scripts[path].converter)

    def _link(self, script: Script, binding: Binding) -> None:
        """Set the export that an imported variable refers to, and add the variable's reads to the export's."""
        origin = origin_of(binding)
        other = self._found(script, origin.source) if origin is not None else None
        if origin is None or other is None:
            return
        exports = self._exports_of(other)
        name = "default" if origin.name == "*" and other.exports.is_default else origin.name
        if name == "*":
            binding.members = exports
            for read in binding.reads:
                owner = read.parent
                member = script.converter.scopes.resolve(owner) if owner is not None and _is_member(owner) else None
                if member is not None and owner is not None:
                    member.reads.append(owner)
        elif name in exports:
            binding.origin = exports[name].binding
            if binding.origin is not None:
                binding.origin.reads.extend(binding.reads)
        if binding.reads and (name == "*" or name in exports):
            self._note_import(script, other)

    def _note_import(self, script: Script, other: Script | None) -> None:
        if other is not None:
            script.imports[other] = None

    def _found(self, script: Script, source: str) -> Script | None:
        """The script that `./name` in another one refers to, possibly without a suffix, or `index` in a folder."""
        if not source.startswith("."):
            return None
        place = posixpath.normpath(posixpath.join(*script.path.parent.parts, source))
        bare = place.removesuffix(PurePosixPath(place).suffix) if place.endswith(SUFFIXES) else place
        tried = [place, *(f"{p}{end}" for p in (place, bare, f"{place}/index") for end in SUFFIXES)]
        return next((self.scripts[PurePosixPath(p)] for p in tried if PurePosixPath(p) in self.scripts), None)

    def _exports_of(self, script: Script) -> dict[str, Export]:
        """The exports of a script by name, including re-exports but not types."""
        if script in self._exports:
            return self._exports[script]
        found = self._exports[script] = dict(script.exports.own)
        for name, export in script.exports.own.items():
            origin = origin_of(export.binding) if export.binding is not None else None
            if origin is None or origin.name == "*" or root_of(origin.source) is not None:
                continue
            other = self._found(script, origin.source)
            real = self._exports_of(other).get(origin.name) if other is not None else None
            if real is not None:
                found[name] = Export(export.python, real.binding)
            else:
                del found[name]  # a type, or a name that does not exist
        for alias, source, name in script.exports.passed:
            other = self._found(script, source)
            real = self._exports_of(other).get(name) if other is not None else None
            if real is not None:
                found[alias] = Export(renamed(alias, name, real.python), real.binding)
            elif other is not None and name == "*":
                found[alias] = Export(names.variable(alias), self._namespace(script, alias, other))
            elif other is None and root_of(source) is not None:
                found[alias] = Export(names.variable(alias), None)
        for source in script.exports.whole:
            other = self._found(script, source)
            passed = self._exports_of(other) if other is not None else {}
            for name, export in passed.items():
                if name != "default":
                    found.setdefault(name, export)
        return found

    def _namespace(self, script: Script, name: str, other: Script) -> Binding:
        """A variable for the whole of another script."""
        top = script.converter.scopes.top
        return Binding(name, "import", top, top.node, python=names.variable(name), members=self._exports_of(other))

    def _find_module(self, script: Script, source: str) -> Module | None:
        """Another script, as an import sees it."""
        other = self._found(script, source)
        if other is None:
            return None
        exports = self._exports_of(other)
        in_circle = script in _reached(other)
        late = {n for n, e in exports.items() if in_circle or (e.binding is not None and e.binding.writes)}
        is_known = other.exports.is_known and (other.converter.typescript or bool(exports))
        found = {n: e.python for n, e in exports.items()} if is_known else None
        return Module(other.module, found, frozenset(late), other.exports.is_default)


def _is_member(node: Node) -> bool:
    return node.type == "member_expression"


def _reached(script: Script) -> set[Script]:
    """The scripts that a script imports, directly or indirectly."""
    found: set[Script] = set()
    waiting = [script]
    while waiting:
        new = [other for other in waiting.pop().imports if other not in found]
        found.update(new)
        waiting += new
    return found
