"""Random graphs of ops and their gradients: bit-identical whether eager, deferred or planned."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest

import tfpy as tf
from tfpy.core.tensor import Tensor
from tfpy.engine.backend import registry
from tfpy.engine.cpu import backend as cpu
from tfpy.engine.cpu import lazy
from tfpy.engine.cpu.passes import in_place
from tfpy.engine.recording import recording_plan

UNARY = [
    "neg",
    "square",
    "tanh",
    "sigmoid",
    "relu",
    "exp",
    "abs",
    "sqrt",
    "elu",
    "selu",
    "softplus",
    "sign",
    "floor",
    "sin",
    "leaky_relu",
    "log1p",
    "step",
]
BINARY = ["add", "sub", "mul", "div", "maximum", "minimum", "squared_difference", "mod", "pow", "div_no_nan", "prelu"]
OTHERS: list[Callable[[random.Random, tf.Tensor, tf.Tensor], tf.Tensor]] = [
    lambda r, a, b: a.mul(r.choice([2, 0.5, -1, 0])),
    lambda r, a, b: a.sum(),
    lambda r, a, b: a.mean(),
    lambda r, a, b: a.sum(0, True),
    lambda r, a, b: a.greater(b).cast("float32"),
    lambda r, a, b: tf.where(a.less(0.3), a, b),
    lambda r, a, b: a.transpose().transpose(),
    lambda r, a, b: a.clone(),
    lambda r, a, b: a.reshape([-1]).reshape(a.shape),
    lambda r, a, b: a.clip_by_value(-1, 1),
    lambda r, a, b: tf.stack([a, a.neg()]).unstack()[1],
]


def graph(seed: int, inputs: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    """The outputs of the random graph with a seed."""
    r = random.Random(seed)
    values = list(inputs)
    for _ in range(r.randint(3, 28)):
        a, b, kind = r.choice(values), r.choice(values), r.random()
        if kind < 0.4:
            values.append(getattr(a, r.choice(UNARY))())
        elif kind < 0.75 or not a.rank:
            values.append(getattr(a, r.choice(BINARY))(b))
        else:
            values.append(r.choice(OTHERS)(r, a, b))
        if r.random() < 0.2 and len(values) > 4:
            values.pop(r.randrange(3, len(values)))
    return [*r.choices(values, k=3), values[-1]]


def gradients(seed: int, inputs: Sequence[tf.Tensor]) -> list[tf.Tensor]:
    def total(*xs: tf.Tensor) -> tf.Tensor:
        parts = [t.mean() for t in graph(seed, xs)]
        return tf.add_n([*parts, *(x.sum() for x in xs)])

    found: list[tf.Tensor] = tf.grads(total)(list(inputs))
    return found


def inputs_of(seed: int) -> list[tf.Tensor]:
    rng = np.random.default_rng(seed)
    return [tf.tensor(rng.normal(size=(31, 29)).astype(np.float32)) for _ in range(3)]


def assert_same(found: Sequence[tf.Tensor], expected: Sequence[np.ndarray]) -> None:
    for t, e in zip(found, expected, strict=True):
        values = t.numpy()
        np.testing.assert_array_equal(values, e)
        np.testing.assert_array_equal(np.signbit(values[values == 0]), np.signbit(e[e == 0]))


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("compute", [graph, gradients])
@pytest.mark.parametrize("large", [500, 5000])
def test_eager_deferred_and_planned_are_bit_identical(
    compute: Callable[[int, Sequence[tf.Tensor]], list[tf.Tensor]],
    seed: int,
    large: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Plans run elementwise kernels in blocks on large arrays, and in place on small ones."""
    monkeypatch.setattr(lazy, "LARGE_ELEMENTS", 500)
    monkeypatch.setattr(lazy, "_BLOCK_ELEMENTS", 64)
    monkeypatch.setattr(lazy, "_SHARD_ELEMENTS", 200)
    inputs, others = inputs_of(seed), inputs_of(seed + 1000)
    expected, expected_of_others = ([t.numpy() for t in compute(seed, given)] for given in (inputs, others))
    monkeypatch.setattr(cpu, "LARGE_ELEMENTS", 500)
    deferred = compute(seed, inputs)
    assert_same(deferred[::-1], expected[::-1])
    monkeypatch.setattr(cpu, "LARGE_ELEMENTS", large)
    monkeypatch.setattr(in_place, "LARGE_ELEMENTS", large)
    results, recorder = recording_plan(lambda: compute(seed, inputs), registry.default(), inputs, [])
    replay = recorder.compiled(results)
    assert replay is not None
    for given, reference in ((inputs, expected), (others, expected_of_others)):
        again = replay.run(Tensor, given)
        assert again is not None
        assert_same(again[0], reference)
