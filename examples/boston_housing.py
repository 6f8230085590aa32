"""Predict house prices: linear regression compared with networks with one and two hidden layers."""

from __future__ import annotations

from collections.abc import Sequence

from common import options

import tfpy as tf


def networks(features: int) -> dict[str, tf.Sequential]:
    """The models to compare."""
    hidden = {"units": 50, "activation": "sigmoid", "kernel_initializer": "leCunNormal"}
    return {
        "a line": tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[features])]),
        "one hidden layer": tf.sequential(
            layers=[tf.layers.dense(hidden, input_shape=[features]), tf.layers.dense(units=1)]
        ),
        "two hidden layers": tf.sequential(
            layers=[tf.layers.dense(hidden, input_shape=[features]), tf.layers.dense(hidden), tf.layers.dense(units=1)]
        ),
    }


def main(arguments: Sequence[str] | None = None) -> dict[str, float]:
    given = options(__doc__, arguments)
    (x_train, y_train), (x_test, y_test) = tf.datasets.housing()
    mean, deviation = x_train.mean(0), x_train.std(0)
    x_train, x_test = (x_train - mean) / deviation, (x_test - mean) / deviation
    guess = float(((y_test - y_train.mean()) ** 2).mean())
    print(f"{'always the mean price':>22}: squared error {guess:.2f}")

    found = {"the mean": guess}
    for name, model in networks(x_train.shape[1]).items():
        model.compile(optimizer=tf.train.sgd(0.01), loss="meanSquaredError")
        epochs = 20 if given.quick else 200
        model.fit(x_train, y_train, epochs=epochs, batch_size=40, seed=1, verbose=0, validation_split=0.2)
        found[name] = float(model.evaluate(x_test, y_test, batch_size=40))
        print(f"{name:>22}: squared error {found[name]:.2f}")
    return found


if __name__ == "__main__":
    main()
