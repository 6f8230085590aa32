"""Forms of training data, and invalid data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from layers.linear import X, Y, fit, linear, values

import tfpy as tf


@pytest.mark.parametrize(
    "form",
    [
        lambda a: a,
        lambda a: tf.tensor(a),
        lambda a: a.tolist(),
        lambda a: [tf.tensor(a)],
        lambda a: [a],
        lambda a: np.asarray(a, dtype=np.float64),
        lambda a: np.asfortranarray(a),
    ],
    ids=["array", "tensor", "lists", "list of a tensor", "list of an array", "float64", "fortran"],
)
def test_equivalent_forms_of_data(form: Callable[[Any], Any]) -> None:
    model, reference = linear(), linear()
    fit(model, form(X), form(Y), shuffle=False)
    fit(reference, shuffle=False)
    assert values(model) == values(reference)


def test_data_frames_1d_data_and_inputs_by_name() -> None:
    class Frame:
        """A data frame: like those of pandas and polars, it converts to an array."""

        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            return X.astype(np.float64)

    assert linear().predict(Frame()).shape == (10, 1)
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    fit(model, np.arange(4.0), np.arange(4.0))
    named = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2], name="d")])
    assert named.predict({"d_input": X}).shape == (10, 1)


@pytest.mark.parametrize(
    ("x", "y", "options", "words"),
    [
        (X, Y[:5], {}, "fit.*samples"),
        (X[:, :1], Y, {}, "fit.*'x'.*shape \\[batch, 2\\]"),
        (X, np.zeros((10, 3)), {}, "fit.*'y'.*shape"),
        (X[:0], Y[:0], {}, "fit.*at least one sample"),
        (X, Y * np.nan, {}, "fit: argument 'y'.*NaN"),
        (X, [["a"]] * 10, {}, "fit"),
        ([*X.tolist()[:-1], [1.0]], Y, {}, "fit.*rectangular"),
        (None, Y, {}, "fit.*'x'"),
        (X, None, {}, "fit.*'y'"),
        ([X, X], Y, {}, "fit.*'x'"),
        ({"nobody": X}, Y, {}, "fit.*'x'.*input"),
        (X, Y, {"batch_size": 0}, "batch_size"),
        (X, Y, {"batch_size": 2.5}, "batch_size"),
        (X, Y, {"batchsize": 2}, "batchsize.*batch_size"),
        (X, Y, {"epochs": "3"}, "epochs"),
        (X, Y, {"callbacks": 3}, "callbacks"),
        (X, Y, {"callbacks": {"onEpochend": print}}, "onEpochend.*onEpochEnd"),
        (X, Y, {"callbacks": {"onEpochEnd": 3}}, "on_epoch_end.*function"),
        (X, Y, {"validation_data": X}, "validation_data"),
        (X, Y, {"validation_data": [X, Y[:3]]}, "samples"),
        (X, Y, {"class_weight": {5: 1.0}}, "class_weight"),
        (X, np.full([10, 1], 1.5), {"class_weight": {1: 1.0}}, "class_weight.*for every class, also for 1.5"),
        (X, Y, {"class_weight": 3}, "class_weight"),
        (X, Y, {"sample_weight": [1.0]}, "sample_weight"),
        (X, Y, {"yield_every": "sometimes", "callbacks": {"onYield": print}}, "yield_every"),
        (X, Y, {"yield_every": "never", "callbacks": {"onYield": print}}, "yield_every"),
    ],
)  # fmt: skip
def test_invalid_input_raises_and_changes_nothing(x: Any, y: Any, options: dict[str, Any], words: str) -> None:
    model = linear()
    before = values(model)
    tensors = tf.memory().num_tensors
    with pytest.raises((ValueError, TypeError), match=f"(?s){words}"):
        model.fit(x, y, {"verbose": 0, **options})
    assert values(model) == before
    assert tf.memory().num_tensors == tensors
    fit(model)
    assert values(model) != before, "the model cannot be trained"


def test_disposed_tensor_raises() -> None:
    x = tf.tensor(X)
    x.dispose()
    model = linear()
    with pytest.raises(RuntimeError, match="disposed"):
        fit(model, x)
    fit(model)


@pytest.mark.parametrize("batch_size", [0, -1, 1.5, "a", None])
def test_batch_size_of_predict_and_evaluate_is_checked(batch_size: Any) -> None:
    model = linear()
    if batch_size is None:
        assert model.predict(X, batch_size=None).shape == (10, 1)
        return
    for use in (lambda: model.predict(X, batch_size=batch_size), lambda: model.evaluate(X, Y, batch_size=batch_size)):
        with pytest.raises((ValueError, TypeError), match="batch_size"):
            use()


def test_label_shape_must_fit_the_loss() -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=3, activation="softmax", input_shape=[2])])
    model.compile(optimizer="sgd", loss="categoricalCrossentropy")
    with pytest.raises(ValueError, match="one-hot|shape"):
        fit(model, X, np.zeros((10, 1)))
    model.compile(optimizer="sgd", loss="sparseCategoricalCrossentropy")
    fit(model, X, np.zeros((10, 1)))
    fit(model, X, np.zeros(10))
