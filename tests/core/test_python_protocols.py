"""Tensors among Python's and numpy's own: formatting, numpy's functions, copies, pickles."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tfpy as tf


def test_one_number_is_formatted_like_a_number() -> None:
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
def test_numpys_functions_give_numpys_results(compute: Callable[[Any], Any]) -> None:
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
def test_operators_with_an_array_on_the_left_give_tensors(compute: Callable[[Any, Any], Any]) -> None:
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
def test_truth_values_on_the_left(compute: Callable[[Any], Any], expected: list[bool]) -> None:
    assert compute(tf.tensor([True, False])).array_sync() == expected


def test_an_array_takes_a_tensor_in_place() -> None:
    a = np.ones(2)
    a += tf.tensor([1, 2])
    assert isinstance(a, np.ndarray)
    assert a.tolist() == [2, 3]


def test_round_gives_a_number_for_a_scalar_and_a_tensor_else() -> None:
    assert (round(tf.scalar(2.345), 1), round(tf.scalar(2.345))) == (2.3, 2)
    assert isinstance(round(tf.scalar(2.345)), int)
    assert round(tf.tensor([0.5, 1.5, 2.7])).array_sync() == [0, 2, 3]
    np.testing.assert_allclose(round(tf.tensor([0.123, -4.567]), 2), [0.12, -4.57])


def test_divmod_is_pythons() -> None:
    for a, b in ((tf.tensor([7.0, -7.0]), 2), (7, tf.tensor([2.0, -2.0]))):
        found = divmod(a, b)  # type: ignore[operator]
        np.testing.assert_array_equal(found, np.divmod(np.asarray(a), np.asarray(b)))


def test_whole_scalars_are_indices_and_counts() -> None:
    two = tf.scalar(2, "int32")
    assert "abc"[two] == "c"
    assert list(range(two)) == [0, 1]
    assert np.arange(5)[two] == 2
    for wrong in (tf.scalar(2.0), tf.tensor([2], dtype="int32")):
        with pytest.raises(TypeError, match="index: only an int32 scalar"):
            range(wrong)


def test_in_looks_for_an_element() -> None:
    t = tf.tensor([[1, 2], [3, 4]])
    assert 3 in t
    assert 5 not in t
    assert None not in t
    assert tf.tensor([1, 9]) in t  # one is enough, as in numpy
    assert "b" in tf.tensor(["a", "b"])


@pytest.mark.parametrize("t", [tf.tensor([1, 2]), tf.variable(tf.tensor([1, 2]))], ids=["tensor", "variable"])
def test_what_changes_a_tensor_says_what_to_write(t: Any) -> None:
    with pytest.raises(TypeError, match=r"cannot be changed.* tf\.where\(mask, new, t\).* v\.assign\("):
        t[0] = 3
    with pytest.raises(TypeError, match=r"cannot be changed.*tf\.concat"):
        del t[0]
    for change in (lambda: np.add.at(t, [0], 1), lambda: np.add(np.ones(2), 1, out=t)):
        with pytest.raises(TypeError, match=r"numpy\.add: tensors cannot be changed"):
            change()


def test_conditions_of_many_elements_say_how_to_combine_them() -> None:
    t = tf.tensor([1, 2])
    with pytest.raises(ValueError, match=r"combined by &, \| and ~"):
        _ = t > 1 and t < 3
    with pytest.raises(ValueError, match="has an int value"):
        int(t)


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))])
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
def test_copies_are_tensors_of_their_own(make: Callable[[], tf.Tensor], again: Callable[[Any], Any]) -> None:
    start = tf.memory().num_tensors
    tensor = make()
    before = tf.memory().num_tensors
    other = again(tensor)
    assert other.id != tensor.id
    assert other.dtype == tensor.dtype
    assert tf.memory().num_tensors == before + (before - start)
    tensor.dispose()
    assert asyncio.run(other.bytes()) == asyncio.run(make().bytes())


def test_copied_variables_change_alone() -> None:
    first = tf.variable(tf.tensor([1.0]), False, "first")
    second = copy.deepcopy(first)
    second.assign([2.0])
    assert (first.array_sync(), second.array_sync()) == ([1], [2])
    assert second.name != "first"
    assert not second.trainable


@pytest.mark.parametrize("again", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copied_models_train_on_alone_and_alike(again: Callable[[Any], Any]) -> None:
    regular = tf.layers.dense(units=2, activation="softmax", kernel_regularizer="l1l2")
    model = tf.sequential([tf.layers.gru(units=3, input_shape=[4, 2]), regular])
    model.compile(optimizer="adam", loss="categoricalCrossentropy", metrics=["accuracy"])
    random = np.random.default_rng(0)
    x, y = random.random((6, 4, 2)), np.eye(2)[random.integers(0, 2, 6)]
    options = {"verbose": 0, "shuffle": False, "epochs": 3}
    model.fit(x, y, options)
    other = again(model)
    before = other.predict(x).numpy()
    losses = model.fit(x, y, options).history["loss"]
    np.testing.assert_array_equal(other.predict(x).numpy(), before)
    assert other.fit(x, y, options).history["loss"] == losses


def test_a_variable_is_made_of_a_tensor() -> None:
    with pytest.raises(TypeError, match=r"Variable: argument 'initial_value' must be a tensor; tf.variable also"):
        tf.Variable(3.0)  # type: ignore[arg-type]


def test_nodes_streams_and_backends_show_themselves() -> None:
    layer = tf.layers.dense(units=1, name="last")
    layer.apply(tf.input(shape=[2]))
    assert repr(layer.inbound_nodes[0]) == "Node(layer='last', inputs=[(None, 2)], outputs=[(None, 1)])"
    stream = tf.data.array([1, 2]).iterator()
    assert [repr(stream), repr(stream.map(lambda x: x))] == ["LazyIterator(Items)", "LazyIterator(Mapped)"]
    assert repr(tf.find_backend("exact")) == "ExactBackend(name='exact')"
