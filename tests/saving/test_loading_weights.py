"""Loading weights into models: by name, strict or not, and only the trainable ones."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from saving.layer_models import filled, nested, predict

import tfpy as tf


def test_load_weights_by_name(tmp_path: Path) -> None:
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


def test_layers_can_be_added_to_a_loaded_model() -> None:
    dense = {"class_name": "Dense", "config": {"units": 2, "name": "dense_Dense4000", "batch_input_shape": [None, 3]}}
    model = tf.models.model_from_json({"class_name": "Sequential", "config": {"name": "s", "layers": [dense]}})
    model.add(tf.layers.dense(units=1))
    assert [layer.name for layer in model.layers] == ["dense_Dense4000", "dense_Dense4001"]
    assert model.predict(tf.ones([1, 3])).shape == (1, 1)


@pytest.mark.parametrize("strict", [True, False])
def test_load_weights_into_an_identical_model(strict: bool) -> None:
    first, again = (tf.sequential([tf.layers.dense(units=2, input_shape=[3]), tf.layers.dense(units=1)]) for _ in "ab")
    again.load_weights(first.get_named_weights(), strict=strict)
    assert all((a.numpy() == b.numpy()).all() for a, b in zip(first.weights, again.weights, strict=True))


def test_mismatched_weights_raise_and_change_nothing() -> None:
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
def test_weight_names_of_other_programs(name: str) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[3], name="d", use_bias=False)], name="small")
    model.load_weights({name: np.full((3, 2), 7, np.float32)})
    assert (model.weights[0].numpy() == 7).all()


def test_save_only_trainable_weights(tmp_path: Path) -> None:
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
    assert again.weights[0].numpy().any(), "weights missing from the file keep their initial values"
