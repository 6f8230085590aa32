"""A linear regression, written with both generations of the API: the same numbers, to the last bit.

It is the first example of the introduction to deeplearn.js: a line through three points, found by gradient descent.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import tfpy as tf
from tfpy import legacy as dl

_XS, _YS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], [1.5, 2.5, 4.0]
_RATE = 0.002


def _start() -> list[float]:
    """The initial weights of both versions."""
    return [float(w) for w in tf.random_normal([3], 0, 0.1, "float32", 7).data_sync()]


class _CyclingProvider:
    """An input provider that cycles through its arrays."""

    def __init__(self, arrays: list[dl.NDArray]) -> None:
        self._arrays = arrays
        self._count = 0

    def get_next_copy(self, math: dl.NDArrayMath) -> dl.NDArray:
        array = self._arrays[self._count % len(self._arrays)]
        self._count += 1
        return math.clone(array)

    def dispose_copy(self, math: dl.NDArrayMath, copy: dl.NDArray) -> None:
        copy.dispose()


def _with_the_old_api(steps: int) -> Any:
    """deeplearn.js: a graph with placeholders, and a session that trains it from input providers."""
    graph = dl.Graph()
    x = graph.placeholder("x", [3])
    label = graph.placeholder("label", [])
    weights = graph.variable("weights", dl.Array1D.new(_start()))
    prediction = graph.reduceSum(graph.multiply(x, weights))
    cost = graph.meanSquaredCost(label, prediction)
    math = dl.NDArrayMathCPU()
    session = dl.Session(graph, math)
    with math.scope():
        feeds = [
            {"tensor": x, "data": _CyclingProvider([dl.Array1D.new(v) for v in _XS])},
            {"tensor": label, "data": _CyclingProvider([dl.Scalar.new(v) for v in _YS])},
        ]
        for _ in range(steps):
            session.train(cost, feeds, len(_XS), dl.SGDOptimizer(_RATE), dl.CostReduction.NONE)
        return session.eval(weights).getValues()


def _with_the_new_api(steps: int) -> Any:
    """TF.js: tensors, a function that computes the loss, and an optimizer that minimizes it."""
    xs, ys = tf.tensor2d(_XS), tf.tensor1d(_YS)
    weights = tf.variable(tf.tensor1d(_start()))
    optimizer = tf.train.sgd(_RATE)

    def loss() -> tf.Tensor:
        prediction = xs.mul(weights).sum(1)
        return tf.squared_difference(ys, prediction).mul(0.5).mean()

    for _ in range(steps):
        optimizer.minimize(loss)
    found = weights.numpy().copy()
    weights.dispose()
    return found


def fit_a_line(steps: int) -> float:
    """Train the model with both APIs, and print the results.

    Returns:
        The largest error of the predictions by the old API.
    """
    old, new = _with_the_old_api(steps), _with_the_new_api(steps)
    predictions = np.array(_XS) @ old
    print(f"deeplearn.js  weights {[float(w) for w in old]}")
    print(f"TF.js         weights {[float(w) for w in new]}")
    print(f"The same to the last bit: {old.tobytes() == new.tobytes()}")
    for x, y, prediction in zip(_XS, _YS, predictions, strict=True):
        print(f"  {x} should give {y}, and gives {prediction:.3f}")
    return float(np.abs(predictions - _YS).max())
