"""GraphModel: inputs, outputs, signatures, memory, and files."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph.graph_builders import model, node, placeholder
from graph.small_model import X, small

import tfpy as tf
from tfpy.engine.handle import accounting


def test_attributes_of_a_model() -> None:
    graph_model = small()
    assert graph_model.input_nodes == graph_model.inputNodes == ["x"]
    assert graph_model.output_nodes == ["y", "z"]
    assert graph_model.inputs[0]["shape"] == (-1, 3)
    assert graph_model.inputs[0].dtype == "float32"
    assert graph_model.outputs[0].name == "y"
    assert graph_model.weights["w"][0].shape == (3, 3)
    assert graph_model.model_version == "1.None"
    assert graph_model.metadata is graph_model.model_signature is graph_model.model_structured_output_keys is None


@pytest.mark.parametrize("inputs", [X, X.tolist(), [X], {"x": X}, {"x:0": X}])
def test_forms_of_inputs(inputs: Any) -> None:
    graph_model = small()
    y, z = graph_model.predict(inputs)
    np.testing.assert_array_equal(y.numpy(), np.maximum(X * 2, 0))
    np.testing.assert_array_equal(z.numpy(), X + X)
    np.testing.assert_array_equal(graph_model.execute(tf.tensor(X), "m").numpy(), X * 2)
    assert [t.shape for t in graph_model.execute({"x": X}, ["z", "m:0", "w"])] == [(2, 3), (2, 3), (3, 3)]
    assert graph_model.execute({"m": -X}, "y").shape == (2, 3), "any node may be fed"


def test_forms_of_predict() -> None:
    """As for a LayersModel: options are given by name or in a dict, and have no effect."""
    graph_model, expected = small(), (X + X).tolist()
    for found in (
        graph_model(X),
        graph_model.predict(X, batch_size=1),
        graph_model.predict(X, {"batchSize": 1, "verbose": True}),
        graph_model.predict_async(X, batchSize=1),
    ):
        assert found[1].array_sync() == expected


def test_repr() -> None:
    assert repr(small()) == "GraphModel(x: float32 [-1, 3] → y, z)"
    assert repr(tf.GraphModel("nowhere")) == "GraphModel(not loaded)"


def test_load_and_predict_are_awaitable() -> None:
    async def both() -> Any:
        graph_model = await small()
        return await graph_model.predict_async(X), await graph_model.executeAsync(X, "y")

    (y, _), again = asyncio.run(both())
    np.testing.assert_array_equal(y.numpy(), again.numpy())


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ({}, None, "the outputs y, z need the inputs x"),
        ({"a": X}, None, r"Unknown input 'a'\. Known: m, w, x, y, z\."),
        ({"x": X}, "q", r"Unknown output 'q'\. Known: m, w, x, y, z\."),
        ({"x": X}, [], "at least one name"),
        ({"x": X}, "y:3", "no value for the output y:3"),
        ({"x": X}, "y:a", "'node:number'"),
        ({"x": X[:, :2]}, None, r"of shape \[-1, 3\]"),
        ([X, X], None, r"1 tensors \(x\)"),
        (None, None, "x"),
    ],
)
def test_invalid_inputs_and_outputs_raise(inputs: Any, outputs: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        small().execute(inputs, outputs)


@pytest.mark.parametrize("inputs", [{"x": X[:, :2]}, {"x": X[0]}, [X, X], {"x": "text"}, {"": X}])
def test_errors_name_the_called_method(inputs: Any) -> None:
    for name in ("predict", "execute"):
        with pytest.raises((ValueError, TypeError), match=f"^{name}: "):
            getattr(small(), name)(inputs)


def test_constant_without_values_raises_only_if_needed() -> None:
    graph_model = model(placeholder("x"), node("k", "Const"), node("y", "Neg", "x"), node("z", "Add", "x", "k"),
                 signature={"outputs": {"y": {"name": "y:0"}}})  # fmt: skip
    assert graph_model.predict(X).shape == (2, 3)
    with pytest.raises(tf.io.ModelFileError, match="Const 'k': weightsManifest has no values"):
        graph_model.execute(X, "z")


def test_input_dtype() -> None:
    with pytest.raises(TypeError, match="a float32 tensor"):
        small().execute(tf.tensor(X).to_int())
    graph_model = model(placeholder("n", "int32"), node("y", "Add", "n", "n"))
    assert graph_model.predict([1, 2]).dtype == "int32", "Python numbers take the dtype of the input"


def test_signature() -> None:
    signature = {
        "inputs": {"image": {"name": "x:0", "dtype": "DT_FLOAT"}},
        "outputs": {"first": {"name": "s:0"}, "second": {"name": "s:1"}, "gone": {"name": "nowhere:0"}},
    }
    graph_model = model(
        placeholder("x"), node("axis", "Const"), node("s", "Split", "axis", "x", num_split=3),
        constants={}, signature=signature,
        **{"weight_specs": [{"name": "axis", "shape": [], "dtype": "int32"}], "weight_data": bytes([1, 0, 0, 0])},
    )  # fmt: skip
    assert graph_model.input_nodes == ["image"]
    assert graph_model.output_nodes == ["first", "second"]
    first, second = graph_model.predict({"image": X})
    np.testing.assert_array_equal(first.numpy(), X[:, :1])
    np.testing.assert_array_equal(graph_model.execute({"image": X}, "second").numpy(), second.numpy())
    assert graph_model.model_signature == signature


def test_structured_outputs() -> None:
    metadata = {"structuredOutputKeys": ["a", "b"]}
    graph_model = model(placeholder("x"), node("y", "Neg", "x"), node("z", "Abs", "x"), user_defined_metadata=metadata)
    assert sorted(graph_model.predict(X)) == ["a", "b"]


def test_placeholder_with_default() -> None:
    graph_model = model(node("x", "PlaceholderWithDefault", "w"), node("y", "Neg", "x"), constants={"w": X})
    np.testing.assert_array_equal(graph_model.execute({}).numpy(), -X)
    np.testing.assert_array_equal(graph_model.execute({"x": X * 2}).numpy(), -X * 2)


def test_disposing_results_does_not_affect_the_model() -> None:
    graph_model = model(placeholder("x"), node("y", "Identity", "x"), node("z", "Identity", "w"), constants={"w": X})
    x = tf.tensor(X)
    for _ in range(2):
        y, z = graph_model.predict(x)
        y.dispose()
        z.dispose()
    assert not x.is_disposed


def test_intermediate_tensors_and_disposal() -> None:
    graph_model = small()
    before = accounting.tensors
    y = graph_model.execute(X, "y")
    assert accounting.tensors == before + 1
    y.dispose()
    graph_model.keep_intermediate_tensors = True
    y = graph_model.execute(X, "y")
    assert sorted(graph_model.get_intermediate_tensors() or {}) == ["m", "w", "x", "y"]
    graph_model.dispose_intermediate_tensors()
    assert graph_model.getIntermediateTensors() is None
    graph_model.dispose()
    assert accounting.tensors == before
    with pytest.raises(RuntimeError, match="disposed"):
        graph_model.execute(X, "y")


def test_keep_intermediate_tensors_flag() -> None:
    graph_model = small()
    tf.env().set("KEEP_INTERMEDIATE_TENSORS", True)
    try:
        graph_model.execute(X, "y")
        assert sorted(graph_model.get_intermediate_tensors() or {}) == ["m", "w", "x", "y"]
    finally:
        tf.env().reset()
    graph_model.execute(X, "y")
    assert graph_model.get_intermediate_tensors() is None


def test_kept_intermediate_tensors_outlive_a_tidy() -> None:
    graph_model = small()
    graph_model.keep_intermediate_tensors = True
    tf.tidy(lambda: graph_model.execute(X, "y").dispose())
    kept = graph_model.get_intermediate_tensors()
    np.testing.assert_array_equal(kept["x"][0].numpy(), X)
    np.testing.assert_array_equal(kept["y"][0].numpy(), np.maximum(X * 2, 0))
    graph_model.execute(X, "y")
    assert all(t.is_disposed for tensors in kept.values() for t in tensors), "the next run disposes them"


# Files


@pytest.mark.parametrize("again", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_independent(again: Any) -> None:
    graph_model = small()
    graph_model.predict(X)
    copied = again(graph_model)
    expected = [t.numpy() for t in graph_model.predict(X)]
    graph_model.dispose()
    np.testing.assert_array_equal([t.numpy() for t in copied.predict(X)], expected)
    assert copied.load()
    assert repr(again(tf.GraphModel("nowhere"))) == "GraphModel(not loaded)"


def test_save_and_load(tmp_path: Path) -> None:
    graph_model = small()
    graph_model.save(tmp_path)
    again = tf.load_graph_model(str(tmp_path))
    np.testing.assert_array_equal(again.execute(X, "y").numpy(), graph_model.execute(X, "y").numpy())
    content = json.loads((tmp_path / "model.json").read_text())
    data = (tmp_path / "weights.bin").read_bytes()
    for source in ([content, data], tf.io.from_memory_sync(graph_model._given), tf.io.file_system(tmp_path)):
        assert tf.load_graph_model_sync(source).output_nodes == ["y", "z"]
    with pytest.raises(ValueError, match="a pair"):
        tf.load_graph_model_sync([content])
    with pytest.raises(ValueError, match="no weightsManifest"):
        tf.loadGraphModelSync([{"modelTopology": {}}, data])
    unloaded = tf.GraphModel(tmp_path)
    with pytest.raises(RuntimeError, match="load the model first"):
        unloaded.predict(X)
    assert unloaded.load()
    assert unloaded.load_sync(graph_model._given)


def test_tensorflow_hub_url() -> None:
    requested: list[str] = []

    def fetch(url: str) -> bytes:
        requested.append(url)
        raise OSError("no network")

    with pytest.raises(OSError, match="no network"):
        tf.load_graph_model("https://tfhub.dev/model/1", from_tf_hub=True, fetch_func=fetch)
    assert requested == ["https://tfhub.dev/model/1/model.json?tfjs-format=file"]
