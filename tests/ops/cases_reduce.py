"""Op cases of reductions, scans, norms, softmax and losses."""

from __future__ import annotations

from typing import Any

import numpy as np
from ops.table import Case, bools, case, complexes, distinct, floats, ints, positive, raises

import tfpy as tf


def _axes(name: str, argument: Any = None, **settings: Any) -> list[Case]:
    """The cases of every reduction: all, one, several, negative and invalid axes, and keep_dims."""
    x = argument or floats(2, 3, 2)
    reference = getattr(np, name)
    return [
        case(x, reference=reference, **settings),
        case(x, 1, reference=reference, **settings),
        case(x, -1, True, reference=lambda v, a, k: reference(v, axis=a, keepdims=k), **settings),
        case(x, [0, 2], reference=lambda v, a: reference(v, axis=tuple(a)), **settings),
        case(x, options={"axis": [0], "keep_dims": True},
             reference=lambda v, axis, keep_dims: reference(v, axis=tuple(axis), keepdims=keep_dims), **settings),
        raises(ValueError, floats(2, 3), 2),
        raises(ValueError, floats(2, 3), [0, 0]),
        raises(TypeError, "text"),
    ]  # fmt: skip


def _log_sum_exp(x: np.ndarray, axis: Any = None) -> np.ndarray:
    return np.log(np.sum(np.exp(x), axis=axis))


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _loss(name: str, labels: Any, predictions: Any, **settings: Any) -> list[Case]:
    """The cases of every loss: defaults, reductions, weights, and mismatched shapes."""
    return [
        case(labels, predictions, **settings),
        case(labels, predictions, options={"reduction": tf.Reduction.SUM}, **settings),
        case(labels, predictions, positive(2, 1), options={"reduction": tf.Reduction.MEAN}, **settings),
        case(labels, predictions, positive(3), **settings),
        case(labels, predictions, options={"reduction": tf.Reduction.NONE}, **settings),
        raises(ValueError, floats(2, 3), floats(3, 2)),
    ]


_PROBABILITIES = positive(2, 3, low=0.1, high=0.9)

