"""Line charts and scatter plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tfpy.core.calling.registry import export
from tfpy.engine.arguments import as_list
from tfpy.engine.errors import argument_error
from tfpy.vis import values as v
from tfpy.vis.drawing import Chart
from tfpy.vis.surfaces import Container, put

_FIELDS = ("values", "series")


@export(namespace="vis.render", doc="Visualization / Charts", options="opts")
def linechart(
    container: Container,
    data: Mapping[str, Any],
    opts: Mapping[str, Any] | None = None,
    *,
    width: float = 460,
    height: float = 250,
    x_label: str = "x",
    y_label: str = "y",
    font_size: float = 11,
    x_type: str = "quantitative",
    y_type: str = "quantitative",
    x_axis_domain: Sequence[float] | None = None,
    y_axis_domain: Sequence[float] | None = None,
    zoom_to_fit: bool = False,
    series_colors: Sequence[str] | None = None,
) -> Chart:
    """A line chart.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        data: 'values': the points of a line, or a list of lines. A point is {'x': …, 'y': …} or a tuple (x, y); a line
            may also be a list or an array of the y alone. 'series': the names of the lines.
        opts: the options below as a dict.
        width: the width of the whole chart, in pixels.
        height: likewise.
        x_label: the title of the x axis.
        y_label: the title of the y axis.
        font_size: the font size, in pixels.
        x_type: 'quantitative', 'ordinal' or 'nominal'.
        y_type: likewise.
        x_axis_domain: the ends of the x axis; zoom_to_fit takes precedence.
        y_axis_domain: the ends of the y axis, likewise.
        zoom_to_fit: whether to fit the axes to the points.
        series_colors: a CSS color for each line.

    Returns:
        The chart; numbers that are not finite are gaps in its lines.

    Raises:
        ValueError, TypeError: data or options that do not fit, or more than 100,000 points.

    Source: tfjs-vis `render.linechart`, which puts the points at 0, 1, 2 … whatever their x.
    """
    where = "linechart"
    names, points = _points(where, data)
    body = {
        **v.size(where, width, height),
        "data": {"values": points},
        "mark": {"type": "line", "clip": True, "tooltip": True, "point": len(points) <= len(names)},
        "encoding": {
            "x": _axis(where, "x", x_type, x_label, x_axis_domain, zoom_to_fit),
            "y": _axis(where, "y", y_type, y_label, y_axis_domain, zoom_to_fit),
            "color": _colors(where, names, series_colors),
        },
    }
    return put(where, container, Chart(body, v.font(where, font_size)))


@export(namespace="vis.render", doc="Visualization / Charts", options="opts")
def scatterplot(
    container: Container,
    data: Mapping[str, Any],
    opts: Mapping[str, Any] | None = None,
    *,
    width: float = 460,
    height: float = 250,
    x_label: str = "x",
    y_label: str = "y",
    font_size: float = 11,
    x_type: str = "quantitative",
    y_type: str = "quantitative",
    x_axis_domain: Sequence[float] | None = None,
    y_axis_domain: Sequence[float] | None = None,
    zoom_to_fit: bool = False,
    series_colors: Sequence[str] | None = None,
) -> Chart:
    """A scatter plot, with a separate color and shape for each series.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        data: as in `linechart`.
        opts: the options below as a dict.
        width: the width of the whole chart, in pixels.
        height: likewise.
        x_label: the title of the x axis.
        y_label: the title of the y axis.
        font_size: the font size, in pixels.
        x_type: 'quantitative', 'ordinal' or 'nominal'.
        y_type: likewise.
        x_axis_domain: the ends of the x axis; zoom_to_fit takes precedence.
        y_axis_domain: the ends of the y axis, likewise.
        zoom_to_fit: whether to fit the axes to the points.
        series_colors: a CSS color for each series.

    Raises:
        ValueError, TypeError: as in `linechart`.

    Source: tfjs-vis `render.scatterplot`.
    """
    where = "scatterplot"
    names, points = _points(where, data)
    body = {
        **v.size(where, width, height),
        "data": {"values": points},
        "mark": {"type": "point", "clip": True, "tooltip": True},
        "encoding": {
            "x": _axis(where, "x", x_type, x_label, x_axis_domain, zoom_to_fit),
            "y": _axis(where, "y", y_type, y_label, y_axis_domain, zoom_to_fit),
            "color": _colors(where, names, series_colors),
            "shape": {"field": "series", "type": "nominal", "sort": None, "legend": None},
        },
    }
    return put(where, container, Chart(body, v.font(where, font_size)))


def _axis(where: str, name: str, kind: Any, title: Any, domain: Any, zoom: Any) -> v.Spec:
    axis: v.Spec = {
        "field": name,
        "type": v.kind(where, f"{name}_type", kind),
        "title": v.label(where, f"{name}_label", title),
    }
    if zoom:
        axis["scale"] = {"zero": False}
    elif domain is not None:
        axis["scale"] = {"domain": v.domain(where, f"{name}_axis_domain", domain)}
    return axis


def _colors(where: str, names: Sequence[str], colors: Any) -> v.Spec:
    scale: v.Spec = {"domain": list(names)}
    if colors is not None:
        found = [v.color(where, "series_colors", c) for c in as_list(where, "series_colors", colors, "colors")]
        scale["range"] = v.texts(where, "series_colors", found, len(names))
    return {"field": "series", "type": "nominal", "title": None, "scale": scale}


def _points(where: str, data: Any) -> tuple[list[str], list[v.Spec]]:
    """The names of the series, and the points of all of them."""
    found = v.fields(where, data, _FIELDS, "values")
    series = _series(where, found["values"])
    given = found.get("series")
    names = [f"Series {i + 1}" for i in range(len(series))]
    if given is not None:
        names = v.unique(v.texts(where, "series", given, len(series)))
    v.limited(where, sum(map(len, series)), "points")
    points = []
    for name, line in zip(names, series, strict=True):
        for i, point in enumerate(line):
            x, y = _coordinates(where, i, point)
            points.append({"x": v.category(where, "x", x), "y": v.category(where, "y", y), "series": name})
    return names, points


def _series(where: str, values: Any) -> list[list[Any]]:
    """The series: lists of points, or of numbers."""
    if not hasattr(values, "__len__") or isinstance(values, (str, bytes, Mapping)):
        raise argument_error(where, "values", "a list of points, or of lists of points", values, TypeError)
    outer = list(v.plain(values))
    nested = bool(outer) and _is_line(outer[0])
    return [_line(where, part) for part in (outer if nested else [outer])]


def _line(where: str, values: Any) -> list[Any]:
    if not _is_line(values):
        raise argument_error(where, "values", "lists of points only", values, TypeError)
    return list(v.plain(values))


def _is_line(values: Any) -> bool:
    """Whether it is a list of points or an array, not a tuple, which is a point."""
    return isinstance(values, (list, range)) or bool(getattr(values, "shape", ()))


def _coordinates(where: str, index: int, point: Any) -> tuple[Any, Any]:
    if isinstance(point, Mapping):
        if "x" in point and "y" in point:
            return point["x"], point["y"]
    elif not isinstance(point, tuple):
        return index, point
    elif len(point) == 2:
        return point[0], point[1]
    raise argument_error(where, "values", "points {'x': …, 'y': …}, tuples (x, y) or numbers", point, TypeError)
