"""One linear regression written in both generations of the API: the same numbers, to the last bit.

It is the first example of the introduction to deeplearn.js: a line through three points, found by gradient descent.
"""

from __future__ import annotations

from typing import Any

import tfpy as tf
from tfpy import legacy as dl

_XS, _YS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]], [1.5, 2.5, 4.0]
_RATE = 0.002


def _start() -> list[float]:
    """The weights that both begin with."""
    return [float(w) for w in tf.random_normal([3], 0, 0.1, "float32", 7).data_sync()]


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
            {"tensor": x, "data": _InTurn([dl.Array1D.new(v) for v in _XS])},
            {"tensor": label, "data": _InTurn([dl.Scalar.new(v) for v in _YS])},
        ]
        for _ in range(steps):
            session.train(cost, feeds, len(_XS), dl.SGDOptimizer(_RATE), dl.CostReduction.NONE)
        return session.eval(weights).getValues()
