"""Metrics raise for incompatible shapes of labels and predictions, naming the argument."""

from __future__ import annotations

import pytest

import tfpy as tf

METRICS = [
    "binary_accuracy",
    "categorical_crossentropy",
    "cosine_proximity",
    "mean_absolute_error",
    "mean_absolute_percentage_error",
    "mean_squared_error",
    "precision",
    "r2_score",
    "recall",
]


@pytest.mark.parametrize("name", METRICS)
def test_incompatible_shapes_raise(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: argument 'y_pred' .* \[2, 3\], that of y_true, .* \[2, 4\]"):
        getattr(tf.metrics, name)(tf.ones([2, 3]), tf.ones([2, 4]))
    assert getattr(tf.metrics, name)(tf.ones([2, 1]), tf.ones([2, 4])) is not None


@pytest.mark.parametrize(("name", "y_true"), [("categorical_accuracy", [3, 2]), ("sparse_categorical_accuracy", [3])])
def test_different_sample_counts_raise(name: str, y_true: list[int]) -> None:
    with pytest.raises(ValueError, match=rf"^{name}: argument 'y_pred' .* \[3\], that of y_true, up to .* \[4, 2\]"):
        getattr(tf.metrics, name)(tf.ones(y_true), tf.ones([4, 2]))
    assert getattr(tf.metrics, name)(tf.ones(y_true), tf.ones([3, 4])).shape == (3,)


def test_class_indices_of_wrong_shape_raise() -> None:
    with pytest.raises(ValueError, match=r"^sparse_categorical_accuracy: argument 'y_true' .* one index per sample"):
        tf.metrics.sparse_categorical_accuracy(tf.ones([2, 3]), tf.ones([2, 4]))
