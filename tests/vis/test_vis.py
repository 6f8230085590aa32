"""tf.vis: charts, tables, training callbacks, metrics, surfaces, pages, images, and invalid input."""

from __future__ import annotations

import asyncio
import html.parser
import json
import math
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tfpy as tf
from tfpy.vis import renderer
from tfpy.vis.bars import nice_bins
from tfpy.vis.training import _DownsampledLogs
from tfpy.vis.values import LIMIT, display, unique

HOSTILE = "</script><script>alert(1)</script><b a='\"'>&amp;\u2028"


@pytest.fixture(autouse=True)
def _empty_visor() -> Any:
    yield
    tf.vis.visor().clear()


def spec(drawing: Any) -> dict[str, Any]:
    """The specification after a round trip through JSON."""
    return json.loads(json.dumps(drawing.spec, allow_nan=False))


def rows(drawing: Any) -> list[dict[str, Any]]:
    return spec(drawing)["data"]["values"]


# Charts


@pytest.mark.parametrize(
    "values",
    [
        [{"x": 0, "y": 5}, {"x": 1, "y": 7}],
        [(0, 5), (1, 7)],
        [5, 7],
        [[{"x": 0, "y": 5}, {"x": 1, "y": 7}]],
        [[5.0, 7.0]],
        np.array([5, 7]),
        np.array([[5, 7]], dtype=np.float32),
        range(5, 8, 2),
        [range(5, 8, 2)],
    ],
)
def test_forms_of_points(values: Any) -> None:
    for render in (tf.vis.render.linechart, tf.vis.render.scatterplot):
        found = rows(render(None, {"values": values}))
        assert found == [{"x": 0, "y": 5, "series": "Series 1"}, {"x": 1, "y": 7, "series": "Series 1"}]


def test_points_from_a_tensor() -> None:
    with tf.tidy():
        found = rows(tf.vis.render.linechart(None, {"values": tf.tensor1d([5, 7]), "series": ["a"]}))
    assert [p["y"] for p in found] == [5, 7]


def test_line_chart_options() -> None:
    data = {"values": [[1, 2], [3, float("nan")]], "series": ["loss", "loss"]}
    options = {"xLabel": "Epoch", "yAxisDomain": [0, 4], "seriesColors": ["red", "#00f"], "width": 300, "fontSize": 9}
    found = spec(tf.vis.render.linechart(None, data, options))
    assert found["width"] == 300
    assert found["encoding"]["x"]["title"] == "Epoch"
    assert found["encoding"]["y"]["scale"] == {"domain": [0, 4]}
    assert found["encoding"]["color"]["scale"] == {"domain": ["loss", "loss (2)"], "range": ["red", "#00f"]}
    assert found["config"]["axis"]["labelFontSize"] == 9
    assert found["data"]["values"][-1] == {"x": 1, "y": None, "series": "loss (2)"}
    zoomed = spec(tf.vis.render.linechart(None, data, {"zoomToFit": True, "yAxisDomain": [0, 4]}))
    assert zoomed["encoding"]["y"]["scale"] == {"zero": False}


def test_bar_chart() -> None:
    expected = [{"index": "b", "value": 2}, {"index": "a", "value": 1}]
    assert rows(tf.vis.render.barchart(None, expected)) == expected
    assert rows(tf.vis.render.barchart(None, {"b": 2, "a": 1})) == expected
    assert rows(tf.vis.render.barchart(None, [4])) == [{"index": 0, "value": 4}]
    colored = spec(tf.vis.render.barchart(None, expected, color=["red", "blue"]))
    assert colored["encoding"]["color"]["scale"]["range"] == ["red", "blue"]


@pytest.mark.parametrize(("indices", "in_order"), [([2, 0, 1], False), (["b", "a"], True), ([1, "a"], True)])
def test_bars_are_sorted_only_if_all_indices_are_numbers(indices: list[Any], in_order: bool) -> None:
    """Vega-Lite sorts by default; `sort: null` keeps the order."""
    bars = [{"index": index, "value": 1} for index in indices]
    encoding = spec(tf.vis.render.barchart(None, bars, color=["red"] * len(bars)))["encoding"]
    for channel in ("x", "color"):
        assert encoding[channel].get("sort", "by value") == (None if in_order else "by value")


