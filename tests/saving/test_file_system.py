"""Models in the file system: folders, archives, file names, shards, and paths that cannot be read or written."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from saving.small_model import check_same, small_model, zip_with

import tfpy as tf


@pytest.mark.parametrize("name", ["folder", "m.zip", "m.keras", "m.h5", "m.onnx"])
def test_save_returns_model_artifacts_info(name: str, tmp_path: Path) -> None:
    info = small_model().save(tmp_path / name).model_artifacts_info
    assert (info.weight_data_bytes, info["weightDataBytes"]) == (32, 32)
    assert info.date_saved.tzinfo is not None
    assert info.model_topology_type == ("ONNX" if name == "m.onnx" else "JSON")


@pytest.mark.parametrize("name", ["m.ZIP", "m.Keras", "m.H5", "m.ONNX"])
def test_file_extensions_are_case_insensitive(name: str, tmp_path: Path) -> None:
    small_model().save(tmp_path / name)
    assert (tmp_path / name).is_file()
    if name != "m.ONNX":
        check_same(tmp_path / name)


@pytest.mark.parametrize("name", ["m.pb", "m.pt", "m.pth", "m.tflite", "m.PTH"])
def test_saving_to_unsupported_extension_raises(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=rf"{name}: models are not written as \.\w+ files; give .* \.zip, \.keras"):
        small_model().save(tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("path_of", [str, Path, lambda p: p.as_uri(), lambda p: f"file://{p}"])
def test_folder_round_trip(tmp_path: Path, path_of: Any) -> None:
    folder = tmp_path / "my model"
    result = small_model().save(path_of(folder))
    assert sorted(p.name for p in folder.iterdir()) == ["model.json", "weights.bin"]
    assert result.modelArtifactsInfo.weightDataBytes == 32
    check_same(path_of(folder))
    check_same(path_of(folder / "model.json"))


def test_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small_model().save("web/model")
    check_same("web/model")
    check_same("file://web/model/model.json")


def test_custom_name_of_the_json_file(tmp_path: Path) -> None:
    small_model().save(tmp_path / "a.json")
    small_model(0.25).save(tmp_path / "b.json")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "a.weights.bin", "b.json", "b.weights.bin"]
    check_same(tmp_path / "a.json")
    check_same(tmp_path / "b.json", 0.25)
    with pytest.raises(ValueError, match=r"no model\.json \(a\.json, b\.json there\)"):
        tf.load_layers_model(tmp_path)


def test_zip_round_trip_and_overwrite(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    small_model().save(path)
    check_same(path)
    small_model(0.75).save(path)
    check_same(path, 0.75)


def test_archive_with_subfolder_and_other_files(tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "teachable.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("model.json", "weights.bin"):
            archive.write(tmp_path / "m" / name, f"my/export/{name}")
        archive.writestr("my/export/metadata.json", "{}")
        archive.writestr("__MACOSX/my/export/._model.json", "")
    check_same(tmp_path / "teachable.zip")


def test_archive_with_several_models_raises(tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    path = zip_with(tmp_path, "b/model.json", "b/weights.bin", "a/model.json", "a/weights.bin", "a/old/model.json")
    with pytest.raises(tf.io.ModelFileError, match=r"several\.zip: has 2 models.*: a/model\.json, b/model\.json\."):
        tf.load_layers_model(path)


@pytest.mark.parametrize("folder", ["", "my/export/"])
def test_topmost_model_of_an_archive_is_loaded(folder: str, tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    for name in ("labels.json", "._model.json"):
        (tmp_path / "m" / name).write_text("{}")
    others = [f"{folder}{number}/model.json" for number in range(2)]
    junk = ["__MACOSX/model.json", f"{folder}labels.json", f"{folder}._model.json"]
    check_same(zip_with(tmp_path, *junk, *others, f"{folder}model.json", f"{folder}weights.bin"))


def test_archive_with_other_folder_before_the_model(tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    (tmp_path / "m/labels.json").write_text("{}")
    check_same(zip_with(tmp_path, "assets/labels.json", "model/model.json", "model/weights.bin"))


def test_folder_with_a_single_model_of_another_name(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    (tmp_path / "model.json").rename(tmp_path / "export.json")
    (tmp_path / "package.json").write_text("{}")
    check_same(tmp_path)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ValueError, match=r"has no model\.json \(export\.json, other\.json there\)"):
        tf.load_layers_model(tmp_path)


def test_sharded_weights(tmp_path: Path) -> None:
    small_model().save(tf.io.file_system(tmp_path, weight_shard_size_bytes=7))
    assert sorted(p.name for p in tmp_path.glob("*.bin")) == [f"group1-shard{i}of5.bin" for i in range(1, 6)]
    seen: list[float] = []
    check_same(tmp_path, on_progress=seen.append)
    assert seen == [0, 0.2, 0.4, 0.6, 0.8, 1]
    small_model(0.25).save(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.json", "weights.bin"], "the old shards are gone"
    check_same(tmp_path, 0.25)


def test_saving_keeps_unrelated_files(tmp_path: Path) -> None:
    others = ("index.html", "sub/a.weights.bin", "../b.weights.bin")
    folder = tmp_path / "m"
    (folder / "sub").mkdir(parents=True)
    for name in others:
        (folder / name).write_text("page")
    (folder / "model.json").write_text(json.dumps({"weightsManifest": [{"paths": others, "weights": []}]}))
    small_model().save(folder)
    assert [(folder / name).read_text() for name in others] == ["page"] * 3


def test_weights_at_another_location(tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    (tmp_path / "w").mkdir()
    (tmp_path / "m" / "weights.bin").rename(tmp_path / "w" / "weights.bin")
    check_same(tmp_path / "m", weight_path_prefix=str(tmp_path / "w"))
    check_same(tmp_path / "m", weight_path_prefix=(tmp_path / "w").as_uri() + "/")
    check_same(tmp_path / "m", weight_url_converter=lambda name: str(tmp_path / "w" / name))

    async def later(name: str) -> str:
        return str(tmp_path / "w" / name)

    check_same(tmp_path / "m", weight_url_converter=later)


def test_control_characters_in_error_messages_are_escaped(tmp_path: Path) -> None:
    for load in (tf.load_layers_model, tf.load_graph_model, tf.io.load_safetensors):
        with pytest.raises(tf.io.ModelFileError) as error:
            load(tmp_path / "no\x1b[2J")
        assert "no\\x1b[2J" in str(error.value)
        assert "\x1b" not in str(error.value)


@pytest.mark.parametrize("name", ["missing", "missing/model.json", "missing.zip"])
def test_missing_file_raises(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileNotFoundError, match="no such file") as error:
        tf.load_layers_model(tmp_path / name)
    assert isinstance(error.value, tf.io.ModelFileError)


def test_saving_to_a_folder_whose_name_is_a_file_raises(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("mine")
    with pytest.raises(OSError, match=r"model: is a file; give a folder"):
        small_model().save(tmp_path / "model")
    assert (tmp_path / "model").read_text() == "mine"


def test_file_system_handler_refuses_keras_formats(tmp_path: Path) -> None:
    for name in ("m.h5", "m.keras"):
        with pytest.raises(ValueError, match="not written"):
            small_model().save(tf.io.file_system(tmp_path / name))
    for name in ("m.safetensors", "m.weights.h5"):
        with pytest.raises(ValueError, match="can hold only weights; use save_weights"):
            small_model().save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "m.h5").write_bytes(b"\x89HDF\r\n\x1a\n")
    with pytest.raises(ValueError, match="HDF5"):
        tf.load_layers_model(tf.io.file_system(tmp_path / "m.h5"))
    with zipfile.ZipFile(tmp_path / "m.keras", "w") as archive:
        archive.writestr("metadata.json", "{}")
        archive.writestr("config.json", "{}")
    with pytest.raises(ValueError, match=r"\.keras file"):
        tf.load_layers_model(tf.io.file_system(tmp_path / "m.keras"))


@pytest.mark.parametrize("place", ["m", "m.zip"])
def test_unpaired_surrogates_round_trip(tmp_path: Path, place: str) -> None:
    """JSON can hold unpaired surrogates, UTF-8 cannot."""
    model = small_model()
    model.set_user_defined_metadata({"a\ud83d": "\udc00 \U0001f600"})
    model.save(tmp_path / place)
    again = tf.load_layers_model(tmp_path / place)
    assert again.get_user_defined_metadata() == {"a\ud83d": "\udc00 \U0001f600"}
    assert again.to_json() == model.to_json()


def save_to(path: Path) -> None:
    if path.name.endswith((".weights.h5", ".safetensors")):
        small_model().save_weights(path)
    else:
        small_model().save(path)


@pytest.mark.parametrize("name", ["m", "m.json", "m.zip", "m.h5", "m.keras", "m.onnx", "m.weights.h5", "m.safetensors"])
def test_error_names_the_path_that_cannot_be_written(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    place = tmp_path / "file" / name
    with pytest.raises(tf.io.ModelFileError, match=f"^{place}: cannot be written: [^:]*$") as error:
        save_to(place)
    assert isinstance(error.value, OSError)
    with pytest.raises(tf.io.ModelFileError, match=r"\\x00m.*: cannot be written: paths have no NUL characters"):
        save_to(tmp_path / f"a\0{name}")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["m.zip", "m.h5", "m.keras", "m.onnx", "m.weights.h5", "m.safetensors"])
def test_saving_to_a_file_whose_name_is_a_folder_raises(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(tf.io.ModelFileError, match=f"^{tmp_path / name}: cannot be written: [^:]*$"):
        save_to(tmp_path / name)
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["model.zip", "model.keras", "model.h5"])
def test_content_that_contradicts_the_extension_raises(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"no archive")
    with pytest.raises(ValueError, match="is neither a zip archive nor an HDF5 file, in spite of its name"):
        tf.load_layers_model(tmp_path / name)
