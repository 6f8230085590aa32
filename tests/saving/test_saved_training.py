"""Saving the compile options of models (optimizers, losses, metrics) and user-defined metadata."""

from __future__ import annotations

import functools
import json
import warnings
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saving.layer_models import random

import tfpy as tf


@pytest.mark.parametrize(
    "optimizer", ["sgd", "adam", "rmsprop", "adagrad", "adadelta", "adamax", tf.train.momentum(0.1, 0.9)]
)
def test_training_resumes_with_the_optimizer_state(optimizer: Any, tmp_path: Path) -> None:
    x, y = random.normal(size=(8, 3)).astype(np.float32), random.normal(size=(8, 2)).astype(np.float32)
    model = tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[3], activation="tanh")])
    model.compile(optimizer=optimizer, loss="meanSquaredError", metrics=["mse", "acc"])
    for _ in range(3):
        model.train_on_batch(x, y)
    model.save(tmp_path, include_optimizer=True, strict=False)
    again = tf.load_layers_model(tmp_path)
    assert again.metrics_names == model.metrics_names
    assert again.optimizer.iterations == 3
    for _ in range(3):
        model.train_on_batch(x, y)
        again.train_on_batch(x, y)
    for a, b in zip(model.weights, again.weights, strict=True):
        np.testing.assert_array_equal(a.numpy(), b.numpy())


@pytest.mark.parametrize("place", ["web", "m.keras", "m.h5"])
@pytest.mark.parametrize(
    "losses",
    [
        {"b": "meanAbsoluteError", "a": "meanSquaredError"},
        {"b": "meanAbsoluteError", "a": None},
        [None, "meanAbsoluteError"],
    ],
)
@pytest.mark.filterwarnings("ignore:compile. output 'a' has no loss")
def test_losses_and_metrics_per_output_round_trip(losses: Any, place: str, tmp_path: Path) -> None:
    x = tf.input(shape=[2])
    outputs = [tf.layers.dense(units=1, name=name).apply(x) for name in ("a", "b")]
    model = tf.model(inputs=x, outputs=outputs)
    model.compile(optimizer="sgd", loss=losses, metrics={"b": ["mse", "mae"]})
    model.save(tmp_path / place, include_optimizer=True, strict=False)
    again = tf.load_layers_model(tmp_path / place)
    xs, ys = np.ones((3, 2)), [np.ones((3, 1)), np.full((3, 1), 2)]
    assert again.metrics_names == model.metrics_names
    found, expected = ([t.array_sync() for t in m.evaluate(xs, ys)] for m in (again, model))
    assert found == expected


@pytest.mark.parametrize("place", ["web", "m.keras", "m.h5"])
@pytest.mark.parametrize("losses", ["meanSquaredError", {"b": "meanAbsoluteError", "a": "meanSquaredError"}])
def test_loss_weights_round_trip(losses: Any, place: str, tmp_path: Path) -> None:
    x = tf.input(shape=[2])
    outputs = [tf.layers.dense(units=1, name=name).apply(x) for name in ("a", "b")]
    model = tf.model(inputs=x, outputs=outputs)
    model.compile(optimizer="sgd", loss=losses, output_weights={"b": 0.25})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.save(tmp_path / place, include_optimizer=True)
    assert ["TF.js does not read loss weights" in str(w.message) for w in caught] == [True] * (place == "web")
    again = tf.load_layers_model(tmp_path / place)
    assert again.output_weights == [1, 0.25]
    xs, ys = np.ones((3, 2)), [np.ones((3, 1)), np.full((3, 1), 2)]
    found, expected = ([t.array_sync() for t in m.evaluate(xs, ys)] for m in (again, model))
    assert found == expected


def test_optimizer_is_saved_only_on_request(tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])])
    model.compile(optimizer="adam", loss="meanSquaredError")
    model.save(tmp_path)
    assert tf.load_layers_model(tmp_path).optimizer is None
    wrapped = functools.wraps(tf.metrics.mean_squared_error)(lambda t, p: t.sub(p).square().mean())
    for loss in (lambda t, p: t.sub(p).square().mean(), wrapped):
        model.compile(optimizer="adam", loss=loss)
        with pytest.raises(ValueError, match="user-defined function"):
            model.save(tmp_path, include_optimizer=True)


@pytest.mark.parametrize(
    ("config", "kind", "options"),
    [
        (
            {"class_name": "Adam", "config": {"learningRate": 0.1, "beta1": 0.5}},
            "Adam",
            {"learning_rate": 0.1, "beta1": 0.5},
        ),
        (
            {"class_name": "Adam", "config": {"lr": 0.1, "beta_2": 0.9, "amsgrad": False, "name": "Adam"}},
            "Adam",
            {"beta2": 0.9},
        ),
        (
            {"class_name": "RMSprop", "config": {"learning_rate": 0.1, "rho": 0.7, "decay": 0.0}},
            "RMSProp",
            {"decay": 0.7},
        ),
        (
            {"class_name": "SGD", "config": {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}},
            "Momentum",
            {"use_nesterov": True},
        ),
    ],
)
def test_optimizer_configs_of_tfjs_and_keras(config: Any, kind: str, options: dict[str, Any]) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])])
    training = {"loss": "mean_squared_error", "metrics": [["acc"]], "optimizer_config": config}
    again = tf.load_layers_model({"modelTopology": model.to_json(return_string=False), "trainingConfig": training})
    assert again.optimizer.get_class_name() == kind
    assert options.items() <= again.optimizer.get_config().items()
    assert again.metrics_names == ["loss", "acc"]
    assert again.loss == "meanSquaredError", "in TF.js's spelling, as if given to compile"


