"""Weights of models: read, written, frozen, disposed."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from layers.models import X, Y, compiled, small, values

import tfpy as tf


def test_weights_are_read_and_written() -> None:
    model = small()
    given = [np.full(w.shape, i, np.float32) for i, w in enumerate(model.get_weights())]
    model.set_weights(given)
    assert values(model) == [g.tolist() for g in given]
    before = values(model)
    last = given[-1]
    zeros = [np.zeros_like(g) for g in given[:-1]]
    for wrong in (given[:-1], [*zeros, np.zeros((7,))], [*zeros, "text"], [*zeros, tf.cast(last, "int32")], last):
        with pytest.raises((ValueError, TypeError), match="weights"):
            model.set_weights(wrong)
    assert values(model) == before, "nothing was half-written"
    model.set_weights(np.ones(g.shape, int) for g in given)
    assert {w.dtype for w in model.weights} == {"float32"}
    assert float(model.weights[-1].sum()) == last.size


def test_what_get_weights_gave_does_not_change() -> None:
    model = compiled()
    first = model.get_weights()
    before = [w.array_sync() for w in first]
    model.train_on_batch(X, Y)
    assert [w.array_sync() for w in first] == before
    assert values(model) != before


def test_what_get_weights_gave_stands_for_the_weights() -> None:
    model = compiled()
    listed = model.get_weights()
    loss = lambda: model.apply(tf.tensor(X)).square().mean()  # noqa: E731
    grads = tf.variable_grads(loss, listed[:2]).grads
    assert list(grads) == [w.name for w in model.weights[:2]]
    before = values(model)
    tf.train.sgd(0.1).minimize(loss, False, listed[2:])
    after = values(model)
    assert [w == v for w, v in zip(after, before, strict=True)] == [True, True, False, False]
    tf.train.sgd(0.1).minimize(loss, False, listed)
    assert values(model)[0] != after[0], "also those that were given before the last step"
    copied = pickle.loads(pickle.dumps(listed[0]))
    assert type(copied) is tf.Tensor


@pytest.mark.parametrize("options", [{"loss": "ctc"}, {"loss": "mse", "metrics": ["f1"]}])
def test_names_of_other_libraries_losses_are_told_of_functions(options: Any) -> None:
    with pytest.raises(ValueError, match="Unknown (loss 'ctc'|metric 'f1')") as caught:
        small().compile(optimizer="sgd", **options)
    assert "function of (y_true, y_pred): one of tf.losses or tf.metrics" in "".join(caught.value.__notes__)
    small().compile(optimizer="sgd", loss=tf.losses.huber_loss)


def test_trainability_moves_weights() -> None:
    model = compiled()
    model.layers[0].trainable = False
    assert (len(model.trainable_weights), len(model.non_trainable_weights)) == (2, 2)
    frozen = model.layers[0].get_weights()[0].array_sync()
    with pytest.warns(UserWarning, match="fit: 2 weights are trainable, but 4 were when the model was compiled"):
        model.fit(X, Y, verbose=0)
    assert model.layers[0].get_weights()[0].array_sync() == frozen
    model.trainable = False
    with pytest.raises(RuntimeError, match="fit.*no trainable weights"):
        model.fit(X, Y, verbose=0)


def dense_of(units: int, size: int, name: str) -> tf.layers.Layer:
    return tf.layers.dense(units=units, input_shape=[size], activation="sigmoid", name=name)


def moved(model: tf.LayersModel, train: Any) -> list[str]:
    """The names of the weights that a training changes."""
    before = {w.original_name: w.read().array_sync() for w in model.weights}
    train()
    return [w.original_name for w in model.weights if w.read().array_sync() != before[w.original_name]]


def test_what_is_trained_is_settled_when_the_model_is_compiled() -> None:
    """As in TF.js's example mnist-acgan: the judge is frozen in the whole, and still trained by itself."""
    image, noise = tf.input(shape=[4]), tf.input(shape=[3])
    features = tf.sequential([dense_of(5, 4, "features")])
    judge = tf.model(inputs=image, outputs=dense_of(1, 5, "verdict").apply(features.apply(image)))
    judge.compile(optimizer="sgd", loss="binaryCrossentropy")
    forger = tf.sequential([dense_of(4, 3, "forged")])
    judge.trainable = False
    whole = tf.model(inputs=noise, outputs=judge.apply(forger.apply(noise)))
    whole.compile(optimizer="sgd", loss="binaryCrossentropy")
    images, noises, ones = tf.ones([2, 4]), tf.ones([2, 3]), tf.ones([2, 1])

    # TF.js leaves the models inside of a frozen one as they were.
    by_itself = moved(judge, lambda: judge.train_on_batch(images, ones))
    assert by_itself == ["features/kernel", "features/bias"]
    forged = ["forged/kernel", "forged/bias"]
    assert moved(whole, lambda: whole.train_on_batch(noises, ones)) == forged
    with pytest.warns(UserWarning, match="fit: 0 weights are trainable, but 4 were when the model was compiled"):
        assert moved(judge, lambda: judge.fit(images, ones, verbose=0)) == by_itself
    judge.trainable = True
    assert len(moved(judge, lambda: judge.train_on_batch(images, ones))) == 4
    with pytest.warns(UserWarning, match="Compile the model again"):
        assert moved(whole, lambda: whole.fit(noises, ones, verbose=0)) == forged
    whole.compile(optimizer="sgd", loss="binaryCrossentropy")
    assert len(moved(whole, lambda: whole.train_on_batch(noises, ones))) == 6


