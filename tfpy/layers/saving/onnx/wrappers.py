"""Wrapper layers as nodes, and nested models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.layers.container import Container
from tfpy.layers.graph import LayerGraph
from tfpy.layers.kinds.merge import Merge
from tfpy.layers.kinds.wrappers import TimeDistributed
from tfpy.layers.saving.onnx.builder import Builder, Call, Kind, UnsupportedError, Value
from tfpy.layers.saving.onnx.masks import MASKS
from tfpy.layers.symbolic import Node, to_list


def run_graph(
    b: Builder, graph: LayerGraph, values: Sequence[Value], mask: Any = None, given: Sequence[Any] = ()
) -> tuple[list[Value], list[Value | None]]:
    """The outputs of a graph of layers and their masks, from its inputs and, with Keras's rules, their masks."""
    rules = graph.mask_rules

    def call(
        node: Node, inputs: list[Value], own: list[Value | None], mask: Any
    ) -> tuple[list[Value], list[Value | None]]:
        layer = node.outbound_layer
        changes = rules.change_inputs(layer) or (rules.merge_any and isinstance(layer, Merge))
        if changes and any(m is not None for m in own):
            b.shared.refused[layer.name] = f"heeds masks by the rules of {rules.owner}"
        if not rules.carry and isinstance(layer, Container) and b.kind_of(layer):
            with b.within(layer.name):
                return run_graph(b, layer.graph, inputs, given=own)
        outputs = b.call(layer, inputs, node.call_args, own if layer.takes_every_mask else mask)
        if not rules.pass_through(layer):
            return outputs, []
        of_layer = MASKS.get(type(layer))
        return outputs, [own[0] if of_layer is None else of_layer(b, layer, inputs, own)] * len(outputs)

    fed = [b.cast(value, entry.dtype) for entry, value in zip(graph.inputs, values, strict=True)]
    return graph.walk(call, rules, fed, given, mask)


def _model(b: Builder, layer: Container, inputs: list[Value], call: Call) -> list[Value]:
    return run_graph(b, layer.graph, inputs, call.mask)[0]


def _time_distributed(b: Builder, layer: TimeDistributed, inputs: list[Value], call: Call) -> Value:
    """The time steps as samples of one batch: outside of training, layers treat samples independently."""
    (x,), (shape,) = inputs, call.shapes
    if not layer.layer.per_sample and 0 in [axis % (x.rank - 1) for axis in to_list(getattr(layer.layer, "axis", 1))]:
        raise UnsupportedError("its layer works along the batch axis")
    steps = b.reshaped(x, [-1, *((x, axis) for axis in range(2, x.rank))], (None, *x.shape[2:]))
    (y,) = b.call(layer.layer, [steps], {})
    inner = [(y, axis) for axis in range(1, y.rank)]
    return b.reshaped(y, [-1, (x, 1), *inner], shape)


KINDS: dict[Any, Kind] = {
    TimeDistributed: Kind(_time_distributed, any_dtype=True),
    Container: Kind(_model, any_dtype=True),
}
