"""Saving and loading models of layers: what comes back, what is refused, and what older files mean."""

from __future__ import annotations

import functools
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.core.io.artifacts import as_artifacts
from tfpy.core.variable import registered_variables
from tfpy.engine.handle import accounting
from tfpy.layers.saving.tfjs_compatibility import browser_faults

HERE = Path(__file__).parent
random = np.random.default_rng(0)


def filled(model: Any) -> Any:
    model.set_weights([random.normal(size=w.shape).astype(np.float32) for w in model.weights])
    return model


def nested() -> Any:
    inner = tf.sequential(layers=[tf.layers.dense(units=3, input_shape=[3], activation="hardSigmoid")], name="inner")
    shared = tf.layers.dense(units=3, name="shared", kernel_regularizer=tf.regularizers.l2({"l2": 0.5}))
    x = tf.input(shape=[3], name="x")
    y = shared(inner(shared(x)))
    return tf.model(inputs=x, outputs=[inner(y), y], name="outer")


def recurrent() -> Any:
    layers = [
        tf.layers.lstm(units=3, input_shape=[4, 2], return_sequences=True, recurrent_initializer="glorotUniform"),
        tf.layers.rnn(cell=[tf.layers.gru_cell(units=2), tf.layers.simple_rnn_cell(units=3)]),
        tf.layers.dense(units=1),
    ]
    return tf.sequential(layers=layers, name="recurrent")


def with_states() -> Any:
    x, h = tf.input(shape=[4, 2], name="x"), tf.input(shape=[3], name="h")
    y, state = tf.layers.simple_rnn(units=3, return_state=True, name="rnn")(x, initial_state=[h])
    return tf.model(inputs=[x, h], outputs=[y, state], name="states")


def predict(model: Any, seed: int = 1) -> list[Any]:
    rng = np.random.default_rng(seed)
    xs = [rng.normal(size=(2, *t.shape[1:])).astype(np.float32) for t in model.inputs]
    found = model.predict(xs if len(xs) > 1 else xs[0])
    return [t.numpy() for t in (found if isinstance(found, list) else [found])]


@pytest.mark.parametrize("build", [nested, recurrent, with_states])
def test_a_model_comes_back(build: Any, tmp_path: Path) -> None:
    model = filled(build())
    model.save(tmp_path)
    again = tf.load_layers_model(tmp_path)
    assert type(again) is type(model)
    assert again.get_config() == model.get_config()
    assert [w.original_name for w in again.weights] == [w.original_name for w in model.weights]
    for a, b in zip(predict(model), predict(again), strict=True):
        np.testing.assert_array_equal(a, b)
    third = type(model).from_config(model.get_config())
    assert third.get_config() == model.get_config()


@pytest.mark.parametrize("build", [nested, recurrent, with_states])
def test_topologies_alone(build: Any) -> None:
    model = build()
    text = model.to_json()
    assert set(json.loads(text)) == {"class_name", "config", "keras_version", "backend"}
    assert json.loads(text) == model.toJSON(None, False)
    for again in (tf.models.model_from_json(text), tf.model_from_json(json.loads(text))):
        assert again.get_config() == model.get_config()
        assert not any(np.isnan(y).any() for y in predict(again))
    assert tf.models.modelFromJSON({"modelTopology": json.loads(text)}).name == model.name


def test_words_are_saved_as_keras_spells_them() -> None:
    layer = tf.layers.dense(units=1, input_shape=[2], activation="hardSigmoid", kernel_initializer="heNormal")
    config = tf.sequential(layers=[layer]).to_json(return_string=False)["config"]["layers"][0]["config"]
    assert config["activation"] == "hard_sigmoid"
    assert config["kernel_initializer"]["config"]["mode"] == "fan_in"
    assert layer.get_config()["activation"] == "hardSigmoid", "in memory it is TF.js's"
    silu = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2], activation="silu")])
    assert '"activation":"swish"' in silu.to_json(), "TF.js knows silu as swish"


