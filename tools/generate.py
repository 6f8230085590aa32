"""Writes the generated source of the package; `--check` only says whether it is up to date.

    python tools/generate.py [--check]

Generated: the chained methods of Tensor, the TF.js spellings of methods (`_camel.py` beside the classes), the factories
of optimizers, the public faces (`tfpy/__init__.py` and `tfpy/_api/`), the legacy faces, the pages of the API reference.
The package is not imported for it, but for the page of names, which comes last.
See docs/explanation/architecture.md.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from copy import deepcopy
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import constructors
import legacy
from coverage import coverage_page
from factories import Factory, factories_in, source_of
from reference import reference_pages
from source import (
    NOTICE,
    PACKAGE,
    ROOT,
    Module,
    Public,
    annotation_names,
    camel,
    imports_for,
    method_camel,
    modules,
    parse_module,
    public_in,
    returns,
    signature,
)

# Packages that are loaded when they are first used: `import tfpy` does not wait for them.
LAZY = ("distribute", "vis")

# What lists the names of a namespace, and answers for those that it does not have.
HINTS = """
__dir__ = _names_in(globals())

if not TYPE_CHECKING:  # type checkers would take it for a promise that every name exists
    __getattr__ = _missing_from({!r}, globals())
"""


def tensor_methods(ops: list[Public]) -> str:
    """`core/_methods.py`: what type checkers and editors see of the chained ops, which are bound at import."""
    chained = sorted((p for p in ops if p.chain), key=lambda p: p.name)
    needs = [(p.module, annotation_names(p.node)) for p in chained]  # type: ignore[arg-type]
    lines = [
        NOTICE.format(
            "The ops that are methods of Tensor: their signatures. `core/__init__.py` binds the ops themselves."
        ),
        "from typing import TYPE_CHECKING\n\nfrom tfpy.engine.handle import Handle\n\nif TYPE_CHECKING:\n",
        *[f"    {line}\n" for line in imports_for(needs)],
        "\n\nclass TensorMethods(Handle):\n",
        '    """Every op with a tensor as its first argument, in both spellings."""\n\n    __slots__ = ()\n\n',
        "    if TYPE_CHECKING:\n",
    ]
    for p in chained:
        assert isinstance(p.node, ast.FunctionDef)
        lines.append(f"\n        def {p.name}({signature(p.node, 1, 'self')}) -> {returns(p.node)}:\n")
        lines.append(f'            """{p.summary}"""\n\n')
        if camel(p.name, "") != p.name:
            lines.append(f"        {camel(p.name, '')} = {p.name}\n")
    return "".join(lines)


def camel_mixins(module_paths: list[Module]) -> dict[Path, str]:
    """A `_camel.py` in each folder whose classes name a `…Camel` base: TF.js's spellings of their methods."""
    by_folder: dict[Path, list[tuple[Module, ast.ClassDef, str]]] = defaultdict(list)
    for module in module_paths:
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef):
                for base in node.bases:
                    if isinstance(base, ast.Name) and base.id == f"{node.name}Camel":
                        by_folder[module.path.parent].append((module, node, base.id))
    return {folder / "_camel.py": _camel_file(classes) for folder, classes in by_folder.items()}


def _camel_file(classes: list[tuple[Module, ast.ClassDef, str]]) -> str:
    needs = []
    bodies = []
    for module, node, mixin in sorted(classes, key=lambda c: c[2]):
        typed, bound = [], []
        for item in _members(node):
            for name, kind, function in _respelt(node.name, item):
                if function is not None:
                    needs.append((module, annotation_names(function)))
                    typed.append(_typed_member(method_camel(node.name, name), kind, function))
                bound.append(_bound_member(method_camel(node.name, name), name, kind))
        bodies.append(
            f'\n\nclass {mixin}:\n    """TF.js\'s spellings for {node.name}."""\n\n    __slots__ = ()\n\n'
            + ("    if TYPE_CHECKING:\n" + "".join(typed) + "\n    else:\n" + "".join(bound) if bound else "")
        )
    imports = imports_for(needs)
    head = NOTICE.format("TF.js's spellings of methods and properties, calling those of the snake_case names.")
    head += "from typing import TYPE_CHECKING\n\nfrom tfpy.core.spelling import forward, forward_property\n"
    if imports:
        head += "\nif TYPE_CHECKING:\n" + "".join(f"    {line}\n" for line in imports)
    return head + "".join(bodies)


def _members(node: ast.ClassDef) -> list[ast.stmt]:
    """What a class defines; what it declares for type checkers alone, too."""
    found: list[ast.stmt] = []
    for item in node.body:
        found += item.body if isinstance(item, ast.If) and ast.unparse(item.test) == "TYPE_CHECKING" else [item]
    return found


Function = ast.FunctionDef | ast.AsyncFunctionDef


