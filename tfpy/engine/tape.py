"""Tapes and gradients: what was computed from the sources, and how to walk it back. The only autodiff there is.

A tape records a node for each kernel that has an input depending on the tape's sources. Gradient rules belong to kernel
rows and are written with ops, so while one tape is walked back, outer tapes record the walk: higher orders come free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy.engine.handle import Handle, attach
from tfpy.engine.kernels import KERNELS, Kernel
from tfpy.engine.spec import Shape, Spec
from tfpy.engine.state import local

Rule = Callable[[Any, Any], Any]
Outputs = Handle | Sequence[Handle]


class GradientRow:
    """A kernel's gradient.

    Attributes:
        kernel: the kernel's row.
        saves: which inputs ('a', …) and outputs ('y': all of them) the rules use; only these are kept alive.
        places: for each of `saves` the number of the input, a slice of the inputs, or None for the outputs.
        in_order: for each input the rule (dy, node) -> gradient, or None where no gradient flows, and whether it
            stands for several inputs.
        joint: instead of rules for each, one that gives a sequence of gradients, one per input (None: no flow).
    """

    __slots__ = ("_flows", "in_order", "joint", "kernel", "places", "saves")

    def __init__(
        self, kernel: Kernel, saves: tuple[str, ...], rules: Mapping[str, Rule | None], joint: Rule | None
    ) -> None:
        self.kernel = kernel
        self.saves = saves
        self.places = [(name, _place(kernel, name)) for name in saves]
        self.joint = joint
        names = kernel.inputs if joint is None else ()
        self.in_order = [(rules[name.lstrip("*")], name[0] == "*") for name in names]
        self._flows: dict[int, list[bool]] = {}

    def flows(self, count: int) -> list[bool]:
        """For each of `count` inputs, whether a gradient flows to it."""
        found = self._flows.get(count)
        if found is None:
            found = self._flows[count] = self._find_flows(count)
        return found

    def _find_flows(self, count: int) -> list[bool]:
        if self.joint is not None:
            return [True] * count
        flags = [rule is not None for rule, _ in self.in_order]
        return flags + flags[-1:] * (count - len(flags)) if flags else flags


def _place(kernel: Kernel, name: str) -> int | slice | None:
    if name in kernel.inputs:
        return kernel.inputs.index(name)
    return None if name == "y" else slice(kernel.inputs.index("*" + name), None)


GRADIENTS: dict[str, GradientRow] = {}


def gradient(kernel: str, *, saves: str = "", joint: Rule | None = None, **rules: Rule | None) -> None:
    """Give a kernel its gradient: a rule for each input, or one joint rule for all.

    A rule is called with dy, the gradient of the output (a list for a kernel with several outputs), and the Node. It
    returns the gradient of its input, of the input's shape; for an input that stands for several ('*xs'), a list.
    """
    row = KERNELS[kernel]
    names = [name.lstrip("*") for name in row.inputs]
    saved = tuple(saves.split())
    for name in (*rules, *saved):
        if name not in names and not (name == "y" and name in saved):
            raise ValueError(f"gradient: kernel {kernel!r} has no input {name!r}; it has {', '.join(names)}.")
    if joint is None and set(rules) != set(names):
        raise ValueError(f"gradient: kernel {kernel!r} needs a rule, or None, for each of {', '.join(names)}.")
    if kernel in GRADIENTS:
        raise ValueError(f"gradient: kernel {kernel!r} already has one.")
    GRADIENTS[kernel] = GradientRow(row, saved, rules, joint)


NOT_DIFFERENTIABLE: set[str] = set()


def no_gradient(*kernels: str) -> None:
    """State that kernels have no gradient: one of them on the way from x to y is an error."""
    for name in kernels:
        if name not in KERNELS or name in GRADIENTS:
            raise ValueError(f"no_gradient: {name!r} is not a kernel without a gradient.")
        NOT_DIFFERENTIABLE.add(name)


class Node:
    """One recorded kernel run. Its gradient rules read what was saved as attributes: inputs by name, outputs as `y`.

    Attributes:
        inputs, outputs: ids, so that the tape keeps nothing alive that no rule uses.
        wanted: for each input whether its gradient is needed; joint rules may look at it.
    """

    wanted: list[bool]

    # What was saved goes to the instance's own dict. A `__getattr__` would make all of these slow to read.
    __slots__ = (
        "__dict__",
        "_input_specs",
        "_output_specs",
        "_saved",
        "attrs",
        "cls",
        "inputs",
        "kernel",
        "outputs",
        "row",
    )

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What was saved under a name."""

    def __init__(
        self,
        kernel: Kernel,
        row: GradientRow | None,
        inputs: tuple[Handle, ...],
        attrs: Mapping[str, Any],
        outputs: tuple[Handle, ...],
        cls: type[Handle],
    ) -> None:
        self.kernel = kernel
        self.row = row
        self.attrs = attrs
        self.cls = cls
        # This runs for every op on a tape: the usual numbers of inputs and outputs are spelled out.
        if len(inputs) == 2:
            a, b = inputs
            self.inputs: tuple[int, ...] = (a.id, b.id)
            self._input_specs: tuple[Spec, ...] = (a.spec, b.spec)
        elif len(inputs) == 1:
            self.inputs = (inputs[0].id,)
            self._input_specs = (inputs[0].spec,)
        else:
            self.inputs = tuple([t.id for t in inputs])
            self._input_specs = tuple([t.spec for t in inputs])
        if len(outputs) == 1:
            self.outputs: tuple[int, ...] = (outputs[0].id,)
        else:
            self.outputs = tuple([t.id for t in outputs])
            self._output_specs = [t.spec for t in outputs]
        self._saved = _save(row, inputs, outputs) if row is not None and row.saves else None

    def spec(self, name: str) -> Spec:
        """The spec of the input of that name."""
        return self._input_specs[self.kernel.inputs.index(name)]

    def shape(self, name: str) -> Shape:
        """The shape of the input of that name."""
        return self._input_specs[self.kernel.inputs.index(name)].shape

    def specs(self) -> tuple[Spec, ...]:
        """The specs of all inputs."""
        return self._input_specs

    def input_gradients(self, grads: Mapping[int, Handle], tracked: set[int]) -> Sequence[Handle | None]:
        """What the rules give for the inputs that a tape tracks, from the gradients of the outputs."""
        row, inputs = self.row, self.inputs
        assert row is not None
        if self._saved is not None:
            self._restore(self._saved)
        dy = grads[self.outputs[0]] if len(self.outputs) == 1 else self._output_gradients(grads)
        if row.joint is not None:
            self.wanted = [ident in tracked for ident in inputs]
            return list(row.joint(dy, self))
        found: list[Handle | None] = []
        for rule, several in row.in_order:
            if several:
                rest = len(inputs) - len(found)
                found.extend([None] * rest if rule is None else rule(dy, self))
            else:
                wanted = rule is not None and inputs[len(found)] in tracked
                found.append(rule(dy, self) if wanted else None)  # type: ignore[misc]
        return found

    def _output_gradients(self, grads: Mapping[int, Handle]) -> list[Handle]:
        count = len(self.outputs) - self.kernel.workspace
        pairs = zip(self.outputs[:count], self._output_specs, strict=False)
        return [grads[i] if i in grads else _zeros(s, self.cls) for i, s in pairs]

    def _restore(self, saved: Mapping[str, Any]) -> None:
        for name, entry in saved.items():
            found = [self._again(*e) for e in entry] if type(entry) is list else self._again(*entry)
            setattr(self, name, found)

    def _again(self, handle: Handle, payload: Any, backend: Any) -> Handle:
        """The saved handle, or one in its place when it was disposed or assigned to since."""
        if handle.payload is payload:
            return handle
        again = self.cls.__new__(self.cls)
        attach(again, handle.spec, payload, backend)
        again.id = handle.id
        return again


