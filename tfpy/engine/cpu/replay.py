"""Running plans with numpy: one call per kernel, memory freed as soon as it is no longer needed.

Before its first run, a plan goes through the `passes`. The results are those of running the kernels one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from tfpy.engine.cpu.blas import one_blas_thread
from tfpy.engine.cpu.passes.common_subexpressions import eliminate_common_subexpressions
from tfpy.engine.cpu.passes.constant_folding import Kernel, fold_constants
from tfpy.engine.cpu.passes.fusion import fuse
from tfpy.engine.cpu.passes.in_place import write_in_place
from tfpy.engine.cpu.passes.parallel import run_in_parallel
from tfpy.engine.plan import Executor, Plan, PlanNode

Compute = Callable[..., Any]


class _Step(NamedTuple):
    """One kernel call: the function, how its arguments are read from the slots, where its results are stored.

    Attributes:
        alone: whether `take` returns a single argument instead of a tuple.
        outs: the output slots of a kernel with several outputs.
        free: slots that are no longer needed.
    """

    compute: Compute
    take: Callable[[list[Any]], Any]
    alone: bool
    out: int
    outs: tuple[int, ...]
    free: tuple[int, ...]


class _Program(NamedTuple):
    """The program of an executor.

    Attributes:
        steps: the kernel calls.
        start: the initial contents of the slots after the inputs: constants, and room for results.
        outputs: the slots of the results.
    """

    steps: Sequence[_Step]
    start: Sequence[Any]
    outputs: Sequence[int]


def executor(plan: Plan, kernel: Kernel) -> Executor:
    """A function that runs a plan.

    Args:
        plan: the plan to run.
        kernel: returns a node's kernel as a function of arrays.
    """
    shorter = fold_constants(run_in_parallel(fuse(eliminate_common_subexpressions(plan))), kernel)
    steps, start, outputs = _allocated(write_in_place(shorter), kernel)
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


def _allocated(plan: Plan, kernel: Kernel) -> _Program:
    """The plan's nodes as steps, whose results reuse slots that are no longer needed."""
    places = {slot: i for i, slot in enumerate([*plan.inputs, *plan.constants])}
    count = len(places)
    steps = []
    for node, unused in zip(plan.nodes, plan.last_uses, strict=True):
        over = [places[slot] for slot in unused if slot not in node.outputs]
        for slot in node.outputs:
            if over and not node.several:  # an overwritten slot need not be freed
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
