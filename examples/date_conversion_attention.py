"""Convert dates from many formats ('JUL 14, 2019') to one ('2019-07-14'): two networks with attention between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta

import numpy as np
from common import options

import tfpy as tf

MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
FORMS: list[Callable[[date], str]] = [
    lambda d: f"{d.day:02}{MONTHS[d.month - 1]}{d.year}",
    lambda d: f"{d.month:02}/{d.day:02}/{d.year}",
    lambda d: f"{d.month}/{d.day}/{d.year % 100:02}",
    lambda d: f"{MONTHS[d.month - 1]} {d.day:02}, {d.year}",
    lambda d: f"{d.day:02}.{d.month:02}.{d.year}",
    lambda d: f"{d.year}.{d.month:02}.{d.day:02}",
    lambda d: f"{d.year}{d.month:02}{d.day:02}",
    lambda d: f"{d.year}-{d.month}-{d.day}",
]
# 0 is padding, and 1 the start of an answer.
INPUT_LETTERS = "\n" + "0123456789/-., " + "ABCDEFGHIJLMNOPRSTUVY"
OUTPUT_LETTERS = "\n\t" + "0123456789-"
INPUT_LENGTH, OUTPUT_LENGTH = 12, 10


def indices(texts: Sequence[str], letters: str, length: int) -> np.ndarray:
    return np.array([[letters.index(letter) for letter in text.ljust(length, "\n")] for text in texts], np.float32)


def samples(count: int, seed: int) -> tuple[list[np.ndarray], np.ndarray, list[str], list[str]]:
    """Dates in any format, the answers shifted by one letter, and the answers, as numbers; and both as strings."""
    rng = np.random.default_rng(seed)
    days = [date(1950, 1, 1) + timedelta(int(n)) for n in rng.integers(0, 365 * 100, count)]
    given = [FORMS[int(rng.integers(len(FORMS)))](day) for day in days]
    right = [day.isoformat() for day in days]
    y = indices(right, OUTPUT_LETTERS, OUTPUT_LENGTH)
    shifted = np.concatenate([np.ones((count, 1), np.float32), y[:, :-1]], 1)
    one_hot = np.eye(len(OUTPUT_LETTERS), dtype=np.float32)[y.astype(int)]
    return [indices(given, INPUT_LETTERS, INPUT_LENGTH), shifted], one_hot, given, right


def network(units: int) -> tf.LayersModel:
    """The decoder attends to the letters that matter for the next one."""
    question = tf.input(shape=[INPUT_LENGTH])
    answer = tf.input(shape=[OUTPUT_LENGTH])
    read = tf.layers.embedding(input_dim=len(INPUT_LETTERS), output_dim=units, input_length=INPUT_LENGTH)
    encoder = tf.layers.lstm(units=units, return_sequences=True, return_state=True)
    encoded, hidden, cell = encoder.apply(read.apply(question))
    written = tf.layers.embedding(input_dim=len(OUTPUT_LETTERS), output_dim=units, input_length=OUTPUT_LENGTH)
    decoder = tf.layers.lstm(units=units, return_sequences=True)
    decoded = decoder.apply(written.apply(answer), {"initial_state": [hidden, cell]})

    scores = tf.layers.dot(axes=[2, 2]).apply([decoded, encoded])
    attention = tf.layers.activation(activation="softmax", name="attention").apply(scores)
    context = tf.layers.dot(axes=[2, 1]).apply([attention, encoded])
    both = tf.layers.concatenate().apply([context, decoded])
    joined = tf.layers.time_distributed(layer=tf.layers.dense(units=units, activation="tanh")).apply(both)
    last = tf.layers.dense(units=len(OUTPUT_LETTERS), activation="softmax")
    model = tf.model(inputs=[question, answer], outputs=tf.layers.time_distributed(layer=last).apply(joined))
    model.compile(optimizer=tf.train.adam(0.01), loss="categoricalCrossentropy", metrics=["accuracy"])
    return model


def convert(model: tf.LayersModel, texts: Sequence[str]) -> list[str]:
    """Write the answers letter by letter."""
    question = indices(texts, INPUT_LETTERS, INPUT_LENGTH)
    answer = np.zeros((len(texts), OUTPUT_LENGTH), np.float32)
    answer[:, 0] = 1
    found = np.zeros((len(texts), OUTPUT_LENGTH), int)
    for at in range(OUTPUT_LENGTH):
        found[:, at] = model.predict([question, answer]).numpy()[:, at].argmax(-1)
        if at + 1 < OUTPUT_LENGTH:
            answer[:, at + 1] = found[:, at]
    return ["".join(OUTPUT_LETTERS[i] for i in row) for row in found]


def main(arguments: Sequence[str] | None = None) -> float:
    given = options(__doc__, arguments)
    x, y, _, _ = samples(300 if given.quick else 10_000, 1)
    model = network(16 if given.quick else 64)
    model.summary()
    history = model.fit(x, y, epochs=2 if given.quick else 4, batch_size=32 if given.quick else 128, seed=1, verbose=2)
    _, _, questions, answers = samples(6, 2)
    for question, found, right in zip(questions, convert(model, questions), answers, strict=True):
        print(f"{question:>12} → {found!r} {'' if found == right else f'(no, {right})'}")
    return history.history["acc"][-1]


if __name__ == "__main__":
    main()
