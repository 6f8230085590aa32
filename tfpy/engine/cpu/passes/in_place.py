"""In-place results: elementwise kernels overwrite an input that is no longer needed, which saves cache traffic. Results
are bit-identical.

A ufunc takes the array that it writes to after its inputs, and so do the nodes here. (numpy has deprecated that for
`maximum` and `minimum`.)
"""

from __future__ import annotations

import numpy as np

from tfpy.engine.cpu.elementwise import ELEMENTWISE, OVERWRITING
from tfpy.engine.cpu.lazy import LARGE_ELEMENTS
from tfpy.engine.cpu.table import KERNELS
from tfpy.engine.plan import Plan, PlanNode

_UFUNCS = frozenset(name for name in ELEMENTWISE if isinstance(KERNELS[name], np.ufunc)) - {"Maximum", "Minimum"}
_IN_PLACE = {**{name: name for name in _UFUNCS}, **{"ReluGrad": "ReluGrad"}, **OVERWRITING}
"""The kernels that can overwrite an input, and the name of the kernel that does."""

# Kernels whose results are new arrays, not views of their inputs.
_FRESH = {
    *_IN_PLACE,
    "BatchMatMul",
    "Conv2D",
    "Conv2DBackpropInput",
    "Conv3D",
    "Conv3DBackpropInputV2",
    "FusedConv2D",
    "FusedMatMulReshape",
    "MatMulReshape",
    "Softmax",
    "SoftmaxGrad",
    "_FusedMatMul",
}
_READING = {*_FRESH, "Conv2DBackpropFilter", "Mean", "Moments", "NormalizeByMoments", "NormalizeByMomentsGrad", "Sum"}


def write_in_place(plan: Plan) -> Plan:
    """The plan with the input that a node overwrites, if any, appended to its inputs."""
    made: dict[int, PlanNode] = {}
    shared: set[int] = set()  # slots that something else may be a view of
    nodes = []
    for node, unused in zip(plan.nodes, plan.last_uses, strict=True):
        free = [slot for slot in node.inputs if slot in unused and slot in made and slot not in shared]
        over = [slot for slot in free if _can_overwrite(node, made[slot])]
        if node.kernel not in _READING:
            shared.update(node.inputs)
        if node.kernel in _FRESH:
            made[node.outputs[0]] = node
        if over:
            node = node._replace(kernel=_IN_PLACE[node.kernel], inputs=(*node.inputs, over[0]))
        nodes.append(node)
    return plan._replace(nodes=nodes)


def _can_overwrite(node: PlanNode, maker: PlanNode) -> bool:
    """Whether a node can overwrite the result of another one."""
    return (
        node.kernel in _IN_PLACE
        and node.specs == maker.specs
        and node.specs[0].dtype == "float32"
        and node.specs[0].size < LARGE_ELEMENTS  # larger ones run in blocks
    )