def _save(row: GradientRow, inputs: tuple[Handle, ...], outputs: tuple[Handle, ...]) -> dict[str, Any]:
    """What the rules use, by name: handle, payload and backend of each, or a list of such."""
    saved: dict[str, Any] = {}
    for name, place in row.places:
        if isinstance(place, slice) or (place is None and len(outputs) > 1):
            saved[name] = [(t, t.payload, t.backend) for t in (outputs if place is None else inputs[place])]
        else:
            t = outputs[0] if place is None else inputs[place]
            saved[name] = t, t.payload, t.backend
    return saved


class Tape:
    """A recording of what depends on its sources."""

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
    """Note a kernel run on each tape that tracks one of its inputs."""
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


class recording:  # a class, which costs a third of what a generator does
    """Record this thread's kernels that depend on the sources inside a `with`."""

    __slots__ = ("_tape", "_tapes")

    def __init__(self, sources: Iterable[Handle]) -> None:
        self._tape = Tape(sources)
        self._tapes = local.state.tapes

    def __enter__(self) -> Tape:
        self._tapes.append(self._tape)
        return self._tape

    def __exit__(self, *error: object) -> None:
        self._tapes.remove(self._tape)


@contextmanager
def paused() -> Iterator[None]:
    """Record nothing on this thread inside a `with`."""
    state = local.state
    outer, state.tapes = state.tapes, []
    try:
        yield
    finally:
        state.tapes = outer