@pytest.mark.parametrize(
    ("values", "most", "edges"),
    [
        ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 12, np.arange(0, 11)),
        ([0, 100], 12, np.arange(0, 101, 10)),
        ([-0.31, 0.29], 12, np.arange(-8, 7) * 0.05),
        ([7, 7, 7], 12, None),
        ([0, 0], 12, None),
        ([1e-8, 3e-8], 5, None),
        ([-1e30, 1e30], 1, None),
    ],
)
def test_bins_have_round_edges(values: list[float], most: int, edges: Any) -> None:
    found = nice_bins(np.array(values, dtype=np.float64), most)
    assert found[0] <= min(values) <= max(values) <= found[-1]
    assert len(found) - 1 <= most + 1  # rounding the ends outwards may add one, as in Vega
    if edges is not None and len(edges) == len(found):
        np.testing.assert_allclose(found, edges, atol=1e-12)


def test_histogram_counts_finite_values_and_shows_statistics() -> None:
    found = tf.vis.render.histogram(None, [0, 1, 1, 2, float("nan"), float("inf"), 0, 0])
    table, chart = (member for _, member in found.members)
    assert sum(bar["count"] for bar in rows(chart)) == 6
    assert table.headers == ["Num Vals", "Min", "Max", "# Zeros", "# NaNs", "# Infinity"]
    assert table.rows == [["8", "0", "Infinity", "3 (37.5%)", "1 (12.5%)", "1 (12.5%)"]]
    without_stats = tf.vis.render.histogram(None, [{"value": 1}, {"value": 2}], {"stats": False})
    assert sum(bar["count"] for bar in rows(without_stats)) == 2
    given = tf.vis.render.histogram(None, [1], {"stats": {"numVals": 1234.56789, "max": -1}})
    assert given.members[0][1].rows == [["1,234.5679", "-1"]]
    assert rows(tf.vis.render.histogram(None, [], {"stats": False})) == [{"from": 0, "to": 1, "count": 0}]


def test_histogram_accepts_chart_options() -> None:
    types = {"xType": "quantitative", "yType": "quantitative", "stats": False}
    found = spec(tf.vis.render.histogram(None, [1, 2], {"xLabel": "cm", "yLabel": "flowers", **types}))
    assert [found["encoding"][axis]["title"] for axis in "xy"] == ["cm", "flowers"]


def test_numbers_keep_full_precision() -> None:
    cells = rows(tf.vis.render.confusion_matrix(None, {"values": [[0.1, 0.9], [2**24 + 1, 2**31]]}))
    assert [cell["count"] for cell in cells] == [0.1, 0.9, 2**24 + 1, 2**31]
    assert rows(tf.vis.render.heatmap(None, {"values": np.array([[0.1]])}))[0]["value"] == 0.1
    bars = rows(tf.vis.render.histogram(None, [1_700_000_001, 1_700_000_050], {"stats": False}))
    assert (bars[0]["from"], bars[-1]["to"], len(bars)) == (1_700_000_000, 1_700_000_050, 10)
    assert tf.vis.show.values_distribution(None, np.array([3_000_000_001])).members[0][1].rows[0][1] == "3,000,000,001"
    assert rows(tf.vis.render.barchart(None, [10**20]))[0]["value"] == 10**20


def test_histogram_of_many_values() -> None:
    found = tf.vis.render.histogram(None, np.zeros(2 * LIMIT), {"stats": False})
    assert sum(bar["count"] for bar in rows(found)) == 2 * LIMIT


