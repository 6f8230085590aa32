"""Training: the values that fit, evaluate and predict compute, and the history."""

from __future__ import annotations

import asyncio
import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from layers.linear import X, Y, fit, linear, values
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf
from tfpy.layers.saving.training_config import training_config_of
from tfpy.layers.training.training_state import TrainingState


def test_train_on_batch_matches_formula() -> None:
    model = linear(tf.train.sgd(0.1))
    loss = model.train_on_batch(X, Y)
    error = X.astype(float) @ [[1], [1]] - Y
    assert loss == pytest.approx((error**2).mean(), rel=ROUNDING)
    np.testing.assert_allclose(values(model)[0], 1 - 0.1 * 2 * X.T @ error / 10, rtol=ACCUMULATED)
    np.testing.assert_allclose(values(model)[1], -0.1 * 2 * error.mean(0), rtol=ACCUMULATED)


def test_epoch_loss_is_weighted_by_batch_size() -> None:
    """The expected values are those of TF.js 4.22."""
    x = np.arange(1, 6).reshape(5, 1)
    model = tf.sequential(
        layers=[tf.layers.dense(units=1, kernel_initializer="ones", bias_initializer="zeros", input_shape=[1])]
    )
    model.compile(optimizer=tf.train.sgd(0.01), loss="meanSquaredError")
    history = fit(model, x, 2 * x, batch_size=2, epochs=2, shuffle=False).history
    assert history["loss"] == pytest.approx([7.851106, 0.822267], abs=ACCUMULATED)
    assert [float(np.ravel(w)[0]) for w in values(model)] == pytest.approx([1.841932, 0.218259], abs=ACCUMULATED)


def test_regularizer_counts_in_training_only() -> None:
    model = tf.sequential()
    model.add(
        tf.layers.dense(
            units=1, kernel_initializer="ones", kernel_regularizer=tf.regularizers.l2(l2=0.5), input_shape=[2]
        )
    )
    model.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError")
    evaluated = float(model.evaluate(X, Y))
    trained = fit(model, batch_size=10).history["loss"][0]
    assert trained - evaluated == pytest.approx(0.5 * 2, rel=ACCUMULATED)


def test_regularizer_counts_for_each_call_of_layer() -> None:
    shared = tf.layers.dense(units=1, kernel_initializer="ones", kernel_regularizer=tf.regularizers.l2(l2=0.5))
    inner = tf.sequential([tf.layers.dense(units=2, kernel_initializer="zeros", input_shape=[2])])
    x = tf.input(shape=[2])
    hidden = inner.apply(x)
    model = tf.model(inputs=x, outputs=tf.layers.add().apply([shared.apply(x), shared.apply(hidden)]))
    outer_input = tf.input(shape=[2])
    outer = tf.model(
        inputs=outer_input, outputs=tf.layers.add().apply([model.apply(outer_input), model.apply(outer_input)])
    )
    outer.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError")
    trained = fit(outer, batch_size=10).history["loss"][0]
    assert trained - float(outer.evaluate(X, Y)) == pytest.approx(4 * 0.5 * 2, rel=ACCUMULATED)


@pytest.mark.parametrize("depth", [1, 2])
def test_regularizer_counts_once_in_nested_first_model(depth: int) -> None:
    rate = tf.regularizers.l2(l2=0.5)
    chain = tf.sequential(
        [tf.layers.dense(units=1, kernel_initializer="ones", kernel_regularizer=rate, input_shape=[2])]
    )
    for _ in range(depth):
        chain = tf.sequential([chain])
    chain.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError")
    trained = fit(chain, batch_size=10).history["loss"][0]
    assert trained - float(chain.evaluate(X, Y)) == pytest.approx(0.5 * 2, rel=ACCUMULATED)


def test_set_weights_applies_constraints() -> None:
    model = tf.sequential()
    model.add(tf.layers.dense(units=1, kernel_constraint="nonNeg", input_shape=[2]))
    model.set_weights([np.array([[-1.0], [2.0]]), np.zeros(1)])
    assert values(model)[0] == [[0], [2]]


