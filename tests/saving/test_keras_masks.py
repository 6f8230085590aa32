"""Masks in files of Keras: how they are noted, and which ways they go there."""

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


def test_masks_that_keras_notes_as_ops(tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", embedded(mask_zero=True), SUMMED)
    np.testing.assert_array_equal(predicted(path, [[1, 2, 0], [0, 1, 1]]), [[11], [2]])
    tf.load_layers_model(path).save(tmp_path / "web", strict=True)  # of layers that TF.js has


def test_masks_of_masking_layers_that_keras_notes_as_ops(tmp_path: Path) -> None:
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


def test_a_model_of_keras_keeps_to_its_rules_when_it_is_changed_or_copied(tmp_path: Path) -> None:
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


def test_a_mask_that_is_not_that_of_the_inputs_is_refused(tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", embedded(mask_zero=False), SUMMED)
    with pytest.raises(tf.io.ModelFileError, match="layer r: argument 'mask' of a call must be the mask of its inputs"):
        tf.load_layers_model(path)


# Ways that masks go


def summing(name: str) -> dict[str, Any]:
    """A layer that adds up the steps that are not masked, with weights of 1."""
    return entry("SimpleRNN", name=name, units=1, activation="linear", use_bias=False)


ONES = {f"layers/{name}/cell/vars/{i}": [[1.0]] for name in ("simple_rnn", "simple_rnn_1") for i in (0, 1)}


EMBEDDING = {"layers/embedding/vars/0": [[100.0], [1.0], [5.0]]}


def test_masks_end_where_keras_lets_them_end(tmp_path: Path) -> None:
    """In TF.js the mask of the first layer reaches the last one, whose inputs have none."""
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
def test_masks_are_merged_as_in_keras_3(kind: str, expected: float, tmp_path: Path) -> None:
    """A step is there if one of the inputs has it; in TF.js if all have it."""
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
def test_what_is_masked_is_merged_as_in_keras_3(
    kind: str, hidden: float, expected: list[float], tmp_path: Path
) -> None:
    """Of the first step both inputs are masked, of the last the second one, which is 0 there."""
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
def test_masked_steps_count_in_neither_loss_nor_metrics_as_in_keras(version: str, tmp_path: Path) -> None:
    """The numbers are those of Keras 3.15, and of Keras 2 for what it reads."""
    embedding = entry("Embedding", name="e", input_dim=4, output_dim=1, mask_zero=True)
    config = sequential([3], embedding)
    optimizer = entry("SGD", module="keras.optimizers", learning_rate=0.01, momentum=0.0)
    config["compile_config"] = {"optimizer": optimizer, "loss": "mse", "metrics": ["mae"]}
    weights = {"layers/embedding/vars/0": [[0.0], [1.0], [2.0], [4.0]]}
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, weights, version))
    x, y = np.array([[1, 0, 0], [1, 2, 3], [0, 0, 0], [1, 2, 0]], np.float32), np.zeros((4, 3, 1), np.float32)

    def judged(**options: Any) -> list[float]:
        return [float(t) for t in model.evaluate(x, y, **options)]

    np.testing.assert_allclose(judged(), [4.5, 11 / 6], rtol=ROUNDING)
    np.testing.assert_allclose(judged(batch_size=2)[0], 4, rtol=ROUNDING)
    np.testing.assert_allclose(judged(sample_weight=np.arange(1.0, 5)), [10.5, 11 / 6], rtol=ROUNDING)
    np.testing.assert_array_equal([float(t) for t in model.evaluate(x[2:3], y[2:3])], [0, 0])  # nothing is to be seen
    model.fit(x, y, batch_size=4, epochs=1, verbose=0)
    np.testing.assert_allclose(model.get_weights()[0].numpy()[:, 0], [0, 0.99, 1.9866667, 3.9866667], rtol=ROUNDING)


def hiding() -> Any:
    """An embedding that makes masks."""
    return tf.layers.embedding(input_dim=5, output_dim=2, mask_zero=True, input_length=4)


def in_a_row(*layers: Any) -> Any:
    return tf.sequential(layers=[hiding(), *layers])


