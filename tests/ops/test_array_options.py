"""Options that are lists of numbers (strides, pads, sizes, axes, shapes) may be numpy arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy import legacy as dl

ToList = Callable[[Any], Any]

RNG = np.random.default_rng(5)
IMAGES = RNG.normal(size=(2, 4, 5, 2)).astype("float32")
FILTER = RNG.normal(size=(2, 3, 2, 3)).astype("float32")
SEQUENCES = RNG.normal(size=(2, 6, 2)).astype("float32")
PAD = [[0, 0], [1, 0], [1, 1], [0, 0]]

CASES: dict[str, Callable[[ToList], Any]] = {
    "conv2d strides": lambda a: tf.conv2d(IMAGES, FILTER, a([1, 2]), "same"),
    "conv2d dilations": lambda a: tf.conv2d(IMAGES, FILTER, 1, "valid", "NHWC", a([2, 1])),
    "conv2d pad": lambda a: tf.conv2d(IMAGES, FILTER, 1, a(PAD)),
    "conv1d stride": lambda a: tf.conv1d(SEQUENCES, FILTER[0], a([2]), a([[0, 0], [1, 2], [0, 0]])),
    "conv2d_transpose": lambda a: tf.conv2d_transpose(
        IMAGES, FILTER.transpose(0, 1, 3, 2), a([2, 8, 5, 3]), a([2, 1]), "same"
    ),
    "max_pool": lambda a: tf.max_pool(IMAGES, a([2, 3]), a([2, 1]), "same"),
    "avg_pool pad": lambda a: tf.avg_pool(IMAGES, 2, 1, a(PAD)),
    "pool": lambda a: tf.pool(IMAGES, a([2, 2]), "max", a([[0, 0], *PAD[1:3], [0, 0]]), a([1, 1]), a([1, 2])),
    "dilation2d": lambda a: tf.dilation2d(IMAGES, FILTER[..., 0], a([1, 2]), "same", a([1, 1])),
    "split": lambda a: tf.split(IMAGES, a([1, -1]), 1)[1],
    "pad": lambda a: tf.pad(IMAGES, a(PAD)),
    "slice": lambda a: tf.slice(IMAGES, a([0, 1, 0, 0]), a([1, 2, -1, 1])),
    "transpose": lambda a: tf.transpose(IMAGES, a([0, 2, 1, 3])),
    "sum": lambda a: tf.sum(IMAGES, a([0, -1])),
    "resize": lambda a: tf.image.resize_bilinear(IMAGES, a([2, 3])),
    "rotate": lambda a: tf.image.rotate_with_offset(IMAGES, 0.5, a([1.5, 2.5]), a([0.25, 0.75])),
    "layers.conv2d": lambda a: tf.layers.conv2d(
        filters=3, kernel_size=a([2, 3]), strides=a([1, 2]), weights=[FILTER, np.ones(3)]
    ).apply(tf.tensor(IMAGES)),
    "layers.max_pooling2d": lambda a: tf.layers.max_pooling2d(pool_size=a([2, 1]), strides=a([1, 2])).apply(IMAGES),
    "layers.zero_padding2d": lambda a: tf.layers.zero_padding2d(padding=a([[1, 0], [2, 1]])).apply(IMAGES),
    "layers.cropping2d": lambda a: tf.layers.cropping2d(cropping=a([1, 2])).apply(IMAGES),
    "layers.up_sampling2d": lambda a: tf.layers.up_sampling2d(size=a([2, 1])).apply(IMAGES),
    "layers.dot": lambda a: tf.layers.dot(axes=a([2, 1])).apply([tf.tensor(SEQUENCES), tf.tensor(SEQUENCES[:, :2])]),
    "layers.prelu": lambda a: tf.layers.prelu(shared_axes=a([1, 2]), alpha_initializer="ones").apply(IMAGES),
    "layers.layer_normalization": lambda a: tf.layers.layer_normalization(axis=a([1, 2])).apply(tf.tensor(SEQUENCES)),
    "layers' input_shape": lambda a: tf.sequential(
        [tf.layers.dense(units=1, input_shape=a([6, 2]), kernel_initializer="ones")]
    ).predict(SEQUENCES),
    "dl.slice2D": lambda a: dl.ENV.math.slice2D(dl.Array2D.new([2, 3], range(6)), a([0, 1]), a([2, 2])),
    "dl.conv2d": lambda a: dl.ENV.math.conv2d(
        dl.Array3D.new(a([4, 5, 2]), IMAGES[0]), dl.Array4D.new(a([2, 3, 2, 3]), FILTER), None, a([2, 1]), "same"
    ),
    "dl.maxPool": lambda a: dl.ENV.math.maxPool(dl.Array3D.new([4, 5, 2], IMAGES[0]), a([2, 2]), a([2, 1]), "same"),
    "dl.resizeBilinear3D": lambda a: dl.ENV.math.resizeBilinear3D(dl.Array3D.new([4, 5, 2], IMAGES[0]), a([2, 3])),
}


@pytest.mark.parametrize("case", CASES)
def test_array_option_equals_list_option(case: str) -> None:
    expected, found = CASES[case](list), CASES[case](np.array)
    assert found.shape == expected.shape
    np.testing.assert_array_equal(found.data_sync(), expected.data_sync())