class Amplified(tf.layers.Layer):
    """A layer of one's own with an option that is no word of TF.js."""

    class_name = "Amplified"

    def __init__(self, config: Any = None, **options: Any) -> None:
        super().__init__(config, **options)
        given = {**(config or {}), **options}
        self.factor, self.note = given.get("factor", 2), given.get("note", "")

    def call(self, inputs: Any) -> Any:
        return inputs.mul(self.factor)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "factor": self.factor, "note": self.note}


def test_options_that_are_not_given_and_not_of_tfjs_are_not_written() -> None:
    layers = [tf.layers.lstm(units=3, input_shape=[4, 2]), tf.layers.dense(units=1)]
    written = tf.sequential(layers=layers).to_json(return_string=False)
    for layer in written["config"]["layers"]:
        assert not {"dropout_func", "input_dim", "input_length"} & set(layer["config"])
    embedding = tf.sequential(layers=[tf.layers.embedding(input_dim=5, output_dim=2, input_length=4)])
    config = embedding.to_json(return_string=False)["config"]["layers"][0]["config"]
    assert (config["input_dim"], config["input_length"]) == (5, 4)


@pytest.mark.parametrize(
    "function",
    [
        {"class_name": "__lambda__", "config": {"code": "4wEAAAA=", "defaults": None, "closure": None}},  # Keras 3
        ["4wEAAAA=", None, None],  # Keras 2
    ],
)
@pytest.mark.filterwarnings("error")
def test_a_function_that_a_file_has_as_code_is_not_run(function: Any) -> None:
    config = {"name": "mean", "function": function, "output_shape": ["4wEAAAA="], "output_shape_type": "lambda"}
    layers = [{"class_name": "Lambda", "config": {**config, "batch_input_shape": [None, 2]}}]
    topology = {"class_name": "Sequential", "config": {"name": "s", "layers": layers}}
    with pytest.raises(ValueError, match=r"as code of Python, and no code of a file is run.*custom_objects=\{'mean'"):
        tf.model_from_json(topology)
    model = tf.model_from_json(topology, custom_objects={"mean": lambda x: x.mean(1, True)})
    assert model.predict(tf.tensor([[1.0, 2], [3, 5]])).array_sync() == [[1.5], [4]]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_activations_of_ones_own(tmp_path: Path) -> None:
    def steep(x: tf.Tensor) -> tf.Tensor:
        return x.mul(3).tanh()

    layers = [
        tf.layers.dense(units=2, activation=steep, input_shape=[3, 2]),
        tf.layers.gru(units=2, recurrent_activation=steep),
        tf.layers.activation(activation=steep),
    ]
    model = tf.sequential(layers=layers)
    x = tf.random_normal([2, 3, 2])
    for name in ("folder", "model.keras", "model.h5"):
        model.save(tmp_path / name)
        with pytest.raises(ValueError, match="Unknown activation 'steep'"):
            tf.load_layers_model(tmp_path / name)
        again = tf.load_layers_model(tmp_path / name, custom_objects={"steep": steep})
        assert again.layers[-2].recurrent_activation.name == "steep"
        np.testing.assert_array_equal(again.predict(x).numpy(), model.predict(x).numpy())


