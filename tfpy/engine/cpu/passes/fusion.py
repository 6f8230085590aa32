"""Operator fusion: kernels of a plan that run as one.

What follows a convolution or a normalization is applied in place, while the result is in the cache.

Results are bit-identical; intermediate results are not kept. A kernel is fused with the next one if nothing else needs
its result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from tfpy.engine.cpu.elementwise import IN_PLACE
from tfpy.engine.plan import Plan, PlanNode, last_uses
from tfpy.engine.rows.fused import ACTIVATIONS
from tfpy.engine.windows import Window

_FUSED = {
    "BatchMatMul": "_FusedMatMul",
    "Conv2D": "FusedConv2D",
    "DepthwiseConv2dNative": "FusedDepthwiseConv2D",
    "MatMulReshape": "FusedMatMulReshape",
}
# Those without parameters, by kernel.
_ACTIVATIONS = {kernel: name for name, kernel in ACTIVATIONS.items() if name not in ("linear", "leakyrelu", "prelu")}
_NORMALIZED = ("FusedBatchNorm", "NormalizeByMoments")
_MONOTONIC = ("linear", "relu", "relu6")


def fuse(plan: Plan) -> Plan:
    """The plan with fewer nodes."""
    uses = Counter([slot for node in plan.nodes for slot in node.inputs] + list(plan.outputs))
    made: dict[int, PlanNode] = {}  # by output, in an executable order
    for node in plan.nodes:
        while (found := _fused_with_input(node, made, uses)) is not None:
            slot, node = found
            del made[slot]
        made[node.outputs[0]] = node
    order = list(made.values())
    return plan._replace(nodes=order, last_uses=last_uses(order, plan.outputs))


def _fused_with_input(
    node: PlanNode, made: Mapping[int, PlanNode], uses: Mapping[int, int]
) -> tuple[int, PlanNode] | None:
    """A slot that only this node reads, and the node fused with the one that fills it; None if there is none."""
    for slot in node.inputs:
        one = _fused(made[slot], slot, node) if uses[slot] == 1 and slot in made else None
        if one is not None:
            return slot, one
    return None


def _is_slope(node: PlanNode) -> bool:
    return node.kernel == "Step" and node.attrs["alpha"] == 0


def _fused(first: PlanNode, slot: int, second: PlanNode) -> PlanNode | None:
    """One node for two, where the second reads the first's result from a slot; None if there is no such kernel."""
    others = tuple([s for s in second.inputs if s != slot])
    if first.specs[0].dtype != "float32":
        return None
    if second.kernel == "Reshape" and first.kernel == "BatchMatMul":
        attrs = {**first.attrs, "shape": second.specs[0].shape}
        return second._replace(kernel="MatMulReshape", inputs=first.inputs, attrs=attrs)
    if second.kernel == "Add" and first.kernel in _FUSED:
        attrs = {**first.attrs, "activation": "linear", "leakyrelu_alpha": 0.2}
        return second._replace(kernel=_FUSED[first.kernel], inputs=(*first.inputs, *others), attrs=attrs)
    if second.kernel in _ACTIVATIONS and first.kernel in _FUSED.values() and first.attrs["activation"] == "linear":
        attrs = {**first.attrs, "activation": _ACTIVATIONS[second.kernel]}
        return second._replace(kernel=first.kernel, inputs=first.inputs, attrs=attrs)
    if first.kernel == "FusedConv2D" and second.kernel == "MaxPool" and _can_pool_first(first, second.attrs["window"]):
        attrs = {**first.attrs, "pool": second.attrs["window"]}
        return second._replace(kernel="FusedConv2DMaxPool", inputs=first.inputs, attrs=attrs)
    if first.kernel in _NORMALIZED and second.kernel in IN_PLACE:
        epilogue = (*first.attrs.get("epilogue", ()), (second.kernel, second.attrs))
        return second._replace(kernel=first.kernel, inputs=first.inputs, attrs={**first.attrs, "epilogue": epilogue})
    if second.kernel == "Multiply" and _is_slope(first):
        return second._replace(kernel="ReluGrad", inputs=(*others, *first.inputs))
    if second.kernel == "ReluGrad" and first.kernel == "MaxPoolGrad" and first.inputs[1] == second.inputs[1] != slot:
        return first._replace(kernel="MaxPoolReluGrad", outputs=second.outputs)
    return None


def _can_pool_first(conv: PlanNode, pool: Window) -> bool:
    """Whether the maximum of the convolution becomes the maximum of the result, without padding."""
    return pool.lies_inside(conv.attrs["window"].out) and conv.attrs["activation"] in _MONOTONIC
