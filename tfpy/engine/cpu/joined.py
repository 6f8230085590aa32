"""Kernels of a plan that run as one: what follows on a product is done where its result lies, fresh in the cache.

The numbers are the same, bit for bit; what is between the kernels is not kept. A result is joined with what follows if
nothing else needs it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tfpy.engine.plan import Plan, PlanNode, last_uses
from tfpy.engine.windows import Window

_FUSED = {
    "Conv2D": "FusedConv2D",
    "DepthwiseConv2dNative": "FusedDepthwiseConv2D",
    "BatchMatMul": "_FusedMatMul",
}
_ACTIVATIONS = {"Relu": "relu", "Relu6": "relu6", "Elu": "elu", "Sigmoid": "sigmoid"}
_RISING = ("linear", "relu", "relu6")


def joined(plan: Plan) -> Plan:
    """The plan with fewer nodes."""
    nodes = _slopes_from_results(plan.nodes)
    uses = Counter([slot for node in nodes for slot in node.inputs] + list(plan.outputs))
    made: dict[int, PlanNode] = {}  # by output, in the order in which they can be run
    for node in nodes:
        while (slot := _sole_use(node, made, uses)) is not None:
            node = _as_one(made.pop(slot), slot, node) or node
        made[node.outputs[0]] = node
    order = list(made.values())
    return plan._replace(nodes=order, last_uses=last_uses(order, plan.outputs))


def _sole_use(node: PlanNode, made: Mapping[int, PlanNode], uses: Mapping[int, int]) -> int | None:
    """A slot that this node alone reads, and where what fills it can be joined with it."""
    for slot in node.inputs:
        if uses[slot] == 1 and slot in made and _as_one(made[slot], slot, node):
            return slot
    return None


def _slopes_from_results(nodes: Sequence[PlanNode]) -> list[PlanNode]:
    """The slope of relu taken from its result, which is above 0 where its input is; the input is then not kept."""
    results: dict[int, int] = {}
    found = []
    for node in nodes:
        if node.kernel == "Relu":
            results[node.inputs[0]] = node.outputs[0]
        if _is_slope(node):
            node = node._replace(inputs=tuple([results.get(slot, slot) for slot in node.inputs]))
        found.append(node)
    return found


def _is_slope(node: PlanNode) -> bool:
    return node.kernel == "Step" and node.attrs["alpha"] == 0


def _as_one(first: PlanNode, slot: int, second: PlanNode) -> PlanNode | None:
    """One node for two, the second of which reads the first's result from a slot; None if there is no such kernel."""
    others = tuple([s for s in second.inputs if s != slot])
    if second.kernel == "Add" and first.kernel in _FUSED:
        attrs = {**first.attrs, "activation": "linear", "leakyrelu_alpha": 0.2}
        return second._replace(kernel=_FUSED[first.kernel], inputs=(*first.inputs, *others), attrs=attrs)
    if second.kernel in _ACTIVATIONS and first.kernel in _FUSED.values() and first.attrs["activation"] == "linear":
        attrs = {**first.attrs, "activation": _ACTIVATIONS[second.kernel]}
        return second._replace(kernel=first.kernel, inputs=first.inputs, attrs=attrs)
    if first.kernel == "FusedConv2D" and second.kernel == "MaxPool" and _can_pool_first(first, second.attrs["window"]):
        attrs = {**first.attrs, "pool": second.attrs["window"]}
        return second._replace(kernel="FusedConv2DMaxPool", inputs=first.inputs, attrs=attrs)
    if second.kernel == "Multiply" and _is_slope(first):
        return second._replace(kernel="ReluGrad", inputs=(*others, *first.inputs))
    if second.kernel == "ReluGrad" and first.kernel == "MaxPoolGrad" and first.inputs[1] == second.inputs[1] != slot:
        return first._replace(kernel="MaxPoolReluGrad", outputs=second.outputs)
    return None


def _can_pool_first(conv: PlanNode, pool: Window) -> bool:
    """Whether the largest of the convolution becomes the largest of the result, with nothing from outside."""
    inside = all(c <= n for c, n in zip(pool.covered, conv.attrs["window"].out, strict=True))
    return inside and not any(p for pair in pool.pads for p in pair) and conv.attrs["activation"] in _RISING
