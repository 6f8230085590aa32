"""Keras as a contender of `peers.py`, on the backend that KERAS_BACKEND names (TensorFlow by default)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import keras
import numpy as np
from protocol import Step, in_order, serve


def _transformer(shape: tuple[int, ...], heads: int, hidden: int) -> Any:
    layers = keras.layers
    x = keras.Input(shape[1:], batch_size=shape[0])
    normal = layers.LayerNormalization(epsilon=1e-5)(x)
    y = x + layers.MultiHeadAttention(heads, shape[-1] // heads)(normal, normal)
    z = layers.Dense(hidden, activation="relu")(layers.LayerNormalization(epsilon=1e-5)(y))
    return keras.Model(x, y + layers.Dense(shape[-1])(z))


def _layer(kind: str, options: list[Any]) -> Any:
    layers = keras.layers
    if kind == "dense":
        return layers.Dense(options[0], activation=options[1])
    if kind == "rnn":
        return layers.SimpleRNN(options[0])
    if kind == "gru":
        return layers.GRU(options[0], reset_after=False)
    if kind == "lstm":
        return layers.LSTM(options[0])
    if kind == "conv":
        return layers.Conv2D(options[0], options[1], activation="relu")
    if kind == "depthwise":
        return layers.DepthwiseConv2D(options[0], activation="relu")
    if kind == "average":
        return layers.GlobalAveragePooling1D()
    if kind == "norm":
        return layers.BatchNormalization()
    return layers.MaxPooling2D(2) if kind == "pool" else layers.Flatten()


def make(workload: Mapping[str, Any], arrays: dict[str, np.ndarray]) -> Step:
    if workload["task"] not in ("fit", "predict"):
        raise NotImplementedError("only models")
    model = keras.Sequential([keras.Input(workload["shape"][1:], batch_size=workload["shape"][0])])
    rest = in_order(arrays)
    for kind, *options in workload["layers"]:
        layer = _transformer(workload["shape"], *options) if kind == "transformer" else _layer(kind, options)
        model.add(layer)
        if kind != "norm":
            layer.set_weights([next(rest) for _ in layer.get_weights()])
    if workload["task"] == "predict":
        return lambda: float(np.asarray(model.predict_on_batch(arrays["x"])).flat[0])
    loss = "mean_squared_error" if workload["layers"][-1][2] == "linear" else "categorical_crossentropy"
    model.compile(optimizer=keras.optimizers.Adam(0.001, epsilon=1e-7), loss=loss)
    return lambda: float(np.asarray(model.train_on_batch(arrays["x"], arrays["y"])).flat[0])


if __name__ == "__main__":
    serve(make)
