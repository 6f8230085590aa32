"""Where models are kept: folders, archives, servers, memory, the local store; how they are found and replaced."""

from __future__ import annotations

import asyncio
import gzip
import http.server
import io
import json
import os
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np
import pytest
from graph.handmade import node

import tfpy as tf
from tfpy.core import web
from tfpy.core.io import http as http_places
from tfpy.core.io import router, writing
from tfpy.core.names import camel

X = np.array([[1, 2, 3]], np.float32)


def small_model(value: float = 0.5, units: int = 2) -> tf.Sequential:
    model = tf.sequential(layers=[tf.layers.dense(units=units, input_shape=[3], name="d")], name="small")
    model.set_weights([np.full((3, units), value, np.float32), np.arange(units, dtype=np.float32)])
    return model


def check_same(place: Any, value: float = 0.5, units: int = 2, **options: Any) -> None:
    model = tf.load_layers_model(place, **options)
    np.testing.assert_array_equal(model.predict(X).numpy(), small_model(value, units).predict(X).numpy())


# The file system


@pytest.mark.parametrize("name", ["folder", "m.zip", "m.keras", "m.h5", "m.onnx"])
def test_what_is_said_of_what_was_written(name: str, tmp_path: Path) -> None:
    info = small_model().save(tmp_path / name).model_artifacts_info
    assert (info.weight_data_bytes, info["weightDataBytes"]) == (32, 32)
    assert info.date_saved.tzinfo is not None
    assert info.model_topology_type == ("ONNX" if name == "m.onnx" else "JSON")


@pytest.mark.parametrize("name", ["m.ZIP", "m.Keras", "m.H5", "m.ONNX"])
def test_endings_in_capital_letters_mean_the_same(name: str, tmp_path: Path) -> None:
    small_model().save(tmp_path / name)
    assert (tmp_path / name).is_file()
    if name != "m.ONNX":
        check_same(tmp_path / name)


@pytest.mark.parametrize("name", ["m.pb", "m.pt", "m.pth", "m.tflite", "m.PTH"])
def test_files_of_other_libraries_are_not_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=rf"{name}: models are not written as \.\w+ files; give .* \.zip, \.keras"):
        small_model().save(tmp_path / name)
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("spelt", [str, Path, lambda p: p.as_uri(), lambda p: f"file://{p}"])
def test_folders(tmp_path: Path, spelt: Any) -> None:
    folder = tmp_path / "my model"
    result = small_model().save(spelt(folder))
    assert sorted(p.name for p in folder.iterdir()) == ["model.json", "weights.bin"]
    assert result.modelArtifactsInfo.weightDataBytes == 32
    check_same(spelt(folder))
    check_same(spelt(folder / "model.json"))


def test_a_relative_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    small_model().save("web/model")
    check_same("web/model")
    check_same("file://web/model/model.json")


def test_a_json_file_of_another_name(tmp_path: Path) -> None:
    small_model().save(tmp_path / "a.json")
    small_model(0.25).save(tmp_path / "b.json")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.json", "a.weights.bin", "b.json", "b.weights.bin"]
    check_same(tmp_path / "a.json")
    check_same(tmp_path / "b.json", 0.25)
    with pytest.raises(ValueError, match=r"no model\.json \(a\.json, b\.json there\)"):
        tf.load_layers_model(tmp_path)


def test_archives(tmp_path: Path) -> None:
    path = tmp_path / "model.zip"
    small_model().save(path)
    check_same(path)
    small_model(0.75).save(path)
    check_same(path, 0.75)


