"""Encoding and decoding of weights: dtypes, quantization, shards, manifests."""

from __future__ import annotations

import array
import asyncio
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf

random = np.random.default_rng(0)
TENSORS: dict[str, Any] = {
    "float32": random.normal(size=(2, 3)).astype(np.float32),
    "int32": np.array([[1, -2], [2**31 - 1, -(2**31)]], np.int32),
    "bool": np.array([True, False, True]),
    "scalar": np.float32(7),
    "empty": np.zeros((0, 3), np.float32),
}


def test_every_dtype_round_trips() -> None:
    tensors = {name: tf.tensor(values) for name, values in TENSORS.items()}
    tensors["string"] = tf.tensor(["a", "", "äß漢"], [3], "string")
    tensors["complex64"] = tf.complex([1, 2], [3, 4])
    data, specs = tf.io.encode_weights(tensors)
    assert [s["name"] for s in specs] == list(tensors)
    decoded = tf.io.decode_weights(data, specs)
    for name, tensor in tensors.items():
        assert decoded[name].dtype == tensor.dtype
        assert decoded[name].shape == tensor.shape
        np.testing.assert_array_equal(decoded[name].numpy(), tensor.numpy())


def test_encoding_is_little_endian() -> None:
    data, specs = tf.io.encode_weights([{"name": "a", "tensor": tf.tensor1d([1, 258], "int32")}], "optimizer")
    assert data == bytes([1, 0, 0, 0, 2, 1, 0, 0])
    assert specs == [{"name": "a", "shape": [2], "dtype": "int32", "group": "optimizer"}]


def test_weights_are_saved_as_float32_on_every_backend(backend: str) -> None:
    assert len(tf.io.encode_weights({"a": tf.tensor([0.1, 0.2])}).data) == 8


@pytest.mark.parametrize(("kind", "code"), [("uint8", "u1"), ("uint16", "<u2")])
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_dequantization(kind: str, code: str, dtype: str) -> None:
    """Values are computed in float64 and stored as float32; int32 values are rounded half up."""
    stored = np.array([0, 1, 2, 3, 250], code)
    scale, low = 0.1 if dtype == "float32" else 0.5, -1.3 if dtype == "float32" else -3.0
    spec = {"name": "w", "shape": [5], "dtype": dtype, "quantization": {"dtype": kind, "scale": scale, "min": low}}
    found = tf.io.decode_weights(stored.tobytes(), [spec])["w"]
    exact = stored.astype(np.float64) * scale + low
    assert found.dtype == dtype
    expected = exact.astype(np.float32) if dtype == "float32" else np.floor(exact + 0.5).astype(np.int32)
    np.testing.assert_array_equal(found.numpy(), expected)


def test_float16_weights() -> None:
    halves = np.array([1.5, -0.0, 65504, 6e-8, np.inf, np.nan], np.float16)
    spec = {"name": "w", "shape": [6], "dtype": "float32", "quantization": {"dtype": "float16"}}
    found = tf.io.decode_weights(halves.tobytes(), [spec])["w"].numpy()
    np.testing.assert_array_equal(found, halves.astype(np.float32))


