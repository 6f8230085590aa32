"""Convolutions: causal padding, fused activations, ConvLSTM2D states, output shapes and invalid arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf

RNG = np.random.default_rng(3)
FILM = RNG.normal(size=(2, 4, 5, 4, 3)).astype(np.float32)


@pytest.mark.parametrize("factory", ["conv1d", "separable_conv1d", "depthwise_conv1d"])
@pytest.mark.parametrize("data_format", ["channelsLast", "channelsFirst"])
def test_causal_padding_ignores_later_steps(factory: str, data_format: str) -> None:
    options: dict[str, Any] = {"kernel_size": 3, "padding": "causal", "dilation_rate": 2, "data_format": data_format}
    if factory != "depthwise_conv1d":
        options["filters"] = 4
    layer = getattr(tf.layers, factory)(**options)
    x = RNG.normal(size=(2, 9, 3)).astype(np.float32)
    changed = x.copy()
    changed[:, 5:] += 1
    last = data_format == "channelsLast"
    results = [layer.apply(tf.tensor(a if last else a.transpose(0, 2, 1))).numpy() for a in (x, changed)]
    before, after = (y if last else y.transpose(0, 2, 1) for y in results)
    assert before.shape[:2] == (2, 9)
    np.testing.assert_allclose(before[:, :5], after[:, :5], rtol=ROUNDING, atol=ROUNDING)
    assert not np.allclose(before[:, 5], after[:, 5])


@pytest.mark.parametrize("activation", ["relu", "relu6", "elu", "sigmoid", "tanh", "softplus"])
def test_fused_activation_equals_separate_activation(activation: str, backend: str) -> None:
    x = tf.tensor(RNG.normal(size=(2, 5, 5, 3)).astype(np.float32))
    layer = tf.layers.conv2d(filters=4, kernel_size=3, activation=activation, bias_initializer="ones")
    fused = layer.apply(x)
    plain = tf.layers.conv2d(filters=4, kernel_size=3)
    plain.apply(x)
    plain.set_weights(layer.get_weights())
    expected = tf.layers.activation(activation=activation).apply(plain.apply(x))
    np.testing.assert_allclose(fused.numpy(), expected.numpy(), rtol=ACCUMULATED, atol=ROUNDING)


def test_conv_lstm_initial_state_continues_a_sequence() -> None:
    layer = tf.layers.conv_lstm2d(filters=2, kernel_size=2, padding="same", return_state=True)
    full = layer.apply(tf.tensor(FILM))
    first = layer.apply(tf.tensor(FILM[:, :2]))
    second = layer.apply(tf.tensor(FILM[:, 2:]), {"initialState": first[1:]})
    for expected, found in zip(full, second, strict=True):
        np.testing.assert_allclose(found.numpy(), expected.numpy(), rtol=ACCUMULATED, atol=ROUNDING)


def test_stateful_conv_lstm_keeps_state_until_reset() -> None:
    stateful = tf.layers.conv_lstm2d(filters=2, kernel_size=2, stateful=True, batch_input_shape=[2, 2, 5, 4, 3])
    model = tf.sequential(layers=[stateful])
    stateless = tf.layers.conv_lstm2d(filters=2, kernel_size=2)
    stateless.apply(tf.tensor(FILM))
    stateless.set_weights(model.get_weights())
    first = model.predict(FILM[:, :2], batch_size=2).numpy()
    second = model.predict(FILM[:, 2:], batch_size=2).numpy()
    np.testing.assert_allclose(second, stateless.apply(tf.tensor(FILM)).numpy(), rtol=ACCUMULATED, atol=ROUNDING)
    model.reset_states()
    np.testing.assert_array_equal(model.predict(FILM[:, :2], batch_size=2).numpy(), first)
    with pytest.raises(ValueError, match="states"):
        stateful.reset_states([tf.zeros([2, 4, 3, 1]), tf.zeros([2, 4, 3, 2])])


def test_conv_lstm_cell_computes_one_step() -> None:
    layer = tf.layers.conv_lstm2d(filters=2, kernel_size=3, padding="same", return_state=True)
    expected = layer.apply(tf.tensor(FILM[:, :1]))
    cell = tf.layers.conv_lstm2d_cell(filters=2, kernel_size=3, padding="same")
    inputs = [tf.tensor(FILM[:, 0]), tf.zeros([2, 5, 4, 2]), tf.zeros([2, 5, 4, 2])]
    cell.build((2, 5, 4, 3))
    cell.set_weights(layer.get_weights())
    for found, wanted in zip(cell.call(inputs), expected, strict=True):
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())


def test_unused_kernel_option_warns() -> None:
    with pytest.warns(UserWarning, match="depthwise_initializer"):
        tf.layers.depthwise_conv2d(kernel_size=2, kernel_initializer="zeros")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.layers.conv1d(kernel_size=3), "filters"),
        (lambda: tf.layers.conv1d(filters=2), "kernel_size"),
        (lambda: tf.layers.conv2d(filters=2, kernel_size=[1, 2, 3]), "kernel_size.*each of 2 dimensions"),
        (lambda: tf.layers.conv2d(filters=2, kernel_size=3, padding="causal"), "padding"),
        (lambda: tf.layers.conv2d(filters=2, kernel_size=3).apply(tf.ones([2, 5, 5])), "rank 4"),
        (lambda: tf.layers.conv2d(filters=2, kernel_size=3, strides=0), "strides"),
        (lambda: tf.layers.conv2d(filters=2, kernel_size=3, data_format="first"), "data_format"),
        (lambda: tf.layers.conv2d(filters=2, kernel_size=3).apply(tf.input(shape=[5, 5, None])), "channels"),
        (lambda: tf.layers.conv2d_transpose(filters=2, kernel_size=3, dilation_rate=2), "dilation_rate"),
        (lambda: tf.layers.separable_conv2d(filters=2, kernel_size=3, kernel_initializer="ones"), "kernel_initializer"),
        (lambda: tf.layers.conv_lstm2d(filters=2, kernel_size=3, unroll=True), "unroll"),
        (lambda: tf.layers.max_pooling2d(pool_size=[1, 2, 3]), "pool_size"),
        (lambda: tf.layers.max_pooling1d(pool_size=-1), "pool_size"),
        (lambda: tf.layers.zero_padding2d(padding=[1, 2, 3]), "padding"),
        (lambda: tf.layers.cropping2d(cropping=-1), "cropping"),
        (lambda: tf.layers.cropping2d(cropping=3).apply(tf.ones([1, 5, 5, 1])), "cropping|size"),
        (lambda: tf.layers.up_sampling2d(interpolation="cubic"), "interpolation"),
        (lambda: tf.layers.reshape(target_shape=[None, -1]), "target_shape"),
        (lambda: tf.layers.reshape(target_shape=[5]).apply(tf.ones([2, 3])), "target_shape"),
        (lambda: tf.layers.permute(dims=[0, 1]), "dims"),
    ],
)
def test_invalid_arguments_raise(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("max_pool1d", "max_pooling1d"), ("maxPool2d", "maxPooling2d"), ("max_pool3d", "max_pooling3d"),
        ("avgPool1d", "averagePooling1d"), ("avg_pooling2d", "average_pooling2d"), ("avgPooling3d", "avg_pool3d"),
        ("globalMaxPool1d", "global_max_pooling1d"), ("global_max_pool2d", "globalMaxPooling2d"),
    ],
)  # fmt: skip
def test_pooling_layers_have_aliases(one: str, other: str) -> None:
    assert getattr(tf.layers, one) is getattr(tf.layers, other)


def test_custom_function_named_relu_is_not_fused_as_relu() -> None:
    def relu(x: Any) -> Any:
        return x.mul(2)

    layer = tf.layers.conv2d(filters=1, kernel_size=1, kernel_initializer="ones", activation=relu)
    assert layer.apply(tf.fill([1, 1, 1, 1], -3)).array_sync() == [[[[-6]]]]


def test_output_shape_of_size_beyond_float_range() -> None:
    layer = tf.layers.average_pooling2d(pool_size=3, strides=2)
    assert layer.compute_output_shape((None, 10**400, 5, 1)) == (None, (10**400 - 3) // 2 + 1, 2, 1)


@pytest.mark.parametrize(
    ("layer", "channels"),
    [
        (tf.layers.conv2d(filters=4, kernel_size=3), 4),
        (tf.layers.conv2d_transpose(filters=4, kernel_size=1), 4),
        (tf.layers.separable_conv2d(filters=4, kernel_size=3), 4),
        (tf.layers.depthwise_conv2d(kernel_size=3), None),
    ],
)
def test_unknown_channels_allowed_in_output_shape_only(layer: tf.layers.Layer, channels: int | None) -> None:
    shape = layer.compute_output_shape([None, None, None, None])
    assert shape == (None, None, None, channels)
    with pytest.raises(ValueError, match=r"a shape whose channels, axis 3, are known"):
        layer.apply(tf.input(shape=[None, None, None]))
