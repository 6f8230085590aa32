"""What old scripts get wrong is named, with the way of the new API where that helps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy import legacy as dl

V = dl.Array1D.new


class Model:
    """x · w, summed, with a provider of x."""

    def __init__(self, math: dl.NDArrayMath) -> None:
        self.math = math
        self.graph = dl.Graph()
        self.x = self.graph.placeholder("x", [2])
        self.w = self.graph.variable("w", V([1, 2]))
        self.y = self.graph.multiply(self.x, self.w)
        self.cost = self.graph.reduce_sum(self.y)
        self.session = dl.Session(self.graph, math)
        self.provider = dl.InCPUMemoryShuffledInputProviderBuilder([[V([1, 2])]]).get_input_provider(0)

    def feeds(self, data: Any) -> list[dict[str, Any]]:
        return [{"tensor": self.x, "data": data}]


def disposed() -> dl.NDArray:
    a = V([1, 2])
    a.dispose()
    return a


MISTAKES: dict[str, tuple[Callable[[Model], Any], type[Exception], str]] = {
    "a symbolic tensor given to math": (lambda m: m.math.add(m.x, V([1, 2])), TypeError, "session.eval"),
    "a symbolic tensor given to tf": (lambda m: tf.square(m.x), TypeError, "session.eval"),
    "a symbolic tensor given to numpy": (lambda m: np.add(m.x, 1), TypeError, "session.eval"),
    "a symbolic tensor given to an array": (lambda m: V([m.x, m.x]), TypeError, "session.eval"),
    "an array given to a graph": (lambda m: m.graph.add(m.x, V([1, 2])), TypeError, "graph.constant"),
    "values without a shape": (lambda m: dl.Array2D.new([[1, 2], [3, 4]]), ValueError, "tf.tensor2d"),
    "a missing placeholder": (lambda m: m.session.eval(m.y), ValueError, "'x' of shape .2. has no entry"),
    "a feed of another shape": (lambda m: m.session.eval(m.y, m.feeds(V([1]))), ValueError, r"shape \[2\] for 'x'"),
    "a disposed feed": (lambda m: m.session.eval(m.y, m.feeds(disposed())), RuntimeError, "is disposed"),
    "an array to train with": (
        lambda m: m.session.train(m.cost, m.feeds(V([1, 2])), 1, dl.SGDOptimizer(1)),
        TypeError,
        "optimizer.minimize",
    ),
    "an optimizer of the new API": (
        lambda m: m.session.train(m.cost, m.feeds(m.provider), 1, tf.train.sgd(1)),
        TypeError,
        "minimize",
    ),
    "a graph of another session": (
        lambda m: m.session.eval(dl.Graph().placeholder("z", [])),
        ValueError,
        "belongs to another",
    ),
    "lists of different lengths": (
        lambda m: dl.InCPUMemoryShuffledInputProviderBuilder([[V([1])], [V([1]), V([2])]]),
        ValueError,
        r"lists of \[1, 2\] examples",
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(math: dl.NDArrayMathCPU, mistake: str) -> None:
    call, error, message = MISTAKES[mistake]
    model = Model(math)
    with pytest.raises(error, match=message):
        call(model)
