"""Recording what a function computes: its kernels in order, as a plan.

`recording_plan` records the kernels that this thread runs. If the origin of all their inputs is known (tensors given as
inputs, variables, constants, results of other recorded kernels) and only values that are the same each time were read
back, the recording becomes a plan (`engine/plan.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from tfpy.engine.backend import Backend
from tfpy.engine.dtypes import DType
from tfpy.engine.gradients import user_gradients
from tfpy.engine.handle import Handle
from tfpy.engine.plan import Draw, Plan, PlanNode, Replay, can_replay, last_uses
from tfpy.engine.state import local

T = TypeVar("T")

_MAX_NODES = 1 << 16  # a longer plan takes more memory than it saves time


class Recorder:
    """Records the kernels that a thread runs; see `recording_plan`.

    Attributes:
        refusal: why there can be no plan; empty if there can.
        refusals: how often a reason was given.
    """

    def __init__(
        self,
        backend: Backend,
        inputs: Sequence[Handle],
        variables: Sequence[Handle],
        constants: Sequence[Handle] | None = None,
    ) -> None:
        self.backend = backend
        self.refusal = ""
        self.refusals = 0
        self._from_host_is_constant = constants is not None
        self._sources = tuple(inputs)
        self._variables = tuple(variables)
        self._variable_ids = {v.id for v in variables}
        self._slots: dict[Any, int] = {}
        self._count = 0
        self._kept: list[Any] = []  # keeps variables' payloads alive, so that their `id` is not reused
        self._constants: dict[int, Any] = {}
        self._fixed: set[int] = set()  # the slots of constants, and of what is computed only from them
        self._nodes: list[PlanNode] = []
        self._assigned: dict[int, Handle] = {}
        self._draws: list[tuple[Draw, DType]] = []
        self._inputs = tuple([self._new_slot(t) for t in (*inputs, *variables)])
        if not self._variable_ids.isdisjoint([t.id for t in inputs]):
            self.refuse("a variable is an input")
        for handle in constants or ():
            if handle.backend is backend:
                self.constant(handle)

    def _key(self, handle: Handle) -> Any:
        """The key of a handle's values: a variable's values change while its id stays the same."""
        if handle.id not in self._variable_ids:
            return handle.id
        self._kept.append(handle.payload)
        return handle.id, id(handle.payload)

    def _new_slot(self, handle: Handle) -> int:
        slot = self._slots[self._key(handle)] = self._count
        self._count += 1
        return slot

    # Called by the engine

    def ran(self, kernel: str, inputs: Sequence[Handle], attrs: Mapping[str, Any], outs: Sequence[Handle]) -> None:
        """A kernel with one output was run."""
        self._note(kernel, inputs, attrs, outs, False)

    def ran_several(
        self, kernel: str, inputs: Sequence[Handle], attrs: Mapping[str, Any], outs: Sequence[Handle]
    ) -> None:
        """A kernel with several outputs was run."""
        self._note(kernel, inputs, attrs, outs, True)

    def _note(
        self, kernel: str, inputs: Sequence[Handle], attrs: Mapping[str, Any], outs: Sequence[Handle], several: bool
    ) -> None:
        slots = tuple([self._slot(t, kernel) for t in inputs])
        if any(out.backend is not self.backend for out in outs):
            self.refuse(f"{kernel} ran on another backend")
        outputs = tuple([self._new_slot(out) for out in outs])
        if len(self._nodes) >= _MAX_NODES:
            self.refuse("too many kernels ran")
            return
        if self._fixed.issuperset(slots):
            self._fixed.update(outputs)
        self._nodes.append(PlanNode(kernel, slots, attrs, outputs, several, tuple([out.spec for out in outs])))

    def constant(self, handle: Handle) -> None:
        """A constant was created, which is the same in every run."""
        if handle.id not in self._slots:
            slot = self._new_slot(handle)
            self._constants[slot] = handle.payload
            self._fixed.add(slot)

    def from_host(self, handle: Handle) -> None:
        """A tensor was created from host values."""
        if self._from_host_is_constant:
            self.constant(handle)

    def read(self, handle: Handle, op: str) -> None:
        """The values of a handle are read."""
        if self._slots.get(self._key(handle)) not in self._fixed:
            self.refuse(f"{op} reads values")

    def drawn(self, handle: Handle, draw: Draw) -> None:
        """Random numbers were drawn, which are different in each run."""
        self._draws.append((draw, handle.spec.dtype))
        self._inputs = (*self._inputs, self._new_slot(handle))

    def aliased(self, handle: Handle, alias: Handle) -> None:
        """A new handle refers to the data of another one."""
        self._slots[self._key(alias)] = self._slot(handle, "clone")

    def assigned(self, variable: Handle, value: Handle) -> None:
        """A variable was assigned a value."""
        if variable.id not in self._variable_ids:
            self.refuse("an unknown variable was assigned")
            return
        self._slots[self._key(variable)] = self._slot(value, "assign")
        self._assigned[variable.id] = variable

    def refuse(self, reason: str) -> None:
        """Note that there can be no plan, and why."""
        self.refusal = self.refusal or reason
        self.refusals += 1

    def _slot(self, handle: Handle, where: str) -> int:
        slot = self._slots.get(self._key(handle))
        if slot is None:
            self.refuse(f"{where} reads a tensor of shape {list(handle.spec.shape)} from elsewhere")
            return -1
        return slot

    # The plan

    def plan(self, results: Sequence[Handle]) -> Plan | None:
        """The plan of the recorded computation, including assignments; None if it cannot be planned."""
        results = (*results, *self._assigned.values())
        outputs = tuple([self._slot(t, "the result") for t in results])
        if self.refusal:
            return None
        nodes = _needed(self._nodes, outputs)
        specs = [t.spec for t in results]
        return Plan(self._count, self._inputs, self._constants, nodes, last_uses(nodes, outputs), outputs, specs)

    def compiled(self, results: Sequence[Handle]) -> Replay | None:
        """The recorded computation, compiled for replay; None if it cannot be replayed."""
        backend, plan = self.backend, self.plan(results)
        if plan is None or user_gradients.count or not can_replay(backend):
            return None
        assigned = tuple(self._assigned.values())
        count = len(self._sources)
        return Replay(plan, backend, backend.compile(plan), count, self._variables, assigned, self._draws)


def _needed(nodes: Sequence[PlanNode], outputs: Iterable[int]) -> list[PlanNode]:
    """The nodes that the outputs need."""
    wanted = set(outputs)
    found = []
    for node in reversed(nodes):
        if not wanted.isdisjoint(node.outputs):
            wanted.update(node.inputs)
            found.append(node)
    return found[::-1]


def recording_plan(
    function: Callable[[], T],
    backend: Backend,
    inputs: Sequence[Handle],
    variables: Sequence[Handle],
    constants: Sequence[Handle] | None = None,
) -> tuple[T, Recorder]:
    """The result of a function, and the recorder of the kernels that it ran on this thread.

    Args:
        function: the function to record.
        backend: where the kernels are to run.
        inputs: tensors whose data differs in each run.
        variables: read anew in each run; may be assigned to.
        constants: tensors whose data is the same in each run. If given, every tensor created from host values counts
            as constant, too: such values must depend only on constants and the specs of the inputs.
    """
    state = local.state
    outer, recorder = state.recorder, Recorder(backend, inputs, variables, constants)
    try:
        state.recorder = recorder
        return function(), recorder
    finally:
        state.recorder = outer
