"""Recurrent layers: states, masks, cells, direction and invalid arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from layers.rows_recurrent import lstm, simple_rnn
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(3, 4, 2)).astype(np.float32)


def make_layer(factory: str, **options: Any) -> Any:
    layer = getattr(tf.layers, factory)(units=5, **options)
    layer.build((3, 4, 2))
    layer.set_weights([RNG.normal(size=w.shape) * 0.5 for w in layer.weights])
    return layer


def float64_weights(layer: Any) -> list[Any]:
    return [w.numpy().astype(np.float64) for w in layer.get_weights()]


@pytest.mark.parametrize("factory", ["simple_rnn", "gru", "lstm"])
def test_initial_state_continues_a_sequence(factory: str) -> None:
    """The second half of a sequence, started from the first half's state, ends like the full sequence."""
    layer = make_layer(factory, return_state=True)
    full = layer.apply(tf.tensor(X))
    first = layer.apply(tf.tensor(X[:, :2]))
    second = layer.apply(tf.tensor(X[:, 2:]), {"initialState": first[1:]})
    state_in_inputs = layer.apply([tf.tensor(X[:, 2:]), *first[1:]])
    for expected, found, same in zip(full, second, state_in_inputs, strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=ACCUMULATED, atol=ROUNDING)
        np.testing.assert_array_equal(same.numpy(), found.numpy())


@pytest.mark.parametrize("kind", ["simple_rnn", "gru", "lstm"])
@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_returned_states_are_floats_after_an_initial_state_of_integers(kind: str, dtype: Any) -> None:
    layer = getattr(tf.layers, kind)(units=2, return_state=True)
    start = [tf.ones([3, 2], dtype)] * (2 if kind == "lstm" else 1)
    found = layer.apply(tf.tensor(X), {"initial_state": start})
    expected = layer.apply(tf.tensor(X), {"initial_state": [tf.ones([3, 2])] * len(start)})
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == "float32"
        np.testing.assert_array_equal(a.numpy(), b.numpy())


def test_initial_state_as_model_input() -> None:
    x, state = tf.input(shape=[4, 2]), tf.input(shape=[5])
    layer = tf.layers.simple_rnn(units=5)
    model = tf.model(inputs=[x, state], outputs=layer.apply(x, {"initial_state": [state]}))
    h = RNG.normal(size=(3, 5)).astype(np.float32)
    found = model.predict([X, h]).numpy()
    np.testing.assert_allclose(found, layer.apply(tf.tensor(X), initial_state=[tf.tensor(h)]).numpy(), rtol=ACCUMULATED)
    with pytest.raises(ValueError, match="state|shape"):
        tf.layers.simple_rnn(units=5).apply(x, {"initial_state": [tf.input(shape=[7])]})


def test_masked_steps_are_skipped() -> None:
    x = X.copy()
    x[:, 1] = 0
    x[0, 3] = 0
    model = tf.sequential(layers=[tf.layers.masking(input_shape=[4, 2]), tf.layers.lstm(units=5)])
    model.set_weights([RNG.normal(size=w.shape) * 0.5 for w in model.get_weights()])
    found = model.predict(x).numpy()
    w = float64_weights(model.layers[1])
    np.testing.assert_allclose(found[1:], lstm(x[1:][:, [0, 2, 3]], *w), rtol=ACCUMULATED, atol=ROUNDING)
    np.testing.assert_allclose(found[:1], lstm(x[:1][:, [0, 2]], *w), rtol=ACCUMULATED, atol=ROUNDING)


def test_mask_zero_masks_padding() -> None:
    model = tf.sequential()
    model.add(tf.layers.embedding(input_dim=6, output_dim=2, mask_zero=True, input_length=4))
    model.add(tf.layers.simple_rnn(units=5, return_sequences=True))
    model.add(tf.layers.simple_rnn(units=3))
    x = np.array([[1, 2, 0, 0], [3, 4, 5, 1]])
    found = model.predict(x).numpy()
    embeddings = float64_weights(model.layers[0])[0]
    sequence = simple_rnn(embeddings[x[:1, :2]], *float64_weights(model.layers[1]), return_sequences=True)
    expected = simple_rnn(sequence, *float64_weights(model.layers[2]))
    np.testing.assert_allclose(found[:1], expected, rtol=ACCUMULATED, atol=ROUNDING)


def test_embedding_without_mask_zero_has_no_mask() -> None:
    assert tf.layers.embedding(input_dim=6, output_dim=2).compute_mask(tf.tensor([[1, 0]])) is None


def test_input_dim_and_input_length_options() -> None:
    shapes = [
        tf.layers.lstm(units=1, **options).batch_input_shape
        for options in ({"input_dim": 2}, {"input_dim": 2, "inputLength": 3}, {"input_dim": 2, "input_shape": [4, 5]})
    ]
    assert shapes == [(None, None, 2), (None, 3, 2), (None, 4, 5)]


