"""Op cases of the metrics."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from ops.table import Case, case, complexes, distinct, floats, ints, positive, raises

Array = np.ndarray
Metric = Callable[[Array, Array], Array]

LABELS = np.array([[0.0, 1, 0], [1, 0, 0]])
LABELS_7, PREDICTIONS_7 = np.array([1.0, 1, 1, 1, 1, 0, 0]), np.array([1.0, 1, 1, 0, 0, 1, 0])
LABELS_5, PREDICTIONS_5 = np.array([1.0, 1, 0, 0, 1]), np.array([1.0, 0, 1, 0, 0.5])


def _unit(x: Array) -> Array:
    return x / np.sqrt(np.maximum((x * x).sum(-1, keepdims=True), 1e-7))


def _entropy(t: Array, p: Array) -> Array:
    return -(t * np.log(p) + (1 - t) * np.log(1 - p)).mean(-1)


def _categorical(t: Array, p: Array) -> Array:
    return -(t * np.log(p / p.sum(-1, keepdims=True))).sum(-1)


def _differentiable(reference: Metric) -> list[Case]:
    return [
        case(distinct(2, 3), distinct(2, 3, low=-1.9, high=2.2), reference=reference),
        raises(ValueError, floats(), floats()),
        raises(TypeError, complexes(2), floats(2)),
    ]


METRICS: dict[str, list[Case]] = {
    "metrics.binary_accuracy": [
        case(np.array([[1.0, 0, 1, 0]]), np.array([[0.9, 0.5, 0.2, 0.7]]), reference=lambda t, p: np.array([0.5]), order=0),
        case(ints(2, 2, low=0, high=1), positive(2, 2, low=0, high=1), reference=lambda t, p: (t == (p > 0.5)).mean(-1), order=0),
        raises(TypeError, "a", floats(1)),
    ],
    "metrics.categorical_accuracy": [case(LABELS, floats(2, 3), reference=lambda t, p: (t.argmax(-1) == p.argmax(-1)).astype(float), order=0)],
    "metrics.sparse_categorical_accuracy": [
        case(np.array([[1.0], [0]]), floats(2, 3), reference=lambda t, p: (t[:, 0] == p.argmax(-1)).astype(float), order=0),
        case(ints(2, low=0, high=2), floats(2, 3), reference=lambda t, p: (t == p.argmax(-1)).astype(float), order=0),
    ],
    "metrics.precision": [case(LABELS_7, PREDICTIONS_7, reference=lambda t, p: 3 / 4, order=0), case(LABELS_5, PREDICTIONS_5, reference=lambda t, p: 0.5, order=0), case(LABELS_5, 0 * LABELS_5, reference=lambda t, p: 0.0, order=0)],
    "metrics.recall": [case(LABELS_7, PREDICTIONS_7, reference=lambda t, p: 3 / 5, order=0), case(LABELS_5, PREDICTIONS_5, reference=lambda t, p: 0.5, order=0), case(0 * LABELS_5, PREDICTIONS_5, reference=lambda t, p: 0.0, order=0)],
    "metrics.binary_crossentropy": [
        case(positive(2, 3, low=0.1, high=0.9), positive(2, 3, low=0.1, high=0.9), reference=_entropy),
        raises(ValueError, floats(2, 3), floats(2, 1)),
    ],
    "metrics.categorical_crossentropy": [case(LABELS, positive(2, 3), reference=_categorical), case(ints(2, 3, low=0, high=1), positive(2, 3), reference=_categorical)],
    "metrics.cosine_proximity": _differentiable(lambda t, p: -(_unit(t) * _unit(p)).sum(-1)),
    "metrics.mean_absolute_error": _differentiable(lambda t, p: np.abs(p - t).mean(-1)),
    "metrics.mean_absolute_percentage_error": [
        *_differentiable(lambda t, p: 100 * np.abs((t - p) / t).mean(-1)),
        *(case(truth, np.array([[0.5, 1.0]]), reference=lambda t, p: np.array([np.inf]), order=0) for truth in (np.array([[0, 2]], np.int32), np.array([[False, True]]))),
    ],
    "metrics.mean_squared_error": _differentiable(lambda t, p: ((p - t) ** 2).mean(-1)),
    **dict.fromkeys(("metrics.mape", "metrics.MAPE"), _differentiable(lambda t, p: 100 * np.abs((t - p) / t).mean(-1))),
    **dict.fromkeys(("metrics.mse", "metrics.MSE"), _differentiable(lambda t, p: ((p - t) ** 2).mean(-1))),
    "metrics.r2_score": _differentiable(lambda t, p: 1 - ((t - p) ** 2).sum() / ((t - t.mean()) ** 2).sum()),
}  # fmt: skip
