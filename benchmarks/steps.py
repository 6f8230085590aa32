"""Training steps against the same steps written by hand in numpy: python benchmarks/steps.py

An MLP (784-128-10, batch 32) and an LSTM of 128 units on [32, 40, 60], both with SGD. The hand-written steps are
the lower bound: forward, backward and update without any framework, in float32.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from timing import medians, table

import tfpy as tf

RNG = np.random.default_rng(0)
RATE = np.float32(0.01)


def _normal(*shape: int) -> np.ndarray:
    return (RNG.normal(size=shape) * 0.1).astype(np.float32)


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def mlp(batch: int = 32) -> dict[str, Callable[[], object]]:
    x, y = _normal(batch, 784), np.eye(10, dtype=np.float32)[RNG.integers(0, 10, batch)]
    model = tf.sequential(
        layers=[
            tf.layers.dense(units=128, activation="relu", input_shape=[784]),
            tf.layers.dense(units=10, activation="softmax"),
        ]
    )
    model.compile(optimizer=tf.train.sgd(float(RATE)), loss="categoricalCrossentropy")
    w1, b1, w2, b2 = (w.numpy().copy() for w in model.get_weights())

    def by_hand() -> None:
        z = x @ w1 + b1
        h = np.maximum(z, 0)
        p = _softmax(h @ w2 + b2)
        d = (p - y) / np.float32(batch)
        dz = (d @ w2.T) * (z > 0)
        for w, g in ((w2, h.T @ d), (b2, d.sum(0)), (w1, x.T @ dz), (b1, dz.sum(0))):
            w -= RATE * g

    xs, ys = tf.tensor(x), tf.tensor(y)
    return {"numpy": by_hand, "tfpy": lambda: model.train_on_batch(xs, ys)}


def lstm(batch: int = 32, time: int = 40, size: int = 60, units: int = 128) -> dict[str, Callable[[], object]]:
    x, y = _normal(batch, time, size), np.eye(10, dtype=np.float32)[RNG.integers(0, 10, batch)]
    model = tf.sequential(
        layers=[
            tf.layers.lstm(
                units=units,
                recurrent_activation="sigmoid",
                recurrent_initializer="glorotNormal",
                input_shape=[time, size],
            ),
            tf.layers.dense(units=10, activation="softmax"),
        ]
    )
    model.compile(optimizer=tf.train.sgd(float(RATE)), loss="categoricalCrossentropy")
    w, u, b, v, c = (m.numpy().copy() for m in model.get_weights())

    def by_hand() -> None:
        h, s = np.zeros((batch, units), np.float32), np.zeros((batch, units), np.float32)
        xw = (x.reshape(-1, size) @ w).reshape(batch, time, -1) + b
        steps = []
        for t in range(time):
            i, f, g, o = np.split(xw[:, t] + h @ u, 4, 1)
            i, f, o, g = _sigmoid(i), _sigmoid(f), _sigmoid(o), np.tanh(g)
            before, s = s, f * s + i * g
            tanh_s = np.tanh(s)
            steps.append((h, before, i, f, g, o, tanh_s))
            h = o * tanh_s
        d = (_softmax(h @ v + c) - y) / np.float32(batch)
        dv, dc = h.T @ d, d.sum(0)
        dh, ds = d @ v.T, np.zeros_like(h)
        dz = np.empty((time, batch, 4 * units), np.float32)
        du = np.zeros_like(u)
        for t in reversed(range(time)):
            last, before, i, f, g, o, tanh_s = steps[t]
            ds = ds + dh * o * (1 - tanh_s * tanh_s)
            gates = (ds * g * i * (1 - i), ds * before * f * (1 - f), ds * i * (1 - g * g), dh * tanh_s * o * (1 - o))
            np.concatenate(gates, axis=1, out=dz[t])
            du += last.T @ dz[t]
            dh, ds = dz[t] @ u.T, ds * f
        flat = dz.transpose(1, 0, 2).reshape(-1, 4 * units)
        dw = x.reshape(-1, size).T @ flat
        for weight, grad in ((w, dw), (u, du), (b, flat.sum(0)), (v, dv), (c, dc)):
            weight -= RATE * grad

    xs, ys = tf.tensor(x), tf.tensor(y)
    return {"numpy": by_hand, "tfpy": lambda: model.train_on_batch(xs, ys)}


def main() -> None:
    rows = [
        ("MLP 784-128-10, batch 32", medians(mlp(), repeats=15, inner=20)),
        ("LSTM 128, [32, 40, 60]", medians(lstm(), repeats=9, inner=3)),
    ]
    table("One training step", rows, "numpy")


if __name__ == "__main__":
    main()
