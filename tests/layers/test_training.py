"""Training: what fit reports, calls and returns; data in every form; bad input leaves the model unchanged."""

from __future__ import annotations

import asyncio
import math
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.layers.declared import Declared
from tfpy.layers.saving.training_config import training_config_of

X = np.linspace(-1, 1, 20).reshape(10, 2).astype(np.float32)
Y = (X @ np.array([[1.0], [-2.0]]) + 0.5).astype(np.float32)


def linear(optimizer: Any = "sgd", loss: Any = "meanSquaredError", **options: Any) -> tf.Sequential:
    """A single dense layer that starts with ones."""
    model = tf.sequential()
    model.add(tf.layers.dense(units=1, kernel_initializer="ones", input_shape=[2]))
    model.compile(optimizer=optimizer, loss=loss, **options)
    return model


def values(model: Any) -> list[Any]:
    return [w.array_sync() for w in model.get_weights()]


def fit(model: Any, x: Any = X, y: Any = Y, **options: Any) -> tf.History:
    return model.fit(x, y, {"verbose": 0, **options})


# What is computed


def test_a_step_is_the_formula() -> None:
    model = linear(tf.train.sgd(0.1))
    loss = model.train_on_batch(X, Y)
    error = X.astype(float) @ [[1], [1]] - Y
    assert loss == pytest.approx((error**2).mean(), rel=1e-6)
    np.testing.assert_allclose(values(model)[0], 1 - 0.1 * 2 * X.T @ error / 10, rtol=1e-5)
    np.testing.assert_allclose(values(model)[1], -0.1 * 2 * error.mean(0), rtol=1e-5)


def test_epoch_losses_are_weighted_by_the_batches_sizes() -> None:
    """TF.js 4.22: x = 1…5, y = 2x, weights of ones, SGD 0.01 in batches of 2."""
    x = np.arange(1, 6).reshape(5, 1)
    model = tf.sequential(
        layers=[tf.layers.dense(units=1, kernel_initializer="ones", bias_initializer="zeros", input_shape=[1])]
    )
    model.compile(optimizer=tf.train.sgd(0.01), loss="meanSquaredError")
    history = fit(model, x, 2 * x, batch_size=2, epochs=2, shuffle=False).history
    assert history["loss"] == pytest.approx([7.851106, 0.822267], abs=1e-5)
    assert [float(np.ravel(w)[0]) for w in values(model)] == pytest.approx([1.841932, 0.218259], abs=1e-5)


def test_regularizers_count_in_training_and_not_in_evaluation() -> None:
    model = tf.sequential()
    model.add(
        tf.layers.dense(
            units=1, kernel_initializer="ones", kernel_regularizer=tf.regularizers.l2(l2=0.5), input_shape=[2]
        )
    )
    model.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError")
    evaluated = float(model.evaluate(X, Y))
    trained = fit(model, batch_size=10).history["loss"][0]
    assert trained - evaluated == pytest.approx(0.5 * 2, rel=1e-5)


def test_a_regularizer_counts_for_each_call_of_its_layer() -> None:
    shared = tf.layers.dense(units=1, kernel_initializer="ones", kernel_regularizer=tf.regularizers.l2(l2=0.5))
    inner = tf.sequential([tf.layers.dense(units=2, kernel_initializer="zeros", input_shape=[2])])
    x = tf.input(shape=[2])
    once = inner.apply(x)
    model = tf.model(inputs=x, outputs=tf.layers.add().apply([shared.apply(x), shared.apply(once)]))
    around = tf.input(shape=[2])
    outer = tf.model(inputs=around, outputs=tf.layers.add().apply([model.apply(around), model.apply(around)]))
    outer.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError")
    trained = fit(outer, batch_size=10).history["loss"][0]
    assert trained - float(outer.evaluate(X, Y)) == pytest.approx(4 * 0.5 * 2, rel=1e-5)


def test_constraints_hold_after_writing() -> None:
    model = tf.sequential()
    model.add(tf.layers.dense(units=1, kernel_constraint="nonNeg", input_shape=[2]))
    model.set_weights([np.array([[-1.0], [2.0]]), np.zeros(1)])
    assert values(model)[0] == [[0], [2]]


def test_class_and_sample_weights() -> None:
    y = np.array([0.0] * 5 + [1.0] * 5).reshape(10, 1)
    plain = linear(tf.train.sgd(0.1))
    weighted = linear(tf.train.sgd(0.1))
    fit(plain, y=y, batch_size=10, shuffle=False, class_weight={0: 1, 1: 3})
    fit(weighted, y=y, batch_size=10, shuffle=False, sample_weight=[1.0] * 5 + [3.0] * 5)
    assert values(plain) == values(weighted)
    error = (X.astype(float) @ [[1], [1]]) - y
    weights = np.array([1.0] * 5 + [3.0] * 5)[:, None]
    expected = 1 - 0.1 * (2 * X.T @ (weights * error)) / 10
    np.testing.assert_allclose(values(plain)[0], expected, rtol=1e-5)


def two_outputs() -> Any:
    x = tf.input(shape=[2])
    layers = [tf.layers.dense(units=1, kernel_initializer="ones", use_bias=False, name=name) for name in ("a", "b")]
    return tf.model(inputs=x, outputs=[layer.apply(x) for layer in layers])


