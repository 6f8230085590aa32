"""LayersModel: a container that can be compiled, trained, evaluated and asked for predictions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from tfpy.core.memory import tidy
from tfpy.core.ops.join import concat
from tfpy.core.options import accepts_options
from tfpy.core.registry import export
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_list, as_positive
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.layers._camel import LayersModelCamel
from tfpy.layers.config import register
from tfpy.layers.graph import LayerGraph
from tfpy.layers.saving.savable import SavableModel
from tfpy.layers.summary import summary_html, summary_lines
from tfpy.layers.symbolic import one_or_list
from tfpy.layers.training import data_adapter as adapter
from tfpy.layers.training.batch_sources import as_dataset
from tfpy.layers.training.steps import Batch, predict_again, predict_step


@export(doc="Models / Classes")
class LayersModel(LayersModelCamel, SavableModel, class_name="Model"):
    """A model of layers, from symbolic inputs to outputs.

    Args:
        inputs: the symbolic inputs, made by `tf.input`.
        outputs: the symbolic outputs.
        name: the model's name; numbered by default.
        trainable: whether training changes the weights.

    Attributes:
        loss: what `compile` was given as loss.
        metrics: what `compile` was given as metrics.
        metrics_names: the names of what `evaluate` and `train_on_batch` return.

    Source: TF.js `tf.LayersModel`.
    """

    name_prefix: ClassVar[str] = "model"

    # Using

    @accepts_options("args")
    def predict(self, x: Any, args: Mapping[str, Any] | None = None, *, batch_size: int = 32, verbose: int = 0) -> Any:
        """The outputs for given inputs.

        Args:
            x: the inputs: a tensor or array, a list of them, or a dict by input name.
            args: the options below as a dict.
            batch_size: how many samples are computed at a time.
            verbose: without effect, as in TF.js.

        Returns:
            A tensor, or a list of them for several outputs.

        Source: TF.js `tf.LayersModel.predict`.
        """
        size = as_positive("predict", "batch_size", batch_size)
        if isinstance(x, Tensor) and x.spec.shape and 0 < x.spec.shape[0] <= size:
            found = predict_again(self, x)
            if found is not None:
                return one_or_list(found)
        return tidy(lambda: self._predict("predict", x, size))

    def predict_on_batch(self, x: Any) -> Any:
        """The outputs for given inputs, computed at once.

        Source: TF.js `tf.LayersModel.predictOnBatch`.
        """
        return tidy(lambda: self._predict("predict_on_batch", x, None))

    @accepts_options()
    def execute(self, inputs: Any, outputs: str | Sequence[str]) -> Any:
        """What symbolic tensors within the model come to, such as the outputs of inner layers.

        Args:
            inputs: a tensor, a list with one for each input of the model, or a dict by the names of `model.inputs`.
            outputs: the name of a symbolic tensor, which is that of `layer.output`, or a list of names.

        Returns:
            A tensor for a name, a list of them for a list.

        Raises:
            ValueError: there is no symbolic tensor of that name, no name, or not a tensor for each input.

        Source: TF.js `tf.LayersModel.execute`.
        """
        names: list[Any] = [outputs] if isinstance(outputs, str) else as_list("execute", "outputs", outputs, "names")
        if not names:
            raise argument_error("execute", "outputs", "at least one name", outputs)
        inner = self.graph.by_name()
        for name in names:
            if name not in inner:
                raise unknown_name_error("symbolic tensor", name, inner)
        if isinstance(inputs, Mapping):
            entries = {t.name: name for t, name in zip(self.inputs, self.input_names, strict=True)}
            inputs = {entries.get(key, key): value for key, value in inputs.items()}
        part = LayerGraph(self.inputs, [inner[name] for name in names])
        part.masks_of = self.masks_of
        found = tidy(lambda: part.run(self._inputs("execute", inputs, "inputs"))[0])
        return found[0] if isinstance(outputs, str) else found

    def _predict(self, where: str, x: Any, size: int | None) -> Any:
        if as_dataset(x) is not None:
            raise argument_error(where, "x", "arrays or tensors; of a data set predict each batch", x, TypeError)
        inputs = self._inputs(where, x)
        count = inputs[0].spec.shape[0]
        own = self.inputs[0].shape[0]
        if own is not None and self.stateful:
            if count % own or (size is None and count != own):
                expected = f"as many samples as full batches of {own} take, since the model is stateful"
                raise argument_error(where, "x", expected, inputs[0])
            size = own
        if len(inputs) == 1 and 0 < count <= (size or count):
            return one_or_list(predict_step(self, inputs))
        if any(t.shape[0] != count for t in inputs):
            raise argument_error(where, "x", "inputs with as many samples", [list(t.shape) for t in inputs])
        data = Batch(inputs, [], [])
        spans = adapter.batches(count, size or max(count, 1)) or [(0, 0)]
        if len(spans) == 1:
            return one_or_list(predict_step(self, inputs))
        parts = [tidy(lambda s=s, e=e: predict_step(self, data.batch(s, e).inputs)) for s, e in spans]  # type: ignore[misc]
        return one_or_list([ps[0] if len(ps) == 1 else concat(list(ps)) for ps in zip(*parts, strict=True)])

    # Looking

    @accepts_options()
    def summary(
        self,
        line_length: int | None = None,
        positions: Sequence[float] | None = None,
        print_fn: Callable[[str], Any] = print,
    ) -> None:
        """Print the layers, their shapes and the numbers of their weights.

        Args:
            line_length: the width, in characters.
            positions: where the columns end: parts of the width, or characters.
            print_fn: called with each line.

        Source: TF.js `tf.LayersModel.summary`.
        """
        if not callable(print_fn):
            raise argument_error("summary", "print_fn", "a function", print_fn, TypeError)
        for line in summary_lines(self, line_length, positions):
            print_fn(line)

    def _repr_html_(self) -> str:
        return summary_html(self)


# What Keras calls a model of connected layers.
register(LayersModel, "Functional")


@export(doc="Models / Creation", options="args")
def model(
    args: Mapping[str, Any] | None = None, *, inputs: Any = None, outputs: Any = None, name: str | None = None
) -> LayersModel:
    """A model from symbolic inputs to symbolic outputs.

    Args:
        args: the options below as a dict.
        inputs: the symbolic inputs, made by `tf.input`.
        outputs: what layers have made of them.
        name: the model's name; numbered by default.

    Source: TF.js `tf.model`.
    """
    for argument, value in (("inputs", inputs), ("outputs", outputs)):
        if value is None:
            raise argument_error("model", argument, "symbolic tensors", None)
    return LayersModel(inputs=inputs, outputs=outputs, name=name)
