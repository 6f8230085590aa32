"""Protocols of Python and numpy: formatting, operators, numpy functions, copies and pickles."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf


def test_format_of_single_element() -> None:
    assert f"{tf.scalar(3.14159):.2f}" == "3.14"
    assert f"{tf.tensor([0.5]):.0%}" == "50%"
    assert f"{tf.tensor([1, 2])}" == str(tf.tensor([1, 2]))
    with pytest.raises(ValueError, match="format: only a tensor of one element"):
        format(tf.tensor([1, 2]), ".2f")


@pytest.mark.parametrize(
    "compute",
    [
        np.exp,
        np.mean,
        np.std,
        np.argmax,
        np.linalg.norm,
        np.add.reduce,
        lambda t: np.maximum(t, 1.5),
        lambda t: np.concatenate([t, t]),
        lambda t: np.where(np.isnan(t), 0, t),
        lambda t: np.full_like(t, fill_value=3),
    ],
)
def test_numpy_functions_return_arrays(compute: Callable[[Any], Any]) -> None:
    values = np.array([1.0, 2.0, 3.0], np.float32)
    found = compute(tf.tensor(values))
    assert not isinstance(found, tf.Tensor)
    np.testing.assert_array_equal(found, compute(values))


@pytest.mark.parametrize(
    "compute",
    [
        lambda a, t: a + t,
        lambda a, t: a - t,
        lambda a, t: a / t,
        lambda a, t: a**t,
        lambda a, t: a @ t,
        lambda a, t: a < t,
        lambda a, t: a == t,
        np.multiply,
        lambda a, t: np.float32(2) * t,
    ],
)
def test_operators_with_array_on_the_left_return_tensors(compute: Callable[[Any, Any], Any]) -> None:
    a, b = np.array([1.0, 4.0], np.float32), np.array([2.0, 3.0], np.float32)
    found = compute(a, tf.tensor(b))
    assert isinstance(found, tf.Tensor)
    np.testing.assert_array_equal(found.numpy(), compute(a, b))


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda t: True & t, [True, False]),
        (lambda t: [False, False] | t, [True, False]),
        (lambda t: True ^ t, [False, True]),
        (lambda t: np.array([True, True]) ^ t, [False, True]),
        (lambda t: ~t, [False, True]),
    ],
)
def test_logical_operators_with_left_operands(compute: Callable[[Any], Any], expected: list[bool]) -> None:
    assert compute(tf.tensor([True, False])).array_sync() == expected


def test_in_place_add_of_tensor_to_array() -> None:
    a = np.ones(2)
    a += tf.tensor([1, 2])
    assert isinstance(a, np.ndarray)
    assert a.tolist() == [2, 3]


def test_round_of_scalar_and_tensor() -> None:
    assert (round(tf.scalar(2.345), 1), round(tf.scalar(2.345))) == (2.3, 2)
    assert isinstance(round(tf.scalar(2.345)), int)
    assert round(tf.tensor([0.5, 1.5, 2.7])).array_sync() == [0, 2, 3]
    np.testing.assert_allclose(round(tf.tensor([0.123, -4.567]), 2), [0.12, -4.57])


def test_divmod_equals_numpy() -> None:
    for a, b in ((tf.tensor([7.0, -7.0]), 2), (7, tf.tensor([2.0, -2.0]))):
        found = divmod(a, b)  # type: ignore[operator]
        np.testing.assert_array_equal(found, np.divmod(np.asarray(a), np.asarray(b)))


def test_int32_scalar_as_index() -> None:
    two = tf.scalar(2, "int32")
    assert "abc"[two] == "c"
    assert list(range(two)) == [0, 1]
    assert np.arange(5)[two] == 2
    for wrong in (tf.scalar(2.0), tf.tensor([2], dtype="int32")):
        with pytest.raises(TypeError, match="index: only an int32 scalar"):
            range(wrong)


def test_in_operator() -> None:
    t = tf.tensor([[1, 2], [3, 4]])
    assert 3 in t
    assert 5 not in t
    assert None not in t
    assert tf.tensor([1, 9]) in t  # one is enough, as in numpy
    assert "b" in tf.tensor(["a", "b"])


@pytest.mark.parametrize("t", [tf.tensor([1, 2]), tf.variable(tf.tensor([1, 2]))], ids=["tensor", "variable"])
def test_in_place_change_of_tensor_raises_with_hint(t: Any) -> None:
    with pytest.raises(TypeError, match=r"cannot be changed.* tf\.where\(mask, new, t\).* v\.assign\("):
        t[0] = 3
    with pytest.raises(TypeError, match=r"cannot be changed.*tf\.concat"):
        del t[0]
    for change in (lambda: np.add.at(t, [0], 1), lambda: np.add(np.ones(2), 1, out=t)):
        with pytest.raises(TypeError, match=r"numpy\.add: tensors cannot be changed"):
            change()


def test_truth_value_of_many_elements_raises_with_hint() -> None:
    t = tf.tensor([1, 2])
    with pytest.raises(ValueError, match=r"combined by &, \| and ~"):
        _ = t > 1 and t < 3
    with pytest.raises(ValueError, match="has an int value"):
        int(t)


@pytest.mark.parametrize("copy_of", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.tensor([[1.5, 2]]),
        lambda: tf.tensor(["a", "ü"]),
        lambda: tf.tensor([True]),
        lambda: tf.complex([1.0], [2.0]),
        lambda: tf.string.string_split(tf.tensor(["ü"]), "").values,
    ],
)
def test_copied_tensor_is_independent(make: Callable[[], tf.Tensor], copy_of: Callable[[Any], Any]) -> None:
    start = tf.memory().num_tensors
    tensor = make()
    before = tf.memory().num_tensors
    other = copy_of(tensor)
    assert other.id != tensor.id
    assert other.dtype == tensor.dtype
    assert tf.memory().num_tensors == before + (before - start)
    tensor.dispose()
    assert asyncio.run(other.bytes()) == asyncio.run(make().bytes())


def test_copied_variable_is_independent() -> None:
    first = tf.variable(tf.tensor([1.0]), False, "first")
    second = copy.deepcopy(first)
    second.assign([2.0])
    assert (first.array_sync(), second.array_sync()) == ([1], [2])
    assert second.name != "first"
    assert not second.trainable


@pytest.mark.parametrize("copy_of", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copied_model_trains_independently_with_same_results(copy_of: Callable[[Any], Any]) -> None:
    output_layer = tf.layers.dense(units=2, activation="softmax", kernel_regularizer="l1l2")
    model = tf.sequential([tf.layers.gru(units=3, input_shape=[4, 2]), output_layer])
    model.compile(optimizer="adam", loss="categoricalCrossentropy", metrics=["accuracy"])
    rng = np.random.default_rng(0)
    x, y = rng.random((6, 4, 2)), np.eye(2)[rng.integers(0, 2, 6)]
    options = {"verbose": 0, "shuffle": False, "epochs": 3}
    model.fit(x, y, options)
    other = copy_of(model)
    before = other.predict(x).numpy()
    losses = model.fit(x, y, options).history["loss"]
    np.testing.assert_array_equal(other.predict(x).numpy(), before)
    assert other.fit(x, y, options).history["loss"] == losses


def test_variable_class_requires_tensor() -> None:
    with pytest.raises(TypeError, match=r"Variable: argument 'initial_value' must be a tensor; tf.variable also"):
        tf.Variable(3.0)  # type: ignore[arg-type]


def test_reprs_of_nodes_iterators_and_backends() -> None:
    layer = tf.layers.dense(units=1, name="last")
    layer.apply(tf.input(shape=[2]))
    assert repr(layer.inbound_nodes[0]) == "Node(layer='last', inputs=[(None, 2)], outputs=[(None, 1)])"
    stream = tf.data.array([1, 2]).iterator()
    assert [repr(stream), repr(stream.map(lambda x: x))] == [
        "LazyIterator(PythonIterator)",
        "LazyIterator(MapIterator)",
    ]
    assert repr(tf.find_backend("exact")) == "ExactBackend(name='exact')"
