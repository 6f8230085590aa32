"""Writing models as Keras's files: `.keras`, `.h5`, and weights alone."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tfpy.core.calling.ready import ReadyNone
from tfpy.core.io.artifacts import SaveResult, save_result_of
from tfpy.core.io.hdf5 import package
from tfpy.core.io.json_text import json_text
from tfpy.core.io.new_files import new_file
from tfpy.core.system.urls import ending
from tfpy.engine import dispatch
from tfpy.engine.backend import Array
from tfpy.engine.package import is_ours
from tfpy.engine.warn import warn_user
from tfpy.layers.config import plain
from tfpy.layers.naming import unique_names
from tfpy.layers.saving.keras.config import KerasConfig
from tfpy.layers.saving.keras.found import CONFIG, METADATA
from tfpy.layers.saving.keras.optimizer_state import STATE_BY_NUMBER, keras_state
from tfpy.layers.saving.keras.paths import keras_paths, ordered_weights, own_weights
from tfpy.layers.saving.keras.reader import OWN_WEIGHTS, WEIGHTS
from tfpy.layers.saving.keras.training_config import training_config_for_keras
from tfpy.layers.saving.training_config import training_config_of
from tfpy.layers.training.training_state import is_compiled
from tfpy.layers.weights import LayerVariable

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel

# The versions whose formats are written; they determine how Keras reads a file.
_VERSIONS = {3: "3.8.0", 2: "2.15.0"}


def save_keras(model: LayersModel, path: Path, include_optimizer: bool, strict: bool | None) -> SaveResult:
    """Write a model as a `.keras` or `.h5` file. An existing file is unchanged until the new one is complete.

    Args:
        model: the model.
        path: the file.
        include_optimizer: whether to save the training configuration, and in a `.keras` file the optimizer's state.
        strict: if True, raises an error, and writes nothing, if Keras would reject the model or compute different
            results; by default it warns; if False, nothing is checked.

    Raises:
        ValueError: see strict. ImportError: the extra `keras` is not installed.
    """
    package()
    version = 3 if ending(path) == ".keras" else 2
    made = KerasConfig(model, version)
    compiled = include_optimizer and is_compiled(model)
    state = keras_state(model) if compiled and version == 3 else []
    if compiled and not is_ours(type(model.optimizer)):
        kept = " and its state is not saved" if version == 3 and not state else ""
        made.faults.append(f"the optimizer {model.optimizer.get_class_name()} is a class of your own{kept}")
    text = f"model {model.name}: Keras will not read {path.name} as intended: {'; '.join(made.faults)}."
    if made.faults and strict:
        raise ValueError(f"save: {text} Nothing was saved.")
    if made.faults and strict is None:
        warn_user(text)
    config = made.config
    training = training_config_for_keras(training_config_of(model), version) if compiled else None
    with new_file(path) as file:
        if version == 3:
            _write_archive(file, model, {**config, **({"compile_config": training} if training else {})}, state)
        else:
            file.write(_whole(model, config, training))
    return save_result_of("JSON", model.weights)


def save_keras_weights(model: LayersModel, path: Path) -> ReadyNone:
    """Write only the weights, as Keras 3 does: a file that ends with `.weights.h5`."""
    data = _tree(model, plain(model), [])
    with new_file(path) as file:
        file.write(data)
    return ReadyNone()


def _write_archive(file: Any, model: LayersModel, config: Mapping[str, Any], state: Sequence[Array]) -> None:
    metadata = {"keras_version": _VERSIONS[3], "date_saved": datetime.now(UTC).strftime("%Y-%m-%d@%H:%M:%S")}
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(METADATA, json.dumps(metadata))
        archive.writestr(CONFIG, json_text(config, CONFIG))
        archive.writestr(WEIGHTS, _tree(model, config, state))


def _tree(model: LayersModel, config: Mapping[str, Any], state: Sequence[Array]) -> bytes:
    """The weights as an HDF5 file, in the structure of the model."""
    stream = io.BytesIO()
    with package().File(stream, "w") as file:
        for path, weight in keras_paths(model, config).items():
            file[path] = _values(weight)
        for i, values in enumerate(state):
            file[f"{STATE_BY_NUMBER}/{i}"] = values
    return stream.getvalue()


def _whole(model: LayersModel, config: Mapping[str, Any], training: Mapping[str, Any] | None) -> bytes:
    """A model as an HDF5 file, its weights by layer.

    It excludes the optimizer's state: with it, a model that Keras 3.15 has read from such a file cannot be trained.
    """
    stream = io.BytesIO()
    with package().File(stream, "w") as file:
        group = file.create_group("model_weights")
        for place in (file, group):
            place.attrs["keras_version"] = _VERSIONS[2].encode()
            place.attrs["backend"] = b"tensorflow"
        file.attrs["model_config"] = json_text(config, "model_config").encode()
        if training is not None:
            file.attrs["training_config"] = json_text(training, "training_config").encode()
        layers = model.layers
        _write_names(group, "layer_names", [layer.name for layer in layers])
        for layer in layers:
            _write_weights(group.create_group(layer.name), ordered_weights(layer))
        _write_weights(group.create_group(OWN_WEIGHTS), own_weights(model))
    return stream.getvalue()


def _write_weights(group: Any, weights: Sequence[LayerVariable]) -> None:
    names = [f"{name}:0" for name in unique_names(weight.original_name for weight in weights)]
    _write_names(group, "weight_names", names)
    for name, weight in zip(names, weights, strict=True):
        group[name] = _values(weight)


def _write_names(group: Any, key: str, names: Sequence[str]) -> None:
    """A list of strings as an attribute; a long one is split, since HDF5 limits the size of attributes."""
    encoded = np.array([name.encode() for name in names] or [], dtype="S")
    pieces = np.array_split(encoded, -(-encoded.nbytes // 60_000)) if encoded.nbytes > 60_000 else [encoded]
    for i, piece in enumerate(pieces):
        group.attrs[key if len(pieces) == 1 else f"{key}{i}"] = piece


def _values(weight: LayerVariable) -> Any:
    values = dispatch.read(weight, "save")
    return values.astype(np.int32 if weight.dtype == "int32" else np.float32)
