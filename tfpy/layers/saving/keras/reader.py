"""Models in Keras's files: `.keras` archives, `.h5` files of models, and `.h5` files of weights."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tfpy.core.convert import to_tensor
from tfpy.core.io.archive import ZipReader
from tfpy.core.io.errors import MAX_JSON_BYTES, ModelFileError
from tfpy.core.io.hdf5 import SIGNATURE, Hdf5, reading
from tfpy.core.io.json_text import parse_json
from tfpy.core.memory import tidy
from tfpy.core.system.urls import ending
from tfpy.engine.errors import nearest
from tfpy.layers.config import plain
from tfpy.layers.saving.keras.found import CONFIG, METADATA, start_of
from tfpy.layers.saving.keras.paths import keras_paths, ordered_weights, own_weights
from tfpy.layers.saving.keras.training_config import training_config_from_keras
from tfpy.layers.weights import LayerVariable

if TYPE_CHECKING:
    from tfpy.layers.container import Container

WEIGHTS = "model.weights.h5"
OWN_WEIGHTS = "top_level_model_weights"
"""The location in an `.h5` file of a model's weights that belong to none of its layers."""

# Entries of a file other than the weights of layers.
_NO_WEIGHTS = ("optimizer", "metrics", "loss_tracker", "seed_generator", "compile_metrics")
# The location of the layers in older versions of Keras.
_OLDER = "_layer_checkpoint_dependencies"


class KerasFile(NamedTuple):
    """A Keras file.

    Attributes:
        topology: the configuration of the model; None in a file of weights.
        training: the training configuration, in the form of TF.js; None if there is none.
        weights: the location of the weights.
        by_layer: whether they are listed by layer, as in an `.h5` file, and not by the tree of the model.
        version: the version of Keras, 2 or 3, that defines the meaning of the options.
    """

    topology: Mapping[str, Any] | None
    training: Mapping[str, Any] | None
    weights: Hdf5
    by_layer: bool
    version: int


@contextlib.contextmanager
def opened(path: Path) -> Iterator[KerasFile]:
    """A Keras file, open for reading.

    Raises:
        ModelFileError: it is damaged or incomplete. ImportError: h5py is not installed.
    """
    if ending(path) != ".keras" and start_of(path) == SIGNATURE:
        with reading(path, str(path)) as hdf5:
            yield _of_hdf5(hdf5)
        return
    with ZipReader(path, str(path)) as archive:
        data = archive.read(CONFIG, MAX_JSON_BYTES)
        topology = parse_json(data, f"{path}:{CONFIG}")
        source = f"{path}:{WEIGHTS}"
        with reading(archive.read(WEIGHTS, archive.size(WEIGHTS)), source) as hdf5:
            version = _version(_metadata(archive).get("keras_version"), 3)
            training = training_config_from_keras(topology.get("compile_config"), "optimizer")
            yield KerasFile(topology, training, hdf5, False, version)


def _of_hdf5(hdf5: Hdf5) -> KerasFile:
    config, training = (_json_attribute(hdf5, name) for name in ("model_config", "training_config"))
    by_layer = hdf5.texts(_layers_in(hdf5), "layer_names") is not None
    version = _version(hdf5.text(hdf5.root, "keras_version"), 2)
    return KerasFile(config, training_config_from_keras(training, "optimizer_config"), hdf5, by_layer, version)


def _metadata(archive: ZipReader) -> Mapping[str, Any]:
    if METADATA not in archive.entries:
        return {}
    return parse_json(archive.read(METADATA, MAX_JSON_BYTES), f"{archive.label}:{METADATA}")


def _version(text: Any, default: int) -> int:
    """2 or 3, from the version string in a file."""
    if not isinstance(text, str):
        return default
    return 2 if text.partition(".")[0] in ("1", "2") else 3