def _respelt(class_name: str, item: ast.stmt) -> list[tuple[str, str, Function | None]]:
    """The public member's name, kind and function, when TF.js spells it differently.

    An annotation without a value declares an attribute that instances have.
    """
    if isinstance(item, ast.AnnAssign) and item.value is None and isinstance(item.target, ast.Name):
        name = item.target.id
        declared = not name.startswith("_") and method_camel(class_name, name) != name
        return [(name, "attribute", _reader(name, item.annotation))] if declared else []
    if not isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)) or item.name.startswith("_"):
        return []
    if method_camel(class_name, item.name) == item.name:
        return []
    decorators = [ast.unparse(d) for d in item.decorator_list]
    if any(d.endswith(".setter") for d in decorators):
        return [(item.name, "setter", item)]
    if "property" in decorators:
        return [(item.name, "property", item)]
    kind = "static" if {"staticmethod", "classmethod"} & set(decorators) else "method"
    return [(item.name, kind, item)]


def _reader(name: str, annotation: ast.expr) -> ast.FunctionDef:
    """A property's function that gives what is annotated so."""
    stub = ast.parse(f"def {name}(self) -> {ast.unparse(annotation)}: ...").body[0]
    assert isinstance(stub, ast.FunctionDef)
    return stub


def _typed_member(spelling: str, kind: str, function: Function) -> str:
    if kind == "attribute":
        return f"\n        {spelling}: {returns(function)}\n"
    decorators = {"property": "property", "setter": f"{spelling}.setter", "static": "classmethod"}
    prefix = f"        @{decorators[kind]}\n" if kind in decorators else ""
    first = "cls" if kind == "static" else "self"
    skip = 0 if "staticmethod" in [ast.unparse(d) for d in function.decorator_list] else 1
    asynchronous = "async " if isinstance(function, ast.AsyncFunctionDef) else ""
    parameters = signature(_parameters_spelt(function), skip, first)  # type: ignore[arg-type]
    return f"\n{prefix}        {asynchronous}def {spelling}({parameters}) -> {returns(function)}: ...\n"


def _parameters_spelt(function: Function) -> Function:
    """The function with the names of its parameters in TF.js's spelling.

    Where keywords are taken in one spelling only, parameters go by position: a subclass names them as it likes.
    """
    spelt = deepcopy(function)
    args = spelt.args
    places = [*args.posonlyargs, *args.args]
    differs = any(camel(p.arg, "") != p.arg for p in places)
    for parameter in (*places, *args.kwonlyargs):
        parameter.arg = camel(parameter.arg, "")
    if differs and not args.vararg and not any("accepts_options" in ast.unparse(d) for d in function.decorator_list):
        args.posonlyargs, args.args = places, []
    return spelt


def _bound_member(spelling: str, name: str, kind: str) -> str:
    maker = {
        "method": f"forward({name!r})",
        "static": f"classmethod(forward({name!r}))",
        "property": f"forward_property({name!r})",
        "attribute": f"forward_property({name!r}, writable=True)",
        "setter": f"forward_property({name!r}, writable=True)",
    }[kind]
    return f"        {spelling} = {maker}\n"


def faces(public: list[Public], factories: list[Factory]) -> dict[Path, str]:
    """`tfpy/__init__.py` and a module for each namespace: in `tfpy/_api/`, or the package of that name."""
    spaces: dict[str, list[Public]] = defaultdict(list)
    made: dict[str, list[Factory]] = defaultdict(list)
    for p in public:
        spaces[p.namespace].append(p)
    for f in factories:
        made[f.namespace].append(f)
    names = sorted({*spaces, *made} - {""})
    within: dict[str, list[str]] = defaultdict(list)
    for name in names:
        within[name.rpartition(".")[0]].append(name)
    out = {
        face_path(n): _face(f"The namespace `tf.{n}`.", spaces[n], n, made[n], _imports_of(within[n])) for n in names
    }
    for folder in {path.parent for path in out if path.is_relative_to(PACKAGE / "_api")}:
        out[folder / "__init__.py"] = '"""The generated namespaces of `tf`."""\n'
    head = (ROOT / "tools/face_head.py.txt").read_text(encoding="utf-8")
    marks = {
        "# NAMESPACES\n": _imports_of([n for n in within[""] if n not in LAZY]),
        "# NAMES\n": "\n".join(_names(spaces[""], "")),
        "    # LAZY NAMESPACES\n": "".join(f"    {line}\n" for line in _imports_of(list(LAZY)).splitlines()),
        "{LAZY}": repr(LAZY),
    }
    for mark, text in marks.items():
        head = head.replace(mark, text)
    out[PACKAGE / "__init__.py"] = head
    return out


