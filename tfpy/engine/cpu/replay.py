"""Running plans with numpy: one call per kernel, memory given back as soon as nobody needs it.

Before a plan is first run, what depends on nothing but constants is computed, and kernels that would compute the same
from the same are merged; what can be done in one go is joined. The numbers are those of the kernels one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.cpu.abreast import abreast
from tfpy.engine.cpu.blas import one_blas_thread
from tfpy.engine.cpu.joined import joined
from tfpy.engine.plan import Executor, Plan, PlanNode, last_uses

Compute = Callable[..., Any]
Kernel = Callable[[PlanNode], Compute]


class _Step(NamedTuple):
    """One kernel call: the function, how its arguments are taken from the slots, where its results go.

    Attributes:
        alone: whether `take` gives one argument, and not a tuple of them.
        outs: of a kernel with several outputs.
        free: slots that are of no use any more.
    """

    compute: Compute
    take: Callable[[list[Any]], Any]
    alone: bool
    out: int
    outs: tuple[int, ...]
    free: tuple[int, ...]


class _Program(NamedTuple):
    """What an executor runs.

    Attributes:
        steps: the kernel calls.
        start: what follows on the inputs in the slots at first: constants, and room for results.
        outputs: the slots of the results.
    """

    steps: Sequence[_Step]
    start: Sequence[Any]
    outputs: Sequence[int]


def executor(plan: Plan, kernel: Kernel) -> Executor:
    """A function that runs a plan.

    Args:
        plan: what is to be run.
        kernel: gives a node's kernel as a function of arrays.
    """
    steps, start, outputs = _allocated(_folded(abreast(joined(_merged(plan))), kernel), kernel)
    ndarray, asarray = np.ndarray, np.asarray

    def run(payloads: Sequence[Any]) -> list[Any]:
        return one_blas_thread.run_once_asked(run_steps, payloads)

    def run_steps(payloads: Sequence[Any]) -> list[Any]:
        slots = [*payloads, *start]
        for compute, take, alone, out, outs, free in steps:
            result = compute(take(slots)) if alone else compute(*take(slots))
            if outs:
                for slot, value in zip(outs, result, strict=True):
                    slots[slot] = value if type(value) is ndarray else asarray(value)
            else:
                slots[out] = result if type(result) is ndarray else asarray(result)
            if free:
                for slot in free:
                    slots[slot] = None
        return [slots[slot] for slot in outputs]

    return run


_LARGE = 1 << 20


def _is_large(node: PlanNode) -> bool:
    """Whether results are so large that keeping them costs more than computing them again."""
    return sum([spec.size for spec in node.specs]) > _LARGE


def _folded(plan: Plan, kernel: Kernel) -> Plan:
    """The plan with what depends on constants only as further constants; those that nobody needs are left out."""
    constants: dict[int, Array] = dict(plan.constants)
    nodes, unused = [], []
    for node, free in zip(plan.nodes, plan.last_uses, strict=True):
        if all(slot in constants for slot in node.inputs) and not _is_large(node):
            constants.update(_results(node, kernel, constants))
        else:
            nodes.append(node)
            unused.append(tuple([slot for slot in free if slot not in constants]))
    used = {*plan.outputs, *[slot for node in nodes for slot in node.inputs]}
    needed = {slot: values for slot, values in constants.items() if slot in used}
    return plan._replace(constants=needed, nodes=nodes, last_uses=unused)


def _results(node: PlanNode, kernel: Kernel, constants: Mapping[int, Array]) -> dict[int, Array]:
    """The results, by slot, of a kernel that depends on constants only."""
    result = kernel(node)(*[constants[slot] for slot in node.inputs])
    values = result if node.several else [result]
    return dict(zip(node.outputs, map(np.asarray, values), strict=True))


def _allocated(plan: Plan, kernel: Kernel) -> _Program:
    """The plan's nodes as steps, whose results take the places of what is of no use any more."""
    places = {slot: i for i, slot in enumerate([*plan.inputs, *plan.constants])}
    count = len(places)
    steps = []
    for node, unused in zip(plan.nodes, plan.last_uses, strict=True):
        over = [places[slot] for slot in unused if slot not in node.outputs]
        for slot in node.outputs:
            if over and not node.several:  # what is overwritten need not be freed
                places[slot] = over.pop()
            else:
                places[slot] = count
                count += 1
        over += [places[slot] for slot in node.outputs if slot in unused]
        steps.append(_step(node, over, kernel, places))
    start = [*plan.constants.values()]
    start += [None] * (count - len(plan.inputs) - len(start))
    return _Program(steps, start, [places[slot] for slot in plan.outputs])


def _step(node: PlanNode, free: Sequence[int], kernel: Kernel, places: Mapping[int, int]) -> _Step:
    inputs = [places[slot] for slot in node.inputs]
    outputs = tuple([places[slot] for slot in node.outputs])
    take: Callable[[list[Any]], Any] = itemgetter(*inputs) if inputs else lambda slots: ()
    compute = kernel(node)
    outs = outputs if node.several else ()
    return _Step(compute, take, len(inputs) == 1, outputs[0] if outputs else 0, outs, tuple(free))


def _merged(plan: Plan) -> Plan:
    """The plan without nodes that do what an earlier one has done."""
    same: dict[int, int] = {}
    seen: dict[Any, tuple[int, ...]] = {}
    nodes = []
    by_payload: dict[int, int] = {}
    for slot, payload in plan.constants.items():
        same[slot] = by_payload.setdefault(id(payload), slot)
    for node in plan.nodes:
        inputs = tuple([same.get(slot, slot) for slot in node.inputs])
        node = node._replace(inputs=inputs)
        try:
            # The text tells apart what is equal but not the same: 0 and -0, 1 and true.
            key: Any = node.kernel, inputs, frozenset(node.attrs.items()), repr(sorted(node.attrs.items()))
            earlier = seen.setdefault(key, node.outputs)
        except TypeError:  # an attribute without a hash
            earlier = node.outputs
        if earlier is node.outputs:
            nodes.append(node)
        else:
            same.update(zip(node.outputs, earlier, strict=True))
    outputs = tuple([same.get(slot, slot) for slot in plan.outputs])
    return plan._replace(nodes=nodes, outputs=outputs, last_uses=last_uses(nodes, outputs))
