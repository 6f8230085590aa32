"""Semantics in which Keras and TF.js differ, tested on small files in the format of Keras."""

from __future__ import annotations

import warnings
import zipfile
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from saving.keras_configs import entry, keras_file, predicted, sequential
from tolerance import ROUNDING

import tfpy as tf


def test_loading_does_not_apply_constraints(tmp_path: Path) -> None:
    """Keras applies constraints only after training steps, so saved weights may violate them."""
    non_negative = entry("NonNeg", module="keras.constraints")
    config = sequential([1], entry("Dense", name="d", units=2, use_bias=False, kernel_constraint=non_negative))
    path = keras_file(tmp_path / "m.keras", config, {"layers/dense/vars/0": [[-1.0, 2.0]]})
    np.testing.assert_array_equal(predicted(path, [[1]]), [[-1, 2]])


@pytest.mark.parametrize("name", ["LecunNormal", "LecunUniform"])
def test_lecun_initializers_by_their_keras_names(name: str, tmp_path: Path) -> None:
    initializer = entry(name, module="keras.initializers", seed=None)
    config = sequential([1], entry("Dense", name="d", units=1, use_bias=False, kernel_initializer=initializer))
    assert predicted(keras_file(tmp_path / "m.keras", config, {"layers/dense/vars/0": [[3.0]]}), [[2]]) == 6


def test_weights_of_a_nested_model_have_the_paths_of_keras(tmp_path: Path) -> None:
    """Keras calls a functional model `functional` in its paths, not `model`."""

    def model() -> Any:
        x = tf.input(shape=[1])
        inner = tf.model(inputs=x, outputs=tf.layers.dense(units=1, use_bias=False).apply(x))
        y = tf.input(shape=[1])
        return tf.model(inputs=y, outputs=inner.apply(y))

    path = tmp_path / "m.weights.h5"
    saved, again = model(), model()
    saved.set_weights([tf.tensor([[7.0]])])
    saved.save_weights(path)
    with h5py.File(path) as file:
        assert file["layers/functional/layers/dense/vars/0"][()] == 7
    again.load_weights(path)
    assert again.get_weights()[0].numpy() == 7


# Options that differ in meaning


def hard_sigmoid(**options: Any) -> dict[str, Any]:
    return sequential([1], entry("Activation", name="a", activation="hard_sigmoid", **options))


@pytest.mark.parametrize(("version", "slope"), [("3.15.0", 1 / 6), ("2.15.0", 1 / 5)])
def test_hard_sigmoid_slope_depends_on_the_keras_version(version: str, slope: float, tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", hard_sigmoid(), {}, version)
    np.testing.assert_allclose(predicted(path, [[1], [-9], [9]]), [[0.5 + slope], [0], [1]], rtol=ROUNDING)
    model = tf.load_layers_model(path)
    for suffix in (".keras", ".h5", ""):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the different slope of the other version or TF.js
            model.save(tmp_path / f"again{suffix}")
        assert predicted(tmp_path / f"again{suffix}", [[1]]) == model.predict(tf.tensor([[1.0]])).numpy()


def test_hard_sigmoid_of_keras_3_is_saved_under_its_keras_name(tmp_path: Path) -> None:
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", hard_sigmoid(), {}))
    assert model.layers[-1].get_config()["activation"] == "hardSigmoid6"
    model.save(tmp_path / "again.keras", strict=True)
    with zipfile.ZipFile(tmp_path / "again.keras") as archive:
        text = archive.read("config.json").decode()
    assert '"activation":"hard_sigmoid"' in text.replace(" ", "")
    with pytest.raises(ValueError, match="has another slope in Keras 2"):
        model.save(tmp_path / "again.h5", strict=True)
    with pytest.raises(ValueError, match="TF.js has no activation 'hard_sigmoid6'"):
        model.save(tmp_path / "web", strict=True)


@pytest.mark.parametrize(
    ("layer", "expected"),
    [
        (entry("Resizing", name="r", height=1, width=2, interpolation="bilinear"), [0.5, 2.5]),
        (entry("Resizing", name="r", height=1, width=3, interpolation="nearest"), [0, 2, 3]),
        (entry("UpSampling2D", name="r", size=[1, 2], interpolation="bilinear"), [0, 0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3]),
    ],
)  # fmt: skip
def test_resizing_uses_half_pixel_centers_as_keras_does(layer: Any, expected: list[float], tmp_path: Path) -> None:
    x = np.arange(4, dtype=np.float32).reshape(1, 1, 4, 1)
    path = keras_file(tmp_path / "m.keras", sequential([1, 4, 1], layer), {})
    np.testing.assert_allclose(predicted(path, x).ravel(), expected)
    for suffix in (".keras", ".h5"):
        tf.load_layers_model(path).save(tmp_path / f"again{suffix}", strict=True)
        np.testing.assert_allclose(predicted(tmp_path / f"again{suffix}", x).ravel(), expected)
    with pytest.raises(ValueError, match="does not heed half_pixel_centers=True|cannot use Resizing"):
        tf.load_layers_model(path).save(tmp_path / "web", strict=True)


def test_tfjs_semantics_survive_a_round_trip_through_keras_files(tmp_path: Path) -> None:
    """Saving warns that Keras computes differently."""
    layers = [
        tf.layers.up_sampling2d(size=[1, 2], interpolation="bilinear", input_shape=[1, 4, 1]),
        tf.layers.resizing(height=1, width=3),
        tf.layers.activation(activation="hardSigmoid"),
    ]
    model = tf.sequential(layers=layers)
    x = np.arange(4, dtype=np.float32).reshape(1, 1, 4, 1)
    for suffix in (".keras", ".h5"):
        with pytest.warns(UserWarning, match=r"positions the pixels.*positions the pixels.*another slope in Keras 3"):
            model.save(tmp_path / f"m{suffix}")
        np.testing.assert_array_equal(predicted(tmp_path / f"m{suffix}", x), model.predict(x).numpy())
