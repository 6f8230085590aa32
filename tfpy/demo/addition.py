"""Adding two numbers, letter by letter: the addition-rnn of the TF.js examples."""

from __future__ import annotations

from typing import Any

import numpy as np

import tfpy as tf

_LETTERS = "0123456789+ "
_DIGITS = 2
_QUESTION = 2 * _DIGITS + 1
_ANSWER = _DIGITS + 1


def _encoded(texts: list[str], length: int) -> Any:
    """(strings, length, letters): a 1 for each letter, strings padded with blanks."""
    indices = [[_LETTERS.index(letter) for letter in text.ljust(length)] for text in texts]
    return np.eye(len(_LETTERS), dtype=np.float32)[indices]


def _decoded(scores: Any) -> list[str]:
    return ["".join(_LETTERS[i] for i in row).strip() for row in scores.argmax(-1)]


def _sums(count: int, seed: int) -> list[tuple[int, int]]:
    """Different sums of two numbers of up to two digits."""
    most = 10**_DIGITS
    picked = np.random.default_rng(seed).permutation(most * most)[:count]
    return [(int(n) // most, int(n) % most) for n in picked]


def _model(hidden: int = 128) -> tf.Sequential:
    """One network reads the question, a second one writes the answer."""
    model = tf.sequential()
    options = {"units": hidden, "recurrent_initializer": "glorotNormal"}
    model.add(tf.layers.simple_rnn(options | {"input_shape": [_QUESTION, len(_LETTERS)]}))
    model.add(tf.layers.repeat_vector(n=_ANSWER))
    model.add(tf.layers.simple_rnn(options | {"return_sequences": True}))
    model.add(tf.layers.time_distributed(layer=tf.layers.dense(units=len(_LETTERS), activation="softmax")))
    model.compile(optimizer=tf.train.adam(0.005), loss="categoricalCrossentropy", metrics=["accuracy"])
    return model


def learn_to_add(epochs: int, examples: int = 5000, enough: float = 0.97, seed: int = 1) -> float:
    """Train until enough letters of unseen answers are right, and show some of them.

    Returns:
        The part of the letters of unseen answers that were right in the end.
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
    print(f"\n{float(accuracy):.1%} of the letters of {examples - split} sums that it has never seen are right:")
    found = _decoded(model.predict(x[split : split + 6]).numpy())
    for question, answer, right in zip(questions[split:], found, answers[split:], strict=False):
        print(f"  {question:>5} = {answer:<3} {'' if answer == right else f'(it is {right})'}")
    return float(accuracy)
