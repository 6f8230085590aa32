"""Learn to write like Shakespeare's sonnets, letter by letter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from common import options

import tfpy as tf

WINDOW = 40


class Text:
    """A string as numbers: windows of letters, and the letter after each."""

    def __init__(self, text: str) -> None:
        self.letters = sorted(set(text))
        self.indices = np.array([self.letters.index(letter) for letter in text], np.int32)
        self._one_hot = np.eye(len(self.letters), dtype=np.float32)

    def windows(self, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Random windows, (count, window, letters), and the next letters, (count, letters)."""
        starts = rng.integers(0, len(self.indices) - WINDOW, count)
        x = self.indices[starts[:, None] + np.arange(WINDOW)]
        return self._one_hot[x], self._one_hot[self.indices[starts + WINDOW]]

    def encode(self, indices: Sequence[int]) -> np.ndarray:
        return self._one_hot[np.array(indices)][None]


def write(model: tf.Sequential, text: Text, length: int, temperature: float, rng: np.random.Generator) -> str:
    """Continue the text from a random position; a higher temperature makes less likely letters more frequent."""
    start = int(rng.integers(0, len(text.indices) - WINDOW))
    found = text.indices[start : start + WINDOW].tolist()
    for _ in range(length):
        scores = np.log(model.predict(text.encode(found[-WINDOW:])).numpy()[0].astype(float) + 1e-9) / temperature
        chances = np.exp(scores - scores.max())
        found.append(int(rng.choice(len(chances), p=chances / chances.sum())))
    return "".join(text.letters[i] for i in found)


def main(arguments: Sequence[str] | None = None) -> list[float]:
    given = options(__doc__, arguments)
    rng = np.random.default_rng(1)
    text = Text(tf.datasets.sonnets()[: 20_000 if given.quick else None])
    model = tf.sequential()
    model.add(tf.layers.lstm(units=32 if given.quick else 64, input_shape=[WINDOW, len(text.letters)]))
    model.add(tf.layers.dense(units=len(text.letters), activation="softmax"))
    model.compile(optimizer=tf.train.rmsprop(0.01), loss="categoricalCrossentropy")
    model.summary()

    losses = []
    for round_ in range(2 if given.quick else 12):
        x, y = text.windows(256 if given.quick else 4096, rng)
        losses += model.fit(x, y, batch_size=64 if given.quick else 128, verbose=0).history["loss"]
        print(f"round {round_ + 1}: loss {losses[-1]:.3f}")
    for temperature in (0.5, 1.0):
        written = write(model, text, 30 if given.quick else 300, temperature, rng)
        print(f"\ntemperature {temperature}:\n{written}")
    return losses


if __name__ == "__main__":
    main()
