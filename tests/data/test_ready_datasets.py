"""tf.datasets: bundled data sets, and downloads from a local server."""

from __future__ import annotations

import gzip
import hashlib
import io
import logging
import os
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pooch
import pytest
from tolerance import ACCUMULATED

import tfpy as tf
from tfpy.datasets import downloads
from tfpy.datasets.formats import cifar_records, idx_array

PACKAGE = Path(downloads.__file__).parent


# Bundled data sets


def test_iris_matches_published_statistics() -> None:
    """Means and standard deviations are those of R's `iris`, which has Fisher's data."""
    x, y = tf.datasets.iris()
    assert (x.shape, x.dtype, y.dtype) == ((150, 4), np.float32, np.int32)
    assert np.bincount(y).tolist() == [50, 50, 50]
    np.testing.assert_allclose(x.mean(0), [5.843333, 3.057333, 3.758000, 1.199333], atol=ACCUMULATED)
    np.testing.assert_allclose(x.std(0, ddof=1), [0.8280661, 0.4358663, 1.7652982, 0.7622377], atol=ACCUMULATED)
    means = [[5.006, 3.428, 1.462, 0.246], [5.936, 2.770, 4.260, 1.326], [6.588, 2.974, 5.552, 2.026]]
    np.testing.assert_allclose([x[y == k].mean(0) for k in range(3)], means, atol=ACCUMULATED)


SCRIPT = """
import tfpy as tf
assert ".zip" in tf.__file__
assert len(tf.datasets.iris().x) == 150
assert len(tf.datasets.japanese_vowels().train.x) == 270
path = tf.datasets.path("sonnets.txt")
assert path == tf.datasets.path("sonnets.txt")
print(path, len(path.read_text()) > 1000)
"""


def test_data_sets_of_a_zipped_package(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "app.zip", "w") as archive:
        for file in PACKAGE.parent.rglob("*"):
            if file.is_file() and file.suffix != ".pyc":
                archive.write(file, file.relative_to(PACKAGE.parent.parent))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "app.zip"), "TFPY_BACKEND": "cpu"}
    command = [sys.executable, "-c", SCRIPT]
    process = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    path, complete = process.stdout.split()
    assert complete == "True"
    assert not Path(path).exists(), "the copy is deleted when the program ends"


def test_housing_is_reproducible() -> None:
    train, test = tf.datasets.housing()
    assert (train.x.shape, train.y.shape, test.x.shape, train.x.dtype) == ((404, 12), (404,), (102, 12), np.float32)
    again = tf.datasets.housing(seed=1)
    np.testing.assert_array_equal(again.test.x, test.x)
    assert not np.array_equal(tf.datasets.housing(seed=2).test.x, test.x)
    x, y = np.concatenate([train.x, test.x]), np.concatenate([train.y, test.y])
    assert (y >= 5).all()
    assert (y <= 50).all()
    rooms, poverty = np.corrcoef(x[:, 5], y)[0, 1], np.corrcoef(x[:, 11], y)[0, 1]
    assert rooms > 0.5 > -0.5 > poverty
    for count in (5, 10, 1000):
        assert len(tf.datasets.housing(count).train.x) == count * 4 / 5
    for count in (0, 1, 4):
        with pytest.raises(ValueError, match="housing: argument 'samples' must be"):
            tf.datasets.housing(count)
    with pytest.raises(ValueError, match="housing: argument 'seed' must be a whole number of 0 or more"):
        tf.datasets.housing(seed=-1)


def test_sonnets_are_complete() -> None:
    text = tf.datasets.sonnets()
    lengths = [len(sonnet.split("\n")) for sonnet in text.rstrip("\n").split("\n\n")]
    assert lengths == [{99: 15, 126: 12}.get(n, 14) for n in range(1, 155)]
    assert text.isascii()
    assert text.startswith("From fairest creatures we desire increase,")


def test_japanese_vowels_are_padded_sequences() -> None:
    """The numbers of utterances per speaker are those that the authors state."""
    train, test = tf.datasets.japanese_vowels()
    assert (train.x.shape, test.x.shape, train.x.dtype) == ((270, 29, 12), (370, 29, 12), np.float32)
    assert np.bincount(train.y).tolist() == [30] * 9
    assert np.bincount(test.y).tolist() == [31, 35, 88, 44, 29, 24, 40, 50, 29]
    for x, longest in ((train.x, 26), (test.x, 29)):
        lengths = (x != 0).any(2).sum(1)
        assert (lengths.min(), lengths.max()) == (7, longest)
        assert all(not x[i, length:].any() for i, length in enumerate(lengths))