@pytest.mark.parametrize(
    ("weights", "a", "b"),
    [([3.0, 0.5], 3, 0.5), ({"b": 0.5, "a": 3}, 3, 0.5), ({"b": 0.5}, 1, 0.5), (None, 1, 1), ({}, 1, 1)],
)
def test_losses_of_outputs_are_weighted(weights: Any, a: float, b: float) -> None:
    model, ys = two_outputs(), [Y, 2 * Y]
    model.compile(optimizer=tf.train.sgd(0.01), loss="meanSquaredError", output_weights=weights)
    errors = [X.astype(float) @ [[1], [1]] - y for y in ys]
    apart = [(e**2).mean() for e in errors]
    expected = [a * apart[0] + b * apart[1], *apart]
    np.testing.assert_allclose([float(t) for t in model.evaluate(X, ys)], expected, rtol=1e-5)
    history = fit(model, y=ys, batch_size=10).history
    np.testing.assert_allclose([history[k][0] for k in ("loss", "a_loss", "b_loss")], expected, rtol=1e-5)
    for layer, weight, error in zip(("a", "b"), (a, b), errors, strict=True):
        gradient = weight * 2 * X.T @ error / 10
        np.testing.assert_allclose(values(model.get_layer(layer))[0], 1 - 0.01 * gradient, rtol=1e-4)


def test_a_step_from_a_plan_heeds_the_weights_that_the_model_was_last_compiled_with() -> None:
    model, found = two_outputs(), []
    for weights in ([1.0, 2.0], [5.0, 0.0]):
        model.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError", output_weights=weights)
        found.append([model.train_on_batch(X, [Y, 2 * Y])[0] for _ in range(4)])
    losses = [float(t) for t in model.evaluate(X, [Y, 2 * Y])[1:]]
    np.testing.assert_allclose(found[0], losses[0] + 2 * losses[1], rtol=1e-5)
    np.testing.assert_allclose(found[1], 5 * losses[0], rtol=1e-5)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1.0], ValueError, "one weight for each of the 2 outputs, but got 1"),
        ({"c": 1.0}, ValueError, "Unknown output in output_weights 'c'"),
        (2.0, TypeError, r"a list, or a dict by output \(a, b\)"),
        ("nix", TypeError, "output_weights"),
        ({"a": "much"}, TypeError, "'output_weights' must be a number"),
    ],
)
def test_weights_of_losses_are_checked(weights: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        two_outputs().compile(optimizer="sgd", loss="meanSquaredError", output_weights=weights)


def test_the_loss_of_a_single_output_may_be_weighted() -> None:
    model = linear(tf.train.sgd(0.1))
    plain = float(model.evaluate(X, Y))
    for weights in (2, [2], {model.output_names[0]: 2}):
        model.compile(optimizer="sgd", loss="meanSquaredError", output_weights=weights)
        assert float(model.evaluate(X, Y)) == pytest.approx(2 * plain, rel=1e-6)


FEW = [1.0] * 5 + [3.0] * 5


@pytest.mark.parametrize("form", [np.array, list, tf.tensor])
@pytest.mark.parametrize(
    ("given", "a", "b"),
    [
        (lambda w: w, True, True),
        (lambda w: {"a": w}, True, False),
        (lambda w: [None, w], False, True),
        (lambda w: (w, np.ones(10)), True, False),
        (lambda w: {"b": w, "a": w}, True, True),
    ],
)
def test_sample_weights_by_output(given: Any, a: bool, b: bool, form: Any) -> None:
    model, ys, weights = two_outputs(), [Y, 2 * Y], given(form(FEW))
    model.compile(optimizer=tf.train.sgd(0.01), loss="meanSquaredError")
    errors = [(X.astype(float) @ [[1], [1]] - y)[:, 0] ** 2 for y in ys]
    apart = [(e * FEW if own else e).mean() for e, own in zip(errors, (a, b), strict=True)]
    judged = [float(t) for t in model.evaluate(X, ys, sample_weight=weights)]
    np.testing.assert_allclose(judged, [sum(apart), *apart], rtol=1e-5)
    history = fit(model, y=ys, batch_size=10, sample_weight=weights, validation_data=(X, ys, weights)).history
    np.testing.assert_allclose([history[k][0] for k in ("a_loss", "b_loss")], apart, rtol=1e-5)
    after = [float(t) for t in model.evaluate(X, ys, sample_weight=weights)]
    assert [history[f"val_{k}"][0] for k in ("loss", "a_loss", "b_loss")] == pytest.approx(after, rel=1e-6)


def test_samples_that_are_held_out_keep_their_weights_but_not_those_of_their_classes() -> None:
    model, y, classes = linear(tf.train.sgd(0.0)), np.array([0.0, 1.0] * 5).reshape(10, 1), {0: 2.0, 1: 5.0}
    history = fit(model, y=y, batch_size=10, validation_split=0.4, sample_weight=FEW, class_weight=classes).history
    error = (X.astype(float) @ [[1], [1]] - y)[:, 0] ** 2 * FEW
    assert history["val_loss"][0] == pytest.approx(error[6:].mean(), rel=1e-5)
    assert history["loss"][0] == pytest.approx((error * ([2, 5] * 5))[:6].mean(), rel=1e-5)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"c": FEW}, "Unknown output in sample_weight 'c'"),
        ([FEW], "in a list of 2, one for each output, but got 1 lists"),
        ([FEW, FEW[:3]], r"of shape \[10\]"),
        ({"a": 1.0}, r"of shape \[10\]"),
        (FEW[:3], r"of shape \[10\]"),
    ],
)
def test_weights_of_samples_are_checked(weights: Any, message: str) -> None:
    model = two_outputs()
    model.compile(optimizer="sgd", loss="meanSquaredError")
    for call in (
        lambda: fit(model, y=[Y, Y], sample_weight=weights),
        lambda: model.evaluate(X, [Y, Y], sample_weight=weights),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_sample_weights_count_for_whole_sequences() -> None:
    x, y = np.linspace(-1, 1, 24).reshape(4, 3, 2), np.zeros((4, 3, 1))
    weights = np.array([0.0, 1, 2, 5])
    model = tf.sequential([tf.layers.dense(units=1, kernel_initializer="ones", input_shape=[3, 2])])
    model.compile(optimizer=tf.train.sgd(0.1), loss="meanSquaredError")
    expected = (weights[:, None] * x.sum(-1) ** 2).mean()
    assert float(model.evaluate(x, y, sample_weight=weights)) == pytest.approx(expected, rel=1e-5)
    history = model.fit(x, y, sample_weight=weights, verbose=0).history
    assert history["loss"][0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("weights", [None, [1.0, 1, 1, 1]])
def test_a_sequence_and_a_single_value_are_learnt_together(weights: Any) -> None:
    x = np.linspace(-1, 1, 24).reshape(4, 3, 2)
    whole = tf.input(shape=[3, 2])
    each = tf.layers.dense(units=1, kernel_initializer="ones", name="each").apply(whole)
    flat = tf.layers.flatten().apply(whole)
    one = tf.layers.dense(units=1, kernel_initializer="ones", name="one").apply(flat)
    model = tf.model(inputs=whole, outputs=[each, one])
    model.compile(optimizer=tf.train.sgd(0.1), loss="meanSquaredError")
    y = {"each": np.zeros((4, 3, 1)), "one": np.ones((4, 1))}
    history = model.fit(x, y, verbose=0, shuffle=False, sample_weight=weights).history
    apart = (x.sum(-1) ** 2).mean(), ((x.sum((1, 2)) - 1) ** 2).mean()
    np.testing.assert_allclose(
        [history[k][0] for k in ("loss", "each_loss", "one_loss")], [sum(apart), *apart], rtol=1e-5
    )
    gradient = 2 * (x.sum(-1)[..., None] * x).mean((0, 1))
    np.testing.assert_allclose(model.get_layer("each").get_weights()[0].numpy()[:, 0], 1 - 0.1 * gradient, rtol=1e-5)


def test_loss_weights_are_told_to_be_without_effect() -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2])])
    with pytest.warns(UserWarning, match="compile: loss_weights are without effect, as in TF.js"):
        model.compile(optimizer="sgd", loss="meanSquaredError", loss_weights=[2])
    assert model.output_weights is None


