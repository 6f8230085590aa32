"""Small models, and data for them."""

from __future__ import annotations

from typing import Any

import numpy as np

import tfpy as tf

X, Y = np.linspace(-1, 1, 24).reshape(12, 2), np.linspace(0, 1, 12).reshape(12, 1)


def small(**options: Any) -> tf.Sequential:
    model = tf.sequential(options)
    model.add(tf.layers.dense(units=3, activation="tanh", input_shape=[2]))
    model.add(tf.layers.dense(units=1))
    return model


def compiled(optimizer: str = "sgd", loss: Any = "meanSquaredError", **options: Any) -> tf.Sequential:
    model = small()
    model.compile(optimizer=optimizer, loss=loss, **options)
    return model


def values(model: Any) -> list[list[Any]]:
    return [w.array_sync() for w in model.get_weights()]