def test_seed_makes_shuffling_repeatable() -> None:
    runs = []
    for seed in (1, 1, 2):
        model = linear()
        fit(model, batch_size=3, epochs=3, seed=seed)
        runs.append(values(model))
    assert runs[0] == runs[1] != runs[2]


def test_stateful_model_keeps_state_and_needs_full_batches() -> None:
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


def test_stateful_model_predicts_in_its_batch_size() -> None:
    model = tf.sequential([tf.layers.lstm(units=2, stateful=True, batch_input_shape=[8, 5, 1])])
    assert model.predict(np.ones((16, 5, 1))).shape == (16, 2)
    assert model.predict_on_batch(np.ones((8, 5, 1))).shape == (8, 2)
    for call, count in ((model.predict, 3), (model.predict_on_batch, 16)):
        with pytest.raises(ValueError, match="'x' must be of a number of samples divisible by 8"):
            call(np.ones((count, 5, 1)))


def test_model_can_be_trained_after_interrupt_at_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(self: Any, name: str, value: Any) -> None:
        original(self, name, value)
        if name == "training" and value:
            raise KeyboardInterrupt

    model, original = linear(), object.__setattr__
    with monkeypatch.context() as patch:
        patch.setattr(TrainingState, "__setattr__", interrupted)
        with pytest.raises(KeyboardInterrupt):
            fit(model)
    fit(model)


def test_history_keys_and_params() -> None:
    assert tf.sequential().metrics_names == []
    model = linear(metrics=["accuracy", "mse", tf_metric])
    history = fit(model, epochs=3, initial_epoch=1, batch_size=4, validation_split=0.2)
    assert list(history.history) == [f"{p}{n}" for p in ("val_", "") for n in ("loss", "acc", "mse", "tf_metric")]
    assert history.epoch == [1, 2]
    assert history.params["samples"] == history.params.samples == 8
    assert history.params["batch_size"] == history.params["batchSize"] == history.params.batchSize
    assert history.params["steps"] == 2
    assert all(isinstance(v, float) for column in history.history.values() for v in column)
    assert "2 epochs" in repr(history)
    assert asyncio.run(_awaited(history)) is history
    assert fit(model, epochs=0).history == {}


def tf_metric(y_true: tf.Tensor, y_pred: tf.Tensor) -> tf.Tensor:
    return y_pred.sub(y_true).abs().max()


async def _awaited(awaitable: Any) -> Any:
    return await awaitable


def test_training_with_several_outputs() -> None:
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
    assert loss == pytest.approx((error**2).mean(), rel=ACCUMULATED)
    assert mae == pytest.approx(np.abs(error).mean(), rel=ACCUMULATED)
    first = [float(v) for v in model.evaluate(X, Y, batch_size=3, steps=2)]
    assert first == pytest.approx([(error[:6] ** 2).mean(), np.abs(error[:6]).mean()], rel=ACCUMULATED)
    assert float(model.evaluate(X, Y, batch_size=3, steps=9)[0]) == pytest.approx(loss)
    alone = linear().evaluate(X, Y, {"batchSize": 4})
    assert isinstance(alone, tf.Tensor)
    assert asyncio.run(_awaited(alone)) is alone


def test_predict_is_independent_of_batch_size() -> None:
    model = linear()
    expected = model.predict_on_batch(X).numpy()
    for size in (1, 3, 10, 64):
        np.testing.assert_allclose(model.predict(X, batch_size=size).numpy(), expected, rtol=ROUNDING)
    assert model.predict(np.zeros((0, 2))).shape == (0, 1)


def test_fit_does_not_leak_tensors() -> None:
    model = linear("adam", metrics=["mae"])
    fit(model)
    before = tf.memory().num_tensors
    history = fit(model, epochs=3, batch_size=3, validation_split=0.3)
    assert tf.memory().num_tensors == before
    assert all(math.isfinite(v) for v in history.history["loss"])


def test_metric_functions_are_logged_under_their_names() -> None:
    short = [tf.metrics.mse, tf.metrics.MSE, tf.metrics.mape, tf.metrics.MAPE]
    model = linear(metrics=[*short, tf.metrics.mean_squared_error])
    assert model.metrics_names == ["loss", "mse", "MSE", "mape", "MAPE", "meanSquaredError"]
    with pytest.raises(ValueError, match="fit: argument 'y' .*missing values"):
        linear(loss=tf.metrics.mse).fit(X, Y * np.nan, verbose=0)
    assert training_config_of(model)["metrics"] == ["mse", "mse", "mape", "mape", "mse"]


