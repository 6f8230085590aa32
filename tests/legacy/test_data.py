"""Input providers, data sets in memory and in files, checkpoints, and PNG decoding."""

from __future__ import annotations

import asyncio
import functools
import http.server
import json
import os
import struct
import threading
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy import legacy as dl
from tfpy.legacy.datasets.files import decode_png, read_bytes

A1 = dl.Array1D.new


# Providers


@pytest.mark.parametrize(
    "builder", [dl.InCPUMemoryShuffledInputProviderBuilder, dl.InGPUMemoryShuffledInputProviderBuilder]
)
def test_providers_return_matching_examples_in_shuffled_order(math: dl.NDArrayMathCPU, builder: Any) -> None:
    tf.set_seed(5)
    shuffled = builder([[A1([i]) for i in range(6)], [A1([10 * i]) for i in range(6)]])
    p, q = shuffled.getInputProviders()
    pairs = [(p.getNextCopy(math).get(0), q.get_next_copy(math).get(0)) for _ in range(12)]
    assert all(b == 10 * a for a, b in pairs)
    assert sorted(a for a, _ in pairs[:6]) == list(range(6))
    assert pairs[6:] == pairs[:6], "the order is the same in every epoch"
    assert shuffled.getEpoch() == 2


def test_example_advances_after_one_copy_per_list(math: dl.NDArrayMathCPU) -> None:
    shuffled = dl.InCPUMemoryShuffledInputProviderBuilder([[A1([i]) for i in range(3)], [A1([i]) for i in range(3)]])
    p = shuffled.get_input_provider(0)
    taken = [p.get_next_copy(math).get(0) for _ in range(6)]
    assert taken[0::2] == taken[1::2]
    assert sorted(taken[0::2]) == [0, 1, 2]


