"""Container: a graph of layers that is itself a layer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from tfpy.core.calling.options import accepts_options
from tfpy.core.convert import to_tensor
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import Unquoted, argument_error, unknown_name_error
from tfpy.layers._camel import ContainerCamel
from tfpy.layers.base import Layer
from tfpy.layers.config import plain
from tfpy.layers.declared import REQUIRED
from tfpy.layers.graph import LayerGraph
from tfpy.layers.mask_rules import TFJS_MASKS, MaskRules
from tfpy.layers.naming import uid
from tfpy.layers.shapes import are_several, check_partial_shape
from tfpy.layers.symbolic import Node, SymbolicTensor, node_of, one_or_list, to_list
from tfpy.layers.weights import DisposeResult, count_params


class Container(ContainerCamel, Layer):
    """Layers between symbolic inputs and outputs.

    Attributes:
        inputs: the symbolic inputs.
        outputs: the symbolic outputs.
        layers: the layers, in order of computation.
        mask_rules: the rules that masks follow.
        is_stack: whether it is a stack of layers, which Keras's files store in a separate format.
    """

    mask_rules = TFJS_MASKS
    is_stack: ClassVar[bool] = False
    options: ClassVar[dict[str, Any]] = {"inputs": REQUIRED, "outputs": REQUIRED}
    base_options: ClassVar[dict[str, Any]] = {"name": None, "trainable": True}
    name_prefix: ClassVar[str] = "container"

    def _set_base_options(self, base: dict[str, Any]) -> None:
        rest = dict.fromkeys(Layer.base_options)
        super()._set_base_options({**rest, **base, "name": base["name"] or uid(self.name_prefix)})

    def configure(self) -> None:
        self._start()

    def _start(self) -> None:
        """Set the inputs and outputs."""
        self.inputs: list[SymbolicTensor] = to_list(self.inputs)
        self.outputs: list[SymbolicTensor] = to_list(self.outputs)
        self._check_ends()
        self._changed()
        self.layers = self.graph.layers

    def _check_ends(self) -> None:
        for argument, tensors in (("inputs", self.inputs), ("outputs", self.outputs)):
            for tensor in tensors:
                if not isinstance(tensor, SymbolicTensor):
                    raise argument_error("model", argument, "symbolic tensors", tensor, TypeError)
        if len(set(self.inputs)) != len(self.inputs):
            raise argument_error("model", "inputs", "distinct tensors", [t.name for t in self.inputs])
        for tensor in self.inputs:
            if node_of(tensor).input_tensors:
                raise argument_error("model", "inputs", "results of tf.input", tensor)

    def _changed(self) -> None:
        """Clear what is derived from inputs, outputs and layers after these have changed."""
        self._graph: LayerGraph | None = None
        self.built = bool(self.outputs)  # the layers hold their weights
        self._references = 1
        self.inbound_nodes[:1] = [Node.around(self, self.inputs, self.outputs)]

    def _parts(self) -> list[Any]:
        # Its layers, what they are called with, and replacements of its methods: the model around them does not compute
        # anything itself.
        arguments = [node.call_args for node in self.graph.nodes if node.call_args]
        replaced = [value for name, value in vars(self).items() if callable(getattr(type(self), name, None))]
        return [self.layers, *self.losses, *arguments, *replaced]

    def index_counts(self) -> Sequence[int | None]:
        return self.graph.index_counts

    def _own_calls(self) -> Sequence[Node]:
        return self.inbound_nodes[1:]

    def __getstate__(self) -> dict[str, Any]:
        # The layers first, each after those that it depends on, so that a deep model is copied layer by layer.
        return {"layers": self.layers, **super().__getstate__()}

    @property
    def graph(self) -> LayerGraph:
        """The layers between inputs and outputs."""
        if self._graph is None:
            if not self.outputs:
                raise RuntimeError(f"Model {self.name} has no layers yet; add some first.")
            self._graph = LayerGraph(self.inputs, self.outputs, self.mask_rules)
            self._check_layers(self._graph.layers)
        return self._graph

    def follow_mask_rules(self, rules: MaskRules) -> None:
        """Set the rules that masks follow."""
        self.mask_rules, self._graph = rules, None

    def _check_layers(self, layers: Sequence[Layer]) -> None:
        for name, count in Counter(layer.name for layer in layers).items():
            if count > 1:
                raise ValueError(f"model: the layer name {name!r} is used {count} times; names are unique.")
        entries = set(self.input_layers)
        for layer in layers:
            if layer not in entries and not any(node.input_tensors for node in layer.inbound_nodes):
                raise ValueError(f"model: the outputs depend on input {layer.name!r}, which is not among the inputs.")

    @property
    def input(self) -> Any:
        """The symbolic input, or a list of them."""
        return one_or_list(self.inputs)

    @property
    def output(self) -> Any:
        """The symbolic output, or a list of them."""
        return one_or_list(self.outputs)

    @property
    def input_layers(self) -> list[Layer]:
        """The layers that the inputs come from."""
        return [node_of(t).outbound_layer for t in self.inputs]

    @property
    def output_layers(self) -> list[Layer]:
        """The layers that the outputs come from."""
        return [node_of(t).outbound_layer for t in self.outputs]

    @property
    def input_names(self) -> list[str]:
        """The names of the layers that the inputs come from."""
        return [layer.name for layer in self.input_layers]

    @property
    def output_names(self) -> list[str]:
        """The names of the layers that the outputs come from."""
        return [layer.name for layer in self.output_layers]

    # A layer of layers

    def call(self, inputs: Any, training: bool = False, mask: Any = None) -> Any:
        # By Keras's rules it is the mask of the inputs; in TF.js the one that the first layer is called with.
        given = {"mask": mask} if self.mask_rules.carry else {"masks": to_list(mask)}
        outputs, _ = self.graph.run(self._values(inputs), training, **given)
        return one_or_list(outputs)

    def _values(self, inputs: Any) -> list[Tensor]:
        """The inputs of a call as a list of tensors."""
        values = [x if isinstance(x, Tensor) else to_tensor(self.name, "inputs", x, "any") for x in to_list(inputs)]
        if len(values) != len(self.inputs):
            raise argument_error(self.name, "inputs", f"{len(self.inputs)} tensors", Unquoted(f"{len(values)}"))
        return values

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        _, masks = self.graph.run(self._values(inputs), False, to_list(mask))
        return one_or_list(masks)

    def compute_output_shape(self, input_shape: Any) -> Any:
        given = input_shape if are_several(input_shape) else [input_shape]
        shapes = [check_partial_shape(self.name, s) for s in given]
        if len(shapes) != len(self.inputs):
            raise argument_error(self.name, "input_shape", f"{len(self.inputs)} shapes", input_shape)
        return one_or_list(self.graph.shapes(shapes))

    @accepts_options()
    def get_layer(self, name_or_index: str | int | None = None, index: int | None = None) -> Layer:
        """A layer of the model, by name or by index in `layers`.

        Raises:
            ValueError: there is no such layer.
        """
        place = name_or_index if isinstance(name_or_index, int) else index
        if place is not None:
            place = as_int("get_layer", "index", place)
            if not 0 <= place < len(self.layers):
                raise argument_error("get_layer", "index", f"below the {len(self.layers)} layers", place)
            return self.layers[place]
        if name_or_index is None:
            raise argument_error("get_layer", "name_or_index", "a name or an index", None)
        for layer in self.layers:
            if layer.name == name_or_index:
                return layer
        raise unknown_name_error("layer", name_or_index, [layer.name for layer in self.layers])

    # Weights

    @property
    def layers_within(self) -> Sequence[Layer]:
        """The layers."""
        return self.layers

    @property
    def trainable(self) -> bool:
        """Whether training changes weights of the model."""
        return self._trainable

    @trainable.setter
    def trainable(self, trainable: bool) -> None:
        # As in TF.js, only the layers' own weights: neither nested models nor the `trainable` of the layers change.
        for layer in self.layers:
            layer.train_own_weights(trainable)
        self._trainable = trainable

    @property
    def losses(self) -> list[Callable[[], Tensor]]:
        """The functions whose values are added to the loss: those of a layer once per call of it, as in TF.js; and the
        model's own (beyond TF.js, which ignores them).
        """
        if not self.outputs:
            return []
        calls = Counter(node.outbound_layer for node in self.graph.nodes)
        # A model that is the first layer of a sequential one is never called: its graph is traversed instead.
        of_layers = [loss for layer in self.layers for _ in range(calls[layer] or 1) for loss in layer.losses]
        return [*of_layers, *self._losses]

    @property
    def stateful(self) -> bool:  # type: ignore[override]  # derived from the layers, never set
        """Whether any layer keeps states from one batch to the next."""
        return any(layer.stateful for layer in self.layers)

    def reset_states(self, states: Any = None) -> None:
        """Reset the states of all stateful layers to zeros."""
        for layer in self.layers:
            if layer.stateful:
                layer.reset_states()

    def count_params(self) -> int:
        """The number of parameters: the total number of elements of all weights."""
        return count_params(self.weights)

    # Configuration

    def get_config(self) -> dict[str, Any]:
        """The layers and how they are connected."""
        numbers = self._node_numbers()
        layers = []
        for layer in self._listed():
            calls = [node for node in layer.inbound_nodes if node in numbers and node.input_tensors]
            inbound = [
                [[*self._place(t, numbers), plain(node.call_args)] for t in node.input_tensors] for node in calls
            ]
            layers.append({**plain(layer), "name": layer.name, "inbound_nodes": inbound})
        return {
            "name": self.name,
            "layers": layers,
            "input_layers": [self._place(t, numbers) for t in self.inputs],
            "output_layers": [self._place(t, numbers) for t in self.outputs],
        }

    def _node_numbers(self) -> dict[Node, int]:
        """For each call in the model, its index among the calls of its layer; a container counts only its own."""
        own = {*self.graph.nodes, *map(node_of, self.inputs)}
        return {
            node: i
            for layer in self._listed()
            for i, node in enumerate((n for n in layer.inbound_nodes if n in own), isinstance(layer, Container))
        }

    def _listed(self) -> list[Layer]:
        """The layers, and those of inputs that no output depends on."""
        return list(dict.fromkeys([*self.layers, *self.input_layers]))

    def _place(self, tensor: SymbolicTensor, numbers: dict[Node, int]) -> list[Any]:
        return [node_of(tensor).outbound_layer.name, numbers[node_of(tensor)], tensor.tensor_index]

    def assert_not_disposed(self) -> None:
        """Raise a RuntimeError if all of its users have disposed it."""
        if self._references == 0:
            raise RuntimeError(f"Model {self.name} is already disposed.")

    def dispose(self) -> DisposeResult:
        """Release the layers and nested models; their weights are freed once no other model uses them."""
        self.assert_not_disposed()
        self._references = (self._references or 1) - 1
        freed = 0
        if self._references == 0:
            for layer in [*self.layers, *self._models_to_free()]:
                if layer.in_use:
                    freed += layer.dispose().num_disposed_variables
        return DisposeResult(self._references, freed)

    def _models_to_free(self) -> list[Layer]:
        """The nested models, which have two uses: on their own, and inside this model."""
        return [layer for layer in self.layers if isinstance(layer, Container)]
