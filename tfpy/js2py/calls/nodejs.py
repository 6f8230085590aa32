"""Functions of Node's modules, and of packages that are used with them: files, paths, assertions."""

from __future__ import annotations

import ast

from tree_sitter import Node

from tfpy.js2py.analysis.kind import BYTES, NDARRAY
from tfpy.js2py.calls.arguments import fitting, given
from tfpy.js2py.converter import CallRule, Converter
from tfpy.js2py.expressions.conditions import truth
from tfpy.js2py.notes import NotConvertedError
from tfpy.js2py.syntax import build, parse
from tfpy.js2py.syntax.build import atom, call, py, string
from tfpy.js2py.syntax.parse import kids, text

# Templates as in builtins.py; further arguments are the modes in which files are opened.
_FUNCTIONS: dict[str, tuple[str, ...]] = {
    "fs.existsSync": ("os.path.exists(_0)",),
    "fs.mkdirSync": ("os.makedirs(_0, exist_ok=True)",),
    "fs.readdirSync": ("sorted(os.listdir(_0))",),
    "fs.unlinkSync": ("os.remove(_0)",),
    "fs.renameSync": ("os.replace(_0, _1)",),
    "fs.copyFileSync": ("shutil.copyfile(_0, _1)",),
    "mkdirp": ("os.makedirs(_0, exist_ok=True)",),
    "mkdirp.sync": ("os.makedirs(_0, exist_ok=True)",),
    "os.homedir": ('os.path.expanduser("~")',),
    "os.tmpdir": ("tempfile.gettempdir()",),
    "path.basename": ("os.path.basename(_0).removesuffix(_1)", "os.path.basename(_0)"),
    "path.dirname": ("str(pathlib.Path(_0).parent)",),
    "path.extname": ("os.path.splitext(_0)[1]",),
    "path.isAbsolute": ("os.path.isabs(_0)",),
    "path.normalize": ("os.path.normpath(_0)",),
    "path.relative": ("os.path.relpath(_1, _0)",),
    "process.cwd": ("os.getcwd()",),
    "process.exit": ("sys.exit(_0)", "sys.exit()"),
    "process.stdout.write": ('print(_0, end="")',),
    "shelljs.cp": ("shutil.copy(_0, _1)",),
}


def function(c: Converter, name: str, arguments: Node) -> ast.expr | None:
    """A call of one of Node's functions by its full name; None if it is unknown."""
    name = _at_once(name)
    if name.startswith("fs.") and any(part.type in parse.FUNCTIONS for part in kids(arguments)):
        raise NotConvertedError("a function that is called when a file has been read or written has no counterpart")
    rule = _RULES.get(name)
    if rule is not None:
        return rule(c, arguments)
    templates = _FUNCTIONS.get(name)
    if templates is None:
        return None
    most = max(build.holes(template) for template in templates)
    return fitting(templates, [c.expr(part) for part in kids(arguments)[:most]], name)


def _at_once(name: str) -> str:
    """The synchronous counterpart of a function that returns a promise: fs.readFile for fs.promises.readFile."""
    name = name.replace("fs.promises.", "fs.")
    twin = f"{name}Sync"
    return twin if twin in _FUNCTIONS or twin in _RULES else name


def _read(c: Converter, arguments: Node) -> ast.expr:
    """`fs.readFileSync(path, 'utf8')`; without an encoding it returns bytes."""
    path, *options = kids(arguments)
    said = [n for n in parse.walk(options[0]) if n.type == "string"] if options else []
    value = c.expr(path)
    if not said:
        return py("pathlib.Path(_0).read_bytes()", value)
    return py("pathlib.Path(_0).read_text(encoding=_1)", value, c.expr(said[-1]))


def _write(c: Converter, arguments: Node) -> ast.expr:
    """`fs.writeFileSync(path, data)`, of a string, of bytes or of numbers."""
    path, data = (c.expr(part) for part in kids(arguments)[:2])
    if c.kinds.of(kids(arguments)[1]) in (BYTES, NDARRAY):
        return py("pathlib.Path(_0).write_bytes(_1)", path, data)
    return py('pathlib.Path(_0).write_text(_1, encoding="utf-8")', path, data)


def _append(c: Converter, arguments: Node) -> ast.expr:
    """`fs.appendFileSync(path, data)`."""
    path, data = (c.expr(part) for part in kids(arguments)[:2])
    file = atom(c.new_name("file", arguments))
    opened = ast.withitem(py('open(_0, "a", encoding="utf-8")', path), file)
    c.first(ast.With([opened], [ast.Expr(py("_0.write(_1)", file, data))], lineno=0))
    return atom("None")


def _remove(c: Converter, arguments: Node) -> ast.expr:
    """`fs.rmSync(path)`, of a file or of a folder with its contents."""
    path, *options = kids(arguments)
    whole = options and "recursive: true" in text(options[0])
    return py("shutil.rmtree(_0)" if whole else "os.remove(_0)", c.expr(path))


def _made(c: Converter, arguments: Node) -> ast.expr:
    """`shelljs.mkdir('-p', path)`."""
    return py("os.makedirs(_0, exist_ok=True)", c.expr(kids(arguments)[-1]))


def _shell_removed(c: Converter, arguments: Node) -> ast.expr:
    """`shelljs.rm('-rf', path)`."""
    flag, *paths = kids(arguments)
    if len(paths) != 1 or "r" not in text(flag):
        raise NotConvertedError("this use of shelljs.rm has no counterpart; see shutil and os")
    return py("shutil.rmtree(_0, ignore_errors=True)", c.expr(paths[0]))


def _joined(c: Converter, arguments: Node) -> ast.expr:
    """`path.join(…)`: later parts are never absolute, and dots are resolved."""
    first, *others = given(c, arguments)
    parts = [first]
    for part in others:
        said = build.string_value(part)
        parts.append(part if said is None else string(said.removeprefix("./").lstrip("/")))
    found = call("os.path.join", *parts) if others or isinstance(first, ast.Starred) else first
    return call("os.path.normpath", found) if any(".." in (build.string_value(p) or "") for p in parts) else found


def _resolved(c: Converter, arguments: Node) -> ast.expr:
    """`path.resolve(…)`."""
    parts = given(c, arguments)
    if not parts:
        return py("os.getcwd()")
    return call("os.path.abspath", call("os.path.join", *parts) if len(parts) > 1 else parts[0])


def _asserted(template: str) -> CallRule:
    def rule(c: Converter, arguments: Node) -> ast.expr:
        listed, count = kids(arguments), build.holes(template)
        tested = truth(c, listed[0]) if count == 1 else py(template, *(c.expr(part) for part in listed[:count]))
        said = c.expr(listed[count]) if len(listed) > count else None
        c.first(ast.Assert(tested, said))
        return atom("None")

    return rule


_RULES: dict[str, CallRule] = {
    "assert": _asserted("_0"),
    "assert.ok": _asserted("_0"),
    **{f"assert.{name}": _asserted("_0 == _1") for name in ("equal", "strictEqual", "deepEqual", "deepStrictEqual")},
    **{f"assert.{name}": _asserted("_0 != _1") for name in ("notEqual", "notStrictEqual", "notDeepEqual")},
    "fs.appendFileSync": _append,
    "fs.readFileSync": _read,
    "fs.rmSync": _remove,
    "fs.writeFileSync": _write,
    "path.join": _joined,
    "path.resolve": _resolved,
    "shelljs.mkdir": _made,
    "shelljs.rm": _shell_removed,
}
