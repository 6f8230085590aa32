"""Learn to add two numbers: questions and answers are strings, processed letter by letter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from common import options

import tfpy as tf

LETTERS = "0123456789+ "


def encoded(texts: Sequence[str], length: int) -> np.ndarray:
    """One-hot letters of each text, padded with spaces: (strings, length, letters)."""
    rows = [[LETTERS.index(letter) for letter in text.ljust(length)] for text in texts]
    return np.eye(len(LETTERS), dtype=np.float32)[rows]


def decoded(scores: np.ndarray) -> list[str]:
    return ["".join(LETTERS[i] for i in row).rstrip() for row in scores.argmax(-1)]


def network(digits: int, units: int) -> tf.Sequential:
    """An encoder network reads the question, a decoder network writes the answer."""
    model = tf.sequential()
    model.add(tf.layers.gru(units=units, input_shape=[2 * digits + 1, len(LETTERS)]))
    model.add(tf.layers.repeat_vector(n=digits + 1))
    model.add(tf.layers.gru(units=units, return_sequences=True))
    model.add(tf.layers.time_distributed(layer=tf.layers.dense(units=len(LETTERS), activation="softmax")))
    model.compile(optimizer=tf.train.adam(0.01), loss="categoricalCrossentropy", metrics=["accuracy"])
    return model


def main(arguments: Sequence[str] | None = None) -> float:
    given = options(__doc__, arguments)
    digits, count = (1, 100) if given.quick else (2, 5000)
    picked = np.random.default_rng(1).permutation(10 ** (2 * digits))[:count]
    sums = [divmod(int(n), 10**digits) for n in picked]
    questions, answers = [f"{a}+{b}" for a, b in sums], [str(a + b) for a, b in sums]
    x, y = encoded(questions, 2 * digits + 1), encoded(answers, digits + 1)

    model = network(digits, 32 if given.quick else 64)
    model.summary()
    batch = 16 if given.quick else 128
    model.fit(x, y, epochs=15 if given.quick else 40, batch_size=batch, seed=1, verbose=2, validation_split=0.1)
    last = slice(-5, None)
    for question, found, right in zip(
        questions[last], decoded(model.predict(x[last]).numpy()), answers[last], strict=True
    ):
        print(f"{question} = {found:<{digits + 1}} {'' if found == right else f'(no, {right})'}")
    _, accuracy = model.evaluate(x, y)
    return float(accuracy)


if __name__ == "__main__":
    main()
