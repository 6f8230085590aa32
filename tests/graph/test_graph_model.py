"""GraphModel: inputs, outputs, functions, loops, resources, ops of one's own, errors, memory."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from graph.handmade import dtype, function, model, node, placeholder, run_op
from graph.test_converted import MODELS, ops_in
from growth import growth

import tfpy as tf
from tfpy.engine.handle import accounting
from tfpy.graph import ops  # noqa: F401  (fills the table)
from tfpy.graph.mappers import MAPPERS

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)
N = np.array([2, 0, 1], np.int32)
INT, FLOAT = dtype("int32"), dtype("float32")


def small() -> tf.GraphModel:
    """y = relu(x · w), z = x + x."""
    return model(
        placeholder("x", shape=[-1, 3]),
        node("m", "MatMul", "x", "w"),
        node("y", "Relu", "m"),
        node("z", "Add", "x", "x"),
        constants={"w": np.eye(3, dtype=np.float32) * 2},
    )


# One op at a time: those that the converter did not leave in any of the models

OPS_BY_HAND: dict[str, tuple[tuple[Any, ...], dict[str, Any], list[Any]]] = {
    "ClipByValue": ((X, np.float32(-1), np.float32(2)), {}, [np.clip(X, -1, 2)]),
    "Concat": ((np.int32(1), X, X), {"N": 2}, [np.concatenate([X, X], 1)]),
    "Fill": ((N[:1], np.float32(7)), {"T": FLOAT}, [np.full(2, 7, np.float32)]),
    "Gather": ((X, N[:2] % 2), {}, [X[[0, 0]]]),
    "IdentityN": ((X, N), {}, [X, N]),
    "LinSpace": ((np.float32(0), np.float32(1), np.int32(3)), {}, [np.array([0, 0.5, 1], np.float32)]),
    "NoOp": ((), {}, [np.float32(1)]),
    "Ones": ((N[:1],), {"T": INT}, [np.ones(2, np.int32)]),
    "Prelu": ((X, np.float32([0.1, 0.2, 0.3])), {}, [np.where(X > 0, X, X * np.float32([0.1, 0.2, 0.3]))]),
    "Rank": ((X,), {}, [np.int32(2)]),
    "Reverse": ((X, np.array([False, True])), {}, [X[:, ::-1]]),
    "UniqueV2": ((N, np.array([0], np.int32)), {}, [N, np.arange(3, dtype=np.int32)]),
    "Zeros": ((N[:1],), {"T": FLOAT}, [np.zeros(2, np.float32)]),
    "Conv1D": (
        (np.ones((1, 3, 1), np.float32), np.ones((2, 1, 1), np.float32)),
        {"stride": 1, "padding": "VALID", "data_format": "NWC"},
        [np.full((1, 2, 1), 2, np.float32)],
    ),
    "FusedBatchNormV3": (
        (np.ones((1, 1, 1, 2), np.float32), *(np.float32(v) for v in ([2, 3], [1, 1], [0, 1], [4, 4]))),
        {"epsilon": 0.0},
        [np.float32([[[[2, 1]]]])],
    ),
    "FusedDepthwiseConv2dNative": (
        (np.ones((1, 1, 1, 2), np.float32), np.float32([[[[2], [-3]]]]), np.float32([1, 1])),
        {"strides": [1, 1, 1, 1], "padding": "VALID", "fused_ops": ["BiasAdd", "Relu"], "num_args": 1},
        [np.float32([[[[3, 0]]]])],
    ),
    "NonMaxSuppressionV2": (
        (np.float32([[0, 0, 1, 1], [0, 0, 1, 0.9]]), np.float32([0.5, 0.9]), np.int32(2), np.float32(0.5)),
        {},
        [np.int32([1])],
    ),
    "RaggedRange": ((np.int32([0, 5]), np.int32([2, 6]), np.int32([1, 1])), {}, [np.int32([0, 2, 3]), np.int32([0, 1, 5])]),
    "RaggedGather": (
        (np.int32([0, 2, 3]), np.float32([1, 2, 3]), np.int32([1, 0])),
        {"OUTPUT_RAGGED_RANK": 1},
        [np.int32([0, 1, 3]), np.float32([3, 1, 2])],
    ),
    "RaggedTensorToTensor": (
        (np.int32([2, 2]), np.float32([1, 2, 3]), np.float32(0), np.int32([0, 2, 3])),
        {"row_partition_types": ["ROW_SPLITS"]},
        [np.float32([[1, 2], [3, 0]])],
    ),
}  # fmt: skip
RANDOM = ("Multinomial", "RandomStandardNormal", "RandomUniform", "RandomUniformInt", "TruncatedNormal")


@pytest.mark.parametrize("name", OPS_BY_HAND)
def test_ops_by_hand(name: str) -> None:
    inputs, attributes, expected = OPS_BY_HAND[name]
    found = run_op(name, *inputs, outputs=len(expected), **attributes)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours.numpy(), theirs, rtol=1e-6)


def test_random_ops() -> None:
    shape = np.array([1000], np.int32)
    (normal,) = run_op("RandomStandardNormal", shape, dtype=FLOAT, seed=5)
    (again,) = run_op("RandomStandardNormal", shape, dtype=FLOAT, seed=5)
    assert (normal.numpy() == again.numpy()).all()
    assert abs(float(normal.mean())) < 0.2
    (uniform,) = run_op("RandomUniform", shape, dtype=FLOAT)
    assert 0 <= float(uniform.min()) < float(uniform.max()) < 1
    (whole,) = run_op("RandomUniformInt", shape, np.int32(3), np.int32(6), seed=1)
    assert sorted(set(whole.data_sync().tolist())) == [3, 4, 5]
    (cut,) = run_op("TruncatedNormal", shape, dtype=FLOAT, seed=2)
    assert float(cut.abs().max()) <= 2
    (drawn,) = run_op("Multinomial", np.float32([[0, 100]]), np.int32(7), seed=3)
    assert drawn.array_sync() == [[1] * 7]


def test_bounds_of_whole_random_numbers_may_be_attributes() -> None:
    shape = np.array([50], np.int32)
    given = run_op("RandomUniformInt", shape, np.int32(3), np.int32(6), seed=1)
    (attributes,) = run_op("RandomUniformInt", shape, minval=3, maxval=6, seed=1)
    np.testing.assert_array_equal(attributes.numpy(), given[0].numpy())


@pytest.mark.parametrize(("lower", "upper"), [(5, 0), (-1, 0), (0, 7), (0, -1), (9, 9)])
def test_a_band_may_reach_beyond_the_matrix(lower: int, upper: int) -> None:
    (found,) = run_op("MatrixBandPart", X, np.int32(lower), np.int32(upper))
    expected = {5: np.tril(X), -1: np.tril(X), 0: np.triu(X), 9: X}[lower]
    np.testing.assert_array_equal(found.numpy(), expected)
    with pytest.raises(ValueError, match="band_part"):
        run_op("MatrixBandPart", X[0], np.int32(lower), np.int32(upper))


def test_print(capsys: pytest.CaptureFixture[str]) -> None:
    made = model(placeholder("x"), node("y", "Print", "x", "x", message="here:", summarize=2))
    made.execute(X[0], "y")
    assert capsys.readouterr().out == "here: [ 1. -2.]\n"


def test_every_op_is_tested() -> None:
    by_hand = {*OPS_BY_HAND, *RANDOM, "Print", "Placeholder", "PlaceholderWithDefault", "NonMaxSuppressionV4"}
    by_hand |= {"PartitionedCall"} | {op for op in MAPPERS if op.startswith("TensorArray")}
    assert by_hand <= set(MAPPERS)
    tested = by_hand.union(*(ops_in(folder) for folder in MODELS))
    functions = {id(MAPPERS[op].function) for op in tested if op in MAPPERS}
    assert [op for op, mapper in MAPPERS.items() if id(mapper.function) not in functions] == []


# Inputs and outputs


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


# Tables and the like


def _table(*nodes: Any, **constants: Any) -> tf.GraphModel:
    """A model with a table from strings to numbers, and what fills it."""
    table = node("table", "HashTableV2", shared_name="t", key_dtype=dtype("string"), value_dtype=FLOAT)
    fill = node("fill", "LookupTableImportV2", "table", "keys", "values")
    return model(placeholder("keys", "string"), placeholder("values"), table, fill, *nodes, constants=constants)


def _filled(made: tf.GraphModel, output: str, **entries: float) -> Any:
    feeds = {"keys": tf.tensor([*entries]), "values": tf.tensor([*entries.values()], dtype="float32")}
    return made.execute(feeds, output)


def test_tables_are_filled_by_the_name_of_what_fills_them() -> None:
    made = _table(node("size", "LookupTableSizeV2", "table"), node("same", "Identity", "table"))
    for count, output in enumerate(["fill", "fill", "fill"], 1):
        handle = _filled(made, output, **{"abc"[i]: i for i in range(count)})
        assert (handle.shape, handle.dtype) == ((), "float32"), "as in TF.js"
        assert int(made.execute({}, "size")) == count
    assert [t.dtype for t in made.execute({}, ["table", "same"])] == ["float32"] * 2
    feeds = {"keys": tf.tensor(["a"]), "values": tf.tensor([1.0])}
    assert asyncio.run(made.execute_async(feeds, "fill")).shape == ()


def test_what_an_initializer_makes_is_there_in_all_runs() -> None:
    """Tensors, too: the scopes of the first run do not free them."""
    name = {"name": "made:0", "resourceId": 3}
    made = model(
        placeholder("x"), placeholder("made"), node("y", "Mul", "x", "made"), constants={"k": np.float32(2)},
        model_initializer={"node": [node("made", "Neg", "k"), node("k", "Const")]},
        initializer_signature={"outputs": {"o": name}},
        signature={"inputs": {"x": {"name": "x:0"}, "made": name}, "outputs": {"y": {"name": "y:0"}}},
    )  # fmt: skip
    for x in (X, X + 1, X + 2, X + 3):
        np.testing.assert_array_equal(made.predict(x).numpy(), -2 * x)


# Functions and loops


def test_functions() -> None:
    double = function("double", ["a"], [node("two", "Add", "a", "a")], r="two:z:0")
    both = function(
        "both", ["a", "b"],
        [node("d", "PartitionedCall", "a", f={"func": {"name": "double"}}), node("s", "Sub", "d:output:0", "b")],
        first="s:z:0", second="d:output:0",
    )  # fmt: skip
    made = model(
        placeholder("x"), node("c", "PartitionedCall", "x", "x", f={"func": {"name": "both"}}),
        node("p", "Add", "c", "c:1"), functions=[double, both],
    )  # fmt: skip
    np.testing.assert_array_equal(made.predict(X).numpy(), X + X * 2)


def test_a_function_that_calls_itself_without_end() -> None:
    endless = function("f", ["a"], [node("c", "PartitionedCall", "a", f={"func": {"name": "f"}})], r="c:output:0")
    made = model(placeholder("x"), node("y", "PartitionedCall", "x", f={"func": {"name": "f"}}), functions=[endless])
    with pytest.raises(tf.io.ModelFileError, match="call each other too deeply"):
        made.predict(X)


def test_outputs_of_functions_by_name() -> None:
    top = function("top", ["a", "k"], [node("t", "TopKV2", "a", "k", sorted=True)], v="t:values:0", i="t:indices:0")
    made = model(
        placeholder("x"), node("y", "PartitionedCall", "x", "k", f={"func": {"name": "top"}}),
        functions=[top], constants={"k": np.int32(1)},
    )  # fmt: skip
    values, indices = made.execute(X[0], ["y", "y:1"])
    assert (values.array_sync(), indices.array_sync()) == ([3], [2])


def test_arrays_of_tensors() -> None:
    """TensorFlow's older lists, which the converter leaves in models of version 1."""
    size = {"size": np.int32(3), "i0": np.int32(0), "i1": np.int32(1), "all": np.arange(3, dtype=np.int32)}
    made = model(
        placeholder("x"),
        node("a", "TensorArrayV3", "size", dtype=FLOAT, clear_after_read=False),
        node("w", "TensorArrayScatterV3", "a", "all", "x", "a:1"),
        node("r", "TensorArrayReadV3", "a", "i1", "w"),
        node("g", "TensorArrayGatherV3", "a", "all", "w", dtype=FLOAT),
        node("c", "TensorArrayConcatV3", "b", "ws"),
        node("b", "TensorArrayV3", "size", dtype=FLOAT),
        node("ws", "TensorArraySplitV3", "b", "x", "lengths", "b:1"),
        node("n", "TensorArraySizeV3", "a", "w"),
        node("d", "TensorArrayV3", "size", dtype=FLOAT),
        node("w0", "TensorArrayWriteV3", "d", "i0", "x", "d:1"),
        node("r0", "TensorArrayReadV3", "d", "i0", "w0"),
        node("twice", "TensorArrayReadV3", "d", "i0", "r0"),
        node("shut", "TensorArrayCloseV3", "a", "^g"),
        constants={**size, "lengths": np.array([1, 2, 0], np.int32)},
    )
    x = np.arange(6, dtype=np.float32).reshape(3, 2)
    read, gathered, joined, count, first = made.execute({"x": x}, ["r", "g", "c", "n", "r0"])
    np.testing.assert_array_equal(read.numpy(), x[1])
    np.testing.assert_array_equal(gathered.numpy(), x)
    np.testing.assert_array_equal(joined.numpy(), x)
    assert int(count) == 3
    np.testing.assert_array_equal(first.numpy(), x)
    made.execute({"x": x}, "shut")
    with pytest.raises(ValueError, match="was not read before"):
        made.execute({"x": x}, "twice")
    with pytest.raises(ValueError, match="is a TensorArray and not a tensor"):
        made.execute({"x": x}, "a")


