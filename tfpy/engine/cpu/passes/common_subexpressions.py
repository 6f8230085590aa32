"""Common subexpressions: what is computed twice from the same inputs is computed once."""

from __future__ import annotations

from typing import Any

from tfpy.engine.plan import Plan, last_uses


def eliminate_common_subexpressions(plan: Plan) -> Plan:
    """The plan without nodes that repeat an earlier one."""
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
            # The text distinguishes values that are equal but not the same: 0 and -0, 1 and true.
            key: Any = node.kernel, inputs, frozenset(node.attrs.items()), repr(sorted(node.attrs.items()))
            earlier = seen.setdefault(key, node.outputs)
        except TypeError:  # an unhashable attribute
            earlier = node.outputs
        if earlier is node.outputs:
            nodes.append(node)
        else:
            same.update(zip(node.outputs, earlier, strict=True))
    outputs = tuple([same.get(slot, slot) for slot in plan.outputs])
    return plan._replace(nodes=nodes, outputs=outputs, last_uses=last_uses(nodes, outputs))