def test_sequential_passes_masks_on() -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[3, 2]), tf.layers.dropout(rate=0.5)])
    x, mask = tf.ones([1, 3, 2]), tf.tensor([[True, False, True]])
    assert model.compute_mask(x) is None
    assert model.compute_mask(x, mask).array_sync() == [[True, False, True]]


def test_layer_without_mask_support_raises() -> None:
    model = tf.sequential(layers=[tf.layers.masking(input_shape=[4, 2])])
    with pytest.raises(TypeError, match="mask"):
        tf.layers.flatten().compute_mask(None, [tf.tensor([True])])
    assert model.predict(X).shape == (3, 4, 2)


@pytest.mark.parametrize("layer", [tf.layers.lstm, lambda **o: tf.layers.rnn(cell=tf.layers.lstm_cell(**o))])
@pytest.mark.parametrize("shape", [[3, 3], [2, 4], [3]])
def test_mask_of_wrong_shape_raises(layer: Any, shape: list[int]) -> None:
    with pytest.raises(ValueError, match=r"mask.*\[3, 4\].*got"):
        layer(units=2).apply(tf.tensor(X), mask=tf.ones(shape))


def test_go_backwards_equals_reversed_input() -> None:
    layer = make_layer("gru", go_backwards=True)
    forwards = make_layer("gru")
    forwards.set_weights(layer.get_weights())
    np.testing.assert_allclose(
        layer.apply(tf.tensor(X)).numpy(), forwards.apply(tf.tensor(X[:, ::-1].copy())).numpy(), rtol=ROUNDING
    )


def test_dropout_mask_is_made_once_per_sequence_in_training() -> None:
    seen: list[np.ndarray] = []

    def drop(x: tf.Tensor, rate: float) -> tf.Tensor:
        seen.append(x.numpy())
        return x.mul(0)

    layer = make_layer("lstm", dropout=0.5, dropout_func=drop)
    inferred = layer.apply(tf.tensor(X)).numpy()
    assert not seen
    dropped = layer.apply(tf.tensor(X), training=True).numpy()
    assert len(seen) == 1
    np.testing.assert_allclose(dropped, lstm(X * 0, *float64_weights(layer)), rtol=ACCUMULATED, atol=ROUNDING)
    assert not np.allclose(inferred, dropped)


def test_stateful_layer_keeps_and_resets_states() -> None:
    layer = tf.layers.lstm(units=5, stateful=True, batch_input_shape=[3, None, 2])
    model = tf.sequential(layers=[layer])
    stateless = tf.layers.lstm(units=5)
    stateless.build((3, 4, 2))
    stateless.set_weights(layer.get_weights())
    model.predict(X[:, :2])
    np.testing.assert_allclose(
        model.predict(X[:, 2:]).numpy(), stateless.apply(tf.tensor(X)).numpy(), rtol=ACCUMULATED, atol=ROUNDING
    )
    model.reset_states()
    assert all(not s.numpy().any() for s in layer.states)
    layer.resetStates([tf.ones([3, 5]), tf.zeros([3, 5])], True)
    assert layer.get_states()[0].numpy().all()
    with pytest.raises(ValueError, match="reset_states.*states"):
        layer.reset_states([tf.ones([3, 5])])
    with pytest.raises(ValueError, match="reset_states.*shape"):
        layer.reset_states([tf.ones([3, 4]), tf.ones([3, 4])])
    with pytest.raises(RuntimeError, match="not stateful"):
        tf.layers.lstm(units=5).reset_states()
    with pytest.raises(ValueError, match="batch"):
        tf.sequential(layers=[tf.layers.lstm(units=5, stateful=True, input_shape=[4, 2])])


def test_reset_states_with_initial_state_as_input() -> None:
    x, state = tf.input(batch_shape=[3, 4, 2]), tf.input(batch_shape=[3, 5])
    layer = tf.layers.simple_rnn(units=5, stateful=True)
    layer.apply([x, state])
    assert layer.input_spec is not None
    assert [spec and spec.shape for spec in layer.input_spec] == [(3, None, 2)]
    layer.reset_states([tf.ones([3, 5])])
    assert layer.states[0].numpy().all()


def test_freezing_rnn_leaves_cells_trainable() -> None:
    """As in TF.js, where the weights of trainable cells come first even then."""
    cells = [tf.layers.simple_rnn_cell(units=1, trainable=False), tf.layers.simple_rnn_cell(units=1, use_bias=False)]
    layer = tf.layers.rnn(cell=cells)
    layer.apply(tf.input(shape=[3, 2]))
    weights = [*cells[1].weights, *cells[0].weights]
    assert layer.weights == weights
    assert layer.trainable_weights == cells[1].weights
    layer.trainable = False
    assert layer.weights == layer.non_trainable_weights == weights
    assert cells[1].trainable


class Scaled(tf.layers.RNN):
    """An RNN with its own weight, in addition to its cell's."""

    def build(self, input_shape: tf.Shape) -> None:
        super().build(input_shape)
        self.scale = self.add_weight("scale", [1], None, "ones", tf.regularizers.l2())

    def call(self, inputs: Any, **keywords: Any) -> Any:
        return super().call(inputs, **keywords).mul(self.scale)


