"""The library of a graph may hold functions that nothing calls, left by the converter: they need not be known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from graph.handmade import function, model, node, placeholder

import tfpy as tf

X = np.arange(3, dtype=np.float32)


def call(name: str, to: str, argument: str) -> dict[str, Any]:
    return node(name, "PartitionedCall", argument, f={"func": {"name": to}})


def strange(name: str) -> dict[str, Any]:
    """A function of an op that is not known."""
    return function(name, ["a"], [node("s", "Strange", "a")], r="s:y:0")


def test_ops_of_functions_that_nothing_calls_need_not_be_known() -> None:
    loop = function("loop", ["a"], [call("c", "loop", "a")], r="c:output:0")
    double = function("double", ["a"], [node("two", "Add", "a", "a")], r="two:z:0")
    made = model(placeholder("x"), call("y", "double", "x"), functions=[strange("left"), loop, double])
    np.testing.assert_array_equal(made.predict(X).numpy(), 2 * X)


def test_ops_of_functions_that_are_called_by_others_have_to_be_known() -> None:
    outer = function("outer", ["a"], [call("c", "inner", "a")], r="c:output:0")
    with pytest.raises(tf.io.ModelFileError, match="uses unknown ops: Strange"):
        model(placeholder("x"), call("y", "outer", "x"), functions=[outer, strange("inner")])


def test_a_node_beside_the_outputs_may_call_what_these_do_not() -> None:
    double = function("double", ["a"], [node("two", "Add", "a", "a")], r="two:z:0")
    signature = {"inputs": {"x": {"name": "x:0"}}, "outputs": {"y": {"name": "y:0"}}}
    nodes = placeholder("x"), node("y", "Neg", "x"), call("z", "double", "x"), call("w", "left", "x")
    made = model(*nodes, functions=[double, strange("left")], signature=signature)
    np.testing.assert_array_equal(made.execute(tf.tensor(X), "z").numpy(), 2 * X)
    with pytest.raises(ValueError, match="Strange"):
        made.execute(tf.tensor(X), "w")
