"""Modules: a script's other files from the view of an import, and the names of files as Python modules."""

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
    """Another file of the script's own, as an import sees it.

    Attributes:
        module: the Python module that it becomes.
        names: the names in Python of what it exports; None where that is not known.
        late: what is looked up in the module whenever it is used: names that are set again, or all names of a file that
            imports, itself or by others, the one that imports it.
        default: whether the file exports one thing, as `module.exports = …` does, which `require` gives.
    """

    module: str
    names: dict[str, str] | None
    late: frozenset[str] = frozenset()
    default: bool = False

    def name(self, exported: str, here: str) -> str | None:
        """The name in Python of what is exported under a name; None where the file exports no such value.

        Args:
            exported: the name.
            here: what it is called where it is imported.
        """
        if self.names is not None:
            return self.names.get(exported)
        return here if exported == "default" else names.variable(exported)


def module_name(parts: Iterable[str]) -> str:
    """The module that a file becomes, by the parts of its path without a suffix: not one that Python has."""
    spelled = [names.snake(re.sub(r"\W", "_", part)) for part in parts]
    return ".".join(f"{part}_" if part in _TAKEN else part for part in spelled)


def sibling(source: str) -> Module | None:
    """A file beside a script, or in a folder beside it, of which only the name is known; None for any other."""
    if not source.startswith("./") or source.endswith(".json"):
        return None
    return Module(module_name(re.sub(r"\.[cm]?[jt]s$", "", source[2:]).split("/")), None)
