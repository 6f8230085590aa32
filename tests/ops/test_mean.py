"""The mean: one kernel, which equals the composition that the exact backend uses."""

from __future__ import annotations

import numpy as np
import pytest
from tolerance import ROUNDING

import tfpy as tf
from tfpy.engine.backend import registry

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("shape", "axis", "keep_dims"),
    [((2, 3, 4), None, False), ((2, 3, 4), 1, True), ((5,), 0, False), ((), None, False), ((0, 3), 0, False),
     ((3, 0), 0, False), ((3, 0), 1, True)],
)  # fmt: skip
def test_double_and_exact_backends_agree(shape: tuple[int, ...], axis: int | None, keep_dims: bool) -> None:
    x = RNG.normal(size=shape)
    dy = RNG.normal(size=np.zeros(shape).sum(axis, keepdims=keep_dims).shape)
    found = {}
    for backend in ("double", "exact"):
        registry.use(backend)
        y = tf.tensor(x, shape).mean(axis, keep_dims)
        slope = tf.grad(lambda t: t.mean(axis, keep_dims))(tf.tensor(x, shape), tf.tensor(dy))
        found[backend] = y.numpy(), slope.numpy()
    for a, b in zip(found["double"], found["exact"], strict=True):
        np.testing.assert_allclose(a, b, rtol=ROUNDING, atol=ROUNDING)
