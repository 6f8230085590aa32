"""What files of Keras mean, in which it differs from TF.js: small files that are written here as Keras writes them."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import tfpy as tf


def keras_file(path: Path, config: Any, weights: Mapping[str, Any], version: str = "3.15.0") -> Path:
    """A `.keras` file of a configuration, and of weights by their paths."""
    stream = BytesIO()
    with h5py.File(stream, "w") as file:
        for name, value in weights.items():
            file[name] = np.asarray(value, np.float32)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(config))
        archive.writestr("metadata.json", json.dumps({"keras_version": version}))
        archive.writestr("model.weights.h5", stream.getvalue())
    return path


def entry(kind: str, /, *, module: str = "keras.layers", **options: Any) -> dict[str, Any]:
    """An object as Keras 3 has it; a layer says that it is trained."""
    if module == "keras.layers":
        options.setdefault("trainable", True)
    return {"module": module, "class_name": kind, "config": options, "registered_name": None}


def sequential(shape: list[int], *layers: dict[str, Any]) -> dict[str, Any]:
    """A Sequential on inputs of a shape."""
    first = entry("InputLayer", batch_shape=[None, *shape], dtype="float32", name="x")
    del first["config"]["trainable"]
    return entry("Sequential", module="keras", name="m", trainable=True, layers=[first, *layers])


def tensor(name: str, output: int = 0) -> dict[str, Any]:
    """What a layer's first call has given."""
    return {"class_name": "__keras_tensor__", "config": {"shape": [None], "keras_history": [name, 0, output]}}


def called(layer: dict[str, Any], *args: Any, **arguments: Any) -> dict[str, Any]:
    """A layer of a functional model with its call, if it has one."""
    nodes = [{"args": list(args), "kwargs": arguments}] if args else []
    return {**layer, "name": layer["config"]["name"], "inbound_nodes": nodes}


def functional(output: str, *layers: dict[str, Any], shape: list[int]) -> dict[str, Any]:
    """A functional model of one input 'x'."""
    options = {"batch_shape": [None, *shape], "dtype": "float32", "name": "x"}
    first = called({"module": "keras.layers", "class_name": "InputLayer", "config": options})
    ends = {"input_layers": [["x", 0, 0]], "output_layers": [[output, 0, 0]]}
    return entry("Functional", module="keras.src.models.functional", name="f", layers=[first, *layers], **ends)


def predicted(path: Path, x: Any) -> np.ndarray:
    found = tf.load_layers_model(path).predict(np.asarray(x, np.float32)).numpy()
    return np.asarray(found)


def test_weights_are_as_the_file_has_them_whatever_the_constraints(tmp_path: Path) -> None:
    """Keras applies a constraint after each step of a training: a new model may have other weights."""
    non_negative = entry("NonNeg", module="keras.constraints")
    config = sequential([1], entry("Dense", name="d", units=2, use_bias=False, kernel_constraint=non_negative))
    path = keras_file(tmp_path / "m.keras", config, {"layers/dense/vars/0": [[-1.0, 2.0]]})
    np.testing.assert_array_equal(predicted(path, [[1]]), [[-1, 2]])


@pytest.mark.parametrize("name", ["LecunNormal", "LecunUniform"])
def test_initializers_by_the_names_of_keras(name: str, tmp_path: Path) -> None:
    made = entry(name, module="keras.initializers", seed=None)
    config = sequential([1], entry("Dense", name="d", units=1, use_bias=False, kernel_initializer=made))
    assert predicted(keras_file(tmp_path / "m.keras", config, {"layers/dense/vars/0": [[3.0]]}), [[2]]) == 6


def embedded(*, mask: str = "not_equal", **options: Any) -> dict[str, Any]:
    """An embedding and a sum over the steps that are not masked, as Keras 3.15 writes it: the mask is an op."""
    embedding = entry("Embedding", name="e", input_dim=3, output_dim=1, **options)
    unequal = entry("NotEqual", module="keras.src.ops.numpy", name="not_equal")
    rnn = entry("SimpleRNN", name="r", units=1, activation="linear", use_bias=False)
    return functional(
        "r",
        called(embedding, tensor("x")),
        called(unequal, tensor("x"), 0),
        called(entry("Dropout", name="o", rate=0.5), tensor("e"), training=False),
        called(rnn, tensor("o"), training=False, mask=tensor(mask)),
        shape=[3],
    )


SUMMED = {
    "layers/embedding/vars/0": [[100.0], [1.0], [10.0]],
    **{f"layers/simple_rnn/cell/vars/{i}": [[1.0]] for i in range(2)},
}


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


def test_a_mask_that_is_not_that_of_the_inputs_is_refused(tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", embedded(mask_zero=False), SUMMED)
    with pytest.raises(
        tf.io.ModelFileError, match="layer r: argument 'mask' of a call must be the mask that its inputs"
    ):
        tf.load_layers_model(path)


def test_weights_alone_of_a_model_within_a_model(tmp_path: Path) -> None:
    """A functional model is a `functional` in the paths of Keras, not a `model`."""

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
