"""A custom layer: the antirectifier, which keeps what a rectifier discards."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from common import drawn_digits, options

import tfpy as tf


@tf.serialization.register_class
class Antirectifier(tf.layers.Layer):
    """The positive part and the negative part of its input, concatenated: (…, n) → (…, 2n)."""

    class_name = "Antirectifier"

    def compute_output_shape(self, input_shape: Any) -> Any:
        return (*input_shape[:-1], 2 * input_shape[-1])

    def call(self, inputs: Any, **arguments: Any) -> Any:
        x = inputs[0] if isinstance(inputs, list) else inputs
        centered = x - x.mean(-1, True)
        return tf.concat([centered.relu(), (-centered).relu()], -1)


def main(arguments: Sequence[str] | None = None) -> float:
    given = options(__doc__, arguments)
    x, y = drawn_digits(500 if given.quick else 4000)
    model = tf.sequential()
    model.add(tf.layers.flatten(input_shape=[28, 28, 1]))
    model.add(tf.layers.dense(units=32))
    model.add(Antirectifier())
    model.add(tf.layers.dense(units=10, activation="softmax"))
    model.compile(optimizer="adam", loss="sparseCategoricalCrossentropy", metrics=["accuracy"])
    model.summary()
    model.fit(x, y, epochs=6 if given.quick else 12, seed=1, verbose=2, validation_split=0.1)

    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a page must define the layer, too
        model.save(Path(folder) / "digits")
        again = tf.load_layers_model(Path(folder) / "digits")
    difference = float((again.predict(x[:10]) - model.predict(x[:10])).abs().max())
    print(f"saved and loaded: predictions differ by {difference}")
    assert difference == 0
    return float(np.mean(model.predict(x).arg_max(1).data_sync() == y))


if __name__ == "__main__":
    main()