def test_a_seed_makes_the_order_repeatable() -> None:
    runs = []
    for seed in (1, 1, 2):
        model = linear()
        fit(model, batch_size=3, epochs=3, seed=seed)
        runs.append(values(model))
    assert runs[0] == runs[1] != runs[2]


def test_stateful_models_keep_their_state_between_batches() -> None:
    model = tf.sequential()
    model.add(
        tf.layers.simple_rnn(units=2, stateful=True, batch_input_shape=[2, 3, 1], recurrent_initializer="glorotNormal")
    )
    x = np.ones((2, 3, 1))
    first, second = model.predict(x).numpy(), model.predict(x).numpy()
    assert not np.array_equal(first, second)
    model.reset_states()
    np.testing.assert_array_equal(model.predict(x).numpy(), first)
    model.compile(optimizer="sgd", loss="meanSquaredError")
    with pytest.raises(ValueError, match="'validation_split' must be such that full batches of 2 are left"):
        model.fit(np.ones((6, 3, 1)), np.ones((6, 2)), batch_size=2, validation_split=0.5, verbose=0)
    with pytest.raises(ValueError, match="stateful"):
        fit(model, np.ones((3, 3, 1)), np.ones((3, 2)), batch_size=2)


def test_a_stateful_model_predicts_in_batches_of_its_size() -> None:
    model = tf.sequential([tf.layers.lstm(units=2, stateful=True, batch_input_shape=[8, 5, 1])])
    assert model.predict(np.ones((16, 5, 1))).shape == (16, 2)
    assert model.predict_on_batch(np.ones((8, 5, 1))).shape == (8, 2)
    for call, count in ((model.predict, 3), (model.predict_on_batch, 16)):
        with pytest.raises(ValueError, match="'x' must be as many samples as full batches of 8 take"):
            call(np.ones((count, 5, 1)))


def test_an_interrupt_as_a_training_begins_leaves_a_model_that_can_be_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Any, name: str, value: Any) -> None:
        own(self, name, value)
        if name == "_training" and value:
            raise KeyboardInterrupt

    model, own = linear(), Declared.__setattr__
    with monkeypatch.context() as patch:
        patch.setattr(Declared, "__setattr__", interrupted)
        with pytest.raises(KeyboardInterrupt):
            fit(model)
    fit(model)


def test_losses_that_a_model_is_given_itself_count() -> None:
    model = linear()
    x, y = np.ones((4, 2)), np.ones((4, 1))
    model.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError")
    before = model.train_on_batch(x, y)
    model.add_loss(lambda: tf.scalar(100))
    for _ in range(4):  # step by step, and from a plan
        np.testing.assert_allclose(model.train_on_batch(x, y), before + 100, rtol=1e-6)


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
            ValueError, match="The loss depends on none of the weights that are trained .*computed with numpy"
        ):
            call()


