"""Names of layers, weights and symbolic tensors: unique in the process, numbered, scoped by the enclosing layer."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from tfpy.engine.locks import ProcessLock

_lock = ProcessLock()
_uids: dict[str, int] = {}
_used: dict[str, int] = {}  # in order of last use
_MAX_USED = 1 << 16


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.names: list[str] = []


_scopes = _Scopes()


# A name that ends with a number short enough to have been generated here.
_NUMBERED = re.compile(r"(.*?)(\d{1,9})")


def uid(prefix: str) -> str:
    """The prefix with the next unused number."""
    with _lock():
        _uids[prefix] = _uids.get(prefix, 0) + 1
        return f"{prefix}{_uids[prefix]}"


def register_name(name: str) -> None:
    """Record a name that `uid` has not created, so that names created later have higher numbers.

    Layers added to a model from a file could otherwise receive names that are used in it.
    """
    if found := _NUMBERED.fullmatch(name):
        with _lock():
            _uids[found[1]] = max(_uids.get(found[1], 0), int(found[2]))


@contextmanager
def name_scope(name: str) -> Iterator[None]:
    """A context manager that prefixes the names created inside it."""
    _scopes.names.append(name)
    try:
        yield
    finally:
        _scopes.names.pop()


def scoped(name: str) -> str:
    """The name, prefixed with those of the enclosing scopes."""
    return "/".join([*_scopes.names, name])


def unique(name: str, is_taken: Callable[[str], bool] = lambda name: False) -> str:
    """The name itself the first time, then with a number appended that is not in use.

    The least recently used names are dropped, since a program may create and load models indefinitely.
    """
    with _lock():
        found = _numbered(name)
        while is_taken(found):
            found = _numbered(name)
        if len(_used) > _MAX_USED:
            for old in [*islice(_used, _MAX_USED // 2)]:
                del _used[old]
        return found


def _numbered(name: str) -> str:
    count = _used.pop(name, 0)
    _used[name] = count + 1
    if not count:
        return name
    numbered = f"{name}_{count}"
    _used[numbered] = 1
    return numbered


class UniqueNames:
    """Unique names within a file: dense, dense_1, dense_2.

    `unique` differs: as in TF.js it does not check whether the numbered name has been used as such.
    """

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def add(self, name: str) -> str:
        """The name itself, or with the first number that makes it unique."""
        number = self._next.get(name, 0)
        found = f"{name}_{number}" if number else name
        while found in self._next:
            number += 1
            found = f"{name}_{number}"
        self._next[name] = number + 1
        self._next.setdefault(found, 1)
        return found


def unique_names(names: Iterable[str]) -> list[str]:
    """The names in the same order, with a number appended to repeated ones."""
    return [*map(UniqueNames().add, names)]


def snake_class(name: str) -> str:
    """Keras's layer name for a class name: SimpleRNN → simple_rnn, Conv2D → conv2d."""
    words = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower()
