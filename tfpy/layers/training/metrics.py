"""The metrics of models, by the names that `compile` accepts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfpy.core.calling.registry import OPS
from tfpy.core.naming.names import camel, in_both_spellings
from tfpy.core.ops import metrics as m
from tfpy.core.tensor import Tensor
from tfpy.engine.arguments import as_function_of
from tfpy.layers.training import losses
from tfpy.layers.training.losses import Loss

Metric = Callable[[Tensor, Tensor], Tensor]


# The names in TF.js, the short ones of Keras, and those of all losses.
BY_NAME: dict[str, Metric] = {
    **in_both_spellings(
        {
            "binary_accuracy": m.binary_accuracy,
            "categorical_accuracy": m.categorical_accuracy,
            "sparse_categorical_accuracy": m.sparse_categorical_accuracy,
            "precision": m.precision,
            "recall": m.recall,
        }
    ),
    "MSE": m.mean_squared_error,
    "MAE": m.mean_absolute_error,
    "MAPE": m.mean_absolute_percentage_error,
    **losses.BY_NAME,
}

ACCURACY = ("accuracy", "acc")
CROSSENTROPY = ("crossentropy", "ce")
# The names that mean the metric that fits the output and its loss.
_FITTING = (*ACCURACY, *CROSSENTROPY)


def is_meant(name: str) -> bool:
    """Whether `compile` accepts a metric name: its own, or one such as 'accuracy', which depends on the output."""
    return name in BY_NAME or name in _FITTING


def get_metric(identifier: Any) -> Metric:
    """The metric for a name, or a function itself."""
    if isinstance(identifier, str):
        if identifier not in BY_NAME:
            rarely = {f.__name__ for f in losses.OF_SCORES}
            full_names = {ACCURACY[0], CROSSENTROPY[0], *(f.__name__ for f in BY_NAME.values())} - rarely
            raise losses.unknown("metric", identifier, [*BY_NAME, *_FITTING], full_names)
        return BY_NAME[identifier]
    function = as_function_of("compile", "metrics", identifier, 2, "names or functions of (y_true, y_pred)")
    return losses.unaliased(function)


def _metric_name(identifier: Any) -> str:
    """The name of a metric in logs: a string itself, a function's name, or TF.js's name for those of `tf.metrics`."""
    if isinstance(identifier, str):
        return identifier
    name = getattr(identifier, "__name__", "")
    if any(identifier is info.function for info in OPS.values() if info.namespace == "metrics"):
        return camel(name, "metrics")
    return "" if name == "<lambda>" else name


def metric_for_output(identifier: Any, shape: tuple[int | None, ...], loss: Loss | None) -> tuple[str, Metric]:
    """Name and function of a metric; 'accuracy' and 'crossentropy' mean the one that fits the output and its loss."""
    if not isinstance(identifier, str) or identifier not in _FITTING:
        return _metric_name(identifier), get_metric(identifier)
    accuracy: Metric
    entropy: Metric
    if shape[-1] == 1 or loss in losses.BINARY:
        accuracy, entropy = m.binary_accuracy, m.binary_crossentropy
    elif loss in losses.SPARSE:
        accuracy, entropy = m.sparse_categorical_accuracy, losses.sparse_categorical_crossentropy
    else:
        accuracy, entropy = m.categorical_accuracy, m.categorical_crossentropy
    return ("acc", accuracy) if identifier in ACCURACY else ("ce", entropy)
