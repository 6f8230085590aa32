"""Quantized weights: rounding, weights that are not quantized, and loading quantized models."""

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


def quantize_and_decode(
    tensors: dict[str, Any], kind: str, group: str | None = None
) -> tuple[list[Any], dict[str, Any]]:
    """Return the specs of the quantized weights and the decoded values."""
    data, specs = tf.io.encode_weights({k: tf.tensor(v) for k, v in tensors.items()}, group)
    found = quantized(ModelArtifacts({"weight_specs": specs, "weight_data": data}), kind)
    read = tf.io.decode_weights(found.weight_data, found.weight_specs)
    return found.weight_specs, {name: tensor.numpy() for name, tensor in read.items()}


@pytest.mark.parametrize("kind", ["uint16", "uint8"])
@pytest.mark.parametrize(("low", "high"), [(-1.5, 0.7), (0.2, 0.9), (-9.0, -8.5), (-1e-30, 3e-30), (-3e38, 3e38)])
def test_integer_quantization_error_is_bounded(kind: str, low: float, high: float) -> None:
    values = RANDOM.uniform(low, high, 1000).astype(np.float32)
    values[:2] = low, high
    if low < 0 < high:
        values[2] = 0
    (spec,), read = quantize_and_decode({"w": values}, kind)
    quantization = spec["quantization"]
    assert (quantization["dtype"], quantization["original_dtype"]) == (kind, "float32")
    assert quantization["scale"] == pytest.approx((float(values[1]) - float(values[0])) / LEVELS[kind])
    # 0 is represented exactly: the range moves by half a step at most.
    errors = np.abs(read["w"].astype(np.float64) - values)
    assert errors.max() <= quantization["scale"] * 1.001
    assert np.median(errors) <= quantization["scale"] / 2
    assert low > 0 or high < 0 or read["w"][2] == 0
    assert len(np.unique(read["w"])) > 200


def test_float16_quantization_rounds_to_half_precision() -> None:
    values = RANDOM.normal(size=(3, 4)).astype(np.float32)
    (spec,), read = quantize_and_decode({"w": values}, "float16")
    assert spec["quantization"] == {"dtype": "float16", "original_dtype": "float32"}
    np.testing.assert_array_equal(read["w"], values.astype(np.float16).astype(np.float32))


@pytest.mark.parametrize("kind", KINDS)
def test_constant_weights_are_exact(kind: str) -> None:
    specs, read = quantize_and_decode({"ones": np.full(5, 0.75, np.float32), "zero": np.zeros((), np.float32)}, kind)
    assert all("quantization" in spec for spec in specs)
    np.testing.assert_array_equal(read["ones"], np.full(5, 0.75))
    assert read["zero"] == 0


@pytest.mark.parametrize("kind", KINDS)
def test_weights_that_are_not_quantized(kind: str) -> None:
    tensors = {
        "integer": np.array([1, 300000], np.int32),
        "boolean": np.array([True, False]),
        "nan": np.array([1, np.nan], np.float32),
        "infinite": np.array([-np.inf, 1], np.float32),
        "empty": np.zeros((0, 2), np.float32),
        **({"large": np.array([1, 65520], np.float32)} if kind == "float16" else {}),
    }
    specs, read = quantize_and_decode(tensors, kind)
    assert not any("quantization" in spec for spec in specs)
    for name, values in tensors.items():
        np.testing.assert_array_equal(read[name], values)
    specs, _ = quantize_and_decode({"slot": RANDOM.normal(size=4).astype(np.float32)}, kind, "optimizer")
    assert not any("quantization" in spec for spec in specs)


@pytest.mark.parametrize(
    ("kind", "ratio", "tolerance"), [("float16", 2, 1e-3), ("uint16", 2, 1e-4), ("uint8", 4, 0.03)]
)
def test_quantized_model_round_trip(kind: str, ratio: int, tolerance: float, tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.gru(units=4, input_shape=[5, 3]), tf.layers.dense(units=2)])
    model.compile(optimizer="adam", loss="meanSquaredError")
    model.fit(tf.ones([4, 5, 3]), tf.ones([4, 2]), verbose=0)
    x = RANDOM.normal(size=(3, 5, 3)).astype(np.float32)
    full = model.save(tmp_path / "full")
    small = model.save(tmp_path / "small.zip", quantize=kind)
    sizes = [result.model_artifacts_info.weight_data_bytes for result in (small, full)]
    assert sizes[0] * ratio == sizes[1]
    loaded = tf.load_layers_model(tmp_path / "small.zip")
    np.testing.assert_allclose(loaded.predict(x).numpy(), model.predict(x).numpy(), atol=tolerance)
    # Quantizing again changes nothing: each value is representable already.
    loaded.save(tmp_path / "again", quantize=kind)
    again = tf.load_layers_model(tmp_path / "again")
    np.testing.assert_allclose(again.predict(x).numpy(), loaded.predict(x).numpy(), atol=ROUNDING)
    model.save(tmp_path / "training", quantize=kind, include_optimizer=True)
    trained: Any = tf.load_layers_model(tmp_path / "training").optimizer
    for ours, theirs in zip(model.optimizer.get_weights(), trained.get_weights(), strict=True):
        np.testing.assert_array_equal(ours.tensor.numpy(), theirs.tensor.numpy())


def test_quantized_graph_model_round_trip(tmp_path: Path) -> None:
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
def test_invalid_quantization_raises(name: str, kind: str, tmp_path: Path) -> None:
    model = tf.sequential(layers=[tf.layers.dense(units=1, input_shape=[2])])
    with pytest.raises(ValueError, match="save: argument 'quantize' must be"):
        model.save(tmp_path / name, quantize=kind)
    assert not list(tmp_path.iterdir())
