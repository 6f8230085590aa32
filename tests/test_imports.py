"""The layers of the package: which parts may import which, and what `import tfpy` loads."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "tfpy"

# The parts that each part, a folder or a file, may import besides itself; "" is the package itself, that is `tf`.
MAY_IMPORT: dict[str, set[str]] = {
    "engine": set(),
    "core": {"engine", "_version"},
    "data": {"core", "engine"},
    "datasets": {"core", "data", "engine"},
    "distribute": {"core", "engine", "layers"},
    "graph": {"core", "engine", "_version"},
    "layers": {"core", "engine", "_version", "vis"},
    "legacy": {"core", "engine", "_version", "_api"},  # dl.losses, dl.train and dl.image are those of tf
    "vis": {"core", "engine"},
    "migrate": {"", "core", "legacy", "node_rules", "scripts"},  # "": to look up the names in `tf`
    "js2py": {"", "core", "legacy", "node_rules", "scripts"},  # "": likewise
    "_api": {"core", "graph", "layers", "engine"},
    "": {"_api", "_version", "core", "data", "datasets", "distribute", "graph", "layers", "vis"},
    "_version": set(),
    "__main__": {"cli"},
    "cli": {"_version", "core", "demo", "engine", "js2py", "migrate", "saved_models"},
    "demo": {"", "legacy"},
    "node_rules": set(),
    "pytest_plugin": {"", "core"},
    "saved_models": {"core", "graph", "layers"},
    "scripts": {"core"},
}
# The same for the parts of js2py; "" is what `import tfpy.js2py` loads.
JS2PY_MAY_IMPORT: dict[str, set[str]] = {
    "notes": set(),
    "names": set(),
    "builtins": set(),
    "packages": set(),
    "syntax": {"notes"},
    "analysis": {"names", "packages", "syntax"},
    "converter": {"analysis", "notes", "syntax"},
    "expressions": {"analysis", "builtins", "converter", "names", "notes", "syntax"},
    "calls": {"analysis", "builtins", "converter", "expressions", "names", "notes", "packages", "syntax"},
    "statements": {"analysis", "builtins", "converter", "expressions", "names", "notes", "packages", "syntax"},
    "project": {"analysis", "calls", "converter", "expressions", "names", "notes", "packages", "statements", "syntax"},
    "": {"notes", "project"},
}
# The same for the folders of core; "" stands for the files of core itself, tensors and functions on them. These and the
# ops depend on each other, so that there is no row for their imports.
CORE_MAY_IMPORT: dict[str, set[str]] = {
    "naming": set(),
    "calling": {"naming"},
    "ops": {"", "calling"},
    "optimizers": {"", "calling", "naming", "ops"},
    "diagnostics": {"", "calling", "naming", "ops"},
    "system": {"", "calling", "diagnostics", "naming"},
    "extending": {"", "calling", "diagnostics", "naming"},
    "utils": {"", "calling", "ops", "system"},
    "io": {"", "calling", "naming", "system"},
}
# Third-party modules, and the places that may import them at module level ("" is none).
THIRD_PARTY = {
    "moderngl": "engine/gl/",
    "rich": "",
    "typer": "cli.py",
    "libcst": "migrate/",
    "tree_sitter": "js2py/",
    "tree_sitter_javascript": "js2py/",
    "tree_sitter_typescript": "js2py/",
    "h5py": "",
    "altair": "",
    "pooch": "",
    "pytest": "pytest_plugin.py",
}


def part_of(path: Path) -> str:
    """The part of the package that a file is in."""
    name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "" if name == "__init__" else name


def module_of(path: Path) -> str:
    """The module name of a file."""
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")


FILES = sorted(PACKAGE.rglob("*.py"))
MODULES = {module_of(path): path for path in FILES}


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Every imported module, and whether it is imported at module level, not within a function."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(n) for f in ast.walk(tree) if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef)) for n in ast.walk(f)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, id(node) not in inside) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = source_of(node, path)
            parts = (f"{source}.{alias.name}" for alias in node.names)
            yield from ((part if part in MODULES else source, id(node) not in inside) for part in parts)


def source_of(node: ast.ImportFrom, path: Path) -> str:
    """The module that a `from … import` names, absolute or relative."""
    package = path.parent.relative_to(PACKAGE.parent).parts
    above = package[: len(package) + 1 - node.level] if node.level else ()
    return ".".join([*above, *([node.module] if node.module else [])])


def reached_from(part: str) -> set[str]:
    """The modules that a part imports, directly or indirectly, except through `tfpy` itself."""
    reached = {"tfpy"}
    pending = [name for name, path in MODULES.items() if part_of(path) == part]
    while pending:
        name = pending.pop()
        if name in MODULES and name not in reached:
            reached.add(name)
            pending += [name.rpartition(".")[0], *(found for found, _ in imports(MODULES[name]))]
    return reached


def test_every_part_has_a_row() -> None:
    assert {part_of(path) for path in FILES} == set(MAY_IMPORT)


@pytest.mark.parametrize("rows", [MAY_IMPORT, JS2PY_MAY_IMPORT, CORE_MAY_IMPORT], ids=["tfpy", "js2py", "core"])
def test_allowed_imports_have_no_cycle(rows: dict[str, set[str]]) -> None:
    graphlib.TopologicalSorter(rows).prepare()  # raises CycleError


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_between_parts_are_allowed(path: Path) -> None:
    part = part_of(path)
    for name, _ in imports(path):
        top, _, rest = name.partition(".")
        if top == "tfpy":
            target = rest.split(".")[0]
            assert target == part or target in MAY_IMPORT[part], f"{part} must not import {name}"


def type_checking_nodes(tree: ast.Module) -> set[int]:
    """The ids of the nodes in `if TYPE_CHECKING` blocks."""
    blocks = [n for n in ast.walk(tree) if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    return {id(node) for block in blocks for part in block.body for node in ast.walk(part)}


ENGINE = [path for path in FILES if part_of(path) == "engine"]


@pytest.mark.parametrize("path", ENGINE, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_engine_does_not_mention_tf_or_dl(path: Path) -> None:
    assert not re.findall(r"\b(?:tf|dl)\.[a-z]\w*", path.read_text(encoding="utf-8"))


MODELS = {"tfpy.layers.trainable_model", "tfpy.layers.model", "tfpy.layers.sequential"}
# `loading` creates models; the other files in these folders are used by models.
USED_BY_MODELS = [
    path
    for folder in ("training", "saving", "callbacks")
    for path in sorted((PACKAGE / "layers" / folder).rglob("*.py"))
    if path.name != "loading.py"
]


@pytest.mark.parametrize("path", USED_BY_MODELS, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_files_used_by_models_import_them_for_types_only(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing_only = type_checking_nodes(tree)
    found = {n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and id(n) not in typing_only}
    assert not found & (MODELS | {"tfpy.layers.saving.loading"})


CORE = [path for path in FILES if path.parent.is_relative_to(PACKAGE / "core") and path.parent != PACKAGE / "core"]


def part_of_core(path: Path) -> str:
    """The folder of core that a file is in; "" for a file of core itself."""
    return path.relative_to(PACKAGE / "core").parent.parts[0] if path.parent != PACKAGE / "core" else ""


def test_every_folder_of_core_has_a_row() -> None:
    assert {part_of_core(path) for path in CORE} == set(CORE_MAY_IMPORT)


@pytest.mark.parametrize("path", CORE, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_within_core_are_allowed(path: Path) -> None:
    part = part_of_core(path)
    for name, _ in imports(path):
        if name.startswith("tfpy.core.") and name in MODULES:
            target = part_of_core(MODULES[name])
            assert target == part or target in CORE_MAY_IMPORT[part], f"{part} of core must not import {name}"


JS2PY = [path for path in FILES if path.is_relative_to(PACKAGE / "js2py")]


def part_of_js2py(module: str) -> str:
    """The part of js2py that a module is in."""
    return module.removeprefix("tfpy.js2py").removeprefix(".").split(".")[0]


def test_every_part_of_js2py_has_a_row() -> None:
    assert {part_of_js2py(module_of(path)) for path in JS2PY} == set(JS2PY_MAY_IMPORT)


@pytest.mark.parametrize("path", JS2PY, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_within_js2py_are_allowed(path: Path) -> None:
    part = part_of_js2py(module_of(path))
    for name, _ in imports(path):
        if name.startswith("tfpy.js2py"):
            target = part_of_js2py(name)
            assert target == part or target in JS2PY_MAY_IMPORT[part], f"{part} of js2py must not import {name}"


@pytest.mark.parametrize(("part", "other"), [("layers", "legacy"), ("legacy", "layers")])
def test_layers_and_legacy_do_not_import_each_other(part: str, other: str) -> None:
    assert [name for name in reached_from(part) if part_of(MODULES[name]) == other] == []


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_third_party_modules_are_imported_lazily(path: Path) -> None:
    relative = path.relative_to(PACKAGE).as_posix()
    for name, at_module_level in imports(path):
        top = name.split(".")[0]
        known = {
            "tfpy",
            "numpy",
            "annotationlib",
            *sys.stdlib_module_names,
            *THIRD_PARTY,
        }  # the third since Python 3.14
        assert top in known, name
        if top in THIRD_PARTY:
            place = THIRD_PARTY[top]
            assert not at_module_level or (place and relative.startswith(place)), f"{name} is imported with {relative}"


@pytest.mark.parametrize("module", ["tfpy", "tfpy.legacy"])
def test_importing_tfpy_loads_numpy_only(module: str) -> None:
    code = f"import sys; import {module}; print(*sorted({{m.split('.')[0] for m in sys.modules}}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    foreign = {
        m for m in loaded if m not in sys.stdlib_module_names and not m.startswith(("__", "_distutils", "sitecustom"))
    }
    assert foreign <= {"tfpy", "numpy"}, foreign
    slow_to_load = {"asyncio", "unittest", "email", "http", "urllib.request", "sqlite3", "multiprocessing"}
    slow_to_load |= {"difflib", "html", "tempfile", "zipfile"}
    assert not slow_to_load & set(loaded)


@pytest.mark.parametrize(
    ("name", "place"),
    [("iris", "datasets"), ("mpi", "distribute"), ("linechart", "vis.render"), ("housing", "datasets")],
)
def test_names_in_packages_that_are_not_loaded_yet_are_suggested(name: str, place: str) -> None:
    code = f"import tfpy as tf\ntry: tf.{name}\nexcept AttributeError as error: print(error)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said == f"module 'tfpy' has no attribute '{name}'. Did you mean tf.{place}.{name}?\n"
