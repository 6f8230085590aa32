"""Modules: a script's other files as an import sees them, and the names of files as Python modules."""

from __future__ import annotations

import keyword
import re
import sys
from collections.abc import Iterable
from typing import NamedTuple

from tfpy.js2py import names

# Names that a module must not have, or it would shadow something else in imports.
_TAKEN = {*keyword.kwlist, *sys.stdlib_module_names, "numpy", "tfpy"}
TYPESCRIPT = (".ts", ".mts", ".cts")
SUFFIXES = (*TYPESCRIPT, ".js", ".mjs", ".cjs")


class Module(NamedTuple):
    """Another file of the script, as an import sees it.

    Attributes:
        module: the Python module that it becomes.
        names: the Python names of its exports; None if unknown.
        late: names that are accessed as attributes of the module at each use: those that are set again, or all names of
            a file that imports, directly or indirectly, the one that imports it.
        default: whether the file exports one thing, as by `module.exports = …`, which `require` returns.
    """

    module: str
    names: dict[str, str] | None
    late: frozenset[str] = frozenset()
    default: bool = False

    def name(self, exported: str, here: str) -> str | None:
        """The Python name of an export; None if the file exports no such value.

        Args:
            exported: the name of the export.
            here: its name where it is imported.
        """
        if self.names is not None:
            return self.names.get(exported)
        return here if exported == "default" else names.variable(exported)


def module_name(parts: Iterable[str]) -> str:
    """The module name for a file, from the parts of its path without a suffix: never that of a Python module."""
    spelled = [names.snake(re.sub(r"\W", "_", part)) for part in parts]
    return ".".join(f"{part}_" if part in _TAKEN else part for part in spelled)


def sibling(source: str) -> Module | None:
    """A file next to a script, or in a folder next to it, of which only the name is known; None for any other."""
    if not source.startswith("./") or source.endswith(".json"):
        return None
    return Module(module_name(re.sub(r"\.[cm]?[jt]s$", "", source[2:]).split("/")), None)
