"""Distributed training: `mpiexec -n 2 python training_program.py FOLDER KIND…` writes the results of each process.

Each kind is a function that returns a model and other results to compare, which are written to FOLDER/KIND-RANK.npz.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

import tfpy as tf
from tfpy.layers.saving.keras.mask_rules import KERAS_MASKS
from tfpy.layers.saving.keras.semantics import follow_mask_rules

RANKS = tf.distribute.mpi()
FOLDER = Path(sys.argv[1])


def samples(*shape: int) -> np.ndarray:
    return np.random.default_rng(3).normal(size=shape).astype(np.float32)


def dense(activation: str = "tanh", **options: Any) -> Any:
    model = tf.sequential()
    model.add(tf.layers.dense(units=6, activation=activation, input_shape=[5], kernel_regularizer="l1l2"))
    model.add(tf.layers.dense(units=2))
    model.compile(**{"optimizer": tf.train.adam(0.02), "loss": "meanSquaredError", "distribute": RANKS, **options})
    return model


def arrays() -> Any:
    """Unseeded shuffling; sample weights; a last batch of one sample; validation and evaluation."""
    model = dense(metrics=["mae"])
    x = samples(41, 5)
    options = {"batch_size": 8, "epochs": 3, "validation_split": 0.19, "sample_weight": np.linspace(0, 2, 41)}
    history = model.fit(x, x[:, :2] * x[:, 1:3], **options, verbose=0)
    return model, [history.history, [float(v) for v in model.evaluate(x, x[:, :2], batch_size=16)]]


def batches() -> Any:
    """A shuffled, repeated data set; class weights; RMSProp with a learning rate schedule."""
    model = tf.sequential(layers=[tf.layers.dense(units=3, activation="softmax", input_shape=[5])])
    rate = tf.train.exponential_decay(0.05, 3, 0.9)
    model.compile(optimizer=tf.train.rmsprop(rate), loss="categoricalCrossentropy", metrics=["acc"], distribute=RANKS)
    labels = np.eye(3, dtype=np.float32)[np.arange(26) % 3]
    pairs = (tf.data.array(samples(26, 5)), tf.data.array(labels))
    data = tf.data.zip(pairs).shuffle(9)
    held_out = data.batch(4)
    weights = {0: 1.0, 1: 0.5, 2: 2.0}
    options = {"epochs": 3, "batches_per_epoch": 5, "validation_data": held_out, "class_weight": weights}
    history = model.fit_dataset(data.repeat().batch(6), **options, verbose=0)
    return model, [history.history, [float(v) for v in model.evaluate_dataset(held_out)]]


def several() -> Any:
    """Two inputs and two outputs, with shuffle="batch"."""
    inputs = [tf.input(shape=[3]), tf.input(shape=[2])]
    joined = tf.layers.concatenate().apply([tf.layers.dense(units=4).apply(i) for i in inputs])
    outputs = [tf.layers.dense(units=1, name="a").apply(joined), tf.layers.dense(units=2, name="b").apply(joined)]
    model = tf.model(inputs=inputs, outputs=outputs)
    losses = {"a": "meanSquaredError", "b": "meanAbsoluteError"}
    model.compile(optimizer="adagrad", loss=losses, metrics={"b": "mse"}, distribute=RANKS)
    x, y = [samples(15, 3), samples(15, 2)], [samples(15, 1), samples(15, 2)]
    history = model.fit(x, y, batch_size=4, epochs=3, shuffle="batch", validation_data=(x, y), verbose=0)
    return model, history.history


def steps() -> Any:
    """Single steps, on models whose initial weights differ between processes."""
    tf.set_seed(RANKS.rank + 1)
    model = dense(optimizer=tf.train.momentum(0.05, 0.9))
    x = samples(9, 5)
    return model, [[model.train_on_batch(x, x[:, :2]), model.train_on_batch(x[:1], x[:1, :2])] for _ in range(3)]


def one_optimizer() -> Any:
    """Two models that share an optimizer, which a callback resets."""
    optimizer, x = tf.train.adam(0.05), samples(8, 5)
    first, second = dense(optimizer=optimizer), dense(optimizer=optimizer)
    order = (second, second, first, second, first, first, second)
    losses = [model.train_on_batch(x, x[:, :2]) for model in order]
    first.fit(x, x[:, :2], batch_size=4, verbose=0, callbacks={"onBatchEnd": lambda batch: optimizer.dispose()})
    return second, losses + [model.train_on_batch(x, x[:, :2]) for model in order]


def settings() -> Any:
    """Callbacks change settings of optimizers, also before the first epoch, and replace an optimizer."""
    x = samples(12, 5)
    found = []

    def fit(model: Any, **callbacks: Any) -> None:
        options = {"batch_size": 4, "epochs": 3, "verbose": 0, "callbacks": callbacks}
        found.append(model.fit(x, x[:, :2], **options).history)
        found.append([float(weight.sum().data_sync()[0]) for weight in model.get_weights()])

    adam = dense()
    fit(adam, onBatchEnd=lambda batch: vars(adam.optimizer).update(beta1=0.5 + batch / 8))
    model = dense(optimizer=tf.train.momentum(0.05, 0.9))

    def replace(*_: Any) -> None:
        model.optimizer = tf.train.momentum(0.05, 0.1)

    fit(model, onTrainBegin=replace)
    fit(model, onBatchEnd=lambda batch: model.optimizer.set_momentum(batch / 4))

    other = dense(optimizer=tf.train.momentum(0.05, 0.5))

    def recompile(epoch: int) -> None:  # takes effect in the next fit
        if epoch == 1:
            other.compile(optimizer=tf.train.momentum(0.05, 0.5), loss="meanSquaredError")

    fit(other, onEpochEnd=recompile)
    return model, found


def masked() -> Any:
    """Sequences of different lengths, by Keras's mask rules: losses and metrics are means over unmasked steps."""
    x = samples(10, 6, 5)
    for i, sample in enumerate(x):
        sample[i * i % 6 + (i < 5) :] = 0
    x[7] = 0
    model = tf.sequential(layers=[tf.layers.masking(input_shape=[6, 5])])
    model.add(tf.layers.dense(units=2, activation="tanh", kernel_regularizer="l1l2"))
    follow_mask_rules(model, KERAS_MASKS[2])
    model.compile(optimizer=tf.train.sgd(0.1), loss="meanSquaredError", metrics=["mae"], distribute=RANKS)

    def evaluate(epoch: int, logs: Any) -> None:
        logs["own"] = float(model.evaluate(x, x[..., :2])[0])

    options = {"batch_size": 4, "epochs": 3, "shuffle": False, "validation_data": (x[4:], x[4:, :, :2])}
    history = model.fit(x, x[..., :2], **options, verbose=0, callbacks={"onEpochEnd": evaluate})
    all_masked = model.train_on_batch(x[7:8] * np.ones((4, 1, 1), np.float32), x[:4, :, :2])
    return model, [history.history, all_masked, [float(v) for v in model.evaluate(x, x[..., :2], batch_size=3)]]