@pytest.mark.parametrize(
    ("activation", "expected"),
    [
        ("ReLU", [0, 3]),  # all as TF.js gives them
        ({"className": "ReLU", "config": {"maxValue": 2}}, [0, 2]),
        ({"class_name": "LeakyReLU", "config": {"name": "leaky", "alpha": 0.1}}, [-0.3, 3]),
        ({"class_name": "ThresholdedReLU", "config": {"theta": 4}}, [0, 0]),
        ({"class_name": "Softmax", "config": {}}, [0.0024726, 0.9975274]),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:.*Keras has no class ThresholdedReLU")
def test_layers_as_activations(activation: Any, expected: list[float], tmp_path: Path) -> None:
    weights = [tf.tensor([[1.0, -1]]), tf.zeros([2])]
    model = tf.sequential()
    model.add(tf.layers.dense(units=2, activation=activation, input_shape=[1], weights=weights))
    for name in ("folder", "model.keras", "model.h5"):
        np.testing.assert_allclose(model.predict(tf.tensor([[-3.0]])).numpy()[0], expected, rtol=1e-4)
        model.save(tmp_path / name)
        model = tf.load_layers_model(tmp_path / name)
    given = tf.layers.dense(units=2, activation=tf.layers.leaky_relu(alpha=0.5), weights=weights)
    assert given.apply(tf.tensor([[-4.0]])).array_sync() == [[-2, 4]]


def test_layers_of_ones_own(tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[2]), Amplified(factor=3, note="myNote")])
    with pytest.warns(UserWarning, match="TF.js has no class Amplified") as warned:
        model.save(tmp_path)
    assert {warning.filename for warning in warned} == {__file__}
    with pytest.raises(
        ValueError,
        match=r"layers\[1\].*Unknown layer 'Amplified'.*custom_objects={'Amplified': …}.*tf.serialization.register_class",
    ):
        tf.load_layers_model(tmp_path)
    again = tf.load_layers_model(tmp_path, custom_objects={"Amplified": Amplified})
    assert (again.layers[1].factor, again.layers[1].note) == (3, "myNote")
    np.testing.assert_array_equal(predict(model)[0], predict(again)[0])


# Weights


def test_weights_by_name(tmp_path: Path) -> None:
    model = filled(nested())
    named = model.get_named_weights()
    assert [w["name"].split("/")[1] for w in named] == ["kernel", "bias"] * 2
    other = nested()
    renamed = {a["name"]: b["tensor"] for a, b in zip(other.get_named_weights(), named, strict=True)}
    other.load_weights(renamed)
    np.testing.assert_array_equal(predict(model)[0], predict(other)[0])
    model.save(tmp_path)
    third = tf.load_layers_model(tmp_path)
    third.set_weights([w.zeros_like() for w in third.weights])
    third.loadWeights(tmp_path)
    np.testing.assert_array_equal(predict(model)[0], predict(third)[0])


def test_layers_can_be_added_to_a_model_from_a_file() -> None:
    dense = {"class_name": "Dense", "config": {"units": 2, "name": "dense_Dense4000", "batch_input_shape": [None, 3]}}
    model = tf.models.model_from_json({"class_name": "Sequential", "config": {"name": "s", "layers": [dense]}})
    model.add(tf.layers.dense(units=1))
    assert [layer.name for layer in model.layers] == ["dense_Dense4000", "dense_Dense4001"]
    assert model.predict(tf.ones([1, 3])).shape == (1, 1)


@pytest.mark.parametrize("strict", [True, False])
def test_weights_into_the_same_model_made_again(strict: bool) -> None:
    first, again = (tf.sequential([tf.layers.dense(units=2, input_shape=[3]), tf.layers.dense(units=1)]) for _ in "ab")
    again.load_weights(first.get_named_weights(), strict=strict)
    assert all((a.numpy() == b.numpy()).all() for a, b in zip(first.weights, again.weights, strict=True))


def test_weights_that_do_not_fit_change_nothing() -> None:
    model = filled(tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[3], name="d")]))
    before = [w.numpy().copy() for w in model.weights]
    good = {"d/kernel": np.zeros((3, 2), np.float32), "d/bias": np.zeros(2, np.float32)}
    for change, message in [
        ({"d/kernel": np.zeros((2, 2), np.float32)}, r"'d/kernel' is float32 of shape \[2, 2\]"),
        ({"d/bias": np.zeros(2, np.int32)}, "'d/bias' is int32"),
        ({"x/kernel": np.zeros(1, np.float32)}, "it has weights that the model has not: 'x/kernel'"),
        ({"m/d/bias": np.zeros(2, np.float32)}, "are both 'd/bias' of the model"),
    ]:
        with pytest.raises(tf.io.ModelFileError, match=message):
            model.load_weights({**good, **change})
    with pytest.raises(ValueError, match="it lacks weights that the model has: 'd/bias'"):
        model.load_weights({"d/kernel": good["d/kernel"]})
    assert all((w.numpy() == b).all() for w, b in zip(model.weights, before, strict=True))
    model.load_weights({"d/kernel": good["d/kernel"], "x": np.zeros(1)}, strict=False)
    assert not model.weights[0].numpy().any()
    assert (model.weights[1].numpy() == before[1]).all()


