"""Training charts: the history, and losses and metrics during training."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tfpy.core.calling.options import respell
from tfpy.core.calling.registry import export
from tfpy.core.naming.names import spellings
from tfpy.engine.arguments import as_list
from tfpy.engine.errors import argument_error, unknown_name_error
from tfpy.vis import values as v
from tfpy.vis.drawing import Drawing, Group
from tfpy.vis.points import linechart
from tfpy.vis.surfaces import Container, put

_VALIDATION = "val_"
# The minimum interval between updates in a notebook, in seconds: the image grows with each batch.
_REFRESH = 0.5
# With more batches than this every second point is dropped, repeatedly.
_MAX_POINTS = 4096


@export(namespace="vis.show", doc="Visualization / Training", options="opts")
def history(
    container: Container,
    history: Any,
    metrics: Sequence[str] | None = None,
    opts: Mapping[str, Any] | None = None,
    *,
    width: float = 460,
    height: float = 250,
    x_label: str = "Iteration",
    y_label: str = "Value",
    font_size: float = 11,
    x_type: str = "quantitative",
    y_type: str = "quantitative",
    x_axis_domain: Sequence[float] | None = None,
    y_axis_domain: Sequence[float] | None = None,
    zoom_to_fit: bool = False,
    zoom_to_fit_accuracy: bool = False,
    series_colors: Sequence[str] | None = None,
) -> Drawing:
    """The losses and metrics of a training run: a line chart for each, together with its validation values.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        history: what `fit` returned, or {'history': {…}} with the values by name; or a list of logs; or a list of such
            lists, one for each metric.
        metrics: the names to show; all by default (beyond TF.js).
        opts: the options below as a dict.
        width, height, font_size: of each chart, in pixels.
        x_label: the title of the x axis.
        y_label: the title of the y axis.
        x_type: 'quantitative', 'ordinal' or 'nominal'.
        y_type: likewise.
        x_axis_domain: the ends of the x axis; zoom_to_fit takes precedence.
        y_axis_domain: the ends of the y axis, likewise.
        zoom_to_fit: whether to fit the axes to the points.
        zoom_to_fit_accuracy: the same for accuracy charts only, which otherwise range from 0 to 1.
        series_colors: a CSS color for each metric; if there are too few, each chart starts with the first.

    Raises:
        ValueError, TypeError: a name that is not in the history, or options that do not fit.

    Source: tfjs-vis `show.history`.
    """
    names = _names(history) if metrics is None else v.texts("history", "metrics", metrics)
    plots = _plots(names)
    colors = None if series_colors is None else _colors(names, plots, series_colors)
    options = {
        "width": width,
        "height": height,
        "x_label": x_label,
        "y_label": y_label,
        "font_size": font_size,
        "x_type": x_type,
        "y_type": y_type,
        "x_axis_domain": x_axis_domain,
        "y_axis_domain": y_axis_domain,
        "zoom_to_fit": zoom_to_fit,
    }

    def fit(series: list[str]) -> dict[str, Any]:
        if not all("acc" in name for name in series):
            return {}
        return {"zoom_to_fit": True} if zoom_to_fit_accuracy else {"y_axis_domain": [0, 1], "zoom_to_fit": False}

    charts: list[Drawing | tuple[str, Drawing]] = []
    for title, series in plots.items():
        lines = [_values(history, name, names.index(name)) for name in series]
        own = {**fit(series), "series_colors": colors and [colors[name] for name in series]}
        charts.append((title, linechart(None, {"values": lines, "series": series}, {**options, **own})))
    return put("history", container, Group(charts))


def _plots(names: Sequence[str]) -> dict[str, list[str]]:
    """The names shown in one chart, by its title."""
    plots: dict[str, list[str]] = {}
    for name in names:
        plots.setdefault(name.replace(_VALIDATION, "", 1), []).append(name)
    return plots


def _colors(names: Sequence[str], plots: Mapping[str, Sequence[str]], given: Any) -> dict[str, str]:
    """The color of each metric."""
    found = [
        v.color("history", "series_colors", color) for color in as_list("history", "series_colors", given, "colors")
    ]
    if len(found) == len(names):
        return dict(zip(names, found, strict=True))
    if len(found) < max(map(len, plots.values()), default=0):
        expected = "a color for each metric, or for each line of a chart"
        raise argument_error("history", "series_colors", expected, given)
    return {name: color for series in plots.values() for name, color in zip(series, found, strict=False)}


def _by_name(history: Any) -> Mapping[str, Any] | None:
    """The values by name, if the history has this form."""
    found = history.get("history") if isinstance(history, Mapping) else getattr(history, "history", None)
    return found if isinstance(found, Mapping) else None


def _names(history: Any) -> list[str]:
    """The names in a history, in order of first occurrence."""
    known = _by_name(history)
    if known is not None:
        return list(known)
    return list(dict.fromkeys(name for log in _flat(history) for name in log if name not in ("batch", "size")))


def _flat(history: Any) -> list[Any]:
    listed = as_list("history", "history", history, "logs")
    nested = bool(listed) and isinstance(listed[0], (list, tuple))
    flat = [log for part in listed for log in part] if nested else listed  # type: ignore[attr-defined]
    if not all(isinstance(log, Mapping) for log in flat):
        raise argument_error("history", "history", "a History, or a list of logs", history, TypeError)
    return flat


def _values(history: Any, name: str, index: int) -> list[Any]:
    """The values of one name; None if missing from a log."""
    known = _by_name(history)
    if known is not None:
        if name not in known:
            raise unknown_name_error("metric", name, known)
        return list(known[name])
    listed = as_list("history", "history", history, "logs")
    nested = bool(listed) and isinstance(listed[0], (list, tuple))
    parts = [_flat(part) for part in listed] if nested else [_flat(listed)]
    # The list of the metric's number, unless another one has it.
    for logs in [*parts[index : index + 1], *parts]:
        if any(name in log for log in logs):
            return [log.get(name) for log in logs]
    raise unknown_name_error("metric", name, _names(history))


@export(namespace="vis.show", doc="Visualization / Training", options="opts")
def fit_callbacks(
    container: Container,
    metrics: Sequence[str],
    opts: Mapping[str, Any] | None = None,
    *,
    callbacks: Sequence[str] = ("onEpochEnd", "onBatchEnd"),
    width: float = 460,
    height: float = 250,
    x_label: str | None = None,
    y_label: str = "Value",
    font_size: float = 11,
    x_type: str = "quantitative",
    y_type: str = "quantitative",
    x_axis_domain: Sequence[float] | None = None,
    y_axis_domain: Sequence[float] | None = None,
    zoom_to_fit: bool = False,
    zoom_to_fit_accuracy: bool = False,
    series_colors: Sequence[str] | None = None,
) -> dict[str, Callable[..., None]]:
    """Callbacks for `fit` that draw losses and metrics while it runs; in a notebook the chart updates live.

    Args:
        container: the surface to draw on: `{'name': …, 'tab': …}`, or None.
        metrics: the names to show.
        opts: the options below as a dict.
        callbacks: when to draw: 'onEpochEnd', 'onBatchEnd', in either spelling.
        x_label: the title of the horizontal axes; by default 'Epoch' and 'Batch', which tfjs-vis always has.
        width, height, y_label, font_size, x_type, y_type: as in `history`.
        x_axis_domain, y_axis_domain, zoom_to_fit, zoom_to_fit_accuracy, series_colors: as in `history`.

    Returns:
        The functions by the names given in `callbacks`. Without an epoch's end among them, also 'onTrainEnd', which
        shows the last batches.

    Raises:
        ValueError, TypeError: another name among the callbacks, or options that do not fit.

    Source: tfjs-vis `show.fitCallbacks`.
    """
    where = "fit_callbacks"
    names = v.texts(where, "metrics", metrics)
    options = {
        "width": width,
        "height": height,
        "y_label": y_label,
        "font_size": font_size,
        "x_type": x_type,
        "y_type": y_type,
        "x_axis_domain": x_axis_domain,
        "y_axis_domain": y_axis_domain,
        "zoom_to_fit": zoom_to_fit,
        "zoom_to_fit_accuracy": zoom_to_fit_accuracy,
    }
    if x_label is not None:
        options["x_label"] = x_label
    live = _LiveChart(container, names, options, series_colors)
    known = {"on_epoch_end": "Epoch", "on_batch_end": "Batch"}
    found: dict[str, Callable[..., None]] = {}
    for given in v.texts(where, "callbacks", callbacks):
        event = next(iter(respell({given: True}, spellings(known), where)))
        found[given] = live.listener(given, known[event])
    if live.lags:
        found["onTrainEnd"] = live.show
    return found


class _LiveChart(Group):
    """A growing chart: the logs of each event, and the drawings made from them on display."""

    def __init__(self, container: Container, metrics: list[str], options: dict[str, Any], series_colors: Any) -> None:
        super().__init__([])
        self._container = container
        self._metrics = metrics
        self._options = options
        self._colors = None if series_colors is None else _colors(metrics, _plots(metrics), series_colors)
        self._logs: dict[str, _DownsampledLogs] = {}
        self._labels: dict[str, str] = {}
        self._display: Any = None
        self._shown = -_REFRESH
        # Rejects bad options now, not during training.
        self.font_size = history(None, [dict.fromkeys(metrics, 0.0)], metrics, options).font_size

    def listener(self, event: str, label: str) -> Callable[..., None]:
        """The function to call at an event."""
        self._logs[event], self._labels[event] = _DownsampledLogs(), label

        def listen(number: int, logs: Mapping[str, Any] | None = None) -> None:
            self._logs[event].add({name: logs[name] for name in self._metrics if name in (logs or {})})  # type: ignore[index]
            if label == "Epoch" or time.monotonic() - self._shown >= _REFRESH:
                self.show()

        return listen

    @property
    def lags(self) -> bool:
        """Whether the display may lack the last events."""
        return "Epoch" not in self._labels.values()

    def show(self, logs: Mapping[str, Any] | None = None) -> None:
        """Put it on its surface; in a notebook, show its current state."""
        put("fit_callbacks", self._container, self)
        self._display = _displayed(self, self._display)
        self._shown = time.monotonic()

    @property
    def members(self) -> list[tuple[str, Drawing]]:
        found: list[tuple[str, Drawing]] = []
        for event, logs in self._logs.items():
            present = [name for name in self._metrics if any(name in log for _, log in logs.kept)]
            if present:
                found.append((event, self._charts(logs, present, self._labels[event])))
        return found

    def _charts(self, logs: _DownsampledLogs, present: list[str], label: str) -> Drawing:
        colors = self._colors and [self._colors[name] for name in present]
        options = {"x_label": label, **self._options, "series_colors": colors}
        return history(None, _Numbered(logs.kept, present), present, options)


class _DownsampledLogs:
    """Logs with their numbers; if there are too many, only every second one is kept from then on."""

    def __init__(self) -> None:
        self.kept: list[tuple[int, dict[str, Any]]] = []
        self._seen = 0
        self._stride = 1

    def add(self, log: dict[str, Any]) -> None:
        if self._seen % self._stride == 0:
            self.kept.append((self._seen, log))
        self._seen += 1
        if len(self.kept) > _MAX_POINTS:
            self.kept = self.kept[::2]
            self._stride *= 2


class _Numbered:
    """Numbered logs in the form of a history: its values are points (number, value)."""

    def __init__(self, logs: Sequence[tuple[int, Mapping[str, Any]]], names: Sequence[str]) -> None:
        self.history = {name: [(number, log.get(name)) for number, log in logs] for name in names}


def _displayed(drawing: Drawing, display: Any) -> Any:
    """In a notebook: the display of the drawing, which is updated if it exists."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    if display is None:
        return ipython.display.display(drawing, display_id=True)  # type: ignore[union-attr]
    display.update(drawing)
    return display
