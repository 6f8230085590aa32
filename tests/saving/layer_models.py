"""Models that tests save and load, filled with weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import tfpy as tf

HERE = Path(__file__).parent
random = np.random.default_rng(0)


def filled(model: Any) -> Any:
    model.set_weights([random.normal(size=w.shape).astype(np.float32) for w in model.weights])
    return model


def nested() -> Any:
    inner = tf.sequential(layers=[tf.layers.dense(units=3, input_shape=[3], activation="hardSigmoid")], name="inner")
    shared = tf.layers.dense(units=3, name="shared", kernel_regularizer=tf.regularizers.l2({"l2": 0.5}))
    x = tf.input(shape=[3], name="x")
    y = shared(inner(shared(x)))
    return tf.model(inputs=x, outputs=[inner(y), y], name="outer")


def recurrent() -> Any:
    layers = [
        tf.layers.lstm(units=3, input_shape=[4, 2], return_sequences=True, recurrent_initializer="glorotUniform"),
        tf.layers.rnn(cell=[tf.layers.gru_cell(units=2), tf.layers.simple_rnn_cell(units=3)]),
        tf.layers.dense(units=1),
    ]
    return tf.sequential(layers=layers, name="recurrent")


def with_states() -> Any:
    x, h = tf.input(shape=[4, 2], name="x"), tf.input(shape=[3], name="h")
    y, state = tf.layers.simple_rnn(units=3, return_state=True, name="rnn")(x, initial_state=[h])
    return tf.model(inputs=[x, h], outputs=[y, state], name="states")


def predict(model: Any, seed: int = 1) -> list[Any]:
    rng = np.random.default_rng(seed)
    xs = [rng.normal(size=(2, *t.shape[1:])).astype(np.float32) for t in model.inputs]
    found = model.predict(xs if len(xs) > 1 else xs[0])
    return [t.numpy() for t in (found if isinstance(found, list) else [found])]


class Amplified(tf.layers.Layer):
    """A custom layer with two options."""

    class_name = "Amplified"

    def __init__(self, config: Any = None, **options: Any) -> None:
        super().__init__(config, **options)
        given = {**(config or {}), **options}
        self.factor, self.note = given.get("factor", 2), given.get("note", "")

    def call(self, inputs: Any) -> Any:
        return inputs.mul(self.factor)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "factor": self.factor, "note": self.note}
