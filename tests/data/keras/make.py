"""Create the test files with Keras: `python make.py keras` (Keras 3) or `python make.py tf_keras` (Keras 2).
Further arguments are the names of cases; without them all cases are created.

For each model: the files that Keras saves, and in cases.npz inputs and Keras's predictions.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Any

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import numpy as np

name = sys.argv[1]
keras: Any = importlib.import_module(name)
layers = keras.layers
THREE = name == "keras"
FOLDER = Path(__file__).parent / ("keras3" if THREE else "keras2")


def dense() -> Any:
    model = keras.Sequential([keras.Input((4,)), layers.Dense(5, activation="relu"), layers.BatchNormalization()])
    model.add(layers.Dropout(0.3))
    model.add(layers.Dense(3, activation="softmax", kernel_regularizer="l2"))
    model.compile(optimizer="adam", loss="categorical_crossentropy", metrics=["accuracy"])
    x = np.random.rand(8, 4)
    model.fit(x, np.eye(3)[np.arange(8) % 3], epochs=2, verbose=0)
    return model


def images() -> Any:
    given = keras.Input((8, 8, 3))
    x = layers.Conv2D(4, 3, padding="same", activation="relu")(given)
    x = layers.DepthwiseConv2D(3, strides=2, use_bias=False)(x)
    x = layers.SeparableConv2D(5, 2)(layers.ZeroPadding2D(1)(x))
    x = layers.BatchNormalization(scale=False)(x)
    x = layers.Conv2DTranspose(2, 2, strides=2)(layers.LeakyReLU()(x))
    x = layers.MaxPooling2D(2)(layers.UpSampling2D(2)(x))
    return keras.Model(given, layers.Dense(2)(layers.GlobalAveragePooling2D()(x)))


def recurrent() -> Any:
    model = keras.Sequential([keras.Input((6,)), layers.Embedding(7, 4, mask_zero=True)])
    model.add(layers.LSTM(3, return_sequences=True))
    model.add(layers.GRU(3, return_sequences=True))
    model.add(layers.GRU(3, reset_after=False, return_sequences=True))
    model.add(layers.SimpleRNN(2, go_backwards=True))
    return model


def wrapped() -> Any:
    model = keras.Sequential([keras.Input((5, 3))])
    model.add(layers.Bidirectional(layers.LSTM(2, return_sequences=True)))
    model.add(layers.Bidirectional(layers.GRU(2, return_sequences=True), merge_mode="sum"))
    model.add(layers.TimeDistributed(layers.Dense(3)))
    model.add(layers.RNN([layers.LSTMCell(2), layers.GRUCell(3)]))
    return model


def nested() -> Any:
    inner = keras.Sequential([keras.Input((3,)), layers.Dense(2, name="d"), layers.BatchNormalization()], name="inner")
    shared = layers.Dense(2, name="shared")
    a, b = keras.Input((3,), name="a"), keras.Input((3,), name="b")
    joined = layers.Concatenate()([inner(a), inner(b), shared(a), shared(b)])
    outer = keras.Model([a, b], [layers.Add()([shared(a), inner(b)]), layers.Dense(1)(joined)])
    return outer


def attention() -> Any:
    x = given = keras.Input((4, 6))
    x = layers.Add()([x, layers.MultiHeadAttention(2, 3)(x, x)])
    x = layers.LayerNormalization()(x)
    x = layers.Conv1D(4, 2, padding="causal", dilation_rate=2)(x)
    x = layers.PReLU(shared_axes=[1])(layers.Attention()([x, x]))
    return keras.Model(given, layers.GlobalMaxPooling1D()(x))


def masked() -> Any:
    model = keras.Sequential([keras.Input((6,)), layers.Embedding(7, 3, mask_zero=True)])
    model.add(layers.Bidirectional(layers.LSTM(2, return_sequences=True)))
    model.add(layers.Bidirectional(layers.GRU(2, return_sequences=True)))
    return model


def averaged() -> Any:
    x = given = keras.Input((6,))
    x = layers.Embedding(7, 3, mask_zero=True)(x)
    inner = keras.Sequential([keras.Input((6, 3)), layers.Dense(2), layers.GlobalAveragePooling1D()])
    first = layers.GlobalAveragePooling1D(data_format="channels_first")
    outputs = [layers.GlobalAveragePooling1D()(x), layers.GlobalAveragePooling1D(keepdims=True)(x), inner(x)]
    frames = layers.Reshape((6, 1))(given)
    return keras.Model(given, [*outputs, first(layers.Masking()(layers.Concatenate()([frames] * 6)))])


def handed_on() -> Any:
    """Layers that pass masks on; in Keras 2 Rescaling does not."""
    given = keras.Input((6,))
    x = layers.Embedding(7, 3, mask_zero=True)(given)
    handing = [layers.LeakyReLU(), layers.ELU(), layers.Rescaling(2.0), layers.ReLU(), layers.PReLU()]
    return keras.Model(given, [layers.SimpleRNN(2)(layer(x)) for layer in handing])


def within() -> Any:
    """Masks that enter, pass and leave nested models."""
    a, b = keras.Input((6, 3)), keras.Input((6, 3))
    both = keras.Model([a, b], [layers.Dense(2)(b), layers.GRU(2)(a)])
    embedding = keras.Sequential([keras.Input((6,)), layers.Embedding(7, 3, mask_zero=True)])
    given = keras.Input((6,))
    x = embedding(given)
    sequence, last = both([layers.Dense(3)(x), x])
    return keras.Model(given, [layers.GRU(2)(sequence), last])


def attended() -> Any:
    a, b = keras.Input((6,)), keras.Input((6,))
    x, y = layers.Embedding(7, 3, mask_zero=True)(a), layers.Embedding(7, 3, mask_zero=True)(b)
    return keras.Model([a, b], layers.GRU(2)(layers.Attention()([x, y])))


def frames() -> Any:
    model = keras.Sequential([keras.Input((3, 5, 5, 2)), layers.ConvLSTM2D(2, 3, return_sequences=True)])
    model.add(layers.Conv3D(2, 2))
    model.add(layers.Flatten())
    return model


INPUTS = {
    "dense": [(2, 4)],
    "images": [(2, 8, 8, 3)],
    "recurrent": [(2, 6)],
    "wrapped": [(2, 5, 3)],
    "nested": [(2, 3), (2, 3)],
    "attention": [(2, 4, 6)],
    "frames": [(1, 3, 5, 5, 2)],
    "masked": [(2, 6)],
    "averaged": [(2, 6)],
    "handed_on": [(2, 6)],
    "within": [(2, 6)],
    "attended": [(2, 6), (2, 6)],
}
WORDS = [[[1, 2, 3, 4, 5, 6], [3, 2, 1, 0, 0, 0]], [[0, 1, 2, 0, 4, 5], [6, 5, 4, 3, 0, 1]]]


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    recorded = FOLDER / "cases.npz"
    cases: dict[str, Any] = dict(np.load(recorded)) if recorded.exists() else {}
    for case in sys.argv[2:] or INPUTS:
        shapes = INPUTS[case]
        keras.backend.clear_session()
        keras.utils.set_random_seed(7)
        model = globals()[case]()
        model.set_weights(
            [np.round(np.random.uniform(0.1, 0.6, w.shape), 3) - 0.2 * (w.ndim > 1) for w in model.get_weights()]
        )
        xs = [np.random.uniform(-1, 1, s).astype("float32") for s in shapes]
        if shapes[0] == (2, 6):
            xs = [np.array(words, "float32") for words in WORDS[: len(shapes)]]
        ys = model.predict(xs if len(xs) > 1 else xs[0], verbose=0)
        for kind, values in (("x", xs), ("y", ys if isinstance(ys, list) else [ys])):
            cases |= {f"{case}.{kind}{i}": np.asarray(v, np.float32) for i, v in enumerate(values)}
        model.save(FOLDER / f"{case}.keras")
        model.save(FOLDER / f"{case}.h5")
        if case in ("dense", "nested"):
            model.save_weights(FOLDER / f"{case}.weights.h5")
    np.savez_compressed(recorded, **cases)


if __name__ == "__main__":
    main()
