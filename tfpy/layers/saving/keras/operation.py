"""A call of keras.ops in a functional model of Keras 3, as a layer.

Keras stores an operation next to the layers, with its arguments: tensors and constants. Here the arguments are one
argument of the layer's call, in which {'tensor': i} stands for the i-th input.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.core.convert import to_tensor
from tfpy.core.io.errors import field_error, list_in, object_in
from tfpy.engine.errors import show
from tfpy.layers.base import Layer
from tfpy.layers.infer_shapes import infer_shapes
from tfpy.layers.saving.json_tree import is_keras_tensor, replace
from tfpy.layers.saving.keras.operations import OPERATIONS
from tfpy.layers.symbolic import to_list

_MODULES = ("keras.ops", "keras.src.ops")
_ARRAY_DTYPES = ("float32", "float64", "int32", "int64", "bool")
OPERATION = "Operation"
"""The name of the layer's class."""


class Operation(Layer, class_name=OPERATION):
    """An operation of keras.ops.

    Attributes:
        operation: its class in Keras.
        options_given: its options, by Keras's names.
    """

    operation: str
    options_given: dict[str, Any]

    def configure(self) -> None:
        if self.operation not in OPERATIONS:
            raise ValueError(f"Unknown operation {self.operation!r} of keras.ops.")
        function = OPERATIONS[self.operation][1]
        known = inspect.signature(function).parameters
        self._meant = {name: value for name, value in self.options_given.items() if value is not None}
        for name in self._meant:
            if name not in known:
                raise ValueError(f"option {name} = {show(self._meant[name])} of {self.operation} is not supported.")

    def call(self, inputs: Any, operands: Any = None) -> Any:
        given = to_list(inputs)
        parts: Mapping[str, Any] = (
            {"args": [{"tensor": i} for i in range(len(given))]} if operands is None else operands
        )
        args = [_value(part, given) for part in parts.get("args", ())]
        more = {name: _value(part, given) for name, part in parts.get("kwargs", {}).items() if part is not None}
        return OPERATIONS[self.operation][1](*args, **more, **self._meant)

    def shapes_of_call(self, input_shape: Any, arguments: Mapping[str, Any]) -> Any:
        return infer_shapes(lambda inputs: self.call(inputs, operands=arguments.get("operands")), input_shape)


def _value(part: Any, given: list[Any]) -> Any:
    """An argument of the function: one of the inputs, or a constant from the file."""
    if isinstance(part, list):
        return [_value(p, given) for p in part]
    if not isinstance(part, Mapping):
        return part
    if "tensor" in part:
        i = part["tensor"]
        if type(i) is not int or not 0 <= i < len(given):
            raise ValueError(f"an operand is input {show(i)} of {len(given)}.")
        return given[i]
    kind, config = part.get("class_name"), part.get("config")
    config = config if isinstance(config, Mapping) else {}
    if kind == "__slice__":
        return slice(*(_bound(config.get(key)) for key in ("start", "stop", "step")))
    if kind == "__ellipsis__":
        return ...
    if kind in ("__numpy__", "__tensor__") and config.get("dtype") in _ARRAY_DTYPES:
        return to_tensor("operation", "operand", np.array(config.get("value"), config["dtype"]))
    raise ValueError(f"the operand {show(part)} is not supported.")


def _bound(value: Any) -> int | None:
    if value is not None and type(value) is not int:
        raise ValueError(f"{show(value)} is not a valid slice bound.")
    return value


# Conversion between Keras's files and ours


def is_operation(config: Mapping[str, Any]) -> bool:
    """Whether a Keras configuration belongs to an operation, and not to a layer of the same name."""
    module = config.get("module")
    return isinstance(module, str) and module.startswith(_MODULES)


def as_layer(config: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of the layer that represents an operation of Keras."""
    options = dict(object_in("operation", "config", config.get("config") or {}))
    name = config.get("name") or options.get("name")
    options.pop("name", None)
    where = f"layer {name}"
    nodes = list_in(where, "inbound_nodes", config.get("inbound_nodes") or [])
    return {
        "class_name": OPERATION,
        "name": name,
        "config": {"name": name, "operation": config.get("class_name"), "options_given": options},
        "inbound_nodes": [_node(node, where) for node in nodes],
    }


def _node(node: Any, where: str) -> list[Any]:
    """A call in the form of TF.js: a list of tensors, with the other arguments after the first."""
    parts = object_in(where, "inbound_nodes", node)
    refs: list[Any] = []
    args = replace(list_in(where, "args", parts.get("args") or []), is_keras_tensor, lambda t: _noted(t, refs))
    more = replace(object_in(where, "kwargs", parts.get("kwargs") or {}), is_keras_tensor, lambda t: _noted(t, refs))
    if not refs:
        raise field_error(where, "inbound_nodes", "a call on tensors", node)
    first, *others = refs
    return [[*first, {"operands": {"args": args, "kwargs": more}}], *others]


def _noted(value: Mapping[str, Any], refs: list[Any]) -> dict[str, int]:
    history = object_in("operation", "config", value.get("config")).get("keras_history")
    refs.append(list_in("operation", "keras_history", history))
    return {"tensor": len(refs) - 1}


def as_operation(layer: Operation) -> dict[str, Any]:
    """The Keras configuration of a layer that represents an operation."""
    return {
        "module": f"keras.src.ops.{OPERATIONS[layer.operation][0]}",
        "class_name": layer.operation,
        "config": {"name": layer.name, **layer.options_given},
        "registered_name": layer.operation,
    }


def as_call(node: Sequence[Any], tensors: list[dict[str, Any]]) -> dict[str, Any]:
    """A call of an operation in Keras's form, on tensors in Keras's form."""
    operands = node[0][3].get("operands", {}) if len(node[0]) > 3 else {}
    args = replace(operands.get("args", tensors), lambda v: "tensor" in v, lambda v: tensors[v["tensor"]])
    more = replace(operands.get("kwargs", {}), lambda v: "tensor" in v, lambda v: tensors[v["tensor"]])
    return {"args": args, "kwargs": more}
