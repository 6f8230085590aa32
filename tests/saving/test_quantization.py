"""Models saved in fewer bytes: the rounded numbers, the unchanged ones, and reading the files again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tolerance import ROUNDING

import tfpy as tf
from tfpy.core.io.artifacts import ModelArtifacts
from tfpy.core.io.quantization import quantized

KINDS = ("float16", "uint16", "uint8")
LEVELS = {"uint16": 65535, "uint8": 255}
RANDOM = np.random.default_rng(4)


def there_and_back(tensors: dict[str, Any], kind: str, group: str | None = None) -> tuple[list[Any], dict[str, Any]]:
    """The specs of quantized weights, and what is read from them."""
    data, specs = tf.io.encode_weights({k: tf.tensor(v) for k, v in tensors.items()}, group)
    found = quantized(ModelArtifacts({"weight_specs": specs, "weight_data": data}), kind)
    read = tf.io.decode_weights(found.weight_data, found.weight_specs)
    return found.weight_specs, {name: tensor.numpy() for name, tensor in read.items()}


@pytest.mark.parametrize("kind", ["uint16", "uint8"])
@pytest.mark.parametrize(("low", "high"), [(-1.5, 0.7), (0.2, 0.9), (-9.0, -8.5), (-1e-30, 3e-30), (-3e38, 3e38)])
def test_whole_numbers(kind: str, low: float, high: float) -> None:
    values = RANDOM.uniform(low, high, 1000).astype(np.float32)
    values[:2] = low, high
    if low < 0 < high:
        values[2] = 0
    (spec,), read = there_and_back({"w": values}, kind)
    how = spec["quantization"]
    assert (how["dtype"], how["original_dtype"]) == (kind, "float32")
    assert how["scale"] == pytest.approx((float(values[1]) - float(values[0])) / LEVELS[kind])
    # 0 is met exactly: the ends move by half a step at most.
    errors = np.abs(read["w"].astype(np.float64) - values)
    assert errors.max() <= how["scale"] * 1.001
    assert np.median(errors) <= how["scale"] / 2
    assert low > 0 or high < 0 or read["w"][2] == 0
    assert len(np.unique(read["w"])) > 200


def test_halves() -> None:
    values = RANDOM.normal(size=(3, 4)).astype(np.float32)
    (spec,), read = there_and_back({"w": values}, "float16")
    assert spec["quantization"] == {"dtype": "float16", "original_dtype": "float32"}
    np.testing.assert_array_equal(read["w"], values.astype(np.float16).astype(np.float32))


@pytest.mark.parametrize("kind", KINDS)
def test_one_value(kind: str) -> None:
    specs, read = there_and_back({"ones": np.full(5, 0.75, np.float32), "zero": np.zeros((), np.float32)}, kind)
    assert all("quantization" in spec for spec in specs)
    np.testing.assert_array_equal(read["ones"], np.full(5, 0.75))
    assert read["zero"] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_what_stays_as_it_is(kind: str) -> None:
    tensors = {
        "whole": np.array([1, 300000], np.int32),
        "truth": np.array([True, False]),
        "nan": np.array([1, np.nan], np.float32),
        "infinite": np.array([-np.inf, 1], np.float32),
        "empty": np.zeros((0, 2), np.float32),
        **({"large": np.array([1, 65520], np.float32)} if kind == "float16" else {}),
    }
    specs, read = there_and_back(tensors, kind)
    assert not any("quantization" in spec for spec in specs)
    for name, values in tensors.items():
        np.testing.assert_array_equal(read[name], values)
    specs, _ = there_and_back({"slot": RANDOM.normal(size=4).astype(np.float32)}, kind, "optimizer")
    assert not any("quantization" in spec for spec in specs)


@pytest.mark.parametrize(("kind", "share", "close"), [("float16", 2, 1e-3), ("uint16", 2, 1e-4), ("uint8", 4, 0.03)])
def test_models(kind: str, share: int, close: float, tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.gru(units=4, input_shape=[5, 3]), tf.layers.dense(units=2)])
    model.compile(optimizer="adam", loss="meanSquaredError")
    model.fit(tf.ones([4, 5, 3]), tf.ones([4, 2]), verbose=0)
    x = RANDOM.normal(size=(3, 5, 3)).astype(np.float32)
    whole = model.save(tmp_path / "whole")
    found = model.save(tmp_path / "small.zip", quantize=kind)
    sizes = [result.model_artifacts_info.weight_data_bytes for result in (found, whole)]
    assert sizes[0] * share == sizes[1]
    loaded = tf.load_layers_model(tmp_path / "small.zip")
    np.testing.assert_allclose(loaded.predict(x).numpy(), model.predict(x).numpy(), atol=close)
    # Once more, it is the same: each value is one that the kind has.
    loaded.save(tmp_path / "again", quantize=kind)
    again = tf.load_layers_model(tmp_path / "again")
    np.testing.assert_allclose(again.predict(x).numpy(), loaded.predict(x).numpy(), atol=ROUNDING)
    model.save(tmp_path / "training", quantize=kind, include_optimizer=True)
    trained: Any = tf.load_layers_model(tmp_path / "training").optimizer
    for ours, theirs in zip(model.optimizer.get_weights(), trained.get_weights(), strict=True):
        np.testing.assert_array_equal(ours.tensor.numpy(), theirs.tensor.numpy())


def test_graphs(tmp_path: Path) -> None:
    weights = {"w": tf.tensor(RANDOM.normal(size=(3, 2)).astype(np.float32))}
    data, specs = tf.io.encode_weights(weights)
    nodes = [
        {"name": "x", "op": "Placeholder", "attr": {"dtype": {"type": "DT_FLOAT"}}},
        {"name": "w", "op": "Const", "attr": {"dtype": {"type": "DT_FLOAT"}}},
        {"name": "y", "op": "MatMul", "input": ["x", "w"], "attr": {}},
    ]
    model = tf.load_graph_model(
        tf.io.from_memory({"modelTopology": {"node": nodes}, "weightSpecs": specs, "weightData": data})
    )
    model.save(tmp_path, quantize="uint8")
    manifest = json.loads((tmp_path / "model.json").read_text(encoding="utf-8"))["weightsManifest"]
    assert manifest[0]["weights"][0]["quantization"]["dtype"] == "uint8"
    x = tf.ones([1, 3])
    loaded: Any = tf.load_graph_model(tmp_path).predict(x)
    np.testing.assert_allclose(loaded.numpy(), model.predict(x).numpy(), atol=0.03)  # type: ignore[union-attr]
    model.save(tmp_path / "same")
    assert "quantization" not in (tmp_path / "same/model.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "kind"), [("m", "int8"), ("m", ""), ("m.keras", "uint8"), ("m.onnx", "float16")])
def test_what_cannot_be(name: str, kind: str, tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2])])
    with pytest.raises(ValueError, match="save: argument 'quantize' must be"):
        model.save(tmp_path / name, quantize=kind)
    assert not list(tmp_path.iterdir())
