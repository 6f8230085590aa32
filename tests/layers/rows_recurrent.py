"""Rows of the recurrent layers, with reference implementations in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from layers.references import Array, conv, hard_sigmoid, sigmoid
from layers.table import Row, row

import tfpy as tf


def simple_rnn(
    x: Array, w: Array, u: Array, b: Array, return_sequences: bool = False, go_backwards: bool = False
) -> Array:
    h, steps = np.zeros((len(x), u.shape[0])), []
    for t in range(x.shape[1])[:: -1 if go_backwards else 1]:
        h = np.tanh(x[:, t] @ w + h @ u + b)
        steps.append(h)
    return np.stack(steps, 1) if return_sequences else h


def gru(x: Array, w: Array, u: Array, b: Array, gate: Any = hard_sigmoid) -> Array:
    n = u.shape[0]
    h = np.zeros((len(x), n))
    for t in range(x.shape[1]):
        m = x[:, t] @ w + b
        zr = gate(m[:, : 2 * n] + h @ u[:, : 2 * n])
        z, r = zr[:, :n], zr[:, n:]
        h = z * h + (1 - z) * np.tanh(m[:, 2 * n :] + (r * h) @ u[:, 2 * n :])
    return h


def lstm(x: Array, w: Array, u: Array, b: Array, gate: Any = hard_sigmoid, states: bool = False) -> Array:
    n = u.shape[0]
    h, c = np.zeros((len(x), n)), np.zeros((len(x), n))
    for t in range(x.shape[1]):
        z = x[:, t] @ w + h @ u + b
        i, f, o = gate(z[:, :n]), gate(z[:, n : 2 * n]), gate(z[:, 3 * n :])
        c = f * c + i * np.tanh(z[:, 2 * n : 3 * n])
        h = o * np.tanh(c)
    return [h, h, c] if states else h


def gru_after(x: Array, w: Array, u: Array, b: Array) -> Array:
    n = u.shape[0]
    h = np.zeros((len(x), n))
    for t in range(x.shape[1]):
        m, s = x[:, t] @ w + b[0], h @ u + b[1]
        z, r = hard_sigmoid(m[:, :n] + s[:, :n]), hard_sigmoid(m[:, n : 2 * n] + s[:, n : 2 * n])
        h = z * h + (1 - z) * np.tanh(m[:, 2 * n :] + r * s[:, 2 * n :])
    return h


def conv_lstm(x: Array, w: Array, u: Array, b: Array, return_sequences: bool = False, **steps: Any) -> Array:
    h = c = 0.0
    outputs = []
    for t in range(x.shape[1]):
        z = conv(x[:, t], w, b, **steps)
        if t:
            z = z + conv(h, u, padding="same")
        i, f, g, o = np.split(z, 4, -1)
        c = hard_sigmoid(f) * c + hard_sigmoid(i) * np.tanh(g)
        h = hard_sigmoid(o) * np.tanh(c)
        outputs.append(h)
    return np.stack(outputs, 1) if return_sequences else h


def bidirectional_rnn(merge: Any, x: Array, *weights: Array, return_sequences: bool = False) -> Array:
    forward = simple_rnn(x, *weights[:3], return_sequences=return_sequences)
    backward = simple_rnn(x, *weights[3:], return_sequences=return_sequences, go_backwards=True)
    return merge(forward, backward[:, ::-1] if return_sequences else backward)


RNN = (3, 4, 2)  # batch, time, features
FILM = (2, 3, 4, 5, 3)  # batch, time, height, width, channels
RNN_WEIGHTS = ((2, 5), (5, 5), (5,))
GRU_WEIGHTS = ((2, 15), (5, 15), (15,))
LSTM_WEIGHTS = ((2, 20), (5, 20), (20,))

ROWS: list[Row] = [
    row("simple_rnn", {"units": 5}, RNN, weights=RNN_WEIGHTS, reference=simple_rnn),
    row("simple_rnn", {"units": 5, "return_sequences": True, "go_backwards": True}, RNN, weights=RNN_WEIGHTS,
        reference=lambda *a: simple_rnn(*a, return_sequences=True, go_backwards=True)),
    row("simple_rnn", {"units": 5, "use_bias": False, "activation": "linear", "return_state": True}, RNN, weights=RNN_WEIGHTS[:2]),
    row("gru", {"units": 5}, RNN, weights=GRU_WEIGHTS, reference=gru),
    row("gru", {"units": 5, "recurrent_activation": "sigmoid"}, RNN, weights=GRU_WEIGHTS,
        reference=lambda *a: gru(*a, gate=sigmoid)),
    row("lstm", {"units": 5}, RNN, weights=LSTM_WEIGHTS, reference=lstm),
    row("lstm", {"units": 5, "recurrent_activation": "sigmoid", "return_state": True}, RNN, weights=LSTM_WEIGHTS,
        reference=lambda *a: lstm(*a, gate=sigmoid, states=True)),
    row("lstm", {"units": 5, "unit_forget_bias": True, "dropout": 0.2, "recurrent_dropout": 0.3, "return_sequences": True}, RNN,
        weights=LSTM_WEIGHTS),
    row("rnn", {}, RNN, weights=LSTM_WEIGHTS, wraps=lambda: {"cell": tf.layers.lstm_cell(units=5)}, reference=lstm),
    row("rnn", {"return_sequences": True}, RNN, weights=[*RNN_WEIGHTS, (5, 9), (3, 9), (9,)],
        wraps=lambda: {"cell": [tf.layers.simple_rnn_cell(units=5), tf.layers.gru_cell(units=3)]}),
    row("gru", {"units": 5, "reset_after": True}, RNN, weights=[(2, 15), (5, 15), (2, 15)], reference=gru_after),
    row("gru", {"units": 5, "reset_after": True, "use_bias": False}, RNN, weights=[(2, 15), (5, 15)],
        reference=lambda x, w, u: gru_after(x, w, u, np.zeros((2, 15)))),
    row("conv_lstm2d", {"filters": 2, "kernel_size": 2}, FILM, weights=[(2, 2, 3, 8), (2, 2, 2, 8), (8,)], reference=conv_lstm),
    row("conv_lstm2d", {"filters": 2, "kernel_size": 3, "strides": 2, "padding": "same", "return_sequences": True}, FILM,
        weights=[(3, 3, 3, 8), (3, 3, 2, 8), (8,)],
        reference=lambda *a: conv_lstm(*a, return_sequences=True, strides=2, padding="same")),
    row("bidirectional", {}, RNN, weights=RNN_WEIGHTS * 2, wraps=lambda: {"layer": tf.layers.simple_rnn(units=5)},
        reference=lambda *a: bidirectional_rnn(lambda f, b: np.concatenate([f, b], -1), *a)),
    row("bidirectional", {"merge_mode": "ave"}, RNN, weights=RNN_WEIGHTS * 2,
        wraps=lambda: {"layer": tf.layers.simple_rnn(units=5, return_sequences=True)},
        reference=lambda *a: bidirectional_rnn(lambda f, b: (f + b) / 2, *a, return_sequences=True)),
    row("bidirectional", {"merge_mode": "sum"}, RNN, weights=RNN_WEIGHTS * 2,
        wraps=lambda: {"layer": tf.layers.simple_rnn(units=5)}, reference=lambda *a: bidirectional_rnn(np.add, *a)),
    row("bidirectional", {"merge_mode": "mul"}, RNN, weights=RNN_WEIGHTS * 2,
        wraps=lambda: {"layer": tf.layers.simple_rnn(units=5)}, reference=lambda *a: bidirectional_rnn(np.multiply, *a)),
    row("bidirectional", {"merge_mode": None}, RNN, weights=LSTM_WEIGHTS * 2,
        wraps=lambda: {"layer": tf.layers.lstm(units=5, return_state=True)}),
]  # fmt: skip
