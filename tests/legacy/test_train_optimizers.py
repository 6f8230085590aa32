"""Sessions with the optimizers of `dl.train`: in deeplearn.js 0.5 they are of the same classes as the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from legacy.providers import feeds
from tolerance import ROUNDING

import tfpy as tf
from tfpy import legacy as dl

X = [[1, 2], [3, -1], [0.5, 0.25], [2, 2]]
Y = [1, 2, 3, 4]
# Variables after five batches of two, from deeplearn.js 0.5.1.
RECORDED: list[tuple[Callable[[], Any], Callable[[], Any], tuple[float, float]]] = [
    (lambda: dl.train.sgd(0.1), lambda: dl.SGDOptimizer(0.1), (0.921412, 0.365268)),
    (lambda: dl.train.momentum(0.1, 0.9), lambda: dl.MomentumOptimizer(0.1, 0.9), (1.46640, 1.17369)),
    (
        lambda: dl.train.momentum(0.1, 0.9, True),
        lambda: dl.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
        (0.942285, 0.935524),
    ),
    (lambda: dl.train.adagrad(0.1), lambda: dl.AdagradOptimizer(0.1), (0.640117, -0.103360)),
    (lambda: dl.train.rmsprop(0.1), lambda: dl.RMSPropOptimizer(0.1), (0.860387, 0.177738)),
    (lambda: dl.train.adadelta(0.1), lambda: dl.AdadeltaOptimizer(0.1), (0.921412, 0.365268)),
    (lambda: dl.train.adam(0.1), lambda: dl.AdamOptimizer(0.1), (0.708339, -0.0342978)),
    (lambda: dl.train.adamax(0.1), lambda: dl.AdamaxOptimizer(0.1), (0.656472, -0.0884650)),
]


def regression(math: dl.NDArrayMathCPU) -> tuple[Callable[[Any], Any], Callable[[], list[float]]]:
    """A function that trains on a batch, and one that returns the variables."""
    graph = dl.Graph()
    x, y = graph.placeholder("x", [2]), graph.placeholder("y", [])
    w = graph.variable("w", dl.Array1D.new([0.5, -0.25]))
    cost = graph.meanSquaredCost(y, graph.reduceSum(graph.multiply(w, x)))
    session, entries = dl.Session(graph, math), feeds((x, X), (y, Y))
    return (
        lambda optimizer: session.train(cost, entries, 2, optimizer),
        lambda: session.eval(w).getValues().tolist(),
    )


@pytest.mark.parametrize(("of_train", "of_graphs", "recorded"), RECORDED)
def test_same_steps_as_the_classes(
    of_train: Any, of_graphs: Any, recorded: tuple[float, float], math: dl.NDArrayMathCPU
) -> None:
    for numerics in ("tfjs", "deeplearn.js"):
        found = []
        with dl.numerics(numerics):
            for make in (of_train, of_graphs):
                train, variables = regression(math)
                optimizer = make()
                for _ in range(5):
                    train(optimizer)
                found.append(variables())
        np.testing.assert_allclose(*found, rtol=5e-6, atol=ROUNDING)
    np.testing.assert_allclose(found[0], recorded, rtol=1e-4)


def test_changed_settings_and_clipping_take_effect(math: dl.NDArrayMathCPU) -> None:
    train, variables = regression(math)
    optimizer = tf.train.sgd(0.1, clip_value=0.5)
    train(optimizer)
    first = variables()
    np.testing.assert_allclose(np.abs(np.subtract(first, [0.5, -0.25])), 0.05, rtol=1e-5)
    optimizer.set_learning_rate(0.0)
    train(optimizer)
    assert variables() == first
    assert optimizer.iterations == 2


def test_optimizer_unknown_to_deeplearnjs_raises(math: dl.NDArrayMathCPU) -> None:
    train, _ = regression(math)
    with pytest.raises(TypeError, match=r"train: argument 'optimizer' must be .* \(SGD, .*Adamax\), but got Nadam"):
        train(dl.train.nadam(0.1))
