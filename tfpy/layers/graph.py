"""A graph of layers between inputs and outputs: its order, and how it is run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tfpy.core.tensor import Tensor
from tfpy.layers.base import Layer
from tfpy.layers.symbolic import Node, PartialShape, SymbolicTensor, as_list, node_of, one_or_list


class LayerGraph:
    """The calls that lead from inputs to outputs, in an order in which they can be made.

    Attributes:
        nodes: the calls, in that order, those of the inputs left out.
        layers: the layers in the order in which TF.js lists them: by depth, and in each depth as they were found.
    """

    def __init__(self, inputs: Sequence[SymbolicTensor], outputs: Sequence[SymbolicTensor]) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        found = _Search(self.inputs, self.outputs)
        self.layers = found.layers_by_depth()
        entries = {node_of(t) for t in self.inputs}
        self.nodes = [node for node in found.nodes if node not in entries]
        self._last_use = self._last_uses()

    def _last_uses(self) -> list[list[SymbolicTensor]]:
        """For each node, what no later node needs."""
        needed = set(self.outputs)
        out: list[list[SymbolicTensor]] = []
        for node in reversed(self.nodes):
            used = [t for t in dict.fromkeys([*node.inputs, *node.outputs]) if t not in needed]
            needed.update(used)
            out.append(used)
        return out[::-1]

    def run(
        self,
        values: Sequence[Tensor],
        training: bool = False,
        masks: Sequence[Any] | None = None,
        wanted: Sequence[SymbolicTensor] | None = None,
    ) -> tuple[list[Tensor], list[Any]]:
        """The outputs, and their masks, for given inputs. What is not needed any more is let go at once."""
        tensors: dict[SymbolicTensor, Any] = dict(zip(self.inputs, values, strict=True))
        seen: dict[SymbolicTensor, Any] = dict(zip(self.inputs, masks or [None] * len(values), strict=True))
        for node, finished in zip(self.nodes, self._last_use, strict=True):
            _call(node, tensors, seen, training)
            if wanted is None:
                for tensor in finished:
                    tensors.pop(tensor, None)
        outputs = self.outputs if wanted is None else wanted
        return [tensors[t] for t in outputs], [seen.get(t) for t in outputs]

    def shapes(self, input_shapes: Sequence[PartialShape]) -> list[PartialShape]:
        """The shapes of the outputs for inputs of given shapes."""
        found: dict[SymbolicTensor, PartialShape] = dict(zip(self.inputs, input_shapes, strict=True))
        for node in self.nodes:
            shapes = node.layer.compute_output_shape(one_or_list([found[t] for t in node.inputs]))
            listed = [shapes] if len(node.outputs) == 1 and not isinstance(shapes, list) else shapes
            found.update(zip(node.outputs, listed, strict=True))
        return [found[t] for t in self.outputs]


def _call(node: Node, tensors: dict[SymbolicTensor, Any], masks: dict[SymbolicTensor, Any], training: bool) -> None:
    layer = node.layer
    inputs = [tensors[t] for t in node.inputs]
    input_masks = [masks.get(t) for t in node.inputs]
    arguments: dict[str, Any] = {**node.arguments, "training": training}
    masked = any(m is not None for m in input_masks)
    if masked:
        arguments["mask"] = input_masks[0]
    outputs = as_list(layer.invoke(one_or_list(inputs), arguments))
    tensors.update(zip(node.outputs, outputs, strict=True))
    if layer.supports_masking:
        found = as_list(layer.compute_mask(one_or_list(inputs), one_or_list(input_masks)))
        masks.update(zip(node.outputs, found, strict=False))


class _Search:
    """Walks back from the outputs and notes nodes and layers as they are found."""

    def __init__(self, inputs: Sequence[SymbolicTensor], outputs: Sequence[SymbolicTensor]) -> None:
        self.nodes: list[Node] = []
        self.found: dict[Layer, int] = {}
        self._open: set[Node] = set()
        self._done: set[Node] = set()
        self._stop = set(inputs)
        for tensor in outputs:
            self._visit(tensor)

    def _visit(self, tensor: SymbolicTensor) -> None:
        # By hand and not by recursion: a model may be deeper than Python's stack.
        stack = [(node_of(tensor), False)]
        while stack:
            node, left = stack.pop()
            if left:
                self._open.discard(node)
                self._done.add(node)
                self.nodes.append(node)
                continue
            if node in self._done:
                continue
            if node in self._open:
                raise ValueError(f"The model has a cycle, through layer {node.layer.name}.")
            self._open.add(node)
            self.found.setdefault(node.layer, len(self.found))
            stack.append((node, True))
            if not any(t in self._stop for t in node.outputs):
                stack.extend((node_of(t), False) for t in reversed(node.inputs) if node_of(t) not in self._done)

    def layers_by_depth(self) -> list[Layer]:
        """The layers, those farthest from the outputs first."""
        depth_of_node: dict[Node, int] = {}
        depth_of_layer: dict[Layer, int] = {}
        for node in reversed(self.nodes):
            depth = max(depth_of_node.get(node, 0), depth_of_layer.get(node.layer, 0))
            depth_of_node[node] = depth_of_layer[node.layer] = depth
            for tensor in node.inputs:
                before = node_of(tensor)
                depth_of_node[before] = max(depth + 1, depth_of_node.get(before, 0))
        return sorted(self.found, key=lambda layer: (-depth_of_layer[layer], self.found[layer]))


def source_inputs(tensor: SymbolicTensor) -> list[SymbolicTensor]:
    """The inputs that a symbolic tensor depends on."""
    node = node_of(tensor)
    if not node.inputs:
        return list(node.outputs)
    return list(dict.fromkeys(source for t in node.inputs for source in source_inputs(t)))
