"""Runs two independent recurrent sequences of a plan, such as the directions of a bidirectional layer, on two threads
as one node. Results are bit-identical."""

from __future__ import annotations

from functools import partial
from typing import Any

from tfpy.engine.backend import Array
from tfpy.engine.cpu.sequence import cuts, multiplications
from tfpy.engine.cpu.sequence_cells import SEQUENCES
from tfpy.engine.cpu.table import KERNELS, PLANNED
from tfpy.engine.cpu.threads import run_concurrently
from tfpy.engine.kernels import KERNELS as ROWS
from tfpy.engine.machine import most_shards
from tfpy.engine.plan import Plan, PlanNode, last_uses

# With fewer multiplications in a step, two threads wait for each other longer than they work.
_MIN_MULTIPLICATIONS = 1 << 19


def run_in_parallel(plan: Plan) -> Plan:
    """The plan with each such pair as one node."""
    nodes: list[PlanNode] = []
    for node in plan.nodes:
        if nodes and _are_free(nodes[-1], node):
            nodes.append(_pair(nodes.pop(), node))
        else:
            nodes.append(node)
    return plan._replace(nodes=nodes, last_uses=last_uses(nodes, plan.outputs))


def _are_free(first: PlanNode, second: PlanNode) -> bool:
    sequences = first.kernel in SEQUENCES and second.kernel in SEQUENCES
    return sequences and set(first.outputs).isdisjoint(second.inputs)


def _pair(first: PlanNode, second: PlanNode) -> PlanNode:
    both = first.inputs + second.inputs, first.outputs + second.outputs, first.specs + second.specs
    return PlanNode("Parallel", both[0], {"nodes": (first, second)}, both[1], True, both[2])


def _parallel(*arrays: Array, nodes: tuple[PlanNode, PlanNode]) -> list[Array]:
    cut = len(nodes[0].inputs)
    given = arrays[:cut], arrays[cut:]
    found: dict[int, list[Array]] = {}

    def run(number: int) -> None:
        found[number] = KERNELS[nodes[number].kernel](*given[number], **nodes[number].attrs)

    if most_shards() > 1 and all(_fits_a_core(*pair) for pair in zip(nodes, given, strict=True)):
        run_concurrently([partial(run, 0), partial(run, 1)])
    else:
        run(0)
        run(1)
    return [*found[0], *found[1]]


def _fits_a_core(node: PlanNode, arrays: tuple[Array, ...]) -> bool:
    """Whether there is enough work for one core, but not for several."""
    named: dict[str, Any] = dict(zip(ROWS[node.kernel].inputs, arrays, strict=True))
    sizes = named["x"], named["weights"], named["recurrent_weights"]
    return multiplications(*sizes) >= _MIN_MULTIPLICATIONS and len(cuts(*sizes)) == 1


PLANNED["Parallel"] = _parallel