def test_bundled_files_are_small_and_state_their_license() -> None:
    rows = tf.data.csv(tf.datasets.path("iris.csv"), column_configs={"species": {"is_label": True}})
    assert rows.take(1).to_array()[0]["ys"] == {"species": "setosa"}
    with pytest.raises(ValueError, match="iris.csv"):
        tf.datasets.path("iris")
    for file in PACKAGE.glob("*"):
        if file.suffix in (".csv", ".txt", ".gz"):
            assert file.stat().st_size < 300_000
            about = (PACKAGE / f"{file.name.partition('.')[0]}.md").read_text(encoding="utf-8").lower()
            assert "licen" in about or "public domain" in about


# Downloads


class FileServer:
    """An HTTP server of the files in a folder that records its requests."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.requests: list[str] = []
        outer = self

        class Handler(SimpleHTTPRequestHandler):
            def log_message(self, *args: Any) -> None:
                outer.requests.append(self.path)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def add(self, name: str, data: bytes) -> str:
        """Add a file and return its checksum."""
        (self.folder / name).write_bytes(data)
        return hashlib.sha256(data).hexdigest()


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FileServer]:
    pooch.get_logger().setLevel(logging.ERROR)
    monkeypatch.setenv("TFPY_DATA", str(tmp_path / "cache"))
    (tmp_path / "web").mkdir()
    server = FileServer(tmp_path / "web")
    thread = Thread(target=server.server.serve_forever)
    thread.start()
    yield server
    server.server.shutdown()
    thread.join()
    server.server.server_close()


def idx(array: np.ndarray[Any, np.dtype[np.uint8]]) -> bytes:
    """An array as a gzipped IDX file."""
    header = bytes([0, 0, 8, array.ndim]) + b"".join(n.to_bytes(4, "big") for n in array.shape)
    return gzip.compress(header + array.tobytes())


def digits(count: int) -> tuple[Any, Any]:
    x = np.arange(count * 28 * 28, dtype=np.uint32).astype(np.uint8).reshape(count, 28, 28)
    return x, (np.arange(count) % 10).astype(np.uint8)


@pytest.mark.parametrize(("name", "files"), [("mnist", "MNIST"), ("fashion_mnist", "FASHION_MNIST")])
def test_mnist_and_fashion_mnist(name: str, files: str, server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    sums = {}
    for part, count in (("train", 5), ("t10k", 3)):
        x, y = digits(count)
        sums[f"{part}-images-idx3-ubyte.gz"] = server.add(f"{part}-images-idx3-ubyte.gz", idx(x))
        sums[f"{part}-labels-idx1-ubyte.gz"] = server.add(f"{part}-labels-idx1-ubyte.gz", idx(y))
    monkeypatch.setattr(downloads, files, getattr(downloads, files)._replace(sums=sums))
    for _ in range(2):
        (x_train, y_train), (x_test, y_test) = getattr(tf.datasets, name)(server.url)
        np.testing.assert_array_equal(x_train, digits(5)[0])
        assert (x_train.dtype, y_train.dtype) == (np.uint8, np.int32)
        np.random.default_rng(0).shuffle(x_train)  # in place
        assert y_test.tolist() == [0, 1, 2]
        assert x_test.shape == (3, 28, 28)
    assert len(server.requests) == 4, "cached files are not downloaded again"


def cifar(names: list[str], records: int) -> bytes:
    """An archive in the format of CIFAR-10: all pixels of record r are r, except the first of each channel."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name in names:
            data = np.zeros((records, 3073), np.uint8)
            data[:] = np.arange(records)[:, None]
            data[:, [1, 1025, 2049]] = [200, 201, 202]
            member = tarfile.TarInfo(f"cifar-10-batches-bin/{name}")
            member.size = data.size
            tar.addfile(member, io.BytesIO(data.tobytes()))
    return out.getvalue()


BATCHES = [*(f"data_batch_{i}.bin" for i in range(1, 6)), "test_batch.bin"]


