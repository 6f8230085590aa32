"""Learning rate schedules, and gradient clipping."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tolerance import DOUBLE, ROUNDING

import tfpy as tf


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (tf.train.exponential_decay(0.1, 10, 0.5), {0: 0.1, 5: 0.1 * 0.5**0.5, 10: 0.05, 20: 0.025}),
        (tf.train.exponentialDecay(0.1, 10, 0.5, staircase=True), {0: 0.1, 9: 0.1, 10: 0.05, 25: 0.025}),
        (tf.train.cosine_decay(0.1, 10), {0: 0.1, 5: 0.05, 10: 0, 30: 0}),
        (tf.train.cosine_decay(0.1, 10, alpha=0.2), {0: 0.1, 5: 0.06, 10: 0.02, 30: 0.02}),
        (tf.train.cosine_decay(0.1, 10, warmupTarget=0.3, warmupSteps=4), {0: 0.1, 2: 0.2, 4: 0.3, 9: 0.15, 14: 0}),
        (tf.train.piecewise_constant([2, 5], [3, 2, 1]), {0: 3, 2: 3, 3: 2, 5: 2, 6: 1, 100: 1}),
    ],
)
def test_schedules_match_formulas(schedule: Any, expected: dict[int, float]) -> None:
    for step, rate in expected.items():
        assert math.isclose(schedule(step), rate, rel_tol=DOUBLE, abs_tol=DOUBLE)


def test_optimizer_follows_schedule() -> None:
    w = tf.variable(tf.scalar(0))
    optimizer = tf.train.sgd(tf.train.piecewise_constant([1], [1, 0.5]))
    rates = []
    for _ in range(4):
        rates.append(optimizer.learning_rate)
        optimizer.minimize(lambda: w.mul(-1))
    assert rates == [1, 1, 0.5, 0.5]
    assert float(w) == 3
    optimizer.learning_rate = lambda step: 1 / (step + 1)
    assert optimizer.learning_rate == 0.2
    optimizer.set_learning_rate(2)
    assert optimizer.get_config() == {"learning_rate": 2}


MAKERS = [
    tf.train.sgd, tf.train.adagrad, tf.train.adadelta, tf.train.adam, tf.train.adamax, tf.train.nadam, tf.train.adamw,
    tf.train.rmsprop, lambda rate, **bounds: tf.train.momentum(rate, 0.9, **bounds),
]  # fmt: skip


def step(optimizer: Any, gradient: float) -> float:
    """The value of a zero variable after one step."""
    w = tf.variable(tf.zeros([1]))
    optimizer.apply_gradients({w.name: tf.tensor([gradient])})
    optimizer.dispose()
    return float(w.numpy()[0])


@pytest.mark.parametrize("bound", ["clip_value", "clip_norm", "global_clip_norm"])
@pytest.mark.parametrize("make", MAKERS)
def test_every_optimizer_clips_gradients(make: Any, bound: str) -> None:
    optimizer = make(0.1, **{bound: 0.01})
    config = optimizer.get_config()
    assert config[bound] == 0.01
    expected = pytest.approx(step(make(0.1), 0.01))
    assert step(optimizer, 30) == expected
    assert step(type(optimizer).from_config(config), 30) == expected


@pytest.mark.parametrize("make", [tf.train.adam, tf.train.adamax, tf.train.nadam, tf.train.adamw, tf.train.rmsprop])
def test_schedule_is_part_of_config(make: Any) -> None:
    optimizer = make(tf.train.cosine_decay(0.1, 8, warmup_target=0.2, warmup_steps=2), global_clip_norm=3.0)
    config = optimizer.get_config()
    assert config["learning_rate"]["class_name"] == "CosineDecay"
    again = type(optimizer).from_config(config)
    assert again.get_config() == config
    again.iterations = 1
    assert math.isclose(again.learning_rate, 0.15)


def test_function_as_rate_is_saved_as_current_rate() -> None:
    optimizer = tf.train.sgd(lambda step: 1 / (step + 1))
    optimizer.iterations = 3
    assert optimizer.get_config() == {"learning_rate": 0.25}


def test_schedule_from_keras_config() -> None:
    config = {"initial_learning_rate": 0.1, "decay_steps": 10, "decay_rate": 0.5, "name": "ExponentialDecay"}
    optimizer = tf.train.sgd(
        {"module": "keras.optimizers.schedules", "class_name": "ExponentialDecay", "config": config}
    )
    optimizer.iterations = 10
    assert math.isclose(optimizer.learning_rate, 0.05)


def test_resumed_training_with_schedule_equals_uninterrupted() -> None:
    w = tf.variable(tf.tensor([1.0, -2]), True, "uninterrupted")
    v = tf.variable(tf.tensor([1.0, -2]), True, "resumed")
    make = lambda: tf.train.nadam(tf.train.exponential_decay(0.1, 2, 0.5), clip_norm=1.0)  # noqa: E731
    uninterrupted, first, second = make(), make(), make()
    for _ in range(6):
        uninterrupted.minimize(lambda: w.square().sum(), False, [w])
    for _ in range(3):
        first.minimize(lambda: v.square().sum(), False, [v])
    second.set_weights(first.get_weights())
    for _ in range(3):
        second.minimize(lambda: v.square().sum(), False, [v])
    np.testing.assert_array_equal(w.numpy(), v.numpy())
    for optimizer in (uninterrupted, first, second):
        optimizer.dispose()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"clip_value": 3.0}, ([3, -3, 2], [3])),
        ({"clipNorm": 3}, ([2, -2, 1], [3])),
        ({"clip_norm": 100}, ([4, -4, 2], [8])),
        ({"global_clip_norm": 5}, ([2, -2, 1], [4])),
        ({}, ([4, -4, 2], [8])),
    ],
)
def test_clipping_by_value_norm_and_global_norm(options: dict[str, float], expected: Any) -> None:
    w, v = tf.variable(tf.zeros([3])), tf.variable(tf.zeros([1]))
    tf.train.sgd(1.0, **options).apply_gradients({w.name: tf.tensor([4.0, -4, 2]), v.name: tf.tensor([8.0])})
    for variable, change in zip((w, v), expected, strict=True):
        np.testing.assert_allclose(variable.numpy(), np.negative(change), rtol=ROUNDING)


def test_zero_gradients_are_not_changed_by_clipping() -> None:
    w = tf.variable(tf.zeros([2]))
    for name in ("clip_value", "clip_norm", "global_clip_norm"):
        tf.train.momentum(1.0, 0.9, **{name: 1.0}).apply_gradients({w.name: tf.zeros([2])})
        np.testing.assert_array_equal(w.numpy(), 0)


def test_compile_with_optimizer_names_and_objects() -> None:
    x, y = np.linspace(-1, 1, 32).reshape(-1, 1), np.linspace(-3, 3, 32).reshape(-1, 1)
    for optimizer in ("nadam", "adamw", tf.train.adam(tf.train.cosine_decay(0.3, 60), clip_value=1.0)):
        model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1], kernel_initializer="zeros")])
        model.compile(optimizer=optimizer, loss="meanSquaredError")
        history = model.fit(x, y, epochs=20, verbose=0, seed=2).history["loss"]
        assert history[-1] < history[0]
    assert history[-1] < 0.5


def test_saved_model_restores_schedule_and_clipping(tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])])
    model.compile(
        optimizer=tf.train.adamw(tf.train.exponential_decay(0.1, 5, 0.5), clip_norm=2), loss="meanSquaredError"
    )
    model.fit(np.ones((4, 1)), np.ones((4, 1)), verbose=0)
    with pytest.warns(UserWarning, match="no optimizer AdamW"):
        model.save(str(tmp_path / "model"), include_optimizer=True)
    again = tf.load_layers_model(str(tmp_path / "model" / "model.json"))
    assert again.optimizer.get_config() == model.optimizer.get_config()
    assert again.optimizer.iterations == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: tf.train.sgd(0.1, clip_value=-1), "clip_value.*above 0"),
        (lambda: tf.train.sgd(0.1, clip_value=1, clip_norm=1), "one bound"),
        (lambda: tf.train.sgd("fast"), "learning_rate"),
        (lambda: tf.train.sgd({"class_name": "Slow", "config": {}}), "schedule 'Slow'"),
        (lambda: tf.train.adam({"learningRate": 0.1}), "options have names, as in adam"),
        (lambda: tf.train.exponential_decay(0.1, 0, 0.5), "decay_steps"),
        (lambda: tf.train.piecewise_constant([5, 2], [1, 2, 3]), "boundaries.*ascending"),
        (lambda: tf.train.piecewise_constant([5], [1]), "values.*2 of them"),
        (lambda: tf.train.cosine_decay("a", 3), "initial_learning_rate"),
        (lambda: tf.train.sgd(0.1, clip_value=math.nan), "sgd: argument 'clip_value' must be a number above 0"),
        (lambda: tf.train.momentum(0.1, 10**400), "momentum: argument 'momentum' must be within the range of doubles"),
        (lambda: tf.train.momentum(0.1, 0.9).set_momentum(10**400), "set_momentum: argument 'momentum' must be within"),
        (
            lambda: tf.train.adagrad(0.1, initial_accumulator_value=10**400),
            "'initial_accumulator_value' must be within",
        ),
        (lambda: tf.train.adadelta(rho=10**400), "adadelta: argument 'rho' must be within"),
        (lambda: tf.train.adam(0.1, -(10**400)), "adam: argument 'beta1' must be within"),
        (lambda: tf.train.adamw(weight_decay=10**400), "adamw: argument 'weight_decay' must be within"),
        (lambda: tf.train.adamax(decay=10**400), "adamax: argument 'decay' must be within"),
        (lambda: tf.train.rmsprop(0.1, momentum=10**400), "rmsprop: argument 'momentum' must be within"),
    ],
)
def test_invalid_arguments_raise(make: Any, words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        make()
