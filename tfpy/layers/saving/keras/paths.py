"""The paths of weights in Keras's own files, which consist of class and attribute names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tfpy.layers.base import Layer
from tfpy.layers.config import config_value, is_object_config, layer_name
from tfpy.layers.container import Container
from tfpy.layers.naming import unique_names
from tfpy.layers.saving.keras_names import KERAS_CLASSES
from tfpy.layers.weights import LayerVariable, outside

# Keras's names of the parts of our layers, by the first word of the weights' names.
_PARTS = {
    "MultiHeadAttention": {
        "query": "query_dense",
        "key": "key_dense",
        "value": "value_dense",
        "attention_output": "output_dense",
    }
}
# The attributes for inner layers, which have the same names in both.
_HELD = ("cell", "layer", "forward_layer", "backward_layer")


def keras_paths(layer: Layer, config: Mapping[str, Any]) -> dict[str, LayerVariable]:
    """The weights of a model by their paths in a file.

    Args:
        layer: the model, or a layer in it.
        config: its configuration, with the layers in the order of the file.
    """
    return dict(_paths(layer, config))


def _paths(layer: Layer, config: Mapping[str, Any]) -> Iterator[tuple[str, LayerVariable]]:
    held = list(_held(layer, config))
    parts = _PARTS.get(layer.get_class_name(), {})
    counts: Counter[str] = Counter()
    for weight in outside(ordered_weights(layer), (part for _, part, _ in held)):
        words = weight.original_name.split("/")
        folder = f"{parts[words[-2]]}/" if parts else ""
        yield f"{folder}vars/{counts[folder]}", weight
        counts[folder] += 1
    for name, part, inner in held:
        for path, weight in _paths(part, inner):
            yield f"{name}/{path}", weight


def ordered_weights(layer: Layer) -> list[LayerVariable]:
    """A layer's weights in Keras's order: trainable ones, then the others."""
    return [*layer.trainable_weights, *layer.non_trainable_weights]


def own_weights(model: Container) -> list[LayerVariable]:
    """A model's own weights, which do not belong to its layers, in Keras's order."""
    return outside(ordered_weights(model), model.layers)


def _held(layer: Layer, config: Mapping[str, Any]) -> Iterator[tuple[str, Layer, Mapping[str, Any]]]:
    """The inner layers of a layer: their attributes and configurations."""
    options = config.get("config") or {}
    if isinstance(layer, Container):
        configs = layer_configs(options)
        own = {part.name: part for part in layer.layers}
        for name, inner in zip(_names_in_list(configs), configs, strict=True):
            part = own.get(layer_name(inner))
            if part is not None:
                yield f"layers/{name}", part, inner
        return
    for name in _HELD:
        part = getattr(layer, name, None)
        if isinstance(part, Layer):
            inner = config_value(options, name) or config_value(options, "layer") or {}
            yield name, part, inner
    cells = getattr(layer, "cells", None)
    if isinstance(cells, list):
        configs = options.get("cells") or [{}] * len(cells)
        named = [{"class_name": cell.get_class_name()} for cell in cells]
        for name, cell, inner in zip(_names_in_list(named), cells, configs, strict=True):
            yield f"cells/{name}", cell, inner


def layer_configs(options: Any) -> Sequence[Mapping[str, Any]]:
    """The configurations of a model's layers, from its options; none if a user-defined class has other options."""
    listed = options if isinstance(options, (list, tuple)) else config_value(options, "layers")
    return listed if isinstance(listed, (list, tuple)) and all(map(is_object_config, listed)) else []


def _names_in_list(configs: Iterable[Mapping[str, Any]]) -> list[str]:
    """Keras's names of the members of a list: their classes, numbered from the second one of a class on."""
    kinds = [str(config_value(config, "class_name")).rpartition(">")[2] for config in configs]
    return unique_names(_snake(KERAS_CLASSES.get(kind, kind)) for kind in kinds)


def _snake(name: str) -> str:
    """The folder name that Keras 3 derives from a class name: ConvLSTM2D → conv_lstm2d."""
    words = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", re.sub(r"\W+", "", name))
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower()
