"""Training that is killed: `python killed_training.py KIND FOLDER TICKS` exits without cleanup at the given tick.

Each callback event and each step of writing a file is a tick. With TICKS = 0 the training runs to its end. It prints a
digest of the weights and the optimizer's state, and the history.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from typing import Any

import numpy as np

import tfpy as tf

_left = int(sys.argv[3])


def tick(*_: Any) -> None:
    global _left
    _left -= 1
    if _left == 0:
        os._exit(9)


def ticking(function: Any) -> Any:
    def call(*args: Any, **keywords: Any) -> Any:
        tick()
        result = function(*args, **keywords)
        tick()
        return result

    return call


os.replace, os.fsync = ticking(os.replace), ticking(os.fsync)
TICKS = {name: tick for name in ("on_epoch_begin", "on_epoch_end", "on_batch_begin", "on_batch_end", "on_train_end")}


def samples(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=shape).astype(np.float32)


def arrays(folder: str) -> Any:
    """Unseeded shuffling, dropout, callbacks with state, and backups in the middle of epochs."""
    model = tf.sequential()
    model.add(tf.layers.dense(units=7, activation="tanh", input_shape=[5]))
    model.add(tf.layers.dropout(rate=0.4))
    model.add(tf.layers.dense(units=1))
    model.compile(optimizer=tf.train.adam(0.05), loss="meanSquaredError", metrics=["mae"])
    x = samples(40, 5)
    callbacks = [
        TICKS,
        tf.callbacks.early_stopping(monitor="val_loss", patience=3, restore_best_weights=True),
        tf.callbacks.reduce_lr_on_plateau(monitor="loss", patience=1, factor=0.7, min_delta=0.05),
        tf.callbacks.backup_and_restore(folder, save_freq=3),
    ]
    options = {"epochs": 6, "batch_size": 8, "validation_split": 0.2, "verbose": 0}
    return model, model.fit(x, x[:, :1] * x[:, 1:2], **options, callbacks=callbacks)


def epochs(folder: str) -> Any:
    """Seeded shuffling, a learning rate schedule, RMSProp, and a backup after each epoch."""
    model = tf.sequential(layers=[tf.layers.gru(units=4, input_shape=[3, 2]), tf.layers.dense(units=1)])
    model.compile(optimizer="rmsprop", loss="meanSquaredError")
    callbacks = [
        tf.callbacks.backup_and_restore(folder),
        tf.callbacks.learning_rate_scheduler(lambda epoch, rate: rate * 0.9),
        TICKS,
    ]
    options = {"epochs": 5, "batch_size": 5, "seed": 7, "verbose": 0}
    return model, model.fit(samples(18, 3, 2), samples(18, 1), **options, callbacks=callbacks)


def stream(folder: str) -> Any:
    """One pass over a shuffled, repeated data set for all epochs, and a shuffled validation data set."""
    model = tf.sequential(layers=[tf.layers.dense(units=3, input_shape=[2]), tf.layers.dense(units=1)])
    model.compile(optimizer=tf.train.momentum(0.05, 0.9), loss="meanSquaredError")
    data = tf.data.zip({"xs": tf.data.array(samples(22, 2)), "ys": tf.data.array(samples(22, 1))})
    data = data.shuffle(9, seed=5).repeat().batch(4)
    held_out = tf.data.zip((tf.data.array(samples(9, 2)), tf.data.array(samples(9, 1)))).shuffle(5, seed=2).batch(2)
    callbacks = [TICKS, tf.callbacks.backup_and_restore(folder, {"saveFreq": 2})]
    options = {"epochs": 4, "batches_per_epoch": 5, "validation_data": held_out, "verbose": 0}
    return model, model.fit_dataset(data, **options, callbacks=callbacks)


def passes(folder: str) -> Any:
    """A stateful layer, and one pass over a data set per epoch."""
    model = tf.sequential()
    model.add(tf.layers.simple_rnn(units=3, stateful=True, batch_input_shape=[4, 2, 2]))
    model.add(tf.layers.dense(units=1))
    model.compile(optimizer="adagrad", loss="meanSquaredError")
    pairs = (tf.data.array(samples(24, 2, 2)), tf.data.array(samples(24, 1)))
    data = tf.data.zip(pairs).shuffle(24, seed=3).batch(4)
    callbacks = [TICKS, tf.callbacks.backup_and_restore(folder, save_freq=1)]
    return model, model.fit_dataset(data, epochs=3, verbose=0, callbacks=callbacks, validation_data=data)


def main() -> None:
    tf.set_seed(1)
    model, history = {"arrays": arrays, "epochs": epochs, "stream": stream, "passes": passes}[sys.argv[1]](sys.argv[2])
    weights = b"".join(w.numpy().tobytes() for w in model.get_weights())
    slots = b"".join(entry["tensor"].numpy().tobytes() for entry in model.optimizer.get_weights())
    digest = hashlib.sha256(weights + slots).hexdigest()
    after = [float(tf.random_uniform([1]).data_sync()[0]), model.optimizer.learning_rate]
    print(json.dumps([digest, history.epoch, history.history, after]))


if __name__ == "__main__":
    main()
