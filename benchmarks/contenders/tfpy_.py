"""tfpy as a contender of `peers.py`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from protocol import Step, in_order, serve

import tfpy as tf


def model_of(workload: Mapping[str, Any], arrays: dict[str, np.ndarray]) -> Any:
    model = tf.sequential()
    first: dict[str, Any] = {"input_shape": workload["shape"][1:]}
    rest = in_order(arrays)
    shape = workload["shape"][1:]
    for kind, *options in workload["layers"]:
        layer = _transformer(shape, *options) if kind == "transformer" else _layer(kind, options, first)
        model.add(layer)
        first = {}
        if kind != "norm":
            layer.set_weights([next(rest) for _ in layer.get_weights()])
    return model


def _transformer(shape: list[int], heads: int, hidden: int) -> Any:
    layers: Any = tf.layers
    x = tf.input(shape=shape)
    normal = layers.layer_normalization(epsilon=1e-5).apply(x)
    attended = layers.multi_head_attention(num_heads=heads, key_dim=shape[-1] // heads).apply([normal, normal])
    y = layers.add().apply([x, attended])
    z = layers.dense(units=hidden, activation="relu").apply(layers.layer_normalization(epsilon=1e-5).apply(y))
    return tf.model(inputs=x, outputs=layers.add().apply([y, layers.dense(units=shape[-1]).apply(z)]))


def _layer(kind: str, options: list[Any], first: dict[str, Any]) -> Any:
    layers: Any = tf.layers
    if kind == "dense":
        return layers.dense(units=options[0], activation=options[1], **first)
    if kind == "rnn":
        return layers.simple_rnn(units=options[0], **first)
    if kind in ("gru", "lstm"):
        return getattr(layers, kind)(units=options[0], recurrent_activation="sigmoid", **first)
    if kind == "average":
        return layers.global_average_pooling1d(**first)
    if kind == "flatten":
        return layers.flatten(**first)
    if not hasattr(layers, "conv2d"):
        raise NotImplementedError("no convolutional layers")
    if kind == "conv":
        return layers.conv2d(filters=options[0], kernel_size=options[1], activation="relu", **first)
    if kind == "depthwise":
        return layers.depthwise_conv2d(kernel_size=options[0], activation="relu", **first)
    if kind == "norm":
        return layers.batch_normalization(**first)
    return layers.max_pooling2d(pool_size=2, **first)


def make(workload: Mapping[str, Any], arrays: dict[str, np.ndarray]) -> Step:
    task = workload["task"]
    if task in ("fit", "predict"):
        model = model_of(workload, arrays)
        x = tf.tensor(arrays["x"])
        if task == "predict":
            return lambda: float(tf.tidy(lambda: model.predict(x, batch_size=len(arrays["x"])).data_sync()[0]))
        loss = "meanSquaredError" if workload["layers"][-1][2] == "linear" else "categoricalCrossentropy"
        model.compile(optimizer=tf.train.adam(0.001, 0.9, 0.999, 1e-7), loss=loss)
        y = tf.tensor(arrays["y"])
        return lambda: model.train_on_batch(x, y)
    a, b, c = (tf.tensor(arrays[name]) for name in "abc")
    if task == "product":
        return lambda: float(tf.tidy(lambda: a.mat_mul(b).slice([0, 0], [1, 1]).data_sync()[0]))
    if task.startswith("chain"):
        f = lambda x: x.sub(b).square().mean()  # noqa: E731
        g = tf.grad(f) if "gradient" in task else f

        def chains() -> float:
            for _ in range(1000):
                found = tf.tidy(lambda: g(a))
            return float(found.data_sync()[0])

        return chains
    h = lambda x: x.mul(b).add(c).tanh().mean()  # noqa: E731
    k = tf.grad(h) if "gradient" in task else h
    return lambda: float(tf.tidy(lambda: k(a).data_sync()[0]))


if __name__ == "__main__":
    serve(make)
