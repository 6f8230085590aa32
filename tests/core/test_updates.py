"""Kernels that update all variables at once: the results of single updates, and when they are used."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.core.optimizers.base import Optimizer
from tfpy.engine import machine
from tfpy.engine.backend import registry
from tfpy.engine.cpu import update
from tfpy.engine.hooks import observing

RNG = np.random.default_rng(11)

# Small ones that are gathered into blocks, an empty one, and large ones that are split.
SHAPES = [(3,), (40, 30), (), (0, 4), (200, 50), (130, 60), (7,), (2, 9000), (5, 5)]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "_BLOCK_ELEMENTS", 1 << 14)
    monkeypatch.setattr(update, "_SHARD_ELEMENTS", 1 << 14)
    monkeypatch.setattr(machine.share, "shards", 3)


OPTIMIZERS: dict[str, Callable[[], Optimizer]] = {
    "sgd": lambda: tf.train.sgd(0.1),
    "momentum": lambda: tf.train.momentum(0.1, 0.9),
    "nesterov": lambda: tf.train.momentum(0.1, 0.9, True),
    "adagrad": lambda: tf.train.adagrad(0.1),
    "adadelta": lambda: tf.train.adadelta(0.1, 0.9),
    "rmsprop": lambda: tf.train.rmsprop(0.1, 0.8, 0.3),
    "centered": lambda: tf.train.rmsprop(0.1, 0.8, 0.3, None, True),
    "adam": lambda: tf.train.adam(0.1),
    "adamw": lambda: tf.train.adamw(0.1, 0.2),
    "nadam": lambda: tf.train.nadam(0.1),
    "adamax": lambda: tf.train.adamax(0.1, 0.9, 0.99, None, 0.01),
}


def steps(optimizer: Optimizer, seen: set[str]) -> list[Any]:
    rng = np.random.default_rng(5)
    variables = [tf.variable(tf.tensor(rng.normal(size=s).astype(np.float32))) for s in SHAPES]
    with observing(lambda found: seen.add(found.kernel)):
        for _ in range(3):
            optimizer.apply_gradients(
                {v.name: tf.tensor(rng.normal(size=v.shape).astype(np.float32)) for v in variables}
            )
    slots = [w["tensor"].numpy() for w in optimizer.get_weights()]
    return [v.numpy() for v in variables] + slots


CORRECTED = {"adam", "adamw", "nadam"}  # numpy's kernels correct the bias in the learning rate and in ε


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_joint_update_equals_single_updates(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[str] = set()
    together = steps(OPTIMIZERS[name](), seen)
    assert any(kernel.endswith("Update") for kernel in seen)
    monkeypatch.setattr(Optimizer, "_has_kernel_for", lambda *a: False)
    seen.clear()
    single = steps(OPTIMIZERS[name](), seen)
    assert not any(kernel.endswith("Update") for kernel in seen)
    last_bits = 2.0**-21 if name in CORRECTED and tf.get_backend() != "webgl" else 0  # of weights up to 4
    for a, b in zip(together, single, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=last_bits)


def test_blocks_cover_all_elements_once() -> None:
    shapes = ((3,), (0,), (200, 100), (300, 400), (16384,), (160, 100), (), (40000, 1), (1,), (65536,))
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    column = np.split(np.arange(ends[-1]), ends[:-1])
    blocks = update._blocks(shapes)
    assert all(block.size <= update._BLOCK_ELEMENTS for block in blocks)
    arrays, parts = update._allocate(
        [numbers.reshape(shape) for numbers, shape in zip(column, shapes, strict=True)], blocks
    )
    for block, part in zip(blocks, parts, strict=True):
        part[:] = update._gathered(column, block)
    for array, shape, numbers in zip(arrays, shapes, column, strict=True):
        assert array.shape == shape
        np.testing.assert_array_equal(array.reshape(-1), numbers)


def test_overridden_update_is_called() -> None:
    class Frozen(tf.SGDOptimizer):
        def update(self, value: Any, grad: Any, slots: Any) -> Any:
            return value, {}

    v = tf.variable(tf.tensor([1.0, 2.0]))
    Frozen(0.1).apply_gradients({v.name: tf.tensor([5.0, 5.0])})
    np.testing.assert_array_equal(v.numpy(), [1, 2])


def test_duplicate_gradient_is_applied_twice() -> None:
    v = tf.variable(tf.tensor([1.0]))
    gradient = {"name": v.name, "tensor": tf.tensor([1.0])}
    tf.train.sgd(0.25).apply_gradients([gradient, gradient])
    np.testing.assert_array_equal(v.numpy(), [0.5])


def test_exact_backend_updates_one_by_one() -> None:
    registry.use("exact")
    seen: set[str] = set()
    steps(tf.train.adam(0.1), seen)
    assert not any(kernel.endswith("Update") for kernel in seen)


def test_values_read_before_a_step_do_not_change() -> None:
    """A step writes to new arrays."""
    v = tf.variable(tf.tensor([1.0, 2.0]))
    before, clone = v.numpy(), v.clone()
    tf.train.sgd(0.1).apply_gradients({v.name: tf.tensor([5.0, 5.0])})
    np.testing.assert_array_equal(before, [1, 2])
    np.testing.assert_array_equal(clone.numpy(), [1, 2])