def side_by_side(merge: Any, *layers: Any) -> Any:
    """Two masked inputs as one, and layers behind."""
    inputs = [tf.input(shape=[4]), tf.input(shape=[4])]
    x = merge.apply([hiding().apply(given) for given in inputs])
    for layer in layers:
        x = layer.apply(x)
    return tf.model(inputs=inputs, outputs=x)


def with_states() -> Any:
    given = tf.input(shape=[4])
    x, state = tf.layers.simple_rnn(units=2, return_sequences=True, return_state=True).apply(hiding().apply(given))
    return tf.model(inputs=given, outputs=rnn("last").apply(x, initial_state=[state]))


def residual() -> Any:
    given = tf.input(shape=[4])
    x = hiding().apply(given)
    return tf.model(inputs=given, outputs=rnn("last").apply(tf.layers.add().apply([x, tf.layers.elu().apply(x)])))


def rnn(name: str) -> Any:
    return tf.layers.simple_rnn(units=2, name=name)


LAST = "layer 'last': masks hide other steps from it in Keras"


@pytest.mark.parametrize(
    ("model", "of_keras3", "of_keras2"),
    [
        (lambda: in_a_row(tf.layers.conv1d(filters=2, kernel_size=1), rnn("last")), True, True),
        (lambda: in_a_row(tf.layers.rescaling(scale=2), rnn("last")), False, True),
        (lambda: in_a_row(tf.layers.global_average_pooling1d(name="last")), True, True),
        (lambda: in_a_row(rnn("first"), tf.layers.repeat_vector(n=4), rnn("last")), True, True),
        (lambda: side_by_side(tf.layers.add(), rnn("last")), True, False),
        (lambda: side_by_side(tf.layers.concatenate(), rnn("last")), True, False),
        (lambda: side_by_side(tf.layers.multiply(name="last")), True, False),
        (lambda: side_by_side(tf.layers.dot(axes=2), rnn("last")), True, True),
        (with_states, True, False),
        (lambda: in_a_row(tf.layers.global_max_pooling1d()), False, False),
        (lambda: in_a_row(tf.layers.leaky_relu(), tf.layers.dense(units=2), rnn("last")), False, False),
        (lambda: in_a_row(tf.layers.flatten(), tf.layers.dense(units=3), tf.layers.softmax()), False, False),
        (lambda: in_a_row(tf.sequential([tf.layers.elu(input_shape=[4, 2])]), rnn("last")), False, False),
        (lambda: side_by_side(tf.layers.add()), False, False),
        (lambda: side_by_side(tf.layers.concatenate(axis=1), rnn("last")), False, False),
        (lambda: side_by_side(tf.layers.attention(), rnn("last")), False, False),
        (residual, False, False),
    ],
)
def test_saving_warns_where_masks_hide_something_else_in_keras(
    model: Any, of_keras3: bool, of_keras2: bool, tmp_path: Path
) -> None:
    """For these models Keras 3.15 and Keras 2 predict something else exactly where a warning says so."""

    def told(name: str) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made.save(tmp_path / name)
        (text,) = [str(w.message) for w in caught] or [""]
        return [f"{version}" for version in (2, 3) if re.search(rf"{LAST}( 2 and)? {version}", text)]

    made = model()
    assert told("m.keras") == ["3"] * of_keras3
    assert told("m.h5") == ["2"] * of_keras2 + ["3"] * of_keras3


@pytest.mark.parametrize("name", ["m.keras", "m.h5", "web"])
def test_an_input_that_no_output_depends_on_is_saved(name: str, tmp_path: Path) -> None:
    used, idle = tf.input(shape=[1], name="used"), tf.input(shape=[1], name="idle")
    output = tf.layers.dense(units=1, kernel_initializer="ones").apply(used)
    tf.model(inputs=[idle, used], outputs=output).save(tmp_path / name, strict=True)
    model = tf.load_layers_model(tmp_path / name)
    assert model.input_names == ["idle", "used"]
    assert model.predict([tf.tensor([[5.0]]), tf.tensor([[2.0]])]).numpy() == 2