@pytest.mark.parametrize(
    ("op", "inputs"),
    [
        ("TensorListScatter", ["x", "two", "shape"]),
        ("TensorListScatterIntoExistingList", ["list", "x", "two"]),
        ("TensorArrayScatterV3", ["array", "two", "x"]),
    ],
)
@pytest.mark.parametrize("x", [np.float32(1), np.zeros((3, 2), np.float32)])
def test_scattering_takes_an_index_for_each_tensor(op: str, inputs: list[str], x: Any) -> None:
    numbers = {"two": np.arange(2, dtype=np.int32), "shape": np.array([-1], np.int32), "n": np.int32(3)}
    made = model(
        placeholder("x"),
        node("array", "TensorArrayV3", "n", dtype=FLOAT),
        node("list", "TensorListReserve", "shape", "n", element_dtype=FLOAT),
        node("y", op, *inputs, element_dtype=FLOAT),
        constants=numbers,
    )
    with pytest.raises(ValueError, match=f"{op} 'y': argument 'indices' must be as many as there are tensors in one"):
        made.execute({"x": x}, "y")


def test_padded_suppression() -> None:
    boxes = np.float32([[0, 0, 1, 1], [0, 0, 1, 0.9]])
    numbers = (np.int32(2), np.float32(0.5), np.float32(0))
    kept, count = run_op(
        "NonMaxSuppressionV4", boxes, np.float32([0.5, 0.9]), *numbers, outputs=2, pad_to_max_output_size=True
    )
    assert (kept.array_sync(), int(count)) == ([1, 0], 1)


