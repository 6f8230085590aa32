"""Data and options of `fit`, `evaluate` and `predict`: conversion, and errors for what is invalid."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tfpy as tf

X = np.random.default_rng(0).random((10, 4))
Y = np.arange(10) % 3


def classifier(loss: str = "sparseCategoricalCrossentropy") -> tf.Sequential:
    model = tf.sequential([tf.layers.dense(units=3, activation="softmax", input_shape=[4])])
    model.compile(optimizer="sgd", loss=loss)
    return model


def one_hot_classifier() -> tf.Sequential:
    return classifier("categoricalCrossentropy")


def fit(x: Any = X, y: Any = Y, **options: Any) -> tf.History:
    return classifier().fit(x, y, **{"verbose": 0, **options})


def test_fractional_class_indices_are_rounded_down() -> None:
    model = classifier()
    with pytest.warns(UserWarning, match=r"evaluate: class indices are whole numbers, but 'y' has 0\.75\. .*down"):
        found = model.evaluate(X, Y + 0.75)
    assert found.array_sync() == model.evaluate(X, Y).array_sync()


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: fit(validation_split=20), "'validation_split' must be at least 0 and below 1, but got 20"),
        (lambda: fit(validation_split=-0.5), "'validation_split' must be at least 0 and below 1, but got -0.5"),
        (lambda: fit(validation_split="a"), "'validation_split' must be a number, but got 'a'"),
        (lambda: fit(epochs=-1), "'epochs' must be a whole number of 0 or more, but got -1"),
        (lambda: fit(initial_epoch=-1), "'initial_epoch' must be a whole number of 0 or more, but got -1"),
        (lambda: fit(verbose="auto"), "'verbose' must be a whole number, but got 'auto'"),
        (lambda: fit(verbose=-1), "'verbose' must be a whole number of 0 or more, but got -1"),
        (lambda: fit(shuffle="batches"), "'shuffle' must be True, False or 'batch', but got 'batches'"),
        (lambda: fit(y=Y + 1), "'y' must be class indices from 0 to 2, but got 3"),
        (
            lambda: fit(y=np.where(Y == 2, np.nan, Y)),
            "'y' must be numbers; a user-defined loss may allow NaN, but got missing values (NaN), first in row 2",
        ),
        (
            lambda: fit(x=[tf.tensor(row) for row in X]),
            "tf.stack makes one tensor of those of single samples, but got 10 of them.",
        ),
        (lambda: fit(y=np.eye(3)[Y]), "one-hot labels go with categoricalCrossentropy"),
        (lambda: one_hot_classifier().fit(X, Y), "class indices go with sparseCategoricalCrossentropy"),
        (lambda: one_hot_classifier().fit(X, Y.tolist()), "class indices go with sparseCategoricalCrossentropy"),
        (lambda: one_hot_classifier().fit(X, Y[:, None]), "class indices go with sparseCategoricalCrossentropy"),
        (lambda: one_hot_classifier().fit(X, np.eye(4)[Y]), "'y' must be of shape [batch, 3] for"),
        (
            lambda: fit(x=X[0], y=Y[:1]),
            "(a sample gets a batch axis by x[None], those of a data set by dataset.batch(n)), but",
        ),
        (lambda: fit(y=Y[:5]), "of the same number of samples as x, but got x [[10, 4]], y [[5, 1]]."),
        (
            lambda: fit(validation_data=(X, Y[:3])),
            "fit, validation_data: argument 'y' must be of the same number of samples as x",
        ),
        (
            lambda: fit(class_weight={"a": 1}),
            "'class_weight' must be a dict whose keys are classes, which are whole numbers, but got the key 'a'",
        ),
        (lambda: fit(class_weight={0: "a", 1: 1, 2: 1}), "'class_weight' must be a number, but got 'a'"),
        (
            lambda: fit(class_weight=[3]),
            "'class_weight' must be a dict of weights by class, as {0: 1, 1: 2}, but got [3]",
        ),
        (lambda: fit(class_weight=[{0: 1}, {0: 1}]), "'class_weight' must be a dict of weights by class"),
        (lambda: fit(class_weight={"a": {0: 1}}), "fit: unknown output in class_weight 'a'"),
        (lambda: fit(x={1: X}), "'x' must be a dict with data for"),
        (
            lambda: fit(x={1: X, "b": X}),
            "(the columns of a table become one array, as by the map of a data set), but got [1, ",
        ),
        (lambda: classifier().evaluate(X, Y, steps=-1), "'steps' must be a whole number above 0, but got -1"),
        (
            lambda: tf.sequential([tf.layers.lstm(units=1, input_shape=[9, 1])]).predict(np.ones([2, 9])),
            "(an axis of size 1 at the end comes by x[..., None])",
        ),
        (lambda: fit(seed=[1]), "'seed' must be a number or a string, but got [1]"),
        (
            lambda: fit(validation_data=X),
            "'validation_data' must be (x, y), or (x, y, sample_weight), but got a ndarray",
        ),
        (lambda: classifier().fit_dataset(tf.data.array([X]), batchSize=2), "'batchSize'. In tfpy it is dataset.batch"),
        (
            lambda: classifier().fit_dataset(tf.data.array([X]), shuffle=True),
            "'shuffle'. In tfpy it is dataset.shuffle",
        ),
        (lambda: classifier().evaluate_dataset(tf.data.array([X]), batch_size=2), "In tfpy it is dataset.batch(n)"),
    ],
)
def test_invalid_data_or_option_raises(call: Any, text: str) -> None:
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    assert text in str(caught.value)


def test_integer_images_are_cast_to_float() -> None:
    pixels = np.random.default_rng(0).integers(0, 255, (4, 6, 6, 1), dtype=np.uint8)
    model = tf.sequential([tf.layers.conv2d(filters=2, kernel_size=3, input_shape=[6, 6, 1]), tf.layers.flatten()])
    expected = model.predict(pixels.astype(np.float32)).numpy()
    np.testing.assert_array_equal(model.predict(pixels).numpy(), expected)
    np.testing.assert_array_equal(model.predict(pixels.tolist()).numpy(), expected)


def test_integers_beyond_int32_are_cast_to_float() -> None:
    timestamps = np.array([[2**40], [2**41]])
    model = tf.sequential([tf.layers.dense(units=1, use_bias=False, kernel_initializer="ones", input_shape=[1])])
    assert model.predict(timestamps).array_sync() == [[2**40], [2**41]]
    assert tf.tensor(timestamps, dtype="float32").array_sync() == [[2**40], [2**41]]
    with pytest.raises(ValueError, match="int32"):
        tf.tensor(timestamps)


def test_int32_input_receives_integers() -> None:
    class Codes(tf.layers.Layer):
        def call(self, inputs: Any) -> Any:
            return tf.one_hot(inputs, 3).to_float()

        def compute_output_shape(self, input_shape: Any) -> Any:
            return [*input_shape, 3]

    codes = tf.input(shape=[2], dtype="int32")
    model = tf.model(inputs=codes, outputs=Codes().apply(codes))
    assert model.predict([[0, 2]]).array_sync() == [[[1, 0, 0], [0, 0, 1]]]


def test_negative_class_index_has_no_loss() -> None:
    """As in TF.js, where its one-hot vector is all zeros."""
    assert fit(y=np.full(10, -1), batch_size=10).history["loss"] == [0]


def test_shuffle_batch_keeps_samples_of_a_batch_together() -> None:
    seen: list[list[float]] = []

    class Seen(tf.layers.Layer):
        def call(self, inputs: Any) -> Any:
            x = inputs[0] if isinstance(inputs, list) else inputs
            seen.append(x.numpy().ravel().tolist())
            return x

    numbers = np.arange(10.0).reshape(10, 1)
    model = tf.sequential([Seen(input_shape=[1]), tf.layers.dense(units=1)])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    seen.clear()
    model.fit(numbers, numbers, batch_size=3, shuffle="batch", seed=2, verbose=0)
    assert seen[-1] == [9]
    assert sorted(seen[:3]) == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert seen[:3] != [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def test_iterator_serves_one_epoch_and_generator_several() -> None:
    def batches() -> Iterator[Any]:
        yield X, Y

    assert len(fit(batches(), None).epoch) == 1
    assert len(fit(batches, None, epochs=2).epoch) == 2


def test_warning_points_to_user_code() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fit(callbacks=tf.callbacks.early_stopping(monitor="val_los"))
    assert [w.filename for w in caught] == [__file__]
    assert "there is no 'val_los' in the logs, only loss" in str(caught[0].message)


def test_input_spec_axis_beyond_rank_raises() -> None:
    class RequiresAxis3(tf.layers.Layer):
        def configure(self) -> None:
            self.input_spec = [tf.InputSpec(axes={3: 2})]

    with pytest.raises(ValueError, match=r"expected an axis 3, but got shape \[2, 2\]"):
        RequiresAxis3().apply(tf.ones([2, 2]))


INDICES = np.ones((20, 3), int)
INVALID_INDICES = np.where(np.arange(60).reshape(20, 3) == 50, 7, INDICES)


def embedding_model() -> tf.LayersModel:
    words, marks = tf.input(shape=[3]), tf.input(shape=[3])
    inner = tf.sequential([tf.layers.embedding(input_dim=5, output_dim=2, input_length=3)])
    vectors = tf.layers.concatenate().apply([inner.apply(words), tf.layers.reshape(target_shape=[3, 1]).apply(marks)])
    outputs = tf.layers.dense(units=1).apply(tf.layers.flatten().apply(vectors))
    model = tf.model(inputs=[words, marks], outputs=outputs)
    model.compile(optimizer="sgd", loss="meanSquaredError")
    return model


@pytest.mark.parametrize(
    "data",
    [INVALID_INDICES, INVALID_INDICES.astype("float32"), INVALID_INDICES.tolist(), -INVALID_INDICES],
    ids=["int", "float", "list", "-"],
)
def test_embedding_index_out_of_range_raises(backend: str, data: Any) -> None:
    model, marks, labels = embedding_model(), 9 * INDICES, np.ones((20, 1))
    calls = [
        lambda: model.predict([np.array(data), marks], batch_size=4),
        lambda: model.predict_on_batch([np.array(data), marks]),
        lambda: model.apply([tf.tensor(data), tf.tensor(marks)]),
        lambda: model.evaluate([np.array(data), marks], labels, verbose=0),
        lambda: model.train_on_batch([np.array(data), marks], labels),
        lambda: model.fit([np.array(data), marks], labels, batch_size=4, verbose=0),
    ]
    model.fit([INDICES, marks], labels, batch_size=4, epochs=2, verbose=0)  # makes plans for the calls below
    for call in calls:
        with pytest.raises(ValueError, match="from 0 to 4.*but got (7|-1|-7)[.]"):
            call()
    assert model.predict([INDICES, marks]).shape == (20, 1)


def test_embedding_index_in_tensor_out_of_range_raises(backend: str) -> None:
    model = tf.sequential([tf.layers.embedding(input_dim=5, output_dim=2, input_length=3)])
    model.predict(tf.tensor2d([[1, 2, 3]]))
    for dtype in ("int32", "float32"):
        with pytest.raises(ValueError, match="from 0 to 4.*but got 7[.]"):
            model.predict(tf.tensor2d([[1, 2, 7]], dtype=dtype))


def test_embedding_subclass_may_accept_other_indices(backend: str) -> None:
    class ModuloEmbedding(tf.layers.Embedding):
        def call(self, inputs: Any) -> tf.Tensor:
            return super().call(tf.mod(inputs, 5))

    model = tf.sequential([ModuloEmbedding(input_dim=5, output_dim=2, input_length=3)])
    assert model.predict(INVALID_INDICES).shape == (20, 3, 2)


@pytest.mark.parametrize(
    "loss", [lambda t, p: np.mean((t.numpy() - p.numpy()) ** 2), lambda t, p: tf.scalar(1.0)], ids=["numpy", "constant"]
)
def test_loss_without_gradient_raises_with_likely_causes(backend: str, loss: Any) -> None:
    model = tf.sequential([tf.layers.dense(units=1, input_shape=[4], name="only")])
    model.compile(optimizer="sgd", loss=loss)
    with pytest.raises(
        ValueError, match=r"The loss does not depend on any .*only/kernel.*only/bias.*constant, or computed with numpy"
    ):
        model.fit(X, Y[:, None], verbose=0)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"loss": lambda t, p: None}, "The loss of 'only' must return a tensor or numbers, but returned None"),
        (
            {"loss": "meanSquaredError", "metrics": [lambda t, p: "high"]},
            "The metric '<lambda>' must return a tensor or numbers, but returned 'high'",
        ),
    ],
)
def test_loss_or_metric_without_value_raises(options: Any, text: str) -> None:
    model = tf.sequential([tf.layers.dense(units=1, input_shape=[4], name="only")])
    model.compile(optimizer="sgd", **options)
    with pytest.raises(TypeError, match=text):
        model.fit(X, Y[:, None], verbose=0)


def test_nan_label_raises_with_its_row() -> None:
    labels = np.where(np.arange(10) == 3, np.nan, Y)
    with pytest.raises(ValueError, match=r"fit: argument 'y' .* missing values \(NaN\), first in row 3"):
        fit(y=labels)
    model = tf.sequential([tf.layers.dense(units=1, input_shape=[4])])
    model.compile(optimizer="sgd", loss="meanSquaredError")
    with pytest.raises(ValueError, match="evaluate: argument 'y' .* missing values .* row 3"):
        model.evaluate(X, labels[:, None], verbose=0)


@pytest.mark.parametrize(
    ("factory", "call"), [(tf.train.adam, r"tf.train.adam\(…\)"), (tf.AdamOptimizer, r"tf.AdamOptimizer\(…\)")]
)
def test_uncalled_optimizer_factory_raises(factory: Any, call: str) -> None:
    with pytest.raises(ValueError, match=f"must be an optimizer: call the function, as in {call}, but got"):
        tf.sequential([tf.layers.dense(units=1, input_shape=[4])]).compile(optimizer=factory, loss="meanSquaredError")


def test_class_indices_of_sequences_without_last_axis() -> None:
    model = tf.sequential([tf.layers.dense(units=3, activation="softmax", input_shape=[4, 2])])
    model.compile(optimizer=tf.train.sgd(0), loss="sparseCategoricalCrossentropy", metrics=["acc"])
    x, y = np.random.default_rng(1).random((6, 4, 2)), np.arange(24).reshape(6, 4) % 3
    expected = [float(t) for t in model.evaluate(x, y[..., None])]
    for labels in (y, tf.tensor(y), y.astype(float), y.tolist()):
        assert [float(t) for t in model.evaluate(x, labels)] == expected
    history = model.fit(iter([(x, y)]), verbose=0).history
    assert history["acc"] == pytest.approx([expected[1]])
    with pytest.raises(ValueError, match=r"class indices of shape \[batch, 4, 1\]"):
        model.evaluate(x, y[:, :3])


def test_exhausted_data_warns() -> None:
    batches = [(X[:5], Y[:5]), (X[5:], Y[5:])]
    for data in (lambda: iter(batches), iter(batches)):
        with pytest.warns(
            UserWarning, match=r"fit: the data ended after batch 0 of 2.* 4 batches. An infinite generator"
        ):
            classifier().fit(data, epochs=2, steps_per_epoch=2, verbose=0)
