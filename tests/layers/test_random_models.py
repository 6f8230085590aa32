"""Random models train and predict with bit-identical results with and without plans."""

from __future__ import annotations

import numpy as np
import pytest
from random_models import network

import tfpy as tf
from tfpy.core import plans

OPTIMIZERS = [
    lambda: tf.train.sgd(0.05),
    lambda: tf.train.momentum(0.02, 0.8),
    lambda: tf.train.adam(0.01),
    lambda: tf.train.rmsprop(0.01),
    lambda: tf.train.adamw(0.01),
    lambda: tf.train.adam(tf.train.exponential_decay(0.02, 3, 0.5), clip_norm=0.5),
]


def results(seed: int) -> list[np.ndarray]:
    """Losses, predictions and weights of a network that is trained for some epochs."""
    tf.set_seed(seed)
    model = network(seed)
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(7, *model.inputs[0].shape[1:])).astype(np.float32)
    ys = [rng.normal(size=(7, 2)).astype(np.float32) for _ in model.outputs]
    model.set_weights([rng.uniform(0.1, 0.6, w.shape).astype(np.float32) for w in model.get_weights()])
    model.compile(optimizer=OPTIMIZERS[seed % len(OPTIMIZERS)](), loss="meanSquaredError", metrics=["mae"])
    history = model.fit(x, ys, batch_size=3, epochs=3, shuffle=False, validation_split=0.2, verbose=0)
    found = [np.array(values) for values in history.history.values()]
    for _ in range(3):
        found += [y.numpy() for y in model.predict(x, batch_size=4)]
    tf.set_seed(None)
    return [*found, *[w.numpy() for w in model.get_weights()]]


@pytest.mark.parametrize("seed", range(24))
def test_results_are_bit_identical_with_plans(seed: int, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = results(seed)
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    for planned, expected in zip(found, results(seed), strict=True):
        np.testing.assert_array_equal(planned, expected)
