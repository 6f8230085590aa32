"""Steps of a model that are run again from a plan: the kernels of an earlier step, without the Python around them.

A step is recorded the second time that it comes by with tensors of the same shapes. It is replayed only as long as it
is certain to do the same: all code that it runs is tfpy's own, so that what it does follows from the options of layers
and their likes, and none of these has been set anew since. Everything else (layers, losses and functions of one's own,
states kept from batch to batch, values read on the way) is run as ever. `engine/plan.py` says more.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy.core.plans import Holds, Plans, Result, is_own
from tfpy.core.tensor import Tensor
from tfpy.engine.handle import Handle
from tfpy.layers.constraints import Constraint
from tfpy.layers.container import Container
from tfpy.layers.declared import Declared, Total
from tfpy.layers.initializers import Initializer
from tfpy.layers.symbolic import Node, SymbolicTensor

if TYPE_CHECKING:
    from tfpy.core.variable import Variable


class StepPlans(Plans):
    """The plans of a model's steps."""

    def run_step(
        self,
        key: tuple[Hashable, ...],
        inputs: Sequence[Tensor],
        things: Sequence[Any],
        variables: Callable[[], Sequence[Variable]],
        compute: Callable[[], Result],
    ) -> Result:
        """`run` for a step that calls things: the model, losses, …

        They are kept with the plan, so that the identities in its key stay theirs alone.
        """
        return self.run(key, inputs, variables, compute, lambda: _watch(things))


def _watch(things: Sequence[Any]) -> Holds | None:
    """Whether the options of all that a step depends on are as they were; None if it runs code that is not tfpy's."""
    watched = _watched(things)
    if watched is None:
        return None
    return _Watch(watched, things).unchanged


class _Watch:
    """What a step depends on, as it was when this was made.

    Args:
        things: kept, so that the identities in a plan's key stay theirs alone.
    """

    def __init__(self, watched: Sequence[Declared], things: Sequence[Any]) -> None:
        self._watched = [(thing, thing.changes) for thing in watched]
        self._calls = list({type(thing): _call_of(thing) for thing in watched}.items())
        self._contents = _containers(watched)
        self._then = [type(thing)(thing) for thing in self._contents]
        self._things = things
        self._total = Total.changes

    def unchanged(self) -> bool:
        """Whether nothing has been set since, and no class of layers computes otherwise."""
        for kind, call in self._calls:
            if getattr(kind, "call", None) is not call:
                return False
        total = Total.changes  # as it is before the look at the things: other threads may set more meanwhile
        if self._total != total:  # then it may have been somebody else's
            for thing, changes in self._watched:
                if thing.changes != changes:
                    return False
            self._total = total
        return all(map(_same, self._contents, self._then))


def _containers(watched: Sequence[Declared]) -> list[Any]:
    """The lists and dicts among options of layers and the like: of what is written to them nobody tells."""
    found: list[Any] = []
    own = [thing for thing in watched if not isinstance(thing, Container)]  # whose layers change by its methods
    stack = [vars(thing).get(name) for thing in own for name in thing.options]
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
    """Whether a list or a dict holds the very things that it held."""
    if type(now) is list:
        return len(now) == len(then) and all(map(is_, now, then))
    return now.keys() == then.keys() and all(map(is_, now.values(), then.values()))


def _call_of(thing: Any) -> Any:
    """What the class of a layer computes with; None for anything else."""
    return getattr(type(thing), "call", None)


def _watched(things: Sequence[Any]) -> list[Declared] | None:
    """All whose options a step depends on; None if it runs code that is not tfpy's own."""
    found: list[Declared] = []
    seen: set[int] = set()
    stack = list(things)
    while stack:
        thing = stack.pop()
        if id(thing) in seen or isinstance(thing, _PLAIN):
            continue
        seen.add(id(thing))
        if isinstance(thing, Declared):
            found.append(thing)
        parts = _parts(thing)
        if parts is None:
            return None
        stack.extend(parts)
    return found


# What runs no code in a step, or is recorded as a kernel's input.
_PLAIN = (
    str, bytes, int, float, complex, type(None), type, np.generic, np.ndarray, Handle, Node, SymbolicTensor,
    Initializer, Constraint, types.BuiltinFunctionType, np.ufunc,
)  # fmt: skip


def _parts(thing: Any) -> list[Any] | None:
    """What a thing is made of, as far as its code may use it; None if its code is not tfpy's own."""
    if isinstance(thing, (list, tuple, set, frozenset)):
        return list(thing)
    if isinstance(thing, dict):
        return list(thing.values())
    if isinstance(thing, partial):
        return [thing.func, *thing.args, *thing.keywords.values()]
    if isinstance(thing, types.MethodType):
        return [thing.__func__, thing.__self__]
    if isinstance(thing, types.FunctionType):
        return list(_closure(thing)) if is_own(thing) else None
    call = _call_of(thing)
    if not type(thing).__module__.startswith("tfpy.") or (isinstance(call, types.FunctionType) and not is_own(call)):
        return None
    if isinstance(thing, Container):
        return [*thing.layers, *thing.losses, *_replaced_methods(thing)]
    return list(vars(thing).values()) if hasattr(thing, "__dict__") else []


def _closure(function: types.FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue


def _replaced_methods(thing: Any) -> list[Any]:
    """What has been set in place of methods of a thing's class."""
    return [value for name, value in vars(thing).items() if callable(getattr(type(thing), name, None))]