def test_heatmap() -> None:
    data = {"values": [[1, 2], [3, float("inf")], [5, 6]], "xTickLabels": ["a", "b", "b"], "yTickLabels": ["u", "v"]}
    found = tf.vis.render.heatmap(None, data, {"colorMap": "greyscale", "domain": [0, 6]})
    assert [(c["x"], c["y"], c["value"]) for c in rows(found)] == [
        ("a", "u", 1), ("a", "v", 2), ("b", "u", 3), ("b", "v", None), ("b (2)", "u", 5), ("b (2)", "v", 6)
    ]  # fmt: skip
    assert spec(found)["encoding"]["fill"]["scale"] == {"range": ["#000000", "#ffffff"], "domain": [0, 6]}
    row_major = tf.vis.render.heatmap(None, {"values": [[1, 2, 3]]}, {"rowMajor": True})
    assert [(c["x"], c["y"]) for c in rows(row_major)] == [(0, 0), (1, 0), (2, 0)]


def test_unique_labels_avoid_existing_numbers() -> None:
    for labels, expected in (
        (["a", "a", "a (2)"], ["a", "a (3)", "a (2)"]),
        (["a (2)", "a", "a"], ["a (2)", "a", "a (3)"]),
        (["{}", "{}", "{}"], ["{}", "{} (2)", "{} (3)"]),
    ):
        assert unique(labels) == expected


def test_confusion_matrix_of_non_finite_values() -> None:
    data = {"values": [[float("nan"), 1], [float("inf"), 2]], "tickLabels": []}
    drawing = tf.vis.render.confusion_matrix(None, data)
    assert [cell.get("text") for cell in rows(drawing)] == ["NaN", None, "Infinity", None]
    assert {cell["label"] for cell in rows(drawing)} == {"Class 0", "Class 1"}
    svg = drawing.to_svg()
    assert all(f">{text}<" in svg for text in ("NaN", "Infinity", "1", "2"))
    assert ">null<" not in svg


def test_confusion_matrix() -> None:
    data = {"values": [[4, 2], [0, 7]], "tickLabels": ["cat", "dog"]}
    for render in (tf.vis.render.confusion_matrix, tf.vis.show.confusionMatrix):
        assert [c["shade"] for c in rows(render(None, data))] == [4, 2, 0, 7]
    mistakes = tf.vis.render.confusion_matrix(None, data, shade_diagonal=False)
    assert [c["shade"] for c in rows(mistakes)] == [None, 2, 0, None]
    assert rows(mistakes)[1] == {"label": "cat", "prediction": "dog", "count": 2, "shade": 2}
    perfect = tf.vis.render.confusion_matrix(None, {"values": [[4, 0], [0, 7]]}, shade_diagonal=False)
    assert [c["shade"] for c in rows(perfect)] == [4, 0, 0, 7]


def test_table_formats_numbers_and_keeps_text() -> None:
    table = tf.vis.render.table(None, {"headers": ["a", "b"], "values": [[1234.50001, "<b>"], [True, None]]})
    assert table.rows == [["1,234.5", "<b>"], ["true", ""]]
    assert repr(table).splitlines() == ["a        b", "-------  ---", "1,234.5  <b>", "true"]
    assert "&lt;b&gt;" in table._repr_mimebundle_()["text/html"]
    assert [display(v) for v in (float("nan"), -float("inf"), 0.00001, 10)] == ["NaN", "-Infinity", "0", "10"]
    assert [display(v) for v in (10**400, -(10**400))] == ["Infinity", "-Infinity"]
    assert 'font-weight="bold"' in table.to_svg()


@pytest.mark.parametrize("form", [tf.tensor2d, lambda rows: [*map(tf.tensor1d, rows)], np.array])
def test_table_from_tensors(form: Any) -> None:
    with tf.tidy():
        table = tf.vis.render.table(None, {"headers": ["a", "b"], "values": form([[1, 2], [3, 4.5]])})
    assert table.rows == [["1", "2"], ["3", "4.5"]]


# Models and training


