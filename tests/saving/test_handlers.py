"""IO handlers: in memory, user-defined, browser files, and routers."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from graph.graph_builders import node
from saving.small_model import X, check_same, small_model

import tfpy as tf
from tfpy.core.io import router
from tfpy.core.naming.names import camel


def test_load_from_dicts_and_memory(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    content = json.loads((tmp_path / "model.json").read_text())
    check_same(content, weight_path_prefix=str(tmp_path))
    with pytest.raises(ValueError, match="weight_path_prefix"):
        tf.load_layers_model(content)
    data = (tmp_path / "weights.bin").read_bytes()
    artifacts = tf.io.get_model_artifacts_for_json_sync(
        content, tf.io.get_weight_specs(content["weightsManifest"]), data
    )
    check_same(artifacts)
    check_same(dict(artifacts))

    async def weights(manifest: Any) -> Any:
        return tf.io.get_weight_specs(manifest), data

    check_same(tf.io.get_model_artifacts_for_json(content, weights))
    bare = {"modelTopology": content["modelTopology"]}
    assert tf.io.get_model_artifacts_for_json(bare, weights).weight_data is None
    for answer in (None, data, [data]):
        with pytest.raises(TypeError, match=r"argument 'load_weights' must be a function that returns \[weight_specs"):
            tf.io.get_model_artifacts_for_json(content, lambda manifest, answer=answer: answer)
    with pytest.raises(TypeError, match="get_model_artifacts_for_json: argument 'model_json' must be a dict"):
        tf.io.get_model_artifacts_for_json("model.json", weights)
    check_same(tf.io.from_memory(artifacts))
    check_same(tf.io.from_memory_sync(content["modelTopology"], artifacts.weight_specs, data))
    model = tf.load_layers_model(content["modelTopology"])
    assert model.count_params() == 8


def test_model_artifacts_can_be_edited() -> None:
    kept: list[Any] = []
    small_model().save(tf.io.with_save_handler(kept.append))
    (artifacts,) = kept
    artifacts.weightSpecs = artifacts.weight_specs[:1]
    artifacts["user_defined_metadata"] = {"by": "hand"}
    assert len(artifacts["weightSpecs"]) == 1
    assert artifacts.userDefinedMetadata == {"by": "hand"}
    again = tf.load_layers_model(tf.io.from_memory(artifacts), strict=False)
    assert again.getUserDefinedMetadata() == {"by": "hand"}
    del artifacts["weightSpecs"]
    assert artifacts.weight_specs is None


def test_custom_handlers(tmp_path: Path) -> None:
    kept: list[Any] = []

    async def save(artifacts: Any) -> dict[str, Any]:
        kept.append(artifacts)
        return {"modelArtifactsInfo": {"modelTopologyType": "JSON"}}

    async def load() -> Any:
        return kept[0]

    result = small_model().save(tf.io.with_save_handler(save))
    assert result.model_artifacts_info["modelTopologyType"] == "JSON"
    small_model().save({"save": kept.append})
    small_model().save(tf.io.with_save_handler_sync(lambda artifacts: None))
    assert kept[0].generatedBy.startswith("tfpy")
    assert kept[0].weight_specs[0] == {"name": "d/kernel", "shape": [3, 2], "dtype": "float32"}
    check_same({"load": load})
    with pytest.raises(AttributeError, match="no 'weights'"):
        _ = kept[0].weights


@pytest.mark.parametrize("kind", ["iterator", "list", "bytes", "file", "async function", "async generator"])
@pytest.mark.parametrize("options", [{}, {"streamWeights": True}])
def test_handlers_can_stream_weights(kind: str, options: dict[str, Any]) -> None:
    kept: list[Any] = []
    small_model().save({"save": kept.append})
    artifacts = dict(kept[0])
    data = artifacts.pop("weightData")
    pieces = [data[:5], data[5:]]

    async def later() -> Any:
        return iter(pieces)

    async def one_by_one() -> Any:
        for piece in pieces:
            yield piece

    streams = {
        **{"iterator": lambda: iter(pieces), "list": lambda: pieces, "bytes": lambda: data},
        **{"file": lambda: io.BytesIO(data), "async function": later, "async generator": one_by_one},
    }
    artifacts["getWeightStream"] = streams[kind]
    check_same({"load": lambda: artifacts}, **options)
    check_same(tf.io.from_memory(artifacts), **options)
    check_same(artifacts, **options)


def test_graph_models_accept_weight_streams(tmp_path: Path) -> None:
    topology = {"node": [node("x", "Placeholder"), node("k", "Const"), node("y", "Mul", "x", "k")]}
    specs = [{"name": "k", "shape": [], "dtype": "float32"}]
    given = {
        "modelTopology": topology,
        "weightSpecs": specs,
        "getWeightStream": lambda: iter([np.float32([2]).tobytes()]),
    }
    models = [tf.load_graph_model({"load": lambda: given}, stream_weights=True), tf.load_graph_model_sync(given)]
    models.append(tf.GraphModel("nowhere"))
    assert models[2].load_sync(given)
    models[0].save(tmp_path)
    for graph in (*models, tf.load_graph_model(tmp_path)):
        assert graph.predict(tf.ones([2])).array_sync() == [2, 2]


def test_weight_specs_without_data_raise() -> None:
    kept: list[Any] = []
    small_model().save({"save": kept.append})
    artifacts = {name: value for name, value in kept[0].items() if name != "weightData"}
    for place in ({"load": lambda: artifacts}, tf.io.from_memory(artifacts), artifacts):
        with pytest.raises(tf.io.ModelFileError, match="has weightSpecs, but neither weightData"):
            tf.load_layers_model(place)
    with pytest.raises(tf.io.ModelFileError, match="model artifacts: has weightSpecs, but neither weightData"):
        tf.GraphModel("nowhere").load_sync(artifacts)


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        ({"getWeightStream": {"a": 1}}, "getWeightStream must be a function, but is {'a': 1}"),
        ({"getWeightStream": lambda: 1}, "what getWeightStream returns must be an iterable of bytes, but is 1"),
        ({"getWeightStream": lambda: [1]}, r"weightData must be bytes, or a list of them, but is \[1\]"),
        ({"weightData": 1}, "weightData must be bytes, or a list of them, but is 1"),
    ],
)
def test_weights_that_are_not_bytes_raise(weights: dict[str, Any], problem: str) -> None:
    artifacts = {"modelTopology": {}, "weightSpecs": [], **weights}
    for load in (tf.load_layers_model, tf.load_graph_model):
        with pytest.raises(tf.io.ModelFileError, match=f"the model: {problem}"):
            load({"load": lambda: artifacts})


def test_save_handler_receives_all_weights_as_one_buffer() -> None:
    model, kept = small_model(), []
    model.compile(optimizer=tf.train.adam(0.1), loss="meanSquaredError")
    model.save({"save": kept.append}, include_optimizer=True)
    (artifacts,) = kept
    assert isinstance(artifacts.weight_data, bytes)
    assert len(artifacts.weight_data) == sum(4 * int(np.prod(spec["shape"])) for spec in artifacts.weight_specs)
    assert artifacts.training_config["metrics"] == {}, "as in TF.js for a model without metrics"


def test_save_and_load_are_awaitable(tmp_path: Path) -> None:
    async def round_trip() -> Any:
        await small_model().save(tmp_path)
        return await tf.load_layers_model(tmp_path)

    np.testing.assert_array_equal(asyncio.run(round_trip()).predict(X).numpy(), small_model().predict(X).numpy())


def test_browser_files(tmp_path: Path) -> None:
    small_model().save(tmp_path)
    files = [tmp_path / "model.json", tmp_path / "weights.bin"]
    handler = tf.io.browser_files(files)
    check_same(handler)
    check_same(handler)
    with files[0].open("rb") as first, files[1].open("rb") as second:
        check_same(tf.io.browser_files([first, second]))
    with files[0].open("rb") as first, files[1].open("rb") as second:
        named = [
            SimpleNamespace(name=rf"C:\model\{f.name}", read=s.read, seek=s.seek)
            for f, s in zip(files, (first, second), strict=True)
        ]
        check_same(tf.io.browser_files(named))
    assert tf.load_layers_model(tf.io.browser_files(files[:1])).count_params() == 8
    (tmp_path / "more.bin").write_bytes(b"")
    with pytest.raises(ValueError, match=r"does not name the weight files more\.bin"):
        tf.load_layers_model(tf.io.browser_files([*files, tmp_path / "more.bin"]))
    with pytest.raises(ValueError, match=r"weights\.bin was not given"):
        tf.load_layers_model(tf.io.browser_files([files[0], tmp_path / "more.bin"]))
    with pytest.raises(ValueError, match="at least one file"):
        tf.io.browser_files([])
    with files[0].open(encoding="utf-8") as text:
        for unfit in (io.BytesIO(), text):
            with pytest.raises(TypeError, match="open binary files with a name"):
                tf.io.browser_files([unfit])


@pytest.fixture
def routers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unregister the routers of a test."""
    monkeypatch.setattr(router, "_save_routers", list(router._save_routers))
    monkeypatch.setattr(router, "_load_routers", list(router._load_routers))


