"""Hash tables, functions, loops and tensor arrays in graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph.graph_builders import dtype, function, model, node, placeholder
from graph.small_model import FLOAT, X

import tfpy as tf
from tfpy.engine.state import local


def _table(*nodes: Any, **constants: Any) -> tf.GraphModel:
    """A model with a hash table from strings to numbers that its inputs fill."""
    table = node("table", "HashTableV2", shared_name="t", key_dtype=dtype("string"), value_dtype=FLOAT)
    fill = node("fill", "LookupTableImportV2", "table", "keys", "values")
    return model(placeholder("keys", "string"), placeholder("values"), table, fill, *nodes, constants=constants)


def _fill(graph_model: tf.GraphModel, output: str, **entries: float) -> Any:
    feeds = {"keys": tf.tensor([*entries]), "values": tf.tensor([*entries.values()], dtype="float32")}
    return graph_model.execute(feeds, output)


def test_table_is_filled_by_executing_the_import_node() -> None:
    graph_model = _table(node("size", "LookupTableSizeV2", "table"), node("same", "Identity", "table"))
    for count, output in enumerate(["fill", "fill", "fill"], 1):
        handle = _fill(graph_model, output, **{"abc"[i]: i for i in range(count)})
        assert (handle.shape, handle.dtype) == ((), "float32"), "as in TF.js"
        assert int(graph_model.execute({}, "size")) == count
    assert [t.dtype for t in graph_model.execute({}, ["table", "same"])] == ["float32"] * 2
    feeds = {"keys": tf.tensor(["a"]), "values": tf.tensor([1.0])}
    assert graph_model.execute_async(feeds, "fill").shape == ()


def test_initializer_results_persist_across_runs() -> None:
    """Also if they are tensors, which the scope of the first run must not dispose."""
    name = {"name": "initialized:0", "resourceId": 3}
    graph_model = model(
        placeholder("x"), placeholder("initialized"), node("y", "Mul", "x", "initialized"), constants={"k": np.float32(2)},
        model_initializer={"node": [node("initialized", "Neg", "k"), node("k", "Const")]},
        initializer_signature={"outputs": {"o": name}},
        signature={"inputs": {"x": {"name": "x:0"}, "initialized": name}, "outputs": {"y": {"name": "y:0"}}},
    )  # fmt: skip
    for x in (X, X + 1, X + 2, X + 3):
        np.testing.assert_array_equal(graph_model.predict(x).numpy(), -2 * x)


# Functions and loops


def test_function_calls() -> None:
    double = function("double", ["a"], [node("two", "Add", "a", "a")], r="two:z:0")
    both = function(
        "both", ["a", "b"],
        [node("d", "PartitionedCall", "a", f={"func": {"name": "double"}}), node("s", "Sub", "d:output:0", "b")],
        first="s:z:0", second="d:output:0",
    )  # fmt: skip
    graph_model = model(
        placeholder("x"), node("c", "PartitionedCall", "x", "x", f={"func": {"name": "both"}}),
        node("p", "Add", "c", "c:1"), functions=[double, both],
    )  # fmt: skip
    np.testing.assert_array_equal(graph_model.predict(X).numpy(), X + X * 2)


def test_infinite_recursion_raises() -> None:
    endless = function("f", ["a"], [node("c", "PartitionedCall", "a", f={"func": {"name": "f"}})], r="c:output:0")
    graph_model = model(
        placeholder("x"), node("y", "PartitionedCall", "x", f={"func": {"name": "f"}}), functions=[endless]
    )
    with pytest.raises(tf.io.ModelFileError, match="call each other too deeply"):
        graph_model.predict(X)


INFINITE_LOOPS = {
    "functions": lambda: model(
        placeholder("x"),
        node("y", "While", "x", cond={"func": {"name": "always"}}, body={"func": {"name": "turn"}}),
        functions=[
            function("always", ["a"], [node("l", "Less", "n", "a"), node("n", "Sub", "a", "o"), node("o", "OnesLike", "a")], r="l:z:0"),
            function("turn", ["a"], [node("n", "Neg", "a"), node("b", "Neg", "n"), node("t", "Tick", "b")], r="t:y:0"),
        ],
    ),
    "frames": lambda: model(
        placeholder("x"),
        node("Enter_x", "Enter", "x", frame_name="loop", is_constant=False),
        node("Enter_most", "Enter", "most", frame_name="loop", is_constant=True),
        node("Merge", "Merge", "Enter_x", "Next"),
        node("Less", "Less", "Merge", "Enter_most"),
        node("Cond", "LoopCond", "Less"),
        node("Switch", "Switch", "Merge", "Cond"),
        node("Neg", "Neg", "Switch:1"),
        node("Tick", "Tick", "Neg"),
        node("Next", "NextIteration", "Tick"),
        node("y", "Exit", "Switch"),
        constants={"most": np.float32(9)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", INFINITE_LOOPS)
def test_infinite_loop_can_be_interrupted(kind: str) -> None:
    """The interrupt leaks no tensors or scopes, and the loop uses bounded memory."""
    turns, peak = 0, 0

    def tick(given: Any) -> tf.Tensor:
        nonlocal turns, peak
        turns, peak = turns + 1, max(peak, len(local.state.scopes[-1].handles))
        if turns == 6000:
            raise KeyboardInterrupt
        return given.inputs[0].clone()

    tf.register_op("Tick", tick)
    try:
        graph_model = INFINITE_LOOPS[kind]()
        with tf.tidy():
            x = tf.tensor([1.0])
            before, scopes = tf.memory()["num_tensors"], len(local.state.scopes)
            with pytest.raises(KeyboardInterrupt):
                graph_model.predict(x)
            assert (tf.memory()["num_tensors"], len(local.state.scopes)) == (before, scopes)
    finally:
        tf.deregister_op("Tick")
    assert turns == 6000
    assert peak < 5000


@pytest.mark.parametrize("kind", ["", "Ref"])
def test_loops_over_variables_are_those_over_values(kind: str) -> None:
    graph_model = model(
        placeholder("x"),
        node("Enter_x", f"{kind}Enter", "x", frame_name="loop", is_constant=False),
        node("Enter_most", "Enter", "most", frame_name="loop", is_constant=True),
        node("Merge", f"{kind}Merge", "Enter_x", "Next"),
        node("Less", "Less", "Merge", "Enter_most"),
        node("Cond", "LoopCond", "Less"),
        node("Switch", f"{kind}Switch", "Merge", "Cond"),
        node("Sum", "Add", "Switch:1", "Switch:1"),
        node("Next", f"{kind}NextIteration", "Sum"),
        node("y", f"{kind}Exit", "Switch"),
        constants={"most": np.float32(9)},
    )
    assert graph_model.execute(tf.tensor([1.0]), "y").numpy() == [16]


def test_named_outputs_of_functions() -> None:
    top = function("top", ["a", "k"], [node("t", "TopKV2", "a", "k", sorted=True)], v="t:values:0", i="t:indices:0")
    graph_model = model(
        placeholder("x"), node("y", "PartitionedCall", "x", "k", f={"func": {"name": "top"}}),
        functions=[top], constants={"k": np.int32(1)},
    )  # fmt: skip
    values, indices = graph_model.execute(X[0], ["y", "y:1"])
    assert (values.array_sync(), indices.array_sync()) == ([3], [2])


def test_tensor_arrays() -> None:
    """The TensorArray ops of TensorFlow 1, which the converter keeps."""
    size = {"size": np.int32(3), "i0": np.int32(0), "i1": np.int32(1), "all": np.arange(3, dtype=np.int32)}
    graph_model = model(
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
    read, gathered, joined, count, first = graph_model.execute({"x": x}, ["r", "g", "c", "n", "r0"])
    np.testing.assert_array_equal(read.numpy(), x[1])
    np.testing.assert_array_equal(gathered.numpy(), x)
    np.testing.assert_array_equal(joined.numpy(), x)
    assert int(count) == 3
    np.testing.assert_array_equal(first.numpy(), x)
    graph_model.execute({"x": x}, "shut")
    with pytest.raises(ValueError, match="not read before"):
        graph_model.execute({"x": x}, "twice")
    with pytest.raises(ValueError, match="is a TensorArray, not a tensor"):
        graph_model.execute({"x": x}, "a")
