"""The configuration of a model for Keras: TF.js's form, which is nearly that of Keras 2, with Keras's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfpy.engine.package import is_ours
from tfpy.layers.base import Layer
from tfpy.layers.config import is_object_config, plain
from tfpy.layers.constraints import Constraint
from tfpy.layers.container import Container
from tfpy.layers.initializers import Initializer
from tfpy.layers.kinds.recurrent import RNN, TakesStates, without_options_of_cell
from tfpy.layers.registry import class_of
from tfpy.layers.regularizers import Regularizer
from tfpy.layers.saving.keras.calls import keras2_call, keras3_call, takes_query_and_value
from tfpy.layers.saving.keras.mask_propagation import differing
from tfpy.layers.saving.keras.mask_rules import KERAS_MASKS
from tfpy.layers.saving.keras.operation import Operation, as_operation
from tfpy.layers.saving.keras.paths import layer_configs
from tfpy.layers.saving.keras.semantics import MEANING, meaning_of_masks, to_keras_semantics
from tfpy.layers.saving.keras_names import KERAS3_OPTIONS, KERAS_CLASSES
from tfpy.layers.saving.topology import makes_masks, written

# Classes that Keras does not have.
_UNKNOWN = frozenset({"RandomWidth", "ThresholdedReLU"})
# Options of TF.js that Keras rejects, and the classes that accept one of them nevertheless.
_FOREIGN = frozenset(
    {"batch_input_shape", "dropout_func", "implementation", "input_dim", "input_dtype", "input_length", "sparse"}
)
_NOT_FOREIGN = {"Embedding": "input_dim", "InputLayer": "batch_input_shape"}
# Options that are omitted if they have their default, since some version of Keras does not accept them.
_DEFAULTS = (("score_mode", "dot"), ("trainable", True))
# Options for which None is a meaningful value.
_MEANT_NONE = frozenset({"merge_mode"})
# Options whose defaults in Keras differ.
_STATED: dict[str, dict[str, Any]] = {"GRU": {"reset_after": False}, "GRUCell": {"reset_after": False}}
# Layers with a single axis: a list of one here, a number in Keras.
_ONE_AXIS = {"Cropping1D": "cropping", "UpSampling1D": "size", "ZeroPadding1D": "padding"}
_WITHOUT_LAYOUT = frozenset({*_ONE_AXIS, "SpatialDropout1D"})
# The keys in the configuration of every model.
_OF_MODELS = ("name", "layers", "input_layers", "output_layers")
_FAMILIES: tuple[tuple[type, str], ...] = (
    (Layer, "keras.layers"),
    (Initializer, "keras.initializers"),
    (Regularizer, "keras.regularizers"),
    (Constraint, "keras.constraints"),
)


class KerasConfig:
    """Creates the configuration of a model.

    Args:
        model: the model.
        version: 3 for `.keras` files, 2 for `.h5` files, which both versions read.

    Attributes:
        faults: a sentence for everything that Keras rejects or computes differently.
    """

    def __init__(self, model: Container, version: int) -> None:
        self.faults: list[str] = []
        self._version = version
        config = plain(model)
        self._masks = makes_masks(config)
        self.config: dict[str, Any] = self._object(config, model, True)
        if self._masks:
            self.config |= meaning_of_masks(model, version)
            self._look_at_masks(model)

    def _look_at_masks(self, model: Container) -> None:
        """Record the layers for which masks hide other steps in Keras."""
        differ: dict[str, list[str]] = {}
        for version in (2, 3)[self._version - 2 :]:
            for name in differing(model, KERAS_MASKS[version]):
                differ.setdefault(name, []).append(f"{version}")
        self.faults += [
            f"layer {name!r}: masks hide other steps from it in Keras {' and '.join(versions)}"
            for name, versions in differ.items()
        ]

    def _object(self, config: Mapping[str, Any], layer: Layer | None, listed: bool = False) -> dict[str, Any]:
        """The configuration of an object or a layer; in Keras 2's form if it is in a list of layers."""
        name = str(config["class_name"])
        options = config.get("config") or {}
        if isinstance(layer, Operation):
            if self._version == 3:
                return as_operation(layer)
            self.faults.append(f"layer {layer.name!r}: Keras takes no operations from an .h5 file")
            return self._named(name, self._users(options, None, ()), listed)
        if isinstance(layer, Container) and layer_configs(options):
            return self._named(name, self._container(options, layer), listed)
        found = self._options(name, options, layer)
        meaning, difference = to_keras_semantics(name, found, self._version)
        if meaning is None:
            return self._named(name, found, listed)
        self.faults.append(f"layer {found.get('name', name)!r}: {difference}")
        return {**self._named(name, found, listed), MEANING: meaning}

    def _named(self, name: str, options: dict[str, Any], listed: bool) -> dict[str, Any]:
        if name in _UNKNOWN:
            self.faults.append(f"Keras has no class {name}")
        cls, renamed = _known(name), KERAS_CLASSES.get(name, name)
        found = {"class_name": renamed, "config": options}
        module = next((m for family, m in _FAMILIES if cls is not None and issubclass(cls, family)), None)
        if cls is not None and issubclass(cls, Container):
            module = "keras" if cls.is_stack else "keras.src.models.functional"
        if module is None:
            self.faults.append(f"the class {name} is user-defined: Keras needs a class of its own for it")
        if listed and self._version == 2:
            return found
        named = name if module is None else "Functional" if renamed == "Functional" else None
        return {"module": module, **found, "registered_name": named}

    def _options(self, name: str, options: Mapping[str, Any], layer: Layer | None) -> dict[str, Any]:
        """The options of a layer or another object, without redundant ones."""
        if _known(name) is None:
            return self._users(options, layer, ("batch_input_shape",))
        if name == RNN.class_name:
            options = without_options_of_cell(options)
        renamed = KERAS3_OPTIONS.get(name, {}) if self._version == 3 else {}
        out = dict(_STATED.get(name, {}))
        for key, value in options.items():
            if not _says_nothing(name, key, value):
                new = value if key == "name" else self._value(value, getattr(layer, key, None))
                out[renamed.get(key, key)] = new
        self._look(name, out)
        if layer is not None and self._version == 2 and takes_query_and_value(layer):
            out |= _attention_shapes(layer)
        if name in _WITHOUT_LAYOUT:
            self._look_at_layout(name, out)
        if name in _ONE_AXIS:
            out[_ONE_AXIS[name]] = out[_ONE_AXIS[name]][0]
        return out

    def _look_at_layout(self, name: str, options: dict[str, Any]) -> None:
        """Omit the default layout of sequences: most layers have no such option in Keras, which rejects others."""
        if options.get("data_format") != "channels_first":
            options.pop("data_format", None)
        elif name != "ZeroPadding1D" or self._version == 2:
            label = f"layer {options.get('name', name)!r}"
            self.faults.append(f"{label}: Keras does not support channels-first sequences in it")

    def _look(self, name: str, options: Mapping[str, Any]) -> None:
        """Record what Keras computes differently."""
        label = f"layer {options.get('name', name)!r}"
        inner = options["layer"]["config"] if name == "Bidirectional" else {}
        if self._masks and inner.get("return_sequences") and not inner.get("zero_output_for_mask"):
            self.faults.append(f"{label}: Keras returns zeros where the sequence is masked")
        if name == "SeparableConv1D" and options.get("padding") == "causal":
            self.faults.append(f"{label}: Keras does not support causal padding in it")
        axes = options.get("axis")
        if self._version == 2 and isinstance(axes, (list, tuple)) and len(axes) > 1:
            self.faults.append(f"{label}: Keras 3 does not support several axes in an .h5 file, but Keras 2 does")

    def _users(self, options: Mapping[str, Any], layer: Layer | None, others: Sequence[str]) -> dict[str, Any]:
        """The options of a user-defined class, without some others. Its strings are unchanged."""
        given = {key: v for key, v in options.items() if key not in others}
        return {key: self._value(v, getattr(layer, key, None), respell=False) for key, v in given.items()}

    def _value(self, value: Any, held: Any, respell: bool = True) -> Any:
        if isinstance(value, str):
            return written(value) if respell else value
        if is_object_config(value):
            return self._object(value, held if isinstance(held, Layer) else None)
        if isinstance(value, Mapping):
            return {key: self._value(v, None, respell) for key, v in value.items()}
        if isinstance(value, (list, tuple)):
            parts = held if isinstance(held, (list, tuple)) and len(held) == len(value) else [None] * len(value)
            return [self._value(v, part, respell) for v, part in zip(value, parts, strict=True)]
        return value

    # Models

    def _container(self, options: Any, model: Container) -> dict[str, Any]:
        if model.is_stack:
            return self._sequential(options, model)
        parts = {layer.name: layer for layer in [*model.layers, *model.input_layers]}
        layers = []
        for entry in options["layers"]:
            layer = parts[entry["name"]]
            made = self._object(entry, layer, True)
            nodes = [self._call(call, layer, parts) for call in entry["inbound_nodes"]]
            layers.append({**made, "name": entry["name"], "inbound_nodes": nodes})
        ends = {key: [self._end(ref, parts) for ref in options[key]] for key in ("input_layers", "output_layers")}
        own = self._users(options, model, _OF_MODELS)
        return {"name": options["name"], "trainable": model.trainable, **own, "layers": layers, **ends}

    def _sequential(self, options: Any, model: Container) -> dict[str, Any]:
        configs = options if isinstance(options, list) else options["layers"]
        layers = [self._object(entry, layer, True) for entry, layer in zip(configs, model.layers, strict=True)]
        if not configs or configs[0]["class_name"] != "InputLayer":
            given = model.inputs[0]
            shape = {"batch_input_shape": list(given.shape), "dtype": given.dtype, "name": f"{model.name}_input"}
            layers.insert(0, self._named("InputLayer", self._options("InputLayer", shape, None), True))
        own = {} if isinstance(options, list) else self._users(options, model, _OF_MODELS)
        return {"name": model.name, "trainable": model.trainable, **own, "layers": layers}

    def _call(self, call: Sequence[Any], layer: Layer, parts: Mapping[str, Layer]) -> Any:
        """A call of a layer, in the form of the Keras version."""
        if self._version == 3:
            return keras3_call(call, layer, parts)
        nested = any(isinstance(parts[entry[0]], Container) for entry in call)
        if nested or takes_query_and_value(layer) or (isinstance(layer, TakesStates) and len(call) > 1):
            what = "MultiHeadAttention, initial states, or calls of a model within a model"
            self.faults.append(f"layer {layer.name!r}: Keras 3 takes no {what} from an .h5 file; Keras 2 does")
        return keras2_call(call, layer)

    def _end(self, ref: Sequence[Any], parts: Mapping[str, Layer]) -> list[Any]:
        """An input or output of the model, where Keras 3 counts the graphs of functional models, but not of others."""
        name, call, output = ref[:3]
        layer = parts[name]
        counted = self._version == 3 and isinstance(layer, Container) and layer.is_stack
        return [name, call - counted, output]


def _says_nothing(name: str, option: str, value: Any) -> bool:
    """Whether an option of a class is omitted."""
    if value is None:
        return option not in _MEANT_NONE
    return (option in _FOREIGN and _NOT_FOREIGN.get(name) != option) or (option, value) in _DEFAULTS


def _attention_shapes(layer: Layer) -> dict[str, list[int | None]]:
    """The shapes of an attention layer's inputs, which Keras 2 stores as an option."""
    shapes = layer.inbound_nodes[0].input_shapes
    named = zip(("query_shape", "value_shape", "key_shape"), (*shapes, shapes[-1], shapes[-1]), strict=False)
    return {option: list(shape) for option, shape in named}


def _known(name: str) -> type | None:
    """The class with a name, if it is not user-defined."""
    cls = class_of(name)
    return cls if cls is not None and is_ours(cls) else None
