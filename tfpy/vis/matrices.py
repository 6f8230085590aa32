"""Charts of matrices: heat maps and confusion matrices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tfpy.core.calling.registry import export
from tfpy.engine.errors import argument_error
from tfpy.vis import values as v
from tfpy.vis.drawing import Chart
from tfpy.vis.surfaces import Container, put

_BLUES = ["#f7fbff", "#4292c6"]
_COLOR_MAPS: dict[str, v.Spec] = {
    "viridis": {"scheme": "viridis"},
    "blues": {"range": _BLUES},
    "greyscale": {"range": ["#000000", "#ffffff"]},
}


@export(namespace="vis.render", doc="Visualization / Charts", options="opts")
def heatmap(
    container: Container,
    data: Mapping[str, Any],
    opts: Mapping[str, Any] | None = None,
    *,
    width: float = 460,
    height: float = 300,
    x_label: str | None = None,
    y_label: str | None = None,
    font_size: float = 12,
    x_type: str = "ordinal",
    y_type: str = "ordinal",
    color_map: str | Sequence[str] = "viridis",
    domain: Sequence[float] | None = None,
    row_major: bool = False,
) -> Chart:
    """A heat map of a matrix.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        data: 'values', a matrix: its first axis goes to the right, its second upwards or downwards. 'x_tick_labels',
            'y_tick_labels': the names along the axes.
        opts: the options below as a dict.
        width: the width of the whole chart, in pixels.
        height: likewise.
        x_label: the title of the x axis.
        y_label: the title of the y axis.
        font_size: the font size, in pixels.
        x_type: 'quantitative', 'ordinal' or 'nominal'.
        y_type: likewise.
        color_map: 'viridis', 'blues', 'greyscale', or two CSS colors for the minimum and the maximum.
        domain: the values at the two ends of the color scale; by default the minimum and maximum.
        row_major: whether the first axis runs downwards, and the second to the right.

    Raises:
        ValueError, TypeError: data or options that do not fit, or more than 100,000 cells.

    Source: tfjs-vis `render.heatmap`.
    """
    where = "heatmap"
    found = v.fields(where, data, ("values", "x_tick_labels", "y_tick_labels"), "values")
    matrix = v.matrix(where, found["values"])
    matrix = matrix.T if row_major else matrix
    xs = _ticks(where, "x_tick_labels", found.get("x_tick_labels"), matrix.shape[0])
    ys = _ticks(where, "y_tick_labels", found.get("y_tick_labels"), matrix.shape[1])
    cells = [
        {"x": x, "y": y, "value": v.number(where, "values", value)}
        for x, column in zip(xs, matrix.tolist(), strict=True)
        for y, value in zip(ys, column, strict=True)
    ]
    scale = _color_scale(where, color_map)
    if domain is not None:
        scale = {**scale, "domain": v.domain(where, "domain", domain)}
    x = {"field": "x", "type": v.kind(where, "x_type", x_type), "title": v.label(where, "x_label", x_label)}
    y = {"field": "y", "type": v.kind(where, "y_type", y_type), "title": v.label(where, "y_label", y_label)}
    body = {
        **v.size(where, width, height),
        "data": {"values": cells},
        "mark": {"type": "rect", "tooltip": True},
        "encoding": {
            "x": {**x, "sort": None},
            "y": {**y, "sort": None},
            "fill": {"field": "value", "type": "quantitative", "scale": scale},
        },
    }
    return put(where, container, Chart(body, v.font(where, font_size)))


def _ticks(where: str, argument: str, given: Any, count: int) -> Sequence[str | int]:
    return range(count) if given is None else v.unique(v.texts(where, argument, given, count))


def _color_scale(where: str, color_map: Any) -> v.Spec:
    if isinstance(color_map, str) and color_map in _COLOR_MAPS:
        return _COLOR_MAPS[color_map]
    if isinstance(color_map, (list, tuple)) and len(color_map) == 2:
        return {"range": [v.color(where, "color_map", c) for c in color_map]}
    raise argument_error(where, "color_map", f"one of {', '.join(_COLOR_MAPS)}, or two colors", color_map)


@export(namespace="vis.render", doc="Visualization / Charts", options="opts", aliases="vis.show.confusion_matrix")
def confusion_matrix(
    container: Container,
    data: Mapping[str, Any],
    opts: Mapping[str, Any] | None = None,
    *,
    width: float = 460,
    height: float = 400,
    x_label: str | None = None,
    y_label: str | None = None,
    font_size: float = 12,
    x_type: str = "nominal",
    y_type: str = "nominal",
    shade_diagonal: bool = True,
    show_text_overlay: bool = True,
    color_map: str | Sequence[str] = "blues",
) -> Chart:
    """A confusion matrix: labels downwards, predictions to the right.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        data: 'values', a square matrix of counts, as returned by `tf.vis.metrics.confusion_matrix`; 'tick_labels', the
            names of the classes; 'Class 0', 'Class 1' … by default.
        opts: the options below as a dict.
        width: the width of the whole chart, in pixels.
        height: likewise.
        x_label: the title of the x axis; by default 'prediction'.
        y_label: the title of the y axis; by default 'label'.
        font_size: the font size, in pixels.
        x_type: 'ordinal' or 'nominal'.
        y_type: likewise.
        shade_diagonal: whether correct predictions are colored. Without it the mistakes are easier to distinguish;
            if there are none, the diagonal is colored anyway.
        show_text_overlay: whether the counts are written into the cells.
        color_map: 'viridis', 'blues', 'greyscale', or two CSS colors for the smallest and the largest count.

    Raises:
        ValueError, TypeError: data or options that do not fit, or more than 100,000 cells.

    Source: tfjs-vis `render.confusionMatrix`.
    """
    where = "confusion_matrix"
    found = v.fields(where, data, ("values", "tick_labels"), "values")
    matrix = v.matrix(where, found["values"])
    count = matrix.shape[0]
    if matrix.shape[1] != count:
        raise argument_error(where, "values", "a square matrix", found["values"])
    ticks = found.get("tick_labels")
    given = [] if ticks is None else v.texts(where, "tick_labels", ticks)
    names = v.unique(v.texts(where, "tick_labels", given, count) if given else [f"Class {i}" for i in range(count)])
    all_shaded = bool(shade_diagonal) or not matrix[~np.eye(count, dtype=bool)].any()
    cells = []
    for i, row in enumerate(matrix.tolist()):
        for j, value in enumerate(row):
            cell = {"label": names[i], "prediction": names[j], "count": v.number(where, "values", value)}
            written = {} if math.isfinite(value) else {"text": v.display(value)}
            cells.append({**cell, **written, "shade": cell["count"] if all_shaded or i != j else None})
    order = {"scale": {"domain": names}}
    x = {"type": v.kind(where, "x_type", x_type), "title": v.label(where, "x_label", x_label) or "prediction"}
    y = {"type": v.kind(where, "y_type", y_type), "title": v.label(where, "y_label", y_label) or "label"}
    shade = {"field": "shade", "type": "quantitative", "title": "count", "scale": _color_scale(where, color_map)}
    layers: list[v.Spec] = [
        {
            "mark": {"type": "rect", "tooltip": True},
            "transform": [{"filter": "datum.shade !== null"}],
            "encoding": {"color": shade},
        },
    ]
    if show_text_overlay:
        text = {"value": {"expr": "isValid(datum.count) ? datum.count : datum.text"}}
        layers.append({"mark": {"type": "text", "baseline": "middle"}, "encoding": {"text": text}})
    body = {
        **v.size(where, width, height),
        "data": {"values": cells},
        "encoding": {"x": {"field": "prediction", **x, **order}, "y": {"field": "label", **y, **order}},
        "layer": layers,
    }
    return put(where, container, Chart(body, v.font(where, font_size)))
