"""The JSON of a model that Keras and TF.js share: written in TF.js's form, read in either form.

Keys are snake_case. TF.js writes enum values ('hardSigmoid') in Keras's spelling ('hard_sigmoid'); options accept both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfpy.core.naming.names import spellings
from tfpy.engine.errors import show
from tfpy.engine.package import is_ours
from tfpy.engine.warn import warn_user
from tfpy.layers.activations import Activation
from tfpy.layers.base import Layer
from tfpy.layers.config import config_value, is_object_config, options_in
from tfpy.layers.container import Container
from tfpy.layers.declared import Declared
from tfpy.layers.initializers import Identity
from tfpy.layers.kinds.recurrent import RNN, without_options_of_cell
from tfpy.layers.naming import snake_class
from tfpy.layers.registry import class_of, named
from tfpy.layers.saving.json_tree import is_keras_tensor, map_children, walk
from tfpy.layers.saving.keras import normalization as normalization  # registers its class
from tfpy.layers.saving.keras.masks import without_masks
from tfpy.layers.saving.keras.operation import as_layer, is_operation
from tfpy.layers.saving.keras_names import CLASS_ALIASES, KERAS3_OPTIONS, swapped

# Values of these keys are names, or the user's own strings.
_NAMES = frozenset(
    {"name", "class_name", "inbound_nodes", "input_layers", "output_layers", "seed", "operation", "options_given"}
)
# Options that are written only if they are set: TF.js does not write them, and Keras rejects the first.
_IF_GIVEN = frozenset({"dropout_func", "input_dim", "input_length"})
# Activations with another name in TF.js.
_SAME = {"silu": "swish"}

# Options of all layers with another name in Keras 3.
_RENAMED = {"batch_shape": "batch_input_shape"}
# What Keras and TF.js store next to the options, and entries without effect on a layer's results.
_NOTES = frozenset(
    {
        *("autocast", "build_config", "build_input_shape", "cells", "compile_config", "custom_objects", "dtype"),
        *("fused", "implementation", "module", "optional", "quantization_config", "registered_name", "seed"),
        *("key_shape", "query_shape", "shared_object_id", "value_shape"),
        *("renorm_clipping", "renorm_momentum", "synchronized", "time_major", "use_cudnn"),
    }
)
_ACTIVATIONS = frozenset({"activation", "recurrentActivation", "recurrent_activation"})
# Options that Keras 2 writes for a class that ignores them.
_IDLE_OF_CLASS = {
    name: frozenset({"kernel_initializer", "kernel_regularizer", "kernel_constraint"})
    for name in ("SeparableConv1D", "SeparableConv2D", "DepthwiseConv1D", "DepthwiseConv2D")
} | {
    # How Keras 2 stores the function, and the code for the shape, which is inferred here.
    "Lambda": frozenset({"function_type", "output_shape", "output_shape_module", "output_shape_type"})
}
# Options of Keras that are unsupported here, with the value at which they have no effect. Other values are rejected.
_WITHOUT_EFFECT: dict[str, Any] = {
    "adjustment": None,
    "antialias": False,
    "attention_axes": [1],
    "backward_layer": None,
    "data_format": "channels_last",
    "fill_mode": "constant",
    "fill_value": 0.0,
    "groups": 1,
    "lora_rank": None,
    "num_constants": None,
    "output_padding": None,
    "output_shape": None,
    "pad_to_aspect_ratio": False,
    "quantization_mode": None,
    "ragged": False,
    "renorm": False,
    "rms_scaling": False,
    "softmax_robust_masking": False,
    "use_gate": False,
    "virtual_batch_size": None,
}
# Those of them that do not change the results computed from the weights in a file: other values cause a warning.
_HARMLESS = frozenset({"fill_mode", "fill_value", "lora_rank", "quantization_mode", "virtual_batch_size"})
_DTYPES = {
    **dict.fromkeys(("float16", "bfloat16", "float64", "mixed_float16", "mixed_bfloat16"), "float32"),
    **dict.fromkeys(("int8", "uint8", "int16", "uint16", "int64", "uint32", "uint64"), "int32"),
}


def written(value: Any) -> Any:
    """A configuration in memory as TF.js writes it to a file: enum values in Keras's spelling."""
    return _written(value, True)


