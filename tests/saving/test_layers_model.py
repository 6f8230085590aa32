"""Saving and loading layers models: topologies, options, custom layers and activations, models of Keras."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saving.layer_models import HERE, Amplified, filled, nested, predict, recurrent, with_states
from tolerance import TRAINED

import tfpy as tf
from tfpy.core.variable import registered_variables
from tfpy.engine.handle import accounting


@pytest.mark.parametrize("build", [nested, recurrent, with_states])
def test_save_and_load_round_trip(build: Any, tmp_path: Path) -> None:
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
def test_topology_round_trip(build: Any) -> None:
    model = build()
    text = model.to_json()
    assert set(json.loads(text)) == {"class_name", "config", "keras_version", "backend"}
    assert json.loads(text) == model.toJSON(None, False)
    for again in (tf.models.model_from_json(text), tf.model_from_json(json.loads(text))):
        assert again.get_config() == model.get_config()
        assert not any(np.isnan(y).any() for y in predict(again))
    assert tf.models.modelFromJSON({"modelTopology": json.loads(text)}).name == model.name


def test_option_values_are_saved_in_keras_spelling() -> None:
    layer = tf.layers.dense(units=1, input_shape=[2], activation="hardSigmoid", kernel_initializer="heNormal")
    config = tf.sequential(layers=[layer]).to_json(return_string=False)["config"]["layers"][0]["config"]
    assert config["activation"] == "hard_sigmoid"
    assert config["kernel_initializer"]["config"]["mode"] == "fan_in"
    assert layer.get_config()["activation"] == "hardSigmoid", "get_config has the spelling of TF.js"
    silu = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2], activation="silu")])
    assert '"activation":"swish"' in silu.to_json(), "TF.js knows silu as swish"


def test_unset_options_unknown_to_tfjs_are_not_saved() -> None:
    layers = [tf.layers.lstm(units=3, input_shape=[4, 2]), tf.layers.dense(units=1)]
    written = tf.sequential(layers=layers).to_json(return_string=False)
    for layer in written["config"]["layers"]:
        assert not {"dropout_func", "input_dim", "input_length"} & set(layer["config"])
    embedding = tf.sequential(layers=[tf.layers.embedding(input_dim=5, output_dim=2, input_length=4)])
    config = embedding.to_json(return_string=False)["config"]["layers"][0]["config"]
    assert (config["input_dim"], config["input_length"]) == (5, 4)


def test_depth_multiplier_that_tfjs_omits_is_inferred(tmp_path: Path) -> None:
    inner = tf.sequential(
        [tf.layers.separable_conv2d(filters=3, kernel_size=2, depth_multiplier=2, input_shape=[4, 4, 2])]
    )
    model = filled(tf.sequential([inner, tf.layers.flatten()]))
    model.save(tmp_path)
    text = (tmp_path / "model.json").read_text()
    (tmp_path / "model.json").write_text(text.replace('"depth_multiplier":2,', ""))
    assert "depth_multiplier" not in (tmp_path / "model.json").read_text()
    for a, b in zip(predict(model), predict(tf.load_layers_model(tmp_path)), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "function",
    [
        {"class_name": "__lambda__", "config": {"code": "4wEAAAA=", "defaults": None, "closure": None}},  # Keras 3
        ["4wEAAAA=", None, None],  # Keras 2
    ],
)
@pytest.mark.filterwarnings("error")
def test_python_code_in_a_file_is_not_run(function: Any) -> None:
    config = {"name": "mean", "function": function, "output_shape": ["4wEAAAA="], "output_shape_type": "lambda"}
    layers = [{"class_name": "Lambda", "config": {**config, "batch_input_shape": [None, 2]}}]
    topology = {"class_name": "Sequential", "config": {"name": "s", "layers": layers}}
    with pytest.raises(ValueError, match=r"as Python code, and code from files is never run.*custom_objects=\{'mean'"):
        tf.model_from_json(topology)
    model = tf.model_from_json(topology, custom_objects={"mean": lambda x: x.mean(1, True)})
    assert model.predict(tf.tensor([[1.0, 2], [3, 5]])).array_sync() == [[1.5], [4]]


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_custom_activation_round_trip(tmp_path: Path) -> None:
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
        ("ReLU", [0, 3]),  # expected values from TF.js
        ({"className": "ReLU", "config": {"maxValue": 2}}, [0, 2]),
        ({"class_name": "LeakyReLU", "config": {"name": "leaky", "alpha": 0.1}}, [-0.3, 3]),
        ({"class_name": "ThresholdedReLU", "config": {"theta": 4}}, [0, 0]),
        ({"class_name": "Softmax", "config": {}}, [0.0024726, 0.9975274]),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:.*Keras has no class ThresholdedReLU")
def test_layer_as_activation_round_trip(activation: Any, expected: list[float], tmp_path: Path) -> None:
    weights = [tf.tensor([[1.0, -1]]), tf.zeros([2])]
    model = tf.sequential()
    model.add(tf.layers.dense(units=2, activation=activation, input_shape=[1], weights=weights))
    for name in ("folder", "model.keras", "model.h5"):
        np.testing.assert_allclose(model.predict(tf.tensor([[-3.0]])).numpy()[0], expected, rtol=TRAINED)
        model.save(tmp_path / name)
        model = tf.load_layers_model(tmp_path / name)
    given = tf.layers.dense(units=2, activation=tf.layers.leaky_relu(alpha=0.5), weights=weights)
    assert given.apply(tf.tensor([[-4.0]])).array_sync() == [[-2, 4]]


def test_custom_layer_needs_custom_objects(tmp_path: Path) -> None:
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


# Models of Keras


@pytest.mark.parametrize("folder", sorted(HERE.glob("keras[23]/*")), ids=lambda p: f"{p.parent.name}-{p.name}")
def test_converted_keras_model_predicts_the_same(folder: Path) -> None:
    model = tf.load_layers_model(folder)
    expected = json.loads((folder / "expected.json").read_text())
    inputs = [np.array(x, np.float32) for x in expected["inputs"]]
    found = model.predict(inputs if len(inputs) > 1 else inputs[0])
    quantized = '"quantization"' in (folder / "model.json").read_text()
    for ours, theirs in zip(found if isinstance(found, list) else [found], expected["outputs"], strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs, atol=TRAINED if quantized else 1e-6)


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


def test_additional_entries_of_keras_configs() -> None:
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


# Side effects of loading


def test_weights_are_checked_before_allocation(tmp_path: Path) -> None:
    """A topology may ask for any size; the sizes of the saved weights are checked first."""
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


def test_loading_does_not_advance_the_random_generator(tmp_path: Path) -> None:
    model = recurrent()
    model.save(tmp_path)
    tf.set_seed(3)
    expected = tf.random_normal([3]).array_sync()
    tf.set_seed(3)
    tf.load_layers_model(tmp_path)
    assert tf.random_normal([3]).array_sync() == expected
