"""What notebooks ask of objects: names to complete, signatures to show."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import tfpy as tf
from tfpy import legacy as dl


@pytest.mark.parametrize(
    "thing", [tf.tensor([1]), tf.variable(tf.tensor([1])), dl.Scalar.new(1), tf.layers.dense(units=1)], ids=str
)
def test_names_are_completed(thing: Any) -> None:
    jedi = pytest.importorskip("jedi")
    names = {c.name for c in jedi.Interpreter("thing.", [{"thing": thing}]).complete()}
    assert {"dtype", "dispose"} <= names


def test_options_of_layers_are_in_their_signature() -> None:
    for thing in (tf.layers.dense, tf.layers.Dense):
        parameters = inspect.signature(thing).parameters
        assert list(parameters)[:3] == ["config", "units", "activation"]
        assert "input_shape" in parameters
        assert parameters["use_bias"].default is True
    assert list(inspect.signature(tf.regularizers.l1l2).parameters) == ["config", "l1", "l2"]
    assert "inputs" in inspect.signature(tf.layers.dense(units=1)).parameters


def test_a_constructor_of_ones_own_has_its_own_signature() -> None:
    class Mine(tf.layers.Layer):
        def __init__(self, depth: int = 1) -> None:
            super().__init__({})

    assert list(inspect.signature(Mine).parameters) == ["depth"]