def _written(value: Any, respell: bool) -> Any:
    if isinstance(value, Mapping):
        if is_object_config(value):
            cls = class_of(value.get("class_name"))
            # The strings of a user-defined class are unchanged.
            inner = {"config": _written(value.get("config"), cls is not None and is_ours(cls))}
            return {**value, **inner}
        said = {key: v for key, v in value.items() if not (respell and v is None and key in _IF_GIVEN)}
        return {key: v if key in _NAMES else _written(v, respell) for key, v in said.items()}
    if isinstance(value, str) and respell:
        return _SAME.get(value, snake_class(value))
    return map_children(value, lambda v: _written(v, respell))


def read(topology: Mapping[str, Any], custom_objects: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """A topology from a file, in the form that `from_config` takes.

    The peculiarities of Keras 2 and 3 are converted: `batch_shape`, dtype policies, marked tuples, functions as
    objects, numbers as arrays, options without effect here. Unknown options cause a warning.

    Raises:
        ValueError: an option of Keras has an effect that is not supported here.
    """
    found: Mapping[str, Any] = _Reader(custom_objects or {}, makes_masks(topology)).object(topology)
    return found


class _Reader:
    def __init__(self, custom_objects: Mapping[str, Any], masks: bool) -> None:
        self._custom = custom_objects
        self._masks = masks

    def object(self, config: Mapping[str, Any]) -> Any:
        """An object's configuration: {'class_name', 'config', …}."""
        if is_operation(config):
            config = as_layer(config)
        name, inner = config_value(config, "class_name"), config.get("config")
        if not isinstance(name, str) or is_keras_tensor(config):
            return config
        if name == "__tuple__":
            return [self.value(v) for v in config.get("items", [])]
        if name == "function":
            return inner
        if name == "DTypePolicy" and isinstance(inner, Mapping):
            return _dtype(inner.get("name"))
        return self.instance(name if name in self._custom else CLASS_ALIASES.get(name, name), config)

    def instance(self, name: str, config: Mapping[str, Any]) -> dict[str, Any]:
        """The configuration of an instance of the class with that name."""
        inner = config.get("config")
        cls = named(name, self._custom)
        if cls is Identity and "name" in options_in(config):  # the layer, and not the initializer
            name, cls, inner = "Activation", class_of("Activation"), {**options_in(config), "activation": "linear"}
        if isinstance(inner, list):
            inner = [self.value(v) for v in inner]
        elif isinstance(inner or {}, Mapping):  # invalid options are rejected where the object is created
            inner = self.options(name, cls if isinstance(cls, type) else object, inner or {})
        others = {key: self.value(v) for key, v in config.items() if key not in _NOTES and key != "config"}
        return {**others, "class_name": name, "config": inner}

    def options(self, name: str, cls: type, config: Mapping[str, Any]) -> dict[str, Any]:
        """The options of a class. Those of a user-defined class are unchanged, except for the objects in them."""
        if issubclass(cls, Container) and "layers" in config:
            config = {**config, "layers": without_masks(config["layers"])}
        if is_ours(cls) and issubclass(cls, Declared):
            out = self.known_options(name, cls, config)
        else:
            out = {key: self.value(v) for key, v in config.items()}
        if issubclass(cls, Container) and cls.is_stack:
            _set_first_input_shape(out.get("layers"), config.get("build_input_shape"))
        return out

    def known_options(self, name: str, cls: type[Declared], config: Mapping[str, Any]) -> dict[str, Any]:
        """The options of one of our classes, without Keras's options that it does not have."""
        out = {}
        known = spellings(_options_of(cls))
        if name == RNN.class_name:
            config = without_options_of_cell(config)
        # Without masks zero_output_for_mask has no effect, and TF.js does not need it.
        idle = _IDLE_OF_CLASS.get(name, frozenset()) | ({"zero_output_for_mask"} if not self._masks else set())
        renamed = _RENAMED | swapped(KERAS3_OPTIONS.get(name, {}))
        for given, noted in config.items():
            value = _number(noted)
            if given in idle or (given == "backward_layer" and _mirrors(value, config.get("layer"))):
                continue
            key = renamed.get(given, given)
            if key in known:
                out[key] = self.option(key, self.value(value))
            elif key not in _NOTES and value not in (None, _WITHOUT_EFFECT.get(key)):
                _refuse_or_warn(config.get("name") or name, name, given, value)
        if name == "BatchNormalization" and isinstance(out.get("axis"), list) and len(out["axis"]) == 1:
            out["axis"] = out["axis"][0]
        return out

    def option(self, key: str, value: Any) -> Any:
        """The value of an option; the name of an activation may become a user's function."""
        if key == "dtype":
            return _dtype(value)
        if key in _ACTIVATIONS and isinstance(value, str) and callable(self._custom.get(value)):
            return Activation(value, self._custom[value])
        return value

    def value(self, value: Any) -> Any:
        """Any value, including objects in it."""
        return self.object(value) if is_object_config(value) else map_children(value, self.value)


def _refuse_or_warn(label: str, name: str, option: str, value: Any) -> None:
    """Raise an error or warn about the value of an unsupported Keras option.

    Raises:
        ValueError: the value has an effect.
    """
    if option in _WITHOUT_EFFECT and option not in _HARMLESS:
        raise ValueError(
            f"{label}: option {option} of {name} is {show(value)} in the file, which is not supported; use "
            f"{show(_WITHOUT_EFFECT[option])}."
        )
    warn_user(f"{label}: option {option} = {show(value)} of the file is unknown and has no effect.")


def _number(value: Any) -> Any:
    """A number that Keras stores as an array, as a number; anything else unchanged."""
    if isinstance(value, Mapping) and value.get("type") == "ndarray" and isinstance(value.get("value"), (int, float)):
        return value["value"]
    return value


def _options_of(cls: type[Declared]) -> set[str]:
    if issubclass(cls, Container):
        return {"name", "trainable", "layers", "input_layers", "output_layers"}
    return {*cls.options, *(cls.base_options if issubclass(cls, Layer) else ())}


def _mirrors(backward: Any, forward: Any) -> bool:
    """Whether the backward layer of a Bidirectional is the default one."""
    own, other = options_in(_bare(backward)), options_in(_bare(forward))
    names = {name for name in {*own, *other} - _NOTES if not name.endswith("_initializer")}
    names -= {"name", "go_backwards", "zero_output_for_mask"}
    return bool(own) and all(own.get(key) == other.get(key) for key in names)


def _bare(value: Any) -> Any:
    """A configuration without what Keras stores next to the options."""
    if isinstance(value, Mapping):
        value = {key: v for key, v in value.items() if key not in _NOTES}
    return map_children(value, _bare)


def makes_masks(value: Any) -> bool:
    """Whether a layer in a configuration creates masks."""
    return any(
        isinstance(v, Mapping) and (v.get("class_name") == "Masking" or v.get("mask_zero") is True) for v in walk(value)
    )


def _set_first_input_shape(layers: Any, shape: Any) -> None:
    """Set the input shape of a Sequential's first layer, which Keras stores next to the layers."""
    if isinstance(layers, list) and layers and shape is not None:
        options_in(layers[0]).setdefault("batch_input_shape", shape)


def _dtype(value: Any) -> Any:
    return _DTYPES.get(value, value) if isinstance(value, str) else value
