"""Matrix products: batches times one matrix, shape errors, and values that are not finite."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("lead", "m"), [((6,), 1), ((6,), 3), ((2, 3), 2), ((0,), 2), ((3,), 0)])
@pytest.mark.parametrize("transpose_b", [False, True])
def test_batch_times_matrix_is_one_product(lead: tuple[int, ...], m: int, transpose_b: bool) -> None:
    a = RNG.normal(size=(*lead, m, 4)).astype(np.float32)
    b = RNG.normal(size=(5, 4) if transpose_b else (4, 5)).astype(np.float32)
    right = b.T if transpose_b else b
    info = tf.profile(lambda: tf.tensor(a).mat_mul(tf.tensor(b), transpose_b=transpose_b))
    assert [k.input_shapes[0] for k in info.kernels if k.name == "BatchMatMul"] == [(a.size // 4, 4)]
    np.testing.assert_allclose(info.result.numpy(), a @ right, rtol=ACCUMULATED, atol=ROUNDING)


def test_gradient_of_shared_matrix_is_one_product() -> None:
    a = RNG.normal(size=(6, 1, 4)).astype(np.float32)
    gradient = tf.grad(lambda b: tf.tensor(a).mat_mul(b).sum())
    info = tf.profile(lambda: gradient(tf.ones([4, 5])))
    assert "BatchMatMul" in info.kernel_names
    assert all(k.output_shapes[0] != (6, 4, 5) for k in info.kernels)
    np.testing.assert_allclose(info.result.numpy(), np.repeat(a.sum((0, 1))[:, None], 5, 1), rtol=ACCUMULATED)


def test_inner_size_error_names_given_shapes() -> None:
    with pytest.raises(ValueError, match=r"(?s)2, 3, 4.*5, 6"):
        tf.ones([2, 3, 4]).mat_mul(tf.ones([5, 6]))


@pytest.mark.parametrize("shapes", [((1, 1), (1, 3)), ((3, 1), (1, 1)), ((1, 1), (1, 1)), ((1, 1), (1, 10_000))])
def test_zero_times_nonfinite_is_nan(shapes: Any, backend: str) -> None:
    zeros = np.zeros(shapes[0], np.float32)
    for special in (np.nan, np.inf):
        others = np.full(shapes[1], special, np.float32)
        assert np.isnan(tf.mat_mul(zeros, others).numpy()).all()
        assert np.isnan(tf.mat_mul(others.T, zeros.T).numpy()).all()