def test_copies_are_independent(math: dl.NDArrayMathCPU) -> None:
    original = A1([1, 2])
    p = dl.InCPUMemoryShuffledInputProviderBuilder([[original]]).get_input_providers()[0]
    copy = p.get_next_copy(math)
    copy.set(9, 0)
    assert original.get(0) == 1
    p.dispose_copy(math, copy)
    assert copy.is_disposed
    again = p.get_next_copy()
    p.disposeCopy(again)
    assert again.is_disposed
    assert not original.is_disposed


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "same number"),
        ([[]], "same number"),
        ([[1], [1, 2]], "arrays only"),
        (lambda: [[A1([1])], [A1([1]), A1([2])]], "same number"),
        (lambda: [[A1([1]), A1([1, 2])]], "one shape"),
        (lambda: [A1([1])], "a list of arrays"),
    ],
)
def test_invalid_inputs_raise(inputs: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        dl.InCPUMemoryShuffledInputProviderBuilder(inputs() if callable(inputs) else inputs)
    good = dl.InCPUMemoryShuffledInputProviderBuilder([[A1([1])]])
    with pytest.raises(ValueError, match="input_id"):
        good.get_input_provider(1)


# Data sets in memory


class Twos(dl.InputProvider):
    """A provider in deeplearn.js's spelling, with the arguments of 0.5."""

    def getNextCopy(self) -> dl.NDArray:
        return dl.Scalar.new(2)

    def disposeCopy(self, copy: dl.NDArray) -> None:
        copy.dispose()


def test_providers_may_be_subclasses(math: dl.NDArrayMathCPU) -> None:
    class Builder(dl.InCPUMemoryShuffledInputProviderBuilder):
        def getInputProvider(self, input_id: int) -> Any:
            return Twos()

    graph = dl.Graph()
    x = graph.placeholder("x", [])
    providers = Builder([[dl.Scalar.new(1)]]).get_input_providers()
    for provider in (Twos(), *providers):
        assert dl.Session(graph, math).eval(graph.square(x), [dl.FeedEntry(x, provider)]).get() == 4
    with pytest.raises(TypeError, match="InputProvider: a provider must define get_next_copy"):
        dl.InputProvider().getNextCopy()
    with pytest.raises(TypeError, match="InputProvider: a provider must define dispose_copy"):
        dl.InputProvider().disposeCopy(dl.Scalar.new(1))


class Points(dl.InMemoryDataset):
    def __init__(self, examples: Any = ((0, 10), (4, 20), (2, 20))) -> None:
        super().__init__([[2]])
        self.examples = examples

    def fetch_data(self) -> None:
        self.dataset = [[A1(list(e)) for e in self.examples]]


def test_normalization_is_elementwise_and_reversible() -> None:
    points = Points()
    points.fetch_data()
    assert not points.is_normalized(0)
    points.normalizeWithinBounds(0, -1, 1)
    assert [list(e.get_values()) for e in points.get_data()[0]] == [[-1, -1], [1, 1], [0, 1]]
    assert points.isNormalized(0)
    points.normalize_within_bounds(0, 0, 1)
    assert [list(e.get_values()) for e in points.get_data()[0]] == [[0, 0], [1, 1], [0.5, 1]]
    back = points.unnormalizeExamples([A1([0.5, 0.5])], 0)
    assert list(back[0].get_values()) == [2, 15]
    points.removeNormalization(0)
    assert [list(e.get_values()) for e in points.get_data()[0]] == [[0, 10], [4, 20], [2, 20]]
    assert points.getDataShape(0) == (2,)
    arrays = points.get_data()[0]
    points.dispose()
    assert points.get_data() == []
    assert all(array.is_disposed for array in arrays)


def test_data_set_keeps_its_examples_beyond_the_scope(math: dl.NDArrayMathCPU) -> None:
    points = Points()
    math.scope(lambda: points.fetch_data())
    math.scope(lambda: points.normalize_within_bounds(0, -1, 1))
    assert [list(e.get_values()) for e in points.get_data()[0]] == [[-1, -1], [1, 1], [0, 1]]
    math.scope(lambda: points.remove_normalization(0))
    assert [list(e.get_values()) for e in points.get_data()[0]] == [[0, 10], [4, 20], [2, 20]]


def test_fetching_again_resets_normalization() -> None:
    points = Points()
    for examples, mapped in ((((0, 10), (4, 20)), [[0, 0], [1, 1]]), (((2, 8), (2, 7)), [[0, 1], [0, 0]])):
        points.examples = examples
        points.fetch_data()
        assert not points.is_normalized(0)
        points.normalize_within_bounds(0, 0, 1)
        assert [list(e.get_values()) for e in points.get_data()[0]] == mapped


def test_builder_keeps_its_examples_beyond_the_scope(math: dl.NDArrayMathCPU) -> None:
    builders: list[dl.InCPUMemoryShuffledInputProviderBuilder] = []

    def build() -> None:
        builders.append(dl.InCPUMemoryShuffledInputProviderBuilder([[dl.Scalar.new(3), dl.Scalar.new(3)]]))

    math.scope(build)
    assert builders[0].get_input_provider(0).get_next_copy(math).get() == 3


def test_constant_elements_are_normalized_to_the_lower_bound() -> None:
    points = Points(((1, 5), (3, 5)))
    points.fetch_data()
    points.normalize_within_bounds(0, -1, 1)
    assert [list(e.get_values()) for e in points.get_data()[0]] == [[-1, -1], [1, -1]]


def test_statistics() -> None:
    points = Points([(1, 1)] * 30)
    points.fetch_data()
    (stats,) = points.get_stats()
    assert (stats.exampleCount, stats.input_min, stats.inputMax, stats.shape) == (30, 1, 1, (2,))


def test_missing_data_raises() -> None:
    points = Points()
    for call in (points.get_stats, lambda: points.normalize_within_bounds(0, 0, 1)):
        with pytest.raises(RuntimeError, match="fetch_data"):
            call()
    points.fetch_data()
    with pytest.raises(ValueError, match="data_index"):
        points.normalize_within_bounds(1, 0, 1)
    points.dataset = [[]]
    for call in (points.get_stats, lambda: points.normalize_within_bounds(0, 0, 1)):
        with pytest.raises(ValueError, match="list 0 of the data set has no examples"):
            call()
    with pytest.raises(TypeError, match="must define fetch_data"):
        dl.InMemoryDataset([[1]]).fetch_data()


# Checkpoints and data sets in files


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkpoint and some data files."""
    manifest = {"w": {"filename": "w.bin", "shape": [2, 2]}, "b": {"filename": "b.bin", "shape": []}}
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    (tmp_path / "w.bin").write_bytes(np.array([1, 2, 3, 4], "<f4").tobytes())
    (tmp_path / "b.bin").write_bytes(np.array([5], "<f4").tobytes())
    (tmp_path / "labels").write_bytes(bytes([1, 0, 0, 1]))
    np.save(tmp_path / "x.npy", np.arange(6, dtype=np.float64).reshape(2, 3))
    (tmp_path / "images.png").write_bytes(png(np.arange(24, dtype=np.uint8).reshape(2, 4, 3), [0, 1]))
    return tmp_path


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    """The same folder served over HTTP."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None: ...


def check_checkpoint(place: str) -> None:
    loader = dl.CheckpointLoader(place)
    variables = loader.get_all_variables()
    assert isinstance(variables["w"], dl.Array2D)
    assert variables["w"].get(1, 0) == 3
    assert loader.getVariable("b").get() == 5
    assert asyncio.run(_awaited(loader.getCheckpointManifest()))["w"]["shape"] == [2, 2]
    assert asyncio.run(_awaited(loader.getAllVariables()))["b"] is variables["b"]
    with pytest.raises(ValueError, match="'q'"):
        loader.get_variable("q")


def test_values_beyond_float32_and_nan(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[1e300, 1], [np.nan, 2], [-1e300, 3]]))
    dataset = dl.XhrDataset({"data": [{"path": str(tmp_path / "x.npy"), "dataType": "nparray", "shape": [2]}]})
    dataset.fetch_data()
    assert [list(example.get_values()) for example in dataset.get_data()[0]][::2] == [[np.inf, 1], [-np.inf, 3]]
    dataset.normalize_within_bounds(0, 0, 1)
    assert [example.get_values()[1] for example in dataset.get_data()[0]] == [0, 0.5, 1]


