"""Tapes: what was computed from the sources, walked back with the rules of `gradients`. The only autodiff there is.

A tape records a node for each kernel that has an input depending on the tape's sources. Rules are written with ops, so
outer tapes record the backward pass over an inner one (`backprop`): higher-order gradients come for free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

from tfpy.engine.gradients import GradientRow
from tfpy.engine.handle import Handle, attach
from tfpy.engine.kernels import Kernel
from tfpy.engine.spec import Shape, Spec
from tfpy.engine.state import local

H = TypeVar("H", bound=Handle)
T = TypeVar("T")

Saved = tuple[Handle, Any, Any]


class Node:
    """One recorded kernel run. Gradient rules read the saved values as attributes: inputs by name, outputs as `y`.

    Attributes:
        inputs, outputs: ids, so that the tape keeps nothing alive that no rule uses.
        input_specs, output_specs: their specs; for outputs only if there are several.
        saved: what the rules use: handle, payload and backend of each value.
        wanted: for each input, whether its gradient is needed; joint rules may check it.
        reached: for each of several outputs, whether it has a gradient; a rule gets zeros for the others.
    """

    wanted: list[bool]
    reached: list[bool]

    # Saved values go into the instance's `__dict__`. A `__getattr__` would slow down all of these attributes.
    __slots__ = (
        "__dict__",
        "attrs",
        "cls",
        "gradient",
        "input_specs",
        "inputs",
        "kernel",
        "output_specs",
        "outputs",
        "saved",
    )

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The value saved under a name."""

    def __init__(
        self,
        kernel: Kernel,
        gradient: GradientRow | None,
        inputs: tuple[Handle, ...],
        attrs: Mapping[str, Any],
        outputs: tuple[Handle, ...],
        cls: type[Handle],
    ) -> None:
        self.kernel = kernel
        self.gradient = gradient
        self.attrs = attrs
        self.cls = cls
        # This runs for every op on a tape: the usual numbers of inputs and outputs are inlined.
        if len(inputs) == 2:
            a, b = inputs
            self.inputs: tuple[int, ...] = (a.id, b.id)
            self.input_specs: tuple[Spec, ...] = (a.spec, b.spec)
        elif len(inputs) == 1:
            self.inputs = (inputs[0].id,)
            self.input_specs = (inputs[0].spec,)
        else:
            self.inputs = tuple([t.id for t in inputs])
            self.input_specs = tuple([t.spec for t in inputs])
        if len(outputs) == 1:
            self.outputs: tuple[int, ...] = (outputs[0].id,)
        else:
            self.outputs = tuple([t.id for t in outputs])
            self.output_specs = [t.spec for t in outputs]
        self.saved: Sequence[Saved] = (
            _save(gradient, inputs, outputs) if gradient is not None and gradient.saves else ()
        )

    def spec(self, name: str) -> Spec:
        """The spec of the input of that name."""
        return self.input_specs[self.kernel.inputs.index(name)]

    def shape(self, name: str) -> Shape:
        """The shape of the input of that name."""
        return self.input_specs[self.kernel.inputs.index(name)].shape

    def restore(self) -> None:
        """Set the saved values as attributes, named after the kernel's inputs, and `y` for its outputs.

        One whose name collides with a slot of the node is read through `vars(node)`.
        """
        assert self.gradient is not None
        handles, own = [_restored(self.cls, *entry) for entry in self.saved], vars(self)
        for name, part in self.gradient.slices:
            count = len(self.outputs) if part is None else len(self.inputs[part])
            several = count > 1 if part is None else part.stop is None
            own[name] = handles[:count] if several else handles[0]
            del handles[:count]

    def renewed(self) -> Node:
        """The same run with new handles for the saved values, one for each use."""
        node = copy(self)
        node.saved = [
            (_copied(self.cls, handle, payload, backend), payload, backend) for handle, payload, backend in self.saved
        ]
        return node


def _save(row: GradientRow, inputs: tuple[Handle, ...], outputs: tuple[Handle, ...]) -> list[Saved]:
    handles: list[Handle] = []
    for _, part in row.slices:
        handles += outputs if part is None else inputs[part]
    # As `saved` does, without a call for each handle: this runs for every op on a tape.
    return [(t, t.payload, t.backend) for t in handles]


def saved(handle: Handle) -> Saved:
    """A handle with its data, which then outlives the scope that it was created in."""
    return handle, handle.payload, handle.backend


def _restored(cls: type[H], handle: H, payload: Any, backend: Any) -> H:
    """The saved handle, or a replacement if it has been disposed or assigned to since."""
    return handle if handle.payload is payload else standing_for(cls, handle, payload, backend)


def standing_for(cls: type[H], handle: Handle, payload: Any, backend: Any) -> H:
    """Another handle that tapes treat as the given one."""
    made = _copied(cls, handle, payload, backend)
    made.id = handle.id
    return made


def stand_in(cls: type[H], handle: Handle) -> H:
    """Another handle that tapes treat as the given one, for user functions, which may dispose of it."""
    return standing_for(cls, *saved(handle))


def _copied(cls: type[H], handle: Handle, payload: Any, backend: Any) -> H:
    """Another handle for a saved value."""
    made = cls.__new__(cls)
    attach(made, handle.spec, payload, backend)
    return made


class Tape:
    """A recording of the computation that depends on its sources."""

    __slots__ = ("nodes", "tracked")

    def __init__(self, sources: Iterable[Handle]) -> None:
        self.nodes: list[Node] = []
        self.tracked = {source.id for source in sources}


def record(
    tapes: list[Tape],
    kernel: Kernel,
    row: GradientRow | None,
    inputs: tuple[Handle, ...],
    attrs: Mapping[str, Any],
    outputs: tuple[Handle, ...],
    cls: type[Handle],
) -> None:
    """Record a kernel run on each tape that tracks one of its inputs."""
    node = None
    for tape in tapes:
        tracked = tape.tracked
        for t in inputs:
            if t.id in tracked:
                if node is None:
                    node = Node(kernel, row, inputs, attrs, outputs, cls)
                tape.nodes.append(node)
                tracked.update(node.outputs)
                break


def recorded(function: Callable[[], T], sources: Iterable[Handle]) -> tuple[T, Tape]:
    """A function's result, and the tape of the kernels that it ran on this thread and that depend on the sources."""
    tape = Tape(sources)
    return on_tape(tape, function), tape


def on_tape(tape: Tape, function: Callable[[], T]) -> T:
    """A function's result, with its run recorded on a tape.

    Not a context manager: an interrupt at the start of `__exit__` would leave the tape in place.
    """
    state = local.state
    outer = state.tapes
    try:
        state.tapes = [*outer, tape]
        return function()
    finally:
        state.tapes = outer


@contextmanager
def paused() -> Iterator[None]:
    """Pause recording on this thread inside a `with`."""
    state = local.state
    outer, none = state.tapes, list[Tape]()
    state.tapes = none
    try:
        yield
    finally:
        if state.tapes is none:  # after an interrupt this runs later, when other tapes may record
            state.tapes = outer