class Penalty(tf.layers.Layer, class_name="PenaltyInCall"):
    """Adds the mean square of its inputs to the loss, as a tensor or as a function; in a tidy of its own, too."""

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
        assert model.train_on_batch(X, Y) == pytest.approx(expected, rel=1e-5)
        weights = weights - 0.1 * 2 * x.T @ (2 * found - Y) / 10
    np.testing.assert_allclose(values(model)[0], weights, rtol=1e-4)
    assert model.losses == []
    assert float(model.evaluate(X, Y)) == pytest.approx(((x @ weights - Y) ** 2).mean(), rel=1e-4)
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
    assert model.train_on_batch(x, y) - float(model.evaluate(x, y)) == pytest.approx(3 + 2 * 0.25, rel=1e-5)


@pytest.mark.parametrize(
    ("loss", "error", "message"),
    [
        (lambda x: x.square(), ValueError, "add_loss: argument 'losses' must be scalar tensors"),
        (lambda x: 3, TypeError, "add_loss: argument 'losses' must be scalar tensors, or functions that give them"),
        (lambda x: lambda: 3, TypeError, "must be scalar tensors, or functions that give them"),
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
        assert model.train_on_batch(X, Y) == pytest.approx(expected, rel=1e-5)
        weights = weights - 0.1 * (2 * x.T @ (found - Y) + x.T @ found) / 10
    np.testing.assert_allclose(values(model)[0], weights, rtol=1e-4)
    assert float(model.evaluate(X, Y)) == pytest.approx(((x @ weights - Y) ** 2).mean(), rel=1e-4)
    model.layers[0].activity_regularizer = None
    assert model.train_on_batch(X, Y) == pytest.approx(((x @ weights - Y) ** 2).mean(), rel=1e-4)


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
    assert model.train_on_batch(x, y) - float(model.evaluate(x, y)) == pytest.approx(expected, rel=1e-4)


# What is reported


def test_history_keys_and_params() -> None:
    assert tf.sequential().metrics_names == []
    model = linear(metrics=["accuracy", "mse", tf_metric])
    history = fit(model, epochs=3, initial_epoch=1, batch_size=4, validation_split=0.2)
    assert list(history.history) == [f"{p}{n}" for p in ("val_", "") for n in ("loss", "acc", "mse", "tf_metric")]
    assert history.epoch == [1, 2]
    assert history.params["samples"] == 8
    assert history.params["steps"] == 2
    assert all(isinstance(v, float) for column in history.history.values() for v in column)
    assert "2 epochs" in repr(history)
    assert asyncio.run(_awaited(history)) is history
    assert fit(model, epochs=0).history == {}


def tf_metric(y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
    return y_pred.sub(y_true).abs().max()


async def _awaited(thing: Any) -> Any:
    return await thing


def test_several_outputs() -> None:
    entry = tf.input(shape=[2])
    p, q = tf.layers.dense(units=1, name="p").apply(entry), tf.layers.dense(units=3, name="q").apply(entry)
    model = tf.model(inputs=entry, outputs=[p, q])
    model.compile(optimizer="sgd", loss={"p": "meanSquaredError", "q": "meanAbsoluteError"}, metrics={"p": "mse"})
    assert model.metrics_names == ["loss", "p_loss", "q_loss", "p_mse"]
    targets = {"p": Y, "q": np.zeros((10, 3))}
    history = fit(model, y=targets).history
    assert list(history) == model.metrics_names
    loss, p_loss, q_loss, p_mse = (float(v) for v in model.evaluate(X, [Y, np.zeros((10, 3))]))
    assert loss == pytest.approx(p_loss + q_loss)
    assert p_mse == pytest.approx(p_loss)
    assert len(model.train_on_batch(X, targets)) == 4


def test_evaluate_averages_over_batches() -> None:
    model = linear(metrics=["mae"])
    loss, mae = (float(v) for v in model.evaluate(X, Y, batch_size=3))
    error = X.astype(float) @ [[1], [1]] - Y
    assert loss == pytest.approx((error**2).mean(), rel=1e-5)
    assert mae == pytest.approx(np.abs(error).mean(), rel=1e-5)
    first = [float(v) for v in model.evaluate(X, Y, batch_size=3, steps=2)]
    assert first == pytest.approx([(error[:6] ** 2).mean(), np.abs(error[:6]).mean()], rel=1e-5)
    assert float(model.evaluate(X, Y, batch_size=3, steps=9)[0]) == pytest.approx(loss)
    alone = linear().evaluate(X, Y, {"batchSize": 4})
    assert isinstance(alone, tf.Tensor)
    assert asyncio.run(_awaited(alone)) is alone


def test_predict_in_batches_is_predict_at_once() -> None:
    model = linear()
    whole = model.predict_on_batch(X).numpy()
    for size in (1, 3, 10, 64):
        np.testing.assert_allclose(model.predict(X, batch_size=size).numpy(), whole, rtol=1e-6)
    assert model.predict(np.zeros((0, 2))).shape == (0, 1)


# Data in every form


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
def test_data_may_be_given_in_many_forms(form: Callable[[Any], Any]) -> None:
    model, reference = linear(), linear()
    fit(model, form(X), form(Y), shuffle=False)
    fit(reference, shuffle=False)
    assert values(model) == values(reference)


def test_columns_of_frames_and_ranks() -> None:
    class Frame:
        """What pandas and polars give: an array on demand."""

        def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
            return X.astype(np.float64)

    assert linear().predict(Frame()).shape == (10, 1)
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    fit(model, np.arange(4.0), np.arange(4.0))
    named = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2], name="d")])
    assert named.predict({"d_input": X}).shape == (10, 1)


