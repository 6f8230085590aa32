"""The `__dir__` and `__getattr__` of the namespaces of `tf`: their names, and errors for unknown ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any

from tfpy.core.naming.elsewhere import OF_MODULES
from tfpy.core.naming.hints import LAZY, NAMESPACES, MissingNameError, names_of


def names_in(names: Mapping[str, Any], lazy: Collection[str] = ()) -> Callable[[], list[str]]:
    """The `__dir__` of a namespace of `tf`, which consoles use for completion."""
    return lambda: sorted({*names_of(names), *lazy})


def missing_from(space: str, names: Mapping[str, Any], lazy: Collection[str] = ()) -> Callable[[str], Any]:
    """The `__getattr__` of a namespace of `tf`; its `lazy` packages are loaded on first use.

    It also adds the namespace to those used in hints.
    """
    NAMESPACES["tf" if space == "tfpy" else space] = names
    packages = {name: f"{space}.{name}" for name in lazy}
    LAZY.extend(packages.values())

    def missing(name: str) -> Any:
        if name in packages:
            return import_module(packages[name])
        raise MissingNameError(f"module '{space}'", name, lambda: names_of(names), OF_MODULES)

    return missing
