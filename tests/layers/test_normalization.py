"""Batch normalization's moving statistics and training flag, noise, spatial dropout and invalid arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tolerance import ROUNDING

import tfpy as tf


def test_batch_normalization_updates_moving_statistics(backend: str) -> None:
    """The expected values are those of TF.js."""
    layer = tf.layers.batch_normalization(input_shape=[1])
    x = tf.tensor2d([[1], [2], [6]])
    trained = layer.apply(x, {"training": True})
    np.testing.assert_allclose(trained.numpy()[:, 0], [-0.925721, -0.46286, 1.388581], rtol=2e-6)
    gamma, beta, mean, variance = layer.get_weights()
    assert (float(gamma), float(beta)) == (1, 0)
    np.testing.assert_allclose([float(mean), float(variance)], [0.03, 1.036667], rtol=ROUNDING)
    inferred = layer.apply(x)
    np.testing.assert_allclose(inferred.numpy(), (x.numpy() - 0.03) / np.sqrt(1.036667 + 1e-3), rtol=ROUNDING)
    np.testing.assert_array_equal(layer.get_weights()[2].numpy(), mean.numpy())


def test_only_fit_updates_moving_statistics() -> None:
    rng = np.random.default_rng(2)
    x = (rng.normal(size=(64, 3)) * [1, 5, 0.1] + [0, 20, -3]).astype(np.float32)
    model = tf.sequential(
        layers=[tf.layers.batch_normalization(momentum=0.5, input_shape=[3]), tf.layers.dense(units=1)]
    )
    model.compile(optimizer="sgd", loss="meanSquaredError")
    assert len(model.trainable_weights) == 4
    history = model.fit(x, x.sum(1, keepdims=True), epochs=20, batch_size=16, verbose=0)
    assert history.history["loss"][-1] < history.history["loss"][0] / 10
    mean, variance = (w.numpy() for w in model.layers[0].get_weights()[2:])
    assert (np.abs(mean - x.mean(0)) < x.std(0) / 2).all()
    assert (variance > x.var(0) / 3).all()
    before = [w.numpy() for w in model.layers[0].get_weights()]
    model.evaluate(x, x.sum(1, keepdims=True), verbose=0)
    model.predict(x)
    for b, w in zip(before, model.layers[0].get_weights(), strict=True):
        np.testing.assert_array_equal(b, w.numpy())


def test_training_gradient_includes_batch_statistics() -> None:
    """Shifting all samples does not change the output, so the gradient sums to 0."""
    layer = tf.layers.batch_normalization()
    x, dy = tf.random_normal([6, 3], 0, 1, "float32", 1), tf.random_normal([6, 3], 0, 1, "float32", 2)
    found = tf.grad(lambda t: layer.apply(t, {"training": True}))(x, dy).numpy()
    np.testing.assert_allclose(found.sum(0), 0, atol=ROUNDING)
    assert np.abs(found).max() > 0.1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.layers.batch_normalization(axis=3).apply(tf.ones([2, 3])), "axis"),
        (lambda: tf.layers.batch_normalization().apply(tf.input(shape=[4, None])), "known"),
        (lambda: tf.layers.layer_normalization(axis=[1, -1]).apply(tf.ones([2, 3])), "axis.*distinct"),
        (lambda: tf.layers.layer_normalization(axis=1.5), "axis"),
        (lambda: tf.layers.group_normalization(groups=4).apply(tf.ones([2, 3, 6])), "groups.*divides the 6"),
        (lambda: tf.layers.group_normalization(groups=0), "groups"),
        (lambda: tf.layers.spatial_dropout1d(rate=0.5).apply(tf.ones([2, 3])), "rank 3"),
    ],
)
def test_invalid_arguments_raise(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()


def test_noise_layers_have_expected_mean_and_deviation() -> None:
    x = tf.ones([200, 100]).mul(2)
    noisy = tf.layers.gaussian_noise(stddev=0.5).apply(x, {"training": True}).numpy()
    np.testing.assert_allclose([noisy.mean(), noisy.std()], [2, 0.5], rtol=0.02)
    dropped = tf.layers.gaussian_dropout(rate=0.2).apply(x, {"training": True}).numpy()
    np.testing.assert_allclose([dropped.mean(), dropped.std()], [2, 2 * 0.5], rtol=0.02)
    normal = tf.random_normal([200, 100], 0, 1, "float32", 3)
    kept = tf.layers.alpha_dropout(rate=0.3).apply(normal, {"training": True}).numpy()
    np.testing.assert_allclose([kept.mean(), kept.std()], [0.9, 1], atol=0.03)


@pytest.mark.parametrize(
    ("factory", "shape", "inner"),
    [("spatial_dropout1d", [3, 5, 20], 1), ("spatial_dropout2d", [3, 4, 5, 20], 2), ("spatial_dropout3d", [3, 2, 4, 5, 20], 3)],
)  # fmt: skip
@pytest.mark.parametrize("data_format", ["channelsLast", "channelsFirst"])
def test_spatial_dropout_drops_whole_channels(factory: str, shape: list[int], inner: int, data_format: str) -> None:
    if data_format == "channelsFirst":
        shape = [shape[0], shape[-1], *shape[1:-1]]
    layer = getattr(tf.layers, factory)(rate=0.5, seed=4, data_format=data_format)
    found = layer.apply(tf.ones(shape), {"training": True}).numpy()
    axes = tuple(range(1, inner + 1) if data_format == "channelsLast" else range(2, inner + 2))
    by_channel = found.mean(axes)
    assert set(np.unique(by_channel)) == {0.0, 2.0}
    np.testing.assert_array_equal(found.min(axes), found.max(axes))
    np.testing.assert_array_equal(layer.apply(tf.ones(shape), {"training": True}).numpy(), found)
