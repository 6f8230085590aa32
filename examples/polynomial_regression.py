"""Find the coefficients of a cubic polynomial from noisy points, with only variables and an optimizer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from common import options

import tfpy as tf

TRUE = (-0.8, -0.2, 0.9, 0.5)  # of x³, x², x and 1


def points(count: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Points of the polynomial with noise."""
    rng = np.random.default_rng(4)
    x = rng.uniform(-1, 1, count)
    y = np.polyval(TRUE, x) + rng.normal(0, 0.04, count)
    return tf.tensor1d(x), tf.tensor1d(y)


def main(arguments: Sequence[str] | None = None) -> list[float]:
    given = options(__doc__, arguments)
    xs, ys = points(100)
    found = [tf.variable(tf.scalar(value)) for value in (0.3, 0.1, -0.4, 0.2)]

    def predict(x: tf.Tensor) -> tf.Tensor:
        a, b, c, d = found
        return a * x**3 + b * x**2 + c * x + d

    def loss() -> tf.Tensor:
        return (predict(xs) - ys).square().mean()

    optimizer = tf.train.sgd(0.5)
    for step in range(75 if given.quick else 400):
        with tf.tidy():
            cost = optimizer.minimize(loss, return_cost=True)
            if step % 25 == 0:
                print(f"step {step:3}: loss {float(cost):.5f}")

    coefficients = [float(value) for value in found]
    for name, value, right in zip("abcd", coefficients, TRUE, strict=True):
        print(f"{name} = {value:6.3f}   (the true one: {right})")
    return coefficients


if __name__ == "__main__":
    main()
