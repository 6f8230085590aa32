"""Invalid graphs and signatures, and errors that name the node."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from graph.graph_builders import model, node, placeholder, run_op
from graph.small_model import X
from growth import growth

import tfpy as tf


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([{"name": "a"}], r"node\[0\] \(a\)\.op must be text"),
        ([node("a", "NoOp"), node("a", "NoOp")], "two nodes named 'a'"),
        ([node("a", "Neg", "b")], "Neg 'a' has an input 'b' that does not exist"),
        ([node("a", "Neg", "b"), node("b", "Neg", "a"), node("c", "Neg", "a")], "depends on itself"),
        ([node("a", "Neg", 3)], "the name of a node"),
        ([node("a", "Neg", "b:c:d:0")], "'node:output:number'"),
        ([placeholder("x"), node("k", "Const"), node("y", "Add", "x", "k")], "no values for the constants k"),
        ([node("a", "Neg") | {"attr": [1]}], "attr must be an object"),
        ("nodes", "node must be a list"),
        ([placeholder("x"), node("y", "Neg", "x:999999999")], "'node:number'"),
        ([placeholder("x"), node("y", "Neg", "x:\u00b2")], "'node:number'"),
    ],
)
def test_invalid_graph_raises(nodes: Any, message: str) -> None:
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
def test_invalid_signature_raises(parts: Any, message: str) -> None:
    nodes = [placeholder("x"), node("y", "Neg", "x")]
    with pytest.raises(tf.io.ModelFileError, match=message):
        tf.load_graph_model({"modelTopology": {"node": nodes}, **parts}).predict(X)


def test_unknown_long_names_raise_in_linear_time() -> None:
    assert (
        growth(lambda n: load_with_missing_input(["".join(random.Random(1).choices("ab", k=n))], "b" * (n - 1)), 10_000)
        < 40
    )


def test_unknown_name_among_many_raises_in_linear_time() -> None:
    assert (
        growth(lambda n: load_with_missing_input([f"node_number_{i}" for i in range(n)], "node_number_x"), 5_000) < 40
    )


def load_with_missing_input(names: list[str], missing: str) -> None:
    nodes = [*(node(name, "NoOp") for name in names), node("y", "Neg", missing)]
    with pytest.raises(tf.io.ModelFileError, match="that does not exist"):
        tf.load_graph_model({"modelTopology": {"node": nodes}})


def test_failing_initializer_fails_in_every_run() -> None:
    nodes = [node("t", "HashTableV2"), node("bad", "Fill", "t", "t")]
    graph_model = tf.load_graph_model(
        {
            "modelTopology": {"node": [placeholder("x"), node("y", "Neg", "x")]},
            "modelInitializer": {"node": nodes},
            "initializerSignature": {"outputs": {"o": {"name": "bad", "resourceId": 1}}},
        }
    )
    for _ in range(2):
        with pytest.raises(TypeError, match="Fill 'bad'"):
            graph_model.predict(X)


def test_several_outputs_of_a_node_can_be_fed() -> None:
    graph_model = model(placeholder("x"), node("u", "Unpack", "x", num=2), node("y", "Sub", "u", "u:1"))
    for given in ({"u": 5.0, "u:1": 3.0}, {"u:1": 3.0, "u": 5.0}):
        assert float(graph_model.execute(given, "y")) == 2


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"num_split": {"i": "many"}}, "num_split must be a whole number"),
        ({"num_split": {"i": []}}, "num_split must be a whole number"),
        ({"num_split": 3}, "axis|split"),
    ],
)
def test_invalid_attribute_raises(attributes: Any, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        run_op("Split", np.int32(0), X, **attributes)


def test_merge_without_inputs_raises() -> None:
    merged = model(placeholder("x"), node("m", "Merge"), node("y", "Add", "x", "m"))
    with pytest.raises(ValueError, match="Merge 'm': has no input that it can pass on"):
        merged.execute([1], "y")


def test_errors_name_the_node() -> None:
    graph_model = model(placeholder("x"), node("bad", "MatMul", "x", "x"))
    with pytest.raises(ValueError, match="mat_mul|shapes") as error:
        graph_model.predict(X)
    assert error.value.__notes__ == ["While computing MatMul 'bad'."]
