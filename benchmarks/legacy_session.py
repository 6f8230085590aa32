"""session.train on batches, example by example, and in the new API: python benchmarks/legacy_session.py

An MLP (784-128-10) and a small convolutional network, with SGD, in batches of 1, 32 and 256. The new API computes the
same step with `optimizer.minimize`. At the end, the cost of writing into an NDArray element by element.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from timing import medians, table

import tfpy as tf
from tfpy import legacy as dl

RNG = np.random.default_rng(0)
RATE = 0.01


def _array(*shape: int) -> dl.NDArray:
    return dl.NDArray.make(shape, {"values": RNG.normal(size=shape) * 0.1})


def _labels(count: int) -> list[dl.NDArray]:
    return [dl.Array1D.new(np.eye(10)[RNG.integers(0, 10)]) for _ in range(count)]


def _contenders(build: Callable[[dl.Graph, dl.Tensor], dl.Tensor], shape: list[int], batch: int) -> dict[str, Any]:
    """A training step of a classifier with each method."""
    g = dl.Graph()
    x, y = g.placeholder("x", shape), g.placeholder("y", [10])
    cost = g.softmax_cross_entropy_cost(build(g, x), y)
    session = dl.Session(g, dl.NDArrayMathCPU())
    inputs = [[_array(*shape) for _ in range(batch)], _labels(batch)]
    providers = dl.InCPUMemoryShuffledInputProviderBuilder(inputs).get_input_providers()
    feeds = [{"tensor": t, "data": p} for t, p in zip((x, y), providers, strict=True)]
    optimizer = dl.SGDOptimizer(RATE)

    def train(batched: bool) -> Callable[[], object]:
        return lambda: session.train(cost, feeds, batch, optimizer, dl.CostReduction.MEAN, batched).get()

    return {"at once": train(True), "one by one": train(False)}


def _dense(g: dl.Graph, x: dl.Tensor, units: int) -> dl.Tensor:
    return g.add(g.matmul(x, g.variable("w", _array(x.shape[0], units))), g.variable("b", _array(units)))


def mlp(batch: int) -> dict[str, Callable[[], object]]:
    contenders = _contenders(lambda g, x: _dense(g, g.relu(_dense(g, x, 128)), 10), [784], batch)
    w1, b1, w2, b2 = (tf.variable(tf.random_normal(s, 0, 0.1)) for s in ([784, 128], [128], [128, 10], [10]))
    xs, ys = tf.random_normal([batch, 784]), tf.one_hot(tf.random_uniform_int([batch], 0, 10), 10)
    sgd = tf.train.sgd(RATE)

    def loss() -> tf.Tensor:
        hidden = tf.relu(tf.mat_mul(xs, w1).add(b1))
        return tf.losses.softmax_cross_entropy(ys, tf.mat_mul(hidden, w2).add(b2))

    def minimize() -> object:
        cost = sgd.minimize(loss, True)
        assert cost is not None
        return cost.data_sync()

    return {**contenders, "new API": minimize}


def convolutions(batch: int) -> dict[str, Callable[[], object]]:
    def build(g: dl.Graph, x: dl.Tensor) -> dl.Tensor:
        w, b = g.variable("w", _array(5, 5, 1, 8)), g.variable("b", _array(8))
        pooled = g.max_pool(g.relu(g.conv2d(x, w, b, 5, 8, 1, 2)), 2, 2, 0)
        return _dense(g, g.reshape(pooled, [14 * 14 * 8]), 10)

    return _contenders(build, [28, 28, 1], batch)


def writing() -> dict[str, Callable[[], object]]:
    a, plain = dl.NDArray.zeros([100, 100]), np.zeros((100, 100), np.float32)

    def numpy() -> None:
        for i in range(100):
            for j in range(100):
                plain[i, j] = i

    def ndarray() -> None:
        for i in range(100):
            for j in range(100):
                a.set(i, i, j)

    return {"numpy": numpy, "tfpy": ndarray}


def main() -> None:
    for title, model in (("MLP 784-128-10", mlp), ("Convolution 5 x 5 x 8 on 28 x 28", convolutions)):
        rows = [(f"batch {batch}", medians(model(batch), repeats=7)) for batch in (1, 32, 256)]
        table(title, rows, "one by one")
    table("Writing 10 000 elements", [("a[i, j] = x", medians(writing(), repeats=5))], "numpy")


if __name__ == "__main__":
    main()
