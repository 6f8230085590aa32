"""Unknown ops in library functions: an error only if the function is called."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph.graph_builders import function, model, node, placeholder

import tfpy as tf

X = np.arange(3, dtype=np.float32)


def call(name: str, to: str, argument: str) -> dict[str, Any]:
    return node(name, "PartitionedCall", argument, f={"func": {"name": to}})


def function_of_unknown_op(name: str) -> dict[str, Any]:
    """A function that uses an unknown op."""
    return function(name, ["a"], [node("s", "Strange", "a")], r="s:y:0")


def test_unknown_op_in_uncalled_function_is_ignored() -> None:
    loop = function("loop", ["a"], [call("c", "loop", "a")], r="c:output:0")
    double = function("double", ["a"], [node("two", "Add", "a", "a")], r="two:z:0")
    graph_model = model(
        placeholder("x"), call("y", "double", "x"), functions=[function_of_unknown_op("left"), loop, double]
    )
    np.testing.assert_array_equal(graph_model.predict(X).numpy(), 2 * X)


def test_unknown_op_in_indirectly_called_function_raises() -> None:
    outer = function("outer", ["a"], [call("c", "inner", "a")], r="c:output:0")
    with pytest.raises(tf.io.ModelFileError, match="uses unknown ops: Strange"):
        model(placeholder("x"), call("y", "outer", "x"), functions=[outer, function_of_unknown_op("inner")])


def test_unknown_op_raises_when_its_node_is_executed() -> None:
    double = function("double", ["a"], [node("two", "Add", "a", "a")], r="two:z:0")
    signature = {"inputs": {"x": {"name": "x:0"}}, "outputs": {"y": {"name": "y:0"}}}
    nodes = placeholder("x"), node("y", "Neg", "x"), call("z", "double", "x"), call("w", "left", "x")
    graph_model = model(*nodes, functions=[double, function_of_unknown_op("left")], signature=signature)
    np.testing.assert_array_equal(graph_model.execute(tf.tensor(X), "z").numpy(), 2 * X)
    with pytest.raises(ValueError, match="Strange"):
        graph_model.execute(tf.tensor(X), "w")
