"""Constant folding: what depends only on constants is computed before a plan runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.plan import Plan, PlanNode

Kernel = Callable[[PlanNode], Callable[..., Any]]
"""Returns the kernel of a node as a function of arrays."""

_LARGE_ELEMENTS = 1 << 20


def _is_large(node: PlanNode) -> bool:
    """Whether results are so large that keeping them costs more than recomputing them."""
    return sum([spec.size for spec in node.specs]) > _LARGE_ELEMENTS


def fold_constants(plan: Plan, kernel: Kernel) -> Plan:
    """The plan with results that depend only on constants as additional constants, and without unneeded constants."""
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
    """The results, by slot, of a kernel that depends only on constants."""
    result = kernel(node)(*[constants[slot] for slot in node.inputs])
    values = result if node.several else [result]
    return dict(zip(node.outputs, map(np.asarray, values), strict=True))
