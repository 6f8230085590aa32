"""Random actions on random models give bit-identical results with and without plans.

Between two runs of a plan, anything it depends on may change: weights, optimizers, trainability, shapes, the contents of
input arrays, and models that share layers.
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


class Models:
    """A few models that share layers, their data, and the results so far."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        tf.set_seed(seed)
        rng = np.random.default_rng(seed)
        first = network(seed)
        x = tf.input(shape=list(first.inputs[0].shape[1:]))
        head = tf.layers.dense(units=2).apply(tf.layers.dropout(rate=0.2, seed=3).apply(to_list(first.apply(x))[0]))
        self.models = [
            first,
            tf.model(inputs=first.inputs[0], outputs=first.outputs[0]),
            tf.model(inputs=x, outputs=head),
        ]
        for model in self.models:
            model.set_weights([rng.uniform(0.1, 0.6, w.shape).astype(np.float32) for w in model.get_weights()])
            self.compile(model)
        self.xs = {n: rng.normal(size=(n, *x.shape[1:])).astype(np.float32) for n in SIZES}
        self.y = {n: rng.uniform(0.1, 0.9, size=(n, 2)).astype(np.float32) for n in SIZES}
        self.results: list[Array] = []
        self.held: list[tuple[tf.Tensor, Array]] = []

    def compile(self, model: tf.LayersModel) -> None:
        model.compile(optimizer=self.random.choice(OPTIMIZERS)(), loss=self.random.choice(LOSSES), metrics=["mae"])

    def ys(self, model: tf.LayersModel, n: int) -> Array | list[Array]:
        return [self.y[n]] * len(model.outputs) if len(model.outputs) > 1 else self.y[n]

    def train(self, model: tf.LayersModel, n: int) -> None:
        self.results += [np.array(number) for number in to_list(model.train_on_batch(self.xs[n], self.ys(model, n)))]

    def fit(self, model: tf.LayersModel, n: int) -> None:
        size, epochs = self.random.choice([2, 4]), self.random.choice([1, 3])
        history = model.fit(self.xs[n], self.ys(model, n), batch_size=size, epochs=epochs, shuffle=False, verbose=0)
        self.results += [np.array(values) for values in history.history.values()]

    def predict(self, model: tf.LayersModel, n: int) -> None:
        for y in to_list(model.predict(self.xs[n], batch_size=self.random.choice([2, 4]))):
            self.held.append((y, y.numpy().copy()))
        self.results += [values for _, values in self.held[-len(model.outputs) :]]

    def evaluate(self, model: tf.LayersModel, n: int) -> None:
        self.results += [number.numpy() for number in to_list(model.evaluate(self.xs[n], self.ys(model, n)))]

    def set_weights(self, model: tf.LayersModel, n: int) -> None:
        model.set_weights([w.numpy() * np.float32(0.9) for w in model.get_weights()])

    def freeze(self, model: tf.LayersModel, n: int) -> None:
        layer = self.random.choice(
            [layer for layer in model.layers if layer.get_class_name() not in ("Dense", "Model")]
        )
        layer.trainable = not layer.trainable  # dense layers stay trainable, since every output comes from one

    def change_options(self, model: tf.LayersModel, n: int) -> None:
        options = [
            (layer, name) for layer in model.layers for name in ("rate", "momentum", "epsilon") if hasattr(layer, name)
        ]
        for layer, name in options:
            setattr(layer, name, self.random.choice([0.1, 0.3, 0.5]))

    def recompile(self, model: tf.LayersModel, n: int) -> None:
        for layer in model.layers:
            layer.trainable = True
        self.compile(model)

    def change_learning_rate(self, model: tf.LayersModel, n: int) -> None:
        model.optimizer.learning_rate = self.random.choice([0.001, 0.01])

    def scale_data(self, model: tf.LayersModel, n: int) -> None:
        self.xs[n] *= np.float32(0.9)
        self.y[n] *= np.float32(0.95)

    def dispose_results(self, model: tf.LayersModel, n: int) -> None:
        for tensor, _ in self.held[::2]:
            tensor.dispose()
        self.held = self.held[1::2]

    def step(self) -> None:
        actions: list[Callable[[tf.LayersModel, int], None]] = [
            *[self.train] * 6, *[self.fit] * 2, *[self.predict] * 2, *[self.evaluate] * 2,
            self.set_weights, self.freeze, self.change_options, self.recompile, self.change_learning_rate, self.scale_data, self.dispose_results,
        ]  # fmt: skip
        model, n = self.random.choice(self.models), self.random.choice(SIZES)
        self.random.choice(actions)(model, n)
        for tensor, values in self.held:
            np.testing.assert_array_equal(tensor.numpy(), values)


def results(seed: int) -> list[Array]:
    """All results of random actions, and the final weights."""
    models = Models(seed)
    for _ in range(100):
        models.step()
    tf.set_seed(None)
    return [*models.results, *[w.numpy() for model in models.models for w in model.get_weights()]]


@pytest.mark.filterwarnings("ignore:.*weights are trainable")
@pytest.mark.parametrize("seed", range(6))
def test_results_are_bit_identical_with_plans(seed: int, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = results(seed)
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    for planned, expected in zip(found, results(seed), strict=True):
        np.testing.assert_array_equal(planned, expected)