def test_shards_may_split_values() -> None:
    data, specs = tf.io.encode_weights({"a": tf.tensor([1, 2, 3]), "s": tf.tensor(["xy", "z"], [2], "string")})
    for size in (1, 2, 3, 5, len(data)):
        pieces = [data[i : i + size] for i in range(0, len(data), size)]
        decoded = tf.io.decode_weights(pieces, specs)
        assert decoded["a"].array_sync() == [1, 2, 3]
        assert decoded["s"].array_sync() == ["xy", "z"]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"name": "", "shape": [1], "dtype": "float32"}, "name must be text"),
        ({"name": "w", "shape": [1], "dtype": "float64"}, r"\(w\)\.dtype must be one of"),
        ({"name": "w", "shape": [-1], "dtype": "float32"}, r"\(w\)\.shape must be"),
        ({"name": "w", "shape": [1.5], "dtype": "float32"}, "whole numbers"),
        ({"name": "w", "shape": [2**40], "dtype": "float32"}, "at most"),
        ({"name": "w", "shape": [1] * 99, "dtype": "float32"}, "at most"),
        ({"name": "w", "shape": [0, 2**31 - 1, 2**31 - 1], "dtype": "float32"}, "at most"),
        ({"name": "w", "shape": "3", "dtype": "float32"}, "a list"),
        ({"name": "w", "shape": [3], "dtype": "float32"}, "takes bytes 0 to 12"),
        ({"name": "w", "shape": [9], "dtype": "string"}, "after the end of the data"),
        ({"name": "w", "shape": [1], "dtype": "float32", "quantization": {"dtype": "int4"}}, "'uint8', 'uint16'"),
        ({"name": "w", "shape": [1], "dtype": "float32", "quantization": {"dtype": "uint8"}}, "scale must be"),
        ({"name": "w", "shape": [1], "dtype": "bool", "quantization": {"dtype": "uint8"}}, "cannot be used for"),
        ({"name": "w", "shape": [1], "dtype": "int32", "quantization": {"dtype": "float16"}}, "cannot be used for"),
        (
            {"name": "w", "shape": [1], "dtype": "float32", "quantization": {"dtype": "uint8", "scale": float("nan")}},
            "finite",
        ),
        (7, "an object"),
    ],
)
def test_invalid_spec_raises(spec: Any, message: str) -> None:
    with pytest.raises(tf.io.ModelFileError, match=message):
        tf.io.decode_weights(b"\0" * 8, [spec])


def test_duplicate_weight_name_raises() -> None:
    spec = {"name": "w", "shape": [1], "dtype": "float32"}
    with pytest.raises(ValueError, match="two weights named 'w'"):
        tf.io.decode_weights(b"\0" * 8, [spec, spec])


def test_huge_string_weight_raises_before_allocation() -> None:
    spec = {"name": "w", "shape": [2**31 - 1], "dtype": "string"}
    with pytest.raises(ValueError, match="string 2 of weight 'w'"):
        tf.io.decode_weights(b"\0" * 8, [spec])


def test_composite_array_buffer() -> None:
    buffer = tf.io.CompositeArrayBuffer([b"ab", np.array([99, 100], np.uint8), bytearray(b"ef")])
    assert buffer.byte_length == buffer.byteLength == 6
    assert buffer.slice() == b"abcdef"
    assert buffer.slice(1, 5) == b"bcde"
    assert buffer.slice(-3, 99) == b"abcdef"
    assert buffer.slice(4, 2) == b""
    assert tf.io.CompositeArrayBuffer().slice() == b""
    assert tf.io.CompositeArrayBuffer.join([b"a", b"b"]) == tf.io.concatenate_array_buffers([b"a", b"b"]) == b"ab"
    assert tf.io.concatenate_array_buffers([memoryview(b"a-b-")[::2], memoryview(array.array("f"))]) == b"ab"
    with pytest.raises(TypeError, match="buffers"):
        tf.io.concatenate_array_buffers(["text"])


def test_decode_weights_stream() -> None:
    data, specs = tf.io.encode_weights({"a": tf.tensor([1, 2])})

    async def one_by_one() -> Any:
        for piece in (data[:3], data[3:]):
            yield piece

    for stream in (io.BytesIO(data), iter([data[:3], data[3:]]), data, one_by_one()):
        assert tf.io.decode_weights_stream(stream, specs)["a"].array_sync() == [1, 2]


def test_results_are_awaitable() -> None:
    async def both() -> Any:
        data, specs = await tf.io.encode_weights({"a": tf.tensor([1, 2])})
        return await tf.io.decode_weights_stream([data], specs)

    assert asyncio.run(both())["a"].array_sync() == [1, 2]


def write_two_groups(folder: Path) -> list[Any]:
    """Write the files of two groups, the second of which has two, and return their manifest."""
    (folder / "one.bin").write_bytes(np.array([1, 2], np.float32).tobytes())
    data = np.array([3, 4, 5], np.float32).tobytes()
    (folder / "two-1.bin").write_bytes(data[:5])
    (folder / "two-2.bin").write_bytes(data[5:])
    return [
        {"paths": ["one.bin"], "weights": [{"name": "a", "shape": [2], "dtype": "float32"}]},
        {
            "paths": ["two-1.bin", "two-2.bin"],
            "weights": [{"name": n, "shape": [k], "dtype": "float32"} for n, k in (("b", 1), ("c", 2))],
        },
    ]


