"""Configurations: from objects to plain values and back. Keys may be in either spelling; values are unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfpy.core.io.errors import errors_of_file, list_in, object_in
from tfpy.core.naming.names import camel
from tfpy.engine.errors import argument_error, show
from tfpy.layers.registry import known_class


def plain(value: Any) -> Any:
    """An option's value in a configuration: objects as {'class_name', 'config'}, tuples as lists."""
    if hasattr(value, "serialized"):
        return value.serialized()
    if hasattr(value, "get_config"):
        return {"class_name": value.get_class_name(), "config": value.get_config()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, Mapping):
        return {key: plain(v) for key, v in value.items()}
    return value


def is_object_config(value: Any) -> bool:
    """Whether a value describes an object: a mapping with a class name in either spelling."""
    return isinstance(value, Mapping) and ("class_name" in value or "className" in value)


def options_in(value: Any) -> dict[str, Any]:
    """The options in an object's configuration; empty for any other value."""
    config = value.get("config") if isinstance(value, Mapping) else None
    return dict(config) if isinstance(config, Mapping) else {}


def layer_name(config: Mapping[str, Any]) -> Any:
    """The name of the layer in a configuration: models store it next to the options or among them."""
    options = config.get("config")
    return config.get("name") or (options.get("name") if isinstance(options, Mapping) else None)


def build_object(
    config: Mapping[str, Any], what: str, kind: type | tuple[type, ...], custom_objects: Mapping[str, Any] | None = None
) -> Any:
    """The object that a configuration {'class_name', 'config'} describes.

    Args:
        config: the configuration, keys in either spelling.
        what: the kind of object, for messages: 'layer', 'initializer', …
        kind: the allowed classes.
        custom_objects: classes by name, looked up before the registered ones.

    Raises:
        ValueError: no class of that name (with the closest known one), or one of another kind.
    """
    name = config_value(config, "class_name")
    inner = config.get("config") or {}
    if not isinstance(name, str) or not isinstance(inner, (Mapping, list)):
        raise argument_error(what, "config", "{'class_name': string, 'config': options}", config)
    cls = known_class(name, what, kind, custom_objects)
    if not getattr(cls, "is_stack", False):  # for which old files have a list of layers
        object_in(what, "config", inner)
    return _from_config(cls, inner, custom_objects)


def build_layers(configs: Any, kind: type, custom_objects: Mapping[str, Any] | None) -> list[Any]:
    """The layers, of the class `kind`, that a list of configurations describes.

    Raises:
        ModelFileError: a layer cannot be created; the message names it.
    """
    made = []
    for i, config in enumerate(list_in("configuration", "layers", configs)):
        entry = object_in("configuration", f"layers[{i}]", config)
        where = f"layers[{i}] ({show(layer_name(entry) or config_value(entry, 'class_name'))})"
        with errors_of_file(where, "invalid options"):
            made.append(build_object(entry, "layer", kind, custom_objects))
    return made


def _from_config(cls: Any, inner: Any, custom_objects: Mapping[str, Any] | None) -> Any:
    if getattr(cls, "takes_custom_objects", False):
        return cls.from_config(inner, custom_objects)
    if hasattr(cls, "from_config"):
        return cls.from_config(inner)
    return cls.fromConfig(cls, inner)


def config_value(config: Mapping[str, Any], name: str, default: Any = None) -> Any:
    """An entry of a configuration, whose key may be in either spelling."""
    return config.get(name, config.get(camel(name), default))
