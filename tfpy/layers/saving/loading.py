"""Loading models: `tf.load_layers_model`, `tf.models.model_from_json`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Unpack

from tfpy.core.calling.registry import export
from tfpy.core.io.artifacts import ModelArtifacts
from tfpy.core.io.errors import ModelFileError, errors_of_file, object_in
from tfpy.core.io.handlers import load_artifacts
from tfpy.core.io.json_text import check_depth, parse_json
from tfpy.core.io.load_options import LoadOptions
from tfpy.core.io.loader import load_weights
from tfpy.core.memory import dispose, tidy
from tfpy.core.naming.names import camel
from tfpy.core.results import Entries
from tfpy.core.tensor import Tensor
from tfpy.engine.errors import argument_error, show
from tfpy.layers.config import build_object, config_value, is_object_config
from tfpy.layers.container import Container
from tfpy.layers.inner_layers import layers_in
from tfpy.layers.model import LayersModel
from tfpy.layers.registry import known_class
from tfpy.layers.saving.keras.found import found_keras_file
from tfpy.layers.saving.lazy_build import build_lazy_layers
from tfpy.layers.saving.lost_options import with_depth_multipliers
from tfpy.layers.saving.optimizer_state import restore_optimizer
from tfpy.layers.saving.topology import read
from tfpy.layers.saving.training_config import compile_as
from tfpy.layers.saving.unknown_classes import refuse_unknown
from tfpy.layers.saving.weight_loading import decoded
from tfpy.layers.saving.weight_names import load_named, weights_by_name
from tfpy.layers.weights import DeferredWeight, deferred_weights

CustomObjects = Mapping[str, Any]


@export(doc="Models / Loading", options="options")
def load_layers_model(
    path_or_io_handler: Any,
    options: Mapping[str, Any] | None = None,
    *,
    custom_objects: CustomObjects | None = None,
    **loading: Unpack[LoadOptions],
) -> LayersModel:
    """Load a model of layers saved by TF.js, tfpy, Keras or the TensorFlow.js converter.

    Args:
        path_or_io_handler: the path of a model.json, its folder, a zip archive, or a file of Keras (.keras, .h5); a URL
            (http(s)://, file://, localstorage://); a parsed model.json, or artifacts in a dict; or a handler of
            `tf.io`.
        options: the options below as a dict.
        custom_objects: custom layer classes and activations by their names in the file; and functions of Lambda layers,
            by the names of the layers if the file has code for them (beyond TF.js). Classes can also be registered with
            `tf.serialization.register_class`.
        **loading: see `tf.io.LoadOptions`.

    Returns:
        The model, compiled if the file has a training configuration; it may be awaited.

    Raises:
        ModelFileError: a ValueError with the file, the field in it and the reason; no part of the model remains then.

    Source: TF.js `tf.loadLayersModel`.
    """
    strict = loading.get("strict", True)
    keras_file = found_keras_file(path_or_io_handler)
    if keras_file is not None:
        from tfpy.layers.saving.keras.loading import load_keras  # imported lazily

        return load_keras(keras_file, strict, custom_objects)
    artifacts, source = load_artifacts("load_layers_model", "path_or_io_handler", path_or_io_handler, loading)
    return model_of(artifacts, source, strict, custom_objects)


def model_of(
    artifacts: ModelArtifacts, source: str, strict: bool = True, custom_objects: CustomObjects | None = None
) -> LayersModel:
    """The model that artifacts describe.

    Raises:
        ModelFileError: as `load_layers_model`.
    """
    weights, state = decoded(artifacts, source)
    try:
        with deferred_weights() as deferred:
            model = built(artifacts.model_topology, source, custom_objects, weights)
            with filling(source):
                if artifacts.weight_data is not None:
                    load_named(model, weights, strict, source)
                initialize(deferred)
            if artifacts.user_defined_metadata is not None:
                model.set_user_defined_metadata(
                    object_in(source, "userDefinedMetadata", artifacts.user_defined_metadata)
                )
            if artifacts.training_config is not None:
                compile_as(model, artifacts.training_config, source, camel)
            if model.optimizer is not None and state:
                restore_optimizer(model, state, source)
    finally:
        dispose([weights, state])
    return model


@contextmanager
def filling(source: str) -> Iterator[None]:
    """A context in which weights get their values: errors of the file's constraints and initializers name the file."""
    try:
        with tidy():
            yield
    except (ModelFileError, Warning):
        raise
    except Exception as error:
        fault = error if isinstance(error, (ValueError, TypeError)) else f"{type(error).__name__}: {error}"
        raise ModelFileError(f"{source}: the weights of the model cannot be created: {fault}") from error


def initialize(deferred: list[DeferredWeight]) -> None:
    """Initialize the weights that have no values in the file."""
    for weight, make in deferred:
        if weight.backend is not None and weight.backend.symbolic:
            weight.assign(make())


def built(
    topology: Any, source: str, custom_objects: CustomObjects | None, weights: Mapping[str, Tensor] | None = None
) -> LayersModel:
    """The model of a topology, its weights without values; options that it lacks are inferred from the weights."""
    if isinstance(topology, (bytes, bytearray)):
        raise ModelFileError(f"{source}: modelTopology is binary; only JSON topologies can be read.")
    if not isinstance(topology, Mapping):
        raise ModelFileError(f"{source}: modelTopology must be an object, but is {show(topology)}.")
    if "node" in topology:
        raise ModelFileError(f"{source}: is a graph model; load it with tf.load_graph_model.")
    check_depth(topology, source)
    inner = topology.get("model_config") or topology
    config = parse_json(inner.encode(), f"{source}: model_config") if isinstance(inner, str) else inner
    if not is_object_config(config) or not isinstance(config_value(config, "class_name"), str):
        raise ModelFileError(f"{source}: modelTopology must have a class_name and a config, but is {show(config)}.")
    with errors_of_file(f"{source}: modelTopology", "invalid"):
        known_class(config_value(config, "class_name"), "model", LayersModel, custom_objects)
        refuse_unknown(config, custom_objects)
        config = read(with_depth_multipliers(config, weights or {}), custom_objects)
        model: LayersModel = build_object(config, "model", LayersModel, custom_objects)
        _check_graphs(model)
    if not model.built:
        raise ModelFileError(f"{source}: modelTopology has no layers.")
    build_lazy_layers(model)
    return model


def _check_graphs(model: LayersModel) -> None:
    """Build the graphs of a model and of those in it: a stack of layers would be checked only at its first call."""
    for part in layers_in(model):
        if isinstance(part, Container) and part.outputs:
            _ = part.graph


@export(namespace="models", doc="Models / Loading")
@export(doc="Models / Loading")
def model_from_json(
    model_and_weights_config: Mapping[str, Any] | str, custom_objects: CustomObjects | None = None
) -> LayersModel:
    """The model described by a topology, with the weights of a manifest if there is one.

    Args:
        model_and_weights_config: a topology (a dict or JSON text, as `model.to_json` gives it), or
            {'modelTopology', 'weightsManifest', 'pathPrefix'}.
        custom_objects: layer classes by their names in the topology.

    Returns:
        The model, not compiled; it may be awaited.

    Raises:
        ValueError: an invalid configuration; the message has the reason.

    Source: TF.js `tf.models.modelFromJSON`.
    """
    given: Any = model_and_weights_config
    if isinstance(given, str):
        given = parse_json(given.encode(), "model_from_json")
    if not isinstance(given, Mapping):
        raise argument_error("model_from_json", "model_and_weights_config", "a dict or a JSON string", given, TypeError)
    parts = Entries(given)
    topology = parts.get("model_topology", given)
    with deferred_weights() as deferred:
        model = built(topology, "model_from_json", custom_objects)
        if parts.get("weights_manifest") is not None:
            names = [*weights_by_name(model)]
            values = load_weights(parts["weights_manifest"], parts.get("path_prefix") or "", names)
            load_named(model, values, True, "model_from_json")
        with filling("model_from_json"):
            initialize(deferred)
    return model