@pytest.mark.parametrize(
    "name", ["d/kernel:0", "small/d/kernel", "d/cell/kernel", "model/small/d/cell/kernel", "layers/d/vars/0"]
)
def test_names_that_other_programs_give_weights(name: str) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[3], name="d", use_bias=False)], name="small")
    model.load_weights({name: np.full((3, 2), 7, np.float32)})
    assert (model.weights[0].numpy() == 7).all()


def test_only_trainable_weights(tmp_path: Path) -> None:
    model = tf.sequential(
        layers=[
            tf.layers.dense(units=2, input_shape=[3], name="a", trainable=False),
            tf.layers.dense(units=1, name="b"),
        ]
    )
    model.save(tmp_path, {"trainableOnly": True})
    specs = json.loads((tmp_path / "model.json").read_text())["weightsManifest"][0]["weights"]
    assert [s["name"] for s in specs] == ["b/kernel", "b/bias"]
    with pytest.raises(ValueError, match="'a/kernel', 'a/bias'"):
        tf.load_layers_model(tmp_path)
    again = tf.load_layers_model(tmp_path, strict=False)
    assert again.weights[0].numpy().any(), "weights without a value in the file start as the initializer says"


# Training


@pytest.mark.parametrize(
    "optimizer", ["sgd", "adam", "rmsprop", "adagrad", "adadelta", "adamax", tf.train.momentum(0.1, 0.9)]
)
def test_training_goes_on_where_it_stopped(optimizer: Any, tmp_path: Path) -> None:
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
def test_losses_and_metrics_of_several_outputs(place: str, tmp_path: Path) -> None:
    x = tf.input(shape=[2])
    outputs = [tf.layers.dense(units=1, name=name).apply(x) for name in ("a", "b")]
    model = tf.model(inputs=x, outputs=outputs)
    losses = {"b": "meanAbsoluteError", "a": "meanSquaredError"}
    model.compile(optimizer="sgd", loss=losses, metrics={"b": ["mse", "mae"]})
    model.save(tmp_path / place, include_optimizer=True)
    again = tf.load_layers_model(tmp_path / place)
    xs, ys = np.ones((3, 2)), [np.ones((3, 1)), np.full((3, 1), 2)]
    assert again.metrics_names == model.metrics_names
    found, expected = ([t.array_sync() for t in m.evaluate(xs, ys)] for m in (again, model))
    assert found == expected


@pytest.mark.parametrize("place", ["web", "m.keras", "m.h5"])
@pytest.mark.parametrize("losses", ["meanSquaredError", {"b": "meanAbsoluteError", "a": "meanSquaredError"}])
def test_weights_of_losses_are_saved(losses: Any, place: str, tmp_path: Path) -> None:
    x = tf.input(shape=[2])
    outputs = [tf.layers.dense(units=1, name=name).apply(x) for name in ("a", "b")]
    model = tf.model(inputs=x, outputs=outputs)
    model.compile(optimizer="sgd", loss=losses, output_weights={"b": 0.25})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model.save(tmp_path / place, include_optimizer=True)
    assert ["TF.js does not read loss weights" in str(w.message) for w in said] == [True] * (place == "web")
    again = tf.load_layers_model(tmp_path / place)
    assert again.output_weights == [1, 0.25]
    xs, ys = np.ones((3, 2)), [np.ones((3, 1)), np.full((3, 1), 2)]
    found, expected = ([t.array_sync() for t in m.evaluate(xs, ys)] for m in (again, model))
    assert found == expected


