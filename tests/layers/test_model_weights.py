"""Weights of models: reading, writing, freezing and disposal."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from layers.models import X, Y, compiled, small, values

import tfpy as tf


def test_get_and_set_weights() -> None:
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


def test_get_weights_returns_snapshots() -> None:
    model = compiled()
    first = model.get_weights()
    before = [w.array_sync() for w in first]
    model.train_on_batch(X, Y)
    assert [w.array_sync() for w in first] == before
    assert values(model) != before


def test_result_of_get_weights_can_be_trained() -> None:
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
    assert values(model)[0] != after[0], "weights listed before the last step are also trained"
    copied = pickle.loads(pickle.dumps(listed[0]))
    assert type(copied) is tf.Tensor


@pytest.mark.parametrize("options", [{"loss": "ctc"}, {"loss": "mse", "metrics": ["f1"]}])
def test_unknown_loss_or_metric_suggests_function(options: Any) -> None:
    with pytest.raises(ValueError, match="Unknown (loss 'ctc'|metric 'f1')") as caught:
        small().compile(optimizer="sgd", **options)
    assert "function of (y_true, y_pred): one of tf.losses or tf.metrics" in "".join(caught.value.__notes__)
    small().compile(optimizer="sgd", loss=tf.losses.huber_loss)


def test_trainable_flag_moves_weights_to_non_trainable() -> None:
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


def changed_weights(model: tf.LayersModel, train: Any) -> list[str]:
    """The names of the weights that a training changes."""
    before = {w.original_name: w.read().array_sync() for w in model.weights}
    train()
    return [w.original_name for w in model.weights if w.read().array_sync() != before[w.original_name]]


def test_trained_weights_are_fixed_at_compile() -> None:
    """As in the TF.js example mnist-acgan: the discriminator is frozen in the GAN, and still trained by itself."""
    image, noise = tf.input(shape=[4]), tf.input(shape=[3])
    features = tf.sequential([dense_of(5, 4, "features")])
    discriminator = tf.model(inputs=image, outputs=dense_of(1, 5, "verdict").apply(features.apply(image)))
    discriminator.compile(optimizer="sgd", loss="binaryCrossentropy")
    generator = tf.sequential([dense_of(4, 3, "generated")])
    discriminator.trainable = False
    gan = tf.model(inputs=noise, outputs=discriminator.apply(generator.apply(noise)))
    gan.compile(optimizer="sgd", loss="binaryCrossentropy")
    images, noises, ones = tf.ones([2, 4]), tf.ones([2, 3]), tf.ones([2, 1])

    # Freezing a model does not freeze the models inside it, as in TF.js.
    feature_weights = changed_weights(discriminator, lambda: discriminator.train_on_batch(images, ones))
    assert feature_weights == ["features/kernel", "features/bias"]
    generated = ["generated/kernel", "generated/bias"]
    assert changed_weights(gan, lambda: gan.train_on_batch(noises, ones)) == generated
    with pytest.warns(UserWarning, match="fit: 0 weights are trainable, but 4 were when the model was compiled"):
        assert changed_weights(discriminator, lambda: discriminator.fit(images, ones, verbose=0)) == feature_weights
    discriminator.trainable = True
    assert len(changed_weights(discriminator, lambda: discriminator.train_on_batch(images, ones))) == 4
    with pytest.warns(UserWarning, match="Compile the model again"):
        assert changed_weights(gan, lambda: gan.fit(noises, ones, verbose=0)) == generated
    gan.compile(optimizer="sgd", loss="binaryCrossentropy")
    assert len(changed_weights(gan, lambda: gan.train_on_batch(noises, ones))) == 6


def test_unfrozen_model_keeps_trainable_flags_of_layers() -> None:
    model = small()
    model.layers[0].trainable = False
    model.trainable = False
    assert [layer.trainable for layer in model.layers] == [False, True]
    model.trainable = True
    assert [w.original_name for w in model.trainable_weights] == [w.original_name for w in model.layers[1].weights]


def test_training_model_frozen_after_compile_raises() -> None:
    model = compiled()
    model.trainable = False
    with pytest.raises(RuntimeError, match="train_on_batch: the model has no trainable weights any more: `trainable`"):
        model.train_on_batch(X, Y)


@pytest.mark.parametrize("wrap", [tf.layers.time_distributed, tf.layers.bidirectional])
def test_non_trainable_wrapper_freezes_wrapped_layer(wrap: Any) -> None:
    layer = wrap(layer=tf.layers.lstm(units=2, return_sequences=True), trainable=False)
    assert not layer.trainable
    assert not layer.get_config()["trainable"]
    assert not layer.trainable_weights


def test_dispose_frees_weights() -> None:
    before = tf.memory().num_tensors
    model = small()
    result = model.dispose()
    assert (result.ref_count_after_dispose, result["numDisposedVariables"]) == (0, 4)
    assert tf.memory().num_tensors == before
    with pytest.raises(RuntimeError, match="disposed"):
        model.dispose()


def _trained(optimizer: Any) -> tf.Sequential:
    model = tf.sequential([tf.layers.dense(units=2, input_shape=[2])])
    model.compile(optimizer=optimizer, loss="meanSquaredError")
    model.fit(np.ones((4, 2)), np.ones((4, 2)), verbose=0)
    return model


def test_dispose_frees_an_optimizer_given_by_name() -> None:
    before = tf.memory().num_tensors
    model = _trained("adam")
    assert tuple(model.dispose()) == (0, 2 + 4)
    assert tf.memory().num_tensors == before, "although the model still refers to its optimizer"


def test_dispose_leaves_a_given_optimizer() -> None:
    optimizer = tf.train.adam()
    assert tuple(_trained(optimizer).dispose()) == (0, 2)
    assert len(optimizer.get_weights()) == 1 + 4
    optimizer.dispose()


def test_an_optimizer_set_again_is_still_the_models_own() -> None:
    model = _trained("adam")
    model.optimizer = model.optimizer
    assert tuple(model.dispose()) == (0, 2 + 4)
    model = _trained("adam")
    model.optimizer = optimizer = tf.train.sgd(0.1)
    assert tuple(model.dispose()) == (0, 2)
    optimizer.dispose()


def test_predict_after_dispose() -> None:
    model = tf.sequential([tf.layers.flatten(input_shape=[2, 2])])
    model.predict(np.ones((1, 2, 2)))
    model.dispose()
    with pytest.raises(RuntimeError, match="is already disposed"):
        model.predict(np.ones((1, 2, 2)))


def test_dispose_frees_weights_of_inner_models() -> None:
    before = tf.memory().num_tensors
    inner = tf.sequential([tf.layers.dense(units=2, input_shape=[3]), tf.layers.dense(units=3)])
    x = tf.input(shape=[3])
    model = tf.model(inputs=x, outputs=tf.layers.dense(units=1).apply(inner.apply(x)))
    assert model.dispose().num_disposed_variables == 6
    assert tf.memory().num_tensors == before


@pytest.mark.parametrize("place", [0, 1])
def test_dispose_of_sequential_with_inner_model(place: int) -> None:
    inner = tf.sequential([tf.layers.dense(units=2, input_shape=[3]), tf.layers.dense(units=3)])
    layers = [tf.layers.dense(units=3, input_shape=[3])]
    layers.insert(place, inner)
    assert tuple(tf.sequential(layers).dispose()) == ((0, 6), (0, 2))[place]
    if place:
        assert inner.predict(np.ones((1, 3))).shape == (1, 3)
        assert tuple(inner.dispose()) == (0, 4)