REDUCE: dict[str, list[Case]] = {
    "sum": [*_axes("sum"), case(ints(3, 2), 0, reference=lambda x, a: x.sum(a), order=0), case(bools(4), order=0)],
    "mean": [*_axes("mean"), case(ints(3, 2), reference=np.mean, order=0)],
    "prod": [*_axes("prod", order=1), case(ints(3, 2), 0, reference=lambda x, a: x.prod(a), order=0)],
    "max": [*_axes("max", distinct(2, 3, 2), order=1), case(ints(3), reference=np.max, order=0)],
    "min": [*_axes("min", distinct(2, 3, 2), order=1), case(ints(3), reference=np.min, order=0)],
    "all": [case(bools(3, 2), 0, reference=np.all, order=0), raises(TypeError, floats(2))],
    "any": [case(bools(3, 2), 0, reference=np.any, order=0), raises(TypeError, ints(2))],
    "arg_max": [
        case(distinct(4, 3), reference=lambda x: np.argmax(x, 0), order=0),
        case(distinct(4, 3), -1, reference=np.argmax, order=0),
        case(floats(0, 3), -1, reference=np.argmax, order=0),
        case(floats(2, 0, 4), 2, reference=np.argmax, order=0),
        raises(ValueError, floats(2), 1),
    ],
    "arg_min": [
        case(distinct(4, 3), reference=lambda x: np.argmin(x, 0), order=0),
        case(bools(5), reference=np.argmin, order=0),
        case(np.array([7, -(2**31), 2**31 - 1], np.int32), reference=np.argmin, order=0),
        raises(ValueError, floats(), 0),
    ],
    "log_sum_exp": [
        case(floats(2, 3), reference=_log_sum_exp),
        case(floats(2, 3), 1, reference=_log_sum_exp),
        case(floats(2, 3), [0, 1], True, reference=lambda x, a, k: _log_sum_exp(x).reshape(1, 1)),
        raises(ValueError, floats(2, 3), 2),
    ],
    "moments": [
        case(floats(2, 3), reference=lambda x: [x.mean(), x.var()]),
        case(floats(2, 3), 0, reference=lambda x, a: [x.mean(a), x.var(a)]),
        case(floats(2, 3), [1], True, reference=lambda x, a, k: [x.mean(1, keepdims=True), x.var(1, keepdims=True)]),
    ],
    "norm": [
        case(floats(2, 3), reference=np.linalg.norm),
        case(floats(4), 1, reference=np.linalg.norm, order=1),
        case(distinct(4, low=-1.9), np.inf, reference=np.linalg.norm, order=1),
        case(distinct(4, low=-1.9), -np.inf, reference=np.linalg.norm, order=1),
        case(floats(2, 3), "euclidean", 1, True, reference=lambda x, o, a, k: np.linalg.norm(x, axis=a, keepdims=k)),
        case(floats(2, 3), "fro", [0, 1], reference=lambda x, o, a: np.linalg.norm(x, o)),
        case(floats(2, 3), 1, [0, 1], reference=lambda x, o, a: np.linalg.norm(x, o), order=1),
        case(floats(2, 3), np.inf, [0, 1], reference=lambda x, o, a: np.linalg.norm(x, o), order=1),
        case(floats(2, 3), -np.inf, [1, 0], reference=lambda x, o, a: np.linalg.norm(x.T, o), order=1),
        case(np.array(-5, np.int32), reference=np.abs, order=0),
        case(np.array(-1.5), 2, 0, reference=lambda x, *_: np.abs(x), order=1),
        case(distinct(4, low=-1.9), 2, [], reference=lambda x, *_: np.abs(x), order=1),
        case(distinct(4, low=-1.9), -np.inf, [], True, reference=lambda x, *_: np.abs(x), order=1),
        raises(ValueError, floats(3), 3),
        raises(ValueError, floats(2, 2), 2, []),
        raises(ValueError, np.array(-1.5), 2, 0, True),
        raises(ValueError, floats(2, 2), "weird"),
        raises(ValueError, floats(2, 2, 2), "fro", [0, 1, 2]),
    ],
    "euclidean_norm": [
        case(floats(2, 3), reference=np.linalg.norm),
        case(floats(2, 3), [1], reference=lambda x, a: np.linalg.norm(x, axis=1)),
    ],
    "cumsum": [
        case(floats(3, 2), reference=lambda x: np.cumsum(x, 0)),
        case(floats(3, 4), 1, reference=np.cumsum),
        case(floats(3, 4), 1, True, True, reference=lambda x, *_: np.cumsum(x[:, ::-1], 1)[:, ::-1] - x),
        case(ints(5), reference=np.cumsum, order=0),
        raises(ValueError, floats(3), 1),
    ],
    "cumprod": [
        case(floats(3, 2), reference=lambda x: np.cumprod(x, 0), order=0),
        case(floats(5), options={"reverse": True}, reference=lambda x, reverse: np.cumprod(x[::-1])[::-1], order=0),
        raises(ValueError, floats(3), 1),
    ],
    "topk": [
        case(distinct(3, 5), 2, order=1),
        case(distinct(6), 3, reference=lambda x, k: [np.sort(x)[::-1][:k], np.argsort(-x)[:k]], order=1),
        case(ints(6), 4, order=0),
        case(
            np.array([np.nan, 1.0, 2.0]),
            3,
            reference=lambda x, k: [np.array([2, 1, np.nan]), np.array([2, 1, 0])],
            order=0,
        ),
        raises(ValueError, floats(3), 4),
        raises(ValueError, floats(), 1),
    ],
    "softmax": [
        case(floats(2, 4), reference=_softmax),
        case(floats(0, 4), reference=None, order=0),
        raises(ValueError, floats(2, 4), 0),
        raises(TypeError, ints(3)),
    ],
    "log_softmax": [
        case(floats(2, 4), reference=lambda x: np.log(_softmax(x))),
        raises(ValueError, floats(2, 4), 0),
        raises(ValueError, floats()),
    ],
    "losses.absolute_difference": _loss("absolute_difference", distinct(2, 3), distinct(2, 3, low=-1.9, high=2.1)),
    "losses.mean_squared_error": _loss("mean_squared_error", floats(2, 3), floats(2, 3)),
    "losses.hinge_loss": _loss("hinge_loss", _PROBABILITIES, distinct(2, 3)),
    "losses.huber_loss": [
        *_loss("huber_loss", distinct(2, 3), distinct(2, 3, low=-0.7, high=0.9), order=1),
        case(floats(2, 3), floats(2, 3), options={"delta": 0.3}, order=1),
    ],
    "losses.log_loss": [
        *_loss("log_loss", _PROBABILITIES, _PROBABILITIES),
        case(_PROBABILITIES, _PROBABILITIES, options={"epsilon": 1e-3}),
    ],
    "losses.sigmoid_cross_entropy": [
        *_loss("sigmoid_cross_entropy", _PROBABILITIES, distinct(2, 3)),
        case(_PROBABILITIES, distinct(2, 3), options={"label_smoothing": 0.2}),
    ],
    "losses.softmax_cross_entropy": [
        case(_PROBABILITIES, floats(2, 3)),
        case(_PROBABILITIES, floats(2, 3), positive(2), options={"label_smoothing": 0.1}),
        case(_PROBABILITIES, floats(2, 3), options={"reduction": tf.Reduction.NONE}),
        raises(ValueError, floats(2, 3), floats(3, 2)),
        raises(ValueError, floats(), floats()),
    ],
    "losses.cosine_distance": [
        case(floats(2, 3), floats(2, 3), 1),
        case(floats(2, 3), floats(2, 3), 0, positive(1, 3)),
        raises(ValueError, floats(2, 3), floats(3, 2), 0),
    ],
    "losses.compute_weighted_loss": [
        case(floats(2, 3)),
        case(floats(2, 3), positive(2, 1), tf.Reduction.MEAN),
        case(floats(2, 3), positive(3), tf.Reduction.SUM_BY_NONZERO_WEIGHTS),
        case(floats(0), floats(0), tf.Reduction.MEAN, reference=lambda x, w, r: np.nan, order=0),
        raises(ValueError, floats(2), None, 7),
    ],
    "multinomial": [
        case(floats(4), 6, 42, order=0),
        case(floats(2, 3), 5, 7, order=0),
        raises(ValueError, floats(1), 3),
        raises(ValueError, floats(2, 2, 2), 3),
        raises(TypeError, complexes(3), 2),
    ],
    "dropout": [
        case(floats(3, 4), 0.4, None, 5),
        case(floats(3, 4), 0.25, [None, 1], 5),
        case(floats(3), 0),
        raises(ValueError, floats(2), 1.0),
        raises(TypeError, ints(2), 0.5),
    ],
}