def test_an_archive_with_a_folder_and_other_files(tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "teachable.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("model.json", "weights.bin"):
            archive.write(tmp_path / "m" / name, f"my/export/{name}")
        archive.writestr("my/export/metadata.json", "{}")
        archive.writestr("__MACOSX/my/export/._model.json", "")
    check_same(tmp_path / "teachable.zip")


def zip_with(folder: Path, *entries: str) -> Path:
    """An archive of the model of a folder, as each of these entries."""
    path = folder / "several.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for entry in entries:
            archive.write(folder / "m" / Path(entry).name, entry)
    return path


def test_an_archive_with_several_models_is_refused(tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    path = zip_with(tmp_path, "b/model.json", "b/weights.bin", "a/model.json", "a/weights.bin", "a/old/model.json")
    with pytest.raises(tf.io.ModelFileError, match=r"several\.zip: has 2 models.*: a/model\.json, b/model\.json\."):
        tf.load_layers_model(path)


@pytest.mark.parametrize("folder", ["", "my/export/"])
def test_of_the_models_in_an_archive_the_one_above_the_others_is_meant(folder: str, tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    for name in ("labels.json", "._model.json"):
        (tmp_path / "m" / name).write_text("{}")
    others = [f"{folder}{number}/model.json" for number in range(2)]
    junk = ["__MACOSX/model.json", f"{folder}labels.json", f"{folder}._model.json"]
    check_same(zip_with(tmp_path, *junk, *others, f"{folder}model.json", f"{folder}weights.bin"))


def test_an_archive_with_other_files_in_a_folder_before_the_model(tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    (tmp_path / "m/labels.json").write_text("{}")
    check_same(zip_with(tmp_path, "assets/labels.json", "model/model.json", "model/weights.bin"))


def test_a_folder_in_which_the_model_has_another_name(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    (tmp_path / "model.json").rename(tmp_path / "export.json")
    (tmp_path / "package.json").write_text("{}")
    check_same(tmp_path)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ValueError, match=r"has no model\.json \(export\.json, other\.json there\)"):
        tf.load_layers_model(tmp_path)


def test_shards(tmp_path: Path) -> None:
    small_model().save(tf.io.file_system(tmp_path, weight_shard_size_bytes=7))
    assert sorted(p.name for p in tmp_path.glob("*.bin")) == [f"group1-shard{i}of5.bin" for i in range(1, 6)]
    seen: list[float] = []
    check_same(tmp_path, on_progress=seen.append)
    assert seen == [0, 0.2, 0.4, 0.6, 0.8, 1]
    small_model(0.25).save(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["model.json", "weights.bin"], "the old shards are gone"
    check_same(tmp_path, 0.25)


def test_files_of_others_are_left_alone(tmp_path: Path) -> None:
    others = ("index.html", "sub/a.weights.bin", "../b.weights.bin")
    folder = tmp_path / "m"
    (folder / "sub").mkdir(parents=True)
    for name in others:
        (folder / name).write_text("page")
    (folder / "model.json").write_text(json.dumps({"weightsManifest": [{"paths": others, "weights": []}]}))
    small_model().save(folder)
    assert [(folder / name).read_text() for name in others] == ["page"] * 3


def test_weights_elsewhere(tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    (tmp_path / "w").mkdir()
    (tmp_path / "m" / "weights.bin").rename(tmp_path / "w" / "weights.bin")
    check_same(tmp_path / "m", weight_path_prefix=str(tmp_path / "w"))
    check_same(tmp_path / "m", weight_path_prefix=(tmp_path / "w").as_uri() + "/")
    check_same(tmp_path / "m", weight_url_converter=lambda name: str(tmp_path / "w" / name))

    async def later(name: str) -> str:
        return str(tmp_path / "w" / name)

    check_same(tmp_path / "m", weight_url_converter=later)


@pytest.mark.parametrize("name", ["missing", "missing/model.json", "missing.zip"])
def test_nothing_there(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileNotFoundError, match="there is no such file") as error:
        tf.load_layers_model(tmp_path / name)
    assert isinstance(error.value, tf.io.ModelFileError)


def test_a_file_where_the_folder_is_to_be(tmp_path: Path) -> None:
    (tmp_path / "model").write_text("mine")
    with pytest.raises(OSError, match=r"model: is a file; give a folder"):
        small_model().save(tmp_path / "model")
    assert (tmp_path / "model").read_text() == "mine"


def test_formats_that_a_handler_does_not_write_or_read(tmp_path: Path) -> None:
    for name in ("m.h5", "m.keras"):
        with pytest.raises(ValueError, match="not written"):
            small_model().save(tf.io.file_system(tmp_path / name))
    for name in ("m.safetensors", "m.weights.h5"):
        with pytest.raises(ValueError, match="room for weights alone; use save_weights"):
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
def test_halves_of_characters_are_kept(tmp_path: Path, place: str) -> None:
    """JSON may have them, UTF-8 has not."""
    model = small_model()
    model.set_user_defined_metadata({"a\ud83d": "\udc00 \U0001f600"})
    model.save(tmp_path / place)
    again = tf.load_layers_model(tmp_path / place)
    assert again.get_user_defined_metadata() == {"a\ud83d": "\udc00 \U0001f600"}
    assert again.to_json() == model.to_json()


# Replacing


class Crash(BaseException):
    """The end of the process."""


@pytest.mark.parametrize("shard_bytes", [None, 7])
def test_a_crash_leaves_the_old_model_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shard_bytes: int | None
) -> None:
    """Saving is cut off before each of its steps on the file system; what is there always loads."""
    steps = 0
    for cut in range(100):
        folder = tmp_path / str(cut)
        small_model(0.5, 2).save(tf.io.file_system(folder, weight_shard_size_bytes=shard_bytes))
        left = cut

        def counted(function: Any) -> Any:
            def call(*args: Any, **keywords: Any) -> Any:
                nonlocal left
                if left == 0:
                    raise Crash
                left -= 1
                return function(*args, **keywords)

            return call

        with monkeypatch.context() as patch:
            for name in ("replace", "link", "fsync"):
                patch.setattr(writing.os, name, counted(getattr(os, name)))
            patch.setattr(Path, "unlink", counted(Path.unlink))
            try:
                small_model(0.25, 3).save(tf.io.file_system(folder, weight_shard_size_bytes=shard_bytes))
                finished = True
            except Crash:
                finished = False
        model = tf.load_layers_model(folder)
        kernel = model.get_weights()[0].numpy()
        new = kernel.shape == (3, 3)
        assert (kernel == (0.25 if new else 0.5)).all()
        assert new or not finished
        small_model(0.75, 2).save(folder)
        check_same(folder, 0.75)
        if finished:
            steps = cut
            break
    assert steps > 5


def test_file_systems_without_second_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: Any) -> None:
        raise OSError("not supported")

    monkeypatch.setattr(writing.os, "link", no_links)
    for value in (0.5, 0.25, 0.75):
        small_model(value).save(tmp_path)
        check_same(tmp_path, value)
        assert len(list(tmp_path.glob("*.bin"))) == 1


def test_what_cannot_be_written_changes_nothing(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    model = small_model(0.25)
    model.layers[0].units = float("nan")
    with pytest.raises(ValueError, match="JSON"):
        model.save(tmp_path)
    check_same(tmp_path)
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
@pytest.mark.parametrize("name", ["model.zip", "model.json", "weights.bin", "model.keras"])
def test_what_is_no_ordinary_file_is_not_replaced(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / name)
    place = tmp_path if name in ("model.json", "weights.bin") else tmp_path / name
    with pytest.raises(tf.io.ModelFileError, match="cannot be written: it is no ordinary file"):
        small_model().save(place)
    assert (tmp_path / name).is_fifo()


def test_files_can_be_read_by_others(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    umask = os.umask(0)
    os.umask(umask)
    assert {p.stat().st_mode & 0o777 for p in tmp_path.iterdir()} == {0o666 & ~umask}


# Servers


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder, and keeps what is posted."""

    posted: ClassVar[dict[str, Any]] = {}

    def do_POST(self) -> None:
        Handler.posted = {"type": self.headers["Content-Type"], "key": self.headers["X-Key"]}
        Handler.posted["body"] = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200 if self.path == "/upload" else 500)
        self.end_headers()

    def do_GET(self) -> None:
        if self.path.startswith("/packed"):
            found = Path(self.directory, "m", self.path.rpartition("/")[2]).read_bytes()
            body = found if self.path.startswith("/packed/not") else gzip.compress(found)
            self.send_response(200)
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        elif self.path.startswith("/away"):
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    small_model().save(tmp_path / "m")
    small_model().save(tmp_path / "m.zip")
    (tmp_path / "page.html").write_text("<html>")
    made = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Handler(*a, directory=str(tmp_path)))
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()
    thread.join()


def test_loading_from_a_server(server: str) -> None:
    check_same(f"{server}/m/model.json")
    check_same(f"{server}/m/")
    check_same(f"{server}/m")
    check_same(f"{server}/m/model.json?token=1")
    check_same([f"{server}/m/model.json", f"{server}/m/any.bin"])
    check_same(tf.io.http(f"{server}/m/model.json", {"requestInit": {"headers": {"X-Key": "1"}}}))
    check_same(tf.io.http(f"{server}/m/model.json", request_init={"headers": {"X-Key": "1"}}))
    check_same(tf.io.browser_http_request(f"{server}/m/model.json"))
    check_same(f"{server}/m/model.json", weight_path_prefix=f"{server}/m/")
    assert tf.io.isHTTPScheme(server)
    manifest = [{"paths": ["weights.bin"], "weights": [{"name": "w", "shape": [8], "dtype": "float32"}]}]
    assert tf.io.load_weights(manifest, f"{server}/m")["w"].shape == (8,)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/n/model.json", "answers 404"),
        ("/away", "cannot be fetched|unknown url type|answers"),
        ("/nowhere", "nowhere/model.json: the server answers 404"),
        ("/page.html", "not valid JSON"),
    ],
)
def test_a_server_without_the_model(server: str, path: str, message: str) -> None:
    with pytest.raises(tf.io.ModelFileError, match=message):
        tf.load_layers_model(server + path)


def test_names_that_urls_cannot_hold_as_they_are(server: str, tmp_path: Path) -> None:
    """Browsers write them as %xx, and so does TF.js in Node."""
    folder = tmp_path / "ein Modell für é"
    (tmp_path / "m").rename(folder)
    text = (folder / "model.json").read_text().replace("weights.bin", "my gewichté.bin")
    (folder / "model.json").write_text(text)
    (folder / "weights.bin").rename(folder / "my gewichté.bin")
    check_same(f"{server}/ein Modell für é/model.json")
    check_same(f"{server}/ein%20Modell%20f%C3%BCr%20%C3%A9/model.json")
    check_same(f"{server}/ein Modell für é")


def test_the_name_of_a_server() -> None:
    assert web._address("http://bücher.example:80/a b?c=ü") == "http://xn--bcher-kva.example:80/a%20b?c=%C3%BC"
    assert web._address("http://ü:ä@ö.example/") == "http://%C3%BC:%C3%A4@xn--nda.example/"
    assert web._address("https://a.b/%20/x?y=1&z=[2]#t") == "https://a.b/%20/x?y=1&z=[2]#t"


def test_answers_that_come_compressed(server: str) -> None:
    check_same(f"{server}/packed/model.json")
    with pytest.raises(tf.io.ModelFileError, match="cannot be fetched: .*[Gg]zip"):
        tf.load_layers_model(f"{server}/packed/not/model.json")


def test_archives_from_a_server(server: str, tmp_path: Path) -> None:
    for place in (f"{server}/m.zip", f"{server}/m.zip?token=1", tf.io.http(f"{server}/m.zip")):
        check_same(place)
    (tmp_path / "m.zip").rename(tmp_path / "latest")
    seen: list[float] = []
    check_same(f"{server}/latest", on_progress=seen.append)
    assert seen == [0, 1]
    asked: list[str] = []

    def fetch(url: str) -> bytes:
        asked.append(url)
        return (tmp_path / "latest").read_bytes()

    check_same("https://example.test/m.zip", fetch_func=fetch)
    assert asked == ["https://example.test/m.zip"]


def test_graphs_in_archives_from_a_server(server: str, tmp_path: Path) -> None:
    node = {"name": "x", "op": "Placeholder", "attr": {"dtype": {"type": "DT_FLOAT"}}}
    with zipfile.ZipFile(tmp_path / "g.zip", "w") as archive:
        archive.writestr("model.json", json.dumps({"modelTopology": {"node": [node]}, "weightsManifest": []}))
    assert tf.load_graph_model(f"{server}/g.zip").input_nodes == ["x"]


def test_weights_of_an_archive_from_a_server_that_are_elsewhere(server: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "json.zip", "w") as archive:
        archive.write(tmp_path / "m/model.json", "model.json")
    check_same(f"{server}/json.zip", weight_path_prefix=f"{server}/m/")
    check_same([f"{server}/json.zip", f"{server}/m/weights.bin"])
    check_same(tmp_path / "json.zip", weight_path_prefix=str(tmp_path / "m"))
    with pytest.raises(tf.io.ModelFileError, match=r"json\.zip:model\.json: weights\.bin is missing in the archive"):
        tf.load_layers_model(f"{server}/json.zip")


def test_archives_from_a_server_are_bounded(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    size = (tmp_path / "m.zip").stat().st_size
    monkeypatch.setattr(http_places, "MAX_JSON_BYTES", size // 2)
    check_same(f"{server}/m.zip")
    monkeypatch.setattr(http_places, "MAX_ARCHIVE_BYTES", size)
    check_same(f"{server}/m.zip")
    monkeypatch.setattr(http_places, "MAX_ARCHIVE_BYTES", size - 1)
    with pytest.raises(tf.io.ModelFileError, match=rf"m\.zip: archives of more than {size - 1} bytes are only read"):
        tf.load_layers_model(f"{server}/m.zip")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (lambda whole: whole[:-30], r"m\.zip: is not a readable zip archive"),
        (lambda whole: whole.replace(b"weights", b"..ights"), "weights.bin is missing in the archive"),
        (lambda whole: whole.replace(b"model.json", b"model.text"), r"m\.zip: has no model\.json"),
        (lambda whole: zip_of({"metadata.json": b"", "config.json": b""}), r"m\.zip: is a \.keras file; .* its path"),
        (lambda whole: zip_of({"model.json": b"[" * 2**20}), "levels deep"),
        (lambda whole: zip_of({"model.json": b" " * 2**27}), "which no model.json has"),
        (lambda whole: b"\x89HDF\r\n\x1a\n", r"m\.zip: is an HDF5 file; .* its path"),
    ],
)
def test_archives_from_a_server_that_lie(server: str, tmp_path: Path, content: Any, message: str) -> None:
    (tmp_path / "m.zip").write_bytes(content((tmp_path / "m.zip").read_bytes()))
    for load in (tf.load_layers_model, tf.load_graph_model):
        with pytest.raises(tf.io.ModelFileError, match=message):
            load(f"{server}/m.zip")


def zip_of(entries: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return made.getvalue()


def test_no_server() -> None:
    with pytest.raises(OSError, match="cannot be fetched"):
        tf.load_layers_model("http://127.0.0.1:9/model.json")


def test_saving_to_a_server(server: str) -> None:
    handler = tf.io.http(f"{server}/upload", {"requestInit": {"headers": {"X-Key": "secret"}}})
    result = small_model().save(handler)
    answer = result.responses[0]
    assert (answer.ok, answer.status, answer.url, answer.text()) == (True, 200, f"{server}/upload", "")
    assert Handler.posted["key"] == "secret"
    assert Handler.posted["type"].startswith("multipart/form-data; boundary=")
    body = Handler.posted["body"]
    assert b'filename="model.json"' in body
    assert b'filename="model.weights.bin"' in body
    assert b'"paths":["./model.weights.bin"]' in body
    with pytest.raises(OSError, match="answers 500"):
        small_model().save(f"{server}/elsewhere")


def test_a_fetch_function_of_ones_own(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    asked = []

    async def fetch(url: str, init: dict[str, Any]) -> bytes:
        asked.append((url, init))
        return (tmp_path / url.rsplit("/", 1)[1]).read_bytes()

    check_same("https://example.test/model.json", fetch_func=fetch, request_init={"headers": {"A": "1"}})
    assert asked[1] == ("https://example.test/weights.bin", {"headers": {"A": "1"}})

    class Response:
        def __init__(self, status: int) -> None:
            self.status_code, self.content = status, b"{}"

    with pytest.raises(OSError, match="answers 403"):
        tf.load_layers_model("https://example.test/model.json", {"fetchFunc": lambda url: Response(403)})
    with pytest.raises(ValueError, match="without a body"):
        tf.io.http("https://example.test/model.json", {"requestInit": {"body": "x"}})


def test_a_handler_for_a_folder_on_a_server_stays_one_for_it(tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    asked: list[tuple[str, str]] = []

    def fetch(url: str, init: Any) -> bytes:
        asked.append((init.get("method", "GET"), url.removeprefix("https://example.test/")))
        return b"<html>" if url.endswith("m") else (tmp_path / asked[-1][1]).read_bytes()

    handler = tf.io.http("https://example.test/m", fetch_func=fetch)
    for _ in range(2):
        check_same(handler)
        assert asked == [("GET", "m"), ("GET", "m/model.json"), ("GET", "m/weights.bin")]
        asked.clear()
    small_model().save(handler)
    assert asked == [("POST", "m")]


@pytest.mark.parametrize("answer", ["{}", None, 3, SimpleNamespace(content="{}"), SimpleNamespace()])
def test_what_a_fetch_function_must_return(answer: Any) -> None:
    with pytest.raises(TypeError, match="m.json: fetch_func must return bytes or a response, but got "):
        tf.load_layers_model("https://example.test/m.json", fetch_func=lambda url: answer)


def test_answers_that_need_not_be_closed(tmp_path: Path) -> None:
    small_model().save(tmp_path)

    def fetch(url: str) -> Any:
        return SimpleNamespace(read=io.BytesIO((tmp_path / url.rsplit("/", 1)[1]).read_bytes()).read)

    check_same("https://example.test/model.json", fetch_func=fetch)


# Memory


def test_a_dict(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    content = json.loads((tmp_path / "model.json").read_text())
    check_same(content, weight_path_prefix=str(tmp_path))
    with pytest.raises(ValueError, match="weight_path_prefix"):
        tf.load_layers_model(content)
    data = (tmp_path / "weights.bin").read_bytes()
    artifacts = tf.io.get_model_artifacts_for_json_sync(
        content, tf.io.get_weight_specs(content["weightsManifest"]), data
    )
    check_same(artifacts)
    check_same(dict(artifacts))

    async def weights(manifest: Any) -> Any:
        return tf.io.get_weight_specs(manifest), data

    check_same(tf.io.get_model_artifacts_for_json(content, weights))
    bare = {"modelTopology": content["modelTopology"]}
    assert tf.io.get_model_artifacts_for_json(bare, weights).weight_data is None
    check_same(tf.io.from_memory(artifacts))
    check_same(tf.io.from_memory_sync(content["modelTopology"], artifacts.weight_specs, data))
    model = tf.load_layers_model(content["modelTopology"])
    assert model.count_params() == 8


def test_handlers_may_change_what_makes_up_a_model() -> None:
    kept: list[Any] = []
    small_model().save(tf.io.with_save_handler(kept.append))
    (artifacts,) = kept
    artifacts.weightSpecs = artifacts.weight_specs[:1]
    artifacts["user_defined_metadata"] = {"by": "hand"}
    assert len(artifacts["weightSpecs"]) == 1
    assert artifacts.userDefinedMetadata == {"by": "hand"}
    again = tf.load_layers_model(tf.io.from_memory(artifacts), strict=False)
    assert again.getUserDefinedMetadata() == {"by": "hand"}
    del artifacts["weightSpecs"]
    assert artifacts.weight_specs is None


def test_handlers_of_ones_own(tmp_path: Path) -> None:
    kept: list[Any] = []

    async def save(artifacts: Any) -> dict[str, Any]:
        kept.append(artifacts)
        return {"modelArtifactsInfo": {"modelTopologyType": "JSON"}}

    async def load() -> Any:
        return kept[0]

    result = small_model().save(tf.io.with_save_handler(save))
    assert result.model_artifacts_info["modelTopologyType"] == "JSON"
    small_model().save({"save": kept.append})
    small_model().save(tf.io.with_save_handler_sync(lambda artifacts: None))
    assert kept[0].generatedBy.startswith("tfpy")
    assert kept[0].weight_specs[0] == {"name": "d/kernel", "shape": [3, 2], "dtype": "float32"}
    check_same({"load": load})
    with pytest.raises(AttributeError, match="no 'weights'"):
        _ = kept[0].weights


@pytest.mark.parametrize("kind", ["iterator", "list", "bytes", "file", "async function", "async generator"])
@pytest.mark.parametrize("options", [{}, {"streamWeights": True}])
def test_handlers_may_give_weights_as_a_stream(kind: str, options: dict[str, Any]) -> None:
    kept: list[Any] = []
    small_model().save({"save": kept.append})
    artifacts = dict(kept[0])
    data = artifacts.pop("weightData")
    pieces = [data[:5], data[5:]]

    async def later() -> Any:
        return iter(pieces)

    async def one_by_one() -> Any:
        for piece in pieces:
            yield piece

    streams = {
        **{"iterator": lambda: iter(pieces), "list": lambda: pieces, "bytes": lambda: data},
        **{"file": lambda: io.BytesIO(data), "async function": later, "async generator": one_by_one},
    }
    artifacts["getWeightStream"] = streams[kind]
    check_same({"load": lambda: artifacts}, **options)
    check_same(tf.io.from_memory(artifacts), **options)
    check_same(artifacts, **options)


def test_graphs_take_streams_and_have_bytes_then(tmp_path: Path) -> None:
    topology = {"node": [node("x", "Placeholder"), node("k", "Const"), node("y", "Mul", "x", "k")]}
    specs = [{"name": "k", "shape": [], "dtype": "float32"}]
    given = {
        "modelTopology": topology,
        "weightSpecs": specs,
        "getWeightStream": lambda: iter([np.float32([2]).tobytes()]),
    }
    models = [tf.load_graph_model({"load": lambda: given}, stream_weights=True), tf.load_graph_model_sync(given)]
    models.append(tf.GraphModel("nowhere"))
    assert models[2].load_sync(given)
    models[0].save(tmp_path)
    for graph in (*models, tf.load_graph_model(tmp_path)):
        assert graph.predict(tf.ones([2])).array_sync() == [2, 2]


def test_weights_that_are_described_must_be_there() -> None:
    kept: list[Any] = []
    small_model().save({"save": kept.append})
    artifacts = {name: value for name, value in kept[0].items() if name != "weightData"}
    for place in ({"load": lambda: artifacts}, tf.io.from_memory(artifacts), artifacts):
        with pytest.raises(tf.io.ModelFileError, match="has weightSpecs, but no weightData"):
            tf.load_layers_model(place)
    with pytest.raises(tf.io.ModelFileError, match="model artifacts: has weightSpecs, but no weightData"):
        tf.GraphModel("nowhere").load_sync(artifacts)


def test_handlers_are_given_all_weights_in_one_piece() -> None:
    model, kept = small_model(), []
    model.compile(optimizer=tf.train.adam(0.1), loss="meanSquaredError")
    model.save({"save": kept.append}, include_optimizer=True)
    (artifacts,) = kept
    assert isinstance(artifacts.weight_data, bytes)
    assert len(artifacts.weight_data) == sum(4 * int(np.prod(spec["shape"])) for spec in artifacts.weight_specs)
    assert artifacts.training_config["metrics"] == {}, "as TF.js has it where there are none"


def test_everything_may_be_awaited(tmp_path: Path) -> None:
    async def round_trip() -> Any:
        await small_model().save(tmp_path)
        return await tf.load_layers_model(tmp_path)

    np.testing.assert_array_equal(asyncio.run(round_trip()).predict(X).numpy(), small_model().predict(X).numpy())


def test_files_in_hand(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    files = [tmp_path / "model.json", tmp_path / "weights.bin"]
    handler = tf.io.browser_files(files)
    check_same(handler)
    check_same(handler)
    with files[0].open("rb") as first, files[1].open("rb") as second:
        check_same(tf.io.browser_files([first, second]))
    with files[0].open("rb") as first, files[1].open("rb") as second:
        named = [
            SimpleNamespace(name=rf"C:\model\{f.name}", read=s.read, seek=s.seek)
            for f, s in zip(files, (first, second), strict=True)
        ]
        check_same(tf.io.browser_files(named))
    assert tf.load_layers_model(tf.io.browser_files(files[:1])).count_params() == 8
    (tmp_path / "more.bin").write_bytes(b"")
    with pytest.raises(ValueError, match=r"does not name the weight files more\.bin"):
        tf.load_layers_model(tf.io.browser_files([*files, tmp_path / "more.bin"]))
    with pytest.raises(ValueError, match=r"weights\.bin was not given"):
        tf.load_layers_model(tf.io.browser_files([files[0], tmp_path / "more.bin"]))
    with pytest.raises(ValueError, match="at least one file"):
        tf.io.browser_files([])
    with pytest.raises(TypeError, match="with a name"):
        tf.io.browser_files([io.BytesIO()])


# Routers


@pytest.fixture
def routers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Routers registered in a test are forgotten."""
    monkeypatch.setattr(router, "_save_routers", list(router._save_routers))
    monkeypatch.setattr(router, "_load_routers", list(router._load_routers))


@pytest.mark.usefixtures("routers")
def test_routers(tmp_path: Path) -> None:
    memory: dict[str, Any] = {}

    class InDict:
        def __init__(self, url: str) -> None:
            self.url = url

        def save(self, artifacts: Any) -> None:
            memory[self.url] = artifacts

        def load(self) -> Any:
            return memory[self.url]

    tf.io.register_save_router(lambda url: InDict(url) if str(url).startswith("mem://") else None)
    tf.io.register_load_router(lambda url, options: InDict(url) if str(url).startswith("mem://") else None)
    small_model().save("mem://a")
    check_same("mem://a")
    assert [type(h) for h in tf.io.get_load_handlers("mem://a")] == [InDict]
    assert tf.io.get_save_handlers("other://a") == []
    tf.io.registerLoadRouter(lambda url: InDict(url))
    with pytest.raises(ValueError, match="2 handlers were found"):
        tf.load_layers_model("mem://a")


@pytest.mark.usefixtures("routers")
def test_routers_are_told_what_the_user_says() -> None:
    heard: list[Any] = []
    tf.io.register_load_router(lambda url, options: heard.append(options))
    said = {"strict": False, "from_tf_hub": True, "stream_weights": True, "request_init": {"headers": {}}}
    for load in (tf.load_layers_model, tf.load_graph_model):
        with pytest.raises(ValueError, match="nothing here can load"):
            load("mem://a", **said)
        options = heard.pop()
        assert {name: options[name] for name in said} == said
        assert options.weightPathPrefix is options["weightPathPrefix"] is options["weight_path_prefix"] is None
        assert set(options) == {camel(name) for name in tf.io.LoadOptions.__annotations__}
    with pytest.raises(TypeError, match=r"http: unknown option 'strickt'.*strict"):
        tf.io.http("http://a/b", {"strickt": True})
    with pytest.raises(TypeError, match=r"GraphModel: argument 'load_options' must be a dict of options"):
        tf.GraphModel("a", 7)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("other://a", "nothing here can load 'other://a'"),
        ("", "a path, a URL, or a handler"),
        (None, "a path, a URL, or a handler"),
        (7, "a path, a URL, or a handler"),
        ('{"modelTopology": "' + 300 * "x" + '"}', r"of the text of a model\.json, give json\.loads\(text\)"),
        (300 * "x", r"cannot be read|no such file"),  # too long for a name, which Python 3.14 takes for 'not there'
        (b"bytes", "a path, a URL, or a handler"),
    ],
)
def test_places_that_mean_nothing(place: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        tf.load_layers_model(place)


def test_saving_nowhere() -> None:
    with pytest.raises(ValueError, match="nothing here can save"):
        small_model().save("other://a")
    with pytest.raises(ValueError, match="downloads belong to browsers"):
        small_model().save("downloads://my-model")
    with pytest.raises(TypeError, match="handler_or_url|save method|a path"):
        small_model().save(object())


# The local store


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TFPY_MODELS", str(tmp_path / "store"))
    return tmp_path / "store"


def test_the_local_store(store: Path) -> None:
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
        with pytest.raises(ValueError, match="another place"):
            tf.io.move_model("localstorage://moved", same)
    check_same("localstorage://moved")
    assert tf.io.remove_model("localstorage://my/model-1").modelTopologyType == "JSON"
    assert list(tf.io.list_models()) == ["localstorage://moved"]
    with pytest.raises(FileNotFoundError, match="no such model"):
        tf.load_layers_model("localstorage://my/model-1")
    with pytest.raises(ValueError, match="another URL"):
        tf.io.copy_model("localstorage://moved", "localstorage://moved")
    with pytest.raises(ValueError, match="local store"):
        tf.io.remove_model("file:///tmp")


def test_damaged_models_of_the_store_can_be_listed_and_removed(store: Path) -> None:
    for name in ("whole", "cut", "weightless"):
        small_model().save(f"localstorage://{name}")
    (store / "localstorage/cut/model.json").write_text("{")
    (store / "localstorage/weightless/model.weights.bin").unlink()
    assert {url: info.weight_data_bytes for url, info in tf.io.list_models().items()} == {
        "localstorage://cut": 0, "localstorage://weightless": 0, "localstorage://whole": 32,
    }  # fmt: skip
    tf.io.remove_model("localstorage://cut")
    tf.io.remove_model("localstorage://weightless")
    assert list(tf.io.list_models()) == ["localstorage://whole"]
    with pytest.raises(FileNotFoundError, match="no such model"):
        tf.load_layers_model(f"localstorage://{'a' * 300}")


@pytest.mark.parametrize("name", ["..", "../../x", "/etc/x", ".hidden", "a%2Fb", "C:\\x"])
def test_names_in_the_store_lead_nowhere_else(store: Path, name: str) -> None:
    small_model().save(f"localstorage://{name}")
    assert [p.parent for p in (store / "localstorage").iterdir()] == [store / "localstorage"]
    assert list(store.parent.iterdir()) == [store]
    assert list(tf.io.list_models()) == [f"localstorage://{name}"]


@pytest.mark.parametrize(
    "name", ["m.json", "model.json", "m.zip", "m.h5", "m.keras", "m.onnx", "m.safetensors", "v1.2"]
)
def test_names_in_the_store_may_end_like_those_of_files(store: Path, name: str) -> None:
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


def save_at(path: Path) -> None:
    if path.name.endswith((".weights.h5", ".safetensors")):
        small_model().save_weights(path)
    else:
        small_model().save(path)


@pytest.mark.parametrize("name", ["m", "m.json", "m.zip", "m.h5", "m.keras", "m.onnx", "m.weights.h5", "m.safetensors"])
def test_a_place_that_cannot_be_written_to_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    place = tmp_path / "file" / name
    with pytest.raises(tf.io.ModelFileError, match=f"^{place}: cannot be written: [^:]*$") as error:
        save_at(place)
    assert isinstance(error.value, OSError)
    with pytest.raises(tf.io.ModelFileError, match=r"\\x00m.*: cannot be written: paths have no NUL characters"):
        save_at(tmp_path / f"a\0{name}")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["m.zip", "m.h5", "m.keras", "m.onnx", "m.weights.h5", "m.safetensors"])
def test_a_folder_where_the_file_is_to_be(name: str, tmp_path: Path) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(tf.io.ModelFileError, match=f"^{tmp_path / name}: cannot be written: [^:]*$"):
        save_at(tmp_path / name)
    assert [p.name for p in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["model.zip", "model.keras", "model.h5"])
def test_a_file_that_is_not_what_its_name_says(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"no archive")
    with pytest.raises(ValueError, match="is not what its name says, but neither a zip archive nor an HDF5 file"):
        tf.load_layers_model(tmp_path / name)
