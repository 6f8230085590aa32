"""Names of layers, weights and symbolic tensors: unique in the process, numbered, scoped by the layer around."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice

from tfpy.engine.locks import ProcessLock

_lock = ProcessLock()
_uids: dict[str, int] = {}
_used: dict[str, int] = {}  # in the order of their last use
_MOST_USED = 1 << 16


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.names: list[str] = []


_scopes = _Scopes()


# A name that ends with a number, which is short enough to be one of ours.
_NUMBERED = re.compile(r"(.*?)(\d{1,9})")


def uid(prefix: str) -> str:
    """The prefix with the next number that it has not had."""
    with _lock():
        _uids[prefix] = _uids.get(prefix, 0) + 1
        return f"{prefix}{_uids[prefix]}"


def register_name(name: str) -> None:
    """Note a name that `uid` has not made, so that the names that it makes from here on have higher numbers.

    Layers that are added to a model from a file could otherwise get the names of the layers in it.
    """
    if found := _NUMBERED.fullmatch(name):
        with _lock():
            _uids[found[1]] = max(_uids.get(found[1], 0), int(found[2]))


@contextmanager
def name_scope(name: str) -> Iterator[None]:
    """Put a name in front of those made inside a `with`."""
    _scopes.names.append(name)
    try:
        yield
    finally:
        _scopes.names.pop()


def scoped(name: str) -> str:
    """The name with those of the scopes around in front."""
    return "/".join([*_scopes.names, name])


def unique(name: str, is_taken: Callable[[str], bool] = lambda name: False) -> str:
    """The name itself the first time, and then with a number behind it; one that is not taken.

    Names that have not been used for long are forgotten, since a program may make and load models as long as it runs.
    """
    with _lock():
        found = _numbered(name)
        while is_taken(found):
            found = _numbered(name)
        if len(_used) > _MOST_USED:
            for old in [*islice(_used, _MOST_USED // 2)]:
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
    """Names within a file, none of which is given twice: dense, dense_1, dense_2.

    `unique` differs: as in TF.js it does not look whether the name with its number has been given as such.
    """

    def __init__(self) -> None:
        self._next: dict[str, int] = {}

    def add(self, name: str) -> str:
        """The name itself, or with the first number that makes it one that has not been given yet."""
        number = self._next.get(name, 0)
        found = f"{name}_{number}" if number else name
        while found in self._next:
            number += 1
            found = f"{name}_{number}"
        self._next[name] = number + 1
        self._next.setdefault(found, 1)
        return found


def unique_names(names: Iterable[str]) -> list[str]:
    """Names in the same order, those with a number that have been there before."""
    return [*map(UniqueNames().add, names)]


def snake_class(name: str) -> str:
    """A class name as Keras turns it into a layer's: SimpleRNN → simple_rnn, Conv2D → conv2d."""
    words = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower()
