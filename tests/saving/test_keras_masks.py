"""Masks in files of Keras: their representation, and their propagation by the rules of Keras."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saving.keras_configs import SUMMED, called, embedded, entry, functional, keras_file, predicted, sequential, tensor
from tolerance import ROUNDING

import tfpy as tf


def test_embedding_masks_saved_as_ops(tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", embedded(mask_zero=True), SUMMED)
    np.testing.assert_array_equal(predicted(path, [[1, 2, 0], [0, 1, 1]]), [[11], [2]])
    tf.load_layers_model(path).save(tmp_path / "web", strict=True)  # only layers that TF.js has


def test_masking_layer_masks_saved_as_ops(tmp_path: Path) -> None:
    rnn = entry("SimpleRNN", name="r", units=1, activation="linear", use_bias=False)
    config = functional(
        "r",
        called(entry("NotEqual", module="keras.src.ops.numpy", name="not_equal"), tensor("x"), 5.0),
        called(entry("Masking", name="k", mask_value=5.0), tensor("x")),
        called(entry("Any", module="keras.src.ops.numpy", name="any", axis=-1, keepdims=False), tensor("not_equal")),
        called(rnn, tensor("k"), mask=tensor("any")),
        shape=[3, 1],
    )
    weights = {f"layers/simple_rnn/cell/vars/{i}": [[1.0]] for i in range(2)}
    path = keras_file(tmp_path / "m.keras", config, weights)
    np.testing.assert_array_equal(predicted(path, [[[1], [5], [2]]]), [[3]])


def test_keras_rules_survive_editing_copying_and_pickling(tmp_path: Path) -> None:
    config = sequential([3, 1], entry("Masking", name="k"), entry("GlobalAveragePooling1D", name="g"))
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, {}))
    x = np.array([[[1], [0], [3]]], np.float32)
    for again in (model, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        again.add(tf.layers.dense(units=1, kernel_initializer="ones"))
        np.testing.assert_array_equal(again.predict(x).numpy(), [[2]])
        np.testing.assert_array_equal(again.execute(x, again.layers[-2].output.name).numpy(), [[2]])
        again.pop()
        again.save(tmp_path / "again.keras", strict=True)
        np.testing.assert_array_equal(predicted(tmp_path / "again.keras", x), [[2]])


def test_mask_argument_other_than_the_input_mask_raises(tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", embedded(mask_zero=False), SUMMED)
    with pytest.raises(tf.io.ModelFileError, match="layer r: argument 'mask' of a call must be the mask of its inputs"):
        tf.load_layers_model(path)


# Propagation of masks


def summing(name: str) -> dict[str, Any]:
    """A layer that sums the steps that are not masked if its weights are 1."""
    return entry("SimpleRNN", name=name, units=1, activation="linear", use_bias=False)


ONES = {f"layers/{name}/cell/vars/{i}": [[1.0]] for name in ("simple_rnn", "simple_rnn_1") for i in (0, 1)}


EMBEDDING = {"layers/embedding/vars/0": [[100.0], [1.0], [5.0]]}


def test_masks_stop_at_layers_without_mask_support_as_in_keras(tmp_path: Path) -> None:
    """In TF.js the mask of the first layer reaches the last layer."""
    embedding = entry("Embedding", name="e", input_dim=3, output_dim=1, mask_zero=True)
    layers = [embedding, summing("a"), entry("RepeatVector", name="n", n=2), summing("b")]
    path = keras_file(tmp_path / "m.keras", sequential([2], *layers), {**ONES, **EMBEDDING})
    assert predicted(path, [[1, 0]]) == 2
    theirs = tf.load_layers_model(path)
    ours = tf.models.model_from_json(theirs.to_json(return_string=False))
    ours.set_weights(theirs.get_weights())
    for suffix in (".keras", ".h5"):
        theirs.save(tmp_path / f"theirs{suffix}", strict=True)
        with pytest.warns(UserWarning, match="layer 'b': masks hide other steps from it in Keras"):
            ours.save(tmp_path / f"ours{suffix}")
        assert predicted(tmp_path / f"theirs{suffix}", [[1, 0]]) == 2
        assert predicted(tmp_path / f"ours{suffix}", [[1, 0]]) == 1


@pytest.mark.parametrize(("kind", "expected"), [("Add", 205), ("Concatenate", 105)])
def test_merged_masks_match_keras_3(kind: str, expected: float, tmp_path: Path) -> None:
    """A step is kept if any input keeps it; in TF.js if all inputs keep it."""
    config = functional(
        "r",
        called(entry("Embedding", name="e", input_dim=3, output_dim=1, mask_zero=True), tensor("x")),
        called(entry("Masking", name="k", mask_value=5.0), tensor("e")),
        called(entry(kind, name="m"), [tensor("e"), tensor("k")]),
        called(summing("r"), tensor("m")),
        shape=[2],
    )
    weights = {**ONES, **EMBEDDING}
    del weights["layers/simple_rnn_1/cell/vars/0"], weights["layers/simple_rnn_1/cell/vars/1"]
    if kind == "Concatenate":
        weights["layers/simple_rnn/cell/vars/0"] = [[1.0], [0.0]]
    assert predicted(keras_file(tmp_path / "m.keras", config, weights), [[0, 2]]) == expected


@pytest.mark.parametrize(
    ("kind", "hidden", "expected"),
    [("Multiply", 5, [0, 4, 5]), ("Maximum", -5, [-5, -2, -5]), ("Minimum", 5, [5, -2, 5]), ("Add", 5, [5, -4, 5])],
)
def test_merged_values_of_masked_steps_match_keras_3(
    kind: str, hidden: float, expected: list[float], tmp_path: Path
) -> None:
    """Both inputs are masked at the first step; the second one, which is 0 there, also at the last step."""
    config = functional(
        "m",
        called(entry("Embedding", name="e", input_dim=3, output_dim=1, mask_zero=True), tensor("x")),
        called(entry("Masking", name="k", mask_value=float(hidden)), tensor("e")),
        called(entry(kind, name="m"), [tensor("e"), tensor("k")]),
        shape=[3],
    )
    path = keras_file(tmp_path / "m.keras", config, {"layers/embedding/vars/0": [[hidden], [-2.0], [hidden]]})
    np.testing.assert_array_equal(predicted(path, [[0, 1, 2]])[0, :, 0], expected)


@pytest.mark.parametrize("version", ["3.15.0", "2.15.0"])
def test_masked_steps_are_excluded_from_loss_and_metrics(version: str, tmp_path: Path) -> None:
    """The expected values are those of Keras 3.15, and of Keras 2 for its version of the file."""
    embedding = entry("Embedding", name="e", input_dim=4, output_dim=1, mask_zero=True)
    config = sequential([3], embedding)
    optimizer = entry("SGD", module="keras.optimizers", learning_rate=0.01, momentum=0.0)
    config["compile_config"] = {"optimizer": optimizer, "loss": "mse", "metrics": ["mae"]}
    weights = {"layers/embedding/vars/0": [[0.0], [1.0], [2.0], [4.0]]}
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, weights, version))
    x, y = np.array([[1, 0, 0], [1, 2, 3], [0, 0, 0], [1, 2, 0]], np.float32), np.zeros((4, 3, 1), np.float32)

    def evaluate(**options: Any) -> list[float]:
        return [float(t) for t in model.evaluate(x, y, **options)]

    np.testing.assert_allclose(evaluate(), [4.5, 11 / 6], rtol=ROUNDING)
    np.testing.assert_allclose(evaluate(batch_size=2)[0], 4, rtol=ROUNDING)
    np.testing.assert_allclose(evaluate(sample_weight=np.arange(1.0, 5)), [10.5, 11 / 6], rtol=ROUNDING)
    np.testing.assert_array_equal([float(t) for t in model.evaluate(x[2:3], y[2:3])], [0, 0])  # all steps are masked
    model.fit(x, y, batch_size=4, epochs=1, verbose=0)
    np.testing.assert_allclose(model.get_weights()[0].numpy()[:, 0], [0, 0.99, 1.9866667, 3.9866667], rtol=ROUNDING)


def masking_embedding() -> Any:
    """An embedding with a mask."""
    return tf.layers.embedding(input_dim=5, output_dim=2, mask_zero=True, input_length=4)


def stack(*layers: Any) -> Any:
    return tf.sequential(layers=[masking_embedding(), *layers])


def merged(merge: Any, *layers: Any) -> Any:
    """A model that merges two masked inputs, followed by layers."""
    inputs = [tf.input(shape=[4]), tf.input(shape=[4])]
    x = merge.apply([masking_embedding().apply(given) for given in inputs])
    for layer in layers:
        x = layer.apply(x)
    return tf.model(inputs=inputs, outputs=x)


def with_states() -> Any:
    given = tf.input(shape=[4])
    x, state = tf.layers.simple_rnn(units=2, return_sequences=True, return_state=True).apply(
        masking_embedding().apply(given)
    )
    return tf.model(inputs=given, outputs=rnn("last").apply(x, initial_state=[state]))


def residual() -> Any:
    given = tf.input(shape=[4])
    x = masking_embedding().apply(given)
    return tf.model(inputs=given, outputs=rnn("last").apply(tf.layers.add().apply([x, tf.layers.elu().apply(x)])))


def rnn(name: str) -> Any:
    return tf.layers.simple_rnn(units=2, name=name)


LAST = "layer 'last': masks hide other steps from it in Keras"


@pytest.mark.parametrize(
    ("model", "differs_in_keras3", "differs_in_keras2"),
    [
        (lambda: stack(tf.layers.conv1d(filters=2, kernel_size=1), rnn("last")), True, True),
        (lambda: stack(tf.layers.rescaling(scale=2), rnn("last")), False, True),
        (lambda: stack(tf.layers.global_average_pooling1d(name="last")), True, True),
        (lambda: stack(rnn("first"), tf.layers.repeat_vector(n=4), rnn("last")), True, True),
        (lambda: merged(tf.layers.add(), rnn("last")), True, False),
        (lambda: merged(tf.layers.concatenate(), rnn("last")), True, False),
        (lambda: merged(tf.layers.multiply(name="last")), True, False),
        (lambda: merged(tf.layers.dot(axes=2), rnn("last")), True, True),
        (with_states, True, False),
        (lambda: stack(tf.layers.global_max_pooling1d()), False, False),
        (lambda: stack(tf.layers.leaky_relu(), tf.layers.dense(units=2), rnn("last")), False, False),
        (lambda: stack(tf.layers.flatten(), tf.layers.dense(units=3), tf.layers.softmax()), False, False),
        (lambda: stack(tf.sequential([tf.layers.elu(input_shape=[4, 2])]), rnn("last")), False, False),
        (lambda: merged(tf.layers.add()), False, False),
        (lambda: merged(tf.layers.concatenate(axis=1), rnn("last")), False, False),
        (lambda: merged(tf.layers.attention(), rnn("last")), False, False),
        (residual, False, False),
    ],
)
def test_saving_warns_if_masks_differ_in_keras(
    model: Any, differs_in_keras3: bool, differs_in_keras2: bool, tmp_path: Path
) -> None:
    """Keras 3.15 and Keras 2 predict differently for exactly those of these models for which saving warns."""

    built = model()

    def versions_warned_about(name: str) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            built.save(tmp_path / name)
        (text,) = [str(w.message) for w in caught] or [""]
        return [version for version in "23" if re.search(rf"{LAST}( 2 and)? {version}", text)]

    assert versions_warned_about("m.keras") == ["3"] * differs_in_keras3
    assert versions_warned_about("m.h5") == ["2"] * differs_in_keras2 + ["3"] * differs_in_keras3


@pytest.mark.parametrize("name", ["m.keras", "m.h5", "web"])
def test_unused_input_is_saved(name: str, tmp_path: Path) -> None:
    used, unused = tf.input(shape=[1], name="used"), tf.input(shape=[1], name="unused")
    output = tf.layers.dense(units=1, kernel_initializer="ones").apply(used)
    tf.model(inputs=[unused, used], outputs=output).save(tmp_path / name, strict=True)
    model = tf.load_layers_model(tmp_path / name)
    assert model.input_names == ["unused", "used"]
    assert model.predict([tf.tensor([[5.0]]), tf.tensor([[2.0]])]).numpy() == 2