def _json_attribute(hdf5: Hdf5, name: str) -> Mapping[str, Any] | None:
    text = hdf5.text(hdf5.root, name)
    if text is None:
        return None
    return parse_json(text.encode(), f"{hdf5.source}: {name}")


# Weights


def write_keras_weights(model: Container, file: KerasFile, strict: bool) -> None:
    """Write the weights of a file to a model; everything is checked before anything is written.

    They are written unchanged, whatever the constraints: Keras enforces constraints only after training steps, so that
    a file may have weights that violate them.

    Raises:
        ModelFileError: a weight is missing in the other one (if strict), or has another shape.
    """
    found = _by_layer(model, file.weights) if file.by_layer else _by_tree(model, file, strict)
    given = {id(weight) for weight, _ in found}
    missing = [weight.original_name for weight in model.weights if id(weight) not in given]
    if strict and missing:
        listed = ", ".join(map(repr, missing[:8]))
        raise ModelFileError(f"{file.weights.source}: lacks weights that the model has: {listed}.")
    values = [(weight, file.weights.read(dataset, weight.shape)) for weight, dataset in found]

    def write() -> None:
        for weight, value in values:
            weight.assign(to_tensor("load", weight.name, value, weight.dtype))

    tidy(write)


def _by_tree(model: Container, file: KerasFile, strict: bool) -> list[tuple[LayerVariable, Any]]:
    hdf5 = file.weights
    config = file.topology or plain(model)
    paths = keras_paths(model, config)
    datasets = {_as_now(path): found for path, found in hdf5.arrays(hdf5.root).items()}
    known = {path: found for path, found in datasets.items() if not set(_NO_WEIGHTS).intersection(path.split("/"))}
    unknown = [path for path in known if path not in paths]
    if strict and unknown:
        missing = [path for path in paths if path not in known]
        raise ModelFileError(
            f"{hdf5.source}: has a weight {unknown[0]!r} that the model lacks.{nearest(unknown[0], missing)}"
        )
    return [(weight, known[path]) for path, weight in paths.items() if path in known]


def _as_now(path: str) -> str:
    """A path in a file of an older Keras version, in the form of newer ones."""
    return "/".join(name.lstrip("_") for name in path.replace(_OLDER, "layers").split("/"))


def _by_layer(model: Container, hdf5: Hdf5) -> list[tuple[LayerVariable, Any]]:
    """The weights of an `.h5` file: by layer, and within a layer by number."""
    top = _layers_in(hdf5)
    holders = {layer.name: (f"layer {layer.name!r}", ordered_weights(layer)) for layer in model.layers}
    found: list[tuple[LayerVariable, Any]] = []
    for name in hdf5.texts(top, "layer_names") or []:
        found += _of_group(hdf5, hdf5.child(top, name), *holders.get(name, (f"layer {name!r}", [])))
    own = hdf5.child(top, OWN_WEIGHTS)
    if own is not None:  # not written by Keras before 2.6
        found += _of_group(hdf5, own, f"model {model.name!r} itself", own_weights(model))
    return found


def _layers_in(hdf5: Hdf5) -> Any:
    """The group with the layers' weights in an `.h5` file, the whole file if it has only weights."""
    group = hdf5.child(hdf5.root, "model_weights")
    return hdf5.root if group is None else group


def _of_group(hdf5: Hdf5, group: Any, owner: str, weights: Sequence[LayerVariable]) -> list[tuple[LayerVariable, Any]]:
    """The weights of one owner, by number."""
    names = [] if group is None else hdf5.texts(group, "weight_names") or []
    if len(names) != len(weights):
        raise ModelFileError(
            f"{hdf5.source}: {owner} has {len(names)} weights in the file, and {len(weights)} in the model."
        )
    found = []
    for weight, path in zip(weights, names, strict=True):
        dataset = hdf5.array(group, path)
        if dataset is None:
            raise ModelFileError(f"{hdf5.source}: the weight {path!r} of {owner} is missing.")
        found.append((weight, dataset))
    return found
