"""Matrix products of views, as in convolutions and their gradients, on integers, whose sums are exact."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tfpy as tf
from tfpy.engine.gl import maps, matmul
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.matrix_view import MatrixView, matrix_view

pytestmark = pytest.mark.gl

CONVOLUTIONS = [
    # input, filter, strides, pad, dilations
    ((2, 9, 11, 4), (3, 3, 4, 16), (1, 1), "same", (1, 1)),
    ((2, 9, 11, 4), (3, 2, 4, 16), (1, 1), "valid", (1, 1)),
    ((1, 16, 16, 8), (3, 3, 8, 64), (1, 1), "same", (2, 3)),
    ((2, 13, 12, 3), (5, 5, 3, 20), (2, 2), "same", (1, 1)),
    ((2, 13, 12, 8), (5, 3, 8, 7), (2, 3), "valid", (1, 1)),
    ((3, 12, 12, 5), (4, 4, 5, 8), (2, 2), "same", (1, 1)),
    ((3, 12, 12, 16), (1, 1, 16, 16), (3, 2), "same", (1, 1)),
    ((2, 8, 8, 16), (2, 2, 16, 130), (3, 3), "valid", (1, 1)),
]


def integers(shape: tuple[int, ...], seed: int) -> tf.Tensor:
    return tf.tensor(np.random.default_rng(seed).integers(-3, 4, shape).astype(np.float32))


def results(case: tuple[tuple[int, ...], tuple[int, ...], tuple[int, int], str, tuple[int, int]]) -> list[np.ndarray]:
    x_shape, filter_shape, strides, pad, dilations = case
    x, filters = integers(x_shape, 1), integers(filter_shape, 2)

    def convolved(x: tf.Tensor, filters: tf.Tensor) -> tf.Tensor:
        return tf.conv2d(x, filters, strides, pad, "NHWC", dilations)

    y = convolved(x, filters)
    slopes = tf.grads(convolved)([x, filters], integers(tuple(y.shape), 3))
    return [t.numpy() for t in (y, *slopes)]


@pytest.mark.parametrize("copies", [False, True], ids=["views", "copies"])
@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_convolutions_equal_cpu(gpu: GlBackend, monkeypatch: pytest.MonkeyPatch, case: tuple, copies: bool) -> None:
    found: list[MatrixView | None] = []

    def recording_view(*arguments: object) -> MatrixView | None:
        found.append(matrix_view(*arguments))  # type: ignore[arg-type]
        return found[-1]

    monkeypatch.setattr(matmul, "matrix_view", recording_view)
    monkeypatch.setattr(matmul, "SMALL_MULTIPLICATIONS", 0)
    if copies:
        monkeypatch.setattr(matmul, "_LARGE_PRODUCT", 0)
        monkeypatch.setattr(matmul, "_OFTEN", 0)
    computed = results(case)
    assert all(found), "a view is not split into rows and columns"
    assert bool(found) is not copies
    tf.set_backend("cpu")
    for value, expected in zip(computed, results(case), strict=True):
        np.testing.assert_array_equal(value, expected)


def transposed_map(shape: tuple[int, ...], order: tuple[int, ...]) -> maps.Map:
    where = maps.transposed(shape, order)
    assert where is not None
    return where


def sliced_columns(width: int, first: int) -> maps.Map:
    """Eight columns of a matrix of that width."""
    where = maps.sliced((6, width), ((0, 1, 6), (first, 1, 8)))
    assert where is not None
    return where


@pytest.mark.parametrize(
    ("where", "columns", "vector"),
    [
        (lambda: transposed_map((6, 5, 8), (1, 0, 2)), 8, True),
        (lambda: transposed_map((6, 5, 8), (1, 0, 2)), 48, True),
        (lambda: transposed_map((6, 8, 5), (1, 2, 0)), 6, False),
        (lambda: transposed_map((6, 5, 7), (1, 0, 2)), 7, False),
        (lambda: sliced_columns(16, 4), 8, True),
        (lambda: sliced_columns(16, 2), 8, False),
        (lambda: sliced_columns(10, 0), 8, False),
        (lambda: maps.padded((6, 8), ((1, 1), (0, 0))), 8, True),
        (lambda: maps.padded((6, 8), ((1, 1), (1, 1))), 10, False),
        (lambda: maps.padded((6, 8), ((1, 1), (4, 4))), 16, False),
        (lambda: maps.gapped((6, 8), (maps.Dimension(((0, 1),), 4),)), 8, False),
    ],
)
def test_views_that_are_read_as_vectors(where: Callable[[], maps.Map], columns: int, vector: bool) -> None:
    by_row, by_column = (matrix_view(where(), columns, inner) for inner in (False, True))
    assert by_row is not None
    assert by_column is not None
    assert (by_row.vector, by_column.vector) == (vector, False)


def test_views_that_are_not_matrices() -> None:
    assert matrix_view(transposed_map((6, 5, 8), (1, 0, 2)), 16, True) is None
    assert matrix_view(maps.ZERO, 4, True) is None