def test_cifar10(server: FileServer, monkeypatch: pytest.MonkeyPatch) -> None:
    checksum = server.add("cifar-10-binary.tar.gz", cifar(BATCHES, 4))
    monkeypatch.setattr(downloads, "CIFAR10", downloads.CIFAR10._replace(sums={"cifar-10-binary.tar.gz": checksum}))
    (x_train, y_train), test = tf.datasets.cifar10(mirror=f"{server.url}/")
    assert x_train.shape == (20, 32, 32, 3)
    assert y_train.tolist() == [0, 1, 2, 3] * 5
    assert test["x"][2, 0, 0].tolist() == [200, 201, 202]
    assert test.x[2, 31, 31].tolist() == [2, 2, 2]


def test_text_download(server: FileServer) -> None:
    checksum = server.add("poem.txt", "Ö\n".encode())
    assert tf.datasets.text(f"{server.url}/poem.txt", checksum) == "Ö\n"
    assert tf.datasets.text(f"{server.url}/poem.txt", checksum) == "Ö\n"
    assert len(server.requests) == 1
    server.add("latin.txt", b"caf\xe9")
    with pytest.raises(ValueError, match=r"latin\.txt is not text in UTF-8 \(byte 3\)"):
        tf.datasets.text(f"{server.url}/latin.txt")


@pytest.mark.parametrize("address", [5, "nope", "file:///tmp/x.txt", "doi:10.1/x", "http://[::1"])
@pytest.mark.parametrize("load", [tf.datasets.text, tf.datasets.mnist, tf.datasets.cifar10])
def test_invalid_address_raises(load: Any, address: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="argument '(url|mirror)' must be an? "):
        load(address)


def test_wrong_checksum_and_missing_files_raise(server: FileServer, tmp_path: Path) -> None:
    server.add("train-images-idx3-ubyte.gz", b"something else")
    with pytest.raises(ValueError, match="hash"):
        tf.datasets.mnist(server.url)
    assert not list((tmp_path / "cache").rglob("*ubyte*"))
    with pytest.raises(RuntimeError, match="none.txt.*404"):
        tf.datasets.text(f"{server.url}/none.txt")
    with pytest.raises(RuntimeError, match="127.0.0.1:1"):
        tf.datasets.text("http://127.0.0.1:1/none.txt")


def test_missing_pooch_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pooch", None)
    for load in (
        tf.datasets.mnist,
        tf.datasets.fashion_mnist,
        tf.datasets.cifar10,
        lambda: tf.datasets.text("http://x"),
    ):
        with pytest.raises(ImportError, match=r"extra 'data'.*tfpy\[data\]"):
            load()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0\0\x08",
        b"\0\0\x09\x01\0\0\0\x01a",
        b"\0\0\x08\x02\0\0\0\x01a",
        b"\0\0\x08\x01\0\0\0\x02a",
        b"\0\0\x08\x01\xff\xff\xff\xffa",
    ],
)
def test_invalid_idx_file_raises(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.gz").write_bytes(gzip.compress(data))
    with pytest.raises(ValueError, match="x.gz"):
        idx_array(tmp_path / "x.gz", 1)


@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda data: data[:12] + b"\xff" * 9, lambda data: b"?" + data]
)
def test_damaged_gzip_file_raises(damage: Any, tmp_path: Path) -> None:
    (tmp_path / "x.gz").write_bytes(damage(gzip.compress(b"\0\0\x08\x01\0\0\0\x01a")))
    with pytest.raises(ValueError, match="x.gz cannot be unpacked"):
        idx_array(tmp_path / "x.gz", 1)
    (tmp_path / "x.tar.gz").write_bytes(damage(cifar(["a.bin"], 2)))
    with pytest.raises(ValueError, match="x.tar.gz cannot be unpacked"):
        cifar_records(tmp_path / "x.tar.gz", ["a.bin"])


def test_invalid_cifar_archive_raises(tmp_path: Path) -> None:
    (tmp_path / "x.tar.gz").write_bytes(cifar(["a.bin", "empty.bin"], 2))
    with pytest.raises(ValueError, match="b.bin"):
        cifar_records(tmp_path / "x.tar.gz", ["a.bin", "b.bin"])
    (tmp_path / "y.tar.gz").write_bytes(cifar(["a.bin"], 0))
    with pytest.raises(ValueError, match="a.bin"):
        cifar_records(tmp_path / "y.tar.gz", ["a.bin"])