def train_model(**options: Any) -> Any:
    model = tf.sequential(layers=[tf.layers.dense(units=2, input_shape=[3], name="first")])
    model.compile(optimizer="sgd", loss="meanSquaredError", metrics=["accuracy"])
    x, y = np.ones((8, 3), np.float32), np.ones((8, 2), np.float32)
    return model, model.fit(x, y, epochs=3, batch_size=4, verbose=0, **options)


def test_history_has_a_chart_per_metric_with_validation() -> None:
    _, history = train_model(validation_split=0.5)
    found = tf.vis.show.history(None, history, ["loss", "val_loss", "acc"])
    assert [title for title, _ in found.members] == ["loss", "acc"]
    loss, accuracy = (spec(chart) for _, chart in found.members)
    assert [p["series"] for p in loss["data"]["values"]] == ["loss"] * 3 + ["val_loss"] * 3
    assert [p["y"] for p in loss["data"]["values"]][:3] == history.history["loss"]
    assert accuracy["encoding"]["y"]["scale"] == {"domain": [0, 1]}
    assert [title for title, _ in history.plot().members] == ["loss", "acc"]
    for options, title in ((None, "Epoch"), ({"x_label": "Run"}, "Run"), ({"xLabel": "Run"}, "Run")):
        assert spec(history.plot(None, options).members[0][1])["encoding"]["x"]["title"] == title
    zoomed = history.plot(["acc"], {"zoomToFitAccuracy": True}).members[0][1]
    assert spec(zoomed)["encoding"]["y"]["scale"] == {"zero": False}


def test_history_from_list_of_logs() -> None:
    logs = [{"loss": 3.0, "acc": 0.5}, {"loss": 2.0, "acc": 0.75}]
    found = tf.vis.show.history(None, logs, ["loss", "acc"])
    assert [[p["y"] for p in rows(chart)] for _, chart in found.members] == [[3, 2], [0.5, 0.75]]
    nested = tf.vis.show.history(None, [[{"loss": 3.0}], [{"acc": 0.5}, {"acc": 1.0}]], ["loss", "acc"])
    assert [[p["y"] for p in rows(chart)] for _, chart in nested.members] == [[3], [0.5, 1]]
    with pytest.raises(ValueError, match="'lost'.*Did you mean 'loss'"):
        tf.vis.show.history(None, logs, ["lost"])
    reordered = tf.vis.show.history(None, [[{"acc": 0.5}], [{"loss": 3.0}]], ["loss", "acc"])
    assert [[p["y"] for p in rows(chart)] for _, chart in reordered.members] == [[3], [0.5]]


def test_history_from_values_by_name() -> None:
    given = {"history": {"loss": [1, 2], "acc": [0.5, 1]}}
    for metrics in (None, ["loss", "acc"]):
        found = tf.vis.show.history(None, given, metrics, {"xType": "ordinal", "yType": "quantitative"})
        assert [[p["y"] for p in rows(chart)] for _, chart in found.members] == [[1, 2], [0.5, 1]]
        assert spec(found.members[0][1])["encoding"]["x"]["type"] == "ordinal"


@pytest.mark.parametrize(
    ("metrics", "colors", "expected"),
    [
        (["loss", "val_loss", "acc"], ["red", "blue", "green"], [["red", "blue"], ["green"]]),
        (["loss", "acc", "val_loss"], ["red", "blue", "green"], [["red", "green"], ["blue"]]),
        (["loss", "val_loss", "acc"], ["red", "blue"], [["red", "blue"], ["red"]]),
        (["loss", "acc"], ["red"], [["red"], ["red"]]),
    ],
)
def test_history_colors(metrics: list[str], colors: list[str], expected: list[list[str]]) -> None:
    found = tf.vis.show.history(None, [dict.fromkeys(metrics, 1)], metrics, series_colors=colors)
    assert [spec(chart)["encoding"]["color"]["scale"]["range"] for _, chart in found.members] == expected