def test_without_the_optimizer_nothing_of_it_is_saved(tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])])
    model.compile(optimizer="adam", loss="meanSquaredError")
    model.save(tmp_path)
    assert tf.load_layers_model(tmp_path).optimizer is None
    wrapping = functools.wraps(tf.metrics.mean_squared_error)(lambda t, p: t.sub(p).square().mean())
    for loss in (lambda t, p: t.sub(p).square().mean(), wrapping):
        model.compile(optimizer="adam", loss=loss)
        with pytest.raises(ValueError, match="function of your own"):
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
def test_optimizers_of_tfjs_and_keras(config: Any, kind: str, options: dict[str, Any]) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])])
    training = {"loss": "mean_squared_error", "metrics": [["acc"]], "optimizer_config": config}
    again = tf.load_layers_model({"modelTopology": model.to_json(return_string=False), "trainingConfig": training})
    assert again.optimizer.get_class_name() == kind
    assert options.items() <= again.optimizer.get_config().items()
    assert again.metrics_names == ["loss", "acc"]


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
def test_a_training_that_is_not_known_leaves_the_model_uncompiled(training: Any) -> None:
    topology = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])]).to_json(return_string=False)
    with pytest.warns(UserWarning, match="loaded, but not compiled"):
        model = tf.load_layers_model({"modelTopology": topology, "trainingConfig": training})
    known = training["optimizer_config"]["class_name"] == "SGD"
    assert (model.optimizer is not None) is known
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
def test_metrics_have_the_names_that_tfjs_gives_them(given: Any, written: list[str], names: list[str]) -> None:
    """In files there is always a list of them, in snake case; in logs they are in camel case."""
    model = tf.sequential(layers=[tf.layers.dense(units=2, activation="softmax", input_shape=[2])])
    model.compile(optimizer="adam", loss="binaryCrossentropy", metrics=given)
    kept: list[Any] = []
    model.save(tf.io.with_save_handler(kept.append), include_optimizer=True)
    assert kept[0]["trainingConfig"]["metrics"] == written
    assert tf.load_layers_model(tf.io.from_memory(kept[0])).metrics_names == names


@pytest.mark.parametrize("loss", [tf.losses.huber_loss, tf.losses.absolute_difference])
def test_losses_without_a_name_are_not_saved(loss: Any) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[2])])
    model.compile(optimizer="adam", loss=loss)
    with pytest.raises(ValueError, match=f"the loss <function {loss.__name__} .* has no name to compile with"):
        model.save(tf.io.with_save_handler(lambda _: None), include_optimizer=True)


def test_losses_as_keras_has_them() -> None:
    topology = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])]).to_json(return_string=False)
    training = {
        "loss": {"class_name": "MeanAbsoluteError", "config": {"reduction": "auto", "name": "mean_absolute_error"}},
        "metrics": [[{"class_name": "MeanMetricWrapper", "config": {"name": "accuracy", "fn": "binary_accuracy"}}]],
        "optimizer_config": {"class_name": "SGD", "config": {"learning_rate": 0.1}},
    }
    model = tf.load_layers_model({"modelTopology": topology, "trainingConfig": training})
    assert model.metrics_names == ["loss", "binaryAccuracy"]


def test_metadata(tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])])
    assert model.get_user_defined_metadata() is None
    model.set_user_defined_metadata({"labels": ["cat", "dog"], "size": np.int64(3), "mean": np.array([0.5, 2])})
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
    }
    with pytest.raises(TypeError, match="user_defined_metadata"):
        model.set_user_defined_metadata("text")
    with pytest.raises(ValueError, match="JSON"):
        model.set_user_defined_metadata({"f": print})
    with pytest.warns(UserWarning, match="more than"):
        model.set_user_defined_metadata({"x": "y" * 2**20})


# The browser


def test_what_a_browser_would_refuse(tmp_path: Path) -> None:
    model = tf.sequential(
        layers=[
            tf.layers.dense(units=1, input_shape=[1], activation="exponential", name="d"),
            Amplified(name="mine"),
            tf.layers.dense(units=1, activation="gelu_new", name="e"),
        ]
    )
    with pytest.raises(ValueError, match="Nothing was saved") as error:
        model.save(tmp_path / "m", strict=True)
    assert not (tmp_path / "m").exists()
    for fault in ("layer 'd' (Dense): TF.js has no activation 'exponential'", "layer 'mine' (Amplified)", "'gelu_new'"):
        assert fault in str(error.value)
    with pytest.warns(UserWarning, match="exponential"):
        model.save(tmp_path / "m")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.save(tmp_path / "m", strict=False)


