"""Steps of a model that are run again from a plan: the kernels of an earlier step, without the Python around them.

A step is recorded the second time that it comes by with tensors of the same shapes. It is replayed only as long as it
is certain to do the same: all code that it runs is tfpy's own, so that what it does follows from the options of layers
and their likes, and none of these has been set anew since. Everything else (layers, losses and functions of one's own,
random numbers, states kept from batch to batch, values read on the way) is run as ever. `engine/plan.py` says more.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tfpy.core.tensor import Tensor
from tfpy.engine.backend import current
from tfpy.engine.handle import Handle
from tfpy.engine.hooks import is_hooked
from tfpy.engine.plan import Replay, can_replay, recording_plan
from tfpy.engine.state import local
from tfpy.layers.constraints import Constraint
from tfpy.layers.container import Container
from tfpy.layers.declared import Declared
from tfpy.layers.initializers import Initializer
from tfpy.layers.symbolic import Node, SymbolicTensor

if TYPE_CHECKING:
    from tfpy.core.variable import Variable

Result = tuple[list[Tensor], Any]
"""The tensors that a step computes, and what else there is to say of them that is the same each time."""

_MOST_PLANS = 64
_MOST_RECORDINGS = 3  # of one step: what is changed again and again is not worth recording


class _Planned(NamedTuple):
    """A step that can be replayed.

    Attributes:
        replay: what it does.
        rest: the part of its result that is not tensors.
        things: what it calls, so that the identities in its key stay theirs alone.
        watched: whose options it depends on, with how often they had been set.
    """

    replay: Replay
    rest: Any
    things: Sequence[Any]
    watched: Sequence[tuple[Declared, int]]

    def holds(self, inputs: Sequence[Tensor]) -> bool:
        for thing, changes in self.watched:
            if thing.changes != changes:
                return False
        return self.replay.fits(inputs)


class StepPlans:
    """The plans of a model's steps."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, int] = {}  # how often a step was recorded, or came by first
        self._planned: dict[Hashable, _Planned] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return StepPlans, ()  # a copy of the model makes plans of its own

    def run(
        self,
        key: tuple[Hashable, ...],
        inputs: Sequence[Tensor],
        things: Sequence[Any],
        variables: Callable[[], Sequence[Variable]],
        compute: Callable[[], Result],
    ) -> Result:
        """What `compute` returns, from a plan if there is one.

        Args:
            key: what tells this step from others, beside the shapes of its inputs.
            inputs: the tensors that are others each time.
            things: the model, losses, …: all that `compute` calls.
            variables: gives the variables that `compute` may read and assign to.
            compute: runs the step.
        """
        state = local.state
        backend = current()
        if state.tapes or state.recorder is not None or not can_replay(backend) or is_hooked(backend):
            return compute()
        full_key = (*key, backend, *[t.spec for t in inputs])
        planned = self._planned.get(full_key)
        if planned is not None:
            if planned.holds(inputs):
                tensors, assigned = planned.replay.run(Tensor, inputs)
                for variable, value in assigned:
                    variable.assign(value)  # type: ignore[attr-defined]
                return tensors, planned.rest
            del self._planned[full_key]
        times = self._seen.get(full_key, 0)
        if times > _MOST_RECORDINGS or len(self._seen) >= _MOST_PLANS:
            return compute()
        self._seen[full_key] = times + 1
        watched = _watched(things) if times else None
        if watched is None:
            return compute()
        before = [(thing, thing.changes) for thing in watched]
        with recording_plan(backend, inputs, variables()) as recorder:
            tensors, rest = compute()
        replay = recorder.replay(tensors)
        if replay is not None:
            self._planned[full_key] = _Planned(replay, rest, things, before)
        return tensors, rest


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
        return list(_closure(thing)) if _own(thing.__module__) else None
    if not _own(type(thing).__module__):
        return None
    if isinstance(thing, Container):
        return list(thing.layers)
    return list(vars(thing).values()) if hasattr(thing, "__dict__") else []


def _closure(function: types.FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not filled yet
            continue


def _own(module: str | None) -> bool:
    return module is not None and (module == "tfpy" or module.startswith("tfpy."))
