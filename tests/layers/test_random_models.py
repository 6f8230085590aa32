"""Random models train and predict with bit-identical results with and without plans."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.core import plans
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
    lambda r: L.dropout(rate=0.3, seed=r.randrange(1, 99)),
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
        lambda r: r.choice([L.max_pooling1d, L.average_pooling1d])(pool_size=2, strides=1, padding="same"),
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
        lambda r: r.choice([L.max_pooling2d, L.average_pooling2d])(pool_size=2, padding="same"),
        lambda r: r.choice([L.flatten, L.global_average_pooling2d, L.global_max_pooling2d])(),
        lambda r: L.up_sampling2d(size=2, interpolation=r.choice(["nearest", "bilinear"])),
    ],
}
SHAPES = [[5], [4, 3], [5, 6, 2]]
OPTIMIZERS = [
    lambda: tf.train.sgd(0.05),
    lambda: tf.train.momentum(0.02, 0.8),
    lambda: tf.train.adam(0.01),
    lambda: tf.train.rmsprop(0.01),
    lambda: tf.train.adamw(0.01),
    lambda: tf.train.adam(tf.train.exponential_decay(0.02, 3, 0.5), clip_norm=0.5),
]


def recurrent(r: random.Random) -> tf.layers.Layer:
    return r.choice(RECURRENT)(
        units=r.randrange(2, 5), return_sequences=r.random() < 0.5, go_backwards=r.random() < 0.3
    )


def network(seed: int) -> tf.LayersModel:
    """A random model with two branches that are merged where their shapes agree."""
    r = random.Random(seed)
    x = tf.input(shape=r.choice(SHAPES))
    ends = [x, x]
    for _ in range(r.randrange(4, 9)):
        at = r.randrange(len(ends))
        y = ends[at]
        if r.random() < 0.25 and ends[0].shape == ends[1].shape:
            ends[at] = r.choice(MERGES)().apply(ends)
        elif np.prod(y.shape[1:]) < 300:
            for layer in to_list(r.choice([*BY_RANK[len(y.shape)], *ANY_RANK[:3], r.choice(ANY_RANK)])(r)):
                ends[at] = layer.apply(ends[at])
    outputs = [L.dense(units=2).apply(end if len(end.shape) == 2 else L.flatten().apply(end)) for end in ends]
    return tf.model(inputs=x, outputs=outputs)


def results(seed: int) -> list[np.ndarray]:
    """Losses, predictions and weights of a network that is trained for some epochs."""
    tf.set_seed(seed)
    model = network(seed)
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(7, *model.inputs[0].shape[1:])).astype(np.float32)
    ys = [rng.normal(size=(7, 2)).astype(np.float32) for _ in model.outputs]
    model.set_weights([rng.uniform(0.1, 0.6, w.shape).astype(np.float32) for w in model.get_weights()])
    model.compile(optimizer=OPTIMIZERS[seed % len(OPTIMIZERS)](), loss="meanSquaredError", metrics=["mae"])
    history = model.fit(x, ys, batch_size=3, epochs=3, shuffle=False, validation_split=0.2, verbose=0)
    found = [np.array(values) for values in history.history.values()]
    for _ in range(3):
        found += [y.numpy() for y in model.predict(x, batch_size=4)]
    tf.set_seed(None)
    return [*found, *[w.numpy() for w in model.get_weights()]]


@pytest.mark.parametrize("seed", range(24))
def test_results_are_bit_identical_with_plans(seed: int, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = results(seed)
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    for planned, expected in zip(found, results(seed), strict=True):
        np.testing.assert_array_equal(planned, expected)
