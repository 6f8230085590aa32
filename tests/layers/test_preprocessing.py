"""Preprocessing layers, and Lambda."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tolerance import ACCUMULATED

import tfpy as tf

RNG = np.random.default_rng(9)
IMAGE = RNG.normal(size=(2, 4, 6, 3)).astype(np.float32)


def test_random_width_is_bounded_and_seeded() -> None:
    layers = [tf.layers.random_width(factor=[-0.5, 0.5], seed=3) for _ in range(2)]
    widths = [[layer.apply(tf.tensor(IMAGE)).shape[2] for _ in range(8)] for layer in layers]
    assert widths[0] == widths[1]
    assert len(set(widths[0])) > 1
    assert all(3 <= width <= 9 for width in widths[0])
    assert layers[0].get_config()["seed"] == 11
    assert layers[0].compute_output_shape((None, 4, 6, 3)) == (None, 4, None, 3)
    assert tf.layers.random_width(factor=0.2).apply(tf.tensor(IMAGE[0])).shape[::2] == (4, 3)


def test_category_encoding_with_count_weights() -> None:
    layer = tf.layers.category_encoding(num_tokens=4, output_mode="count")
    found = layer.apply(tf.tensor2d([[0, 1, 1], [3, 0, 3]]), {"countWeights": tf.tensor2d([[1, 2, 3], [4, 5, 6]])})
    np.testing.assert_array_equal(found.numpy(), [[1, 5, 0, 0], [5, 0, 0, 10]])
    same = tf.layers.category_encoding(num_tokens=4, output_mode="int").apply(tf.tensor1d([3, 1]))
    assert same.dtype == "int32"


def test_center_crop_resizes_too_small_images() -> None:
    found = tf.layers.center_crop(height=8, width=3).apply(tf.tensor(IMAGE))
    np.testing.assert_allclose(found.numpy(), tf.image.resize_bilinear(tf.tensor(IMAGE), [8, 3]).numpy())
    single = tf.layers.center_crop(height=2, width=2).apply(tf.tensor(IMAGE[0]))
    np.testing.assert_array_equal(single.numpy(), IMAGE[0, 1:3, 2:4])


def test_lambda_layer_with_arguments() -> None:
    layer = tf.layers.lambda_(function=lambda x, power: x.pow(power).sum(-1, True), arguments={"power": 2})
    entry = tf.input(shape=[None, 3])
    output = layer.apply(entry)
    assert output.shape == (None, None, 1)
    model = tf.model(inputs=entry, outputs=output)
    x = RNG.normal(size=(2, 5, 3)).astype(np.float32)
    np.testing.assert_allclose(model.predict(x).numpy(), (x**2).sum(-1, keepdims=True), rtol=ACCUMULATED)


def test_lambda_layer_with_several_inputs_and_outputs() -> None:
    layer = tf.layers.lambda_(function=lambda inputs: [inputs[0].add(inputs[1]), inputs[0].mean(1)])
    a, b = tf.input(shape=[3]), tf.input(shape=[3])
    assert [t.shape for t in layer.apply([a, b])] == [(None, 3), (None,)]


def double(x: Any) -> Any:
    return x.mul(2)


def test_lambda_function_is_saved_by_name() -> None:
    layer = tf.layers.lambda_(function=double, shape=[3])
    config = layer.get_config()
    assert config["function"] == "double"
    again = type(layer).from_config(config, {"double": double})
    np.testing.assert_array_equal(again.apply(tf.ones([1, 3])).numpy(), [[2, 2, 2]])
    with pytest.raises(ValueError, match="double"):
        type(layer).from_config(config)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.layers.random_width(factor=-0.5), "factor"),
        (lambda: tf.layers.random_width(factor=[-2, 1]), "factor"),
        (lambda: tf.layers.random_width(factor=[0.5, 0.1]), "factor"),
        (lambda: tf.layers.random_width(factor="wide"), "factor"),
        (lambda: tf.layers.random_width(factor=0.5).apply(tf.ones([2, 3])), "rank 3 or 4"),
        (lambda: tf.layers.resizing(height=2), "width"),
        (lambda: tf.layers.resizing(height=0, width=2), "height"),
        (lambda: tf.layers.resizing(height=2, width=2, interpolation="cubic"), "interpolation"),
        (lambda: tf.layers.category_encoding(num_tokens=3).apply(tf.tensor2d([[3]])), "0 to 2"),
        (lambda: tf.layers.category_encoding(num_tokens=3, output_mode="some"), "output_mode"),
        (lambda: tf.layers.category_encoding(num_tokens=0), "num_tokens"),
        (lambda: tf.layers.category_encoding(num_tokens=3).apply(tf.ones([1, 2]), count_weights=tf.ones([1, 2])), "count"),
        (lambda: tf.layers.rescaling(), "scale"),
        (lambda: tf.layers.lambda_(function=3), "function"),
        (lambda: tf.layers.prelu(shared_axes=[9]).apply(tf.ones([2, 2])), "shared_axes"),
        (lambda: tf.layers.relu(max_value=-1), "max_value"),
    ],
)  # fmt: skip
def test_invalid_arguments_raise(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()
