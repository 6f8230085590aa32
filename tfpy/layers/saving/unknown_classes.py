"""Class names in a topology that are unknown: one error lists them all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tfpy.core.io.errors import ModelFileError
from tfpy.engine.errors import nearest, show
from tfpy.layers.base import Layer
from tfpy.layers.config import config_value, is_object_config, layer_name
from tfpy.layers.registry import named, names_of_classes
from tfpy.layers.saving.keras.masks import without_masks
from tfpy.layers.saving.keras.operation import is_operation
from tfpy.layers.saving.keras.operations import OPERATIONS
from tfpy.layers.saving.keras_names import CLASS_ALIASES

_MOST = 12  # in the message
# Options whose values are layers.
_INNER = ("layer", "backward_layer", "cell")


def refuse_unknown(config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None) -> None:
    """Check that there is a class for every layer of a model.

    Raises:
        ModelFileError: with the names of those that have none.
    """
    faults: dict[str, str] = {}
    for where, entry in _layers(config):
        name = config_value(entry, "class_name")
        if isinstance(name, str) and name not in faults and not _is_known(name, entry, custom_objects):
            faults[name] = f"{where}: {_explanation(name, entry)}"
    if faults:
        told = [*faults.values()]
        more = f"; and {len(told) - _MOST} more" if len(told) > _MOST else ""
        raise ModelFileError("; ".join(told[:_MOST]) + f"{more}.")


def _layers(config: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The configurations of the layers in a configuration, with their locations."""
    options = config.get("config")
    listed = config_value(options, "layers", []) if isinstance(options, Mapping) else options
    # Operations that pass masks on are removed when the model is read.
    listed = without_masks(listed) if isinstance(listed, list) else []
    found = [(f"layers[{i}]", entry) for i, entry in enumerate(listed)]
    if isinstance(options, Mapping):
        found += [(key, options[key]) for key in _INNER if key in options]
    for where, entry in found:
        if is_object_config(entry):
            name = layer_name(entry)
            yield (f"{where} ({show(name)})" if isinstance(name, str) else where), entry
            yield from _layers(entry)


def _is_known(name: str, entry: Mapping[str, Any], custom_objects: Mapping[str, Any] | None) -> bool:
    if is_operation(entry):
        return name in OPERATIONS
    return named(name, custom_objects) is not None or name in CLASS_ALIASES


def _explanation(name: str, entry: Mapping[str, Any]) -> str:
    if is_operation(entry):
        return f"Unknown operation {show(name)} of keras.ops, which is not among those that can be read"
    given = f"custom_objects={{{show(name.rpartition('>')[2])}: …}}"
    module = entry.get("module")
    if isinstance(module, str) and module.partition(".")[0] == "keras":
        return (
            f"Unknown layer {show(name)}, one of Keras's that is not here; {given} may give a class of your own for it"
        )
    known = f"is given by {given}, or made known by tf.serialization.register_class"
    if "module" in entry:
        return f"Unknown layer {show(name)}, a class of your own, which {known}"
    hint = nearest(name, names_of_classes(lambda cls: issubclass(cls, Layer)))
    return f"Unknown layer {show(name)}.{hint} A class of your own {known}"
