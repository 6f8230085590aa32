"""Repeated steps: recorded the second time, and replayed from a plan from then on.

What a step is, and what guarantees that it would do the same again, is up to the callers: layers, sessions and graph
models. `engine/plan.py` explains plans.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

from tfpy.core.tensor import Tensor
from tfpy.core.variable import Variable, assign_and_release
from tfpy.engine.backend import Backend, current
from tfpy.engine.plan import Replay, may_plan
from tfpy.engine.recording import recording_plan

Result = tuple[list[Tensor], Any]
"""The tensors that a step computes, and the rest of its result, which is the same each time."""

Holds = Callable[[], bool]
"""Returns whether a step would still do what it did when it was recorded."""

_MAX_PLANS = 64
_MAX_RECORDINGS = 3  # per step: one that keeps changing is not worth recording


class _Planned(NamedTuple):
    """A step that can be replayed.

    Attributes:
        replay: runs it.
        rest: the non-tensor part of its result.
        holds: whether it is still valid.
    """

    replay: Replay
    rest: Any
    holds: Holds


class Plans:
    """The plans of an object's steps."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, int] = {}  # how often a step was recorded, or first seen
        self._planned: dict[Hashable, _Planned] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()  # a copy of the object makes its own plans

    def __len__(self) -> int:
        return len(self._planned)

    def clear(self) -> None:
        """Forget all plans."""
        self._seen.clear()
        self._planned.clear()

    def run(
        self,
        key: tuple[Hashable, ...],
        inputs: Sequence[Tensor],
        variables: Callable[[], Sequence[Variable]],
        compute: Callable[[], Result],
        watch: Callable[[], Holds | None],
        constants: Callable[[], Sequence[Tensor]] | None = None,
    ) -> Result:
        """The result of `compute`, from a plan if there is one.

        Args:
            key: identifies the step, together with the shapes of its inputs.
            inputs: the tensors that differ each time.
            variables: returns the variables that `compute` may read and assign.
            compute: runs the step.
            watch: called before a step is recorded; None means that no plan is possible.
            constants: returns the tensors that are the same each time; see `recording_plan`.
        """
        found = self.replayed(key, inputs)
        if found is not None:
            return found
        backend = current()
        if not may_plan(backend):
            return compute()
        full_key = _full_key(key, backend, inputs)
        self._planned.pop(full_key, None)  # it is no longer valid
        times = self._seen.get(full_key, 0)
        if times > _MAX_RECORDINGS:
            return compute()
        if not times and len(self._seen) >= _MAX_PLANS:
            self._forget_one()
        self._seen[full_key] = times + 1
        holds = watch() if times else None
        if holds is None:
            return compute()
        (tensors, rest), recorder = recording_plan(compute, backend, inputs, variables(), constants and constants())
        replay = recorder.compiled(tensors)
        if replay is not None:
            self._planned[full_key] = _Planned(replay, rest, holds)
        return tensors, rest

    def _forget_one(self) -> None:
        """Make room for another step: the first without a plan is evicted, or else the first of all."""
        keys = [*self._seen]  # a snapshot, since other threads may do the same meanwhile
        unplanned = [key for key in keys if key not in self._planned]
        for key in (unplanned or keys)[:1]:
            self._seen.pop(key, None)
            self._planned.pop(key, None)

    def replayed(self, key: tuple[Hashable, ...], inputs: Sequence[Tensor]) -> Result | None:
        """The result of `run` from a plan; None if there is none that can be run."""
        backend = current()
        planned = self._planned.get(_full_key(key, backend, inputs))
        if planned is None or not may_plan(backend):
            return None
        replay, rest, holds = planned
        found = replay.run(Tensor, inputs) if holds() else None
        if found is None:
            return None
        tensors, assigned = found
        for variable, value in assigned:
            assign_and_release(variable, value)  # type: ignore[arg-type]
        return tensors, rest


def _full_key(key: tuple[Hashable, ...], backend: Backend, inputs: Sequence[Tensor]) -> tuple[Hashable, ...]:
    """The key with the inputs' specs and which inputs are the same tensor: a plan of f(x, x) does not fit f(x, y)."""
    if len(inputs) == 1:
        return (*key, backend, inputs[0].spec)
    first: dict[int, int] = {}
    same = [first.setdefault(t.id, i) for i, t in enumerate(inputs)]
    return (*key, backend, *[t.spec for t in inputs], *same)
