"""Masks as Keras 3 stores them: as ops of the graph next to the layers, and as arguments of calls.

Here layers pass masks on automatically, so that both are removed if they are redundant.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from tfpy.core.io.errors import ModelFileError, object_in
from tfpy.engine.errors import show
from tfpy.layers.saving.json_tree import is_keras_tensor, walk

# Layer, call and output.
_Place: TypeAlias = tuple[str, int, int]
# The origin of a mask: the tensor whose values it is computed from, and the hidden value.
_Origin: TypeAlias = tuple[_Place, float]

# Arguments that Keras sets to the masks of a layer's inputs.
_MASKS = frozenset({"mask", "query_mask", "key_mask", "value_mask"})
# Keras's ops for masks: those of layers that create masks, merge several or pass one on.
_OPS = frozenset(
    {"NotEqual", "Any", "LogicalOr", "ExpandDims", "ZerosLike", "OnesLike", "Concatenate", "ConvertToTensor"}
)


def without_masks(layers: Any) -> Any:
    """The layers of a functional model of Keras 3 without the ops for masks, and without masks as arguments.

    Raises:
        ModelFileError: a mask does not come from the layers that create masks, along the path to the call.
    """
    named = [entry for entry in layers if isinstance(entry, Mapping)] if isinstance(layers, list) else []
    graph = _Graph({str(entry.get("name")): entry for entry in named})
    return [graph.without(entry) for entry in layers if not graph.makes_mask(entry)] if graph.masks else layers


class _Graph:
    def __init__(self, layers: Mapping[str, Mapping[str, Any]]) -> None:
        self._layers = layers
        self._origins: dict[_Place, frozenset[_Origin]] = {}
        self.masks: set[str] = set()
        """The names of the ops that compute masks."""
        for entry in layers.values():
            for node in _nodes(entry):
                self._find(_places({key: v for key, v in _arguments(node).items() if key in _MASKS}))

    def _find(self, places: Iterator[_Place]) -> None:
        """Record the ops that compute masks, directly or indirectly."""
        pending = [name for name, _, _ in places]
        while pending:
            name = pending.pop()
            entry = self._layers.get(name, {})
            if name not in self.masks and _is_op(entry):
                self.masks.add(name)
                pending += [place[0] for node in _nodes(entry) for place in _places(node)]

    def makes_mask(self, entry: Any) -> bool:
        """Whether an entry is such an op."""
        return isinstance(entry, Mapping) and entry.get("name") in self.masks

    def without(self, entry: Any) -> Any:
        """A layer whose calls have no masks as arguments."""
        nodes = _nodes(entry)
        return {**entry, "inbound_nodes": [self._call(entry, node) for node in nodes]} if nodes else entry

    def _call(self, entry: Mapping[str, Any], node: Mapping[str, Any]) -> dict[str, Any]:
        kept = {}
        for key, value in _arguments(node).items():
            made = [place for place in _places(value) if place[0] in self.masks] if key in _MASKS else []
            if not made:
                kept[key] = value
            elif not self._all(made) <= self._all(_inputs(node)):
                raise ModelFileError(
                    f"layer {entry.get('name')}: argument {key!r} of a call must be the mask of its inputs, "
                    f"but is computed by {show(made[0][0])}, which is not supported."
                )
        return {**node, "kwargs": kept}

    def _all(self, places: list[_Place]) -> frozenset[_Origin]:
        return frozenset[_Origin]().union(*(self._origin(place) for place in places))

    def _origin(self, place: _Place) -> frozenset[_Origin]:
        """The origins of a tensor's mask, or of the mask computed by an op; cached for each tensor."""
        pending = [place]
        while pending:
            at = pending[-1]
            inputs, made = self._step(at)
            missing = [p for p in inputs if not made and p not in self._origins]
            if missing and at not in self._origins:
                self._origins[at] = frozenset()  # ends the recursion in a cyclic graph
                pending += missing
                continue
            pending.pop()
            self._origins[at] = made.union(*(self._origins.get(p, made) for p in inputs if not made))
        return self._origins[place]

    def _step(self, place: _Place) -> tuple[list[_Place], frozenset[_Origin]]:
        """The inputs of the call that produces a tensor, and the origin of the mask if the layer creates one."""
        name, call, _ = place
        entry = self._layers.get(name, {})
        nodes = _nodes(entry)
        inputs = _inputs(nodes[call]) if call < len(nodes) else []
        hidden = _hidden(entry, nodes[call]) if inputs else None
        return inputs, frozenset() if hidden is None else frozenset([(inputs[0], float(hidden))])


def _inputs(node: Mapping[str, Any]) -> list[_Place]:
    """The tensors that a layer is called on, except masks."""
    others = {key: v for key, v in _arguments(node).items() if key not in _MASKS}
    return list(_places([node.get("args"), others]))


def _is_op(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is an op of Keras for masks; a layer of that name has the option `trainable`."""
    options = entry.get("config")
    return entry.get("class_name") in _OPS and isinstance(options, Mapping) and "trainable" not in options


def _hidden(entry: Mapping[str, Any], node: Mapping[str, Any]) -> Any:
    """The value that a layer or op hides; None if it creates no mask."""
    options = entry.get("config") or {}
    kind = entry.get("class_name")
    if kind == "NotEqual" and _is_op(entry):
        values = [v for v in node.get("args") or [] if isinstance(v, (int, float))]
        return values[0] if len(values) == 1 else None
    if kind == "Masking":
        return options.get("mask_value", 0.0)
    return 0.0 if kind == "Embedding" and options.get("mask_zero") else None


def _nodes(entry: Any) -> list[Any]:
    """The calls of a layer, if all of them have the form of Keras 3."""
    nodes = entry.get("inbound_nodes") if isinstance(entry, Mapping) else None
    return nodes if isinstance(nodes, list) and all(isinstance(node, Mapping) for node in nodes) else []


def _arguments(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a call besides its inputs."""
    return object_in("inbound_nodes", "kwargs", node.get("kwargs") or {})


def _places(value: Any) -> Iterator[_Place]:
    """The tensors in the arguments of a call."""
    for tensor in filter(is_keras_tensor, walk(value)):
        history = (tensor.get("config") or {}).get("keras_history")
        if isinstance(history, list) and [type(v) for v in history] == [str, int, int]:
            yield history[0], history[1], history[2]