# Bad input


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
def test_bad_input_is_named_and_changes_nothing(x: Any, y: Any, options: dict[str, Any], words: str) -> None:
    model = linear()
    before = values(model)
    tensors = tf.memory().num_tensors
    with pytest.raises((ValueError, TypeError), match=f"(?s){words}"):
        model.fit(x, y, {"verbose": 0, **options})
    assert values(model) == before
    assert tf.memory().num_tensors == tensors
    fit(model)
    assert values(model) != before, "it can still be trained"


def test_a_disposed_tensor_is_named() -> None:
    x = tf.tensor(X)
    x.dispose()
    model = linear()
    with pytest.raises(RuntimeError, match="disposed"):
        fit(model, x)
    fit(model)


@pytest.mark.parametrize("batch_size", [0, -1, 1.5, "a", None])
def test_batch_sizes_of_predict_and_evaluate(batch_size: Any) -> None:
    model = linear()
    if batch_size is None:
        assert model.predict(X, batch_size=None).shape == (10, 1)
        return
    for use in (lambda: model.predict(X, batch_size=batch_size), lambda: model.evaluate(X, Y, batch_size=batch_size)):
        with pytest.raises((ValueError, TypeError), match="batch_size"):
            use()


def test_labels_that_do_not_fit_the_loss() -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=3, activation="softmax", input_shape=[2])])
    model.compile(optimizer="sgd", loss="categoricalCrossentropy")
    with pytest.raises(ValueError, match="one-hot|shape"):
        fit(model, X, np.zeros((10, 1)))
    model.compile(optimizer="sgd", loss="sparseCategoricalCrossentropy")
    fit(model, X, np.zeros((10, 1)))
    fit(model, X, np.zeros(10))


# Callbacks


def test_callbacks_are_called_in_tfjss_order() -> None:
    calls: list[Any] = []

    class Watch(tf.Callback):
        def on_train_begin(self, logs: Any = None) -> None:
            calls.append("T")

        def onEpochBegin(self, epoch: int) -> None:
            calls.append(f"E{epoch}")

        async def onBatchEnd(self, batch: int, logs: Any) -> None:
            calls.append((batch, sorted(logs)))

        def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
            calls.append((f"e{epoch}", list(logs)))

        def on_train_end(self, logs: Any = None) -> None:
            calls.append(("t", self.params["batch_size"], type(self.model).__name__))

    fit(linear(), batch_size=5, epochs=1, callbacks=Watch(), validation_data=(X, Y))
    assert calls == [
        "T", "E0", (0, ["batch", "loss", "size"]), (1, ["batch", "loss", "size"]), ("e0", ["val_loss", "loss"]),
        ("t", 5, "Sequential"),
    ]  # fmt: skip


def test_a_dict_of_functions_is_a_callback() -> None:
    seen: list[Any] = []
    fit(
        linear(), epochs=2, batch_size=10,
        callbacks=[{"onEpochEnd": lambda epoch, logs: seen.append((epoch, type(logs["loss"])))}, {"on_train_end": lambda: seen.append("end")},
                   {"onBatchBegin": lambda batch: seen.append(batch)}],
    )  # fmt: skip
    assert seen == [0, (0, float), 0, (1, float), "end"]


def test_async_callbacks_within_a_running_loop() -> None:
    seen: list[int] = []

    async def remember(epoch: int) -> None:
        await asyncio.sleep(0)
        seen.append(epoch)

    async def train() -> tf.History:
        return await fit(linear(), epochs=2, callbacks={"onEpochEnd": remember})

    asyncio.run(train())
    assert seen == [0, 1]


def test_on_yield_is_called_now_and_then() -> None:
    clock = iter(range(0, 10_000, 100))
    seen: list[Any] = []
    callback = {"onYield": lambda epoch, batch, logs: seen.append((epoch, batch)), "nowFunc": lambda: next(clock)}
    fit(linear(), batch_size=2, callbacks=callback)
    assert seen == [(0, 1), (0, 3)]


def test_on_yield_is_told_the_epoch() -> None:
    seen = []
    times = iter(range(0, 100000, 130))
    listening = {"onYield": lambda epoch, batch: seen.append((epoch, batch)), "nowFunc": lambda: next(times)}
    fit(linear(), epochs=2, batch_size=6, callbacks=listening)
    assert seen == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_yields_are_counted_in_milliseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter(range(100))
    monkeypatch.setattr("tfpy.layers.callbacks.custom.time", SimpleNamespace(monotonic=lambda: next(seconds)))
    seen: list[int] = []
    fit(linear(), batch_size=2, yield_every=2000, callbacks={"onYield": lambda epoch, batch: seen.append(batch)})
    assert seen == [1, 3]


@pytest.mark.parametrize("epoch", [0, 1])
def test_stop_training_before_an_epoch_ends_it_after_a_batch(epoch: int) -> None:
    """As in TF.js, which looks after each batch: the history has numbers for each epoch."""
    model = linear()
    model.compile(optimizer="sgd", loss="meanSquaredError")
    batches: list[int] = []

    class Stop(tf.Callback):
        def on_epoch_begin(self, number: int, logs: Any = None) -> None:
            self.model.stop_training = number == epoch

        def on_batch_end(self, batch: int, logs: Any = None) -> None:
            batches.append(batch)

    history = model.fit(X, Y, epochs=5, batch_size=5, verbose=0, callbacks=[Stop()])
    assert history.epoch == [*range(epoch + 1)]
    assert len(history.history["loss"]) == epoch + 1
    assert batches == [0, 1] * epoch + [0]


