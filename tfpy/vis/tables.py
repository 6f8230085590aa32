"""Tables, and values shown as tables: per-class accuracy, the layers of a model, the weights of a layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfpy.core.calling.registry import export
from tfpy.core.results import field
from tfpy.engine.arguments import as_list
from tfpy.engine.errors import argument_error
from tfpy.vis import values as v
from tfpy.vis.bars import histogram
from tfpy.vis.drawing import Drawing, Group, Table
from tfpy.vis.statistics import of_values
from tfpy.vis.surfaces import Container, put


@export(namespace="vis.render", doc="Visualization / Charts", options="opts")
def table(
    container: Container, data: Mapping[str, Any], opts: Mapping[str, Any] | None = None, *, font_size: float = 14
) -> Table:
    """A table.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        data: 'headers', the names of the columns; 'values', a list of rows, or a matrix. Numbers are shown with at most
            four decimals. Strings are shown as they are: HTML in them is not interpreted, unlike in tfjs-vis.
        opts: the options below as a dict.
        font_size: the font size, in pixels.

    Raises:
        ValueError, TypeError: data that do not fit, or more than 100,000 cells.

    Source: tfjs-vis `render.table`.
    """
    where = "table"
    found = v.fields(where, data, ("headers", "values"), "values")
    if "headers" not in found:
        raise argument_error(where, "data", "a dict with 'headers'", data)
    rows = [
        as_list(where, "values", v.plain(row), "rows")
        for row in as_list(where, "values", v.plain(found["values"]), "rows")
    ]
    v.limited(where, sum(map(len, rows)), "cells")
    headers = v.texts(where, "headers", found["headers"])
    return put(
        where, container, Table(headers, [[v.display(cell) for cell in row] for row in rows], v.font(where, font_size))
    )


@export(namespace="vis.show", doc="Visualization / Models")
def per_class_accuracy(
    container: Container, class_accuracy: Sequence[Any], class_labels: Sequence[str] | None = None
) -> Table:
    """A table of per-class accuracy.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        class_accuracy: for each class 'accuracy' and 'count', as returned by `tf.vis.metrics.per_class_accuracy`.
        class_labels: the names of the classes; their numbers by default.

    Raises:
        ValueError, TypeError: data that do not fit.

    Source: tfjs-vis `show.perClassAccuracy`.
    """
    where = "per_class_accuracy"
    found = as_list(where, "class_accuracy", class_accuracy, "{'accuracy': …, 'count': …}")
    names = [str(i) for i in range(len(found))]
    if class_labels is not None:
        names = v.texts(where, "class_labels", class_labels, len(found))
    what = f"{where}: an entry of class_accuracy"
    rows = [[n, field(c, "accuracy", 0, what), field(c, "count", 1, what)] for n, c in zip(names, found, strict=True)]
    return table(container, {"headers": ["Class", "Accuracy", "# Samples"], "values": rows})


@export(namespace="vis.show", doc="Visualization / Models")
def model_summary(container: Container, model: Any) -> Table:
    """A table of the layers of a model.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        model: a model of `tf.layers`.

    Raises:
        TypeError: not a model.

    Source: tfjs-vis `show.modelSummary`.
    """
    layers = getattr(model, "layers", None)
    if not isinstance(layers, list):
        raise argument_error("model_summary", "model", "a model", model, TypeError)
    rows = [[x.name, _shapes(x.output_shape), x.count_params(), x.trainable] for x in layers]
    return table(container, {"headers": ["Layer Name", "Output Shape", "# Of Params", "Trainable"], "values": rows})


@export(namespace="vis.show", doc="Visualization / Models")
def layer(container: Container, layer: Any) -> Drawing:
    """The weights of a layer: a table of their statistics, and a histogram of each.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        layer: a layer that has been built.

    Raises:
        TypeError: not a layer.

    Source: tfjs-vis `show.layer`, where the histogram of one weight is chosen by a button.
    """
    weights = getattr(layer, "weights", None)
    if not isinstance(weights, list):
        raise argument_error("layer", "layer", "a layer", layer, TypeError)
    rows, charts = [], []
    for weight in weights:
        values = v.numbers("layer", weight.name, weight)
        found = of_values(values)
        counts = [values.size, found["num_zeros"], found["num_nans"], found["num_infs"]]
        rows.append([weight.name, _shape(weight.shape), found["min"], found["max"], *counts])
        charts.append((weight.name, histogram(None, values, height=150, stats=False)))
    headers = ["Weight Name", "Shape", "Min", "Max", "# Params", "# Zeros", "# NaNs", "# Infinity"]
    return put("layer", container, Group([table(None, {"headers": headers, "values": rows}), *charts]))


@export(namespace="vis.show", doc="Visualization / Models")
def values_distribution(container: Container, tensor: Any) -> Drawing:
    """A histogram of the values of a tensor, and a table of their statistics.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        tensor: numbers in any shape.

    Raises:
        TypeError: it does not hold real numbers.

    Source: tfjs-vis `show.valuesDistribution`.
    """
    return histogram(container, v.numbers("values_distribution", "tensor", tensor), height=150)


def _shapes(shape: Any) -> str:
    several = bool(shape) and isinstance(shape[0], (list, tuple))
    return f"[{', '.join(map(_shape, shape))}]" if several else _shape(shape)


def _shape(shape: Sequence[int | None]) -> str:
    sizes = ["batch" if i == 0 and n is None else "" if n is None else str(n) for i, n in enumerate(shape)]
    return f"[{','.join(sizes)}]" if sizes else "Scalar"
