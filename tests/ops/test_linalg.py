"""Linear algebra beyond the table: full QR, degenerate matrices, unsorted top-k, norms of zero."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tolerance import ROUNDING, SECOND_GRADIENT, STEP, central_difference

import tfpy as tf

RNG = np.random.default_rng(4)
A, W = RNG.uniform(-1, 1, (5, 2)), RNG.uniform(-1, 1, (5, 5))


def _weighted_projection(a: Any) -> Any:
    """A function of r and of the space spanned by the extra columns of q, but not of their basis."""
    q, r = tf.linalg.qr(a, True)
    rest = q.slice([0, 2], [5, 3])
    return rest.mat_mul(rest, False, True).mul(W).sum().add(r.square().sum())


@pytest.mark.parametrize("order", [1, 2])
def test_gradient_of_full_qr(order: int) -> None:
    tf.set_backend("double")
    f = _weighted_projection if order == 1 else lambda a: tf.grad(_weighted_projection)(a).mul(A).sum()
    found = tf.grad(f)(tf.tensor(A)).numpy()
    direction = RNG.uniform(-1, 1, A.shape)
    numeric = central_difference(lambda h: f(tf.tensor(A + h * direction)), STEP)
    assert np.sum(found * direction) == pytest.approx(numeric, rel=SECOND_GRADIENT / 2)


def test_qr_of_zeros() -> None:
    q, r = tf.linalg.qr(tf.zeros([3, 2]))
    np.testing.assert_array_equal(q.numpy(), np.eye(3, 2))
    np.testing.assert_array_equal(r.numpy(), np.zeros((2, 2)))


@pytest.mark.parametrize("matrix", [[[np.nan, 1], [2, 3]], [[1, np.nan], [2, 3]]])
def test_qr_of_nan_is_nan(matrix: Any) -> None:
    q, r = tf.linalg.qr(tf.tensor(matrix))
    assert np.isnan(q.numpy()).all()
    assert np.isnan(r.numpy()[:, 1]).all()


def test_unsorted_topk_has_order_of_tfjs() -> None:
    """Recorded in Node: a short row, and one long enough for the quickselect to sample first."""
    rows = tf.tensor([[5.0, 3, 9, 1, 7, 2, 8], [1, 2, 3, 4, 5, 6, 7]])
    assert tf.topk(rows, 4, False).indices.array_sync() == [[6, 2, 4, 0], [6, 5, 4, 3]]
    row = tf.tensor((np.arange(1009) * 7919) % 1009)
    assert tf.topk(row, 9, False).indices.array_sync() == [765, 277, 521, 33, 554, 831, 66, 310, 798]


@pytest.mark.parametrize("axis", [None, 1, [0, 1]])
def test_gradient_of_zero_norm_is_zero(backend: str, axis: Any) -> None:
    x = tf.tensor([[0.0, 0.0], [3.0, 4.0]] if axis == 1 else [[0.0, 0.0], [0.0, 0.0]])
    found = tf.grad(lambda a: tf.norm(a, "euclidean", axis).sum())(x)
    expected = [[0, 0], [0.6, 0.8]] if axis == 1 else [[0, 0], [0, 0]]
    np.testing.assert_allclose(found.numpy(), expected, rtol=ROUNDING)
