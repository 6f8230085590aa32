"""Reductions whose length is split among groups, the last of which combines what the others found."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gpu import Work, computed
from tolerance import ACCUMULATED

import tfpy as tf
from tfpy.engine.gl.device import Device

pytestmark = pytest.mark.gl

LENGTH = 40_000
MANY = 40  # more than there are sets of counters


def rows(count: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).normal(size=(count, LENGTH)).astype(np.float32)


@pytest.mark.parametrize("op", ["sum", "mean", "max", "min", "arg_max"])
def test_split_reduction_is_one_dispatch_and_repeatable(op: str, work: Callable[[Callable[[], object]], Work]) -> None:
    values = rows(3)
    x = computed(tf.tensor(values))
    reduce = lambda: getattr(x, op)(1)  # noqa: E731
    assert work(lambda: computed(reduce())).dispatches == 1
    found = reduce().numpy()
    expected = getattr(np, op.replace("arg_max", "argmax"))(values.astype(np.float64), axis=1)
    np.testing.assert_allclose(found, expected, rtol=ACCUMULATED, atol=1e-3)
    for _ in range(20):
        np.testing.assert_array_equal(reduce().numpy(), found)


def test_many_split_reductions_may_overlap(device: Device) -> None:
    values = rows(MANY)
    inputs = [computed(tf.tensor(row)) for row in values]
    found = [computed(x.max()) for x in inputs]
    assert [float(t) for t in found] == [float(row.max()) for row in values]
    assert not np.frombuffer(device.arrivals.gl.read(), np.uint32).any(), "counters are not zero afterwards"


@pytest.mark.usefixtures("gpu")
def test_split_reductions_of_a_replayed_step() -> None:
    layer = tf.layers.dense(units=MANY, use_bias=False, input_shape=(1,))
    model = tf.sequential(layers=[layer])
    model.compile(optimizer="sgd", loss=lambda y, p: p.sub(y).square().mean())
    x = tf.tensor(rows(1).reshape(LENGTH, 1))
    expected = None
    for _ in range(6):
        layer.set_weights([tf.ones((1, MANY))])
        loss = float(model.train_on_batch(x, tf.zeros((LENGTH, MANY))))
        weights = layer.get_weights()[0].numpy()
        expected = expected or (loss, weights.tobytes())
        assert (loss, weights.tobytes()) == expected