def test_callback_colors_by_metric() -> None:
    """At the end of a batch there is no validation loss yet."""
    options = {"seriesColors": ["red", "blue"]}
    train_model(callbacks=tf.vis.show.fit_callbacks("colors", ["val_loss", "loss"], options), validation_split=0.5)
    batches, epochs = (
        dict(tf.vis.visor().surface({"name": "colors"}).drawing.members)[f"on{e}End"] for e in ("Batch", "Epoch")
    )
    colors = [spec(event.members[0][1])["encoding"]["color"]["scale"] for event in (batches, epochs)]
    assert colors == [
        {"domain": ["loss"], "range": ["blue"]},
        {"domain": ["val_loss", "loss"], "range": ["red", "blue"]},
    ]
    with pytest.raises(ValueError, match="'series_colors' must be a color for each metric"):
        tf.vis.show.fit_callbacks(None, ["loss", "val_loss"], series_colors=["red"])


def test_batch_callbacks_show_all_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("tfpy.vis.training._displayed", lambda drawing, _: shown.append(drawing.spec))
    options = {"callbacks": ["onBatchEnd"], "xLabel": "Step", "xAxisDomain": [0, 9], "xType": "quantitative"}
    callbacks = tf.vis.show.fit_callbacks("batches", ["loss"], options)
    assert list(callbacks) == ["onBatchEnd", "onTrainEnd"]
    train_model(callbacks=callbacks)
    (chart,) = shown[-1]["vconcat"][0]["vconcat"]
    assert [p["x"] for p in chart["data"]["values"]] == list(range(6))
    assert chart["encoding"]["x"]["title"] == "Step"
    assert chart["encoding"]["x"]["scale"] == {"domain": [0, 9]}
    callbacks["onBatchEnd"](0, {"loss": 1.0})  # as in a custom training loop
    drawing = tf.vis.visor().surface({"name": "batches"}).drawing
    assert len(rows(drawing.members[0][1].members[0][1])) == 7


def test_callbacks_draw_during_training() -> None:
    callbacks = tf.vis.show.fit_callbacks({"name": "live"}, ["loss", "acc"], {"callbacks": ["onEpochEnd"]})
    assert list(callbacks) == ["onEpochEnd"]
    train_model(callbacks=callbacks)
    drawing = tf.vis.visor().surface({"name": "live"}).drawing
    ((event, charts),) = drawing.members
    assert event == "onEpochEnd"
    assert [title for title, _ in charts.members] == ["loss", "acc"]
    assert [p["x"] for p in rows(charts.members[0][1])] == [0, 1, 2]
    batches = tf.vis.show.fit_callbacks("all", ["loss"])
    train_model(callbacks=batches)
    per_batch = dict(tf.vis.visor().surface({"name": "all"}).drawing.members)["onBatchEnd"]
    assert [p["x"] for p in rows(per_batch.members[0][1])] == list(range(6))


def test_logs_of_long_training_are_downsampled() -> None:
    logs = _DownsampledLogs()
    for i in range(20_000):
        logs.add({"loss": i})
    assert len(logs.kept) <= 4096
    assert len({b[0] - a[0] for a, b in zip(logs.kept, logs.kept[1:], strict=False)}) == 1


def test_model_and_layer_summaries() -> None:
    model, _ = train_model()
    assert tf.vis.show.model_summary(None, model).rows == [["first", "[batch,2]", "8", "true"]]
    found = tf.vis.show.layer(None, model.layers[0])
    table = found.members[0][1]
    names = [weight.name for weight in model.layers[0].weights]
    assert [row[:2] for row in table.rows] == [[names[0], "[3,2]"], [names[1], "[2]"]]
    assert [title for title, _ in found.members[1:]] == names
    assert tf.vis.show.values_distribution(None, [0, 0, 1]).members[0][1].rows[0][:3] == ["3", "0", "1"]


# Metrics, with the examples of tfjs-vis


