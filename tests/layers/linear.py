"""A model of one dense layer, with data and a training helper."""

from __future__ import annotations

from typing import Any

import numpy as np

import tfpy as tf

X = np.linspace(-1, 1, 20).reshape(10, 2).astype(np.float32)
Y = (X @ np.array([[1.0], [-2.0]]) + 0.5).astype(np.float32)


def linear(optimizer: Any = "sgd", loss: Any = "meanSquaredError", **options: Any) -> tf.Sequential:
    """A single dense layer whose kernel is initialized with ones."""
    model = tf.sequential()
    model.add(tf.layers.dense(units=1, kernel_initializer="ones", input_shape=[2]))
    model.compile(optimizer=optimizer, loss=loss, **options)
    return model


def values(model: Any) -> list[Any]:
    return [w.array_sync() for w in model.get_weights()]


def fit(model: Any, x: Any = X, y: Any = Y, **options: Any) -> tf.History:
    return model.fit(x, y, {"verbose": 0, **options})
