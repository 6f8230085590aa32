"""The rows of all layers, with references written from their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
from layers.table import Row, row

import tfpy as tf

Array = Any


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def hard_sigmoid(x: Array) -> Array:
    return np.clip(0.2 * x + 0.5, 0, 1)


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def simple_rnn(x: Array, w: Array, u: Array, b: Array, every: bool = False, backwards: bool = False) -> Array:
    h, steps = np.zeros((len(x), u.shape[0])), []
    for t in range(x.shape[1])[:: -1 if backwards else 1]:
        h = np.tanh(x[:, t] @ w + h @ u + b)
        steps.append(h)
    return np.stack(steps, 1) if every else h


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


RNN = (3, 4, 2)  # batch, time, features
RNN_WEIGHTS = ((2, 5), (5, 5), (5,))
GRU_WEIGHTS = ((2, 15), (5, 15), (15,))
LSTM_WEIGHTS = ((2, 20), (5, 20), (20,))

ROWS: list[Row] = [
    row("dense", {"units": 3}, (2, 4), weights=[(4, 3), (3,)], reference=lambda x, w, b: x @ w + b),
    row("dense", {"units": 3, "use_bias": False, "activation": "tanh"}, (2, 4), weights=[(4, 3)],
        reference=lambda x, w: np.tanh(x @ w)),
    row("dense", {"units": 2, "activation": "softmax"}, (2, 3, 4), weights=[(4, 2), (2,)],
        reference=lambda x, w, b: softmax(x @ w + b)),
    row("dense", {"units": 2, "kernel_regularizer": "l1l2", "kernel_constraint": {"class_name": "MaxNorm", "config": {"max_value": 3}}},
        (2, 4), weights=[(4, 2), (2,)], reference=lambda x, w, b: x @ w + b),
    row("activation", {"activation": "relu"}, (2, 3), reference=lambda x: np.maximum(x, 0)),
    row("activation", {"activation": "hardSigmoid"}, (2, 3, 2), reference=hard_sigmoid),
    row("dropout", {"rate": 0.4}, (2, 3), reference=lambda x: x),
    row("flatten", {}, (2, 3, 4), reference=lambda x: x.reshape(2, 12)),
    row("flatten", {"data_format": "channelsFirst"}, (2, 3, 4, 5), reference=lambda x: x.transpose(0, 2, 3, 1).reshape(2, 60)),
    row("repeat_vector", {"n": 3}, (2, 4), reference=lambda x: np.repeat(x[:, None], 3, 1)),
    row("embedding", {"input_dim": 7, "output_dim": 3}, (2, 4), weights=[(7, 3)], integers=7, differentiable=False,
        reference=lambda x, e: e[x.astype(int)]),
    row("embedding", {"input_dim": 7, "output_dim": 3, "input_length": 4, "mask_zero": True}, (2, 4), weights=[(7, 3)], integers=7,
        differentiable=False, reference=lambda x, e: e[x.astype(int)]),
    row("masking", {"mask_value": 1.5}, (2, 3, 2), reference=lambda x: x),
    row("time_distributed", {}, (2, 3, 4), weights=[(4, 2), (2,)], wraps=lambda: {"layer": tf.layers.dense(units=2)},
        reference=lambda x, w, b: x @ w + b),
    row("time_distributed", {}, (2, 3, 4), wraps=lambda: {"layer": tf.layers.dropout(rate=0.5)}, reference=lambda x: x),
    row("simple_rnn", {"units": 5}, RNN, weights=RNN_WEIGHTS, reference=simple_rnn),
    row("simple_rnn", {"units": 5, "return_sequences": True, "go_backwards": True}, RNN, weights=RNN_WEIGHTS,
        reference=lambda *a: simple_rnn(*a, every=True, backwards=True)),
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
]  # fmt: skip
