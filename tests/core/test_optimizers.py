"""Optimizers: each against its formula in float64; state, configuration and invalid input."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from inspect import Parameter, signature
from typing import Any

import numpy as np
import pytest
from tolerance import ACCUMULATED, TRAINED

import tfpy as tf

Array = np.ndarray[Any, Any]
EPS = 1e-7


def _sgd(w: Array, grads: Iterator[Array]) -> Iterator[Array]:
    for g in grads:
        w = w - 0.1 * g
        yield w


def _momentum(w: Array, grads: Iterator[Array], nesterov: bool = False) -> Iterator[Array]:
    v = np.zeros_like(w)
    for g in grads:
        v = 0.9 * v + g
        w = w - 0.1 * (g + 0.9 * v if nesterov else v)
        yield w


def _adagrad(w: Array, grads: Iterator[Array]) -> Iterator[Array]:
    a = np.full_like(w, 0.1)
    for g in grads:
        a = a + g**2
        w = w - 0.1 * g / np.sqrt(a + EPS)
        yield w


def _adadelta(w: Array, grads: Iterator[Array]) -> Iterator[Array]:
    a, u = np.zeros_like(w), np.zeros_like(w)
    for g in grads:
        step = np.sqrt(u + EPS) / np.sqrt(a + EPS) * g
        a, u = 0.95 * a + 0.05 * g**2, 0.95 * u + 0.05 * step**2
        w = w - 0.1 * step
        yield w


def _rmsprop(w: Array, grads: Iterator[Array], centered: bool = False) -> Iterator[Array]:
    s, m, v = np.zeros_like(w), np.zeros_like(w), np.zeros_like(w)
    for g in grads:
        s, m = 0.9 * s + 0.1 * g**2, 0.9 * m + 0.1 * g
        v = 0.5 * v + 0.1 * g / np.sqrt(s - (m**2 + EPS) if centered else s + EPS)
        w = w - v
        yield w


def _adam(w: Array, grads: Iterator[Array]) -> Iterator[Array]:
    m, v = np.zeros_like(w), np.zeros_like(w)
    for t, g in enumerate(grads, start=1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        w = w - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + EPS)
        yield w


def _adamax(w: Array, grads: Iterator[Array]) -> Iterator[Array]:
    m, u = np.zeros_like(w), np.zeros_like(w)
    for t, g in enumerate(grads, start=1):
        m = 0.9 * m + 0.1 * g
        u = np.maximum(0.999 * u, np.abs(g))
        w = w - 0.1 / (1 - 0.9**t) * m / (u + EPS)
        yield w


def _adamw(w: Array, grads: Iterator[Array]) -> Iterator[Array]:
    m, v = np.zeros_like(w), np.zeros_like(w)
    for t, g in enumerate(grads, start=1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        w = w - 0.1 * 0.05 * w - 0.1 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + EPS)
        yield w


def _nadam(w: Array, grads: Iterator[Array]) -> Iterator[Array]:
    m, v, product = np.zeros_like(w), np.zeros_like(w), 1.0
    for t, g in enumerate(grads, start=1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        current, next_ = (0.9 * (1 - 0.5 * 0.96**k) for k in (t, t + 1))
        product *= current
        lookahead = next_ * m / (1 - product * next_) + (1 - current) * g / (1 - product)
        w = w - 0.1 * lookahead / (np.sqrt(v / (1 - 0.999**t)) + EPS)
        yield w


RULES: dict[str, tuple[Callable[[], Any], Callable[..., Iterator[Array]]]] = {
    "sgd": (lambda: tf.train.sgd(0.1), _sgd),
    "momentum": (lambda: tf.train.momentum(0.1, 0.9), _momentum),
    "nesterov": (lambda: tf.train.momentum(0.1, 0.9, True), lambda w, g: _momentum(w, g, True)),
    "adagrad": (lambda: tf.train.adagrad(0.1), _adagrad),
    "adadelta": (lambda: tf.train.adadelta(0.1), _adadelta),
    "rmsprop": (lambda: tf.train.rmsprop(0.1, 0.9, 0.5), _rmsprop),
    "centered": (lambda: tf.train.rmsprop(0.1, 0.9, 0.5, None, True), lambda w, g: _rmsprop(w, g, True)),
    "adam": (lambda: tf.train.adam(0.1), _adam),
    "adamax": (lambda: tf.train.adamax(0.1), _adamax),
    "adamw": (lambda: tf.train.adamw(0.1, 0.05), _adamw),
    "nadam": (lambda: tf.train.nadam(0.1), _nadam),
}


@pytest.mark.parametrize("name", RULES)
def test_updates_match_formulas(name: str) -> None:
    make, rule = RULES[name]
    rng = np.random.default_rng(3)
    start, grads = rng.normal(size=(2, 3)), rng.normal(size=(5, 2, 3))
    w = tf.variable(tf.tensor(start))
    optimizer = make()
    for grad, expected in zip(grads, rule(start, iter(grads)), strict=True):
        given = tf.tensor(grad)
        optimizer.minimize(lambda given=given: w.mul(given).sum())
        np.testing.assert_allclose(w.numpy(), expected, rtol=TRAINED, atol=ACCUMULATED)
    assert optimizer.iterations == 5
    optimizer.dispose()


@pytest.mark.parametrize("name", RULES)
def test_state_can_be_transferred(name: str) -> None:
    make, _ = RULES[name]
    w, v = tf.variable(tf.tensor([1.0, -2]), True, "one"), tf.variable(tf.tensor([1.0, -2]), True, "two")
    cost = lambda x: x.square().sum()  # noqa: E731
    first, second = make(), make()
    for _ in range(3):
        first.minimize(lambda: cost(w), False, [w])
    v.assign(w)
    state = [{"name": s["name"].replace("one", "two"), "tensor": s["tensor"]} for s in first.get_weights()]
    second.set_weights(state)
    first.minimize(lambda: cost(w), False, [w])
    second.minimize(lambda: cost(v), False, [v])
    np.testing.assert_array_equal(w.numpy(), v.numpy())
    again = type(first).from_config(first.get_config())
    assert again.get_config() == first.get_config()
    first.dispose()
    second.dispose()


@pytest.mark.parametrize("name", [name for name in RULES if hasattr(tf.train, name)])
def test_constructor_factory_and_config_have_same_options(name: str) -> None:
    make = getattr(tf.train, name)
    options = signature(make).parameters
    optimizer = make(**{name: 0.1 for name, option in options.items() if option.default is option.empty})
    assert signature(type(optimizer)).parameters == options
    *own, value, norm, total = options
    assert (value, norm, total) == ("clip_value", "clip_norm", "global_clip_norm")
    assert {options[name].kind for name in (value, norm, total)} == {Parameter.KEYWORD_ONLY}
    assert list(optimizer.get_config()) == own


def test_config_of_subclass_with_own_constructor() -> None:
    class FixedMomentum(tf.MomentumOptimizer):
        def __init__(self, learning_rate: float, clip_norm: float | None = None) -> None:
            super().__init__(learning_rate, 0.99, clip_norm=clip_norm)

    assert FixedMomentum(0.1, 2.0).get_config() == {
        "learning_rate": 0.1, "clip_norm": 2.0, "momentum": 0.99, "use_nesterov": False
    }  # fmt: skip


def test_minimize_returns_the_cost_before_the_step() -> None:
    w = tf.variable(tf.scalar(3))
    optimizer = tf.train.sgd(0.5)
    assert optimizer.minimize(lambda: w.square()) is None
    assert float(w) == 0
    w.assign(tf.scalar(3))
    assert float(optimizer.minimize(lambda: w.square(), True)) == 9


def test_apply_gradients_takes_dict_or_list() -> None:
    w = tf.variable(tf.tensor([1.0, 1]), True, "w")
    optimizer = tf.train.sgd(1.0)
    value, grads = optimizer.compute_gradients(lambda: w.sum())
    assert float(value) == 2
    optimizer.apply_gradients(grads)
    optimizer.applyGradients([{"name": "w", "tensor": tf.tensor([1.0, 2])}])
    assert w.array_sync() == [-1, -2]


def test_invalid_gradients_raise_and_change_nothing() -> None:
    w = tf.variable(tf.tensor([1.0, 1]), True, "w")
    v = tf.variable(tf.tensor([1.0]), True, "v")
    optimizer = tf.train.momentum(1.0, 0.9)
    with pytest.raises(ValueError, match="apply_gradients.*'v'.*shape"):
        optimizer.apply_gradients({"w": tf.ones([2]), "v": tf.ones([2])})
    with pytest.raises(ValueError, match="variable 'nobody'"):
        optimizer.apply_gradients({"w": tf.ones([2]), "nobody": tf.ones([2])})
    with pytest.raises(TypeError, match="apply_gradients.*field grads of the result of variable_grads"):
        optimizer.apply_gradients(tf.variable_grads(lambda: w.sum()))  # type: ignore[arg-type]
    assert (w.array_sync(), v.array_sync(), optimizer.iterations) == ([1, 1], [1], 0)


def test_slot_of_wrong_shape_raises() -> None:
    optimizers = [tf.train.adam(0.1), tf.train.nadam(0.1)]  # with and without a kernel that updates all variables
    first = tf.variable(tf.ones([3]), True, "w")
    for optimizer in optimizers:
        optimizer.apply_gradients({"w": tf.ones([3])})
    first.dispose()
    second = tf.variable(tf.ones([1]), True, "w")
    for optimizer in optimizers:
        with pytest.raises(ValueError, match=r"apply_gradients.*slot 'm' of shape \[3\] for variable 'w'"):
            optimizer.apply_gradients({"w": tf.ones([1])})
        assert second.array_sync() == [1]


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        ([{"name": "iter", "tensor": tf.tensor([1.0, 2.0])}], "set_weights.*iter"),
        ([{"name": "iter", "tensor": tf.scalar(math.nan)}], "set_weights.*iter"),
        ([{"name": "iter", "tensor": tf.scalar(-3)}], "set_weights.*iter"),
        (
            [{"name": "iter", "tensor": 1}, {"name": "a/m", "tensor": 1.0}, {"name": "b/m", "tensor": 1.0}],
            "slots m, v of",
        ),
        ([1], "set_weights: an entry of weight_values.*'name'"),
        (None, "set_weights.*weight_values.*list"),
    ],
)
def test_invalid_weights_raise_and_change_nothing(weights: Any, words: str) -> None:
    w = tf.variable(tf.ones([2]), True, "w")
    optimizer = tf.train.adam(0.1)
    optimizer.apply_gradients({"w": tf.ones([2])})
    with pytest.raises((ValueError, TypeError), match=words):
        optimizer.set_weights(weights)
    assert [e["name"] for e in optimizer.get_weights()] == ["iter", "w/m", "w/v"]
    assert optimizer.iterations == 1
    w.dispose()


def test_set_weights_with_maximal_iterations() -> None:
    for make in (tf.train.adam, tf.train.nadam, tf.train.adamax):
        optimizer = make(0.1)
        optimizer.set_weights([{"name": "iter", "tensor": tf.scalar(2**31 - 1, "int32")}])
        assert optimizer.iterations == 2**31 - 1
        assert optimizer.save_iterations().tensor.array_sync() == 2**31 - 1


@pytest.mark.parametrize("name", ["adam", "nadam", "adamax"])
@pytest.mark.parametrize("option", ["learning_rate", "beta1", "beta2", "epsilon"])
@pytest.mark.parametrize("value", [1e308, -1e308, 1, -1])
def test_extreme_options_do_not_warn(name: str, option: str, value: float) -> None:
    w = tf.variable(tf.ones([2]))
    optimizer = getattr(tf.train, name)(**{"learning_rate": 0.1, option: value})
    for _ in range(2):
        optimizer.minimize(lambda: w.square().sum(), False, [w])
    w.dispose()


@pytest.mark.parametrize("name", ["w", "layer/w", ""])
def test_weights_are_matched_by_variable_name(name: str) -> None:
    w = tf.variable(tf.ones([2]), True, name)
    first, second = tf.train.adam(0.1), tf.train.adam(0.1)
    first.apply_gradients({name: tf.ones([2])})
    second.set_weights(first.get_weights())
    assert [e["name"] for e in second.get_weights()] == ["iter", f"{name}/m", f"{name}/v"]
    with pytest.raises(ValueError, match="the iterations, followed by the slots m, v of each variable"):
        second.set_weights([{**e._asdict(), "name": e.name.rpartition("/")[2]} for e in first.get_weights()])
    w.dispose()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tf.train.sgd(1).apply_gradients(None), "apply_gradients.*variable_gradients"),
        (lambda: tf.train.sgd(1).apply_gradients([1]), "apply_gradients: an entry of variable_gradients.*'name'"),
        (
            lambda: tf.train.sgd(1).apply_gradients([(tf.ones([1]), tf.variable(1))]),
            "variable_gradients.* by the names",
        ),
        (lambda: tf.train.sgd(lambda step: "fast").learning_rate, "learning_rate.*a number"),
    ],
)
def test_invalid_arguments_raise(call: Any, words: str) -> None:
    with pytest.raises(TypeError, match=words):
        call()


def test_raising_cost_changes_nothing() -> None:
    w = tf.variable(tf.scalar(1))
    optimizer = tf.train.adam(0.1)

    def cost() -> tf.Tensor:
        w.square()
        raise ArithmeticError

    with pytest.raises(ArithmeticError):
        optimizer.minimize(cost)
    assert (float(w), optimizer.iterations) == (1, 0)


def test_learning_rate_can_be_changed() -> None:
    w = tf.variable(tf.scalar(0))
    optimizer = tf.train.sgd(1)
    optimizer.set_learning_rate(0.25)
    optimizer.minimize(lambda: w.mul(4))
    assert float(w) == -1
    optimizer.learningRate = 0.5
    optimizer.minimize(lambda: w.mul(4))
    assert float(w) == -3


def test_steps_do_not_leak_tensors() -> None:
    w = tf.variable(tf.ones([4]))
    optimizer = tf.train.adam(0.1)
    optimizer.minimize(lambda: w.square().sum())
    before = tf.memory().num_tensors
    for _ in range(10):
        optimizer.minimize(lambda: w.square().sum())
    assert tf.memory().num_tensors == before
    optimizer.dispose()


def test_weights_entry_as_attributes_keys_or_pair() -> None:
    optimizer, variable = tf.train.momentum(0.1, 0.9), tf.variable(tf.scalar(1.0), name="v")
    optimizer.minimize(lambda: variable.square())
    entry = optimizer.get_weights()[1]
    name, tensor = entry
    assert name == entry.name == entry["name"] == "v/momentum"
    assert float(tensor) == float(entry.tensor) == float(entry["tensor"]) == 2.0
