"""Random models."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

import tfpy as tf
from tfpy.layers.symbolic import to_list

Choice = Callable[[random.Random], Any]
L = tf.layers
ACTIVATIONS = ["relu", "relu6", "tanh", "sigmoid", "elu", "selu", "swish", "gelu", "softsign", "hardSigmoid"]
MERGES = [L.add, L.multiply, L.average, L.maximum, L.concatenate]
RECURRENT = [L.simple_rnn, L.gru, L.lstm]
ANY_RANK: Sequence[Choice] = [
    lambda r: L.activation(activation=r.choice(ACTIVATIONS)),
    lambda r: L.batch_normalization(trainable=r.random() < 0.7),
    lambda r: [L.batch_normalization(), L.relu(max_value=r.choice([None, 1.5]))],
    lambda r: L.layer_normalization(),
    lambda r: L.leaky_relu(),
    lambda r: L.prelu(),
]
BY_RANK: Mapping[int, Sequence[Choice]] = {
    2: [
        lambda r: L.dense(units=r.randrange(2, 7), activation=r.choice(ACTIVATIONS), use_bias=r.random() < 0.7),
        lambda r: L.dense(units=3, kernel_regularizer=tf.regularizers.l2(l2=0.1), trainable=r.random() < 0.7),
        lambda r: L.repeat_vector(n=r.randrange(2, 5)),
    ],
    3: [
        lambda r: recurrent(r),
        lambda r: L.bidirectional(layer=recurrent(r)),
        lambda r: L.conv1d(filters=r.randrange(2, 6), kernel_size=2, padding="same", activation=r.choice(ACTIVATIONS)),
        lambda r: L.max_pooling1d(pool_size=2, strides=1, padding="same"),
        lambda r: L.time_distributed(layer=L.dense(units=3)),
        lambda r: r.choice([L.flatten, L.global_average_pooling1d, L.global_max_pooling1d])(),
        lambda r: L.permute(dims=[2, 1]),
    ],
    4: [
        lambda r: L.conv2d(filters=r.randrange(2, 6), kernel_size=[2, 3], padding="same", strides=r.choice([1, 2])),
        lambda r: L.conv2d(filters=4, kernel_size=1, activation=r.choice(ACTIVATIONS)),
        lambda r: L.depthwise_conv2d(kernel_size=2, padding="same", depth_multiplier=r.choice([1, 2])),
        lambda r: L.separable_conv2d(filters=3, kernel_size=2, padding="same", activation=r.choice(ACTIVATIONS)),
        lambda r: L.conv2d_transpose(filters=2, kernel_size=2, strides=r.choice([1, 2]), padding="same"),
        lambda r: L.max_pooling2d(pool_size=2, padding="same"),
        lambda r: r.choice([L.flatten, L.global_average_pooling2d, L.global_max_pooling2d])(),
    ],
}
# Those that draw random numbers, or whose gradients are wrong in TF.js.
DIFFERENT_IN_TFJS: Mapping[int, Sequence[Choice]] = {
    2: [lambda r: L.dropout(rate=0.3, seed=r.randrange(1, 99))],
    3: [lambda r: L.average_pooling1d(pool_size=2, strides=1, padding="same")],
    4: [
        lambda r: L.average_pooling2d(pool_size=2, padding="same"),
        lambda r: L.up_sampling2d(size=2, interpolation=r.choice(["nearest", "bilinear"])),
    ],
}
SHAPES = [[5], [4, 3], [5, 6, 2]]


def recurrent(r: random.Random) -> tf.layers.Layer:
    return r.choice(RECURRENT)(
        units=r.randrange(2, 5), return_sequences=r.random() < 0.5, go_backwards=r.random() < 0.3
    )


def network(seed: int, as_in_tfjs: bool = False) -> tf.LayersModel:
    """A random model with two branches that are merged where their shapes agree.

    Args:
        seed: the seed.
        as_in_tfjs: whether it has one output, and only layers that TF.js computes likewise.
    """
    r = random.Random(seed)
    x = tf.input(shape=r.choice(SHAPES))
    ends = [x, x]
    for _ in range(r.randrange(4, 9)):
        at = r.randrange(len(ends))
        y = ends[at]
        if r.random() < 0.25 and ends[0].shape == ends[1].shape:
            ends[at] = r.choice(MERGES)().apply(ends)
        elif np.prod(y.shape[1:]) < 300:
            rank = len(y.shape)
            choices = [*BY_RANK[rank], *([] if as_in_tfjs else DIFFERENT_IN_TFJS[rank])]
            for layer in to_list(r.choice([*choices, *ANY_RANK[:3], r.choice(ANY_RANK)])(r)):
                ends[at] = layer.apply(ends[at])
    outputs = [L.dense(units=2).apply(end if len(end.shape) == 2 else L.flatten().apply(end)) for end in ends]
    return tf.model(inputs=x, outputs=L.add().apply(outputs) if as_in_tfjs else outputs)