def test_load_weights_by_manifest(tmp_path: Path) -> None:
    manifest = write_two_groups(tmp_path)
    found = tf.io.load_weights(manifest, str(tmp_path))
    assert {n: t.array_sync() for n, t in found.items()} == {"a": [1, 2], "b": [3], "c": [4, 5]}
    (tmp_path / "one.bin").unlink()
    assert list(tf.io.load_weights(manifest, str(tmp_path), ["c"])) == ["c"], "only the files of its group are read"
    with pytest.raises(ValueError, match=r"Unknown weight in the manifest 'd'"):
        tf.io.load_weights(manifest, str(tmp_path), ["d"])
    assert [s["name"] for s in tf.io.get_weight_specs(manifest)] == ["a", "b", "c"]


def test_wrong_size_of_weight_files_raises(tmp_path: Path) -> None:
    manifest = write_two_groups(tmp_path)
    read = tf.io.weights_loader_factory(lambda paths: [Path(p).read_bytes() for p in paths])
    data = (tmp_path / "two-2.bin").read_bytes()
    for changed, size in [(data + b"+", "more"), (data[:-1], "11")]:
        (tmp_path / "two-2.bin").write_bytes(changed)
        message = rf"weightsManifest\[1\] take 12 bytes, but .*two-1\.bin, .*two-2\.bin have together {size}"
        for load in (tf.io.load_weights, read):
            with pytest.raises(tf.io.ModelFileError, match=message):
                load(manifest, str(tmp_path))
            assert load(manifest, str(tmp_path), ["a"])["a"].array_sync() == [1, 2], "other files are not read"


def test_automatic_layer_names_are_matched_by_order(tmp_path: Path) -> None:
    def model(name: str, *units: int) -> tf.Sequential:
        sizes = enumerate(units)
        return tf.sequential([tf.layers.dense(units=n, input_shape=[2], name=None if i else name) for i, n in sizes])

    first = model("own1", 2, 2, 2)
    first.save(tmp_path)
    twin = model("own1", 2, 2, 2)
    assert [w.original_name for w in twin.weights] != [w.original_name for w in first.weights]
    twin.load_weights(tmp_path)
    assert [w.array_sync() for w in twin.get_weights()] == [w.array_sync() for w in first.get_weights()]
    for other in (model("own2", 2, 2, 2), model("own1", 2, 2), model("own1", 2, 2, 2, 2)):
        with pytest.raises(ValueError, match="it has weights that the model has not|it lacks weights"):
            other.load_weights(tmp_path)


def test_weights_loader_factory(tmp_path: Path) -> None:
    manifest = write_two_groups(tmp_path)

    requested = []

    async def fetch(paths: list[str]) -> list[bytes]:
        requested.append([Path(p).name for p in paths])
        return [Path(p).read_bytes() for p in paths]

    load = tf.io.weights_loader_factory(fetch)
    assert load(manifest, str(tmp_path), ["b"])["b"].array_sync() == [3]
    assert {n: t.array_sync() for n, t in load(manifest, str(tmp_path)).items()} == {"a": [1, 2], "b": [3], "c": [4, 5]}
    assert requested == [["two-1.bin", "two-2.bin"], ["one.bin", "two-1.bin", "two-2.bin"]], "all files at once"
    for answer in (None, [b""], b"123", [1, 2, 3]):
        with pytest.raises(TypeError, match="fetch_weights_function' must be a function that returns a list of the by"):
            tf.io.weights_loader_factory(lambda paths, answer=answer: answer)(manifest)


def test_maximum_rank_round_trips() -> None:
    data, specs = tf.io.encode_weights({"a": tf.ones([1] * 64)})
    assert tf.io.decode_weights(data, specs)["a"].shape == (1,) * 64
