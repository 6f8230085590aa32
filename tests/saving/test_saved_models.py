"""The commands for saved models: describe, convert, check for browsers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.saved_models import converted, described, opened, refused

GRAPH = Path(__file__).parents[1] / "graph" / "models" / "convolution"
X = np.ones((1, 3), np.float32)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    model = tf.sequential([tf.layers.dense(units=2, name="first", activation="gelu", input_shape=[3])])
    model.compile(optimizer="adam", loss="meanSquaredError")
    model.save(tmp_path / "web", include_optimizer=True)
    return tmp_path


def test_layers_model_is_described(folder: Path) -> None:
    text = "\n".join(described(str(folder / "web")))
    assert "first (Dense)" in text
    assert "Total params: 8" in text


def test_graph_model_is_described() -> None:
    lines = described(str(GRAPH))
    assert lines[0] == "input   x0: float32, [?, 6, 6, 2]"
    assert lines[-2].startswith("ops     Identity 14, Const 13, Conv2D 3")
    assert lines[-1] == "weights 13 tensors, 556 numbers"


def test_graph_model_is_described_by_its_signature(tmp_path: Path) -> None:
    shutil.copytree(GRAPH, tmp_path / "graph")
    path = tmp_path / "graph" / "model.json"
    model = json.loads(path.read_text(encoding="utf-8"))
    output = model["modelTopology"]["node"][-1]["name"]
    shape = {"dim": [{"size": "-1"}, {"size": "4"}]}
    model["signature"] = {
        "inputs": {"image": {"name": "x0:0", "dtype": "DT_FLOAT"}},
        "outputs": {
            "scores": {"name": f"{output}:0", "dtype": "DT_FLOAT", "tensorShape": shape},
            "indices": {"name": f"{output}:1", "dtype": "DT_INT32"},
        },
    }
    path.write_text(json.dumps(model), encoding="utf-8")
    assert described(str(tmp_path / "graph"))[:3] == [
        "input   image (x0): float32, [?, 6, 6, 2]",
        f"output  scores ({output}): float32, [?, 4]",
        f"output  indices ({output}): int32, any shape",
    ]


@pytest.mark.parametrize("target", ["new", "new/model.json", "new.zip", "new.keras", "new.h5"])
def test_layers_model_is_converted(folder: Path, target: str) -> None:
    converted(str(folder / "web"), str(folder / target), include_optimizer=True, strict=False)
    before, after = opened(str(folder / "web")), opened(str(folder / target))
    assert isinstance(before, tf.LayersModel)
    assert isinstance(after, tf.LayersModel)
    np.testing.assert_array_equal(after.predict(X).numpy(), before.predict(X).numpy())
    assert type(after.optimizer) is type(before.optimizer)


def test_conversion_with_quantization(folder: Path, tmp_path: Path) -> None:
    converted(str(folder / "web"), str(tmp_path / "small"), include_optimizer=False, strict=False, quantize="uint8")
    manifest = json.loads((tmp_path / "small/model.json").read_text(encoding="utf-8"))["weightsManifest"]
    assert all(w["quantization"]["dtype"] == "uint8" for group in manifest for w in group["weights"])
    with pytest.raises(ValueError, match="'quantize' must be None for a file that ends with .h5"):
        converted(str(folder / "web"), str(tmp_path / "m.h5"), include_optimizer=False, strict=False, quantize="uint8")


def test_graph_model_is_converted(tmp_path: Path) -> None:
    converted(str(GRAPH), str(tmp_path / "graph.zip"), include_optimizer=False, strict=True)
    assert described(str(tmp_path / "graph.zip")) == described(str(GRAPH))


def test_browser_incompatibilities_are_reported(folder: Path) -> None:
    assert refused(str(folder / "web")) == []
    beyond = tf.sequential([tf.layers.dense(units=2, activation="exponential", input_shape=[3])])
    beyond.save(folder / "beyond", strict=False)
    (fault,) = refused(str(folder / "beyond"))
    assert "exponential" in fault
    with pytest.raises(ValueError, match="exponential"):
        converted(str(folder / "beyond"), str(folder / "strict"), include_optimizer=False, strict=True)
    assert not (folder / "strict").exists()
    with pytest.raises(ValueError, match="graph model"):
        refused(str(GRAPH))


@pytest.mark.parametrize("command", [described, refused])
def test_missing_model_raises(tmp_path: Path, command: Any) -> None:
    with pytest.raises(ValueError, match="nowhere: no such file"):
        command(str(tmp_path / "nowhere"))