async def _awaited(value: Any) -> Any:
    return await value


def test_checkpoints_from_folders_and_urls(folder: Path, url: str) -> None:
    for place in (str(folder), str(folder) + "/", folder.as_uri(), url):
        check_checkpoint(place)


def test_checkpoint_keeps_its_variables_beyond_the_scope(math: dl.NDArrayMathCPU, folder: Path) -> None:
    loader = dl.CheckpointLoader(str(folder))
    values = [math.scope(lambda: np.asarray(loader.get_all_variables()["w"]).tolist()) for _ in range(2)]
    assert values[0] == values[1]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "cannot read"),
        ({"manifest.json": "{"}, "not valid JSON"),
        ({"manifest.json": "[]"}, "JSON object"),
        ({"manifest.json": '{"w": {"shape": [1]}}'}, r"manifest\.json: w must be an object with filename and shape"),
        ({"manifest.json": '{"w": [1]}'}, r"manifest\.json: w must be an object, but is \[1\]"),
        ({"manifest.json": '{"w": {"filename": "w", "shape": [1]}}'}, "cannot read"),
        ({"manifest.json": '{"w": {"filename": "w", "shape": [2]}}', "w": "four"}, r"has 1 values, .*\[2\]"),
        ({"manifest.json": '{"w": {"filename": "w", "shape": [1]}}', "w": "abc"}, "3 bytes"),
        ({"manifest.json": "[" * 100_000}, "levels deep"),
        ({"manifest.json": "1" * 5000}, "not valid JSON"),
        ({"manifest.json": '{"w": {"filename": "../w", "shape": [1]}}', "w": "four"}, r"w\.filename must be a file in"),
        ({"manifest.json": '{"w": {"filename": ["w"], "shape": [1]}}'}, r"w\.filename must be a file name"),
        ({"manifest.json": '{"w": {"filename": "\\ud800", "shape": [1]}}'}, "cannot read"),
        ({"manifest.json": '{"w": {"filename": "w", "shape": "1"}}', "w": "four"}, r"w\.shape must be a list"),
        ({"manifest.json": '{"w": {"filename": "w", "shape": [true]}}', "w": "four"}, r"w\.shape must be a list of"),
        ({"manifest.json": '{"w": {"filename": "w", "shape": [-1]}}', "w": "four"}, r"w\.shape must be .*from 0 on"),
    ],
)
def test_invalid_checkpoint_raises(tmp_path: Path, files: dict[str, str], message: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(ValueError, match=message):
        dl.CheckpointLoader(str(tmp_path)).get_all_variables()


def test_response_beyond_the_size_limit_raises(folder: Path, url: str) -> None:
    assert len(read_bytes("op", f"{url}/w.bin", 16)) == 16
    with pytest.raises(ValueError, match=r"op: cannot read .*w\.bin': the response has more than 15 bytes"):
        read_bytes("op", f"{url}/w.bin", 15)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in the file system")
def test_named_pipe_raises(folder: Path) -> None:
    (folder / "w.bin").unlink()
    os.mkfifo(folder / "w.bin")
    with pytest.raises(ValueError, match=r"w\.bin: is not a regular file"):
        dl.CheckpointLoader(str(folder)).get_all_variables()


def test_invalid_checkpoint_leaks_no_tensors(folder: Path) -> None:
    (folder / "b.bin").write_bytes(b"12345")
    before = tf.memory().numTensors
    with pytest.raises(ValueError, match="5 bytes"):
        dl.CheckpointLoader(str(folder)).get_all_variables()
    assert tf.memory().numTensors == before


def test_missing_url_raises(url: str) -> None:
    with pytest.raises(ValueError, match=r"cannot read .*nothing"):
        dl.CheckpointLoader(url + "/nothing").get_all_variables()


def test_xhr_dataset_from_files_and_urls(folder: Path, url: str) -> None:
    data = [
        {"name": "images", "path": f"{url}/images.png", "dataType": "png", "shape": [2, 2, 3]},
        {"name": "labels", "path": str(folder / "labels"), "dataType": "uint8", "shape": [2]},
        {"name": "x", "path": str(folder / "x.npy"), "dataType": "nparray", "shape": [3]},
        {"name": "w", "path": str(folder / "w.bin"), "dataType": "float32", "shape": [2]},
    ]
    (folder / "config.json").write_text(json.dumps({"mine": {"data": data}}))
    config = dl.xhr_dataset.getXhrDatasetConfig(str(folder / "config.json"))["mine"]
    dataset = dl.XhrDataset(config)
    asyncio.run(_awaited(dataset.fetchData()))
    images, labels, x, w = dataset.get_data()
    assert [i.shape for i in images] == [(2, 2, 3)] * 2
    assert list(images[1].get_values()) == list(range(12, 24))
    assert [list(i.get_values()) for i in labels] == [[1, 0], [0, 1]]
    assert [list(i.get_values()) for i in x] == [[0, 1, 2], [3, 4, 5]]
    assert [list(i.get_values()) for i in w] == [[1, 2], [3, 4]]
    assert dataset.get_data_shape(0) == (2, 2, 3)


@pytest.mark.parametrize(
    ("info", "message"),
    [
        ({"path": "labels", "dataType": "uint8", "shape": [3]}, "whole examples"),
        ({"path": "labels", "dataType": "nparray", "shape": [2]}, "npy"),
        ({"path": "labels", "dataType": "png", "shape": [2, 2, 3]}, "not a PNG"),
        ({"path": "images.png", "dataType": "png", "shape": [2, 1, 3]}, "pixels, for examples"),
        ({"path": "images.png", "dataType": "png", "shape": []}, "pixels, for examples"),
        ({"path": "labels", "dataType": "mp3", "shape": [2]}, "dataType"),
        ({"path": "missing", "dataType": "uint8", "shape": [2]}, "cannot read"),
        ({"path": "a\0b", "dataType": "uint8", "shape": [2]}, "cannot read"),
        ({"path": "labels", "dataType": "uint8"}, r"data\[0\]\.shape must be a list"),
        ({"path": "labels", "dataType": "uint8", "shape": [-2]}, r"data\[0\]\.shape must be .* from 0 on"),
        ({"path": "archive.npy", "dataType": "nparray", "shape": [2]}, "not a .npy file"),
        ({"path": "dates.npy", "dataType": "nparray", "shape": [2]}, "of numbers"),
        ({"path": "header.npy", "dataType": "nparray", "shape": [2]}, "not a .npy file"),
    ],
)
def test_invalid_data_file_raises(folder: Path, info: dict[str, Any], message: str) -> None:
    with (folder / "archive.npy").open("wb") as file:
        np.savez(file, np.zeros(2))
    np.save(folder / "dates.npy", np.zeros(2, "M8[s]"))
    damaged = (folder / "x.npy").read_bytes().replace(b"}", b"(")
    (folder / "header.npy").write_bytes(damaged)
    with pytest.raises(ValueError, match=message):
        dl.XhrDataset({"data": [{**info, "path": str(folder / info["path"])}]}).fetch_data()
    with pytest.raises(TypeError, match="'data'"):
        dl.XhrDataset({})
    for data, message in (("x", "data must be a list"), ([3], r"data\[0\] must be an object"), ([{}], "path must be")):
        with pytest.raises(ValueError, match=message):
            dl.XhrDataset({"data": data})


# PNG images


def png(image: np.ndarray, filters: list[int], color: int | None = None, palette: bytes = b"", depth: int = 8) -> bytes:
    """Encode an image [height, width, channels] as PNG, with one filter type per row."""
    height, width, channels = image.shape
    kind = {1: 0, 2: 4, 3: 2, 4: 6}[channels] if color is None else color
    flat = image.reshape(height, -1).astype(np.int64)
    rows = []
    for i, f in enumerate(filters):
        row, up = flat[i], flat[i - 1] if i else np.zeros_like(flat[0])
        left = np.concatenate([np.zeros(channels, int), row[:-channels]])
        corner = np.concatenate([np.zeros(channels, int), up[:-channels]])
        p = left + up - corner
        a, b, c = abs(p - left), abs(p - up), abs(p - corner)
        paeth = np.where((a <= b) & (a <= c), left, np.where(b <= c, up, corner))
        prediction = [np.zeros_like(row), left, up, (left + up) // 2, paeth][f]
        rows.append(bytes([f]) + ((row - prediction) % 256).astype(np.uint8).tobytes())
    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    packed = zlib.compress(b"".join(rows))
    chunks = [(b"IHDR", header), (b"PLTE", palette), (b"IDAT", packed[:10]), (b"IDAT", packed[10:]), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in chunks
        if data or name == b"IEND"
    )


@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_decode_png_with_all_filters(channels: int) -> None:
    image = np.random.default_rng(0).integers(0, 256, (5, 7, channels), np.uint8)
    assert np.array_equal(decode_png("test", png(image, [0, 1, 2, 3, 4])), image)


def test_decode_png_with_palette() -> None:
    indices = np.array([[[0], [1]], [[1], [0]]], np.uint8)
    image = decode_png("test", png(indices, [0, 0], color=3, palette=bytes([1, 2, 3, 4, 5, 6])))
    assert image.tolist() == [[[1, 2, 3], [4, 5, 6]], [[4, 5, 6], [1, 2, 3]]]


def test_decode_png_of_invalid_images_raises() -> None:
    good = png(np.zeros((2, 2, 1), np.uint8), [0, 0])
    for data, message in (
        (b"GIF89a", "not a PNG"),
        (good[:40], "damaged"),
        (good[:20], "damaged"),
        (png(np.zeros((1, 1, 1), np.uint8), [0], depth=16), "test: only .* 8 bits"),
        (with_size(good, 2, 3), "2 · 3 pixels, but 6 bytes of the 9"),
        (with_size(good, 2**32 - 1, 2**32 - 1), "damaged: it has 4294967295 · 4294967295 pixels"),
        (with_size(good, 0, 2), "0 · 2 pixels"),
    ):
        with pytest.raises(ValueError, match=message):
            decode_png("test", data)


def with_size(image: bytes, width: int, height: int) -> bytes:
    return image[:16] + struct.pack(">II", width, height) + image[24:]


def test_decode_png_does_not_decompress_excess_data() -> None:
    small, large = png(np.zeros((2, 2, 1), np.uint8), [0, 0]), png(np.zeros((2, 2**21, 1), np.uint8), [0, 0])
    tracemalloc.start()
    assert decode_png("test", small[:33] + large[33:]).shape == (2, 2, 1)
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()


def test_gray_images_are_expanded_to_rgb(tmp_path: Path) -> None:
    (tmp_path / "grey.png").write_bytes(png(np.array([[[7], [8]]], np.uint8), [0]))
    for depth, values in ((1, [7, 8]), (3, [7, 7, 7, 8, 8, 8])):
        info = {"path": str(tmp_path / "grey.png"), "dataType": "png", "shape": [2, 1, depth]}
        (example,) = dl.XhrDataset({"data": [info]}).get_ndarray(info)
        assert list(example.get_values()) == values
