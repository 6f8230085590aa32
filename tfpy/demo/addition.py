"""Adding two numbers, character by character: `addition-rnn` of the TF.js examples."""

from __future__ import annotations

from typing import Any

import numpy as np

import tfpy as tf

_CHARACTERS = "0123456789+ "
_DIGITS = 2
_QUESTION = 2 * _DIGITS + 1
_ANSWER = _DIGITS + 1


def _encoded(texts: list[str], length: int) -> Any:
    """Strings, padded with blanks, as one-hot vectors: (strings, length, characters)."""
    indices = [[_CHARACTERS.index(letter) for letter in text.ljust(length)] for text in texts]
    return np.eye(len(_CHARACTERS), dtype=np.float32)[indices]


def _decoded(scores: Any) -> list[str]:
    return ["".join(_CHARACTERS[i] for i in row).strip() for row in scores.argmax(-1)]


def _sums(count: int, seed: int) -> list[tuple[int, int]]:
    """Distinct pairs of numbers of up to two digits."""
    most = 10**_DIGITS
    picked = np.random.default_rng(seed).permutation(most * most)[:count]
    return [(int(n) // most, int(n) % most) for n in picked]


def _model(hidden: int = 128) -> tf.Sequential:
    """An encoder that reads the question, and a decoder that writes the answer."""
    model = tf.sequential()
    options = {"units": hidden, "recurrent_initializer": "glorotNormal"}
    model.add(tf.layers.simple_rnn(options | {"input_shape": [_QUESTION, len(_CHARACTERS)]}))
    model.add(tf.layers.repeat_vector(n=_ANSWER))
    model.add(tf.layers.simple_rnn(options | {"return_sequences": True}))
    model.add(tf.layers.time_distributed(layer=tf.layers.dense(units=len(_CHARACTERS), activation="softmax")))
    model.compile(optimizer=tf.train.adam(0.005), loss="categoricalCrossentropy", metrics=["accuracy"])
    return model


def learn_to_add(epochs: int, examples: int = 5000, enough: float = 0.97, seed: int = 1) -> float:
    """Train until enough characters of the validation answers are right, and print some of these.

    Returns:
        The final fraction of correct characters in the validation answers.
    """
    sums = _sums(examples, seed)
    questions, answers = [f"{a}+{b}" for a, b in sums], [str(a + b) for a, b in sums]
    x, y = _encoded(questions, _QUESTION), _encoded(answers, _ANSWER)
    split = examples * 9 // 10
    model = _model()
    model.summary()

    def stop_when_good(epoch: int, logs: dict[str, float]) -> None:
        model.stop_training = logs["val_acc"] >= enough

    model.fit(
        x[:split], y[:split], batch_size=128, epochs=epochs, seed=seed,
        validation_data=(x[split:], y[split:]), callbacks={"onEpochEnd": stop_when_good},
    )  # fmt: skip
    _, accuracy = model.evaluate(x[split:], y[split:])
    print(f"\n{float(accuracy):.1%} of the characters of {examples - split} new sums are right:")
    found = _decoded(model.predict(x[split : split + 6]).numpy())
    for question, answer, right in zip(questions[split:], found, answers[split:], strict=False):
        print(f"  {question:>5} = {answer:<3} {'' if answer == right else f'(it is {right})'}")
    return float(accuracy)
