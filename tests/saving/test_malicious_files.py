"""Invalid and malicious model files: the error names file and field, no tensors leak, memory is bounded."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from growth import growth

import tfpy as tf
from tfpy.core.variable import registered_variables
from tfpy.engine.handle import accounting
from tfpy.layers.saving.topology import _Reader


def save(folder: Path) -> dict[str, Any]:
    """A small functional model in a folder, and its model.json."""
    x = tf.input(shape=[3], name="x")
    y = tf.layers.dense(units=2, name="d")(tf.layers.dense(units=3, name="c")(x))
    tf.model(inputs=x, outputs=y, name="m").save(folder)
    content: dict[str, Any] = json.loads((folder / "model.json").read_text())
    return content


def layer(content: dict[str, Any], i: int) -> dict[str, Any]:
    found: dict[str, Any] = content["modelTopology"]["config"]["layers"][i]
    return found


def weights(content: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = content["weightsManifest"][0]["weights"]
    return found


def set_entry(*path: Any, to: Any) -> Callable[[dict[str, Any]], None]:
    """A function that changes one entry of a model.json."""

    def change(content: Any) -> None:
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = to

    return change


def nest(levels: int) -> Any:
    value: Any = {}
    for _ in range(levels):
        value = {"config": value}
    return value


TOPOLOGY = ("modelTopology", "config")
FIRST_GROUP = ("weightsManifest", 0)
CHANGES: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "no topology": (set_entry("modelTopology", to=None), "modelTopology must be an object"),
    "topology is a list": (set_entry("modelTopology", to=[1]), "modelTopology must be an object"),
    "no class": (set_entry("modelTopology", "class_name", to=None), "must have a class_name"),
    "class is not a model": (set_entry("modelTopology", "class_name", to="Dense"), "the name of a model"),
    "unknown class": (set_entry("modelTopology", "class_name", to="Modell"), "Unknown model 'Modell'.*Did you mean 'Model'"),
    "no layers": (set_entry(*TOPOLOGY, "layers", to=None), "layers must be a list"),
    "layer is a number": (set_entry(*TOPOLOGY, "layers", 1, to=7), r"layers\[1\] must be an object"),
    "unknown layer": (set_entry(*TOPOLOGY, "layers", 1, "class_name", to="Dens"), r"layers\[1\] \('c'\): .*Did you mean 'Dense'"),
    "model config is a list": (set_entry(*TOPOLOGY, to=[1]), "model: config must be an object, but is \\[1\\]"),
    "layer config is a number": (set_entry(*TOPOLOGY, "layers", 1, "config", to=3), r"layers\[1\] \('c'\): .*config': options"),
    "initializer config is a string": (
        set_entry(*TOPOLOGY, "layers", 1, "config", "kernel_initializer", to={"class_name": "Zeros", "config": "x"}),
        r"layers\[1\] \('c'\): .*config': options",
    ),
    "option of wrong type": (set_entry(*TOPOLOGY, "layers", 1, "config", "units", to="many"), r"layers\[1\] \('c'\): .*units"),
    "option out of range": (set_entry(*TOPOLOGY, "layers", 1, "config", "units", to=10**300), "layer c: .*more than 2147483647 elements"),
    "unknown activation": (set_entry(*TOPOLOGY, "layers", 1, "config", "activation", to="rleu"), "Did you mean 'relu'"),
    "constraint axis out of range": (
        set_entry(*TOPOLOGY, "layers", 1, "config", "kernel_constraint", to={"class_name": "MaxNorm", "config": {"axis": 7}}),
        "weights of the model cannot be created: sum: argument 'axis' must be an axis from -2 to 1, but got 7",
    ),
    "duplicate layer name": (set_entry(*TOPOLOGY, "layers", 2, "name", to="c"), "already used"),
    "inbound nodes are not a list": (set_entry(*TOPOLOGY, "layers", 1, "inbound_nodes", to=3), "layer c: inbound_nodes must be a list"),
    "call on unknown layer": (set_entry(*TOPOLOGY, "layers", 1, "inbound_nodes", to=[[["z", 0, 0, {}]]]), "a layer 'z' that does not exist"),
    "cyclic call": (set_entry(*TOPOLOGY, "layers", 1, "inbound_nodes", to=[[["d", 0, 0, {}]]]), "which is never made"),
    "call index out of range": (set_entry(*TOPOLOGY, "layers", 1, "inbound_nodes", to=[[["x", 10**9, 0, {}]]]), "needs call 1000000000 of layer x"),
    "output index out of range": (set_entry(*TOPOLOGY, "layers", 1, "inbound_nodes", to=[[["x", 0, 5, {}]]]), "no output 5"),
    "negative call index": (set_entry(*TOPOLOGY, "layers", 1, "inbound_nodes", to=[[["x", -1, 0, {}]]]), r"\[layer, call, output\]"),
    "unknown input layer": (set_entry(*TOPOLOGY, "input_layers", to=[["z", 0, 0]]), "input_layers refers to a layer 'z'"),
    "output layers are not a list": (set_entry(*TOPOLOGY, "output_layers", to="d"), "output_layers must be a list"),
    "input layer of another class": (set_entry(*TOPOLOGY, "input_layers", to=[["c", 0, 0]]), "inputs"),
    "invalid input dtype": (set_entry(*TOPOLOGY, "layers", 0, "config", "dtype", to="x"), r"layers\[0\] \('x'\): .*'dtype' must be one of"),
    "size out of range": (set_entry(*TOPOLOGY, "layers", 0, "config", "batch_input_shape", to=[None, 10**300]), "for at most 2147483647 elements"),
    "number out of range": (set_entry(*TOPOLOGY, "layers", 1, "config", "units", to=10**400), "is not valid JSON: 1000.*out of the range of JavaScript's numbers"),
    "rank out of range": (set_entry(*TOPOLOGY, "layers", 0, "config", "batch_input_shape", to=[1] * 70), "at most 64 sizes"),
    "layer config is a list": (set_entry(*TOPOLOGY, "layers", 1, "config", to=["x"]), r"layers\[1\] \('c'\): layer: config must be an object"),
    "negative size": (set_entry(*TOPOLOGY, "layers", 0, "config", "batch_input_shape", to=[None, -3]), "sizes of 0 or more"),
    "deep nesting": (set_entry(*TOPOLOGY, "name", to=nest(300)), "levels deep"),
    "manifest is an object": (set_entry("weightsManifest", to={}), "weightsManifest must be a list"),
    "no paths": (set_entry(*FIRST_GROUP, "paths", to=None), r"weightsManifest\[0\]\.paths must be a list"),
    "too few files": (set_entry(*FIRST_GROUP, "paths", to=[]), "but no file at all has 0"),
    "missing file": (set_entry(*FIRST_GROUP, "paths", to=["w.bin"]), r"w\.bin: is missing"),
    "duplicate file": (set_entry(*FIRST_GROUP, "paths", to=["weights.bin"] * 2), "have together more"),
    "path is a folder": (set_entry(*FIRST_GROUP, "paths", to=["."]), "is not a regular file"),
    "dtype differs": (set_entry(*FIRST_GROUP, "weights", 0, "dtype", to="int32"), "'c/kernel' is int32"),
    "unknown dtype": (set_entry(*FIRST_GROUP, "weights", 0, "dtype", to="float99"), r"weights\[0\] \(c/kernel\)\.dtype"),
    "shape differs": (set_entry(*FIRST_GROUP, "weights", 0, "shape", to=[9]), r"'c/kernel' is float32 of shape \[9\]"),
    "smaller shape": (set_entry(*FIRST_GROUP, "weights", 0, "shape", to=[1]), "take 48 bytes, but .*has more"),
    "larger shape": (set_entry(*FIRST_GROUP, "weights", 0, "shape", to=[99, 3]), r"take \d+ bytes, but .*has 80"),
    "huge shape": (set_entry(*FIRST_GROUP, "weights", 0, "shape", to=[2**40, 2**40]), "at most"),
    "shape overflows": (set_entry(*FIRST_GROUP, "weights", 0, "shape", to=[0, 2**62]), "at most"),
    "duplicate weight name": (set_entry(*FIRST_GROUP, "weights", 1, "name", to="c/kernel"), "two weights named 'c/kernel'"),
    "weight name differs": (set_entry(*FIRST_GROUP, "weights", 1, "name", to="c/bais"), "'c/bais'.*Did you mean 'c/bias'"),
    "infinite scale": (
        set_entry(*FIRST_GROUP, "weights", 0, "quantization", to={"dtype": "uint8", "scale": 1e999, "min": 0}),
        "is not valid JSON|finite",
    ),
    "training config is a list": (set_entry("trainingConfig", to=[1]), "trainingConfig must be an object"),
    "metadata are a list": (set_entry("userDefinedMetadata", to=[1]), "userDefinedMetadata must be an object"),
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
def test_invalid_entry_of_model_json_raises(name: str, tmp_path: Path) -> None:
    change, message = CHANGES[name]
    content = save(tmp_path)
    change(content)
    (tmp_path / "model.json").write_text(json.dumps(content))
    variables, tensors = registered_variables(), accounting.tensors
    with pytest.raises(tf.io.ModelFileError, match=message) as error:
        tf.load_layers_model(tmp_path)
    assert str(tmp_path) in str(error.value)
    assert registered_variables() == variables
    assert accounting.tensors == tensors


def test_duplicate_layer_name_in_sequential_raises(tmp_path: Path) -> None:
    layers = [tf.layers.dense(units=2, input_shape=[2], name="d"), tf.layers.dense(units=2, name="e")]
    tf.sequential(layers=layers).save(tmp_path)
    content = json.loads((tmp_path / "model.json").read_text())
    layer(content, 1)["config"]["name"] = "d"
    (tmp_path / "model.json").write_text(json.dumps(content))
    with pytest.raises(tf.io.ModelFileError, match=r"model\.json: .*the layer name 'd' is used 2 times"):
        tf.load_layers_model(tmp_path)


def test_failing_initializer_raises(tmp_path: Path) -> None:
    """Initializers run if the file has no weights."""
    content = save(tmp_path)
    layer(content, 1)["config"]["kernel_initializer"] = {"class_name": "RandomNormal", "config": {"seed": {"a": 1}}}
    with pytest.raises(tf.io.ModelFileError, match="the weights of the model cannot be created"):
        tf.models.model_from_json(content["modelTopology"])


@pytest.mark.parametrize("path", ["../secret.bin", "a/../../secret.bin", "/etc/passwd", "..\\secret.bin", "C:\\x", "%2e%2e/secret.bin",
                                  "file:///etc/passwd", "\\\\server\\x", "a\0b", "", " ", None, 3, ["x"]])  # fmt: skip
def test_weight_path_outside_the_folder_raises(path: Any, tmp_path: Path) -> None:
    content = save(tmp_path / "m")
    (tmp_path / "secret.bin").write_bytes((tmp_path / "m" / "weights.bin").read_bytes())
    content["weightsManifest"][0]["paths"] = [path]
    (tmp_path / "m" / "model.json").write_text(json.dumps(content))
    with pytest.raises(tf.io.ModelFileError, match=r"weightsManifest\[0\]\.paths\[0\] must be a file"):
        tf.load_layers_model(tmp_path / "m")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is not valid JSON"),
        (b"{", "is not valid JSON"),
        (b"\xff\xfe", "is not UTF-8"),
        (b"[]", "must hold a JSON object"),
        (b'{"a": NaN}', "NaN is not a JSON number"),
        (b'{"a": -Infinity}', "-Infinity is not a JSON number"),
        (b"[" * 100_000, "levels deep"),
        (b'{"a": -1e999}', "-1e999 is out of the range"),
        (b'{"a":' * 300 + b"1" + b"}" * 300, "levels deep"),
        (b'{"a": ' + b"1" * 5000 + b"}", "is not valid JSON"),
        (b"PK\x03\x04", "is not a readable zip archive"),
        (b"{}" + b" " * (64 * 2**20), "bytes, too many for a model.json"),
    ],
    ids=lambda v: str(v)[:20],
)
def test_malformed_model_json_raises(text: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_bytes(text)
    for load in (tf.load_layers_model, tf.load_graph_model):
        with pytest.raises(tf.io.ModelFileError, match=message) as error:
            load(tmp_path)
        assert "model.json" in str(error.value)


@pytest.mark.parametrize("size", [0, 1, 79, 81, 1000])
def test_weights_file_of_wrong_size_raises(size: int, tmp_path: Path) -> None:
    save(tmp_path)
    (tmp_path / "weights.bin").write_bytes(b"\0" * size)
    with pytest.raises(
        tf.io.ModelFileError, match=r"model\.json: the weights of weightsManifest\[0\] take 80 bytes, but"
    ):
        tf.load_layers_model(tmp_path)


def test_named_pipe_raises(tmp_path: Path) -> None:
    save(tmp_path)
    (tmp_path / "weights.bin").unlink()
    os.mkfifo(tmp_path / "weights.bin")
    with pytest.raises(tf.io.ModelFileError, match="is not a regular file"):
        tf.load_layers_model(tmp_path)
    os.mkfifo(tmp_path / "fifo.json")
    with pytest.raises(tf.io.ModelFileError, match="is not a regular file"):
        tf.load_layers_model(tmp_path / "fifo.json")


def test_loading_with_the_wrong_function_names_the_right_one(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps({"modelTopology": {"node": []}, "weightsManifest": []}))
    with pytest.raises(ValueError, match="load it with tf.load_graph_model"):
        tf.load_layers_model(tmp_path)
    save(tmp_path)
    with pytest.raises(ValueError, match="load it with tf.load_layers_model"):
        tf.load_graph_model(tmp_path)


def test_memory_is_bounded_by_the_file_sizes(tmp_path: Path) -> None:
    """Manifest and topology ask for gigabytes, which the file does not have."""
    content = save(tmp_path)
    layer(content, 1)["config"]["units"] = 100_000_000
    weights(content)[0]["shape"] = [3, 100_000_000]
    (tmp_path / "model.json").write_text(json.dumps(content))
    tracemalloc.start()
    with pytest.raises(tf.io.ModelFileError, match="take"):
        tf.load_layers_model(tmp_path)
    assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    tracemalloc.stop()


# Archives


def archive(path: Path, entries: dict[str, bytes], **options: Any) -> Path:
    with zipfile.ZipFile(path, "w", options.pop("compression", zipfile.ZIP_DEFLATED)) as file:
        for name, data in entries.items():
            file.writestr(name, data)
    return path


def test_zip_bomb_raises(tmp_path: Path) -> None:
    """The weights match the manifest, but unpack to a thousand times the size of the archive."""
    content = save(tmp_path / "m")
    zeros = b"\0" * (200 * 2**20)
    weights(content)[0] |= {"shape": [len(zeros) // 4 - 11]}
    path = archive(tmp_path / "bomb.zip", {"model.json": json.dumps(content).encode(), "weights.bin": zeros})
    assert path.stat().st_size < 2**20
    tracemalloc.start()
    with pytest.raises(tf.io.ModelFileError, match="would unpack to"):
        tf.load_layers_model(path)
    assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    tracemalloc.stop()


def test_invalid_archives_raise(tmp_path: Path) -> None:
    content = json.dumps(save(tmp_path / "m")).encode()
    data = (tmp_path / "m" / "weights.bin").read_bytes()
    good = {"model.json": content, "weights.bin": data}
    tf.load_layers_model(archive(tmp_path / "good.zip", good))
    for name, entries, message in [
        ("empty", {}, r"has no model\.json"),
        ("missing", {"model.json": content}, r"weights\.bin is missing from the archive"),
        ("elsewhere", {"model.json": content, "../weights.bin": data}, "is missing from the archive"),
        ("short", {**good, "weights.bin": data[:-1]}, "take 80 bytes"),
        ("large", {**good, "weights.bin": data + b"x"}, "take 80 bytes"),
        ("two", {"a.json": content, "b.json": content}, r"has no model\.json \(a\.json, b\.json there\)"),
    ]:
        with pytest.raises(tf.io.ModelFileError, match=message):
            tf.load_layers_model(archive(tmp_path / f"{name}.zip", entries))
    with pytest.raises(tf.io.ModelFileError, match="unsupported compression"):
        tf.load_layers_model(archive(tmp_path / "lzma.zip", good, compression=zipfile.ZIP_LZMA))
    stored = archive(tmp_path / "stored.zip", good, compression=zipfile.ZIP_STORED)
    damaged = bytearray(stored.read_bytes())
    damaged[damaged.index(data) + 3] ^= 255
    stored.write_bytes(damaged)
    with pytest.raises(tf.io.ModelFileError, match="is damaged"):
        tf.load_layers_model(stored)
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_dir()) == ["m"], "nothing was unpacked"


@pytest.mark.slow
def test_states_of_huge_batches_are_not_allocated(tmp_path: Path) -> None:
    """The model loads in a process limited to 1 GB of memory."""
    layers = [tf.layers.simple_rnn(units=1, batch_input_shape=[2, 3, 1], stateful=True, name="r")]
    tf.sequential(layers=layers).save(tmp_path)
    content = json.loads((tmp_path / "model.json").read_text())
    content["modelTopology"]["config"]["layers"][0]["config"]["batch_input_shape"] = [2**29, 3, 1]
    (tmp_path / "model.json").write_text(json.dumps(content))
    code = f"import tfpy as tf; print(tf.load_layers_model({str(tmp_path)!r}).count_params())"
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))  # noqa: E731
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, preexec_fn=limit, check=True,
                          env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})  # fmt: skip
    assert done.stdout.strip() == "3"


def test_nan_weights_are_loaded(tmp_path: Path) -> None:
    """As in TF.js: a model whose training diverged can be inspected."""
    save(tmp_path)
    (tmp_path / "weights.bin").write_bytes(np.full(20, np.nan, np.float32).tobytes())
    assert np.isnan(tf.load_layers_model(tmp_path).weights[0].numpy()).all()


def nested(levels: int) -> dict[str, Any]:
    """A model that calls a model twice, which calls a model twice, and so on: small as a file, large if expanded."""
    own, inner = f"m{levels}", f"m{levels - 1}"
    entry: dict[str, Any] = {"batch_input_shape": [None, 2], "dtype": "float32", "name": "x"}
    config = nested(levels - 1) if levels else {"class_name": "Dense", "config": {"units": 2, "name": inner}}
    first = int(levels > 0)  # the first call of a model is its own graph
    calls = [[["x", 0, 0, {}]], [[inner, first, 0, {}]]]
    layers = [
        {"class_name": "InputLayer", "config": entry, "name": "x", "inbound_nodes": []},
        {**config, "name": inner, "inbound_nodes": calls},
    ]
    ends = {"input_layers": [["x", 0, 0]], "output_layers": [[inner, first + 1, 0]]}
    return {"class_name": "Model", "config": {"name": own, "layers": layers, **ends}}


def test_nested_models_are_processed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {"read": 0, "shapes": 0}

    def counted(kind: str, function: Any) -> Any:
        def call(*args: Any) -> Any:
            counts[kind] += 1
            return function(*args)

        return call

    monkeypatch.setattr(_Reader, "object", counted("read", _Reader.object))
    dense = type(tf.layers.dense(units=1))
    monkeypatch.setattr(dense, "compute_output_shape", counted("shapes", dense.compute_output_shape))
    model = tf.models.model_from_json(nested(10))
    assert model.output_shape == (None, 2)
    assert counts["read"] == 23  # an object for each layer and each model
    assert counts["shapes"] < 10


def test_loading_many_empty_files_takes_linear_time() -> None:
    def read(count: int) -> None:
        manifest = [{"paths": ["empty.bin"] * count, "weights": []}]
        text = json.dumps({"modelTopology": {}, "weightsManifest": manifest}).encode()
        tf.io.http("https://example.test/model.json", fetch_func=lambda url: text if "json" in url else b"").load()

    assert growth(read, 2_000) < 30
