"""The local store of models."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from saving.small_model import check_same, small_model

import tfpy as tf


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TFPY_MODELS", str(tmp_path / "store"))
    return tmp_path / "store"


def test_list_copy_move_and_remove(store: Path) -> None:
    assert tf.io.list_models() == {}
    small_model().save("localstorage://my/model-1")
    check_same("localstorage://my/model-1")
    info = tf.io.copy_model("localstorage://my/model-1", "indexeddb://copy")
    assert info.weightDataBytes == 32
    assert list(tf.io.list_models()) == ["localstorage://my/model-1", "indexeddb://copy"]
    os.utime(store / "indexeddb/copy/model.json", (10**9, 10**9))
    info = tf.io.list_models()["indexeddb://copy"]
    assert (info.weight_data_bytes, info.date_saved.timestamp()) == (32, 10**9)
    tf.io.move_model("indexeddb://copy", "localstorage://moved")
    for same in ("localstorage://moved", "LocalStorage://moved", store / "localstorage/moved/model.json"):
        with pytest.raises(ValueError, match="a place other"):
            tf.io.move_model("localstorage://moved", same)
    check_same("localstorage://moved")
    assert tf.io.remove_model("localstorage://my/model-1").modelTopologyType == "JSON"
    assert list(tf.io.list_models()) == ["localstorage://moved"]
    with pytest.raises(FileNotFoundError, match="no such model"):
        tf.load_layers_model("localstorage://my/model-1")
    with pytest.raises(ValueError, match="a URL other"):
        tf.io.copy_model("localstorage://moved", "localstorage://moved")
    with pytest.raises(ValueError, match="local store"):
        tf.io.remove_model("file:///tmp")


def test_damaged_models_can_be_listed_and_removed(store: Path) -> None:
    for name in ("intact", "truncated", "weightless"):
        small_model().save(f"localstorage://{name}")
    (store / "localstorage/truncated/model.json").write_text("{")
    (store / "localstorage/weightless/model.weights.bin").unlink()
    surrogate = store / "localstorage/surrogate/model.json"
    surrogate.parent.mkdir()
    surrogate.write_text(json.dumps({"weightsManifest": [{"paths": ["\ud800"], "weights": []}]}))
    assert {url: info.weight_data_bytes for url, info in tf.io.list_models().items()} == {
        "localstorage://truncated": 0, "localstorage://surrogate": 0, "localstorage://weightless": 0, "localstorage://intact": 32,
    }  # fmt: skip
    tf.io.remove_model("localstorage://truncated")
    tf.io.remove_model("localstorage://surrogate")
    tf.io.remove_model("localstorage://weightless")
    assert list(tf.io.list_models()) == ["localstorage://intact"]
    with pytest.raises(FileNotFoundError, match="no such model"):
        tf.load_layers_model(f"localstorage://{'a' * 300}")


@pytest.mark.parametrize("name", ["..", "../../x", "/etc/x", ".hidden", "a%2Fb", "C:\\x"])
def test_model_names_cannot_escape_the_store(store: Path, name: str) -> None:
    small_model().save(f"localstorage://{name}")
    assert [p.parent for p in (store / "localstorage").iterdir()] == [store / "localstorage"]
    assert list(store.parent.iterdir()) == [store]
    assert list(tf.io.list_models()) == [f"localstorage://{name}"]


@pytest.mark.parametrize(
    "name", ["m.json", "model.json", "m.zip", "m.h5", "m.keras", "m.onnx", "m.safetensors", "v1.2"]
)
def test_model_names_may_have_file_extensions(store: Path, name: str) -> None:
    for value in (0.5, 0.25):
        small_model(value).save(f"localstorage://{name}")
        check_same(f"localstorage://{name}", value)
    assert tf.io.list_models()[f"localstorage://{name}"].weight_data_bytes == 32
    tf.io.move_model(f"localstorage://{name}", f"indexeddb://{name}")
    assert list(tf.io.list_models()) == [f"indexeddb://{name}"]
    tf.io.remove_model(f"indexeddb://{name}")
    assert [list(folder.iterdir()) for folder in store.iterdir()] == [[], []]


def test_copies_between_the_store_and_files(store: Path, tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    tf.io.copy_model(str(tmp_path / "m"), "localstorage://m")
    tf.io.copyModel("localstorage://m", f"file://{tmp_path / 'back'}")
    check_same(tmp_path / "back")


@pytest.mark.parametrize(
    ("name", "folder"),
    [
        ("my-model_1.2", "my-model_1.2"),
        ("Model", "%4Dodel"),
        ("a.", "a%2E"),
        ("..", "%2E%2E"),
        ("a b", "a%20b"),
        ("größe", "gr%C3%B6%C3%9Fe"),
        ("con", "%63%6F%6E"),
        ("nul.txt", "%6E%75%6C.txt"),
        ("com1", "%63%6F%6D1"),
        ("console", "console"),
        ("com10", "com10"),
    ],
)
def test_folders_of_models_have_names_that_every_system_accepts(store: Path, name: str, folder: str) -> None:
    """Windows drops dots at the end and has names of devices; there and on macOS, capitals are like small letters."""
    small_model().save(f"localstorage://{name}")
    assert [path.name for path in (store / "localstorage").iterdir()] == [folder]
    assert list(tf.io.list_models()) == [f"localstorage://{name}"]