def test_stop_training_ends_after_the_batch() -> None:
    model = linear()
    calls: list[str] = []

    def stop(batch: int) -> None:
        calls.append(f"b{batch}")
        model.stopTraining = batch == 1

    history = fit(
        model,
        batch_size=2,
        epochs=5,
        callbacks={
            "onBatchEnd": stop,
            "onEpochEnd": lambda e: calls.append(f"e{e}"),
            "onTrainEnd": lambda: calls.append("T"),
        },
    )
    assert calls == ["b0", "b1", "e0", "T"]
    assert history.epoch == [0]


def test_a_failing_callback_lets_the_model_train_again() -> None:
    model = linear()
    with pytest.raises(ZeroDivisionError):
        fit(model, callbacks={"onBatchEnd": lambda: 1 / 0})
    fit(model)


def test_a_model_is_not_trained_while_it_trains() -> None:
    model = linear()
    with pytest.raises(RuntimeError, match="trained already"):
        fit(model, callbacks={"onBatchEnd": lambda: fit(model)})
    fit(model)


def test_early_stopping() -> None:
    constant = linear(tf.train.sgd(0))
    for patience, epochs in ((0, 2), (1, 2), (3, 4)):
        stopping = tf.callbacks.early_stopping(monitor="loss", patience=patience)
        assert len(fit(constant, epochs=9, shuffle=False, callbacks=stopping).epoch) == epochs
    with pytest.warns(UserWarning, match="no 'val_loss'"):
        fit(constant, callbacks=tf.callbacks.earlyStopping())
    with pytest.raises(ValueError, match="mode"):
        tf.callbacks.early_stopping(mode="most")


def test_early_stopping_can_restore_the_best_weights() -> None:
    model = linear(tf.train.sgd(0.9))  # diverges
    seen = [values(model)]
    stopping = tf.EarlyStopping({"monitor": "val_loss", "patience": 3, "restoreBestWeights": True})
    watch = {"onEpochEnd": lambda: seen.append(values(model))}
    history = fit(
        model, epochs=20, batch_size=2, shuffle=False, validation_data=(X * 3, Y), callbacks=[stopping, watch]
    )
    best = int(np.argmin(history.history["val_loss"]))
    assert values(model) == seen[best + 1]


def test_the_best_weights_of_a_model_of_which_a_part_is_frozen_meanwhile() -> None:
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[2]), tf.layers.dense(units=1)])
    model.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError")
    before = [w.array_sync() for layer in model.layers for w in layer.get_weights()]
    stopping = tf.callbacks.early_stopping(monitor="loss", min_delta=1, patience=2, restore_best_weights=True)
    freeze = {"on_epoch_end": lambda: setattr(model.layers[0], "trainable", False)}
    tensors = tf.memory().num_tensors
    fit(model, epochs=3, callbacks=[stopping, freeze])
    assert tf.memory().num_tensors == tensors, "the best weights have been let go"
    assert [w.array_sync() for layer in model.layers for w in layer.get_weights()] == before


def test_an_optimizer_set_in_training_serves_from_the_next_step_on() -> None:
    model = linear(tf.train.sgd(0.1))
    seen = []

    def on_batch_end(batch: int, logs: Any) -> None:
        model.optimizer = tf.train.sgd(0)
        seen.append(values(model))

    before = values(model)
    fit(model, batch_size=2, callbacks={"on_batch_end": on_batch_end})
    assert before != seen[0] == seen[-1]


def test_a_model_compiled_in_training_is_trained_on_as_it_was() -> None:
    model = linear(tf.train.sgd(0.1))
    expected = linear(tf.train.sgd(0.1))
    compile_anew = {"on_batch_end": lambda: model.compile(optimizer=tf.train.sgd(0), loss="meanAbsoluteError")}
    fit(model, batch_size=2, shuffle=False, callbacks=compile_anew)
    fit(expected, batch_size=2, shuffle=False)
    assert values(model) == values(expected)
    fit(model)
    assert values(model) == values(expected)


def test_callbacks_for_every_fit() -> None:
    from tfpy.layers.callbacks import registered

    made: list[tf.Callback] = []

    class Mine(tf.Callback):
        def on_train_begin(self, logs: Any = None) -> None:
            made.append(self)

    tf.register_callback_constructor(1, Mine)
    try:
        with pytest.raises(ValueError, match="not registered"):
            tf.registerCallbackConstructor(1, Mine)
        fit(linear())
        linear().fit(X, Y, verbose=1)
        assert len(made) == 1
    finally:
        registered._registered.clear()


# What is shown


def test_plain_lines_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    linear(metrics=["mae"]).fit(X, Y, epochs=2, validation_split=0.5)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("epoch 1/2 - loss ")
    assert " - mae " in lines[0]
    assert lines[0].isascii()  # what the encoding of the output cannot write would end the training
    linear().fit(X, Y, verbose=0)
    assert capsys.readouterr().out == ""


def test_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    linear().fit(X, Y, epochs=2, batch_size=2)
    shown = capsys.readouterr().out
    assert "epoch 2/2" in shown
    assert "5/5" in shown
    assert "loss" in shown


def test_a_bar_on_a_narrow_terminal_is_whole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "80"}.items():
        monkeypatch.setenv(name, value)
    linear(metrics=["mae", "mape"]).fit(X, Y, batch_size=1, validation_split=0.5)
    shown = capsys.readouterr().out
    assert "5/5" in shown
    assert "val_mape" in shown
    assert "…" not in shown


