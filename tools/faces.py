"""The public faces: what `tf` and its namespaces import, in both spellings."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from declared_factories import Factory, source_of
from source import NOTICE, PACKAGE, ROOT, Public, camel

# Packages that are loaded on first use, so that `import tfpy` does not wait for them.
LAZY = ("datasets", "distribute", "vis")

# The names of a namespace, and errors for unknown ones.
HINTS = """
__dir__ = _names_in(globals())

if not TYPE_CHECKING:  # type checkers would take it for a promise that every name exists
    __getattr__ = _missing_from({!r}, globals())
"""


def faces(public: list[Public], factories: list[Factory]) -> dict[Path, str]:
    """`tfpy/__init__.py` and a module for each namespace: in the package of that name, or in `tfpy/_api/`."""
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
    """The imports of namespaces in their parent namespace."""
    last = [(face_package(space), space.rpartition(".")[2]) for space in spaces]
    return "".join(f"from {package} import {name} as {name}\n" for package, name in last)


def face_path(space: str) -> Path:
    """The file of a namespace."""
    package = PACKAGE / space
    return package / "__init__.py" if package.is_dir() else _folder(space) / f"{space.replace('.', '/')}.py"


def face_package(space: str) -> str:
    """The package that a namespace is imported from."""
    return ".".join([*_folder(space).relative_to(ROOT).parts, *space.split(".")[:-1]])


def _folder(space: str) -> Path:
    """The folder of a namespace: the package itself if a folder has that name, otherwise its parent's."""
    return PACKAGE if (PACKAGE / space.split(".")[0]).is_dir() else PACKAGE / "_api"


def _face(title: str, members: list[Public], space: str, made: list[Factory], inner: str) -> str:
    imports, aliases = _names(members, space)
    head = (
        "from typing import TYPE_CHECKING\n\nfrom tfpy.core.naming.namespaces import missing_from as _missing_from\n"
        + "from tfpy.core.naming.namespaces import names_in as _names_in\n"
        + inner
        + imports
    )
    body = ""
    if made:
        typing_only, body = source_of(made, camel)
        needed = ["from collections.abc import Mapping", "from typing import Any", *typing_only]
        head = head.replace("TYPE_CHECKING", "TYPE_CHECKING, overload", 1)
        head += "".join(f"from {f.module.name} import {f.node.name} as {f.node.name}\n" for f in made)
        # Exported names are not imported again: pyright would treat them as private.
        head += "\nif TYPE_CHECKING:\n" + "".join(f"    {line}\n" for line in needed if f"{line} as " not in head)
    return NOTICE.format(title) + head + "\n" + aliases + body + HINTS.format(f"tf.{space}")


def _names(members: list[Public], space: str) -> tuple[str, str]:
    """The public names of a namespace: imports, and assignments of other spellings."""
    lines, aliases = [], []
    for p in sorted(members, key=lambda m: m.name):
        if p.local_name == p.name:
            lines.append(f"from {p.module.name} import {p.name} as {p.name}\n")
        else:  # an assignment, since type checkers treat an import under another name as private
            lines.append(f"from {p.module.name} import {p.local_name} as _{p.name}\n")
            aliases.append(f"{p.name} = _{p.name}\n")
        camel_name = camel(p.name, space)
        # A class has the same name in both spellings, but its factory function in TF.js has two.
        if camel_name != p.name and (not isinstance(p.node, ast.ClassDef) or p.name != p.local_name):
            aliases.append(f"{camel_name} = {p.name}\n")
    return "".join(lines), "".join(aliases)