# Ops of one's own


def test_ops_of_ones_own() -> None:
    def triple(given: Any) -> Any:
        assert (given.name, given.op) == ("y", "Triple")
        return given.inputs[0].mul(given.attrs["by"]).add(len(given.attrs["words"]))

    nodes = [placeholder("x"), node("y", "Triple", "x", by=3, words=["a", "b"], kind=FLOAT, on=True)]
    with pytest.raises(tf.io.ModelFileError, match="uses ops that are not known here: Triple"):
        model(*nodes)
    tf.register_op("Triple", triple)
    try:
        np.testing.assert_array_equal(model(*nodes).predict(X).numpy(), X * 3 + 2)
    finally:
        tf.deregister_op("Triple")
    with pytest.raises(TypeError, match="op_func"):
        tf.registerOp("Triple", None)


def test_attributes_of_every_kind() -> None:
    given = {
        "text": "Ab", "number": 3, "part": 0.5, "on": True, "off": False, "kind": INT,
        "shape": {"shape": {"dim": [{"size": "-1"}, {"size": "3"}]}}, "any": {"shape": {"unknownRank": True}},
        "numbers": [1, 2], "parts": {"list": {"f": [0.5]}}, "texts": ["a", "B"], "nothing": {"list": {}},
        "body": {"func": {"name": "f"}}, "value": {"tensor": {"dtype": "DT_FLOAT"}},
    }  # fmt: skip
    read: dict[str, Any] = {}
    tf.register_op("Look", lambda given: read.update(given.attrs) or given.inputs[0].neg())
    try:
        model(placeholder("x"), node("y", "Look", "x", **given)).predict(X)
    finally:
        tf.deregister_op("Look")
    assert read == {
        "text": "Ab", "number": 3, "part": 0.5, "on": True, "off": False, "kind": "int32",
        "shape": (-1, 3), "any": None, "numbers": [1, 2], "parts": [0.5], "texts": ["a", "B"], "nothing": [],
        "body": "f", "value": None,
    }  # fmt: skip


