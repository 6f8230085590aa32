"""Operations of keras.ops in functional models of Keras 3, Normalization, and unknown classes."""

from __future__ import annotations

import gzip
import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from saving.keras_configs import called, entry, functional, keras_file, sequential, tensor
from tolerance import ACCUMULATED, ROUNDING

import tfpy as tf
from tfpy.layers.saving.keras.operations import OPERATIONS

DATA = Path(__file__).parents[1] / "data" / "keras" / "keras3" / "operations.json.gz"
CASES: dict[str, Any] = json.loads(gzip.decompress(DATA.read_bytes()))
NUMPY = "keras.src.ops.numpy"


def outputs(model: Any, inputs: list[Any]) -> np.ndarray[Any, Any]:
    xs = [np.array(x, np.float32) for x in inputs]
    return np.asarray(model.predict(xs if len(xs) > 1 else xs[0]).numpy())


@pytest.mark.parametrize("name", CASES)
def test_operation_matches_keras(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", case["config"], {}))
    found = outputs(model, case["inputs"])
    np.testing.assert_allclose(found, case["output"], rtol=ACCUMULATED, atol=ROUNDING)
    assert tuple(model.output_shape[1:]) == found.shape[1:]
    for place in ("again.keras", "again.h5", "web"):
        model.save(tmp_path / place, strict=False)
        again = tf.load_layers_model(tmp_path / place)
        np.testing.assert_array_equal(outputs(again, case["inputs"]), found)


def test_every_operation_has_a_case() -> None:
    used = {layer["class_name"] for case in CASES.values() for layer in case["config"]["config"]["layers"]}
    assert set(OPERATIONS) - used == {"Divide"}


def test_operation_is_saved_in_the_format_of_keras(tmp_path: Path) -> None:
    op = {**entry("Subtract", module=NUMPY, name="s"), "registered_name": "Subtract"}
    mean = {**entry("Mean", module=NUMPY, name="m", axis=-1, keepdims=True), "registered_name": "Mean"}
    config = functional("m", called(op, 1, tensor("x")), called(mean, tensor("s")), shape=[2])
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, {}))
    np.testing.assert_array_equal(outputs(model, [[[1.0, 3.0]]]), [[-1.0]])
    model.save(tmp_path / "again.keras", strict=True)
    with zipfile.ZipFile(tmp_path / "again.keras") as archive:
        saved = json.loads(archive.read("config.json"))
    first, second = saved["config"]["layers"][1:]
    assert (first["module"], first["class_name"], first["config"]) == (NUMPY, "Subtract", {"name": "s"})
    assert first["inbound_nodes"][0]["args"][0] == 1
    assert second["config"] == {"name": "m", "axis": -1, "keepdims": True}


def test_operations_cannot_be_saved_for_tfjs_or_as_h5(tmp_path: Path) -> None:
    op = called(entry("Add", module=NUMPY, name="a"), tensor("x"), 1.0)
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", functional("a", op, shape=[2]), {}))
    with pytest.raises(ValueError, match=r"layer 'a' \(Operation\): TF.js has no layer for operations of keras.ops"):
        model.save(tmp_path / "web", strict=True)
    with pytest.raises(ValueError, match="Keras takes no operations from an .h5 file"):
        model.save(tmp_path / "m.h5", strict=True)


def test_gradients_flow_through_operations(tmp_path: Path) -> None:
    dense = called(entry("Dense", name="d", units=1, use_bias=False), tensor("x"))
    op = called(entry("Multiply", module=NUMPY, name="m"), tensor("d"), 2.0)
    config = functional("m", dense, op, shape=[1])
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", config, {"layers/dense/vars/0": [[1.0]]}))
    model.compile(optimizer=tf.train.sgd(0.1), loss="meanSquaredError")
    model.train_on_batch(tf.tensor([[1.0]]), tf.tensor([[0.0]]))  # the gradient of (2 w x)² is 8
    np.testing.assert_allclose(model.get_weights()[0].numpy(), [[0.2]], rtol=ROUNDING)