@pytest.mark.usefixtures("routers")
def test_registered_routers(tmp_path: Path) -> None:
    memory: dict[str, Any] = {}

    class InDict:
        def __init__(self, url: str) -> None:
            self.url = url

        def save(self, artifacts: Any) -> None:
            memory[self.url] = artifacts

        def load(self) -> Any:
            return memory[self.url]

    tf.io.register_save_router(lambda url: InDict(url) if str(url).startswith("mem://") else None)
    tf.io.register_load_router(lambda url, options: InDict(url) if str(url).startswith("mem://") else None)
    small_model().save("mem://a")
    check_same("mem://a")
    assert [type(h) for h in tf.io.get_load_handlers("mem://a")] == [InDict]
    assert tf.io.get_save_handlers("other://a") == []
    for register in (tf.io.register_save_router, tf.io.register_load_router):
        register(lambda url: object() if str(url).startswith("empty://") else None)
    with pytest.raises(TypeError, match="save: argument 'handler_or_url' must be a handler with a save method"):
        small_model().save("empty://a")
    for load, argument in (
        (tf.load_layers_model, "path_or_io_handler"),
        (tf.load_graph_model, "model_url"),
        (tf.load_graph_model_sync, "model_source"),
        (small_model().load_weights, "weights"),
    ):
        with pytest.raises(
            TypeError, match=f"{load.__name__}: argument '{argument}' must be a handler with a load method"
        ):
            load("empty://a")
    tf.io.registerLoadRouter(lambda url: InDict(url))
    with pytest.raises(ValueError, match="2 handlers accept"):
        tf.load_layers_model("mem://a")
    with pytest.raises(TypeError, match="register_save_router: argument 'loud_router' must be a function of a URL"):
        tf.io.register_save_router("mem://")


