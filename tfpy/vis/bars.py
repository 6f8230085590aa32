"""Bar charts and histograms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tfpy.core.calling.registry import export
from tfpy.engine.arguments import as_list, as_positive
from tfpy.engine.errors import argument_error
from tfpy.vis import values as v
from tfpy.vis.drawing import Chart, Drawing, Group
from tfpy.vis.statistics import of_values, read_statistics, statistics_table
from tfpy.vis.surfaces import Container, put

_BAR_COLOR, _HISTOGRAM_COLOR = "#4C78A0", "#001B44"


@export(namespace="vis.render", doc="Visualization / Charts", options="opts")
def barchart(
    container: Container,
    data: Sequence[Any],
    opts: Mapping[str, Any] | None = None,
    *,
    width: float = 460,
    height: float = 250,
    x_label: str = "",
    y_label: str = "",
    font_size: float = 11,
    x_type: str = "ordinal",
    y_type: str = "quantitative",
    color: str | Sequence[str] | None = None,
) -> Chart:
    """A bar chart.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        data: [{'index': …, 'value': …}, …], a dict of values by index, or numbers.
            Numeric indices are sorted from left to right; strings keep their order in the data.
        opts: the options below as a dict.
        width: the width of the whole chart, in pixels.
        height: likewise.
        x_label: the title of the x axis.
        y_label: the title of the y axis.
        font_size: the font size, in pixels.
        x_type: 'quantitative', 'ordinal' or 'nominal'.
        y_type: likewise.
        color: a CSS color for all bars, or a list with one for each, from left to right.

    Raises:
        ValueError, TypeError: data or options that do not fit, or more than 100,000 bars.

    Source: tfjs-vis `render.barchart`, which puts strings into alphabetical order.
    """
    where = "barchart"
    bars = _bars(where, data)
    order = {"sort": None} if any(isinstance(bar["index"], str) for bar in bars) else {}
    x = {"field": "index", "type": v.kind(where, "x_type", x_type), "title": v.label(where, "x_label", x_label)}
    y = {"field": "value", "type": v.kind(where, "y_type", y_type), "title": v.label(where, "y_label", y_label)}
    body = {
        **v.size(where, width, height),
        "data": {"values": bars},
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {"x": {**x, **order}, "y": y, "color": {**_bar_colors(where, color, len(bars)), **order}},
    }
    return put(where, container, Chart(body, v.font(where, font_size)))


def _bars(where: str, data: Any) -> list[v.Spec]:
    pairs = [{"index": k, "value": n} for k, n in data.items()] if isinstance(data, Mapping) else data
    found = as_list(where, "data", pairs, "{'index': …, 'value': …}")
    v.limited(where, len(found), "bars")
    bars = []
    for i, bar in enumerate(found):
        index, value = (bar.get("index"), bar.get("value")) if isinstance(bar, Mapping) else (i, bar)
        if index is None:
            raise argument_error(where, "data", "dicts with 'index' and 'value'", bar)
        bars.append({"index": v.category(where, "index", index), "value": v.number(where, "value", value)})
    return bars


def _bar_colors(where: str, color: Any, count: int) -> v.Spec:
    if color is None or isinstance(color, str):
        return {"value": color or _BAR_COLOR}
    colors = [v.color(where, "color", c) for c in as_list(where, "color", color, "colors")]
    if len(colors) != count:
        raise argument_error(where, "color", f"{count} colors, one for each bar", f"{len(colors)} of them")
    return {"field": "index", "type": "nominal", "legend": None, "scale": {"range": colors}}


@export(namespace="vis.render", doc="Visualization / Charts", options="opts")
def histogram(
    container: Container,
    data: Any,
    opts: Mapping[str, Any] | None = None,
    *,
    width: float = 460,
    height: float = 250,
    x_label: str | None = "value",
    y_label: str | None = "count",
    font_size: float = 11,
    x_type: str = "quantitative",
    y_type: str = "quantitative",
    stats: Mapping[str, Any] | bool = True,
    max_bins: int = 12,
    color: str = _HISTOGRAM_COLOR,
) -> Drawing:
    """A histogram of values, below a table of their statistics.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        data: numbers in any shape, or a list of {'value': …}. They are binned here, so there may be any number of them.
        opts: the options below as a dict.
        width: the width of the whole chart, in pixels.
        height: likewise.
        x_label: the title of the x axis, which tfjs-vis also accepts, but does not show.
        y_label: the title of the y axis, likewise.
        font_size: the font size, in pixels.
        x_type: ignored, as in tfjs-vis: both axes are numeric.
        y_type: likewise.
        stats: False for no table; or the numbers to show in it: 'num_vals', 'min', 'max', 'num_zeros', 'num_nans',
            'num_infs'.
        max_bins: the maximum number of bins, up to 100,000. They start and end at round numbers, as in Vega.
        color: a CSS color for the bars.

    Raises:
        ValueError, TypeError: data or options that do not fit.

    Source: tfjs-vis `render.histogram`.
    """
    where = "histogram"
    found = _histogram_values(where, data)
    size = v.font(where, font_size)
    most = as_positive(where, "max_bins", max_bins)
    if most > v.LIMIT:
        raise argument_error(where, "max_bins", f"at most {v.LIMIT}", max_bins)
    v.kind(where, "x_type", x_type)
    v.kind(where, "y_type", y_type)
    edges = nice_bins(found[np.isfinite(found)], most)
    counts, _ = np.histogram(found[np.isfinite(found)], edges)
    bars = [
        {"from": float(start), "to": float(end), "count": int(count)}
        for start, end, count in zip(edges, edges[1:], counts, strict=False)
    ]
    body = {
        **v.size(where, width, height),
        "data": {"values": bars},
        "mark": {"type": "bar", "tooltip": True},
        "encoding": {
            "x": {
                "field": "from",
                "type": "quantitative",
                "bin": {"binned": True},
                "title": v.label(where, "x_label", x_label),
            },
            "x2": {"field": "to"},
            "y": {"field": "count", "type": "quantitative", "title": v.label(where, "y_label", y_label)},
            "color": {"value": v.color(where, "color", color)},
        },
    }
    chart = Chart(body, size)
    if stats is False:
        return put(where, container, chart)
    given = of_values(found) if stats is True else read_statistics(where, stats)
    return put(where, container, Group([statistics_table(given, size), chart]))


def _histogram_values(where: str, data: Any) -> npt.NDArray[np.float64]:
    if isinstance(data, Sequence) and not isinstance(data, str) and data and isinstance(data[0], Mapping):
        try:
            return v.numbers(where, "data", [item["value"] for item in data])
        except (KeyError, TypeError):
            raise argument_error(where, "data", "dicts that all have a 'value'", data) from None
    return v.numbers(where, "data", data)


def nice_bins(values: npt.NDArray[np.float64], most: int) -> npt.NDArray[np.float64]:
    """The edges of at most a number of bins that cover all values: steps of 1, 2 or 5 times a power of 10 (Vega)."""
    if not values.size:
        return np.array([0.0, 1.0])
    low, high = float(values.min()), float(values.max())
    span = high - low or abs(low) or 1.0
    step = 10.0 ** (round(math.log10(span)) - math.ceil(math.log10(most)))
    while math.ceil(span / step) > most:
        step *= 10
    step = min([step, *(step / part for part in (5, 2) if span / (step / part) <= most)])
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return np.arange(first, max(last, first + 1) + 1, dtype=np.float64) * step
