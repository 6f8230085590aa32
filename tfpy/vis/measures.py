"""The quality of predictions: `tf.vis.metrics`. Classes are integers from 0."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy.core.calling.ready import ReadyFloat, ReadyList
from tfpy.core.calling.registry import export
from tfpy.core.convert import TensorLike, to_tensor
from tfpy.core.ops.common import tensor_of_rank
from tfpy.core.results import Record
from tfpy.engine.arguments import as_int
from tfpy.engine.errors import argument_error

# The maximum number of classes: a confusion matrix has its square in cells.
_MAX_CLASSES = 10_000


class ClassAccuracy(Record):
    """How often a class was recognized, and how many samples it has."""

    accuracy: float
    count: int


@export(namespace="vis.metrics", doc="Visualization / Metrics")
def accuracy(labels: TensorLike, predictions: TensorLike) -> ReadyFloat:
    """The fraction of correct predictions; awaitable.

    Args:
        labels: of any shape.
        predictions: of the same shape.

    Returns:
        A fraction; NaN without predictions.

    Raises:
        ValueError: the shapes differ.

    Source: tfjs-vis `metrics.accuracy`.
    """
    truth = to_tensor("accuracy", "labels", labels)
    guess = to_tensor("accuracy", "predictions", predictions)
    if truth.shape != guess.shape:
        raise argument_error("accuracy", "predictions", f"of the labels' shape {list(truth.shape)}", guess)
    if not truth.size:
        return ReadyFloat(float("nan"))
    return ReadyFloat(float(np.mean(truth.data_sync() == guess.data_sync(), dtype=np.float32)))


@export(namespace="vis.metrics", doc="Visualization / Metrics")
def per_class_accuracy(
    labels: TensorLike, predictions: TensorLike, num_classes: int | None = None
) -> ReadyList[ClassAccuracy]:
    """The accuracy for each class; awaitable.

    Args:
        labels: the classes, of rank 1.
        predictions: the predicted classes, of the same length.
        num_classes: the number of classes; by default as many as occur.

    Returns:
        'accuracy' and 'count' of each class; 0 for a class without samples.

    Raises:
        ValueError, TypeError: not classes, or unequal numbers of predictions and labels.

    Source: tfjs-vis `metrics.perClassAccuracy`.
    """
    truth, guess, count = _classes("per_class_accuracy", labels, predictions, num_classes)
    samples = np.bincount(truth, minlength=count).tolist()
    right = np.bincount(truth[truth == guess], minlength=count).tolist()
    return ReadyList([ClassAccuracy(r / n if n else 0.0, n) for r, n in zip(right, samples, strict=True)])


@export(namespace="vis.metrics", doc="Visualization / Metrics")
def confusion_matrix(
    labels: TensorLike, predictions: TensorLike, num_classes: int | None = None, weights: TensorLike | None = None
) -> ReadyList[list[float]]:
    """The confusion matrix: how often each class was predicted for each class; awaitable.

    Args:
        labels: the classes, of rank 1.
        predictions: the predicted classes, of the same length.
        num_classes: the number of classes; by default as many as occur.
        weights: how much each sample counts.

    Returns:
        A list for each class, with the number of its samples predicted as each class.

    Raises:
        ValueError, TypeError: not classes, or unequal numbers of labels, predictions or weights.

    Source: tfjs-vis `metrics.confusionMatrix`.
    """
    where = "confusion_matrix"
    truth, guess, count = _classes(where, labels, predictions, num_classes)
    found: npt.NDArray[Any] = np.zeros((count, count), dtype=np.int64 if weights is None else np.float64)
    part: Any = 1
    if weights is not None:
        tensor = to_tensor(where, "weights", weights)
        if tensor.size != truth.size:
            raise argument_error(where, "weights", f"{truth.size} numbers, one for each prediction", tensor)
        part = np.asarray(tensor.data_sync(), dtype=np.float64).reshape(-1)
    np.add.at(found, (truth, guess), part)
    return ReadyList(found.tolist())


def _classes(where: str, labels: Any, predictions: Any, num_classes: Any) -> tuple[npt.NDArray[np.int64], ...]:
    truth, guess = _whole(where, "labels", labels), _whole(where, "predictions", predictions)
    if truth.size != guess.size:
        raise argument_error(where, "predictions", f"{truth.size} numbers, as many as labels", f"{guess.size} numbers")
    needed = int(max(truth.max(initial=-1), guess.max(initial=-1))) + 1
    count = needed if num_classes is None else as_int(where, "num_classes", num_classes)
    if not needed <= count <= _MAX_CLASSES:
        raise argument_error(where, "num_classes", f"at least {needed} and at most {_MAX_CLASSES}", count)
    return truth, guess, count  # type: ignore[return-value]


def _whole(where: str, argument: str, value: Any) -> npt.NDArray[np.int64]:
    found = tensor_of_rank(where, argument, value, 1).data_sync()
    if not np.isfinite(found).all() or (np.asarray(found) < 0).any():
        raise argument_error(where, argument, "classes, counted from 0", value)
    return np.asarray(found).astype(np.int64)
