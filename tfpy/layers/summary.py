"""The table printed by `model.summary()`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tfpy.engine.arguments import as_list, as_number, as_positive
from tfpy.engine.errors import argument_error
from tfpy.layers.base import Layer
from tfpy.layers.symbolic import node_of
from tfpy.layers.weights import count_params

if TYPE_CHECKING:
    from tfpy.layers.model import LayersModel

_COLUMNS = ("Layer (type)", "Input Shape", "Output shape", "Param #")


def summary_lines(model: LayersModel, line_length: int | None, positions: Sequence[float] | None) -> list[str]:
    """The lines of the table.

    Args:
        model: the model.
        line_length: the width, in characters; 90, or 115 for a model that is not a plain chain of layers.
        positions: where the columns end, as fractions of the width or in characters. Further columns end with their
            text.

    Raises:
        ValueError, TypeError: not a positive integer, or not finite numbers.
    """
    chain = _is_chain(model)
    width = (90 if chain else 115) if line_length is None else as_positive("summary", "line_length", line_length)
    ends = _ends(positions, chain, width)
    lines = ["_" * width, _row(_header(chain), ends), "=" * width]
    for layer in model.layers:
        sources = [] if chain else _sources(model, layer) or [""]
        lines.append(_row([*_fields(layer), *sources[:1]], ends))
        lines += [_row(["", "", "", "", source], ends) for source in sources[1:]]
        lines.append(("=" if layer is model.layers[-1] else "_") * width)
    trainable, fixed = count_params(model.trainable_weights), count_params(model.non_trainable_weights)
    lines += [f"Total params: {trainable + fixed}", f"Trainable params: {trainable}", f"Non-trainable params: {fixed}"]
    return [*lines, "_" * width]


def _ends(positions: Sequence[float] | None, chain: bool, width: int) -> list[int]:
    """The ends of the columns, in characters."""
    given = as_list("summary", "positions", () if positions is None else positions, "numbers")
    ends = [as_number("summary", "positions", end) for end in given]
    if not all(map(math.isfinite, ends)):
        raise argument_error("summary", "positions", "finite numbers", positions)
    ends = ends or ([0.32, 0.61, 0.89, 1] if chain else [0.24, 0.48, 0.70, 0.80, 1])
    return [math.floor(width * end) for end in ends] if ends[-1] <= 1 else [int(end) for end in ends]


def _header(chain: bool) -> Sequence[str]:
    return _COLUMNS if chain else (*_COLUMNS, "Receives inputs")


def summary_html(model: LayersModel) -> str:
    """The table as HTML, for notebooks."""
    import html  # imported lazily

    if not model.built:
        return f"<code>{html.escape(repr(model))}</code>"
    chain = _is_chain(model)
    rows = ["".join(f"<th>{name}</th>" for name in _header(chain))]
    for layer in model.layers:
        fields = _fields(layer) if chain else [*_fields(layer), ", ".join(_sources(model, layer))]
        rows.append("".join(f"<td>{html.escape(field)}</td>" for field in fields))
    trainable, fixed = count_params(model.trainable_weights), count_params(model.non_trainable_weights)
    total = f"{trainable + fixed:,} params, {trainable:,} of them trainable"
    table = "".join(f"<tr>{row}</tr>" for row in rows)
    return f"<table><caption>{html.escape(model.name)}: {total}</caption>{table}</table>"


def _is_chain(model: LayersModel) -> bool:
    """Whether every layer is called once, on the output of the previous layer."""
    nodes = model.graph.nodes
    layers = [node.outbound_layer for node in nodes]
    return (
        len(model.inputs) == 1
        and len(set(layers)) == len(layers)
        and all(len(node.input_tensors) == 1 for node in nodes)
        and all(after.input_tensors[0] in before.output_tensors for before, after in itertools.pairwise(nodes))
    )


def _row(fields: Sequence[str], ends: Sequence[int]) -> str:
    line = ""
    for i, text in enumerate(fields):
        line = (line[:-1] + " " if i else "") + text
        if i < len(ends):
            line = line[: ends[i]].ljust(ends[i])
    return line


def _fields(layer: Layer) -> list[str]:
    shapes = {_text(node.output_shapes) for node in layer.inbound_nodes}
    inputs = ",".join(_text(node.input_shapes or node.output_shapes) for node in layer.inbound_nodes)
    output = _text(layer.output_shape) if len(shapes) == 1 else "multiple"
    return [f"{layer.name} ({layer.get_class_name()})", inputs, output, str(layer.count_params())]


def _text(shape: Any) -> str:
    """A shape, or a list of them, as formatted by TF.js."""
    if isinstance(shape, (list, tuple)):
        return "[" + ",".join(map(_text, shape)) + "]"
    return "null" if shape is None else str(shape)


def _sources(model: LayersModel, layer: Layer) -> list[str]:
    """The sources of a layer's inputs: 'layer[call][output]'."""
    own = set(model.graph.nodes)
    return [
        f"{node_of(t).outbound_layer.name}[{t.node_index}][{t.tensor_index}]"
        for node in layer.inbound_nodes
        if node in own
        for t in node.input_tensors
    ]
