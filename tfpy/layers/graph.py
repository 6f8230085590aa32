"""A graph of layers between inputs and outputs: its order and execution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, TypeVar

from tfpy.core.ops.common import cast_to
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error
from tfpy.engine.spec import Shape
from tfpy.engine.warn import warn_user
from tfpy.layers.base import Layer
from tfpy.layers.calling import add_layer_note
from tfpy.layers.mask_rules import MaskRules
from tfpy.layers.shapes import shapes_agree, shapes_of_all
from tfpy.layers.symbolic import Node, PartialShape, SymbolicTensor, node_of, one_or_list

T = TypeVar("T")


class LayerGraph:
    """The calls that lead from inputs to outputs, in topological order.

    Attributes:
        nodes: the calls, in TF.js's order of execution, without those of the inputs.
        layers: the layers in TF.js's order: by depth, and within each depth as they were found.
        mask_rules: the rules that masks follow.
    """

    def __init__(
        self,
        inputs: Sequence[SymbolicTensor],
        outputs: Sequence[SymbolicTensor],
        mask_rules: MaskRules,
    ) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        self.mask_rules = mask_rules
        self.layers = _Search(self.inputs, self.outputs).layers_by_depth()
        self.nodes = _in_order(self.inputs, self.outputs)
        self._last_use = self._last_uses()
        self._shapes: dict[tuple[PartialShape, ...], list[PartialShape]] = {}
        self._fitting: dict[Node, list[Shape]] = {}

    @cached_property
    def index_counts(self) -> list[int | None]:
        """For each input used as indices, the number of entries that they index: the smallest among the layers. None
        for the others; an empty list if no input is used as indices.
        """
        found: dict[SymbolicTensor, int | None] = dict.fromkeys(self.inputs)
        for node in self.nodes:
            for tensor, count in zip(node.input_tensors, node.outbound_layer.index_counts(), strict=False):
                if tensor in found and count is not None:
                    found[tensor] = min(count, found[tensor] or count)
        return list(found.values()) if any(count is not None for count in found.values()) else []

    def by_name(self) -> dict[str, SymbolicTensor]:
        """The symbolic tensors by name."""
        made = [t for node in self.nodes for t in node.output_tensors]
        return {t.name: t for t in [*self.inputs, *made] if t.name is not None}

    def _last_uses(self) -> list[list[SymbolicTensor]]:
        """For each node, the tensors that no later node needs."""
        needed = set(self.outputs)
        out: list[list[SymbolicTensor]] = []
        for node in reversed(self.nodes):
            used = [t for t in dict.fromkeys([*node.input_tensors, *node.output_tensors]) if t not in needed]
            needed.update(used)
            out.append(used)
        return out[::-1]

    def run(
        self,
        values: Sequence[Tensor],
        training: bool = False,
        masks: Sequence[Any] = (),
        mask: Any = None,
    ) -> tuple[list[Tensor], list[Any]]:
        """The outputs and their masks for the given inputs.

        Args:
            values: the inputs; they are cast to the dtypes of the graph's inputs.
            training: whether the layers run in training mode.
            masks: the masks of the inputs.
            mask: the mask that the first layer is called with if its inputs have none.

        Raises:
            ValueError: inputs that do not fit a layer.
        """
        fed = [_cast_to_input_dtype(value, entry) for entry, value in zip(self.inputs, values, strict=True)]

        def call(node: Node, inputs: list[Tensor], own: list[Any], mask: Any) -> tuple[list[Tensor], list[Any]]:
            layer = node.outbound_layer
            layer.assert_not_disposed()
            self._check_inputs(node, inputs)
            try:
                found, made = self.mask_rules.call(layer, inputs, own, mask, {**node.call_args, "training": training})
            except Exception as error:
                add_layer_note(error, layer, inputs)
                raise
            _check_outputs(node, inputs, found)
            return found, made

        return self.walk(call, self.mask_rules, fed, masks, mask)

    def _check_inputs(self, node: Node, inputs: Sequence[Tensor]) -> None:
        """Check the inputs of a call against the layer's specs, unless their shapes are the same as last time."""
        shapes = [x.spec.shape for x in inputs]
        if self._fitting.get(node) != shapes:
            node.outbound_layer.check_against_spec(inputs)
            self._fitting[node] = shapes

    def walk(
        self,
        call: Callable[[Node, list[T], list[Any], Any], tuple[list[T], list[Any]]],
        rules: MaskRules,
        values: Sequence[T],
        masks: Sequence[Any] = (),
        mask: Any = None,
    ) -> tuple[list[T], list[Any]]:
        """The outputs and their masks. The calls are made by a given function, on tensors or placeholders for them.

        As in TF.js a layer whose inputs have no mask is called with the one that the layer before it was called with:
        a mask passes through layers that do not support masking, and even from one branch of the graph to the next. By
        the rules of Keras it does not. Values are released as soon as no later call needs them.

        Args:
            call: (node, inputs, their masks, the mask of the call) → the outputs, and the masks of the first of them.
            rules: the rules that masks follow.
            values: the inputs.
            masks: the masks of the first inputs.
            mask: the mask that the first layer is called with if its inputs have none.
        """
        found: dict[SymbolicTensor, T] = dict(zip(self.inputs, values, strict=True))
        seen: dict[SymbolicTensor, Any] = dict(zip(self.inputs, masks, strict=False))
        for node, finished in zip(self.nodes, self._last_use, strict=True):
            own = [seen.get(t) for t in node.input_tensors]
            if not rules.carry or any(m is not None for m in own):
                mask = own[0]
            outputs, made = call(node, [found[t] for t in node.input_tensors], own, mask)
            found.update(zip(node.output_tensors, outputs, strict=True))
            seen.update(zip(node.output_tensors, made, strict=False))
            for tensor in finished:
                found.pop(tensor, None)
        return [found[t] for t in self.outputs], [seen.get(t) for t in self.outputs]

    def shapes(self, input_shapes: Sequence[PartialShape]) -> list[PartialShape]:
        """The shapes of the outputs for inputs of the given shapes.

        They are cached, as in TF.js: otherwise each level of models that call models twice would double the time.
        """
        key = tuple(tuple(shape) for shape in input_shapes)
        if key not in self._shapes:
            self._shapes[key] = self._shapes_for(key)
        return self._shapes[key]

    def _shapes_for(self, input_shapes: Sequence[PartialShape]) -> list[PartialShape]:
        found: dict[SymbolicTensor, PartialShape] = dict(zip(self.inputs, input_shapes, strict=True))
        for node in self.nodes:
            shapes = node.outbound_layer.shapes_of_call(
                one_or_list([found[t] for t in node.input_tensors]), node.call_args
            )
            found.update(zip(node.output_tensors, shapes_of_all(shapes), strict=True))
        return [found[t] for t in self.outputs]