def test_metrics() -> None:
    labels, predictions = [0, 0, 1, 2, 2, 2], [0, 0, 0, 2, 1, 1]
    assert tf.vis.metrics.accuracy(labels, predictions) == 0.5
    found = tf.vis.metrics.perClassAccuracy(labels, predictions)
    assert [(c.accuracy, c["count"]) for c in found] == [(1, 2), (0, 1), (1 / 3, 3)]
    assert tf.vis.metrics.confusion_matrix(labels, predictions) == [[2, 0, 0], [1, 0, 0], [0, 2, 1]]
    weighted = tf.vis.metrics.confusion_matrix(labels, predictions, 4, [1, 2, 3, 0.5, 1, 1])
    assert weighted == [[3, 0, 0, 0], [3, 0, 0, 0], [0, 2, 0.5, 0], [0, 0, 0, 0]]
    assert tf.vis.show.per_class_accuracy(None, found, ["cat", "dog", "mouse"]).rows[2] == ["mouse", "0.3333", "3"]
    assert tf.vis.show.per_class_accuracy(None, [(0.3, 3), [0.5, 4]]).rows == [["0", "0.3", "3"], ["1", "0.5", "4"]]
    assert math.isnan(tf.vis.metrics.accuracy([], []))


def test_results_are_awaitable() -> None:
    async def run() -> Any:
        await tf.vis.render.linechart(None, {"values": [1]})
        return await tf.vis.metrics.accuracy([1], [1])

    assert asyncio.run(run()) == 1


# Surfaces, pages and images


def test_surfaces_are_found_by_name_and_tab() -> None:
    visor = tf.vis.visor()
    assert visor is tf.vis.visor()
    first = tf.vis.render.barchart({"name": "a", "tab": "T"}, [1])
    assert visor.surface({"name": "a", "tab": "T"}).drawing is first
    second = tf.vis.render.barchart({"name": "a", "tab": "T"}, [2])
    assert visor.surface({"name": "a", "tab": "T"}).drawing is second
    tf.vis.render.barchart("b", [3])
    assert [(s.tab, s.name) for s in visor.surfaces] == [("T", "a"), ("Visor", "b")]
    visor.setActiveTab("Visor")
    assert visor.surfaces[0].name == "b"
    tf.vis.render.barchart("c", [3])
    with pytest.raises(ValueError, match=re.escape("Unknown tab 'X'. Known: T, Visor.")):
        visor.set_active_tab("X")
    visor.toggle()
    assert not visor.isOpen()
    visor.open()
    assert visor.is_open()


