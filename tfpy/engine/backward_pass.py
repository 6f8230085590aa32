"""Walking a tape back: the gradients of the recorded computation, kernel by kernel, with the rules of their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress
from typing import NamedTuple

from tfpy.engine.dispatch import run
from tfpy.engine.errors import UnreachedError, no_gradient_error, unfit_gradient_error
from tfpy.engine.gradients import gradient_dtype
from tfpy.engine.handle import Handle
from tfpy.engine.spec import Spec
from tfpy.engine.tape import Node, Tape


class _Reach(NamedTuple):
    """How far gradients get from y, back through a tape.

    Attributes:
        nodes: the nodes through which a gradient flows from y.
        reached: the ids of the handles that it reaches.
    """

    nodes: set[Node]
    reached: set[int]


def backward_pass(
    tape: Tape, y: Handle, dy: Handle, sources: Sequence[Handle], cls: type[Handle], all_of_them: bool
) -> dict[int, Handle]:
    """Walk a tape back from y: the gradients with respect to the sources that are reached, by id. Consumes the tape.

    Args:
        tape: the recording.
        y: the computed value.
        dy: the initial gradient.
        sources: what the gradients are with respect to; other gradients are freed on the way.
        cls: the class of the gradients.
        all_of_them: whether a source that is not reached is an error.

    Raises:
        GradientError: a kernel between the sources and y has no gradient. UnreachedError: a source is not reached.
        RuntimeError: a gradient rule returned a gradient of another shape or dtype than its input.
    """
    needed, reached = _reach(tape, y)
    wanted = dict.fromkeys([source.id for source in sources])
    missing = all_of_them and not reached.issuperset(wanted)
    stops, depended = (_stops_between(tape, y), _dependencies(tape, y)) if missing else ([], set())
    (nodes, tape.nodes), tracked = (tape.nodes, []), tape.tracked
    grads: dict[int, Handle] = {y.id: dy} if y.id in tracked else {}
    while nodes:  # popped, so that a node's saved values are freed as soon as they have been used
        node = nodes.pop()
        if node not in needed:
            continue
        found = _input_gradients(node, grads, tracked)
        for ident in node.outputs:
            if ident not in wanted:
                grads.pop(ident, None)
        for ident, spec, dx in zip(node.inputs, node.input_specs, found, strict=True):
            if dx is None or ident not in tracked:
                continue
            if dx.spec is not spec or not node.gradient.pure:  # type: ignore[union-attr]
                _check(node, spec, dx)
            grads[ident] = run(cls, "Add", grads[ident], dx) if ident in grads else dx
    if all_of_them:
        for i, source in enumerate(sources):
            if source.id not in grads:
                if source.id not in depended:
                    raise UnreachedError(i, stops)
                grads[source.id] = _zeros(source.spec, cls)
    return {ident: grads[ident] for ident in wanted if ident in grads}


def _reach(tape: Tape, y: Handle) -> _Reach:
    """How far gradients get from y; raises GradientError if a kernel on the way has none."""
    reached = {y.id}
    needed: set[Node] = set()
    for node in reversed(tape.nodes):
        if not reached.isdisjoint(node.outputs):
            if node.gradient is None:
                raise no_gradient_error(node.kernel.name, _path_through(tape, node, y))
            needed.add(node)
            reached.update(compress(node.inputs, node.gradient.flows(len(node.inputs))))
    return _Reach(needed, reached)


def _stops_between(tape: Tape, y: Handle) -> list[str]:
    reached = {y.id}
    labels: list[str] = []
    for node in reversed(tape.nodes):
        if not reached.isdisjoint(node.outputs):
            if node.gradient is None or not any(node.gradient.flows(len(node.inputs))):
                labels.append(node.kernel.label)
            reached.update(node.inputs)
    return labels


def _dependencies(tape: Tape, y: Handle) -> set[int]:
    """The ids of what y depends on through kernels that have a gradient, even if it is 0."""
    found = {y.id}
    for node in reversed(tape.nodes):
        if node.gradient is not None and not found.isdisjoint(node.outputs):
            found.update(compress(node.inputs, node.gradient.depends(len(node.inputs))))
    return found


def _input_gradients(node: Node, grads: Mapping[int, Handle], tracked: set[int]) -> Sequence[Handle | None]:
    """The gradients of the inputs that a tape tracks, by the rules, from the gradients of the outputs."""
    row, inputs = node.gradient, node.inputs
    assert row is not None
    if node.saved:
        node.restore()
    try:
        dy = grads[node.outputs[0]] if len(node.outputs) == 1 else _output_gradients(node, grads)
    except KeyError:  # a joint rule on the way propagated nothing
        return [None] * len(inputs)
    if row.joint is not None:
        node.wanted = [ident in tracked for ident in inputs]
        return list(row.joint(dy, node))
    found: list[Handle | None] = []
    for rule, several in row.in_order:
        if several:
            rest = len(inputs) - len(found)
            found.extend([None] * rest if rule is None else rule(dy, node))
        else:
            wanted = rule is not None and inputs[len(found)] in tracked
            found.append(rule(dy, node) if wanted else None)  # type: ignore[misc]
    return found


def _output_gradients(node: Node, grads: Mapping[int, Handle]) -> list[Handle]:
    """The gradients of a node's outputs, zeros for those without one; raises KeyError if none has one."""
    if grads.keys().isdisjoint(node.outputs):
        raise KeyError(node.outputs)
    outputs = node.outputs[: len(node.outputs) - node.kernel.workspace]
    node.reached = [i in grads for i in outputs]
    return [grads[i] if i in grads else _zeros(s, node.cls) for i, s in zip(outputs, node.output_specs, strict=False)]


def _check(node: Node, spec: Spec, dx: Handle) -> None:
    dtype = gradient_dtype(spec.dtype)
    if dx.spec.shape != spec.shape or dx.spec.dtype != dtype:
        raise unfit_gradient_error(node.kernel.name, spec.shape, dtype, dx.spec.shape, dx.spec.dtype)


def _zeros(spec: Spec, cls: type[Handle]) -> Handle:
    return run(cls, "Fill", shape=spec.shape, value=0, dtype=gradient_dtype(spec.dtype))


def _path_through(tape: Tape, node: Node, y: Handle) -> list[str]:
    """The names of kernels in a chain from a source through a node to y."""
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
    return [*reversed(before), *after]
