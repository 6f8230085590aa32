"""What a plan depends on may be changed in place between two steps: numbers are those of unplanned steps."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

import tfpy as tf
from tfpy.core import plans
from tfpy.layers.activations import FUNCTIONS, Activation

Array = np.ndarray
RNG = np.random.default_rng(4)
X = RNG.normal(size=(4, 6)).astype(np.float32)
Y = RNG.normal(size=(4, 2)).astype(np.float32)
STEPS = 4


class Change(NamedTuple):
    """A first layer on [batch, 6], how it is changed after some steps, and the number of plans before that."""

    make: Callable[[], Any]
    change: Callable[[Any], object]
    plans: int = 2


def applied(function: Any, change: Callable[[dict[str, Any]], object], **arguments: Callable[[], Any]) -> Change:
    """A layer of a function with arguments, which are changed."""
    return Change(
        lambda: tf.layers.lambda_(function=function, arguments={name: make() for name, make in arguments.items()}),
        lambda layer: change(layer.arguments),
    )


def dense(**options: Any) -> Any:
    return tf.layers.dense(units=3, **options)


def with_attribute(layer: Any, name: str, value: Any) -> Any:
    setattr(layer, name, value)
    return layer


def replaced_call() -> Any:
    return with_attribute(tf.layers.relu(), "call", functools.partial(tf.leaky_relu, alpha=0.5))


def regularized() -> Any:
    return dense(kernel_regularizer=with_attribute(tf.regularizers.l2(l2=0.1), "l2", np.array(0.1)))


CHANGES: dict[str, Change] = {
    "number in a dict": applied(tf.leaky_relu, lambda given: given.update(alpha=0.5), alpha=lambda: 0.1),
    "number in an array": applied(tf.leaky_relu, lambda given: given["alpha"].fill(0.5), alpha=lambda: np.array(0.1)),
    "list in a tuple": applied(tf.pad, lambda given: given["paddings"][1].reverse(), paddings=lambda: ([0, 0], [1, 0])),
    "array": applied(
        tf.pad, lambda given: given["paddings"][1].put([0, 1], [0, 1]), paddings=lambda: np.array([[0, 0], [1, 0]])
    ),
    "array in a list": applied(
        tf.pad, lambda given: given["paddings"][1].put([0, 1], [0, 1]), paddings=lambda: [[0, 0], np.array([1, 0])]
    ),
    "array of objects": applied(
        tf.pad,
        lambda given: given["paddings"][1].put([0, 1], [0, 1]),
        paddings=lambda: np.array([[0, 0], [1, 0]], dtype=object),
    )._replace(plans=0),
    "array of bounds": applied(
        tf.slice, lambda given: given["begin"].put(1, 3), begin=lambda: np.array([0, 1]), size=lambda: [-1, 2]
    ),
    "keyword of a partial": Change(
        lambda: tf.layers.lambda_(function=functools.partial(tf.leaky_relu, alpha=0.1)),
        lambda layer: layer.function.keywords.update(alpha=0.5),
    ),
    "list in a tuple of a partial": Change(
        lambda: tf.layers.lambda_(function=functools.partial(tf.pad, paddings=([0, 0], [1, 0]))),
        lambda layer: layer.function.keywords["paddings"][1].reverse(),
    ),
    "function of an activation": Change(
        lambda: dense(activation=Activation("own", FUNCTIONS["tanh"])),
        lambda layer: setattr(layer.activation, "function", FUNCTIONS["sigmoid"]),
    ),
    "option of an activation's layer": Change(
        lambda: dense(activation=tf.layers.leaky_relu(alpha=0.1)),
        lambda layer: setattr(layer.activation.layer, "alpha", 0.5),
    ),
    "array as an option": Change(
        lambda: with_attribute(tf.layers.dropout(rate=0.1), "rate", np.array(0.1)), lambda layer: layer.rate.fill(0.7)
    ),
    "array in a regularizer": Change(regularized, lambda layer: layer.kernel_regularizer.l2.fill(0.7), 1),
    "attribute deleted": Change(replaced_call, lambda layer: delattr(layer, "call")),
}


def results(make: Callable[[], Any], change: Callable[[Any], object], loss: Any, x: Array) -> tuple[list[Any], int]:
    """The results of steps before and after a change of the first layer, and the number of plans before it."""
    tf.set_seed(5)
    entry = tf.input(shape=x.shape[1:])
    layer = make()
    y = layer.apply(entry)
    model = tf.model(inputs=entry, outputs=tf.layers.dense(units=2).apply(y))
    start, known = np.random.default_rng(1), 0
    model.set_weights([start.normal(size=w.shape) for w in model.get_weights()])
    model.compile(optimizer="sgd", loss=loss)
    found: list[Any] = []
    for step in range(2 * STEPS):
        if step == STEPS:
            known = len(model.plans)
            change(layer)
        try:
            found += [model.train_on_batch(x, Y), model.predict(x).array_sync()]
        except ValueError as error:  # unplanned, it does not fit any more
            found.append(type(error))
    tf.set_seed(None)
    return [*found, *[w.array_sync() for w in model.get_weights()]], known


def check(
    make: Callable[[], Any], change: Callable[[Any], object], patch: pytest.MonkeyPatch, loss: Any = None, x: Array = X
) -> int:
    """Compare planned with unplanned steps, between which something changes. Return the number of plans before it."""
    make_loss = loss or (lambda: "meanSquaredError")
    with_plans, known = results(make, change, make_loss(), x)
    patch.setattr(plans, "may_plan", lambda backend: False)
    without, none = results(make, change, make_loss(), x)
    unchanged, _ = results(make, lambda layer: None, make_loss(), x)
    assert none == 0
    assert with_plans == without != unchanged
    return known


@pytest.mark.parametrize("name", CHANGES)
def test_change_in_place_takes_effect(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, change, expected = CHANGES[name]
    assert check(make, change, monkeypatch) == expected


@pytest.mark.parametrize("change", [lambda sizes: sizes.__setitem__(0, 2), lambda sizes: sizes.pop()])
def test_changed_state_sizes_take_effect(
    change: Callable[[list[int]], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = RNG.normal(size=(4, 3, 2)).astype(np.float32)
    assert check(lambda: tf.layers.lstm(units=3), lambda layer: change(layer.cell.state_size), monkeypatch, x=x) == 2


def test_changed_array_of_a_loss_takes_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Array] = []

    def loss() -> Any:
        made.append(np.array(0.1))
        return functools.partial(tf.losses.huber_loss, delta=made[-1])

    assert check(dense, lambda layer: made[-1].fill(0.5), monkeypatch, loss=loss) == 2


class Scaled(NamedTuple):
    """A user's class that is a tuple, but also a function."""

    state: list[float]

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        self.state[0] *= 2
        return x.mul(self.state[0])