@pytest.mark.parametrize(
    ("layer", "fault"),
    [
        (lambda: tf.layers.conv1d(filters=1, kernel_size=2, padding="causal"), "padding='causal'"),
        (lambda: tf.layers.conv1d(filters=1, kernel_size=2, padding="same"), None),
        (lambda: tf.layers.depthwise_conv2d(kernel_size=2, dilation_rate=[1, 2]), r"dilation_rate=\[1, 2\]"),
        (lambda: tf.layers.depthwise_conv2d(kernel_size=2), None),
        (lambda: tf.layers.elu(alpha=0.5), "alpha=0.5"),
        (lambda: tf.layers.elu(), None),
        (lambda: tf.layers.gru(units=1, reset_after=True), "reset_after=True"),
        (lambda: tf.layers.gru(units=1), None),
        (lambda: tf.layers.lstm(units=1, zero_output_for_mask=True), None),  # there are no masks
        (lambda: tf.layers.lstm(units=1), None),
        (lambda: tf.layers.dense(units=1, activity_regularizer="l2"), "does not run layers with an activity_regularizer"),
        (lambda: tf.layers.resizing(height=2, width=2), "cannot use Resizing"),
        (lambda: tf.layers.up_sampling1d(size=2), "no class UpSampling1D"),
        (lambda: tf.layers.up_sampling2d(half_pixel_centers=True), None),
    ],
)  # fmt: skip
def test_layers_and_options_that_a_browser_would_refuse(layer: Any, fault: str | None, tmp_path: Path) -> None:
    made = layer()
    rank = 4 if made.get_class_name() in ("DepthwiseConv2D", "Resizing", "UpSampling2D") else 3
    model = tf.sequential(layers=[tf.layers.activation(activation="relu", input_shape=[3] * (rank - 1)), made])
    if fault is None:
        model.save(tmp_path, strict=True)
    else:
        with pytest.raises(ValueError, match=fault):
            model.save(tmp_path, strict=True)


def test_what_a_browser_would_compute_otherwise_is_told_apart(tmp_path: Path) -> None:
    lstm = tf.layers.lstm(units=1, return_sequences=True, zero_output_for_mask=True)
    both = tf.layers.bidirectional(layer=lstm, name="both")
    gru = tf.layers.gru(units=1, reset_after=True, name="g")
    with pytest.warns(UserWarning, match="will not load or run") as told:
        tf.sequential([tf.layers.masking(input_shape=[3, 2]), both, gru], name="m").save(tmp_path)
    assert str(told[0].message) == (
        "model m: TF.js 4.22 will not load or run this in a browser: layer 'g' (GRU): TF.js does not take "
        "reset_after=True: train with reset_after=False. TF.js 4.22 will compute otherwise: layer 'both' "
        "(Bidirectional): LSTM: TF.js does not heed zero_output_for_mask=True: train without it."
    )


def test_what_a_browser_would_refuse_of_a_training() -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[1])]).to_json(return_string=False)
    training = {"loss": ["ctc"], "metrics": {"a": "recall"}, "optimizer_config": {"class_name": "Adamax", "config": {}}}
    given = {"modelTopology": model, "trainingConfig": training}
    assert [fault.text for fault in browser_faults(as_artifacts(given, "test"), ["a", "a", "b"])] == [
        "TF.js cannot restore the state of the optimizer Adamax",
        "TF.js has no loss 'ctc'",
        "TF.js has no metric 'recall'",
        "there are two weights of the name 'a'",
    ]


@pytest.mark.parametrize(("name", "taken"), [("a-b/c.d_1", True), ("1", True), ("my layer", False), ("_a", False)])
def test_names_that_a_browser_would_refuse(name: str, taken: bool, tmp_path: Path) -> None:
    within = tf.layers.dense(units=1, name="of no concern")
    layer = tf.layers.time_distributed(layer=within, input_shape=[2, 1], name=name)
    model = tf.sequential([tf.sequential([layer])], name="nor this")
    if taken:
        model.save(tmp_path, strict=True)
    else:
        with pytest.raises(ValueError, match=f"layer '{name}': TF.js takes names of letters, digits"):
            model.save(tmp_path, strict=True)


