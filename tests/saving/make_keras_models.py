"""Create the saved models in keras2/ and keras3/; run once by hand, not with the tests.

    KERAS_BACKEND=jax python make_keras_models.py keras3      (keras 3.15, jax)
    python make_keras_models.py keras2                        (tensorflow 2.15 with keras 2.15, tensorflowjs 4.22)

Each folder gets the model in the format of the TensorFlow.js converter, and expected.json with inputs and Keras's predictions.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
random = np.random.default_rng(5)


def models(keras: Any) -> dict[str, tuple[Any, list[np.ndarray[Any, Any]]]]:
    """Models by name, with inputs."""
    layers = keras.layers
    xs = random.normal(size=(2, 4)).astype(np.float32)
    sequence = random.normal(size=(2, 5, 3)).astype(np.float32)
    words = random.integers(0, 7, (2, 5)).astype(np.int32)

    dense = keras.Sequential(
        [
            keras.Input((4,)),
            layers.Dense(3, activation="relu", kernel_regularizer="l2"),
            layers.Dropout(0.5),
            layers.Dense(2, activation="softmax"),
        ]
    )
    deferred = keras.Sequential([layers.Dense(3, activation="tanh"), layers.Dense(1)])
    deferred.build((None, 4))
    recurrent = keras.Sequential(
        [
            keras.Input((5, 3)),
            layers.LSTM(4, return_sequences=True),
            layers.GRU(3, return_sequences=True, reset_after=False),
            layers.TimeDistributed(layers.Dense(2)),
            layers.SimpleRNN(2),
        ]
    )
    embedded = keras.Sequential(
        [keras.Input((5,), dtype="int32"), layers.Embedding(7, 3), layers.Flatten(), layers.Dense(2)]
    )

    inner = keras.Sequential([keras.Input((4,)), layers.Dense(4, name="inner_dense")], name="inner")
    inner_input = keras.Input((4,))
    branch = keras.Model(
        inner_input, layers.Dense(4, activation="elu", name="branch_dense")(inner_input), name="branch"
    )
    shared = layers.Dense(4, name="shared")
    x = keras.Input((4,), name="x")
    y = branch(shared(inner(shared(x))))
    nested = keras.Model(x, [branch(y), inner(y)], name="nested")

    steps, h, c = keras.Input((5, 3), name="steps"), keras.Input((2,), name="h"), keras.Input((2,), name="c")
    outputs = layers.LSTM(2, return_state=True, name="lstm")(steps, initial_state=[h, c])
    stateful = keras.Model([steps, h, c], [outputs[0], outputs[2]], name="states")
    states = [random.normal(size=(2, 2)).astype(np.float32) for _ in range(2)]
    return {
        "dense": (dense, [xs]),
        "deferred": (deferred, [xs]),
        "recurrent": (recurrent, [sequence]),
        "embedded": (embedded, [words]),
        "nested": (nested, [xs]),
        "states": (stateful, [sequence, *states]),
    }


def record_predictions(folder: Path, model: Any, inputs: list[np.ndarray[Any, Any]]) -> None:
    found = model.predict(inputs if len(inputs) > 1 else inputs[0], verbose=0)
    found = found if isinstance(found, (list, tuple)) else [found]
    expected = {"inputs": [x.tolist() for x in inputs], "outputs": [np.asarray(y).tolist() for y in found]}
    (folder / "expected.json").write_text(json.dumps(expected))


def write_keras3(folder: Path, model: Any) -> None:
    """Write topology and weights with the names of Keras 3."""
    folder.mkdir(parents=True, exist_ok=True)
    specs = [{"name": w.path, "shape": list(w.shape), "dtype": "float32"} for w in model.weights]
    (folder / "weights.bin").write_bytes(b"".join(np.asarray(w, np.float32).tobytes() for w in model.weights))
    content = {
        "format": "layers-model",
        "generatedBy": "keras v3",
        "convertedBy": None,
        "modelTopology": {"keras_version": "3", "backend": "jax", "model_config": json.loads(model.to_json())},
        "weightsManifest": [{"paths": ["weights.bin"], "weights": specs}],
    }
    (folder / "model.json").write_text(json.dumps(content))


def fill(model: Any) -> None:
    model.set_weights([random.normal(0, 0.5, w.shape).astype(np.float32) for w in model.get_weights()])


def main(which: str) -> None:
    if which == "keras3":
        import keras

        for name, (model, inputs) in models(keras).items():
            fill(model)
            write_keras3(HERE / "keras3" / name, model)
            record_predictions(HERE / "keras3" / name, model, inputs)
        return
    import tensorflow as tf
    import tensorflowjs as tfjs

    for name, (model, inputs) in models(tf.keras).items():
        fill(model)
        model.compile("adam", "mse", metrics=["mae"])
        quantized = {"uint16": "*"} if name == "embedded" else None
        folder = HERE / "keras2" / name
        tfjs.converters.save_keras_model(
            model, str(folder), quantization_dtype_map=quantized, weight_shard_size_bytes=200
        )
        record_predictions(folder, model, inputs)


if __name__ == "__main__":
    main(sys.argv[1])
