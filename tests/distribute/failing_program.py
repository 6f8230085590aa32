"""Programs in which one process fails or differs: `mpiexec -n 2 python failing_program.py KIND`."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Any

import numpy as np

import tfpy as tf

RANKS = tf.distribute.mpi()
X = np.ones((12, 3), np.float32)
Y = np.ones((12, 1), np.float32)


def compiled(units: int = 4, **options: Any) -> Any:
    layers = [tf.layers.dense(units=units, input_shape=[3]), tf.layers.dense(units=1)]
    model = tf.sequential(layers=layers)
    model.compile(**{"optimizer": "adam", "loss": "meanSquaredError", "distribute": RANKS, **options})
    return model


def error_before() -> None:
    """One process has no data."""
    model = compiled()
    if not RANKS.first:
        raise FileNotFoundError("the data are not here")
    model.fit(X, Y, verbose=0)


def error_within() -> None:
    """A callback of the first process raises."""

    def fail(epoch: int) -> None:
        raise OSError("the disk is full")

    compiled().fit(X, Y, verbose=0, callbacks={"onEpochEnd": fail})


def other_models() -> None:
    compiled(4 + RANKS.rank).fit(X, Y, verbose=0)


def other_optimizers() -> None:
    compiled(optimizer="adam" if RANKS.first else "sgd").fit(X, Y, verbose=0)


def other_settings() -> None:
    """Single steps, which have no start of training at which settings are compared."""
    compiled(optimizer=tf.train.momentum(0.05, 0.9 if RANKS.first else 0.1)).train_on_batch(X, Y)


def other_bounds() -> None:
    bounds = {"clip_value": 1.0} if RANKS.first else {}
    compiled(optimizer=tf.train.adam(**bounds)).fit(X, Y, verbose=0)


def other_losses() -> None:
    compiled(loss="meanSquaredError" if RANKS.first else "meanAbsoluteError").evaluate(X, Y)


def other_compilation() -> None:
    """The model is recompiled with different losses between steps."""
    model = compiled()
    model.train_on_batch(X, Y)
    model.compile(optimizer="adam", loss="meanAbsoluteError" if RANKS.first else "hinge", distribute=RANKS)
    model.train_on_batch(X, Y)


def other_layers() -> None:
    """Different layers with weights of the same shapes."""
    activation = "tanh" if RANKS.first else "relu"
    inner = tf.sequential(layers=[tf.layers.dense(units=2, activation=activation, input_shape=[3])])
    model = tf.sequential(layers=[inner, tf.layers.dense(units=1)])
    model.compile(optimizer="adam", loss="meanSquaredError", distribute=RANKS)
    model.fit(X, Y, verbose=0)


def other_counts() -> None:
    count = 12 - RANKS.rank
    compiled().fit(X[:count], Y[:count], verbose=0)


def other_data() -> None:
    compiled().fit(np.random.default_rng(RANKS.rank).normal(size=(12, 3)), Y, verbose=0)


def other_batches() -> None:
    """A data set that ends early in one process."""
    pairs = [(X[:2], Y[:2])] * (3 - RANKS.rank)
    compiled().fit_dataset(lambda: iter(pairs), epochs=1, verbose=0)


def only_one() -> None:
    model = compiled()
    model.fit(X, Y, verbose=0)
    if RANKS.first:
        model.evaluate(X, Y)


def exit_of_one() -> None:
    model = compiled()
    if not RANKS.first:
        sys.exit(3)
    model.fit(X, Y, verbose=0)


def caught_by_one() -> None:
    """One process raises during a step, catches the error, and continues."""

    def loss(labels: Any, found: Any) -> Any:
        if RANKS.first:
            return tf.losses.mean_squared_error(labels, found)
        raise MemoryError

    with contextlib.suppress(MemoryError):
        compiled(loss=loss).fit(X, Y, verbose=0)


def new_optimizer() -> None:
    """A callback, which runs only in the first process, sets an optimizer of another class."""
    model = compiled()

    def set_optimizer(epoch: int) -> None:
        model.optimizer = "sgd"

    model.fit(X, Y, epochs=2, verbose=0, callbacks={"onEpochEnd": set_optimizer})


def own_way() -> None:
    class CustomMinimize(tf.SGDOptimizer):
        def minimize(self, *arguments: Any, **options: Any) -> Any:
            return super().minimize(*arguments, **options)

    compiled(optimizer=CustomMinimize(0.1)).fit(X, Y, verbose=0)


def slow_end() -> None:
    """No failure: one process runs longer after training."""
    compiled().fit(X, Y, verbose=0)
    if RANKS.first:
        time.sleep(1)
        print("done")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
