"""Plans: what a function computes, kernel by kernel, to be run again without its Python code.

A plan consists of nodes that read and write numbered slots. `recording` makes it from the kernels that a function ran;
a backend compiles it to a function from payloads to payloads (`compile`). The plan is independent of backends; how
memory is reused and nodes are merged is up to them. The kernels are those that were recorded, so that the results are
bit-identical.

The caller must make sure that the function would do the same again: the plan contains kernels, not Python code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeGuard, TypeVar

from tfpy.engine.backend import Array, Backend
from tfpy.engine.dispatch import wrap
from tfpy.engine.dtypes import DType
from tfpy.engine.gradients import user_gradients
from tfpy.engine.handle import Handle
from tfpy.engine.hooks import is_hooked
from tfpy.engine.spec import Spec
from tfpy.engine.state import local

H = TypeVar("H", bound=Handle)


class PlanNode(NamedTuple):
    """A kernel run: its inputs and outputs are slots. `several` tells one output from a list of one.

    Attributes:
        specs: the specs of the outputs.
    """

    kernel: str
    inputs: tuple[int, ...]
    attrs: Mapping[str, Any]
    outputs: tuple[int, ...]
    several: bool
    specs: tuple[Spec, ...]


class Plan(NamedTuple):
    """The computation of a function.

    Attributes:
        size: the number of slots. Each is written once.
        inputs: the slots of the inputs, the variables, and the random draws.
        constants: payloads by slot.
        nodes: the kernels that the outputs need, in an executable order.
        last_uses: for each node, the slots that neither a later node nor the outputs need.
        outputs: the slots of the results.
        specs: the specs of the results.
    """

    size: int
    inputs: tuple[int, ...]
    constants: Mapping[int, Any]
    nodes: Sequence[PlanNode]
    last_uses: Sequence[tuple[int, ...]]
    outputs: tuple[int, ...]
    specs: Sequence[Spec]


Draw = Callable[[], Array]
"""Returns new random values in each call."""

Executor = Callable[[Sequence[Any]], Sequence[Any]]
"""Computes the payloads of the outputs from those of the inputs and variables."""


class Replays(Backend, Protocol):
    """A backend that can replay plans."""

    def compile(self, plan: Plan) -> Executor:
        """Compile a plan to a function."""


def can_replay(backend: Backend) -> TypeGuard[Replays]:
    """Whether a backend can replay plans."""
    return backend.compile is not None


def may_plan(backend: Backend) -> TypeGuard[Replays]:
    """Whether a backend can replay plans, and no tape, recorder or observer has to see the individual kernels."""
    state = local.state
    watched = state.tapes or state.recorder is not None or is_hooked(backend)
    return not watched and can_replay(backend)


def last_uses(nodes: Sequence[PlanNode], outputs: Iterable[int]) -> list[tuple[int, ...]]:
    """For each node, the slots that neither a later one nor the outputs need."""
    needed = set(outputs)
    found = []
    for node in reversed(nodes):
        own = tuple(dict.fromkeys(s for s in (*node.inputs, *node.outputs) if s not in needed))
        needed.update(own)
        found.append(own)
    return found[::-1]


class Replay:
    """A compiled plan with the variables that it reads and assigns."""

    def __init__(
        self,
        plan: Plan,
        backend: Backend,
        executor: Executor,
        inputs: int,
        variables: tuple[Handle, ...],
        assigned: tuple[Handle, ...],
        draws: Sequence[tuple[Draw, DType]],
    ) -> None:
        self.plan = plan
        self.backend = backend
        self._executor = executor
        self._count = inputs + len(variables)
        self._variables = variables
        self._variable_ids = frozenset([v.id for v in variables])
        self._assigned = assigned
        self._draws = draws
        self._gradient_changes = user_gradients.changes

    def run(self, cls: type[H], inputs: Sequence[H]) -> tuple[list[H], list[tuple[Handle, H]]] | None:
        """The results, and the values to assign to variables; None if an input or variable is on another backend, or
        if a variable is an input: then gradients with respect to it flow through that, too.
        """
        backend = self.backend
        sources: tuple[Handle, ...] = (*inputs, *self._variables)
        given = [t.payload for t in sources if t.backend is backend]
        if len(given) != self._count or self._gradient_changes != user_gradients.changes:
            return None
        if not self._variable_ids.isdisjoint([t.id for t in inputs]):
            return None
        if self._draws:  # in the recorded order, so that the streams advance as they would have
            given += [backend.write(draw(), dtype) for draw, dtype in self._draws]
        made = [wrap(cls, s, p, backend) for s, p in zip(self.plan.specs, self._executor(given), strict=True)]
        if not self._assigned:
            return made, []
        results = len(made) - len(self._assigned)
        return made[:results], list(zip(self._assigned, made[results:], strict=True))
