"""The metrics of models, by the names that `compile` takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.layers import losses
from tfpy.layers.losses import Loss

Metric = Callable[[Tensor, Tensor], Tensor]


def binary_accuracy(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """How many predictions are on the side of ½ that the label is on."""
    return y_true.equal(y_pred.greater(0.5).cast("float32")).cast("float32").mean(-1)


def categorical_accuracy(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """Whether the largest score is that of the label, 1 or 0 for each sample."""
    return y_true.arg_max(-1).equal(y_pred.arg_max(-1)).cast("float32")


def sparse_categorical_accuracy(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """The same for labels that are class indices."""
    labels = y_true.squeeze([y_true.rank - 1]) if y_true.rank == y_pred.rank else y_true
    return labels.equal(y_pred.arg_max(-1).cast(labels.dtype)).cast("float32")


def precision(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """Of those predicted to be 1, the part that is."""
    true_positives = _count(y_true.equal(1).logical_and(y_pred.equal(1)))
    return _ratio(true_positives, true_positives.add(_count(y_true.equal(0).logical_and(y_pred.equal(1)))))


def recall(y_true: Tensor, y_pred: Tensor) -> Tensor:
    """Of those that are 1, the part predicted to be."""
    true_positives = _count(y_true.equal(1).logical_and(y_pred.equal(1)))
    return _ratio(true_positives, true_positives.add(_count(y_true.equal(1).logical_and(y_pred.equal(0)))))


def _count(found: Tensor) -> Tensor:
    return found.sum().cast("float32")


def _ratio(part: Tensor, whole: Tensor) -> Tensor:
    return part.div_no_nan(whole).cast("float32")


# The names that TF.js knows, the short ones of Keras, and those of every loss.
_BY_NAME: dict[str, Metric] = {
    "binaryAccuracy": binary_accuracy,
    "binary_accuracy": binary_accuracy,
    "categoricalAccuracy": categorical_accuracy,
    "categorical_accuracy": categorical_accuracy,
    "sparseCategoricalAccuracy": sparse_categorical_accuracy,
    "sparse_categorical_accuracy": sparse_categorical_accuracy,
    "precision": precision,
    "recall": recall,
    "MSE": losses.mean_squared_error,
    "MAE": losses.mean_absolute_error,
    "MAPE": losses.mean_absolute_percentage_error,
    **losses._BY_NAME,
}

ACCURACY = ("accuracy", "acc")
CROSSENTROPY = ("crossentropy", "ce")


def get_metric(identifier: Any) -> Metric:
    """The metric of a name, or a function itself."""
    if isinstance(identifier, str):
        if identifier not in _BY_NAME:
            raise unknown_name_error("metric", identifier, [*_BY_NAME, *ACCURACY, *CROSSENTROPY])
        return _BY_NAME[identifier]
    if not callable(identifier):
        raise argument_error("compile", "metrics", "names or functions of (y_true, y_pred)", identifier, TypeError)
    function: Metric = identifier
    return function


def metric_name(identifier: Any) -> str:
    """The name that a metric has in logs."""
    if isinstance(identifier, str):
        return identifier
    name = getattr(identifier, "__name__", "")
    return "" if name == "<lambda>" else name


def metric_for_output(identifier: Any, shape: tuple[int | None, ...], loss: Loss | None) -> tuple[str, Metric]:
    """Name and function of a metric; 'accuracy' and 'crossentropy' stand for what fits the output and its loss."""
    if identifier not in (*ACCURACY, *CROSSENTROPY):
        return metric_name(identifier), get_metric(identifier)
    if shape[-1] == 1 or loss is losses.binary_crossentropy:
        accuracy, entropy = binary_accuracy, losses.binary_crossentropy
    elif loss is losses.sparse_categorical_crossentropy:
        accuracy, entropy = sparse_categorical_accuracy, losses.sparse_categorical_crossentropy
    else:
        accuracy, entropy = categorical_accuracy, losses.categorical_crossentropy
    return ("acc", accuracy) if identifier in ACCURACY else ("ce", entropy)
