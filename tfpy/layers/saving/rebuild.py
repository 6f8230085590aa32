"""A functional model from its configuration: its layers, and the calls that connect them."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Mapping
from typing import Any, NamedTuple

from tfpy.core.io.errors import ModelFileError, errors_of_file, field_error, list_in, object_in
from tfpy.engine.errors import nearest, show
from tfpy.layers.base import Layer
from tfpy.layers.config import build_layers, config_value
from tfpy.layers.container import Container
from tfpy.layers.saving.json_tree import is_keras_tensor, replace
from tfpy.layers.symbolic import SymbolicTensor, one_or_list


class Ref(NamedTuple):
    """An output of a call: the layer's name, the number of the call, the number of the output."""

    layer: str
    call: int
    output: int


class Call(NamedTuple):
    """A call of a layer: its inputs and its other arguments, in which tensors are Refs too."""

    inputs: list[Ref]
    arguments: dict[str, Any]

    @property
    def refs(self) -> list[Ref]:
        """All tensors that it depends on."""
        return [*self.inputs, *(ref for value in self.arguments.values() for ref in _refs_in(value))]


def rebuild(
    config: Mapping[str, Any], custom_objects: Mapping[str, Any] | None
) -> tuple[list[SymbolicTensor], list[SymbolicTensor]]:
    """The inputs and outputs of the model that a configuration describes.

    Args:
        config: {'layers': [{'name', 'class_name', 'config', 'inbound_nodes'}], 'input_layers', 'output_layers'}, the
            calls in the form of Keras 2 and TF.js or in that of Keras 3.
        custom_objects: classes by name.

    Raises:
        ModelFileError: with the layer and the reason.
    """
    graph = _Graph(list_in("model", "layers", config_value(config, "layers")), custom_objects)
    graph.make_calls()
    inputs, outputs = (
        [graph.end(ref, key) for ref in _ref_list(config_value(config, key), "model", key)]
        for key in ("input_layers", "output_layers")
    )
    return inputs, outputs


class _Graph:
    """The layers of a model, and the pending calls."""

    def __init__(self, configs: Any, custom_objects: Mapping[str, Any] | None) -> None:
        self.layers = _by_name(configs, build_layers(configs, Layer, custom_objects))
        self.pending: dict[str, deque[Call]] = {}
        self.keras3 = False
        for name, config in zip(self.layers, configs, strict=True):
            nodes = list_in(f"layer {name}", "inbound_nodes", config_value(config, "inbound_nodes") or [])
            self.keras3 |= any(isinstance(node, Mapping) for node in nodes)
            self.pending[name] = deque(
                _call(node, f"layer {name}", f"inbound_nodes[{i}]") for i, node in enumerate(nodes)
            )
        for name, calls in self.pending.items():
            for ref in (ref for call in calls for ref in call.refs):
                if ref.layer not in self.layers:
                    hint = nearest(ref.layer, self.layers)
                    raise ModelFileError(
                        f"layer {name}: is called on a layer {show(ref.layer)} that does not exist.{hint}"
                    )

    def make_calls(self) -> None:
        """Make every call, each as soon as its inputs are available."""
        waiting: dict[tuple[str, int], list[str]] = defaultdict(list)
        ready = deque(self.pending)
        while ready:
            name = ready.popleft()
            calls = self.pending[name]
            while calls and (missing := self._missing(calls[0])) is None:
                self._make(name, calls.popleft())
                ready.extend(waiting.pop((name, len(self.layers[name].inbound_nodes) - 1), ()))
            if calls and missing is not None:
                waiting[missing.layer, missing.call].append(name)
        for name, calls in self.pending.items():
            if calls and (missing := self._missing(calls[0])) is not None:
                raise ModelFileError(
                    f"layer {name}: needs call {missing.call} of layer {missing.layer}, which is never made."
                )

    def _missing(self, call: Call) -> Ref | None:
        """A dependency of a call that is not available yet."""
        return next((ref for ref in map(self._counted, call.refs) if not self._made(ref)), None)

    def _counted(self, ref: Ref) -> Ref:
        """A reference in our count of calls: a nested model's own graph is its first, which Keras 3 does not count."""
        nested = self.keras3 and isinstance(self.layers[ref.layer], Container)
        return ref._replace(call=ref.call + 1) if nested else ref

    def _made(self, ref: Ref) -> bool:
        return ref.call < len(self.layers[ref.layer].inbound_nodes)

    def _make(self, name: str, call: Call) -> None:
        where = f"layer {name}"
        inputs = [self._tensor(self._counted(ref), where) for ref in call.inputs]
        arguments = {key: self._resolved(value, where) for key, value in call.arguments.items()}
        with errors_of_file(where, "cannot be built"):
            self.layers[name].apply(one_or_list(inputs), arguments)

    def _resolved(self, value: Any, where: str) -> Any:
        if isinstance(value, Ref):
            return self._tensor(self._counted(value), where)
        return [self._resolved(v, where) for v in value] if isinstance(value, list) else value

    def _tensor(self, ref: Ref, where: str) -> SymbolicTensor:
        outputs = self.layers[ref.layer].inbound_nodes[ref.call].output_tensors if self._made(ref) else []
        if ref.output >= len(outputs):
            raise ModelFileError(f"{where}: layer {ref.layer} has no output {ref.output} of a call {ref.call}.")
        return outputs[ref.output]

    def end(self, ref: Ref, key: str) -> SymbolicTensor:
        """An input or output of the model, where Keras 3 counts the graphs of functional models, but not of others."""
        if ref.layer not in self.layers:
            hint = nearest(ref.layer, self.layers)
            raise ModelFileError(f"model: {key} refers to a layer {show(ref.layer)} that does not exist.{hint}")
        layer = self.layers[ref.layer]
        if self.keras3 and isinstance(layer, Container) and layer.is_stack:
            ref = ref._replace(call=ref.call + 1)
        return self._tensor(ref, f"model: {key}")


