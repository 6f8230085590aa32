"""Classify digits with a convolutional network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from common import drawn_digits, options

import tfpy as tf


def network() -> tf.Sequential:
    """Two convolutions, each with pooling, then a classifier."""
    model = tf.sequential()
    model.add(tf.layers.conv2d(filters=8, kernel_size=5, activation="relu", input_shape=[28, 28, 1]))
    model.add(tf.layers.max_pooling2d(pool_size=2))
    model.add(tf.layers.conv2d(filters=16, kernel_size=5, activation="relu"))
    model.add(tf.layers.max_pooling2d(pool_size=2))
    model.add(tf.layers.flatten())
    model.add(tf.layers.dense(units=10, activation="softmax"))
    model.compile(optimizer=tf.train.adam(0.003), loss="sparseCategoricalCrossentropy", metrics=["accuracy"])
    return model


def digits(real: bool, count: int) -> Any:
    """Images and labels, for training and for testing."""
    if not real:
        return drawn_digits(count, 1), drawn_digits(count // 5, 2)
    train, test = tf.datasets.mnist()
    return tuple((part.x[..., None].astype(np.float32) / 255, part.y) for part in (train, test))


def main(arguments: Sequence[str] | None = None) -> float:
    given = options(__doc__, arguments, mnist="train on MNIST, which is downloaded once (11 MB)")
    (x_train, y_train), (x_test, y_test) = digits(given.mnist, 600 if given.quick else 3000)
    model = network()
    model.summary()
    model.fit(
        x_train, y_train, epochs=4, batch_size=32 if given.quick else 128, seed=1, verbose=2, validation_split=0.1
    )
    _, accuracy = model.evaluate(x_test, y_test, batch_size=256)
    print(f"{float(accuracy):.1%} of {len(x_test)} digits that it has never seen are read right.")
    return float(accuracy)


if __name__ == "__main__":
    main()
