"""Writing a model of layers as an ONNX file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfpy._version import VERSION
from tfpy.core.io.artifacts import SaveResult, save_result_of
from tfpy.core.io.new_files import new_file
from tfpy.core.system.extras import optional_module
from tfpy.layers.container import Container
from tfpy.layers.saving.onnx.builder import Builder, Value
from tfpy.layers.saving.onnx.nodes import Shared
from tfpy.layers.saving.onnx.table import KINDS
from tfpy.layers.saving.onnx.wrappers import run_graph
from tfpy.layers.symbolic import node_of

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel

# The opset version: the first with LayerNormalization, of June 2022. Runtimes since then support it.
OPSET = 17
# The file format version that belongs to it.
_FORMAT = 8
# The maximum size of a file.
MAX_BYTES = 2**31 - 1


def save_onnx(model: LayersModel, path: Path) -> SaveResult:
    """Write a model as an ONNX file. An existing file is unchanged until the new one is complete.

    Args:
        model: the model.
        path: the file.

    Raises:
        ValueError: unsupported layers, all of them, or more than 2 GB; nothing is written then.
        ImportError: the extra `onnx` is not installed.
    """
    data = _onnx_model(model).SerializeToString()
    with new_file(path) as file:
        file.write(data)
    return save_result_of("ONNX", model.weights)


def _onnx_model(model: LayersModel) -> Any:
    """A model as a `ModelProto` of the package onnx.

    Raises:
        ValueError, ImportError: as `save_onnx`.
    """
    package = optional_module("onnx", "onnx", "Saving a model as an ONNX file")
    if type(model).call is not Container.call:
        raise ValueError(f"save: model {model.name} cannot be written as ONNX: its class defines its own call.")
    graph = model.graph
    b = Builder(KINDS, Shared(package))
    inputs = [Value(b.unique(node_of(t).outbound_layer.name), t.shape, t.dtype) for t in graph.inputs]
    found, _ = run_graph(b, graph, inputs)
    if b.shared.refused:
        listed = "; ".join(f"{layer}: {reason}" for layer, reason in b.shared.refused.items())
        raise ValueError(f"save: model {model.name} cannot be written as ONNX: {listed}. Nothing was saved.")
    outputs = _named(b, found, [b.unique(name) for name in model.output_names])
    b.keep_needed(value.name for value in outputs)
    size = sum(array.nbytes for array in b.shared.constants.values())
    if size > MAX_BYTES:
        raise ValueError(
            f"save: model {model.name} has weights of {size} bytes, but an ONNX file can hold at most {MAX_BYTES}."
        )
    constants = [package.numpy_helper.from_array(array, name) for name, array in b.shared.constants.items()]
    ends = [_with_batch(value, value.name) for value in inputs], [_with_batch(value) for value in outputs]
    return package.helper.make_model(
        b.graph(model.name, *ends, initializer=constants), opset_imports=[package.helper.make_opsetid("", OPSET)],
        ir_version=_FORMAT, producer_name="tfpy", producer_version=VERSION,
    )  # fmt: skip


def _named(b: Builder, values: Sequence[Value], names: Sequence[str]) -> list[Value]:
    """The outputs, named after their layers."""
    b.renamed([b.plain(value) for value in values], names)
    return [Value(name, value.shape, value.dtype) for name, value in zip(names, values, strict=True)]


def _with_batch(value: Value, label: str | None = None) -> Value:
    """A value whose unknown sizes have names: the batch, and others by a label if there is one."""
    sizes: list[Any] = [label and f"{label}_{i}" if n is None else n for i, n in enumerate(value.shape)]
    if value.shape and value.shape[0] is None:
        sizes[0] = "batch"
    return replace(value, shape=tuple(sizes))
