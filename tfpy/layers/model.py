"""LayersModel: a model that can be trained, saved and shown.

Its methods are the public interface; the functions in `saving` implement them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from tfpy.core.calling.constructing import constructed
from tfpy.core.calling.options import accepts_options
from tfpy.core.calling.ready import Ready, ReadyNone
from tfpy.core.calling.registry import export
from tfpy.core.io.artifacts import SaveResult
from tfpy.core.io.errors import object_in
from tfpy.core.naming.elsewhere import OF_MODELS
from tfpy.core.naming.wrappers import name_methods_of
from tfpy.core.results import NamedTensor
from tfpy.engine.arguments import as_function
from tfpy.engine.errors import argument_error
from tfpy.engine.printable import put
from tfpy.layers._camel import LayersModelCamel
from tfpy.layers.declared import REQUIRED
from tfpy.layers.registry import register
from tfpy.layers.saving import writing
from tfpy.layers.saving.rebuild import rebuild
from tfpy.layers.saving.weight_loading import load_weights
from tfpy.layers.saving.weight_names import named_values
from tfpy.layers.summary import summary_html, summary_lines
from tfpy.layers.trainable_model import TrainableModel


@export(doc="Models / Classes")
class LayersModel(LayersModelCamel, TrainableModel, Ready, class_name="Model"):
    """A model of layers, from symbolic inputs to outputs. It may be awaited, like the functions that load one.

    Args:
        inputs: the symbolic inputs, made by `tf.input`.
        outputs: the symbolic outputs.
        name: the model's name; numbered by default.
        trainable: whether training changes the weights.

    Attributes:
        loss: the loss that was passed to `compile`.
        metrics: the metrics that were passed to `compile`.
        output_weights: the output_weights that were passed to `compile` (beyond TF.js).
        metrics_names: the names of the values that `evaluate` and `train_on_batch` return.

    Source: TF.js `tf.LayersModel`.
    """

    _elsewhere = OF_MODELS
    name_prefix: ClassVar[str] = "model"
    takes_custom_objects = True
    _metadata: dict[str, Any] | None = None

    if TYPE_CHECKING:  # the options as editors and the reference show them; a subclass may have more

        def __init__(
            self,
            config: Mapping[str, Any] | None = None,
            /,
            *,
            inputs: Any = REQUIRED,
            outputs: Any = REQUIRED,
            name: str | None = None,
            trainable: bool = True,
            **options: Any,
        ) -> None: ...

    # Saving

    @accepts_options()
    def to_json(self, unused: Any = None, return_string: bool = True) -> Any:
        """The topology in the format of TF.js and Keras, without weights.

        Args:
            unused: ignored, as in TF.js.
            return_string: whether to return a JSON string instead of a dict.

        Source: TF.js `tf.LayersModel.toJSON`.
        """
        text = writing.to_json(self)
        return text if return_string else json.loads(text)

    @classmethod
    def from_config(cls, config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Self:
        """A model from a configuration as in `get_config`, or in a file of TF.js, Keras 2 or Keras 3.

        Args:
            config: {'name', 'layers', 'input_layers', 'output_layers'}.
            custom_objects: classes by name, looked up before the registered ones.

        Raises:
            ValueError: a layer cannot be created or connected; the message names it.
        """
        options = object_in("model", "config", config)
        inputs, outputs = rebuild(options, custom_objects)
        return constructed(cls, {"inputs": inputs, "outputs": outputs, "name": options.get("name")})

    @accepts_options("config")
    def save(
        self,
        handler_or_url: Any,
        config: Mapping[str, Any] | None = None,
        *,
        trainable_only: bool = False,
        include_optimizer: bool = False,
        strict: bool | None = None,
        quantize: str | None = None,
    ) -> SaveResult:
        """Save the model: its topology and weights.

        Args:
            handler_or_url: a folder, to which model.json and weights.bin are written; a path that ends with '.json' or
                '.zip', or, beyond TF.js, with Keras's '.keras' or '.h5' (extra `keras`), or '.onnx' (extra `onnx`); a
                URL (file://, http(s)://, localstorage://); or a handler of `tf.io`. An existing model is only replaced
                once the new one is complete.
            config: the options below as a dict.
            trainable_only: whether to leave out non-trainable weights.
            include_optimizer: whether to save the compile configuration and the state of the optimizer too.
            strict: True raises an error and saves nothing if TF.js 4.22 would reject the model in a browser, or Keras
                one of its files; by default there is a warning; False does not check (beyond TF.js). What an ONNX file
                cannot represent is always an error.
            quantize: 'float16', 'uint16' or 'uint8' stores weights, rounded, in half or a quarter of the bytes, as the
                TF.js converter does; not those of the optimizer (beyond TF.js, which can read such files).

        Returns:
            The handler's result, with `model_artifacts_info`; it may be awaited.

        Raises:
            ValueError: an invalid destination, or a part of the model that cannot be saved.

        Source: TF.js `tf.LayersModel.save`.
        """
        return writing.save(
            self,
            handler_or_url,
            trainable_only=trainable_only,
            include_optimizer=include_optimizer,
            strict=strict,
            quantize=quantize,
        )

    @accepts_options("config")
    def get_named_weights(
        self, config: Mapping[str, Any] | None = None, *, trainable_only: bool = False
    ) -> list[NamedTensor]:
        """The weights as a list of records (name, tensor), in the order of `weights`, with the names used in files.

        Args:
            config: the option below as a dict.
            trainable_only: whether to leave out the non-trainable ones.

        Source: TF.js `tf.LayersModel.getNamedWeights`.
        """
        return named_values(self, trainable_only)

    def save_weights(self, path: str | os.PathLike[str]) -> ReadyNone:
        """Write the weights alone (beyond TF.js); `load_weights` reads them.

        Args:
            path: a file that ends with '.safetensors' (extra `safetensors`), which stores them by name, or with
                '.weights.h5' (extra `keras`), as in Keras 3.

        Returns:
            Nothing; it may be awaited.

        Raises:
            ValueError: another ending. ImportError: the extra is not installed.
        """
        return writing.save_weights(self, path)

    @accepts_options()
    def load_weights(self, weights: Any, strict: bool = True) -> None:
        """Assign values to the weights by name. Beyond TF.js, the numbers in automatic layer names (`dense_Dense7`)
        matter only by their order, so that weights fit another model built from the same layers.

        Args:
            weights: tensors by name, or a list of {'name', 'tensor'}. Beyond TF.js, the path, URL or handler of a saved
                model, of which only the weights are read; a `.safetensors` file; or a Keras file.
            strict: whether every weight must have a value, and every value a weight.

        Raises:
            ValueError: values without weights or weights without values (if strict), or a shape or dtype that does not
                fit; no weight is changed then.

        Source: TF.js `tf.LayersModel.loadWeights`.
        """
        load_weights(self, weights, strict)

    def set_user_defined_metadata(self, user_defined_metadata: Mapping[str, Any]) -> None:
        """Set metadata that is saved with the model: plain data, at most 1 MB.

        Source: TF.js `tf.LayersModel.setUserDefinedMetadata`.
        """
        self._metadata = writing.as_metadata(user_defined_metadata)

    def get_user_defined_metadata(self) -> dict[str, Any] | None:
        """The metadata that was set, or saved with the model; None if there is none.

        Source: TF.js `tf.LayersModel.getUserDefinedMetadata`.
        """
        return self._metadata

    # Looking

    @accepts_options()
    def summary(
        self,
        line_length: int | None = None,
        positions: Sequence[float] | None = None,
        print_fn: Callable[[str], Any] = print,
    ) -> None:
        """Print the layers, their output shapes and their parameter counts.

        Args:
            line_length: the width, in characters.
            positions: where the columns end, as fractions of the width or in characters.
            print_fn: called with each line.

        Source: TF.js `tf.LayersModel.summary`.
        """
        as_function("summary", "print_fn", print_fn)
        write = put if print_fn is print else print_fn
        for line in summary_lines(self, line_length, positions):
            write(line)

    def _repr_html_(self) -> str:
        return summary_html(self)


name_methods_of(LayersModel, TrainableModel)
# Keras's name for a model of connected layers.
register(LayersModel, "Functional")


@export(doc="Models / Creation", options="args")
def model(
    args: Mapping[str, Any] | None = None, *, inputs: Any = None, outputs: Any = None, name: str | None = None
) -> LayersModel:
    """A model from symbolic inputs to symbolic outputs.

    Args:
        args: the options below as a dict.
        inputs: the symbolic inputs, made by `tf.input`.
        outputs: the symbolic outputs, computed from them by layers.
        name: the model's name; numbered by default.

    Source: TF.js `tf.model`.
    """
    for argument, value in (("inputs", inputs), ("outputs", outputs)):
        if value is None:
            raise argument_error("model", argument, "symbolic tensors", None)
    return LayersModel(inputs=inputs, outputs=outputs, name=name)
