"""Loss weights of samples, classes and outputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from layers.linear import X, Y, fit, linear, values
from tolerance import ACCUMULATED, ROUNDING, TRAINED

import tfpy as tf


def test_class_weights_equal_sample_weights() -> None:
    y = np.array([0.0] * 5 + [1.0] * 5).reshape(10, 1)
    plain = linear(tf.train.sgd(0.1))
    weighted = linear(tf.train.sgd(0.1))
    fit(plain, y=y, batch_size=10, shuffle=False, class_weight={0: 1, 1: 3})
    fit(weighted, y=y, batch_size=10, shuffle=False, sample_weight=[1.0] * 5 + [3.0] * 5)
    assert values(plain) == values(weighted)
    error = (X.astype(float) @ [[1], [1]]) - y
    weights = np.array([1.0] * 5 + [3.0] * 5)[:, None]
    expected = 1 - 0.1 * (2 * X.T @ (weights * error)) / 10
    np.testing.assert_allclose(values(plain)[0], expected, rtol=ACCUMULATED)


def two_outputs() -> Any:
    x = tf.input(shape=[2])
    layers = [tf.layers.dense(units=1, kernel_initializer="ones", use_bias=False, name=name) for name in ("a", "b")]
    return tf.model(inputs=x, outputs=[layer.apply(x) for layer in layers])


@pytest.mark.parametrize(
    ("weights", "a", "b"),
    [([3.0, 0.5], 3, 0.5), ({"b": 0.5, "a": 3}, 3, 0.5), ({"b": 0.5}, 1, 0.5), (None, 1, 1), ({}, 1, 1)],
)
def test_output_weights_scale_losses(weights: Any, a: float, b: float) -> None:
    model, ys = two_outputs(), [Y, 2 * Y]
    model.compile(optimizer=tf.train.sgd(0.01), loss="meanSquaredError", output_weights=weights)
    errors = [X.astype(float) @ [[1], [1]] - y for y in ys]
    per_output = [(e**2).mean() for e in errors]
    expected = [a * per_output[0] + b * per_output[1], *per_output]
    np.testing.assert_allclose([float(t) for t in model.evaluate(X, ys)], expected, rtol=ACCUMULATED)
    history = fit(model, y=ys, batch_size=10).history
    np.testing.assert_allclose([history[k][0] for k in ("loss", "a_loss", "b_loss")], expected, rtol=ACCUMULATED)
    for layer, weight, error in zip(("a", "b"), (a, b), errors, strict=True):
        gradient = weight * 2 * X.T @ error / 10
        np.testing.assert_allclose(values(model.get_layer(layer))[0], 1 - 0.01 * gradient, rtol=TRAINED)


def test_recompiled_output_weights_apply_to_planned_steps() -> None:
    model, found = two_outputs(), []
    for weights in ([1.0, 2.0], [5.0, 0.0]):
        model.compile(optimizer=tf.train.sgd(0), loss="meanSquaredError", output_weights=weights)
        found.append([model.train_on_batch(X, [Y, 2 * Y])[0] for _ in range(4)])
    losses = [float(t) for t in model.evaluate(X, [Y, 2 * Y])[1:]]
    np.testing.assert_allclose(found[0], losses[0] + 2 * losses[1], rtol=ACCUMULATED)
    np.testing.assert_allclose(found[1], 5 * losses[0], rtol=ACCUMULATED)


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1.0], ValueError, "one weight for each of the 2 outputs, but got 1"),
        ({"c": 1.0}, ValueError, "compile: unknown output in output_weights 'c'"),
        (2.0, TypeError, r"a list, or a dict by output \(a, b\)"),
        ("nix", TypeError, "output_weights"),
        ({"a": "much"}, TypeError, "'output_weights' must be a number"),
    ],
)
def test_invalid_output_weights_raise(weights: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        two_outputs().compile(optimizer="sgd", loss="meanSquaredError", output_weights=weights)


def test_output_weight_of_single_output() -> None:
    model = linear(tf.train.sgd(0.1))
    plain = float(model.evaluate(X, Y))
    for weights in (2, [2], {model.output_names[0]: 2}):
        model.compile(optimizer="sgd", loss="meanSquaredError", output_weights=weights)
        assert float(model.evaluate(X, Y)) == pytest.approx(2 * plain, rel=ROUNDING)


SAMPLE_WEIGHTS = [1.0] * 5 + [3.0] * 5


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
    model, ys, weights = two_outputs(), [Y, 2 * Y], given(form(SAMPLE_WEIGHTS))
    model.compile(optimizer=tf.train.sgd(0.01), loss="meanSquaredError")
    errors = [(X.astype(float) @ [[1], [1]] - y)[:, 0] ** 2 for y in ys]
    per_output = [(e * SAMPLE_WEIGHTS if own else e).mean() for e, own in zip(errors, (a, b), strict=True)]
    judged = [float(t) for t in model.evaluate(X, ys, sample_weight=weights)]
    np.testing.assert_allclose(judged, [sum(per_output), *per_output], rtol=ACCUMULATED)
    history = fit(model, y=ys, batch_size=10, sample_weight=weights, validation_data=(X, ys, weights)).history
    np.testing.assert_allclose([history[k][0] for k in ("a_loss", "b_loss")], per_output, rtol=ACCUMULATED)
    after = [float(t) for t in model.evaluate(X, ys, sample_weight=weights)]
    assert [history[f"val_{k}"][0] for k in ("loss", "a_loss", "b_loss")] == pytest.approx(after, rel=ROUNDING)


def test_validation_split_uses_sample_but_not_class_weights() -> None:
    model, y, classes = linear(tf.train.sgd(0.0)), np.array([0.0, 1.0] * 5).reshape(10, 1), {0: 2.0, 1: 5.0}
    history = fit(
        model, y=y, batch_size=10, validation_split=0.4, sample_weight=SAMPLE_WEIGHTS, class_weight=classes
    ).history
    error = (X.astype(float) @ [[1], [1]] - y)[:, 0] ** 2 * SAMPLE_WEIGHTS
    assert history["val_loss"][0] == pytest.approx(error[6:].mean(), rel=ACCUMULATED)
    assert history["loss"][0] == pytest.approx((error * ([2, 5] * 5))[:6].mean(), rel=ACCUMULATED)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"c": SAMPLE_WEIGHTS}, "unknown output in sample_weight 'c'"),
        ([SAMPLE_WEIGHTS], "in a list of 2, one for each output, but got 1 lists"),
        ([SAMPLE_WEIGHTS, SAMPLE_WEIGHTS[:3]], r"of shape \[10\]"),
        ({"a": 1.0}, r"of shape \[10\]"),
        (SAMPLE_WEIGHTS[:3], r"of shape \[10\]"),
    ],
)
def test_invalid_sample_weights_raise(weights: Any, message: str) -> None:
    model = two_outputs()
    model.compile(optimizer="sgd", loss="meanSquaredError")
    for call in (
        lambda: fit(model, y=[Y, Y], sample_weight=weights),
        lambda: model.evaluate(X, [Y, Y], sample_weight=weights),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_sample_weights_apply_to_all_steps_of_a_sequence() -> None:
    x, y = np.linspace(-1, 1, 24).reshape(4, 3, 2), np.zeros((4, 3, 1))
    weights = np.array([0.0, 1, 2, 5])
    model = tf.sequential([tf.layers.dense(units=1, kernel_initializer="ones", input_shape=[3, 2])])
    model.compile(optimizer=tf.train.sgd(0.1), loss="meanSquaredError")
    expected = (weights[:, None] * x.sum(-1) ** 2).mean()
    assert float(model.evaluate(x, y, sample_weight=weights)) == pytest.approx(expected, rel=ACCUMULATED)
    history = model.fit(x, y, sample_weight=weights, verbose=0).history
    assert history["loss"][0] == pytest.approx(expected, rel=ACCUMULATED)


@pytest.mark.parametrize("weights", [None, [1.0, 1, 1, 1]])
def test_sequence_output_and_single_output_together(weights: Any) -> None:
    x = np.linspace(-1, 1, 24).reshape(4, 3, 2)
    entry = tf.input(shape=[3, 2])
    each = tf.layers.dense(units=1, kernel_initializer="ones", name="each").apply(entry)
    flat = tf.layers.flatten().apply(entry)
    one = tf.layers.dense(units=1, kernel_initializer="ones", name="one").apply(flat)
    model = tf.model(inputs=entry, outputs=[each, one])
    model.compile(optimizer=tf.train.sgd(0.1), loss="meanSquaredError")
    y = {"each": np.zeros((4, 3, 1)), "one": np.ones((4, 1))}
    history = model.fit(x, y, verbose=0, shuffle=False, sample_weight=weights).history
    per_output = (x.sum(-1) ** 2).mean(), ((x.sum((1, 2)) - 1) ** 2).mean()
    np.testing.assert_allclose(
        [history[k][0] for k in ("loss", "each_loss", "one_loss")], [sum(per_output), *per_output], rtol=ACCUMULATED
    )
    gradient = 2 * (x.sum(-1)[..., None] * x).mean((0, 1))
    np.testing.assert_allclose(
        model.get_layer("each").get_weights()[0].numpy()[:, 0], 1 - 0.1 * gradient, rtol=ACCUMULATED
    )


def test_loss_weights_option_warns() -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2])])
    with pytest.warns(UserWarning, match="compile: loss_weights have no effect, as in TF.js"):
        model.compile(optimizer="sgd", loss="meanSquaredError", loss_weights=[2])
    assert model.output_weights is None