def test_metrics_of_the_same_name_are_numbered_in_logs() -> None:
    model = linear(metrics=["acc", "accuracy"])
    names = ["val_loss", "val_acc_0", "val_acc_1", "loss", "acc_0", "acc_1"]
    assert list(model.fit(X, Y, epochs=1, verbose=0, validation_data=(X, Y)).history) == names
    examples = tf.data.array([{"xs": x, "ys": y} for x, y in zip(X, Y, strict=True)]).batch(2)
    assert list(model.fit_dataset(examples, epochs=1, verbose=0, validation_data=examples).history) == names


def test_custom_initializer_regularizer_and_constraint(tmp_path: Path) -> None:
    class Filled(tf.initializers.Initializer, class_name="Filled"):
        value: float = 1.0

        def apply(self, shape: Any, dtype: Any = None) -> tf.Tensor:
            return tf.fill(shape, self.value)

    class CubicPenalty(tf.regularizers.Regularizer, class_name="CubicPenalty"):
        def apply(self, x: tf.Tensor) -> tf.Tensor:
            return x.pow(3).sum()

    class Halved(tf.constraints.Constraint, class_name="Halved"):
        def apply(self, w: tf.Tensor) -> tf.Tensor:
            return w.mul(0.5)

    options = {
        "kernel_initializer": Filled(value=2.0),
        "kernel_regularizer": CubicPenalty(),
        "kernel_constraint": Halved(),
    }
    model = tf.sequential([tf.layers.dense(units=1, input_shape=[1], use_bias=False, **options)])
    model.compile(optimizer=tf.train.sgd(0.1), loss="meanSquaredError")
    assert float(model.train_on_batch(np.zeros((1, 1)), np.zeros((1, 1)))) == 8
    assert model.get_weights()[0].array_sync() == [[pytest.approx(2 - 0.1 * 3 * 4)]]
    model.set_weights([np.array([[3.0]])])
    assert model.get_weights()[0].array_sync() == [[1.5]]
    model.save(tmp_path / "m", strict=False)
    again = tf.load_layers_model(tmp_path / "m").layers[0]
    assert again.kernel_initializer.value == 2  # type: ignore[attr-defined]


def test_custom_optimizer_without_options() -> None:
    class SignSGD(tf.Optimizer):
        def __init__(self) -> None:
            super().__init__()

        def apply_gradients(self, variable_gradients: Any) -> None:
            for name, gradient in variable_gradients.items():
                variable = tf.engine().registered_variables[name]
                variable.assign(variable.sub(gradient.sign().mul(0.5)))

    model = tf.sequential([tf.layers.dense(units=1, input_shape=[1], use_bias=False, kernel_initializer="ones")])
    model.compile(optimizer=SignSGD(), loss="meanSquaredError")
    model.fit(np.ones((4, 1)), np.zeros((4, 1)), epochs=2, verbose=0)
    assert model.get_weights()[0].array_sync() == [[0]]


def test_nan_loss_from_nan_inputs_warns() -> None:
    x = np.where(X.min() < X, X, np.nan)
    with pytest.warns(
        UserWarning, match="fit: the loss is NaN since some of the inputs are NaN or infinite: fill in missing"
    ):
        linear().fit(x, Y, verbose=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        linear(loss=lambda y_true, y_pred: y_pred.sub(y_true).mul(np.nan).mean()).fit(X, Y, verbose=0)


def test_numpy_integers_as_seeds() -> None:
    tf.set_seed(1)
    weights = linear().get_weights()
    losses = []
    for seed in (3, np.int64(3)):
        model = linear()
        model.set_weights(weights)
        losses.append(model.fit(X, Y, batch_size=3, seed=seed, verbose=0).history["loss"])
    assert losses[0] == losses[1]
    for zero in (0, np.int64(0)):  # seed 0 means no seed, as in TF.js
        assert tf.random_normal([4], seed=zero).array_sync() != tf.random_normal([4], seed=zero).array_sync()