class Rate(float):
    """A number with code of its own."""

    def __call__(self, x: tf.Tensor) -> tf.Tensor:
        return x.mul(RNG.normal())


class Made:
    """A class that is used as a function."""

    def __new__(cls, x: tf.Tensor) -> Any:
        return x.mul(RNG.normal())


@pytest.mark.parametrize(
    "function",
    [
        Scaled([0.5]),
        Rate(0.5),
        Made,
        functools.partial(tf.leaky_relu, alpha=np.ones(10_000)),
    ],
)
def test_unknown_code_and_large_arrays_are_not_planned(function: Any) -> None:
    model = tf.sequential([tf.layers.lambda_(function=function, shape=[6], input_shape=[6])])
    for _ in range(4):
        try:
            model.predict(X)
        except (TypeError, ValueError):
            assert isinstance(function, functools.partial)
    assert len(model.plans) == 0


def test_changed_arguments_of_a_call_take_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    x = RNG.normal(size=(1, 3, 2)).astype(np.float32)

    def values() -> list[Any]:
        entry = tf.input(shape=[3, 2])
        layer = tf.layers.multi_head_attention(num_heads=1, key_dim=2, kernel_initializer="ones")
        model = tf.model(inputs=entry, outputs=layer.apply([entry, entry], {"use_causal_mask": True}))
        found = [model.predict(x).array_sync() for _ in range(STEPS)]
        layer.inbound_nodes[0].call_args["use_causal_mask"] = False
        return [*found, model.predict(x).array_sync()]

    with_plans = values()
    monkeypatch.setattr(plans, "may_plan", lambda backend: False)
    assert with_plans == values()
    assert with_plans[-1] != with_plans[-2]
