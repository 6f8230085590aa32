"""The commands for saved models: `tfpy summary`, `tfpy convert`, `tfpy check-browser`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from tfpy.core.io.artifacts import ModelArtifacts
from tfpy.core.io.handlers import load_artifacts
from tfpy.core.io.load_options import LoadOptions
from tfpy.core.io.save_function import with_save_handler
from tfpy.graph.attributes import dtype_of, shape_of
from tfpy.graph.model import GraphModel
from tfpy.graph.model import model_of as graph_model_of
from tfpy.layers.model import LayersModel
from tfpy.layers.saving.keras.found import found_keras_file
from tfpy.layers.saving.keras.loading import load_keras
from tfpy.layers.saving.loading import model_of
from tfpy.layers.saving.tfjs_compatibility import browser_faults, sentences
from tfpy.layers.training.training_state import is_compiled


def opened(source: str) -> LayersModel | GraphModel:
    """The model in a folder, a model.json, a zip, a file of Keras, or at a URL; of layers, or a graph.

    Raises:
        ModelFileError: naming the file and what is wrong. ImportError: a file of Keras, without the extra `keras`.
    """
    keras_file = found_keras_file(source)
    if keras_file is not None:
        return load_keras(keras_file)
    artifacts, name = load_artifacts("tfpy", "source", source, LoadOptions())
    topology = artifacts.model_topology
    if isinstance(topology, Mapping) and "node" in topology:
        return graph_model_of(artifacts, name)
    return model_of(artifacts, name)


def described(source: str) -> list[str]:
    """The lines that say what is in a model: of layers, its summary; of a graph, its inputs, outputs and ops."""
    model = opened(source)
    lines: list[str] = []
    if isinstance(model, GraphModel):
        return list(_of_graph(model))
    model.summary(print_fn=lines.append)
    return lines


def converted(source: str, target: str, include_optimizer: bool, strict: bool, quantize: str | None = None) -> None:
    """Save a model elsewhere, in the format that the target's name says.

    Raises:
        ValueError: it cannot be saved there, or (if strict) would not be understood there; nothing is written then.
    """
    model = opened(source)
    if isinstance(model, GraphModel):
        model.save(target, quantize=quantize)
    else:
        model.save(target, include_optimizer=include_optimizer, strict=strict or None, quantize=quantize)


def refused(source: str) -> list[str]:
    """The parts of a layers model, written by `converted`, that TF.js 4.22 would reject or compute differently.

    Raises:
        ValueError: it is a graph.
    """
    model = opened(source)
    if isinstance(model, GraphModel):
        raise ValueError(f"{source}: is a graph model; only layers models can be inspected.")
    artifacts = _artifacts_of(model, include_optimizer=is_compiled(model), strict=False)
    return sentences(browser_faults(artifacts, [weight.original_name for weight in model.weights]))


def _artifacts_of(model: LayersModel | GraphModel, **options: Any) -> ModelArtifacts:
    kept: list[ModelArtifacts] = []
    model.save(with_save_handler(kept.append), **options)
    return kept[0]


def _of_graph(model: GraphModel) -> Iterator[str]:
    for kind, ports in (("input", model.inputs), ("output", model.outputs)):
        declared = _declared(model, kind)
        for port in ports:
            key, dtype, shape = next(declared.get(port["name"], iter(())), (port["name"], None, None))
            name = port["name"] if key == port["name"] else f"{key} ({port['name']})"
            yield f"{kind:8}{name}: {port['dtype'] or dtype or 'any dtype'}, {_shape(port['shape'] or shape)}"
    ops = Counter(node["op"] for node in _artifacts_of(model).model_topology["node"])
    yield f"ops     {', '.join(f'{name} {count}' for name, count in ops.most_common())}"
    weights = [value for values in model.weights.values() for value in values]
    yield f"weights {len(weights)} tensors, {sum(w.size for w in weights)} numbers"


def _declared(model: GraphModel, kind: str) -> dict[str, Iterator[tuple[str, Any, Any]]]:
    """The keys, dtypes and shapes that the signature gives the inputs or outputs of each node."""
    found: dict[str, list[tuple[str, Any, Any]]] = {}
    for key, entry in ((model.model_signature or {}).get(f"{kind}s") or {}).items():
        shape, place = entry.get("tensorShape"), f"signature.{kind}s.{key}.tensorShape"
        known = None if shape is None else shape_of(shape, "model.json", place)
        found.setdefault(entry["name"].partition(":")[0], []).append((key, dtype_of(entry.get("dtype")), known))
    return {node: iter(declared) for node, declared in found.items()}


def _shape(shape: Any) -> str:
    return "any shape" if shape is None else f"[{', '.join('?' if n in (None, -1) else str(n) for n in shape)}]"