def _by_name(configs: Any, layers: list[Layer]) -> dict[str, Layer]:
    """Layers by the names in their configurations."""
    named: dict[str, Layer] = {}
    for i, (config, layer) in enumerate(zip(configs, layers, strict=True)):
        name = config.get("name", layer.name)
        if not isinstance(name, str) or name in named:
            raise ModelFileError(f"layers[{i}]: the name {show(name)} is not a string, or already used.")
        named[name] = layer
    return named


def _call(node: Any, source: str, field: str) -> Call:
    """A call in either form."""
    if isinstance(node, Mapping):
        arguments = object_in(source, f"{field}.kwargs", node.get("kwargs") or {})
        kept = {name: _marked(value, source, field) for name, value in arguments.items() if value is not None}
        args = list_in(source, f"{field}.args", node.get("args"))
        for value in args:
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                raise ModelFileError(f"{source}: is called on the number {value}; only calls on tensors are supported.")
        return Call(_refs_in([_marked(value, source, field) for value in args]), kept)
    inputs: list[Ref] = []
    given: dict[str, Any] = {}
    for i, entry in enumerate(list_in(source, field, node)):
        parts = list_in(source, f"{field}[{i}]", entry)
        inputs.append(_ref(parts[:3], source, f"{field}[{i}]"))
        given |= object_in(source, f"{field}[{i}][3]", parts[3] or {}) if len(parts) > 3 else {}
    if isinstance(given.get("initial_state"), list):
        given["initial_state"] = _ref_list(given["initial_state"], source, f"{field}: initial_state")
    # In Keras 2, the other arguments may contain tensors, too.
    given = {name: _ref(v, source, field) if _names_a_tensor(v) else v for name, v in given.items()}
    return Call(inputs, {name: value for name, value in given.items() if value is not None})


def _marked(value: Any, source: str, field: str) -> Any:
    """An argument of a call in which tensors are marked, as in Keras 3."""

    def ref_of(tensor: Mapping[str, Any]) -> Ref:
        return _ref(object_in(source, field, tensor.get("config")).get("keras_history"), source, field)

    return replace(value, is_keras_tensor, ref_of)


def _refs_in(value: Any) -> list[Ref]:
    if isinstance(value, Ref):
        return [value]
    return [ref for v in value for ref in _refs_in(v)] if isinstance(value, list) else []


def _ref_list(value: Any, source: str, field: str) -> list[Ref]:
    """References: a list of them, a single one, or the values of a dict."""
    listed = list_in(source, field, list(value.values()) if isinstance(value, Mapping) else value)
    single = bool(listed) and isinstance(listed[0], str)
    return [_ref(ref, source, field) for ref in ([listed] if single else listed)]


def _names_a_tensor(value: Any) -> bool:
    return isinstance(value, list) and [type(v) for v in value] == [str, int, int] and value[1] >= 0 <= value[2]


def _ref(value: Any, source: str, field: str) -> Ref:
    if isinstance(value, (list, tuple)) and len(value) == 3:
        layer, *numbers = value
        if isinstance(layer, str) and all(type(n) is int and n >= 0 for n in numbers):
            return Ref(layer, *numbers)
    raise field_error(source, field, "[layer, call, output]", value)
