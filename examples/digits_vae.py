"""A variational autoencoder: it encodes digits as a few numbers, and generates new digits from random numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from common import drawn_digits, options

import tfpy as tf

LATENT = 8  # numbers that encode an image
SHADES = " .:-=+*#%@"


def encoder() -> tf.LayersModel:
    """Images (28, 28, 1) to the means and the logarithms of the variances of their codes, (LATENT,) each."""
    picture = tf.input(shape=[28, 28, 1])
    x = tf.layers.flatten().apply(picture)
    x = tf.layers.dense(units=256, activation="relu").apply(x)
    outputs = [tf.layers.dense(units=LATENT, name=name).apply(x) for name in ("mean", "log_variance")]
    return tf.model(inputs=picture, outputs=outputs)


def decoder() -> tf.Sequential:
    """Codes (LATENT,) to the logits of images (28, 28, 1)."""
    model = tf.sequential()
    model.add(tf.layers.dense(units=7 * 7 * 16, activation="relu", input_shape=[LATENT]))
    model.add(tf.layers.reshape(target_shape=[7, 7, 16]))
    model.add(tf.layers.conv2d_transpose(filters=16, kernel_size=4, strides=2, padding="same", activation="relu"))
    model.add(tf.layers.conv2d_transpose(filters=1, kernel_size=4, strides=2, padding="same"))
    return model


def loss_of(encode: tf.LayersModel, decode: tf.Sequential, pictures: tf.Tensor) -> tf.Tensor:
    """The negative evidence lower bound of Kingma and Welling (2013), averaged over images."""
    mean, log_variance = encode.apply(pictures)
    noise = tf.random_normal(mean.shape)
    numbers = mean.add(noise.mul(log_variance.mul(0.5).exp()))
    logits = decode.apply(numbers)
    per_pixel = tf.losses.sigmoid_cross_entropy(pictures, logits, reduction=tf.Reduction.NONE)
    unlike = per_pixel.sum([1, 2, 3])
    far = mean.square().add(log_variance.exp()).sub(log_variance).sub(1).sum(1).mul(0.5)
    return unlike.add(far).mean()


def show(pictures: np.ndarray) -> None:
    """Print images (count, 28, 28) side by side, one character for 2 x 1 pixels."""
    shades = (pictures[:, ::2] * (len(SHADES) - 1)).round().astype(int)
    for row in range(shades.shape[1]):
        print(" ".join("".join(SHADES[n] for n in picture[row]) for picture in shades))


def main(arguments: Sequence[str] | None = None) -> list[float]:
    given = options(__doc__, arguments)
    pictures, _ = drawn_digits(500 if given.quick else 4000)
    encode, decode = encoder(), decoder()
    weights = [*encode.get_weights(), *decode.get_weights()]
    optimizer = tf.train.adam(0.002)
    batches = tf.data.array(pictures).shuffle(len(pictures), "digits").batch(50)
    history: list[float] = []
    for epoch in range(3 if given.quick else 15):
        losses = [
            float(optimizer.minimize(lambda x=batch: loss_of(encode, decode, x), True, weights)) for batch in batches
        ]
        history.append(sum(losses) / len(losses))
        print(f"epoch {epoch + 1:2}: {history[-1]:.1f}")
    numbers = tf.random_normal([3, LATENT], seed=7)
    show(decode.predict(numbers).sigmoid().numpy()[..., 0])
    return history


if __name__ == "__main__":
    main()