def test_weights_and_losses_of_rnn_subclass_and_cell() -> None:
    layer = Scaled(cell=tf.layers.simple_rnn_cell(units=5, bias_regularizer="l1l2"))
    layer.apply(tf.input(shape=[4, 2]))
    assert layer.trainable_weights == [layer.scale, *layer.cell.weights]
    assert len(layer.losses) == 2


def test_stateful_model_does_not_leak_tensors() -> None:
    model = tf.sequential(layers=[tf.layers.gru(units=5, stateful=True, batch_input_shape=[3, 4, 2])])
    model.predict(X)
    before = tf.memory().num_tensors
    for _ in range(5):
        model.predict(X).dispose()
    assert tf.memory().num_tensors == before


def apply_twice(layer: tf.layers.Layer) -> Any:
    """Apply a layer to its own output."""
    return layer.apply(layer.apply(tf.input(shape=[3, 2])))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.layers.lstm(units=-1), "units"),
        (lambda: tf.layers.rnn(), "RNN.*cell"),
        (lambda: tf.layers.rnn(cell=tf.layers.dense(units=2)), "RNN.*cell.*state_size"),
        (lambda: tf.layers.stacked_rnn_cells(cells=[3]), "cells"),
        (lambda: tf.layers.lstm(units=2).apply(tf.ones([2, 3])), "lstm.*rank 3"),
        (lambda: tf.layers.lstm(units=2).apply(tf.ones([2, 3, 4]), {"initialState": [tf.ones([2, 2])]}), "initial_state|states"),
        (lambda: tf.layers.time_distributed(layer=3), "layer"),
        (lambda: tf.layers.time_distributed(layer=tf.layers.dense(units=2)).apply(tf.ones([2, 3])), "rank 3"),
        (lambda: apply_twice(tf.layers.time_distributed(layer=tf.layers.dense(units=4))), r"shape \[None, None, 2\], but got .*4\]"),
    ],
)  # fmt: skip
def test_invalid_arguments_raise(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()


@pytest.mark.parametrize(
    ("go_backwards", "expected"),
    [(False, [[3, 8, 11], [1, 1, 1], [0, 0, 7]]), (True, [[0, 5, 8], [0, 0, 0], [7, 9, 9]])],
)
def test_mask_longer_than_sequence_is_truncated(go_backwards: bool, expected: list[list[int]]) -> None:
    """After a layer that shortens sequences; the expected values are recorded from TF.js."""
    ones = {"kernel_initializer": "ones", "recurrent_initializer": "ones", "activation": "linear"}
    model = tf.sequential(
        layers=[
            tf.layers.masking(input_shape=[4, 1]),
            tf.layers.conv1d(filters=1, kernel_size=2, kernel_initializer="ones"),
            tf.layers.simple_rnn(units=1, go_backwards=go_backwards, return_sequences=True, **ones),
        ]
    )
    x = np.array([[1, 2, 3, 0], [1, 0, 0, 0], [0, 0, 2, 5]], np.float32)[..., None]
    np.testing.assert_allclose(model.predict(x).numpy()[..., 0], expected)


def test_cell_option_is_ignored_by_lstm() -> None:
    """As in TF.js: the config of an LSTM could not describe another cell."""
    layer = tf.layers.lstm(units=3, cell=tf.layers.lstm_cell(units=6), input_shape=[3, 2])
    assert layer.apply(tf.input(shape=[3, 2])).shape == (None, 3)


def test_configuration_of_an_rnn_repeats_that_of_its_cell() -> None:
    layer = tf.layers.rnn(cell=tf.layers.gru_cell(units=2, name="g"), name="r", return_sequences=True)
    config = layer.get_config()
    assert (config["units"], config["reset_after"], config["name"], config["cell"]["config"]["name"]) == (
        2,
        False,
        "r",
        "g",
    )
    assert type(layer).from_config(config).get_config() == config
    with pytest.raises(TypeError, match="unknown option 'unit'"):
        type(layer).from_config({**config, "unit": 3})
    with pytest.raises(ValueError, match="argument 'config' must be"):
        type(layer).from_config({"cell": {"class_name": "GRUCell", "config": 3}})


@pytest.mark.parametrize("kind", ["simple_rnn_cell", "gru_cell", "lstm_cell"])
def test_cell_called_by_itself_drops_in_every_scope(kind: str) -> None:
    cell = getattr(tf.layers, kind)(units=3, dropout=0.5, recurrent_dropout=0.5)
    cell.build((2, 4))
    states = [np.ones((2, 3), np.float32)] * (2 if kind == "lstm_cell" else 1)
    for _ in range(2):
        out = tf.tidy(lambda: cell.apply([np.ones((2, 4), np.float32), *states], training=True)[0])
        assert out.shape == (2, 3)
        out.dispose()
    tf.dispose(cell.weights)
