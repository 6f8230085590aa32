"""Builders of Keras files for tests: configurations, and weights by their paths."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import h5py
import numpy as np

import tfpy as tf


def keras_file(path: Path, config: Any, weights: Mapping[str, Any], version: str = "3.15.0") -> Path:
    """Write a `.keras` file with a configuration and weights by their paths."""
    stream = BytesIO()
    with h5py.File(stream, "w") as file:
        for name, value in weights.items():
            file[name] = np.asarray(value, np.float32)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", json.dumps(config))
        archive.writestr("metadata.json", json.dumps({"keras_version": version}))
        archive.writestr("model.weights.h5", stream.getvalue())
    return path


def entry(kind: str, /, *, module: str = "keras.layers", **options: Any) -> dict[str, Any]:
    """The configuration of an object in the format of Keras 3; a layer also has the option `trainable`."""
    if module == "keras.layers":
        options.setdefault("trainable", True)
    return {"module": module, "class_name": kind, "config": options, "registered_name": None}


def sequential(shape: list[int], *layers: dict[str, Any]) -> dict[str, Any]:
    """The configuration of a sequential model on inputs of this shape."""
    first = entry("InputLayer", batch_shape=[None, *shape], dtype="float32", name="x")
    del first["config"]["trainable"]
    return entry("Sequential", module="keras", name="m", trainable=True, layers=[first, *layers])


def tensor(name: str, output: int = 0) -> dict[str, Any]:
    """A reference to an output of a layer's first call."""
    return {"class_name": "__keras_tensor__", "config": {"shape": [None], "keras_history": [name, 0, output]}}


def called(layer: dict[str, Any], *args: Any, **arguments: Any) -> dict[str, Any]:
    """The configuration of a layer in a functional model, with the arguments of its call, if any."""
    nodes = [{"args": list(args), "kwargs": arguments}] if args else []
    return {**layer, "name": layer["config"]["name"], "inbound_nodes": nodes}


def functional(output: str, *layers: dict[str, Any], shape: list[int]) -> dict[str, Any]:
    """The configuration of a functional model with one input 'x'."""
    options = {"batch_shape": [None, *shape], "dtype": "float32", "name": "x"}
    first = called({"module": "keras.layers", "class_name": "InputLayer", "config": options})
    ends = {"input_layers": [["x", 0, 0]], "output_layers": [[output, 0, 0]]}
    return entry("Functional", module="keras.src.models.functional", name="f", layers=[first, *layers], **ends)


def predicted(path: Path, x: Any) -> np.ndarray:
    found = tf.load_layers_model(path).predict(np.asarray(x, np.float32)).numpy()
    return np.asarray(found)


def embedded(*, mask: str = "not_equal", **options: Any) -> dict[str, Any]:
    """An embedding and a sum over the steps that are not masked, as Keras 3.15 saves it: the mask is an op."""
    embedding = entry("Embedding", name="e", input_dim=3, output_dim=1, **options)
    unequal = entry("NotEqual", module="keras.src.ops.numpy", name="not_equal")
    rnn = entry("SimpleRNN", name="r", units=1, activation="linear", use_bias=False)
    return functional(
        "r",
        called(embedding, tensor("x")),
        called(unequal, tensor("x"), 0),
        called(entry("Dropout", name="o", rate=0.5), tensor("e"), training=False),
        called(rnn, tensor("o"), training=False, mask=tensor(mask)),
        shape=[3],
    )


SUMMED = {
    "layers/embedding/vars/0": [[100.0], [1.0], [10.0]],
    **{f"layers/simple_rnn/cell/vars/{i}": [[1.0]] for i in range(2)},
}