def statistics() -> Any:
    """Batch normalization, whose moving averages depend on the parts of batches; weights move between backends."""
    model = tf.sequential(layers=[tf.layers.batch_normalization(input_shape=[5]), tf.layers.dense(units=1)])
    model.compile(optimizer="sgd", loss="meanSquaredError", distribute=RANKS)
    x = samples(32, 5)
    tf.set_backend("double")
    model.fit(x, x[:, :1], batch_size=8, epochs=2, verbose=0)
    tf.set_backend("cpu")
    return model, []


class RecordInputs(tf.layers.Layer):
    """Records its inputs."""

    recorded: ClassVar[list[np.ndarray]] = []

    def call(self, inputs: Any, **keywords: Any) -> Any:
        self.recorded.append(inputs.numpy().copy())
        return inputs


def dropout_and_shuffling() -> Any:
    """Dropout, recorded by `RecordInputs`; the order of the samples is drawn from the same stream."""
    model = tf.sequential(
        layers=[tf.layers.dropout(rate=0.5, input_shape=[40]), RecordInputs(), tf.layers.dense(units=1)]
    )
    model.compile(optimizer="adam", loss="meanSquaredError", distribute=RANKS)
    model.fit(np.ones((8, 40), np.float32), np.ones((8, 1), np.float32), batch_size=4, epochs=2, verbose=0)
    np.save(FOLDER / f"noise-{RANKS.rank}.npy", np.stack(RecordInputs.recorded))
    return model, float(tf.random_uniform([1]).data_sync()[0])


