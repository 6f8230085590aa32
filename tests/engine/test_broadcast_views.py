"""A broadcast number is stored once, as a view: every kernel must treat it like a full array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf

SIDE = 260
OTHER = np.random.default_rng(1).normal(size=(SIDE, SIDE)).astype(np.float32)

USES: dict[str, Callable[[Any, Any], Any]] = {
    "read": lambda x, y: x,
    "add": lambda x, y: x.add(y),
    "both": lambda x, y: x.mul(x),
    "relu": lambda x, y: x.relu(),
    "greater": lambda x, y: x.greater(y).cast("float32"),
    "sum": lambda x, y: x.sum(0),
    "mean": lambda x, y: x.mean(),
    "max": lambda x, y: x.max(1),
    "matmul": lambda x, y: x.mat_mul(y),
    "matmul of the transposed": lambda x, y: y.mat_mul(x, True, True),
    "transpose": lambda x, y: x.transpose().add(1),
    "reshape": lambda x, y: x.reshape([-1]).add(y.reshape([-1])),
    "concat": lambda x, y: tf.concat([x, y], 1),
    "slice": lambda x, y: x.slice([3, 4], [5, 6]),
    "gather": lambda x, y: x.gather(tf.tensor1d([5, 1], "int32")),
    "pad": lambda x, y: x.pad([[1, 2], [0, 1]]),
    "where": lambda x, y: tf.where(y.greater(0), x, y),
    "softmax": lambda x, y: x.softmax(),
    "cumsum": lambda x, y: x.cumsum(1),
    "topk": lambda x, y: x.topk(3).values,
    "conv": lambda x, y: x.reshape([1, SIDE, SIDE, 1]).conv2d(tf.ones([3, 3, 1, 2]), 1, "same"),
    "max pool": lambda x, y: x.reshape([1, SIDE, SIDE, 1]).max_pool(2, 2, "valid"),
    "cast": lambda x, y: x.cast("int32").cast("float32"),
    "clip": lambda x, y: x.clip_by_value(0, 1),
    "gradient": lambda x, y: tf.grad(lambda t: t.square().mul(y).sum())(x),
}


@pytest.mark.parametrize("use", USES)
def test_view_gives_same_result_as_full_array(use: str) -> None:
    f = USES[use]
    view = tf.scalar(1.5).broadcast_to([SIDE, SIDE])
    written = tf.tensor(np.full((SIDE, SIDE), 1.5, np.float32))
    y = tf.tensor(OTHER)
    np.testing.assert_array_equal(f(view, y).numpy(), f(written, y).numpy())


def test_large_elementwise_kernels_on_views() -> None:
    x = tf.scalar(3).broadcast_to([1 << 20])
    y = tf.range(0, 1 << 20).cast("float32")
    np.testing.assert_array_equal(x.mul(y).numpy(), np.arange(1 << 20, dtype=np.float32) * 3)
    np.testing.assert_allclose(
        x.mul(x).tanh().numpy()[:3], np.tanh(np.full(3, 9, np.float32)), rtol=2 * np.finfo(np.float32).eps
    )
    rows = tf.tensor2d([[1.0], [2.0]]).broadcast_to([2, 1 << 19])
    np.testing.assert_array_equal(rows.add(rows).numpy()[:, 5], [2, 4])


def test_numpy_array_of_view_is_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        tf.scalar(1).broadcast_to([SIDE, SIDE]).numpy()[0, 0] = 2
