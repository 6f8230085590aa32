"""Builders of graphs: nodes and attributes in the JSON format of protocol buffers."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

import tfpy as tf

_TYPES = {
    "float32": "DT_FLOAT",
    "int32": "DT_INT32",
    "bool": "DT_BOOL",
    "string": "DT_STRING",
    "complex64": "DT_COMPLEX64",
}


def text(value: str) -> dict[str, Any]:
    """A string attribute."""
    return {"s": base64.b64encode(value.encode()).decode()}


def attribute(value: Any) -> dict[str, Any]:
    """Convert a Python value to an attribute; dtypes are given as {'type': …}."""
    if isinstance(value, dict):
        return value
    if isinstance(value, bool):
        return {"b": value}
    if isinstance(value, int):
        return {"i": str(value)}
    if isinstance(value, float):
        return {"f": value}
    if isinstance(value, str):
        return text(value)
    if value and isinstance(value[0], str):
        return {"list": {"s": [text(v)["s"] for v in value]}}
    return {"list": {"i": [str(v) for v in value]}}


def node(name: str, op: str, *inputs: str, **attributes: Any) -> dict[str, Any]:
    """A node of a graph."""
    return {"name": name, "op": op, "input": list(inputs), "attr": {k: attribute(v) for k, v in attributes.items()}}


def dtype(name: str) -> dict[str, str]:
    """A dtype attribute."""
    return {"type": _TYPES[name]}


def placeholder(name: str, kind: str = "float32", shape: list[int] | None = None) -> dict[str, Any]:
    """An input, of unknown shape by default."""
    dims = {"unknownRank": True} if shape is None else {"dim": [{"size": str(n)} for n in shape]}
    return node(name, "Placeholder", dtype=dtype(kind), shape={"shape": dims})


def model(*nodes: dict[str, Any], constants: dict[str, Any] | None = None, **parts: Any) -> tf.GraphModel:
    """Load a model of nodes and constants; `parts` are further parts such as `functions` and `signature`."""
    values = {name: tf.tensor(value) for name, value in (constants or {}).items()}
    data, specs = tf.io.encode_weights(values)
    library = {"function": parts.pop("functions", [])}
    topology = {"node": [*nodes, *(node(n, "Const") for n in values)], "library": library, "versions": {"producer": 1}}
    artifacts = {"model_topology": topology, "weight_specs": specs, "weight_data": data, **parts}
    return tf.load_graph_model(tf.io.ModelArtifacts(artifacts))


def run_op(op: str, *inputs: Any, outputs: int = 1, **attributes: Any) -> list[Any]:
    """Run an op on tensors or arrays and return its outputs."""
    tensors = [x if isinstance(x, tf.Tensor) else tf.tensor(np.asarray(x)) for x in inputs]
    nodes = [placeholder(f"x{i}", t.dtype) for i, t in enumerate(tensors)]
    graph_model = model(*nodes, node("y", op, *(n["name"] for n in nodes), **attributes))
    feeds = {f"x{i}": t for i, t in enumerate(tensors)}
    found = graph_model.execute(feeds, [f"y:{i}" for i in range(outputs)])
    return found if isinstance(found, list) else [found]


def function(name: str, arguments: list[str], nodes: list[dict[str, Any]], **returns: str) -> dict[str, Any]:
    """A library function with float32 arguments and results."""
    signature = {
        "name": name,
        "inputArg": [{"name": a, "type": "DT_FLOAT"} for a in arguments],
        "outputArg": [{"name": r, "type": "DT_FLOAT"} for r in returns],
    }
    return {"signature": signature, "nodeDef": nodes, "ret": returns}