@pytest.mark.usefixtures("routers")
def test_load_routers_receive_the_load_options() -> None:
    received: list[Any] = []
    tf.io.register_load_router(lambda url, options: received.append(options))
    given = {"strict": False, "from_tf_hub": True, "stream_weights": True, "request_init": {"headers": {}}}
    for load in (tf.load_layers_model, tf.load_graph_model):
        with pytest.raises(ValueError, match="no handler can load"):
            load("mem://a", **given)
        options = received.pop()
        assert {name: options[name] for name in given} == given
        assert options.weightPathPrefix is options["weightPathPrefix"] is options["weight_path_prefix"] is None
        assert set(options) == {camel(name) for name in tf.io.LoadOptions.__annotations__}
    with pytest.raises(TypeError, match=r"http: unknown option 'strickt'.*strict"):
        tf.io.http("http://a/b", {"strickt": True})
    with pytest.raises(TypeError, match=r"GraphModel: argument 'load_options' must be a dict of options"):
        tf.GraphModel("a", 7)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("other://a", "no handler can load 'other://a'"),
        ("", "a path, a URL, or a handler"),
        (None, "a path, a URL, or a handler"),
        (7, "a path, a URL, or a handler"),
        ('{"modelTopology": "' + 300 * "x" + '"}', r"of the text of a model\.json, give json\.loads\(text\)"),
        (300 * "x", r"cannot be read|no such file"),  # too long for a file name, which Python 3.14 reports as missing
        (b"bytes", "a path, a URL, or a handler"),
    ],
)
def test_loading_from_an_invalid_place_raises(place: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        tf.load_layers_model(place)


def test_saving_to_an_invalid_place_raises() -> None:
    with pytest.raises(ValueError, match="no handler can save"):
        small_model().save("other://a")
    with pytest.raises(ValueError, match="downloads work only in browsers"):
        small_model().save("downloads://my-model")
    with pytest.raises(TypeError, match="handler_or_url|save method|a path"):
        small_model().save(object())
