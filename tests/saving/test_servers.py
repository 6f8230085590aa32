"""Loading models from HTTP servers and sending models to them."""

from __future__ import annotations

import gzip
import http.server
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from saving.small_model import check_same, small_model, zip_of

import tfpy as tf
from tfpy.core.io import http as http_places
from tfpy.core.system import web


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder and records what is posted."""

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
    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), lambda *a: Handler(*a, directory=str(tmp_path)))
    thread = threading.Thread(target=httpd.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{httpd.server_port}"
    httpd.shutdown()
    httpd.server_close()
    thread.join()


def test_load_from_server(server: str) -> None:
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
        ("/n/model.json", "responds with 404"),
        ("/away", "cannot be fetched|unknown url type|responds"),
        ("/nowhere", "nowhere/model.json: the server responds with 404"),
        ("/page.html", "not valid JSON"),
    ],
)
def test_missing_or_invalid_model_on_server_raises(server: str, path: str, message: str) -> None:
    with pytest.raises(tf.io.ModelFileError, match=message):
        tf.load_layers_model(server + path)


def test_special_characters_in_urls_are_percent_encoded(server: str, tmp_path: Path) -> None:
    """Browsers encode them, and so does TF.js in Node."""
    folder = tmp_path / "ein Modell für é"
    (tmp_path / "m").rename(folder)
    text = (folder / "model.json").read_text().replace("weights.bin", "my gewichté.bin")
    (folder / "model.json").write_text(text)
    (folder / "weights.bin").rename(folder / "my gewichté.bin")
    check_same(f"{server}/ein Modell für é/model.json")
    check_same(f"{server}/ein%20Modell%20f%C3%BCr%20%C3%A9/model.json")
    check_same(f"{server}/ein Modell für é")


def test_international_host_names_are_encoded() -> None:
    assert web._address("http://bücher.example:80/a b?c=ü") == "http://xn--bcher-kva.example:80/a%20b?c=%C3%BC"
    assert web._address("http://ü:ä@ö.example/") == "http://%C3%BC:%C3%A4@xn--nda.example/"
    assert web._address("https://a.b/%20/x?y=1&z=[2]#t") == "https://a.b/%20/x?y=1&z=[2]#t"


def test_gzip_responses_are_decompressed(server: str) -> None:
    check_same(f"{server}/packed/model.json")
    with pytest.raises(tf.io.ModelFileError, match="cannot be fetched: .*[Gg]zip"):
        tf.load_layers_model(f"{server}/packed/not/model.json")


def test_archive_from_server(server: str, tmp_path: Path) -> None:
    for place in (f"{server}/m.zip", f"{server}/m.zip?token=1", tf.io.http(f"{server}/m.zip")):
        check_same(place)
    (tmp_path / "m.zip").rename(tmp_path / "latest")
    seen: list[float] = []
    check_same(f"{server}/latest", on_progress=seen.append)
    assert seen == [0, 1]
    requested: list[str] = []

    def fetch(url: str) -> bytes:
        requested.append(url)
        return (tmp_path / "latest").read_bytes()

    check_same("https://example.test/m.zip", fetch_func=fetch)
    assert requested == ["https://example.test/m.zip"]


def test_graph_model_in_archive_from_server(server: str, tmp_path: Path) -> None:
    node = {"name": "x", "op": "Placeholder", "attr": {"dtype": {"type": "DT_FLOAT"}}}
    with zipfile.ZipFile(tmp_path / "g.zip", "w") as archive:
        archive.writestr("model.json", json.dumps({"modelTopology": {"node": [node]}, "weightsManifest": []}))
    assert tf.load_graph_model(f"{server}/g.zip").input_nodes == ["x"]


def test_archive_from_server_with_weights_at_another_location(server: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "json.zip", "w") as archive:
        archive.write(tmp_path / "m/model.json", "model.json")
    check_same(f"{server}/json.zip", weight_path_prefix=f"{server}/m/")
    check_same([f"{server}/json.zip", f"{server}/m/weights.bin"])
    check_same(tmp_path / "json.zip", weight_path_prefix=str(tmp_path / "m"))
    with pytest.raises(tf.io.ModelFileError, match=r"json\.zip:model\.json: weights\.bin is missing from the archive"):
        tf.load_layers_model(f"{server}/json.zip")


def test_archive_from_server_beyond_the_size_limit_raises(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
        (lambda archive: archive[:-30], r"m\.zip: is not a readable zip archive"),
        (lambda archive: archive.replace(b"weights", b"..ights"), "weights.bin is missing from the archive"),
        (lambda archive: archive.replace(b"model.json", b"model.text"), r"m\.zip: has no model\.json"),
        (lambda archive: zip_of({"metadata.json": b"", "config.json": b""}), r"m\.zip: is a \.keras file; .* its path"),
        (lambda archive: zip_of({"model.json": b"[" * 2**20}), "levels deep"),
        (lambda archive: zip_of({"model.json": b" " * 2**27}), "too many for a model.json"),
        (lambda archive: b"\x89HDF\r\n\x1a\n", r"m\.zip: is an HDF5 file; .* its path"),
    ],
)
def test_invalid_archive_from_server_raises(server: str, tmp_path: Path, content: Any, message: str) -> None:
    (tmp_path / "m.zip").write_bytes(content((tmp_path / "m.zip").read_bytes()))
    for load in (tf.load_layers_model, tf.load_graph_model):
        with pytest.raises(tf.io.ModelFileError, match=message):
            load(f"{server}/m.zip")


def test_unreachable_server_raises() -> None:
    with pytest.raises(OSError, match="cannot be fetched"):
        tf.load_layers_model("http://127.0.0.1:9/model.json")


def test_save_to_server(server: str) -> None:
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
    small_model().save(tf.io.http(f"{server}/upload", request_init={"headers": None}))
    assert Handler.posted["key"] is None
    with pytest.raises(OSError, match="responds with 500"):
        small_model().save(f"{server}/elsewhere")


def test_custom_fetch_function(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    requested = []

    async def fetch(url: str, init: dict[str, Any]) -> bytes:
        requested.append((url, init))
        return (tmp_path / url.rsplit("/", 1)[1]).read_bytes()

    check_same("https://example.test/model.json", fetch_func=fetch, request_init={"headers": {"A": "1"}})
    assert requested[1] == ("https://example.test/weights.bin", {"headers": {"A": "1"}})

    class Response:
        def __init__(self, status: int) -> None:
            self.status_code, self.content = status, b"{}"

    with pytest.raises(OSError, match="responds with 403"):
        tf.load_layers_model("https://example.test/model.json", {"fetchFunc": lambda url: Response(403)})
    with pytest.raises(ValueError, match="without a body"):
        tf.io.http("https://example.test/model.json", {"requestInit": {"body": "x"}})


def test_handler_for_a_server_folder_can_be_reused(tmp_path: Path) -> None:
    small_model().save(tmp_path / "m")
    requested: list[tuple[str, str]] = []

    def fetch(url: str, init: Any) -> bytes:
        requested.append((init.get("method", "GET"), url.removeprefix("https://example.test/")))
        return b"<html>" if url.endswith("m") else (tmp_path / requested[-1][1]).read_bytes()

    handler = tf.io.http("https://example.test/m", fetch_func=fetch)
    for _ in range(2):
        check_same(handler)
        assert requested == [("GET", "m"), ("GET", "m/model.json"), ("GET", "m/weights.bin")]
        requested.clear()
    small_model().save(handler)
    assert requested == [("POST", "m")]


@pytest.mark.parametrize("answer", ["{}", None, 3, SimpleNamespace(content="{}"), SimpleNamespace()])
def test_invalid_result_of_fetch_function_raises(answer: Any) -> None:
    with pytest.raises(TypeError, match="m.json: fetch_func must return bytes or a response, but got "):
        tf.load_layers_model("https://example.test/m.json", fetch_func=lambda url: answer)


def test_response_without_close_method(tmp_path: Path) -> None:
    small_model().save(tmp_path)

    def fetch(url: str) -> Any:
        return SimpleNamespace(read=io.BytesIO((tmp_path / url.rsplit("/", 1)[1]).read_bytes()).read)

    check_same("https://example.test/model.json", fetch_func=fetch)