def test_a_frozen_model_keeps_what_its_layers_say_themselves() -> None:
    model = small()
    model.layers[0].trainable = False
    model.trainable = False
    assert [layer.trainable for layer in model.layers] == [False, True]
    model.trainable = True
    assert [w.original_name for w in model.trainable_weights] == [w.original_name for w in model.layers[1].weights]


def test_a_model_that_was_frozen_after_it_was_compiled_says_so() -> None:
    model = compiled()
    model.trainable = False
    with pytest.raises(RuntimeError, match="train_on_batch: the model has no trainable weights any more: `trainable`"):
        model.train_on_batch(X, Y)


@pytest.mark.parametrize("wrap", [tf.layers.time_distributed, tf.layers.bidirectional])
def test_a_wrapper_that_is_not_trainable_freezes_what_is_in_it(wrap: Any) -> None:
    layer = wrap(layer=tf.layers.lstm(units=2, return_sequences=True), trainable=False)
    assert not layer.trainable
    assert not layer.get_config()["trainable"]
    assert not layer.trainable_weights


def test_disposing_frees_the_weights() -> None:
    before = tf.memory().num_tensors
    model = small()
    result = model.dispose()
    assert (result.ref_count_after_dispose, result["numDisposedVariables"]) == (0, 4)
    assert tf.memory().num_tensors == before
    with pytest.raises(RuntimeError, match="disposed"):
        model.dispose()


def test_disposing_frees_the_weights_of_models_within() -> None:
    before = tf.memory().num_tensors
    inner = tf.sequential([tf.layers.dense(units=2, input_shape=[3]), tf.layers.dense(units=3)])
    x = tf.input(shape=[3])
    model = tf.model(inputs=x, outputs=tf.layers.dense(units=1).apply(inner.apply(x)))
    assert model.dispose().num_disposed_variables == 6
    assert tf.memory().num_tensors == before


@pytest.mark.parametrize("place", [0, 1])
def test_a_model_on_top_of_others_outlives_the_stack(place: int) -> None:
    inner = tf.sequential([tf.layers.dense(units=2, input_shape=[3]), tf.layers.dense(units=3)])
    layers = [tf.layers.dense(units=3, input_shape=[3])]
    layers.insert(place, inner)
    assert tuple(tf.sequential(layers).dispose()) == ((0, 6), (0, 2))[place]
    if place:
        assert inner.predict(np.ones((1, 3))).shape == (1, 3)
        assert tuple(inner.dispose()) == (0, 4)