class ChangingCallback(tf.Callback):
    """A callback that changes the model and the optimizer; only the first process calls callbacks."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def on_batch_begin(self, batch: int, logs: Any = None) -> None:
        self.model.optimizer.learning_rate = 0.01 * (batch + 1)

    def on_batch_end(self, batch: int, logs: Any = None) -> None:
        self.events.append(f"batch {batch} of {logs['size']}")
        if len(self.events) == 17:
            self.model.stop_training = True
        if len(self.events) == 3:
            self.model.layers[0].set_weights([w.mul(0.5) for w in self.model.layers[0].get_weights()])

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        x = samples(3, 5)
        tf.random_normal([2])
        logs["own"] = float(self.model.evaluate(x, x[:, :2])) + float(self.model.predict(x).sum().data_sync()[0])
        self.events.append(f"epoch {epoch}: {sorted(logs)}")
        if epoch == 1:
            self.model.optimizer = tf.train.adam(0.002)


def meddling() -> Any:
    model, callback = dense(), ChangingCallback()
    x = samples(14, 5)
    options = {"batch_size": 4, "epochs": 9, "validation_data": (x[:3], x[:3, :2])}
    history = model.fit(x, x[:, :2], **options, verbose=0, callbacks=[callback])
    (FOLDER / f"events-{RANKS.rank}.json").write_text(json.dumps(callback.events))
    return model, [history.epoch, history.history, model.optimizer.iterations]


def files() -> Any:
    """Callbacks that write files, and early stopping that restores the best weights; progress output."""
    model, x = dense(), samples(16, 5)
    folder = FOLDER / f"written-by-{RANKS.rank}-of-{RANKS.size}"
    callbacks = [
        tf.callbacks.csv_logger(folder / "log.csv"),
        tf.callbacks.model_checkpoint(folder / "model"),
        tf.callbacks.early_stopping(monitor="loss", patience=2, min_delta=0.2, restore_best_weights=True, verbose=1),
    ]
    folder.mkdir()
    history = model.fit(x, x[:, :2], batch_size=8, epochs=30, verbose=2, callbacks=callbacks)
    model.evaluate(x, x[:, :2], verbose=1)
    return model, [history.epoch, history.history]


def resumed() -> Any:
    """A training that is interrupted once in the middle of an epoch, when a file requests it."""
    model, x = dense(), samples(24, 5)
    cut, done = FOLDER / "cut", []

    def tick(*_: Any) -> None:
        done.append(1)
        if cut.exists() and len(done) == 7:
            cut.unlink()
            os._exit(9)

    callbacks = [tf.callbacks.backup_and_restore(FOLDER / f"backup-{RANKS.size}", save_freq=2), {"onBatchEnd": tick}]
    history = model.fit(x, x[:, :2], batch_size=5, epochs=4, validation_split=0.2, verbose=0, callbacks=callbacks)
    return model, [history.epoch, history.history]


def main() -> None:
    for kind in sys.argv[2:]:
        tf.set_seed(1)
        function: Callable[[], Any] = globals()[kind]
        model, found = function()
        weights = {f"weight{i}": w.numpy() for i, w in enumerate(model.get_weights())}
        slots = {f"slot{i}": entry["tensor"].numpy() for i, entry in enumerate(model.optimizer.get_weights())}
        np.savez(FOLDER / f"{kind}-{RANKS.rank}.npz", found=np.array(json.dumps(found)), **weights, **slots)


if __name__ == "__main__":
    main()
