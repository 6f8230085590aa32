"""Support for notebooks: completion, signatures, reprs, and short tracebacks."""

from __future__ import annotations

import inspect
import traceback
from typing import Any

import jedi
import pandas
import pytest

import tfpy as tf
from tfpy import legacy as dl


@pytest.mark.parametrize(
    "thing", [tf.tensor([1]), tf.variable(tf.tensor([1])), dl.Scalar.new(1), tf.layers.dense(units=1)], ids=str
)
def test_attributes_are_completed(thing: Any) -> None:
    names = {c.name for c in jedi.Interpreter("thing.", [{"thing": thing}]).complete()}
    assert {"dtype", "dispose"} <= names


def test_dir_lists_the_entries_of_records() -> None:
    assert {"num_tensors", "numTensors", "keys"} <= set(dir(tf.memory()))
    assert not [name for name in dir(tf.version) if not name.isidentifier()]


def test_layer_options_are_in_signatures() -> None:
    for thing in (tf.layers.dense, tf.layers.Dense):
        parameters = inspect.signature(thing).parameters
        assert list(parameters)[:3] == ["config", "units", "activation"]
        assert "input_shape" in parameters
        assert parameters["use_bias"].default is True
    assert list(inspect.signature(tf.regularizers.l1l2).parameters) == ["config", "l1", "l2"]
    assert "inputs" in inspect.signature(tf.layers.dense(units=1)).parameters


def test_custom_constructor_keeps_its_signature() -> None:
    class CustomLayer(tf.layers.Layer):
        def __init__(self, depth: int = 1) -> None:
            super().__init__({})

    assert list(inspect.signature(CustomLayer).parameters) == ["depth"]


def _hidden(error: BaseException) -> list[tuple[str, bool]]:
    """The functions in the traceback of an error, and whether IPython hides them."""
    return [
        (step.f_code.co_name, step.f_locals.get("__tracebackhide__", False))
        for step, _ in traceback.walk_tb(error.__traceback__)
    ]


def _wrong_loss(y_true: Any, y_pred: Any) -> Any:
    raise RuntimeError("mine")


def test_ipython_tracebacks_hide_library_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tf.sequential([tf.layers.dense(units=1, input_shape=[2])])
    model.compile(optimizer="sgd", loss=_wrong_loss)
    monkeypatch.setattr("builtins.__IPYTHON__", True, raising=False)
    with pytest.raises(RuntimeError, match="mine") as caught:
        model.fit([[1, 2]], [[1]])
    steps = _hidden(caught.value)
    assert [name for name, hidden in steps if not hidden] == [
        "test_ipython_tracebacks_hide_library_frames",
        "_wrong_loss",
    ]
    with pytest.raises(ValueError, match="does not fit") as caught_too:
        tf.layers.conv2d(filters=1, kernel_size=1).apply(tf.ones([2, 2]))
    assert all(hidden for _, hidden in _hidden(caught_too.value)[1:])


def test_tracebacks_outside_ipython_are_complete() -> None:
    with pytest.raises(ValueError, match="shape") as caught:
        tf.tensor([1, 2], [3])
    assert len(_hidden(caught.value)) > 2
    assert not any(hidden for _, hidden in _hidden(caught.value))


def test_error_names_the_non_numeric_dataframe_columns() -> None:
    model = tf.sequential([tf.layers.dense(units=1, input_shape=[2])])
    with pytest.raises(TypeError, match=r"a DataFrame of shape \[2, 2\]; .* not of numbers: city \(\w+\)\."):
        model.predict(pandas.DataFrame({"area": [1.0, 2.0], "city": ["Bern", "Rome"]}))


@pytest.mark.parametrize(
    ("thing", "text"),
    [
        (tf.regularizers.l2(), "L2(l2=0.01)"),
        (tf.regularizers.l1(l1=0.5), "L1(l1=0.5)"),
        (tf.buffer([2], "int32", [3, 4]), "TensorBuffer(shape=[2], dtype=int32)\n    [3, 4]"),
        (dl.Graph(), "dl.Graph(0 nodes)"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_repr(thing: object, text: str) -> None:
    assert repr(thing) == text


def test_empty_visor_has_a_text_representation() -> None:
    assert type(tf.vis.visor())()._repr_mimebundle_() == {"text/plain": "<Visor with 0 surfaces>"}