def test_all_unknown_ops_are_named_at_once() -> None:
    with pytest.raises(tf.io.ModelFileError, match="not known here: Aha, Oho"):
        model(placeholder("x"), node("a", "Oho", "x"), node("b", "Aha", "a"))


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


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([{"name": "a"}], r"node\[0\] \(a\)\.op must be text"),
        ([node("a", "NoOp"), node("a", "NoOp")], "two nodes of the name 'a'"),
        ([node("a", "Neg", "b")], "Neg 'a' has an input 'b' that is not there"),
        ([node("a", "Neg", "b"), node("b", "Neg", "a"), node("c", "Neg", "a")], "needs itself"),
        ([node("a", "Neg", 3)], "the name of a node"),
        ([node("a", "Neg", "b:c:d:0")], "'node:output:number'"),
        ([placeholder("x"), node("k", "Const"), node("y", "Add", "x", "k")], "no values for the constants k"),
        ([node("a", "Neg") | {"attr": [1]}], "attr must be an object"),
        ("nodes", "node must be a list"),
        ([placeholder("x"), node("y", "Neg", "x:999999999")], "'node:number'"),
        ([placeholder("x"), node("y", "Neg", "x:\u00b2")], "'node:number'"),
    ],
)
def test_graphs_that_make_no_sense(nodes: Any, message: str) -> None:
    with pytest.raises(tf.io.ModelFileError, match=message):
        tf.load_graph_model({"modelTopology": {"node": nodes}})


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"signature": {"inputs": {"x": {"name": "x:999999999"}}}}, "signature.inputs.x.name"),
        ({"signature": {"inputs": {"x": {"name": "x", "resourceId": [1]}}}}, "resourceId must be a number"),
        ({"userDefinedMetadata": {"structuredOutputKeys": [["a"]]}}, "structuredOutputKeys must be a list of strings"),
        ({"userDefinedMetadata": {"structuredOutputKeys": 5}}, "structuredOutputKeys must be a list of strings"),
    ],
)
def test_signatures_that_make_no_sense(parts: Any, message: str) -> None:
    nodes = [placeholder("x"), node("y", "Neg", "x")]
    with pytest.raises(tf.io.ModelFileError, match=message):
        tf.load_graph_model({"modelTopology": {"node": nodes}, **parts}).predict(X)


