"""Sequential: a model that is a stack of layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tfpy.core.calling.constructing import constructed
from tfpy.core.calling.registry import export
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_list
from tfpy.engine.errors import argument_error
from tfpy.layers._camel import SequentialCamel
from tfpy.layers.base import Layer
from tfpy.layers.config import build_layers, config_value, plain
from tfpy.layers.graph import source_inputs
from tfpy.layers.inputs import input_
from tfpy.layers.model import LayersModel
from tfpy.layers.one_output import OneOutput
from tfpy.layers.symbolic import SymbolicTensor, to_list


@export(doc="Models / Classes")
class Sequential(SequentialCamel, OneOutput, LayersModel, class_name="Sequential"):
    """A stack of layers, each with one input and one output. The first must know its input shape.

    Args:
        layers: the layers to begin with.
        name: the model's name; numbered by default.
        trainable: whether training changes the weights.

    Source: TF.js `tf.Sequential`.
    """

    options: ClassVar[dict[str, Any]] = {"layers": None}
    name_prefix: ClassVar[str] = "sequential_"
    is_stack: ClassVar[bool] = True

    if TYPE_CHECKING:  # the options as editors and the reference show them; a subclass may have more

        def __init__(
            self,
            config: Mapping[str, Any] | Sequence[Any] | None = None,
            /,
            *,
            layers: Sequence[Layer] | None = None,
            name: str | None = None,
            trainable: bool = True,
            **options: Any,
        ) -> None: ...

    def configure(self) -> None:
        given = [] if self.layers is None else as_list("sequential", "layers", self.layers, "layers")
        super().configure()
        for layer in given:
            self.add(layer)  # type: ignore[arg-type]

    def _read(self, config: Any, options: Mapping[str, Any], *others: Any) -> dict[str, Any]:
        return super()._read({"layers": config} if isinstance(config, (list, tuple)) else config, options, *others)

    def _start(self) -> None:
        self.inputs, self.outputs, self.layers = [], [], []
        self._changed()

    def add(self, layer: Layer) -> None:
        """Add a layer on top of the stack.

        Raises:
            ValueError: the first layer does not know its input shape, or the layer has several inputs or outputs.
            TypeError: not a layer.
        """
        if not isinstance(layer, Layer):
            expected = "a layer"
            if isinstance(layer, SymbolicTensor):
                expected += "; the first one is given the input_shape, or is a tf.layers.input_layer"
            raise argument_error("add", "layer", expected, layer, TypeError)
        if isinstance(layer, LayersModel) and not len(layer.inputs) == len(layer.outputs) == 1:
            raise argument_error("add", "layer", "a model with one input and one output", layer)
        output = self._outputs_of(layer)
        if len(output) != 1:
            raise argument_error("add", "layer", "a layer with one output; use tf.model for others", layer)
        if not self.inputs:
            self.inputs = source_inputs(output[0])
        self.outputs = output
        self.layers.append(layer)
        self._changed()

    def _outputs_of(self, layer: Layer) -> list[SymbolicTensor]:
        if self.outputs:
            made = layer.apply(self.outputs[0])
            return to_list(made)
        if isinstance(layer, LayersModel):
            if type(layer).call is LayersModel.call:
                return list(layer.outputs)
            given = layer.inputs[0]  # a subclass with its own `call` does not compute its graph
            return to_list(layer.apply(input_(batch_shape=given.shape, dtype=given.dtype, name=f"{layer.name}_input")))
        if not layer.inbound_nodes:
            if layer.batch_input_shape is None:
                expected = "a first layer with an input shape (input_shape or batch_input_shape)"
                raise argument_error("add", "layer", expected, layer)
            layer.apply(input_(batch_shape=layer.batch_input_shape, dtype=layer.dtype, name=f"{layer.name}_input"))
        if len(layer.inbound_nodes) != 1:
            raise argument_error("add", "layer", "a layer that is not connected elsewhere", layer)
        return list(layer.inbound_nodes[0].output_tensors)

    if TYPE_CHECKING:

        def predict(
            self, x: Any, args: Mapping[str, Any] | None = None, *, batch_size: int = ..., verbose: int = 0
        ) -> Tensor: ...

        def predict_on_batch(self, x: Any) -> Tensor: ...

    def build(self, input_shape: Any = None) -> None:
        """Do nothing: layers are built when they are added.

        Raises:
            TypeError: the model has no layers.

        Source: TF.js `tf.Sequential.build`.
        """
        if not self.layers:
            raise TypeError("build: the model has no layers; add some first.")
        super().build(input_shape)

    def pop(self) -> None:
        """Remove the top layer.

        Raises:
            TypeError: the model has no layers.
        """
        if not self.layers:
            raise TypeError("pop: the model has no layers.")
        self.layers.pop()
        self.outputs = []
        if self.layers:
            self.layers[-1].outbound_nodes = []
            self.outputs = list(self.layers[-1].inbound_nodes[-1].output_tensors)
        else:
            self.inputs = []
        self._changed()

    def _models_to_free(self) -> list[Layer]:
        """None: as in TF.js, a model on top of others outlives the stack. The first one has no call that counts."""
        return []

    def _changed(self) -> None:
        self.training_state.compiled = None
        super()._changed()

    def get_config(self) -> dict[str, Any]:
        """The name and the layers' configurations."""
        return {"name": self.name, "layers": [plain(layer) for layer in self.layers]}

    @classmethod
    def from_config(
        cls, config: Mapping[str, Any] | Sequence[Any], custom_objects: Mapping[str, Any] | None = None
    ) -> Self:
        """A model from its configuration: {'name', 'layers'}, or a list of layers as in old files."""
        listed, name = (
            (config_value(config, "layers", []), config.get("name")) if isinstance(config, Mapping) else (config, None)
        )
        layers = build_layers(listed, Layer, custom_objects)
        return constructed(cls, {"layers": layers, "name": name})


@export(doc="Models / Creation")
def sequential(
    config: Mapping[str, Any] | Sequence[Layer] | None = None,
    *,
    layers: Sequence[Layer] | None = None,
    name: str | None = None,
) -> Sequential:
    """A model that is a stack of layers.

    Args:
        config: the options below as a dict; or, beyond TF.js, a list of layers.
        layers: the layers to begin with.
        name: the model's name; numbered by default.

    Source: TF.js `tf.sequential`.
    """
    return Sequential(config, layers=layers, name=name)
