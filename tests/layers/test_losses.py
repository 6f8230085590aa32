"""Losses of models: each gives one value for each vector along the last axis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf
from tfpy.layers.training.losses import get_loss

Array = np.ndarray[Any, Any]

RNG = np.random.default_rng(3)
PROBABILITIES = RNG.dirichlet(np.ones(4), (2, 3))
LABELS = RNG.dirichlet(np.ones(4), (2, 3))
ONE_HOT = np.eye(4)[RNG.integers(0, 4, (2, 3))]

# The loss, the labels, and its formula from labels t and predictions p.
LOSSES: dict[str, tuple[Array, Callable[[Array, Array], Array]]] = {
    "meanSquaredError": (LABELS, lambda t, p: ((p - t) ** 2).mean(-1)),
    "meanAbsoluteError": (LABELS, lambda t, p: abs(p - t).mean(-1)),
    "meanAbsolutePercentageError": (LABELS, lambda t, p: 100 * (abs(p - t) / t).mean(-1)),
    "meanSquaredLogarithmicError": (LABELS, lambda t, p: (np.log((1 + p) / (1 + t)) ** 2).mean(-1)),
    "squaredHinge": (2 * ONE_HOT - 1, lambda t, p: (np.maximum(1 - t * p, 0) ** 2).mean(-1)),
    "hinge": (2 * ONE_HOT - 1, lambda t, p: np.maximum(1 - t * p, 0).mean(-1)),
    "categoricalHinge": (
        ONE_HOT,
        lambda t, p: np.maximum(np.where(t == 1, 0, p).max(-1) - np.where(t == 1, p, 0).sum(-1) + 1, 0),
    ),
    "logcosh": (LABELS, lambda t, p: np.log(np.cosh(p - t)).mean(-1)),
    "categoricalCrossentropy": (ONE_HOT, lambda t, p: -np.log((t * p).sum(-1))),
    "sparseCategoricalCrossentropy": (
        ONE_HOT.argmax(-1),
        lambda t, p: -np.log(np.take_along_axis(p, t[..., None], -1)[..., 0]),
    ),
    "binaryCrossentropy": (LABELS, lambda t, p: -(t * np.log(p) + (1 - t) * np.log(1 - p)).mean(-1)),
    "kullbackLeiblerDivergence": (LABELS, lambda t, p: (t * np.log(t / p)).sum(-1)),
    "poisson": (LABELS, lambda t, p: (p - t * np.log(p)).mean(-1)),
    "cosineProximity": (
        LABELS,
        lambda t, p: -(t * p).sum(-1) / np.sqrt((t**2).sum(-1) * (p**2).sum(-1)),
    ),
    "binaryCrossentropyFromLogits": (LABELS, lambda t, p: (np.log(1 + np.exp(p)) - t * p).mean(-1)),
    "categoricalCrossentropyFromLogits": (ONE_HOT, lambda t, p: np.log(np.exp(p).sum(-1)) - (t * p).sum(-1)),
    "sparseCategoricalCrossentropyFromLogits": (
        ONE_HOT.argmax(-1),
        lambda t, p: np.log(np.exp(p).sum(-1)) - np.take_along_axis(p, t[..., None], -1)[..., 0],
    ),
    "huber": (3 * ONE_HOT, lambda t, p: np.where(abs(t - p) < 1, (t - p) ** 2 / 2, abs(t - p) - 0.5).mean(-1)),
}


@pytest.mark.parametrize("name", LOSSES)
def test_loss_matches_formula(name: str) -> None:
    labels, formula = LOSSES[name]
    found = get_loss(name)(tf.tensor(labels), tf.tensor(PROBABILITIES))
    np.testing.assert_allclose(found.numpy(), formula(labels, PROBABILITIES), rtol=ACCUMULATED, atol=ROUNDING)


@pytest.mark.parametrize("dtype", ["int32", "bool"])
@pytest.mark.parametrize(
    ("name", "recorded"),
    [
        ("meanAbsolutePercentageError", np.inf),
        ("meanSquaredLogarithmicError", 0.12358146905899048),
        ("kullbackLeiblerDivergence", np.nan),
    ],
)
def test_non_float_zero_label_is_not_clipped_as_in_tfjs(name: str, recorded: float, dtype: tf.DType) -> None:
    found = get_loss(name)(tf.tensor([[0, 1]], None, dtype), tf.tensor([[0.5, 0.5]]))
    np.testing.assert_allclose(found.numpy(), [recorded], rtol=ROUNDING)


@dataclass
class Scaled:
    """A loss without a hash, as instances of dataclasses are."""

    factor: float

    def __call__(self, labels: tf.Tensor, predictions: tf.Tensor) -> tf.Tensor:
        return predictions.sub(labels).square().mean(-1).mul(self.factor)


def test_loss_may_be_any_callable() -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, kernel_initializer="ones", input_shape=[2])])
    model.compile(optimizer="sgd", loss=Scaled(2))
    history = model.fit(np.ones((4, 2)), np.zeros((4, 1)), verbose=0)
    np.testing.assert_allclose(history.history["loss"], [8], rtol=ROUNDING)
