"""Rows of the core layers and of TimeDistributed."""

from __future__ import annotations

import numpy as np
from layers.references import hard_sigmoid, softmax
from layers.table import Row, row

import tfpy as tf

ROWS: list[Row] = [
    row("dense", {"units": 3}, (2, 4), weights=[(4, 3), (3,)], reference=lambda x, w, b: x @ w + b),
    row("dense", {"units": 3, "use_bias": False, "activation": "tanh"}, (2, 4), weights=[(4, 3)],
        reference=lambda x, w: np.tanh(x @ w)),
    row("dense", {"units": 2, "activation": "softmax"}, (2, 3, 4), weights=[(4, 2), (2,)],
        reference=lambda x, w, b: softmax(x @ w + b)),
    row("dense", {"units": 2, "kernel_regularizer": "l1l2", "kernel_constraint": {"class_name": "MaxNorm", "config": {"max_value": 3}}},
        (2, 4), weights=[(4, 2), (2,)], reference=lambda x, w, b: x @ w + b),
    row("activation", {"activation": "relu"}, (2, 3), reference=lambda x: np.maximum(x, 0)),
    row("activation", {"activation": "hardSilu"}, (2, 3, 2), reference=lambda x: x * np.clip(x + 3, 0, 6) / 6),
    row("activation", {"activation": "hard_swish"}, (2, 3, 2), reference=lambda x: x * np.clip(x + 3, 0, 6) / 6),
    row("activation", {"activation": "hardSigmoid"}, (2, 3, 2), reference=hard_sigmoid),
    row("dropout", {"rate": 0.4}, (2, 3), reference=lambda x: x),
    row("flatten", {}, (2, 3, 4), reference=lambda x: x.reshape(2, 12)),
    row("flatten", {}, (2, 3), reference=lambda x: x),
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
]  # fmt: skip
