"""Threads: each has its own scopes, tapes and backend override; tensors may be shared."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

import tfpy as tf

pytestmark = pytest.mark.cpu


def _train(seed: int, barrier: Barrier | None = None) -> list[np.ndarray]:
    """Train a small recurrent model for some steps, in lockstep with another thread if there is a barrier."""
    model = tf.sequential()
    seeded = {"kernel_initializer": tf.initializers.glorot_normal(seed=seed)}
    model.add(
        tf.layers.lstm(
            units=4,
            input_shape=[5, 3],
            recurrent_initializer={"class_name": "GlorotNormal", "config": {"seed": seed}},
            **seeded,
        )
    )
    model.add(tf.layers.dense(units=2, activation="softmax", **seeded))
    model.compile(optimizer="adam", loss="categoricalCrossentropy")
    x = tf.random_normal([16, 5, 3], 0, 1, "float32", seed)
    y = tf.one_hot(tf.random_uniform_int([16], 0, 2, seed), 2)
    for _ in range(10):
        if barrier is not None:
            barrier.wait()
        model.train_on_batch(x, y)
    return [w.numpy().copy() for w in model.get_weights()]


def test_threaded_training_equals_serial_training() -> None:
    serial = [_train(1), _train(2)]
    barrier = Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        threaded = list(pool.map(lambda seed: _train(seed, barrier), (1, 2)))
    for expected, found in zip(serial, threaded, strict=True):
        for e, f in zip(expected, found, strict=True):
            np.testing.assert_array_equal(e, f)


def test_tapes_and_scopes_are_thread_local() -> None:
    x = tf.scalar(3)
    with ThreadPoolExecutor(1) as pool:

        def cost(a: tf.Tensor) -> tf.Tensor:
            other = pool.submit(lambda: a.mul(100)).result()
            assert not other.is_disposed
            return a.square()

        grad = tf.grad(cost)(x)
        lost = tf.tidy(lambda: [pool.submit(lambda: tf.scalar(7)).result()])[0]
    assert float(grad) == 6
    assert float(lost) == 7


def test_backend_override_is_thread_local() -> None:
    from tfpy.engine.backend import registry, using

    with using(registry.find("exact")), ThreadPoolExecutor(1) as pool:
        assert tf.get_backend() == "exact"
        assert pool.submit(tf.get_backend).result() == "cpu"


@pytest.mark.parametrize("count", [4])
def test_tensor_count_is_exact_after_concurrent_work(count: int) -> None:
    def work(_: int) -> None:
        for _ in range(300):
            tf.tidy(lambda: tf.ones([4]).add(1).square().sum())

    before = tf.memory().num_tensors
    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))
    assert tf.memory().num_tensors == before