def test_names_that_are_long_are_refused_at_once() -> None:
    assert growth(lambda n: refuse(["".join(random.Random(1).choices("ab", k=n))], "b" * (n - 1)), 10_000) < 40


def test_names_that_are_many_are_refused_at_once() -> None:
    assert growth(lambda n: refuse([f"node_number_{i}" for i in range(n)], "node_number_x"), 5_000) < 40


def refuse(names: list[str], missing: str) -> None:
    nodes = [*(node(name, "NoOp") for name in names), node("y", "Neg", missing)]
    with pytest.raises(tf.io.ModelFileError, match="that is not there"):
        tf.load_graph_model({"modelTopology": {"node": nodes}})


def test_an_initializer_that_fails_is_run_again() -> None:
    nodes = [node("t", "HashTableV2"), node("bad", "Fill", "t", "t")]
    made = tf.load_graph_model(
        {
            "modelTopology": {"node": [placeholder("x"), node("y", "Neg", "x")]},
            "modelInitializer": {"node": nodes},
            "initializerSignature": {"outputs": {"o": {"name": "bad", "resourceId": 1}}},
        }
    )
    for _ in range(2):
        with pytest.raises(TypeError, match="Fill 'bad'"):
            made.predict(X)


def test_several_outputs_of_a_node_may_be_given() -> None:
    made = model(placeholder("x"), node("u", "Unpack", "x", num=2), node("y", "Sub", "u", "u:1"))
    for given in ({"u": 5.0, "u:1": 3.0}, {"u:1": 3.0, "u": 5.0}):
        assert float(made.execute(given, "y")) == 2


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"num_split": {"i": "many"}}, "num_split must be a whole number"),
        ({"num_split": {"i": []}}, "num_split must be a whole number"),
        ({"num_split": 3}, "axis|split"),
    ],
)
def test_attributes_that_make_no_sense(attributes: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        run_op("Split", np.int32(0), X, **attributes)


def test_a_merge_of_nothing() -> None:
    merged = model(placeholder("x"), node("m", "Merge"), node("y", "Add", "x", "m"))
    with pytest.raises(ValueError, match="Merge 'm': is given nothing that it could pass on"):
        merged.execute([1], "y")


def test_errors_say_in_which_node() -> None:
    made = model(placeholder("x"), node("bad", "MatMul", "x", "x"))
    with pytest.raises(ValueError, match="mat_mul|shapes") as error:
        made.predict(X)
    assert error.value.__notes__ == ["While computing MatMul 'bad'."]
