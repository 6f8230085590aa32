"""Bidirectional: states, masks, copies of the wrapped layer, trainability and invalid arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf

RNG = np.random.default_rng(7)
X = RNG.normal(size=(3, 4, 2)).astype(np.float32)


def test_states_are_split_between_and_returned_from_both_layers() -> None:
    layer = tf.layers.bidirectional(layer=tf.layers.lstm(units=5, return_state=True))
    states = [tf.tensor(RNG.normal(size=(3, 5)).astype(np.float32)) for _ in range(4)]
    found = layer.apply([tf.tensor(X), *states])
    assert [t.shape for t in found] == [(3, 10)] + [(3, 5)] * 4
    forward = layer.forward_layer.apply(tf.tensor(X), {"initialState": states[:2]})
    backward = layer.backward_layer.apply(tf.tensor(X), initial_state=states[2:])
    np.testing.assert_array_equal(found[0].numpy(), np.concatenate([forward[0].numpy(), backward[0].numpy()], 1))
    for got, expected in zip(found[1:], [*forward[1:], *backward[1:]], strict=True):
        np.testing.assert_array_equal(got.numpy(), expected.numpy())


def test_initial_states_as_model_inputs() -> None:
    x, forward, backward = tf.input(shape=[4, 2]), tf.input(shape=[5]), tf.input(shape=[5])
    layer = tf.layers.bidirectional(layer=tf.layers.gru(units=5), merge_mode="sum")
    model = tf.model(inputs=[x, forward, backward], outputs=layer.apply(x, {"initialState": [forward, backward]}))
    states = [RNG.normal(size=(3, 5)).astype(np.float32) for _ in range(2)]
    direct = layer.apply(tf.tensor(X), initial_state=[tf.tensor(s) for s in states])
    np.testing.assert_allclose(model.predict([X, *states]).numpy(), direct.numpy(), rtol=ROUNDING)


def test_masked_steps_are_skipped_in_both_directions() -> None:
    x = X.copy()
    x[:, 1] = 0
    inner = tf.layers.bidirectional(layer=tf.layers.simple_rnn(units=5))
    model = tf.sequential(layers=[tf.layers.masking(input_shape=[4, 2]), inner])
    found = model.predict(x).numpy()
    np.testing.assert_allclose(found, inner.apply(tf.tensor(x[:, [0, 2, 3]])).numpy(), rtol=ACCUMULATED, atol=ROUNDING)


def test_both_layers_are_copies_with_prefixed_names() -> None:
    inner = tf.layers.lstm(units=5, name="memory", go_backwards=True)
    layer = tf.layers.bidirectional(layer=inner)
    layer.apply(tf.tensor(X))
    assert [part.name for part in layer.both] == ["forward_memory", "backward_memory"]
    assert [part.go_backwards for part in layer.both] == [True, False]
    assert not inner.built
    assert len(layer.trainable_weights) == 6
    layer.trainable = False
    assert not layer.trainable_weights
    assert len(layer.weights) == 6
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()


def test_merge_mode_none_returns_both_outputs() -> None:
    layer = tf.layers.bidirectional({"layer": tf.layers.gru(units=5, return_sequences=True), "mergeMode": None})
    forward, backward = layer.apply(tf.tensor(X))
    assert forward.shape == backward.shape == (3, 4, 5)
    assert tf.layers.bidirectional(layer=tf.layers.gru(units=5)).apply(tf.tensor(X)).shape == (3, 10)


def test_reset_states_sets_both_layers() -> None:
    layer = tf.layers.bidirectional(layer=tf.layers.gru(units=2, stateful=True), batch_input_shape=[3, 4, 2])
    layer.apply(tf.tensor(X))
    layer.reset_states([tf.ones([3, 2]), tf.fill([3, 2], 2)])
    assert [float(part.states[0].numpy().mean()) for part in layer.both] == [1, 2]
    with pytest.raises(ValueError, match="'initial_state' must be states for both layers"):
        layer.reset_states([tf.ones([3, 2])])


def test_stateful_layer_keeps_state_until_reset() -> None:
    inner = tf.layers.bidirectional(layer=tf.layers.simple_rnn(units=5, stateful=True), batch_input_shape=[3, 4, 2])
    model = tf.sequential(layers=[inner])
    first, second = model.predict(X, batch_size=3).numpy(), model.predict(X, batch_size=3).numpy()
    assert not np.array_equal(first, second)
    model.reset_states()
    np.testing.assert_array_equal(model.predict(X, batch_size=3).numpy(), first)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.layers.bidirectional(layer=tf.layers.dense(units=2)), "recurrent"),
        (lambda: tf.layers.bidirectional(layer=tf.layers.gru(units=2), merge_mode="mean"), "merge_mode.*concat"),
        (lambda: tf.layers.bidirectional(), "layer"),
        (lambda: tf.layers.bidirectional(layer=tf.layers.gru(units=2)).apply([tf.ones([3, 4, 2]), tf.ones([3, 2])]), "both layers"),
    ],
)  # fmt: skip
def test_invalid_arguments_raise(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()


def test_one_direction_can_be_unfrozen() -> None:
    layer = tf.layers.bidirectional(layer=tf.layers.simple_rnn(units=1))
    layer.apply(tf.input(shape=[3, 2]))
    layer.trainable = False
    layer.backward_layer.trainable = True
    assert layer.trainable_weights == layer.backward_layer.weights
    assert layer.weights == [*layer.backward_layer.weights, *layer.forward_layer.weights]