@pytest.mark.parametrize(("columns", "bar"), [(72, 0), (80, 9), (120, 20)])
def test_a_bar_is_as_long_as_the_values_leave_room_for(
    columns: int, bar: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": str(columns)}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("rich._console", None)  # it keeps the width that it was made with
    monkeypatch.setattr("tfpy.layers.training.progress.described", lambda logs: "loss 0.1234 - " + 36 * "x")
    linear(metrics=["mae"]).fit(X, Y, epochs=2, batch_size=1, validation_split=0.5)
    shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().out).replace("\r", "\n")
    last = [line for line in shown.splitlines() if line.strip()][-1]
    stripe = f"{bar * '━'} " if bar else ""
    assert re.fullmatch(rf"epoch 2/2 {stripe}5/5 \d\.\d s loss 0\.1234 - x{{36}}", last.strip())


@pytest.mark.parametrize("name", ["[/]", "[red]"])
def test_names_are_no_markup_on_a_terminal(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable, value in {"FORCE_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}.items():
        monkeypatch.setenv(variable, value)
    x = tf.input(shape=[2])
    outputs = [tf.layers.dense(units=1, name=layer).apply(x) for layer in (name, "b")]
    model = tf.model(inputs=x, outputs=outputs)
    model.compile(optimizer="sgd", loss="meanSquaredError")
    model.fit(X, [Y, Y], batch_size=2)
    shown = re.sub("\x1b\\[[0-9;?]*[A-Za-z]", "", capsys.readouterr().out)
    assert f"{name}_loss" in shown


def test_a_line_that_changes_in_a_notebook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("tfpy.layers.training.progress._REFRESH", 0)
    linear(metrics=["mae"]).fit(X, Y, epochs=2, batch_size=2)
    shown = capsys.readouterr().out
    assert shown.isascii()
    lines = [shown_at_last(line) for line in shown.split("\n")]
    number = r"[\d.e-]+"
    assert [bool(re.fullmatch(f"epoch ./2 - loss {number} - mae {number} - {number} s", line)) for line in lines] == [
        True,
        True,
        False,
    ]
    assert lines[2] == ""
    assert "\repoch 2/2 - 5/5 - loss " in shown


def test_a_training_that_fails_leaves_an_empty_line_in_a_notebook(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("tfpy.layers.training.progress._REFRESH", 0)
    with pytest.raises(ZeroDivisionError):
        linear().fit(X, Y, batch_size=2, callbacks={"onBatchEnd": lambda: 1 / 0})
    shown = capsys.readouterr().out
    assert "1/5" in shown
    assert shown_at_last(shown) == ""


def test_very_many_epochs_leave_few_lines_in_a_notebook(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("tfpy.layers.training.progress._MOST_LINES", 20)
    monkeypatch.setattr("tfpy.layers.training.progress._REFRESH", 600)  # a slow epoch would be drawn on its way

    def numbers() -> list[int]:
        return [int(line.split("/")[0].split()[1]) for line in capsys.readouterr().out.splitlines()]

    model = linear()
    model.fit(X, Y, epochs=90)
    assert numbers() == [*range(5, 91, 5)]
    model.fit(X, Y, epochs=90, callbacks={"onEpochEnd": lambda epoch: setattr(model, "stop_training", epoch == 11)})
    assert numbers() == [5, 10, 12]
    model.fit(X, Y, epochs=20)
    assert numbers() == [*range(1, 21)]
    model.fit(X, Y, epochs=90, initial_epoch=85)
    assert numbers() == [*range(86, 91)]
    with pytest.raises(ZeroDivisionError):
        model.fit(X, Y, epochs=90, callbacks={"onEpochBegin": lambda epoch: 1 / (epoch - 12)})
    assert numbers() == [5, 10, 12]


def shown_at_last(line: str) -> str:
    """What a line looks like after all carriage returns in it."""
    found = ""
    for text in line.rstrip("\n").split("\r"):
        found = text + found[len(text) :]
    return found.rstrip()


def test_the_bar_gives_the_terminal_back_when_training_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with pytest.raises(ZeroDivisionError):
        linear().fit(X, Y, callbacks={"onBatchEnd": lambda: 1 / 0})
    assert capsys.readouterr().out.rstrip().endswith("\x1b[?25h"), "the cursor is shown again"


def test_fit_leaves_no_tensors_behind() -> None:
    model = linear("adam", metrics=["mae"])
    fit(model)
    before = tf.memory().num_tensors
    history = fit(model, epochs=3, batch_size=3, validation_split=0.3)
    assert tf.memory().num_tensors == before
    assert all(math.isfinite(v) for v in history.history["loss"])


def test_functions_as_metrics_have_their_own_names_in_logs() -> None:
    short = [tf.metrics.mse, tf.metrics.MSE, tf.metrics.mape, tf.metrics.MAPE]
    model = linear(metrics=[*short, tf.metrics.mean_squared_error])
    assert model.metrics_names == ["loss", "mse", "MSE", "mape", "MAPE", "meanSquaredError"]
    with pytest.raises(ValueError, match="fit: argument 'y' .*missing values"):
        linear(loss=tf.metrics.mse).fit(X, Y * np.nan, verbose=0)
    assert training_config_of(model)["metrics"] == ["mse", "mse", "mape", "mape", "mse"]


def test_initializers_regularizers_and_constraints_of_ones_own(tmp_path: Path) -> None:
    class Every(tf.initializers.Initializer, class_name="Every"):
        value: float = 1.0

        def apply(self, shape: Any, dtype: Any = None) -> tf.Tensor:
            return tf.fill(shape, self.value)

    class Cubes(tf.regularizers.Regularizer, class_name="Cubes"):
        def apply(self, x: tf.Tensor) -> tf.Tensor:
            return x.pow(3).sum()

    class Halved(tf.constraints.Constraint, class_name="Halved"):
        def apply(self, w: tf.Tensor) -> tf.Tensor:
            return w.mul(0.5)

    own = {"kernel_initializer": Every(value=2.0), "kernel_regularizer": Cubes(), "kernel_constraint": Halved()}
    model = tf.sequential([tf.layers.dense(units=1, input_shape=[1], use_bias=False, **own)])
    model.compile(optimizer=tf.train.sgd(0.1), loss="meanSquaredError")
    assert float(model.train_on_batch(np.zeros((1, 1)), np.zeros((1, 1)))) == 8
    assert model.get_weights()[0].array_sync() == [[pytest.approx(2 - 0.1 * 3 * 4)]]
    model.set_weights([np.array([[3.0]])])
    assert model.get_weights()[0].array_sync() == [[1.5]]
    model.save(tmp_path / "m", strict=False)
    again = tf.load_layers_model(tmp_path / "m").layers[0]
    assert again.kernel_initializer.value == 2  # type: ignore[attr-defined]


def test_an_optimizer_of_ones_own_needs_no_options() -> None:
    class Signs(tf.Optimizer):
        def __init__(self) -> None:
            super().__init__()

        def apply_gradients(self, variable_gradients: Any) -> None:
            for name, gradient in variable_gradients.items():
                variable = tf.engine().registered_variables[name]
                variable.assign(variable.sub(gradient.sign().mul(0.5)))

    model = tf.sequential([tf.layers.dense(units=1, input_shape=[1], use_bias=False, kernel_initializer="ones")])
    model.compile(optimizer=Signs(), loss="meanSquaredError")
    model.fit(np.ones((4, 1)), np.zeros((4, 1)), epochs=2, verbose=0)
    assert model.get_weights()[0].array_sync() == [[0]]


class Block(tf.layers.Layer):
    """A layer made of layers, as Keras's users write it."""

    def __init__(self, listing: bool, **options: Any) -> None:
        super().__init__(**options)
        self.listing = listing
        self.inner = tf.layers.dense(units=2, name="inner")
        self.others = [tf.layers.dropout(rate=0.1), tf.layers.dense(units=2, name="outer")]

    def build(self, input_shape: tf.Shape) -> None:
        self.others[1].apply(self.inner.apply(tf.input(batch_shape=input_shape)))

    @property
    def trainable_weights(self) -> list[tf.LayerVariable]:
        return [*self.inner.trainable_weights, *self.others[1].trainable_weights] if self.listing else []

    def call(self, inputs: tf.Tensor) -> Any:
        return self.others[1].apply(self.inner.apply(inputs))


def block(listing: bool) -> tf.Sequential:
    model = tf.sequential([Block(listing, name="block", input_shape=[2]), tf.layers.dense(units=1)])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    return model


def test_weights_of_layers_in_layers_are_missed(tmp_path: Path) -> None:
    model = block(listing=False)
    missed = r"the weights of block\.inner, block\.others are not among those of the model.* trainable_weights"
    with pytest.warns(UserWarning, match=f"fit: {missed}"):
        fit(model)
    with pytest.warns(UserWarning, match="no class Block"), pytest.warns(UserWarning, match=f"save: {missed}"):
        model.save(tmp_path)
    model.layers[0].inner.trainable = model.layers[0].others[1].trainable = False
    fit(model)


def test_weights_of_layers_in_layers_are_trained_where_they_are_listed() -> None:
    model = block(listing=True)
    before = values(model)
    fit(model)
    assert [w.original_name for w in model.weights[:2]] == ["block/inner/kernel", "block/inner/bias"]
    assert all(now != then for now, then in zip(values(model), before, strict=True))


class Holder(Block):
    @property
    def layers_within(self) -> list[tf.layers.Layer]:
        return [self.inner, *self.others]

    trainable_weights = tf.layers.Layer.trainable_weights


def test_a_layer_may_name_the_layers_that_it_holds() -> None:
    layer = Holder(False, name="block", input_shape=[2])
    model = tf.sequential([layer, tf.layers.dense(units=1)])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    before = values(model)
    fit(model)
    assert [w.original_name for w in model.weights[:4:2]] == ["block/inner/kernel", "block/outer/kernel"]
    assert all(now != then for now, then in zip(values(model), before, strict=True))
    layer.trainable = False
    assert len(layer.non_trainable_weights) == len(layer.weights) == 4
    assert len(model.trainable_weights) == 2


def test_missing_values_that_make_the_loss_nan_are_told() -> None:
    gaps = np.where(X.min() < X, X, np.nan)
    with pytest.warns(UserWarning, match="fit: the loss is NaN, and so are some of the inputs: fill what is missing"):
        linear().fit(gaps, Y, verbose=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linear(loss=lambda y_true, y_pred: y_pred.sub(y_true).mul(np.nan).mean()).fit(X, Y, verbose=0)


def test_numpys_numbers_are_seeds() -> None:
    tf.set_seed(1)
    weights = linear().get_weights()
    losses = []
    for seed in (3, np.int64(3)):
        model = linear()
        model.set_weights(weights)
        losses.append(model.fit(X, Y, batch_size=3, seed=seed, verbose=0).history["loss"])
    assert losses[0] == losses[1]
    for zero in (0, np.int64(0)):  # none, as in TF.js
        assert tf.random_normal([4], seed=zero).array_sync() != tf.random_normal([4], seed=zero).array_sync()
