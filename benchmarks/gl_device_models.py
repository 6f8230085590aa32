"""The models of gl_device.py: their sizes, and a training step and a prediction of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import tfpy as tf

_RECURRENT = {"batch": 64, "time": 80, "features": 64, "units": 128, "classes": 10}

MODELS: dict[str, dict[str, int]] = {
    "small mlp": {"batch": 32, "features": 784, "units": 128, "classes": 10},
    "mlp": {"batch": 512, "features": 1024, "units": 2048, "classes": 100},
    "conv": {"batch": 128, "size": 32, "channels": 3, "filters": 32, "classes": 10},
    "simple rnn": _RECURRENT,
    "gru": _RECURRENT,
    "lstm": _RECURRENT,
}


def sizes(name: str, small: bool) -> dict[str, int]:
    """The sizes of a model; small ones on a software renderer."""
    return {key: min(n, 8) for key, n in MODELS[name].items()} if small else MODELS[name]


def tfpy_runs(name: str, small: bool) -> dict[str, Callable[[], object]]:
    """A training step and a prediction on existing data; neither reads its results."""
    found = sizes(name, small)
    layers, shape = _LAYERS[name](found)
    model: Any = tf.sequential(layers=[*layers, tf.layers.dense(units=found["classes"], activation="softmax")])
    model.compile(optimizer=tf.train.adam(0.001), loss="categoricalCrossentropy")
    rng = np.random.default_rng(0)
    x = tf.tensor(rng.random((found["batch"], *shape), dtype=np.float32))
    y = tf.tensor(np.eye(found["classes"], dtype=np.float32)[rng.integers(0, found["classes"], found["batch"])])

    def train() -> None:
        model.train_on_batch(x, y)

    def predict() -> None:
        _compute(model.predict_on_batch(x))

    def fit() -> None:
        model.fit(x, y, batch_size=found["batch"], epochs=10, verbose=0)

    return {"train": train, "predict": predict, "fit of 10": fit}


def _compute(t: Any) -> None:
    backend: Any = tf.backend()
    if hasattr(backend, "ensure"):
        backend.ensure(t.payload)


def _dense(found: dict[str, int]) -> tuple[list[Any], tuple[int, ...]]:
    shape = (found["features"],)
    units = found["units"]
    first = tf.layers.dense(units=units, activation="relu", input_shape=shape)
    return [first, tf.layers.dense(units=units, activation="relu")], shape


def _conv(found: dict[str, int]) -> tuple[list[Any], tuple[int, ...]]:
    shape = (found["size"], found["size"], found["channels"])
    options = {"kernel_size": 3, "padding": "same", "activation": "relu"}
    return [
        tf.layers.conv2d(filters=found["filters"], input_shape=shape, **options),
        tf.layers.max_pooling2d(pool_size=2),
        tf.layers.conv2d(filters=2 * found["filters"], **options),
        tf.layers.max_pooling2d(pool_size=2),
        tf.layers.flatten(),
    ], shape


def _recurrent(layer: str) -> Callable[[dict[str, int]], tuple[list[Any], tuple[int, ...]]]:
    def make(found: dict[str, int]) -> tuple[list[Any], tuple[int, ...]]:
        shape = (found["time"], found["features"])
        return [getattr(tf.layers, layer)(units=found["units"], input_shape=shape)], shape

    return make


_LAYERS = {
    "small mlp": _dense,
    "mlp": _dense,
    "conv": _conv,
    "simple rnn": _recurrent("simple_rnn"),
    "gru": _recurrent("gru"),
    "lstm": _recurrent("lstm"),
}
