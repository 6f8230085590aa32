"""Whether a step would compute the same as when it was recorded, so that its plan is still valid.

What a step computes is determined by its code and by the objects that it uses. `watch` visits all of these. If the code
is tfpy's own, a plan is valid until an attribute of a `Versioned` object is set, which these count, until anything else
that can be changed in place (a list, a dict, a small array, the attributes of other objects) has other contents, or
until a class gets another `call`.
"""

from __future__ import annotations

import types
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from operator import attrgetter, is_
from typing import Any, ClassVar

import numpy as np

from tfpy.core.contents import Contents
from tfpy.core.plans import Holds
from tfpy.engine.handle import Handle
from tfpy.engine.package import is_ours

_call = attrgetter("call")


class _Total:
    """The total number of attribute assignments on all versioned objects: while it is equal, none has changed."""

    times_set = 0


class Versioned:
    """Base of objects that count how often their attributes are set or deleted.

    Attributes:
        transient: the names of attributes that are not counted, since no plan reads them: those of a single call, such
            as masks, or of the training loop around the steps; specs of inputs, which are checked before there is a
            plan; lists of weights, which it has among its variables. A subclass that has any must name all of them.
    """

    transient: ClassVar[frozenset[str]] = frozenset()
    _times_set = 0

    def __setattr__(self, name: str, value: Any) -> None:
        _note_change(self, name)  # also before it, lest an interrupt arrive in between
        object.__setattr__(self, name, value)
        _note_change(self, name)

    def __delattr__(self, name: str) -> None:
        _note_change(self, name)
        object.__delattr__(self, name)
        _note_change(self, name)

    def _parts(self) -> list[Any]:
        """The objects that its code may use."""
        return [value for name, value in vars(self).items() if name not in self.transient]


def _note_change(thing: Versioned, name: str) -> None:
    if name not in thing.transient:
        object.__setattr__(thing, "_times_set", thing._times_set + 1)
        _Total.times_set += 1


def watch(things: Sequence[Any], leaves: tuple[type, ...]) -> Holds | None:
    """A function that returns whether objects still compute the same as now; None if they run code outside tfpy.

    Args:
        things: the objects that a step calls. Their ids are in the key of the plan, so that they are kept alive.
        leaves: classes whose instances run no code in a step.
    """
    reached = _reached(things, (*_PLAIN, *leaves))
    return None if reached is None else _Snapshot(reached, things).is_current


class _Snapshot:
    """The objects that a step depends on, with their versions and contents at creation."""

    def __init__(self, reached: Sequence[Any], things: Sequence[Any]) -> None:
        watched = [thing for thing in reached if isinstance(thing, Versioned)]
        self._watched = [(thing, thing._times_set) for thing in watched]
        self._kinds = [*{kind for thing in watched if hasattr(kind := type(thing), "call")}]
        self._calls = [*map(_call, self._kinds)]
        self._contents = Contents(reached)
        self._kept_alive = things
        self._total = _Total.times_set

    def is_current(self) -> bool:
        """Whether nothing has been set or changed since, and every class still has its `call`."""
        if not all(map(is_, map(_call, self._kinds), self._calls)):
            return False
        total = _Total.times_set  # read before the objects are inspected: other threads may set attributes meanwhile
        if self._total != total:  # it may have been an attribute of other objects
            for thing, times in self._watched:
                if thing._times_set != times:
                    return False
            self._total = total
        return self._contents.are_same()


def _call_of(thing: Any) -> Any:
    """The `call` of a layer's class; None for other objects."""
    return getattr(type(thing), "call", None)


def _reached(things: Sequence[Any], leaves: tuple[type, ...]) -> list[Any] | None:
    """Everything that a step depends on; None if it runs code outside tfpy."""
    found: list[Any] = []
    seen: set[int] = set()
    stack = list(things)
    while stack:
        thing = stack.pop()
        if id(thing) in seen or isinstance(thing, leaves):
            continue
        seen.add(id(thing))
        found.append(thing)
        parts = _parts(thing)
        if parts is None:
            return None
        stack.extend(parts)
    return found


# Objects that run no code in a step, or are recorded as a kernel's input.
_PLAIN: tuple[type, ...] = (np.generic, Handle, types.ModuleType, np.ufunc)

# Of these exactly, since a subclass may have code of its own.
_VALUES = frozenset((str, bytes, bool, int, float, complex, type(None)))
_CONTAINERS = frozenset((list, tuple, set, frozenset, dict))

_LIBRARIES = frozenset(("builtins", "numpy"))
_MAX_BYTES = 1 << 12  # of an array: to compare a larger one in each step would take too long


def _parts(thing: Any) -> Collection[Any] | None:
    """The parts of an object that its code may use; None if its code is outside tfpy, or if changes go unnoticed."""
    kind = type(thing)
    if kind in _VALUES:
        return ()
    if kind in _CONTAINERS or (isinstance(thing, tuple) and is_ours(kind)):
        return thing.values() if kind is dict else thing  # type: ignore[no-any-return]
    if kind is np.ndarray:
        return () if thing.nbytes <= _MAX_BYTES and not thing.dtype.hasobject else None
    if kind is partial:
        return thing.func, thing.args, thing.keywords
    if isinstance(thing, types.MethodType):
        return thing.__func__, thing.__self__
    if isinstance(thing, types.BuiltinFunctionType):
        return (thing.__self__,)
    if isinstance(thing, types.FunctionType):
        return list(_closure(thing)) if is_ours(thing) else None
    if isinstance(thing, type):
        return () if is_ours(thing) or thing.__module__ in _LIBRARIES else None
    call = _call_of(thing)
    if not is_ours(kind) or (isinstance(call, types.FunctionType) and not is_ours(call)):
        return None
    if isinstance(thing, Versioned):
        return thing._parts()
    return [vars(thing)] if hasattr(thing, "__dict__") else []


def _closure(function: types.FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue
