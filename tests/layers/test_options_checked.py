"""Options of layers that make no sense are refused where the layer is made or connected, and errors name the layer."""

from __future__ import annotations

import traceback
from typing import Any

import pytest

import tfpy as tf

L = tf.layers


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: L.dense(units=3, use_bias="yes"), "Dense: argument 'use_bias' must be True or False, but got 'yes'"),
        (lambda: L.dense(units=3, trainable="no"), "Dense: argument 'trainable' must be True or False, but got 'no'"),
        (lambda: L.dense(units=3, name=3), "Dense: argument 'name' must be a text, but got 3"),
        (lambda: L.dropout(rate="a"), "Dropout: argument 'rate' must be a number, but got 'a'"),
        (lambda: L.batch_normalization(momentum="a"), "BatchNormalization: argument 'momentum' must be a number"),
        (lambda: L.masking(mask_value="a"), "Masking: argument 'mask_value' must be a number"),
        (
            lambda: tf.sequential([L.conv2d(filters=1, kernel_size=12, input_shape=[8, 8, 1], name="c")]),
            "c: argument 'kernel_size' must be small enough for inputs of size [8, 8], but got [12, 12]",
        ),
        (
            lambda: tf.sequential([L.reshape(target_shape=[3], input_shape=[4], name="r")]),
            "r: argument 'target_shape' must be a shape of the 4 elements of a sample [4], but got [3]",
        ),
        (lambda: L.reshape(target_shape=3), "Reshape: argument 'target_shape' must be a list, but got 3"),
        (lambda: L.permute(dims=1), "Permute: argument 'dims' must be a list, but got 1"),
        (lambda: L.dropout(rate=0.5, noise_shape=3), "Dropout: argument 'noise_shape' must be a list, but got 3"),
        (lambda: L.stacked_rnn_cells(cells=2), "StackedRNNCells: argument 'cells' must be a list, but got 2"),
        (lambda: L.stacked_rnn_cells(cells=[]), "argument 'cells' must be a list of at least one cell, but got []"),
        (lambda: L.rnn(cell=[]), "argument 'cells' must be a list of at least one cell, but got []"),
        (
            lambda: tf.sequential([L.random_width(factor=0.5, input_shape=[3], name="w")]),
            "w: argument 'inputs' must be images, of rank 3 or 4, but got the shape [None, 3]",
        ),
        (
            lambda: tf.sequential([L.time_distributed(layer=L.gru(units=2, name="g"), input_shape=[2, 3, 4, 5])]),
            "Input 0 does not fit layer g: expected rank 3, but got shape [None, 3, 4, 5].",
        ),
        (
            lambda: tf.sequential([L.dense(units=1, input_shape=[2])]).get_layer(index="a"),
            "get_layer: argument 'index' must be a whole number, but got 'a'",
        ),
        (lambda: tf.train.adam(0.1, beta1="a"), "adam: argument 'beta1' must be a number, but got 'a'"),
        (lambda: tf.callbacks.model_checkpoint(3), "model_checkpoint: argument 'filepath' must be a path, but got 3"),
        (lambda: tf.callbacks.early_stopping(patience="a"), "early_stopping: argument 'patience' must be a whole"),
        (lambda: tf.losses.huber_loss([[1]], [[1]], delta="a"), "huber_loss: argument 'delta' must be a number"),
        (lambda: tf.load_layers_model(3), "load_layers_model: argument 'path_or_io_handler' must be a path, a URL"),
    ],
)
def test_what_is_wrong_is_named(make: Any, text: str) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        make()
    assert text in str(caught.value)


def test_options_may_be_numpys() -> None:
    import numpy as np

    layer = L.dropout(rate=np.float32(0.5), trainable=np.bool_(True))
    assert layer.rate == 0.5


@pytest.mark.cpu  # a GPU does not check indices that only it knows
def test_an_error_says_in_which_layer_it_happened() -> None:
    model = tf.sequential([L.embedding(input_dim=3, output_dim=2, input_length=2, name="words")])
    with pytest.raises(ValueError, match="indices") as caught:
        model.predict([[0, 9]])
    assert "In layer words (Embedding), called on [1, 2]." in traceback.format_exception_only(caught.value)[-1]


def test_a_callback_shows_its_options() -> None:
    assert repr(tf.callbacks.terminate_on_nan()) == "TerminateOnNaN()"
    assert "patience=3" in repr(tf.callbacks.early_stopping(patience=3))