@pytest.mark.parametrize(
    "training",
    [
        {"loss": "mean_squared_error", "optimizer_config": {"class_name": "Lion", "config": {}}},
        {"loss": "ctc", "optimizer_config": {"class_name": "SGD", "config": {"learning_rate": 0.1}}},
        {"loss": "mean_squared_error", "optimizer_config": {"class_name": "Adam", "config": {"amsgrad": True}}},
        {
            "loss": {"class_name": "Hinge", "config": {"from_logits": True}},
            "optimizer_config": {"class_name": "SGD", "config": {"learning_rate": 0.1}},
        },
    ],
)
def test_unsupported_training_config_does_not_compile(training: Any) -> None:
    topology = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])]).to_json(return_string=False)
    with pytest.warns(UserWarning, match="loaded, but not compiled"):
        model = tf.load_layers_model({"modelTopology": topology, "trainingConfig": training})
    supported = training["optimizer_config"]["class_name"] == "SGD"
    assert (model.optimizer is not None) is supported
    with pytest.raises(RuntimeError, match="compile the model first"):
        model.evaluate(tf.ones([1, 1]), tf.ones([1, 1]))


@pytest.mark.parametrize(
    ("given", "written", "names"),
    [
        (["binaryAccuracy", "mae"], ["binary_accuracy", "mae"], ["loss", "binaryAccuracy", "mae"]),
        (["binary_accuracy"], ["binary_accuracy"], ["loss", "binaryAccuracy"]),
        ("mae", ["mae"], ["loss", "mae"]),
        (tf.metrics.mean_absolute_error, ["mae"], ["loss", "mae"]),
    ],
)
def test_metric_names_match_tfjs(given: Any, written: list[str], names: list[str]) -> None:
    """Files have a list of names in snake case; logs have names in camel case."""
    model = tf.sequential(layers=[tf.layers.dense(units=2, activation="softmax", input_shape=[2])])
    model.compile(optimizer="adam", loss="binaryCrossentropy", metrics=given)
    kept: list[Any] = []
    model.save(tf.io.with_save_handler(kept.append), include_optimizer=True)
    assert kept[0]["trainingConfig"]["metrics"] == written
    assert tf.load_layers_model(tf.io.from_memory(kept[0])).metrics_names == names


@pytest.mark.parametrize("loss", [tf.losses.huber_loss, tf.losses.absolute_difference])
def test_saving_a_loss_without_a_name_raises(loss: Any) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[2])])
    model.compile(optimizer="adam", loss=loss)
    with pytest.raises(ValueError, match=f"the loss <function {loss.__name__} .* has no name to compile with"):
        model.save(tf.io.with_save_handler(lambda _: None), include_optimizer=True)


def test_loss_and_metric_objects_of_keras() -> None:
    topology = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])]).to_json(return_string=False)
    training = {
        "loss": {"class_name": "MeanAbsoluteError", "config": {"reduction": "auto", "name": "mean_absolute_error"}},
        "metrics": [[{"class_name": "MeanMetricWrapper", "config": {"name": "accuracy", "fn": "binary_accuracy"}}]],
        "optimizer_config": {"class_name": "SGD", "config": {"learning_rate": 0.1}},
    }
    model = tf.load_layers_model({"modelTopology": topology, "trainingConfig": training})
    assert model.metrics_names == ["loss", "binaryAccuracy"]


def test_user_defined_metadata(tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])])
    assert model.get_user_defined_metadata() is None
    arrays = {"mean": np.array([0.5, 2]), "best": array("f", [1])}
    model.set_user_defined_metadata({"labels": ["cat", "dog"], "size": np.int64(3), **arrays})
    model.save(tmp_path)
    entries = ["modelTopology", "format", "generatedBy", "convertedBy"]
    assert list(json.loads((tmp_path / "model.json").read_text())) == [
        *entries,
        "userDefinedMetadata",
        "weightsManifest",
    ]
    assert tf.load_layers_model(tmp_path).getUserDefinedMetadata() == {
        "labels": ["cat", "dog"],
        "size": 3,
        "mean": [0.5, 2],
        "best": [1],
    }
    with pytest.raises(TypeError, match="user_defined_metadata"):
        model.set_user_defined_metadata("text")
    with pytest.raises(ValueError, match="JSON"):
        model.set_user_defined_metadata({"f": print})
    with pytest.warns(UserWarning, match="more than"):
        model.set_user_defined_metadata({"x": "y" * 2**20})
