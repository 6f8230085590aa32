"""Random models, used in random order, give the same bits from plans as step by step.

What a plan takes for granted may change between two of its runs: weights, optimizers, trainability, shapes, arrays that
are written to, models that share layers.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
from layers.test_random_models import OPTIMIZERS, network

import tfpy as tf
from tfpy.core import plans
from tfpy.layers.symbolic import to_list

Array = np.ndarray
LOSSES = ["meanSquaredError", "meanAbsoluteError", "hinge", "categoricalCrossentropy", "cosineProximity"]
SIZES = [3, 4, 4, 4, 4]


class World:
    """A few models that share layers, what they are given, and what came out so far."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        tf.set_seed(seed)
        rng = np.random.default_rng(seed)
        first = network(seed)
        x = tf.input(shape=list(first.inputs[0].shape[1:]))
        above = tf.layers.dense(units=2).apply(tf.layers.dropout(rate=0.2, seed=3).apply(to_list(first.apply(x))[0]))
        self.models = [
            first,
            tf.model(inputs=first.inputs[0], outputs=first.outputs[0]),
            tf.model(inputs=x, outputs=above),
        ]
        for model in self.models:
            model.set_weights([rng.uniform(0.1, 0.6, w.shape).astype(np.float32) for w in model.get_weights()])
            self.compile(model)
        self.xs = {n: rng.normal(size=(n, *x.shape[1:])).astype(np.float32) for n in SIZES}
        self.y = {n: rng.uniform(0.1, 0.9, size=(n, 2)).astype(np.float32) for n in SIZES}
        self.found: list[Array] = []
        self.held: list[tuple[tf.Tensor, Array]] = []

    def compile(self, model: tf.LayersModel) -> None:
        model.compile(optimizer=self.random.choice(OPTIMIZERS)(), loss=self.random.choice(LOSSES), metrics=["mae"])

    def ys(self, model: tf.LayersModel, n: int) -> Array | list[Array]:
        return [self.y[n]] * len(model.outputs) if len(model.outputs) > 1 else self.y[n]

    def train(self, model: tf.LayersModel, n: int) -> None:
        self.found += [np.array(number) for number in to_list(model.train_on_batch(self.xs[n], self.ys(model, n)))]

    def fit(self, model: tf.LayersModel, n: int) -> None:
        size, epochs = self.random.choice([2, 4]), self.random.choice([1, 3])
        history = model.fit(self.xs[n], self.ys(model, n), batch_size=size, epochs=epochs, shuffle=False, verbose=0)
        self.found += [np.array(values) for values in history.history.values()]

    def predict(self, model: tf.LayersModel, n: int) -> None:
        for y in to_list(model.predict(self.xs[n], batch_size=self.random.choice([2, 4]))):
            self.held.append((y, y.numpy().copy()))
        self.found += [values for _, values in self.held[-len(model.outputs) :]]

    def evaluate(self, model: tf.LayersModel, n: int) -> None:
        self.found += [number.numpy() for number in to_list(model.evaluate(self.xs[n], self.ys(model, n)))]

    def set_weights(self, model: tf.LayersModel, n: int) -> None:
        model.set_weights([w.numpy() * np.float32(0.9) for w in model.get_weights()])

    def freeze(self, model: tf.LayersModel, n: int) -> None:
        layer = self.random.choice(
            [layer for layer in model.layers if layer.get_class_name() not in ("Dense", "Model")]
        )
        layer.trainable = not layer.trainable  # what is dense stays: every output comes from one

    def tune(self, model: tf.LayersModel, n: int) -> None:
        options = [
            (layer, name) for layer in model.layers for name in ("rate", "momentum", "epsilon") if hasattr(layer, name)
        ]
        for layer, name in options:
            setattr(layer, name, self.random.choice([0.1, 0.3, 0.5]))

    def compile_anew(self, model: tf.LayersModel, n: int) -> None:
        for layer in model.layers:
            layer.trainable = True
        self.compile(model)

    def slow_down(self, model: tf.LayersModel, n: int) -> None:
        model.optimizer.learning_rate = self.random.choice([0.001, 0.01])

    def write(self, model: tf.LayersModel, n: int) -> None:
        self.xs[n] *= np.float32(0.9)
        self.y[n] *= np.float32(0.95)

    def let_go(self, model: tf.LayersModel, n: int) -> None:
        for tensor, _ in self.held[::2]:
            tensor.dispose()
        self.held = self.held[1::2]

    def step(self) -> None:
        actions: list[Callable[[tf.LayersModel, int], None]] = [
            *[self.train] * 6, *[self.fit] * 2, *[self.predict] * 2, *[self.evaluate] * 2,
            self.set_weights, self.freeze, self.tune, self.compile_anew, self.slow_down, self.write, self.let_go,
        ]  # fmt: skip
        model, n = self.random.choice(self.models), self.random.choice(SIZES)
        self.random.choice(actions)(model, n)
        for tensor, values in self.held:
            np.testing.assert_array_equal(tensor.numpy(), values)


def numbers(seed: int) -> list[Array]:
    """All that comes out, and the weights in the end."""
    world = World(seed)
    for _ in range(100):
        world.step()
    tf.set_seed(None)
    return [*world.found, *[w.numpy() for model in world.models for w in model.get_weights()]]


@pytest.mark.filterwarnings("ignore:.*weights are trainable")
@pytest.mark.parametrize("seed", range(6))
def test_the_same_bits(seed: int, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = numbers(seed)
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    for planned, expected in zip(found, numbers(seed), strict=True):
        np.testing.assert_array_equal(planned, expected)