def _imports_of(spaces: list[str]) -> str:
    """The imports that bring namespaces into the one around them."""
    last = [(face_package(space), space.rpartition(".")[2]) for space in spaces]
    return "".join(f"from {package} import {name} as {name}\n" for package, name in last)


def face_path(space: str) -> Path:
    """The file of a namespace."""
    package = PACKAGE / space
    return package / "__init__.py" if package.is_dir() else PACKAGE / "_api" / f"{space.replace('.', '/')}.py"


def face_package(space: str) -> str:
    """The package that a namespace is imported from."""
    if (PACKAGE / space).is_dir():
        return "tfpy"
    return ".".join(["tfpy._api", *space.split(".")[:-1]])


def _face(title: str, members: list[Public], space: str, made: list[Factory], inner: str) -> str:
    imports, aliases = _names(members, space)
    head = (
        "from typing import TYPE_CHECKING\n\nfrom tfpy.core.namespaces import missing_from as _missing_from\n"
        + "from tfpy.core.namespaces import names_in as _names_in\n"
        + inner
        + imports
    )
    body = ""
    if made:
        typing_only, body = source_of(made, camel)
        needed = ["from collections.abc import Mapping", "from typing import Any", *typing_only]
        head = head.replace("TYPE_CHECKING", "TYPE_CHECKING, overload", 1)
        head += "".join(f"from {f.module.name} import {f.node.name} as {f.node.name}\n" for f in made)
        # What is exported is not imported again: pyright would take the name for a private one.
        head += "\nif TYPE_CHECKING:\n" + "".join(f"    {line}\n" for line in needed if f"{line} as " not in head)
    return NOTICE.format(title) + head + "\n" + aliases + body + HINTS.format(f"tf.{space}")


def _names(members: list[Public], space: str) -> tuple[str, str]:
    """The public names of a namespace: imports, and assignments of other spellings."""
    lines, aliases = [], []
    for p in sorted(members, key=lambda m: m.name):
        if p.local_name == p.name:
            lines.append(f"from {p.module.name} import {p.name} as {p.name}\n")
        else:  # an assignment, since type checkers take an import under another name for a private one
            lines.append(f"from {p.module.name} import {p.local_name} as _{p.name}\n")
            aliases.append(f"{p.name} = _{p.name}\n")
        spelt = camel(p.name, space)
        # A class has the same name in both spellings, but the function that TF.js makes it by has two.
        if spelt != p.name and (not isinstance(p.node, ast.ClassDef) or p.name != p.local_name):
            aliases.append(f"{spelt} = {p.name}\n")
    return "".join(lines), "".join(aliases)


def generated() -> dict[Path, str]:
    """Every generated file and what it should hold."""
    exporting = [
        m for folder in ("core", "data", "datasets", "distribute", "graph", "layers", "vis") for m in modules(folder)
    ]
    optimizers = constructors.factories(list(modules("core/optimizers")))
    exporting.append(parse_module(constructors.PATH, optimizers))
    public = [p for m in exporting for p in public_in(m)]
    _refuse_doubles(public)
    files = {PACKAGE / "core/_methods.py": tensor_methods(public), constructors.PATH: optimizers}
    files |= camel_mixins([*exporting, *modules("legacy")])
    factories = factories_in(list(modules("layers")))
    files |= faces(public, factories)
    files |= legacy.generated(public)
    sources = {path: formatted(text, path) for path, text in files.items()}
    return sources | reference_pages(public, factories, camel) | coverage_page(public, factories, camel)


def _refuse_doubles(public: list[Public]) -> None:
    seen: dict[tuple[str, str], Public] = {}
    for p in public:
        other = seen.setdefault((p.namespace, p.name), p)
        if other is not p:
            raise SystemExit(f"{p.namespace}.{p.name} is defined in {other.module.name} and in {p.module.name}.")


def formatted(text: str, path: Path) -> str:
    """The text as the formatter leaves it."""
    for command in (["check", "--fix-only", "--select", "I,F401", "--quiet"], ["format"]):
        result = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"],
            input=text,
            capture_output=True,
            text=True,
            cwd=ROOT,
            check=False,
        )
        if result.returncode and not result.stdout:
            raise SystemExit(f"{path}: {result.stderr}\n{text}")
        text = result.stdout
    return text


def main(arguments: list[str]) -> int:
    check = "--check" in arguments
    stale = update(generated(), check)
    from names import names_page  # the package that it imports is made of what has been written

    stale |= update(names_page(), check)
    return 1 if check and stale else 0


def update(files: dict[Path, str], check: bool) -> bool:
    """Write the files that are not as they should be, or only say which these are. Whether there are any."""
    stale = [path for path, text in files.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    for path in stale:
        print(("stale: " if check else "written: ") + str(path.relative_to(ROOT)))
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(files[path], encoding="utf-8")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