def _check_outputs(node: Node, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
    """Check a layer's outputs against the shapes that it declared: a custom layer may be wrong there."""
    name = node.outbound_layer.name
    if len(outputs) != len(node.output_tensors):
        many = len(node.output_tensors)
        raise ValueError(f"Layer {name}: call returned {len(outputs)} tensors, compute_output_shape {many} shapes.")
    for said, found in zip(node.output_tensors, outputs, strict=True):
        if not shapes_agree(said.shape, found.shape) and all(map(_fits, node.input_tensors, inputs)):
            fewer = len(inputs) == 1 and len(found.shape) < len(said.shape)  # as if `inputs[0]` were the tensor
            hint = ""
            if fewer:
                hint = " (A layer with one input is called on the tensor, not on a list.)"
            elif type(node.outbound_layer).compute_output_shape is Layer.compute_output_shape:
                hint = " Define this method: without it, the output is assumed to have the shape of the input."
            warn_user(
                f"Layer {name}: call returned shape {list(found.shape)}, but compute_output_shape returned "
                f"{list(said.shape)}.{hint}"
            )


def _fits(said: SymbolicTensor, found: Tensor) -> bool:
    return shapes_agree(said.shape, found.shape)


def _in_order(inputs: Sequence[SymbolicTensor], outputs: Sequence[SymbolicTensor]) -> list[Node]:
    """The calls between inputs and outputs: each preceded by those for its inputs, starting with the last input."""
    order: list[Node] = []
    done = {node_of(t) for t in inputs}
    stack = [(node_of(t), False) for t in reversed(outputs)]
    while stack:
        node, ready = stack.pop()
        if node in done:
            continue
        if ready:
            done.add(node)
            order.append(node)
        else:
            stack.append((node, True))
            stack.extend((node_of(t), False) for t in node.input_tensors)
    return order


class _Search:
    """Traverses backwards from the outputs and records nodes and layers as they are found."""

    def __init__(self, inputs: Sequence[SymbolicTensor], outputs: Sequence[SymbolicTensor]) -> None:
        self.nodes: list[Node] = []
        self.found: dict[Layer, int] = {}
        self._open: set[Node] = set()
        self._done: set[Node] = set()
        self._stop = set(inputs)
        for tensor in outputs:
            self._visit(tensor)

    def _visit(self, tensor: SymbolicTensor) -> None:
        # Iterative rather than recursive: a model may be deeper than Python's stack.
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
                raise ValueError(f"The model has a cycle, through layer {node.outbound_layer.name}.")
            self._open.add(node)
            self.found.setdefault(node.outbound_layer, len(self.found))
            stack.append((node, True))
            if not any(t in self._stop for t in node.output_tensors):
                stack.extend((node_of(t), False) for t in reversed(node.input_tensors) if node_of(t) not in self._done)

    def layers_by_depth(self) -> list[Layer]:
        """The layers, starting with those farthest from the outputs."""
        depth_of_node: dict[Node, int] = {}
        depth_of_layer: dict[Layer, int] = {}
        for node in reversed(self.nodes):
            depth = max(depth_of_node.get(node, 0), depth_of_layer.get(node.outbound_layer, 0))
            depth_of_node[node] = depth_of_layer[node.outbound_layer] = depth
            for tensor in node.input_tensors:
                before = node_of(tensor)
                depth_of_node[before] = max(depth + 1, depth_of_node.get(before, 0))
        return sorted(self.found, key=lambda layer: (-depth_of_layer[layer], self.found[layer]))


def source_inputs(tensor: SymbolicTensor) -> list[SymbolicTensor]:
    """The inputs that a symbolic tensor depends on, in the order in which a search from it finds them."""
    found: dict[SymbolicTensor, None] = {}
    seen: set[Node] = set()
    stack = [node_of(tensor)]
    while stack:
        node = stack.pop()
        if node in seen:  # branches that repeatedly merge would double the work each time
            continue
        seen.add(node)
        if not node.input_tensors:
            found.update(dict.fromkeys(node.output_tensors))
        stack.extend(node_of(t) for t in reversed(node.input_tensors))
    return list(found)


def _cast_to_input_dtype(value: Tensor, entry: SymbolicTensor) -> Tensor:
    """A value cast to the dtype of its input."""
    if "string" in (value.dtype, entry.dtype) and value.dtype != entry.dtype:
        raise argument_error(node_of(entry).outbound_layer.name, "inputs", f"of dtype {entry.dtype}", value, TypeError)
    return cast_to(value, entry.dtype)