class GradientError(ValueError):
    """There is no gradient from y back to x, or a kernel on the way has none."""


class Way(NamedTuple):
    """The way from y back to a tape's sources.

    Attributes:
        nodes: those through which a gradient flows from y.
        reached: the ids of the handles that it reaches.
    """

    nodes: set[Node]
    reached: set[int]


def backprop(
    tape: Tape, y: Handle, dy: Handle, sources: Iterable[Handle], cls: type[Handle], way: Way | None = None
) -> dict[int, Handle]:
    """Walk a tape back from y: the gradients by those of the sources that are reached, by id. The tape is used up.

    Args:
        tape: the recording.
        y: what was computed.
        dy: the gradient to begin with.
        sources: what the gradients are wanted by; the others are freed on the way.
        cls: what the gradients are made as.
        way: the way back from y, if it is known.

    Raises:
        GradientError: a kernel between the sources and y has no gradient.
        RuntimeError: a gradient rule gave a gradient of another shape or dtype than its input.
    """
    needed = (way or way_back(tape, y)).nodes
    (nodes, tape.nodes), tracked = (tape.nodes, []), tape.tracked
    wanted = {source.id for source in sources}
    grads: dict[int, Handle] = {y.id: dy}
    while nodes:  # popped, so that what a node saved is freed as soon as it has been used
        node = nodes.pop()
        if node not in needed:
            continue
        found = node.input_gradients(grads, tracked)
        for ident in node.outputs:
            if ident not in wanted:
                grads.pop(ident, None)
        for ident, spec, dx in zip(node.inputs, node.specs(), found, strict=True):
            if dx is None or ident not in tracked:
                continue
            if dx.spec is not spec:
                _check(node, spec, dx)
            grads[ident] = _add(grads[ident], dx, cls) if ident in grads else dx
    return grads


def way_back(tape: Tape, y: Handle) -> Way:
    """The way from y, or GradientError when a kernel on it has no gradient."""
    reached = {y.id}
    needed: set[Node] = set()
    for node in reversed(tape.nodes):
        if not reached.isdisjoint(node.outputs):
            if node.row is None:
                raise GradientError(_no_gradient_message(tape, node, y))
            needed.add(node)
            reached.update(compress(node.inputs, node.row.flows(len(node.inputs))))
    return Way(needed, reached)


def stops_between(tape: Tape, y: Handle) -> list[str]:
    """The kernels on the way to y through which no gradient flows: what to name when a source is not reached."""
    reached = {y.id}
    labels: list[str] = []
    for node in reversed(tape.nodes):
        if not reached.isdisjoint(node.outputs):
            if node.row is None or not any(node.row.flows(len(node.inputs))):
                labels.append(node.kernel.label)
            reached.update(node.inputs)
    return labels


def _check(node: Node, spec: Spec, dx: Handle) -> None:
    dtype = "complex64" if spec.dtype == "complex64" else "float32"
    if dx.spec.shape != spec.shape or dx.spec.dtype != dtype:
        raise RuntimeError(
            f"gradient of {node.kernel.name}: an input of shape {list(spec.shape)} needs a {dtype} gradient of that "
            f"shape, but the rule gave {dx.spec.dtype} {list(dx.spec.shape)}."
        )


def _add(a: Handle, b: Handle, cls: type[Handle]) -> Handle:
    from tfpy.engine.dispatch import run

    return run(cls, "Add", a, b)


def _zeros(spec: Spec, cls: type[Handle]) -> Handle:
    from tfpy.engine.dispatch import run

    dtype = "complex64" if spec.dtype == "complex64" else "float32"
    return run(cls, "Fill", shape=spec.shape, value=0, dtype=dtype)


def _no_gradient_message(tape: Tape, node: Node, y: Handle) -> str:
    """Names the kernel without a gradient, and one chain of kernels from a source through it to y."""
    made_by = {out: n for n in tape.nodes for out in n.outputs}
    before: list[str] = []
    step: Node | None = node
    while step is not None:
        before.append(step.kernel.name)
        step = next((made_by[i] for i in step.inputs if i in made_by), None)
    after: list[str] = []
    reached = set(node.outputs)
    for later in tape.nodes[tape.nodes.index(node) + 1 :]:
        if y.id in reached:
            break
        if not reached.isdisjoint(later.inputs):
            after.append(later.kernel.name)
            reached = set(later.outputs)
    path = " → ".join(["x", *reversed(before), *after, "y"])
    return f"Cannot compute the gradient of y with respect to x: {node.kernel.name} has none (path: {path})."
