"""Losses added to those of compile: of the model, of layers within their call, of their results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from layers.linear import X, Y, fit, linear, values
from tolerance import ACCUMULATED, ROUNDING, TRAINED

import tfpy as tf


def test_losses_that_a_model_is_given_itself_count() -> None:
    model = linear()
    x, y = np.ones((4, 2)), np.ones((4, 1))
    model.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError")
    before = model.train_on_batch(x, y)
    model.add_loss(lambda: tf.scalar(100))
    for _ in range(4):  # step by step, and from a plan
        np.testing.assert_allclose(model.train_on_batch(x, y), before + 100, rtol=ROUNDING)


@pytest.mark.parametrize("loss", [3, tf.scalar])
def test_an_added_loss_is_a_function(loss: Any) -> None:
    given = loss if isinstance(loss, int) else loss(1)
    with pytest.raises(TypeError, match="add_loss: argument 'losses' must be functions without arguments.*but got"):
        tf.layers.dense(units=1).add_loss(given)


@pytest.mark.parametrize(
    "loss", [lambda t, p: tf.tensor(np.mean((t.numpy() - p.numpy()) ** 2)), lambda t, p: tf.scalar(1)]
)
def test_a_loss_without_a_gradient_is_told_to_be_one(loss: Any) -> None:
    model = linear(loss=loss)
    for call in (lambda: fit(model), lambda: model.train_on_batch(X, Y)):
        with pytest.raises(
            ValueError, match="The loss does not depend on any of the trained weights .*computed with numpy"
        ):
            call()


class Penalty(tf.layers.Layer, class_name="PenaltyInCall"):
    """Adds the mean square of its inputs to the loss, as a tensor or as a function; optionally within a tidy."""

    form: str = "tensor"

    def call(self, x: Any) -> Any:
        if self.form == "tidied":
            tf.tidy(lambda: self.add_loss(x.square().mean()))
        else:
            self.add_loss(x.square().mean() if self.form == "tensor" else [lambda: x.square().mean()])
        return x


def around(*layers: Any, **options: Any) -> Any:
    model = tf.sequential(
        [tf.layers.dense(units=1, kernel_initializer="ones", use_bias=False, input_shape=[2], **options), *layers]
    )
    model.compile(optimizer=tf.train.sgd(0.1), loss="meanSquaredError")
    return model


@pytest.mark.parametrize("form", ["tensor", "function", "tidied"])
def test_losses_that_a_call_adds_count_in_its_step_alone(form: str) -> None:
    model, x = around(Penalty(form=form)), X.astype(float)
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


def test_losses_of_cells_and_of_layers_within_layers_count() -> None:
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
def test_what_a_call_adds_is_a_scalar(loss: Any, error: type[Exception], message: str) -> None:
    class Own(tf.layers.Layer, class_name="OwnLossInCall"):
        def call(self, x: Any) -> Any:
            self.add_loss(loss(x))
            return x

    with pytest.raises(error, match=message):
        Own().apply(tf.ones([2, 2]))


def test_activity_regularizers_count_by_the_sample() -> None:
    model, x = around(activity_regularizer=tf.regularizers.l2(l2=0.5)), X.astype(float)
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


def test_activity_regularizers_of_other_layers() -> None:
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
    made = model.execute(x, [layer.output.name for layer in model.layers])
    expected = sum(0.1 * float(t.abs().sum()) / 2 for t in made)
    assert model.train_on_batch(x, y) - float(model.evaluate(x, y)) == pytest.approx(expected, rel=TRAINED)