class PageParser(html.parser.HTMLParser):
    """Collects the tags, the visible text and the charts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""
        self.charts: list[Any] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self._inside = "chart" if dict(attrs).get("class") == "chart" else tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "chart":
            self.charts.append(json.loads(data))
        elif self._inside not in ("script", "style"):
            self.text += data


def test_page_is_self_contained_and_escapes_text(tmp_path: Path) -> None:
    place = {"name": HOSTILE, "tab": HOSTILE}
    table = {"headers": [HOSTILE], "values": [[HOSTILE]]}
    tf.vis.render.table(place, table)
    tables_only = tf.vis.visor().to_html(HOSTILE)
    assert "<script" not in tables_only
    tf.vis.render.linechart({**place, "name": "line"}, {"values": [[1, 2]], "series": [HOSTILE]}, x_label=HOSTILE)
    tf.vis.visor().save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    found = PageParser(page)
    assert found.tags.count("script") == 3  # the chart, Vega-Lite, and the drawing code
    assert "b" not in found.tags
    assert found.text.count(HOSTILE) == 4
    assert found.charts[0]["encoding"]["x"]["title"] == HOSTILE
    assert "$schema" not in found.charts[0]
    assert not {"img", "link", "iframe"} & set(found.tags)
    assert "<script src" not in page
    assert "default-src 'none'" in page


def test_saving_and_displaying_images(tmp_path: Path) -> None:
    drawing = tf.vis.Group(
        [("Line", tf.vis.render.linechart(None, {"values": [1, 2]})), tf.vis.render.histogram(None, [1, 2, 3])]
    )
    for ending, begin in ((".svg", b"<svg"), (".png", b"\x89PNG"), (".json", b"{")):
        drawing.save(tmp_path / f"drawing{ending}")
        assert (tmp_path / f"drawing{ending}").read_bytes().startswith(begin)
    assert json.loads((tmp_path / "drawing.json").read_text())["$schema"].endswith("vega-lite/v5.json")
    bundle = drawing._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "application/vnd.vegalite.v5+json", "image/svg+xml"}
    with pytest.raises(ValueError, match="save: argument 'path' must be a name that ends in .html"):
        drawing.save(tmp_path / "drawing.gif")
    for scale in (0, -1, float("nan"), float("inf"), "2x"):
        with pytest.raises((ValueError, TypeError), match="to_png: argument 'scale' must be"):
            drawing.to_png(scale)


def test_every_chart_renders() -> None:
    """Vega-Lite renders the specifications without a warning."""
    drawings = [
        tf.vis.render.scatterplot(None, {"values": [(1, 2)]}),
        tf.vis.render.barchart(None, {"a": 1}, color=["red"]),
        tf.vis.render.heatmap(None, {"values": [[1, 2]]}),
        tf.vis.render.confusion_matrix(None, {"values": [[1, 0], [2, 3]]}, shade_diagonal=False),
        tf.vis.render.table(None, {"headers": ["a.b"], "values": [["x"]]}),
        tf.vis.render.linechart(None, {"values": []}),
    ]
    for drawing in drawings:
        assert drawing.to_svg().startswith("<svg")


def test_missing_vl_convert_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    renderer.script.cache_clear()
    chart = tf.vis.render.barchart(None, [1])
    for make in (chart.to_svg, chart.to_png, chart.to_html):
        with pytest.raises(ImportError, match=r"pip install 'tfpy\[vis\]'"):
            make()
    monkeypatch.setattr("tfpy.vis.drawing.installed", lambda: False)
    assert set(chart._repr_mimebundle_()) == {"text/plain", "application/vnd.vegalite.v5+json"}
    assert "<table" in tf.vis.render.table(None, {"headers": [], "values": []}).to_html()


def test_vis_is_loaded_lazily() -> None:
    code = "import sys, tfpy as tf; print('tfpy.vis' in sys.modules, tf.vis.__name__); tf.nothing"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.stdout.split() == ["False", "tfpy.vis"]
    assert "module 'tfpy' has no attribute 'nothing'" in result.stderr


# Invalid input

INVALID: list[tuple[Any, Any, str]] = [
    (tf.vis.render.linechart, {"value": [1]}, "linechart: unknown option 'value'"),
    (tf.vis.render.linechart, [1], "linechart: argument 'data' must be a dict with 'values'"),
    (tf.vis.render.linechart, {"values": "abc"}, "linechart: argument 'values'"),
    (tf.vis.render.linechart, {"values": [{"x": 1}]}, "linechart: argument 'values' must be points"),
    (tf.vis.render.linechart, {"values": [[1], 2]}, "linechart: argument 'values' must be lists of points only"),
    (tf.vis.render.linechart, {"values": [1], "series": ["a", "b"]}, "linechart: argument 'series' must be 1 strings"),
    (tf.vis.render.linechart, {"values": np.zeros(LIMIT + 1)}, "at most 100000 points"),
    (tf.vis.render.scatterplot, {"values": [(1, [2])]}, "scatterplot: argument 'y' must be a number"),
    (tf.vis.render.barchart, [{"value": 1}], "barchart: argument 'data'"),
    (tf.vis.render.barchart, 3, "barchart: argument 'data' must be a list"),
    (tf.vis.render.histogram, [{"value": 1}, {}], "histogram: argument 'data' must be dicts that all have a 'value'"),
    (tf.vis.render.histogram, ["a"], "histogram: argument 'data'"),
    (
        lambda _, data: tf.vis.render.histogram(_, data, max_bins=10**6),
        [1, 2],
        "histogram: argument 'max_bins' must be",
    ),
    (tf.vis.render.histogram, [1j], "histogram: argument 'data' must be real numbers"),
    (tf.vis.render.linechart, {"values": [10**400]}, "linechart: argument 'y' must be within the range of doubles"),
    (
        lambda _, members: tf.vis.Group(members),
        [3],
        "Group: argument 'members' must be drawings, or pairs of a heading and a drawing, but got 3",
    ),
    (lambda _, members: tf.vis.Group(members), 3, "Group: argument 'members' must be a list of drawings, but got 3"),
    (tf.vis.render.barchart, [10**400], "barchart: argument 'value' must be within the range of doubles"),
    (tf.vis.render.heatmap, {"values": [1, 2]}, "heatmap: argument 'values' must be a matrix"),
    (tf.vis.render.heatmap, {"values": [[1], [2]], "xTickLabels": ["a"]}, "heatmap: argument 'x_tick_labels'"),
    (tf.vis.render.confusion_matrix, {"values": [[1, 2]]}, "confusion_matrix: argument 'values' must be a square"),
    (tf.vis.render.table, {"values": []}, "table: argument 'data' must be a dict with 'headers'"),
    (tf.vis.render.table, {"headers": [], "values": [1]}, "table: argument 'values' must be a list of rows"),
    (tf.vis.show.model_summary, 3, "model_summary: argument 'model' must be a model"),
    (tf.vis.show.layer, 3, "layer: argument 'layer' must be a layer"),
    (tf.vis.show.per_class_accuracy, [3], "accuracy"),
    (tf.vis.show.history, 3, "history: argument 'history' must be a list of logs"),
    (tf.vis.show.history, [3], "history: argument 'history' must be a History, or a list of logs"),
]


@pytest.mark.parametrize(("function", "data", "message"), INVALID, ids=[m for *_, m in INVALID])
def test_invalid_data_raise(function: Any, data: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        function(None, data)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"width": 0}, "'width' must be above 0"),
        ({"width": "wide"}, "'width' must be a number"),
        ({"fontSize": 1000}, "'font_size'"),
        ({"xType": "ordinary"}, "'x_type' must be one of 'quantitative'"),
        ({"xLabel": {"signal": "1"}}, "'x_label' must be a string"),
        ({"yAxisDomain": [1]}, "'y_axis_domain' must be two numbers"),
        ({"seriesColors": [1]}, "'series_colors'"),
        ({"seriesColors": ["red", "blue"]}, "'series_colors' must be 1 strings"),
        ({"colour": "red"}, "unknown option 'colour'"),
    ],
)
def test_invalid_options_raise(options: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        tf.vis.render.linechart(None, {"values": [1]}, options)


@pytest.mark.parametrize(
    "container", [3, {}, {"name": 3}, {"name": "a", "tab": 3}, {"name": "a", "styles": {"width": "1px; x: y"}}]
)
def test_invalid_containers_raise(container: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="must be"):
        tf.vis.render.barchart(container, [1])
    assert not tf.vis.visor().surfaces


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tf.vis.metrics.accuracy([1], [1, 2]), "accuracy: argument 'predictions'"),
        (lambda: tf.vis.metrics.confusion_matrix([[1]], [1]), "confusion_matrix: argument 'labels' must be of rank 1"),
        (lambda: tf.vis.metrics.confusion_matrix([-1], [1]), "confusion_matrix: argument 'labels' must be classes"),
        (lambda: tf.vis.metrics.confusion_matrix([float("nan")], [1]), "'labels' must be classes"),
        (lambda: tf.vis.metrics.confusion_matrix([3], [1], 2), "'num_classes' must be at least 4"),
        (lambda: tf.vis.metrics.confusion_matrix([1e9], [1]), "'num_classes' must be at least"),
        (lambda: tf.vis.metrics.confusion_matrix([1], [1], None, [1, 2]), "'weights' must be 1 numbers"),
        (lambda: tf.vis.metrics.per_class_accuracy([1], [1, 2]), "'predictions' must be 1 numbers"),
    ],
)
def test_invalid_labels_raise(call: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=re.escape(message)):
        call()
