"""Predictions of a model: its outputs, or tensors within it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tfpy.core.memory import tidy
from tfpy.core.ops.join import concat
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_list, as_positive
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.layers.graph import LayerGraph
from tfpy.layers.symbolic import one_or_list
from tfpy.layers.training.batch import Batch, batch_spans
from tfpy.layers.training.data_adapter import check_indices
from tfpy.layers.training.data_handler import inputs_of
from tfpy.layers.training.datasets import as_dataset
from tfpy.layers.training.steps import PREDICTION, predict_step

if TYPE_CHECKING:
    from tfpy.layers.trainable_model import TrainableModel


def predict(model: TrainableModel, x: Any, batch_size: int) -> Any:
    """The outputs for inputs, computed batch by batch, or at once if there is a plan for a tensor of x's shape."""
    size = as_positive("predict", "batch_size", batch_size)
    if isinstance(x, Tensor) and x.spec.shape and 0 < x.spec.shape[0] <= size:
        check_indices("predict", "x", (x,), model.graph.index_counts)
        found = model.plans.replayed(PREDICTION, (x,))
        if found is not None:
            return one_or_list(found[0])
    return tidy(lambda: _outputs("predict", model, x, size))


def predict_on_batch(model: TrainableModel, x: Any) -> Any:
    """The outputs for inputs, computed at once."""
    return tidy(lambda: _outputs("predict_on_batch", model, x, None))


def _outputs(where: str, model: TrainableModel, x: Any, size: int | None) -> Any:
    if as_dataset(x) is not None:
        raise argument_error(where, "x", "arrays or tensors; for a data set, predict each batch", x, TypeError)
    inputs = inputs_of(where, model, x)
    count = inputs[0].spec.shape[0]
    own = model.inputs[0].shape[0]
    if own is not None and model.stateful:
        if count % own or (size is None and count != own):
            expected = f"of a number of samples divisible by {own}, since the model is stateful"
            raise argument_error(where, "x", expected, inputs[0])
        size = own
    if any(t.shape[0] != count for t in inputs):
        raise argument_error(where, "x", "inputs with the same number of samples", [list(t.shape) for t in inputs])
    data = Batch(inputs, [], [])
    spans = batch_spans(count, size or max(count, 1)) or [(0, 0)]
    if len(spans) == 1:
        return one_or_list(predict_step(model, inputs))

    def outputs_of(start: int, end: int) -> list[Tensor]:
        return tidy(lambda: predict_step(model, data.rows(start, end).inputs))

    parts = [outputs_of(start, end) for start, end in spans]
    return one_or_list([concat(list(of_output)) for of_output in zip(*parts, strict=True)])


def execute(model: TrainableModel, inputs: Any, outputs: str | Sequence[str]) -> Any:
    """The values of symbolic tensors within a model."""
    names: list[Any] = [outputs] if isinstance(outputs, str) else as_list("execute", "outputs", outputs, "names")
    if not names:
        raise argument_error("execute", "outputs", "at least one name", outputs)
    inner = model.graph.by_name()
    for name in names:
        if name not in inner:
            raise unknown_name_error("symbolic tensor", name, inner)
    if isinstance(inputs, Mapping):
        entries = {t.name: name for t, name in zip(model.inputs, model.input_names, strict=True)}
        inputs = {entries.get(key, key): value for key, value in inputs.items()}
    part = LayerGraph(model.inputs, [inner[name] for name in names], model.mask_rules)
    found = tidy(lambda: part.run(inputs_of("execute", model, inputs, "inputs"))[0])
    return found[0] if isinstance(outputs, str) else found