@pytest.mark.parametrize(
    ("op", "args", "message"),
    [
        (entry("Mean", module=NUMPY, name="o", axis=1, weights=[1]), [tensor("x")], r"option weights = \[1\] of Mean"),
        (entry("Add", module=NUMPY, name="o"), [1.0, 2.0], "a call on tensors"),
        (entry("Add", module=NUMPY, name="o"), [tensor("x")], "layer o: .*missing"),
        (
            entry("Add", module=NUMPY, name="o"),
            [tensor("x"), {"class_name": "__lambda__"}],
            "the operand .*not supported",
        ),
        (entry("Add", module=NUMPY, name="o"), [tensor("x"), {"tensor": 7}], "an operand is input 7 of 1"),
        (entry("Cast", module="keras.src.ops.core", name="o", dtype="x"), [tensor("x")], "dtype 'x' is not supported"),
        (entry("eval", module=NUMPY, name="o"), [tensor("x")], "Unknown operation 'eval' of keras.ops"),
    ],
)
def test_invalid_operation_raises(op: Any, args: Any, message: str, tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", functional("o", called(op, *args), shape=[2]), {})
    with pytest.raises(tf.io.ModelFileError, match=message):
        tf.load_layers_model(path)


def test_error_lists_all_unknown_classes(tmp_path: Path) -> None:
    own = {**entry("Sampling", module="models", name="own"), "registered_name": "vae>Sampling"}
    inner = entry("TimeDistributed", name="t", layer=entry("EinsumDense", name="e"))
    roll = entry("Roll", module=NUMPY, name="r")
    path = keras_file(tmp_path / "m.keras", sequential([2], entry("RandomFlip", name="f"), own, inner, roll), {})
    with pytest.raises(tf.io.ModelFileError) as error:
        tf.load_layers_model(path)
    for message in (
        "layers[1] ('f'): Unknown layer 'RandomFlip', one of Keras's that is not here; custom_objects={'RandomFlip': …}",
        "layers[2] ('own'): Unknown layer 'Sampling', a class of your own, which is given by custom_objects={'Sampling'",
        "layer ('e'): Unknown layer 'EinsumDense', one of Keras's",
        "layers[4] ('r'): Unknown operation 'Roll' of keras.ops",
    ):
        assert message in str(error.value)
    assert "Did you mean" not in str(error.value)


# What Keras 3.15 gives for [[1, 2], [3, 5]].
@pytest.mark.parametrize(
    ("options", "weights", "expected"),
    [
        ({"axis": [-1]}, [[2.0, 3.0], [4.0, 0.25]], [[-0.5, -2.0], [0.5, 4.0]]),
        ({"axis": []}, [3.0, 4.0], [[-1.0, -0.5], [0.0, 1.0]]),
        ({"axis": [-1], "mean": [2.0, 3.0], "variance": [4.0, 0.25]}, [], [[-0.5, -2.0], [0.5, 4.0]]),
        ({"axis": [-1], "mean": 3.0, "variance": 4.0, "invert": True}, [], [[5.0, 7.0], [9.0, 13.0]]),
    ],
)
def test_normalization_matches_keras(options: Any, weights: list[Any], expected: Any, tmp_path: Path) -> None:
    layer = entry("Normalization", name="n", **{"mean": None, "variance": None, "invert": False, **options})
    values = {f"layers/normalization/vars/{i}": value for i, value in enumerate([*weights, 2] if weights else [])}
    model = tf.load_layers_model(keras_file(tmp_path / "m.keras", sequential([2], layer), values))
    x = [[[1.0, 2.0], [3.0, 5.0]]]
    np.testing.assert_array_equal(outputs(model, x), expected)
    for place in ("again.keras", "again.h5", "web"):
        model.save(tmp_path / place, strict=False)
        np.testing.assert_array_equal(outputs(tf.load_layers_model(tmp_path / place), x), expected)


def test_normalization_axis_out_of_range_raises(tmp_path: Path) -> None:
    path = keras_file(tmp_path / "m.keras", sequential([2], entry("Normalization", name="n", axis=[7])), {})
    with pytest.raises(tf.io.ModelFileError, match="axes of a tensor of rank 2"):
        tf.load_layers_model(path)


def test_custom_object_replaces_an_unknown_keras_layer(tmp_path: Path) -> None:
    class Doubled(tf.layers.Layer):
        def call(self, inputs: Any) -> Any:
            return inputs.mul(2)

    path = keras_file(tmp_path / "m.keras", sequential([2], entry("RandomFlip", name="f")), {})
    model = tf.load_layers_model(path, custom_objects={"RandomFlip": Doubled})
    np.testing.assert_array_equal(outputs(model, [[[1.0, 2.0]]]), [[2.0, 4.0]])
