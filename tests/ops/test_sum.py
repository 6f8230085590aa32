"""Accuracy of sums and products over many elements."""

from __future__ import annotations

import numpy as np
import pytest
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf
from tfpy.engine.cpu.table import KERNELS

RNG = np.random.default_rng(0)
# The allowed error of a sum, relative to the sum of the magnitudes of its terms.
TOLERANCE = {np.float64: 1e-15, np.float32: 4 * 2.0**-24, np.int32: 0, np.complex128: 1e-15}


@pytest.mark.parametrize("shape", [(300, 8), (5, 60, 3), (257, 1), (2, 200, 3000), (300, 0), (256, 7)])
@pytest.mark.parametrize("keep_dims", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.complex128])
def test_sum_over_all_but_the_last_axis(shape: tuple[int, ...], keep_dims: bool, dtype: type) -> None:
    x = (RNG.normal(size=shape) * 10).astype(dtype)
    axes = tuple(range(len(shape) - 1))
    y = KERNELS["Sum"](x, axes=axes, keep_dims=keep_dims)
    expected = x.astype(np.complex128 if dtype is np.complex128 else np.float64).sum(axes, keepdims=keep_dims)
    assert y.dtype == dtype
    assert y.shape == expected.shape
    allowed = TOLERANCE[dtype] * np.abs(x).sum(axes, keepdims=keep_dims)
    assert (np.abs(y - expected) <= allowed).all()
    fortran_ordered = np.asfortranarray(x)
    assert (np.abs(KERNELS["Sum"](fortran_ordered, axes=axes, keep_dims=keep_dims) - expected) <= allowed).all()


@pytest.mark.parametrize("shape", [(), (3,), (300, 2)])
def test_sum_over_no_axis_is_identity(shape: tuple[int, ...]) -> None:
    x = RNG.normal(size=shape)
    np.testing.assert_array_equal(KERNELS["Sum"](x, axes=(), keep_dims=True), x)


def test_sum_of_many_small_values_is_accurate() -> None:
    x = np.full((1 << 20, 1), 0.1, np.float32)
    np.testing.assert_allclose(KERNELS["Sum"](x, axes=(0,), keep_dims=False), [104857.6], rtol=ACCUMULATED)


@pytest.mark.parametrize(
    ("shape", "axes"),
    [((300_000, 2, 2), (0,)), ((1, 512, 512, 3), (1, 2)), ((2, 300_000, 1), (1,)), ((3, 70_000, 5), (1,)),
     ((200_000, 3), (0,)), ((2, 400, 300, 2, 2), (1, 2))],
)  # fmt: skip
@pytest.mark.parametrize("keep_dims", [False, True])
def test_sum_along_any_axes_is_accurate(shape: tuple[int, ...], axes: tuple[int, ...], keep_dims: bool) -> None:
    y = KERNELS["Sum"](np.full(shape, 0.1, np.float32), axes=axes, keep_dims=keep_dims)
    expected = np.full(shape, np.float32(0.1), np.float64).sum(axes, keepdims=keep_dims)
    assert y.shape == expected.shape
    np.testing.assert_allclose(y, expected, rtol=ACCUMULATED)


def test_segment_sum_is_accurate(backend: str) -> None:
    count = 50_000
    ids = tf.zeros([count], "int32")
    assert abs(tf.unsorted_segment_sum(tf.fill([count], 0.1), ids, 2).data_sync()[0] / (0.1 * count) - 1) < ACCUMULATED
    by_row = tf.grad(lambda x: tf.gather(x, ids).mul(0.1).sum())(tf.zeros([2, 3]))
    np.testing.assert_allclose(by_row.numpy(), np.repeat([[0.1 * count], [0]], 3, 1), rtol=ACCUMULATED)


def test_segment_of_70000_rows(backend: str) -> None:
    zeros = tf.zeros([70_000], "int32")
    assert tf.unsorted_segment_sum(tf.ones([70_000]), zeros, 2).array_sync() == [70_000, 0]
    assert tf.bincount(zeros, [], 2).array_sync() == [70_000, 0]
    assert tf.scatter_nd(zeros.expand_dims(1), tf.ones([70_000]), [2]).array_sync() == [70_000, 0]


@pytest.mark.parametrize("axes", [(0,), (1,), (0, 1)])
def test_product_with_intermediate_overflow(axes: tuple[int, ...]) -> None:
    x = np.float32([[1e30, 1e30, 1e-30], [1e-30, 1e30, 1], [1, 1e-30, 1e-30]])
    expected = {(0,): [1, 1e30, 0], (1,): [1e30, 1, 0], (0, 1): [1e-30]}[axes]
    y = KERNELS["Prod"](x, axes=axes, keep_dims=False)
    assert y.dtype == np.float32
    np.testing.assert_allclose(y.reshape(-1), expected, rtol=ROUNDING)


def test_product_of_many_values_is_accurate() -> None:
    x = np.float32(1 + RNG.normal(size=100_000) * 1e-4)
    y = KERNELS["Prod"](x, axes=(0,), keep_dims=False)
    np.testing.assert_allclose(y, x.astype(np.float64).prod(), rtol=ROUNDING)
