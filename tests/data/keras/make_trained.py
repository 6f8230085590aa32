"""Create keras3/trained, partially trained models, with Keras 3: `python make_trained.py`.

For each optimizer NAME.keras, for one also NAME.h5; trained.npz has the data, and the weights after three more steps
in Keras.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import keras
import numpy as np

FOLDER = Path(__file__).parent / "keras3" / "trained"
MAKERS = keras.optimizers
OPTIMIZERS = {
    "sgd": lambda: MAKERS.SGD(0.05),
    "momentum": lambda: MAKERS.SGD(0.05, momentum=0.9, nesterov=True),
    "rmsprop": lambda: MAKERS.RMSprop(0.01),
    "centered": lambda: MAKERS.RMSprop(0.01, momentum=0.5, centered=True),
    "adagrad": lambda: MAKERS.Adagrad(0.1),
    "adam": lambda: MAKERS.Adam(0.02),
    "adamw": lambda: MAKERS.AdamW(0.02),
    "adamax": lambda: MAKERS.Adamax(0.02),
    "nadam": lambda: MAKERS.Nadam(0.02),
}


def model(optimizer: Any) -> Any:
    layers = [keras.layers.Dense(3, activation="tanh"), keras.layers.BatchNormalization(), keras.layers.Dense(2)]
    built = keras.Sequential([keras.Input((4,)), *layers])
    built.compile(optimizer=optimizer, loss=keras.losses.MeanSquaredError())
    return built


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    random = np.random.default_rng(11)
    x, y = random.normal(size=(12, 4)).astype(np.float32), random.normal(size=(12, 2)).astype(np.float32)
    found = {"x": x, "y": y}
    for name, optimizer in OPTIMIZERS.items():
        keras.backend.clear_session()
        keras.utils.set_random_seed(7)
        trained = model(optimizer())
        trained.fit(x, y, epochs=2, batch_size=4, shuffle=False, verbose=0)
        trained.save(FOLDER / f"{name}.keras")
        if name == "adam":
            trained.save(FOLDER / f"{name}.h5")
        trained.fit(x, y, epochs=1, batch_size=4, shuffle=False, verbose=0)
        found |= {f"{name}.{i}": w for i, w in enumerate(trained.get_weights())}
    np.savez_compressed(FOLDER / "trained.npz", **found)


if __name__ == "__main__":
    main()
