"""Layers around layers as nodes, and models within models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.layers.container import Container
from tfpy.layers.graph import LayerGraph
from tfpy.layers.kinds.merge import Merge
from tfpy.layers.kinds.wrappers import TimeDistributed
from tfpy.layers.masks import changes_inputs
from tfpy.layers.saving.onnx.builder import Builder, Call, Kind, Refused, Value
from tfpy.layers.saving.onnx.masks import MASKS
from tfpy.layers.symbolic import SymbolicTensor, to_list


def run_graph(
    b: Builder, graph: LayerGraph, values: Sequence[Value], mask: Any = None, given: Sequence[Any] = ()
) -> tuple[list[Value], list[Value | None]]:
    """The outputs of a graph of layers and their masks, from its inputs and, by the rules of Keras, the masks of these.

    Masks go the ways that they go when the graph is run, see `LayerGraph.run`.
    """
    found = {entry: b.cast(value, entry.dtype) for entry, value in zip(graph.inputs, values, strict=True)}
    masks: dict[SymbolicTensor, Value | None] = dict(zip(graph.inputs, given, strict=False))
    for node in graph.nodes:
        layer = node.outbound_layer
        inputs = [found[tensor] for tensor in node.input_tensors]
        own = [masks.get(tensor) for tensor in node.input_tensors]
        masked = any(m is not None for m in own)
        if masked or graph.masks_of:
            mask = own[0]
        merges = isinstance(layer, Merge) and graph.masks_of == 3
        if masked and (merges or changes_inputs(layer, graph.masks_of)):
            b.shared.refused[layer.name] = f"heeds masks by the rules of Keras {graph.masks_of}"
        if graph.masks_of and isinstance(layer, Container) and b.kind_of(layer):
            with b.within(layer.name):
                outputs, made_inside = run_graph(b, layer.graph, inputs, given=own)
            masks.update(zip(node.output_tensors, made_inside, strict=True))
        else:
            outputs = b.call(layer, inputs, node.call_args, own if layer.takes_every_mask else mask)
        found.update(zip(node.output_tensors, outputs, strict=True))
        if layer.supports_masking or graph.masks_of in layer.keras_passes_masks:
            of_layer = MASKS.get(type(layer))
            made = own[0] if of_layer is None else of_layer(b, layer, inputs, own)
            masks.update(dict.fromkeys(node.output_tensors, made))
    return [found[tensor] for tensor in graph.outputs], [masks.get(tensor) for tensor in graph.outputs]


def _model(b: Builder, layer: Container, inputs: list[Value], call: Call) -> list[Value]:
    return run_graph(b, layer.graph, inputs, call.mask)[0]


def _time_distributed(b: Builder, layer: TimeDistributed, inputs: list[Value], call: Call) -> Value:
    """The time steps as samples of one batch: outside of training layers do not look at other samples."""
    (x,), (shape,) = inputs, call.shapes
    if not layer.layer.per_sample and 0 in [axis % (x.rank - 1) for axis in to_list(getattr(layer.layer, "axis", 1))]:
        raise Refused("its layer goes along the samples")
    steps = b.reshaped(x, [-1, *((x, axis) for axis in range(2, x.rank))], (None, *x.shape[2:]))
    (y,) = b.call(layer.layer, [steps], {})
    inner = [(y, axis) for axis in range(1, y.rank)]
    return b.reshaped(y, [-1, (x, 1), *inner], shape)


KINDS: dict[Any, Kind] = {
    TimeDistributed: Kind(_time_distributed, any_dtype=True),
    Container: Kind(_model, any_dtype=True),
}
