"""Data sets and weights from files and URLs."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from tfpy.core.calling.ready import ReadyDict, ReadyList, ReadyNone
from tfpy.core.io.errors import MAX_JSON_BYTES, field_error, list_in, object_in
from tfpy.core.io.json_text import parse_json
from tfpy.core.io.specs import read_path, read_shape
from tfpy.core.memory import dispose
from tfpy.engine.backend import Array
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.engine.scope import outlive_scopes
from tfpy.legacy.arrays.ndarray import NDArray
from tfpy.legacy.datasets._camel import CheckpointLoaderCamel, XhrDatasetCamel
from tfpy.legacy.datasets.data import InMemoryDataset
from tfpy.legacy.datasets.files import decode_png, read_bytes

MANIFEST = "manifest.json"


class CheckpointLoader(CheckpointLoaderCamel):
    """Reads variables dumped from a TensorFlow checkpoint by deeplearn.js's scripts.

    A folder holds manifest.json, {name: {"filename", "shape"}}, and a file of little-endian float32 for each variable.

    Args:
        url_path: the folder, as a path or a URL.

    Source: deeplearn.js `CheckpointLoader`. Results may be awaited.
    """

    url_path: str

    def __init__(self, url_path: str) -> None:
        self.url_path = str(url_path).rstrip("/") + "/"
        self._manifest: ReadyDict[str, Any] | None = None
        self._variables: ReadyDict[str, NDArray] | None = None

    def get_checkpoint_manifest(self) -> ReadyDict[str, Any]:
        """The manifest: file name and shape by variable name.

        Raises:
            ValueError: it cannot be read, or is not a manifest.
        """
        if self._manifest is None:
            place = self.url_path + MANIFEST
            content = _json("get_checkpoint_manifest", place)
            for name, entry in content.items():
                if not {"filename", "shape"} <= set(object_in(place, name, entry)):
                    raise field_error(place, name, "an object with filename and shape", entry)
                read_path(entry["filename"], place, f"{name}.filename")
                read_shape(entry["shape"], place, f"{name}.shape")
            self._manifest = ReadyDict(content)
        return self._manifest

    def get_all_variables(self) -> ReadyDict[str, NDArray]:
        """All variables by name; read once. They belong to no scope: the loader returns the same ones again."""
        if self._variables is None:
            found: ReadyDict[str, NDArray] = ReadyDict()
            try:
                for name in self.get_checkpoint_manifest():
                    found[name] = outlive_scopes(self.get_variable(name))
            except ValueError:
                dispose(found)
                raise
            self._variables = found
        return self._variables

    def get_variable(self, var_name: str) -> NDArray:
        """One variable.

        Raises:
            ValueError: no such variable, or its file cannot be read or does not match its shape.
        """
        manifest = self.get_checkpoint_manifest()
        if var_name not in manifest:
            raise unknown_name_error("variable", var_name, manifest)
        entry = manifest[var_name]
        place = self.url_path + entry["filename"]
        values = _floats("get_variable", place)
        shape = read_shape(entry["shape"], place, "shape")
        if values.size != math.prod(shape):
            raise ValueError(f"get_variable: {place!r} has {values.size} values, but the manifest says {list(shape)}.")
        return NDArray.make(shape, {"values": values})


class XhrDataset(InMemoryDataset, XhrDatasetCamel):
    """A data set whose lists of examples are stored in files.

    Args:
        xhr_dataset_config: {'data': [{'name', 'path', 'dataType', 'shape'}, …]}; dataType is 'png' (an image each row
            of which is an example, its values from 0 to 255), 'float32' or 'uint8' (raw values, example after example)
            or 'nparray' (a .npy file whose first axis counts the examples). Paths may be URLs.

    Source: deeplearn.js `XhrDataset`.
    """

    def __init__(self, xhr_dataset_config: Mapping[str, Any]) -> None:
        if not isinstance(xhr_dataset_config, Mapping) or "data" not in xhr_dataset_config:
            expected = "a dict with 'data'"
            raise argument_error("XhrDataset", "xhr_dataset_config", expected, xhr_dataset_config, TypeError)
        listed = list_in("XhrDataset", "data", xhr_dataset_config["data"])
        super().__init__([_shape_of(info, f"data[{i}]") for i, info in enumerate(listed)])
        self.xhr_dataset_config = xhr_dataset_config

    def get_ndarray(self, info: Mapping[str, Any]) -> ReadyList[NDArray]:
        """The examples of one file; may be awaited."""
        shape = _shape_of(info, "info")
        values = _values(info, shape).reshape(-1)
        size = math.prod(shape)
        if not size or values.size % size:
            expected = f"a file of whole examples of shape {list(shape)}"
            raise argument_error("XhrDataset", str(info["path"]), expected, f"{values.size} values")
        return ReadyList(NDArray.make(shape, {"values": row}) for row in values.reshape(-1, size))

    def fetch_data(self) -> ReadyNone:
        """Read all files; may be awaited.

        Raises:
            ValueError: a file cannot be read, or does not hold whole examples.
        """
        self.dataset = [list(self.get_ndarray(info)) for info in self.xhr_dataset_config["data"]]
        return ReadyNone()


def get_xhr_dataset_config(json_config_path: str) -> ReadyDict[str, Any]:
    """The configurations of data sets by name, from a JSON file or URL; may be awaited.

    Source: deeplearn.js `xhr_dataset.getXhrDatasetConfig`.
    """
    return ReadyDict(_json("get_xhr_dataset_config", json_config_path))


def _json(op: str, location: str) -> dict[str, Any]:
    return parse_json(read_bytes(op, location, MAX_JSON_BYTES), f"{op}: {location}")


def _shape_of(info: Any, field: str) -> tuple[int, ...]:
    """The shape of the examples in one file; its entry in the configuration is checked."""
    entry = object_in("XhrDataset", field, info)
    if not isinstance(entry.get("path"), (str, os.PathLike)):
        raise field_error("XhrDataset", f"{field}.path", "a path or a URL", entry.get("path"))
    return read_shape(entry.get("shape"), "XhrDataset", f"{field}.shape")


def _floats(op: str, location: str) -> Array:
    """The float32 numbers of a file."""
    data = read_bytes(op, location)
    if len(data) % 4:
        raise ValueError(f"{op}: {location!r} does not hold float32 numbers: it has {len(data)} bytes.")
    return np.frombuffer(data, "<f4")


def _values(info: Mapping[str, Any], shape: tuple[int, ...]) -> Array:
    kind = info.get("dataType", "uint8")
    if kind == "float32":
        return _floats("XhrDataset", info["path"])
    data = read_bytes("XhrDataset", info["path"])
    if kind == "uint8":
        return np.frombuffer(data, np.uint8)
    if kind == "nparray":
        return _npy(data, info["path"])
    if kind == "png":
        return _rows_of_png(data, shape, info["path"])
    raise argument_error("XhrDataset", "dataType", "'png', 'float32', 'uint8' or 'nparray'", kind)


def _npy(data: bytes, path: Any) -> Array:
    """The numbers of a .npy file."""
    try:
        values = np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except Exception as error:  # a damaged header can cause any exception in its reader
        raise ValueError(f"XhrDataset: {str(path)!r} is not a .npy file: {error}") from None
    if values.dtype.kind not in "fiub":
        raise argument_error("XhrDataset", str(path), "a .npy file of numbers", values)
    return values


def _rows_of_png(data: bytes, shape: tuple[int, ...], path: str) -> Array:
    """An image whose rows are examples of shape [height, width, 1 or 3]."""
    image = decode_png(f"XhrDataset: {path}", data)
    height, width, depth = shape if len(shape) == 3 else (0, 0, 0)
    if depth not in (1, 3) or image.shape[1] != height * width:
        expected = f"an image of {height} · {width} pixels, for examples [height, width, 1 or 3]"
        raise argument_error("XhrDataset", str(path), expected, image)
    if image.shape[2] < 3:
        image = np.repeat(image[:, :, :1], 3, axis=2)
    return image[:, :, :depth]