# Files of Keras


@pytest.mark.parametrize("folder", sorted(HERE.glob("keras[23]/*")), ids=lambda p: f"{p.parent.name}-{p.name}")
def test_files_made_by_keras(folder: Path) -> None:
    model = tf.load_layers_model(folder)
    expected = json.loads((folder / "expected.json").read_text())
    inputs = [np.array(x, np.float32) for x in expected["inputs"]]
    found = model.predict(inputs if len(inputs) > 1 else inputs[0])
    quantized = '"quantization"' in (folder / "model.json").read_text()
    for ours, theirs in zip(found if isinstance(found, list) else [found], expected["outputs"], strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, atol=1e-4 if quantized else 1e-6)


def keras_layer(**changes: Any) -> dict[str, Any]:
    options = {
        "name": "d",
        "trainable": True,
        "dtype": {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "mixed_float16"}},
        "units": 2,
        "activation": {"module": "builtins", "class_name": "function", "config": "relu", "registered_name": "function"},
        "kernel_initializer": {"module": "keras.initializers", "class_name": "GlorotUniform", "config": {"seed": None}},
        "lora_rank": None,
        "batch_input_shape": {"class_name": "__tuple__", "items": [None, 3]},
    }
    return {"class_name": "Dense", "config": {**options, **changes}, "registered_name": None, "build_config": {}}


def test_what_keras_notes_beside_the_options() -> None:
    model = tf.models.model_from_json({"class_name": "Sequential", "config": [keras_layer()]})
    config = model.layers[0].get_config()
    assert (config["dtype"], config["activation"], config["batch_input_shape"]) == ("float32", "relu", [None, 3])
    with pytest.warns(UserWarning, match="d: option lora_rank = 4 of the file") as warned:
        tf.models.model_from_json({"class_name": "Sequential", "config": [keras_layer(lora_rank=4)]})
    assert warned[0].filename == __file__
    six = {"type": "ndarray", "value": 6.0}
    clipped = {"class_name": "ReLU", "config": {"name": "r", "max_value": six, "threshold": {**six, "value": 0.0}}}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = tf.models.model_from_json({"class_name": "Sequential", "config": [keras_layer(), clipped]})
    assert model.layers[1].max_value == 6
    wrapped = {
        "model_config": {"class_name": "Sequential", "config": {"layers": [keras_layer()]}},
        "keras_version": "2",
    }
    assert tf.models.model_from_json(wrapped).name.startswith("sequential")
    text = {"model_config": json.dumps({"class_name": "Sequential", "config": {"layers": [keras_layer()]}})}
    assert tf.models.model_from_json(text).count_params() == 8


# Nothing is left


def test_weights_are_not_made_before_the_file_is_checked(tmp_path: Path) -> None:
    """A file may ask for layers of any size; its weights are what they are."""
    model = tf.sequential(layers=[tf.layers.dense(units=4, input_shape=[3], name="d")])
    model.save(tmp_path)
    content = json.loads((tmp_path / "model.json").read_text())
    content["modelTopology"]["config"]["layers"][0]["config"]["units"] = 200_000_000
    (tmp_path / "model.json").write_text(json.dumps(content))
    variables, tensors = registered_variables(), accounting.tensors
    with pytest.raises(ValueError, match=r"'d/kernel' is float32 of shape \[3, 4\].*\[3, 200000000\]"):
        tf.load_layers_model(tmp_path)
    assert registered_variables() == variables
    assert accounting.tensors == tensors


def test_loading_draws_no_random_numbers(tmp_path: Path) -> None:
    model = recurrent()
    model.save(tmp_path)
    tf.set_seed(3)
    expected = tf.random_normal([3]).array_sync()
    tf.set_seed(3)
    tf.load_layers_model(tmp_path)
    assert tf.random_normal([3]).array_sync() == expected
