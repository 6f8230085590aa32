"""`migration_hints`: reports the new name at run time, at each place that uses an old one.

Nothing is instrumented until hints are enabled: then the methods of the legacy classes are replaced by ones that look
up their call sites. They are restored when hints are disabled.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from tfpy.core.naming.wrappers import forwards
from tfpy.engine.package import PACKAGE
from tfpy.engine.printable import put
from tfpy.legacy import math
from tfpy.legacy.arrays import ndarray
from tfpy.legacy.arrays.create import ArrayFactories
from tfpy.legacy.datasets import data, loaders
from tfpy.legacy.graphs import graph, graph_runner, optimizers, session, symbolic
from tfpy.legacy.migration.successors import Successor, snake, table

# The classes whose methods a table is about, and how strings call an instance.
_OWNERS: list[tuple[type, str, str]] = [
    (math.NDArrayMath, "math", "math"),
    (graph.Graph, "graph", "graph"),
    (graph.GraphLayers, "layers", "graph.layers"),
    (session.Session, "session", "session"),
    (ndarray.NDArray, "array", "array"),
    (ndarray.Scalar, "array", "array"),
    (ArrayFactories, "static", "NDArray"),
]
_MODULES = (data, graph, graph_runner, loaders, ndarray, optimizers, session, symbolic)

_replaced: list[tuple[type, str, Any]] = []
_seen: set[tuple[str, int, str]] = set()


class migration_hints:
    """Print the counterpart in the new API, once for each place that uses an old name.

    Call it to enable the hints, or use it in a `with`, at whose end they are disabled.

    Args:
        wanted: whether to print hints; False disables them.

    Source: beyond deeplearn.js. `tfpy migrate` rewrites what the hints name.
    """

    def __init__(self, wanted: bool = True) -> None:
        if wanted and not _replaced:
            _seen.clear()
            _replace()
        elif not wanted:
            _restore()

    def __enter__(self) -> migration_hints:
        return self

    def __exit__(self, *_: object) -> None:
        _restore()


def _replace() -> None:
    for owner, kind, text in _OWNERS:
        for cls in owner.__mro__:
            if cls.__module__.startswith("tfpy.legacy"):
                _replace_methods(cls, kind, text)
    for module in _MODULES:
        for cls in [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__]:
            _replace_making(cls)


def _replace_methods(cls: type, kind: str, owner: str) -> None:
    for name, member in list(vars(cls).items()):
        found = table(kind).get(snake(kind, name))
        if found is None or any(c is cls and n == name for c, n, _ in _replaced):
            continue
        if isinstance(member, classmethod):
            _put(cls, name, member, classmethod(_hinting(member.__func__, f"{owner}.{name}", found)))
        elif callable(member):
            _put(cls, name, member, _hinting(member, f"{owner}.{name}", found))


def _replace_making(cls: type) -> None:
    """The constructor of a class, and its `new`."""
    found = table("class").get(cls.__name__)
    if found is not None and cls is not ndarray.NDArray:
        initial: Any = cls.__init__  # type: ignore[misc]
        _put(cls, "__init__", vars(cls).get("__init__"), _hinting(initial, f"dl.{cls.__name__}", found))
    new = vars(cls).get("new")
    if isinstance(new, classmethod):
        _put(cls, "new", new, classmethod(_hinting(new.__func__, "", None)))


def _put(cls: type, name: str, old: Any, new: Any) -> None:
    _replaced.append((cls, name, old))
    setattr(cls, name, new)


def _restore() -> None:
    while _replaced:
        cls, name, old = _replaced.pop()
        if old is None:
            delattr(cls, name)
        else:
            setattr(cls, name, old)


def _hinting(function: Callable[..., Any], name: str, found: Successor | None) -> Callable[..., Any]:
    """The function, which first reports its replacement; for `new` that depends on the class it is called on."""

    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        if found is not None:
            _hint(name, found)
        elif args[0].__name__ != "_Shaped":
            path = f"{args[0].__name__}.new"
            _hint(f"dl.{path}", table("class")[path])
        return function(*args, **keywords)

    return call


def _hint(name: str, found: Successor) -> None:
    frame = sys._getframe(2)
    while frame.f_back is not None and forwards(frame.f_code):
        frame = frame.f_back
    file = frame.f_code.co_filename
    place = (file, frame.f_lineno, name)
    if file.startswith(PACKAGE) or place in _seen:
        return
    _seen.add(place)
    put(f"{file}:{frame.f_lineno}: {name}: {found.text}")
