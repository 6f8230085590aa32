"""GraphModel: inputs, outputs, signatures, memory, files."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph.handmade import model, node, placeholder
from graph.small_model import X, small

import tfpy as tf
from tfpy.engine.handle import accounting


def test_what_a_model_is() -> None:
    made = small()
    assert made.input_nodes == made.inputNodes == ["x"]
    assert made.output_nodes == ["y", "z"]
    assert made.inputs[0]["shape"] == (-1, 3)
    assert made.inputs[0].dtype == "float32"
    assert made.outputs[0].name == "y"
    assert made.weights["w"][0].shape == (3, 3)
    assert made.model_version == "1.None"
    assert made.metadata is made.model_signature is made.model_structured_output_keys is None


@pytest.mark.parametrize("inputs", [X, X.tolist(), [X], {"x": X}, {"x:0": X}])
def test_inputs_in_every_form(inputs: Any) -> None:
    made = small()
    y, z = made.predict(inputs)
    np.testing.assert_array_equal(y.numpy(), np.maximum(X * 2, 0))
    np.testing.assert_array_equal(z.numpy(), X + X)
    np.testing.assert_array_equal(made.execute(tf.tensor(X), "m").numpy(), X * 2)
    assert [t.shape for t in made.execute({"x": X}, ["z", "m:0", "w"])] == [(2, 3), (2, 3), (3, 3)]
    assert made.execute({"m": -X}, "y").shape == (2, 3), "any node may be given"


def test_predicting_in_every_form() -> None:
    """As a model of layers: called, with options by name or in a dict; they have no effect."""
    graph_model, expected = small(), (X + X).tolist()
    for found in (
        graph_model(X),
        graph_model.predict(X, batch_size=1),
        graph_model.predict(X, {"batchSize": 1, "verbose": True}),
        asyncio.run(graph_model.predict_async(X, batchSize=1)),
    ):
        assert found[1].array_sync() == expected


def test_text() -> None:
    assert repr(small()) == "GraphModel(x: float32 [-1, 3] → y, z)"
    assert repr(tf.GraphModel("nowhere")) == "GraphModel(not loaded)"


def test_async() -> None:
    async def both() -> Any:
        made = await small()
        return await made.predict_async(X), await made.executeAsync(X, "y")

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
def test_inputs_and_outputs_that_do_not_fit(inputs: Any, outputs: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        small().execute(inputs, outputs)


@pytest.mark.parametrize("inputs", [{"x": X[:, :2]}, {"x": X[0]}, [X, X], {"x": "text"}, {"": X}])
def test_errors_name_the_function_that_was_called(inputs: Any) -> None:
    for name in ("predict", "execute"):
        with pytest.raises((ValueError, TypeError), match=f"^{name}: "):
            getattr(small(), name)(inputs)


def test_a_constant_without_values_that_only_some_outputs_need() -> None:
    made = model(placeholder("x"), node("k", "Const"), node("y", "Neg", "x"), node("z", "Add", "x", "k"),
                 signature={"outputs": {"y": {"name": "y:0"}}})  # fmt: skip
    assert made.predict(X).shape == (2, 3)
    with pytest.raises(tf.io.ModelFileError, match="Const 'k': weightsManifest has no values"):
        made.execute(X, "z")


def test_an_input_of_another_dtype() -> None:
    with pytest.raises(TypeError, match="a float32 tensor"):
        small().execute(tf.tensor(X).to_int())
    made = model(placeholder("n", "int32"), node("y", "Add", "n", "n"))
    assert made.predict([1, 2]).dtype == "int32", "plain numbers take the dtype of the input"


def test_a_signature() -> None:
    signature = {
        "inputs": {"image": {"name": "x:0", "dtype": "DT_FLOAT"}},
        "outputs": {"first": {"name": "s:0"}, "second": {"name": "s:1"}, "gone": {"name": "nowhere:0"}},
    }
    made = model(
        placeholder("x"), node("axis", "Const"), node("s", "Split", "axis", "x", num_split=3),
        constants={}, signature=signature,
        **{"weight_specs": [{"name": "axis", "shape": [], "dtype": "int32"}], "weight_data": bytes([1, 0, 0, 0])},
    )  # fmt: skip
    assert made.input_nodes == ["image"]
    assert made.output_nodes == ["first", "second"]
    first, second = made.predict({"image": X})
    np.testing.assert_array_equal(first.numpy(), X[:, :1])
    np.testing.assert_array_equal(made.execute({"image": X}, "second").numpy(), second.numpy())
    assert made.model_signature == signature


def test_structured_outputs() -> None:
    metadata = {"structuredOutputKeys": ["a", "b"]}
    made = model(placeholder("x"), node("y", "Neg", "x"), node("z", "Abs", "x"), user_defined_metadata=metadata)
    assert sorted(made.predict(X)) == ["a", "b"]


def test_a_default_input() -> None:
    made = model(node("x", "PlaceholderWithDefault", "w"), node("y", "Neg", "x"), constants={"w": X})
    np.testing.assert_array_equal(made.execute({}).numpy(), -X)
    np.testing.assert_array_equal(made.execute({"x": X * 2}).numpy(), -X * 2)


def test_results_are_the_users_to_dispose() -> None:
    made = model(placeholder("x"), node("y", "Identity", "x"), node("z", "Identity", "w"), constants={"w": X})
    x = tf.tensor(X)
    for _ in range(2):
        y, z = made.predict(x)
        y.dispose()
        z.dispose()
    assert not x.is_disposed


def test_memory() -> None:
    made = small()
    before = accounting.tensors
    y = made.execute(X, "y")
    assert accounting.tensors == before + 1
    y.dispose()
    made.keep_intermediate_tensors = True
    y = made.execute(X, "y")
    assert sorted(made.get_intermediate_tensors() or {}) == ["m", "w", "x", "y"]
    made.dispose_intermediate_tensors()
    assert made.getIntermediateTensors() is None
    made.dispose()
    assert accounting.tensors == before
    with pytest.raises(RuntimeError, match="disposed"):
        made.execute(X, "y")


def test_the_flag_of_tfjs_lets_all_models_keep_what_they_compute() -> None:
    made = small()
    tf.env().set("KEEP_INTERMEDIATE_TENSORS", True)
    try:
        made.execute(X, "y")
        assert sorted(made.get_intermediate_tensors() or {}) == ["m", "w", "x", "y"]
    finally:
        tf.env().reset()
    made.execute(X, "y")
    assert made.get_intermediate_tensors() is None


def test_what_is_kept_outlives_a_tidy() -> None:
    made = small()
    made.keep_intermediate_tensors = True
    tf.tidy(lambda: made.execute(X, "y").dispose())
    kept = made.get_intermediate_tensors()
    np.testing.assert_array_equal(kept["x"][0].numpy(), X)
    np.testing.assert_array_equal(kept["y"][0].numpy(), np.maximum(X * 2, 0))
    made.execute(X, "y")
    assert all(t.is_disposed for tensors in kept.values() for t in tensors), "the next run frees them"


# Files


def test_saving(tmp_path: Path) -> None:
    made = small()
    made.save(tmp_path)
    again = tf.load_graph_model(str(tmp_path))
    np.testing.assert_array_equal(again.execute(X, "y").numpy(), made.execute(X, "y").numpy())
    content = json.loads((tmp_path / "model.json").read_text())
    data = (tmp_path / "weights.bin").read_bytes()
    for source in ([content, data], tf.io.from_memory_sync(made._given), tf.io.file_system(tmp_path)):
        assert tf.load_graph_model_sync(source).output_nodes == ["y", "z"]
    with pytest.raises(ValueError, match="a pair"):
        tf.load_graph_model_sync([content])
    with pytest.raises(ValueError, match="no weightsManifest"):
        tf.loadGraphModelSync([{"modelTopology": {}}, data])
    unloaded = tf.GraphModel(tmp_path)
    with pytest.raises(RuntimeError, match="load the model first"):
        unloaded.predict(X)
    assert unloaded.load()
    assert unloaded.load_sync(made._given)


def test_tensorflow_hub() -> None:
    asked: list[str] = []

    def fetch(url: str) -> bytes:
        asked.append(url)
        raise OSError("no network")

    with pytest.raises(OSError, match="no network"):
        tf.load_graph_model("https://tfhub.dev/model/1", from_tf_hub=True, fetch_func=fetch)
    assert asked == ["https://tfhub.dev/model/1/model.json?tfjs-format=file"]
