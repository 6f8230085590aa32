"""Merge layers: masks, unknown shapes, forms of inputs, and invalid input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tfpy as tf

X = np.array([[[1, 2], [0, 0], [3, 4]], [[0, 0], [5, 6], [7, 8]]], np.float32)


def masked(shape: list[int]) -> tuple[Any, Any]:
    entry = tf.input(shape=shape)
    return entry, tf.layers.masking().apply(entry)


def test_an_input_without_mask_leaves_the_mask_of_the_other() -> None:
    """TF.js uses no mask if it is the first of two that has none."""
    a, (b, mb) = tf.input(shape=[3, 2]), masked([3, 2])
    rnn = tf.layers.simple_rnn(units=4, return_sequences=True)
    model = tf.model(inputs=[a, b], outputs=rnn.apply(tf.layers.average().apply([a, mb])))
    found = model.predict([np.ones_like(X), X]).numpy()
    np.testing.assert_array_equal(found[0, 1], found[0, 0])
    np.testing.assert_array_equal(found[1, 0], 0)
    assert not np.array_equal(found[1, 1], found[1, 2])


@pytest.mark.parametrize("factory", ["add", "multiply", "average", "maximum", "minimum"])
def test_merged_mask_masks_steps_that_any_input_masks(factory: str) -> None:
    """The recurrent layer skips the steps that either input masks."""
    (a, ma), (b, mb) = masked([3, 2]), masked([3, 2])
    merged = getattr(tf.layers, factory)().apply([ma, mb])
    rnn = tf.layers.simple_rnn(units=4, return_sequences=True)
    model = tf.model(inputs=[a, b], outputs=rnn.apply(merged))
    other = X[::-1].copy()
    found = model.predict([X, other]).numpy()
    for sample in range(2):
        np.testing.assert_array_equal(found[sample, 0], 0)
        np.testing.assert_array_equal(found[sample, 0], found[sample, 1])
        assert not np.array_equal(found[sample, 2], found[sample, 1])


def test_concatenate_masks_steps_that_any_input_masks() -> None:
    (a, ma), b = masked([3, 2]), tf.input(shape=[3, 1])
    layer = tf.layers.concatenate()
    rnn = tf.layers.lstm(units=4, return_sequences=True)
    model = tf.model(inputs=[a, b], outputs=rnn.apply(layer.apply([ma, b])))
    found = model.predict([X, np.ones((2, 3, 1), np.float32)]).numpy()
    np.testing.assert_array_equal(found[0, 1], found[0, 0])
    np.testing.assert_array_equal(found[1, 0], 0)
    assert not np.array_equal(found[0, 2], found[0, 1])


def test_concatenate_along_time_concatenates_masks() -> None:
    layer = tf.layers.concatenate(axis=1)
    a, b = tf.tensor(X), tf.tensor(X[:, :1])
    mask = layer.compute_mask([a, b], [tf.tensor2d([[1, 0, 1], [0, 1, 1]], [2, 3], "bool"), None])
    np.testing.assert_array_equal(mask.numpy(), [[True, False, True, True], [False, True, True, True]])
    assert layer.compute_mask([a, b], [None, None]) is None
    assert layer.compute_mask([a, b]) is None


@pytest.mark.parametrize("layer", [tf.layers.add(), tf.layers.concatenate()], ids=["add", "concatenate"])
def test_each_input_needs_a_mask(layer: Any) -> None:
    x, mask = tf.tensor(X), tf.tensor([[True, False, True]] * 2)
    for masks in ([mask], mask, [mask, None, mask]):
        with pytest.raises(ValueError, match=r"argument 'mask' must be a list of 2 masks, one for each input, but got"):
            layer.compute_mask([x, x], masks)


def test_unknown_sizes_in_output_shapes() -> None:
    a, b = tf.input(shape=[None, 4]), tf.input(shape=[None, 4])
    assert tf.layers.add().apply([a, b]).shape == (None, None, 4)
    assert tf.layers.concatenate().apply([a, b]).shape == (None, None, 8)
    assert tf.layers.concatenate(axis=1).apply([a, b]).shape == (None, None, 4)
    assert tf.layers.dot(axes=2).apply([a, b]).shape == (None, None, None)


@pytest.mark.parametrize("dtype", ["int32", "bool"])
def test_normalized_dot_of_any_dtype(dtype: Any) -> None:
    a, b = tf.tensor2d([[1, 0, 2]]), tf.tensor2d([[1, 1, 0]], dtype=dtype)
    found = tf.layers.dot(axes=1, normalize=True).apply([a, b])
    np.testing.assert_allclose(found.numpy(), [[1 / np.sqrt(5 * 2)]], rtol=1e-6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.layers.add().apply(tf.ones([2, 3])), "2 or more"),
        (lambda: tf.layers.add().apply([tf.ones([2, 3]), tf.ones([2, 4])]), "broadcast"),
        (lambda: tf.layers.add().apply([tf.ones([2, 3]), tf.ones([4, 3])]), "batch size"),
        (lambda: tf.layers.subtract().apply([tf.ones([2, 3])] * 3), "2 inputs"),
        (lambda: tf.layers.concatenate().apply([tf.ones([2, 3]), tf.ones([3, 3])]), "agree except along axis -1"),
        (lambda: tf.layers.concatenate().apply(tf.ones([2, 3]), tf.ones([2, 3])), "a list has several inputs"),
        (lambda: tf.layers.concatenate(axis=5).apply([tf.ones([2, 3]), tf.ones([2, 3])]), "'axis' must be an axis"),
        (lambda: tf.layers.dot(axes=1).apply([tf.ones([2, 3]), tf.ones([2, 4])]), "agree in axes 1 and 1"),
        (lambda: tf.layers.dot(axes=0).apply([tf.ones([2, 3]), tf.ones([2, 3])]), "after the batch"),
        (lambda: tf.layers.dot(axes=[1, 1, 1]), "axes"),
        (lambda: tf.layers.dot(), "axes"),
    ],
)
def test_invalid_arguments_raise(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()


def test_list_of_arrays_is_several_inputs() -> None:
    x = np.ones((4, 3), np.float32)
    a, b = tf.input(shape=[3]), tf.input(shape=[3])
    model = tf.model(inputs=[a, b], outputs=tf.layers.add().apply([a, b]))
    for given in ([x, x], [x, tf.tensor(x)], [tf.tensor(x), x], (x, x)):
        np.testing.assert_array_equal(model(given).numpy(), x + x)
    assert tf.layers.concatenate()([x, x[:, :1]]).shape == (4, 4)
    assert tf.layers.dense(units=2)([x]).shape == (4, 2)
    assert tf.layers.dense(units=2)([[1, 2, 3], [4, 5, 6]]).shape == (2, 2)
    assert tf.layers.dense(units=2)(np.float32([[1, 2]]).tolist()).shape == (1, 2)


def test_inputs_as_keyword() -> None:
    layer = tf.layers.dense(units=2)
    assert layer(inputs=np.ones((1, 3))).shape == layer.apply(inputs=np.ones((1, 3)), training=True).shape == (1, 2)
