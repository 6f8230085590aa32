"""Losses added by add_loss on models and in calls of layers, and by activity regularizers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from layers.linear import X, Y, fit, linear, values
from tolerance import ACCUMULATED, ROUNDING, TRAINED

import tfpy as tf


def test_model_add_loss_adds_to_training_loss() -> None:
    model = linear()
    x, y = np.ones((4, 2)), np.ones((4, 1))
    model.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError")
    before = model.train_on_batch(x, y)
    model.add_loss(lambda: tf.scalar(100))
    for _ in range(4):  # step by step, and from a plan
        np.testing.assert_allclose(model.train_on_batch(x, y), before + 100, rtol=ROUNDING)


@pytest.mark.parametrize("loss", [3, tf.scalar])
def test_add_loss_outside_call_requires_function(loss: Any) -> None:
    given = loss if isinstance(loss, int) else loss(1)
    with pytest.raises(TypeError, match="add_loss: argument 'losses' must be functions without arguments.*but got"):
        tf.layers.dense(units=1).add_loss(given)


@pytest.mark.parametrize(
    "loss", [lambda t, p: tf.tensor(np.mean((t.numpy() - p.numpy()) ** 2)), lambda t, p: tf.scalar(1)]
)
def test_loss_without_gradient_raises(loss: Any) -> None:
    model = linear(loss=loss)
    for call in (lambda: fit(model), lambda: model.train_on_batch(X, Y)):
        with pytest.raises(
            ValueError, match="The loss does not depend on any of the trained weights .*computed with numpy"
        ):
            call()


class Penalty(tf.layers.Layer, class_name="PenaltyInCall"):
    """Adds the mean square of its inputs to the loss: as a tensor, as a function, or within a tidy."""

    form: str = "tensor"

    def call(self, x: Any) -> Any:
        if self.form == "tidied":
            tf.tidy(lambda: self.add_loss(x.square().mean()))
        else:
            self.add_loss(x.square().mean() if self.form == "tensor" else [lambda: x.square().mean()])
        return x


def model_with(*layers: Any, **options: Any) -> Any:
    model = tf.sequential(
        [tf.layers.dense(units=1, kernel_initializer="ones", use_bias=False, input_shape=[2], **options), *layers]
    )
    model.compile(optimizer=tf.train.sgd(0.1), loss="meanSquaredError")
    return model


@pytest.mark.parametrize("form", ["tensor", "function", "tidied"])
def test_loss_added_in_call_counts_in_that_step_only(form: str) -> None:
    model, x = model_with(Penalty(form=form)), X.astype(float)
    weights = np.ones((2, 1))
    for _ in range(4):
        found = x @ weights
        expected = ((found - Y) ** 2).mean() + (found**2).mean()
        assert model.train_on_batch(X, Y) == pytest.approx(expected, rel=ACCUMULATED)
        weights = weights - 0.1 * 2 * x.T @ (2 * found - Y) / 10
    np.testing.assert_allclose(values(model)[0], weights, rtol=TRAINED)
    assert model.losses == []
    assert float(model.evaluate(X, Y)) == pytest.approx(((x @ weights - Y) ** 2).mean(), rel=TRAINED)
    model.predict(X)
    assert len(fit(model, batch_size=3, epochs=2).history["loss"]) == 2


def test_losses_of_cells_and_nested_layers_count() -> None:
    class Cell(tf.layers.SimpleRNNCell, class_name="PenaltyCell"):
        def call(self, inputs: Any, **options: Any) -> Any:
            self.add_loss(tf.scalar(1))
            return super().call(inputs, **options)

    class Sequence(tf.layers.SimpleRNN, class_name="PenaltySequence"):
        def call(self, inputs: Any, **options: Any) -> Any:
            self.add_loss(tf.scalar(0.25))
            return super().call(inputs, **options)

    inner = tf.sequential([tf.layers.rnn(cell=Cell(units=2), return_sequences=True, input_shape=[3, 2])])
    model = tf.sequential([inner, tf.layers.bidirectional(layer=Sequence(units=1)), tf.layers.dense(units=1)])
    model.compile(optimizer=tf.train.sgd(0.0), loss="meanSquaredError")
    x, y = np.ones((2, 3, 2)), np.ones((2, 1))
    assert model.train_on_batch(x, y) - float(model.evaluate(x, y)) == pytest.approx(3 + 2 * 0.25, rel=ACCUMULATED)


@pytest.mark.parametrize(
    ("loss", "error", "message"),
    [
        (lambda x: x.square(), ValueError, "add_loss: argument 'losses' must be scalar tensors"),
        (lambda x: 3, TypeError, "add_loss: argument 'losses' must be scalar tensors, or functions that return them"),
        (lambda x: lambda: 3, TypeError, "must be scalar tensors, or functions that return them"),
    ],
)
def test_add_loss_in_call_requires_scalar(loss: Any, error: type[Exception], message: str) -> None:
    class Own(tf.layers.Layer, class_name="OwnLossInCall"):
        def call(self, x: Any) -> Any:
            self.add_loss(loss(x))
            return x

    with pytest.raises(error, match=message):
        Own().apply(tf.ones([2, 2]))


def test_activity_regularizer_is_averaged_over_batch() -> None:
    model, x = model_with(activity_regularizer=tf.regularizers.l2(l2=0.5)), X.astype(float)
    weights = np.ones((2, 1))
    for _ in range(4):  # step by step, and from a plan
        found = x @ weights
        expected = ((found - Y) ** 2).mean() + 0.5 * (found**2).sum() / 10
        assert model.train_on_batch(X, Y) == pytest.approx(expected, rel=ACCUMULATED)
        weights = weights - 0.1 * (2 * x.T @ (found - Y) + x.T @ found) / 10
    np.testing.assert_allclose(values(model)[0], weights, rtol=TRAINED)
    assert float(model.evaluate(X, Y)) == pytest.approx(((x @ weights - Y) ** 2).mean(), rel=TRAINED)
    model.layers[0].activity_regularizer = None
    assert model.train_on_batch(X, Y) == pytest.approx(((x @ weights - Y) ** 2).mean(), rel=TRAINED)


def test_activity_regularizers_of_embedding_wrapped_and_conv_layers() -> None:
    rate = tf.regularizers.l1(l1=0.1)
    model = tf.sequential(
        [
            tf.layers.embedding(input_dim=4, output_dim=2, input_length=3, activity_regularizer=rate),
            tf.layers.time_distributed(layer=tf.layers.dense(units=2, activity_regularizer=rate)),
            tf.layers.conv1d(filters=2, kernel_size=1, activity_regularizer=rate),
        ]
    )
    model.compile(optimizer=tf.train.sgd(0.0), loss="meanSquaredError")
    x, y = np.array([[0, 1, 2], [1, 2, 3]]), np.zeros((2, 3, 2))
    activations = model.execute(x, [layer.output.name for layer in model.layers])
    expected = sum(0.1 * float(t.abs().sum()) / 2 for t in activations)
    assert model.train_on_batch(x, y) - float(model.evaluate(x, y)) == pytest.approx(expected, rel=TRAINED)
