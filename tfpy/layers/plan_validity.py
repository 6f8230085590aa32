"""Whether a step would compute the same as when it was recorded, so that its plan is still valid.

What a step computes is determined by its code and by the attributes of the objects that it uses. `watch` visits all of
these. If the code is tfpy's own, a plan is valid until an attribute is set, which `Versioned` objects count, until the
contents of a list or dict among their options change, or until a class gets another `call`.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Sequence
from functools import partial
from operator import is_
from typing import Any, ClassVar

import numpy as np

from tfpy.core.plans import Holds
from tfpy.engine.handle import Handle
from tfpy.engine.package import is_ours


class _Total:
    """The total number of attribute assignments on all versioned objects: while it is equal, none has changed."""

    times_set = 0


class Versioned:
    """Base of objects that count how often their attributes are set.

    Attributes:
        options: the attributes that determine what the object does, with their defaults.
        _containers: the names of further attributes that users may change in place.
        transient: the names of attributes that are not counted, since no plan reads them: those of a single call, such
            as masks, or of the training loop around the steps. A subclass that has any must name all of them.
    """

    transient: ClassVar[frozenset[str]] = frozenset()
    options: ClassVar[dict[str, Any]] = {}
    _containers: ClassVar[Sequence[str]] = ()
    _times_set = 0

    def __setattr__(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)
        if name not in self.transient:
            object.__setattr__(self, "_times_set", self._times_set + 1)
            _Total.times_set += 1

    def _parts(self) -> list[Any]:
        """The objects that its code may use."""
        return list(vars(self).values())

    def _option_values(self) -> list[Any]:
        """The values of the options and the like: changes inside lists and dicts among them are not counted."""
        return [vars(self).get(name) for name in (*self.options, *self._containers)]


def watch(things: Sequence[Any], leaves: tuple[type, ...]) -> Holds | None:
    """A function that returns whether objects still compute the same as now; None if they run code outside tfpy.

    Args:
        things: the objects that a step calls. Their ids are in the key of the plan, so that they are kept alive.
        leaves: classes whose instances run no code in a step.
    """
    reached = _reached(things, (*_PLAIN, *leaves))
    return None if reached is None else _Snapshot(reached, things).is_current


class _Snapshot:
    """The objects that a step depends on, with their versions at creation."""

    def __init__(self, reached: Sequence[Any], things: Sequence[Any]) -> None:
        watched = [thing for thing in reached if isinstance(thing, Versioned)]
        partials = [thing for thing in reached if isinstance(thing, partial)]
        self._watched = [(thing, thing._times_set) for thing in watched]
        self._calls = list({type(thing): _call_of(thing) for thing in watched}.items())
        self._contents = _containers([*partials, *(value for thing in watched for value in thing._option_values())])
        self._then = [type(thing)(thing) for thing in self._contents]
        self._kept_alive = things
        self._total = _Total.times_set

    def is_current(self) -> bool:
        """Whether no attribute has been set since, and every class still has its `call`."""
        for kind, call in self._calls:
            if getattr(kind, "call", None) is not call:
                return False
        total = _Total.times_set  # read before the objects are inspected: other threads may set attributes meanwhile
        if self._total != total:  # it may have been an attribute of other objects
            for thing, times in self._watched:
                if thing._times_set != times:
                    return False
            self._total = total
        return all(map(_same, self._contents, self._then))


def _containers(values: Sequence[Any]) -> list[Any]:
    """The lists and dicts among values, and the keywords of partial functions, inside which changes are not counted."""
    found: list[Any] = []
    stack = list(values)
    while stack:
        value = stack.pop()
        if isinstance(value, partial):
            stack.append(value.keywords)
        elif type(value) is dict:
            found.append(value)
            stack.extend(value.values())
        elif type(value) is list:
            found.append(value)
            stack.extend(value)
    return found


def _same(now: Any, then: Any) -> bool:
    """Whether a list or dict still holds the identical objects."""
    if type(now) is list:
        return len(now) == len(then) and all(map(is_, now, then))
    return now.keys() == then.keys() and all(map(is_, now.values(), then.values()))


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
_PLAIN: tuple[type, ...] = (
    str, bytes, int, float, complex, type(None), type, np.generic, np.ndarray, Handle,
    types.BuiltinFunctionType, np.ufunc,
)  # fmt: skip


def _parts(thing: Any) -> list[Any] | None:
    """The parts of an object that its code may use; None if its code is outside tfpy."""
    if isinstance(thing, (list, tuple, set, frozenset)):
        return list(thing)
    if isinstance(thing, dict):
        return list(thing.values())
    if isinstance(thing, partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, types.MethodType):
        return [thing.__func__, thing.__self__]
    if isinstance(thing, types.FunctionType):
        return list(_closure(thing)) if is_ours(thing) else None
    call = _call_of(thing)
    if not is_ours(type(thing)) or (isinstance(call, types.FunctionType) and not is_ours(call)):
        return None
    if isinstance(thing, Versioned):
        return thing._parts()
    return list(vars(thing).values()) if hasattr(thing, "__dict__") else []


def _closure(function: types.FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue
