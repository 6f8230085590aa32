"""Variables: assignment, names, trainability, registration and disposal."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import numpy as np
import pytest

import tfpy as tf
from tfpy.core.variable import registered_variables, value_of, variable_of


def test_assign_requires_same_shape_and_dtype() -> None:
    v = tf.variable(tf.tensor([1.0, 2]))
    v.assign(tf.tensor([3.0, 4]))
    assert v.array_sync() == [3, 4]
    for wrong in (tf.tensor([1.0, 2, 3]), tf.tensor([1, 2], dtype="int32")):
        with pytest.raises((ValueError, TypeError), match="assign"):
            v.assign(wrong)
    assert v.array_sync() == [3, 4]
    with pytest.raises((ValueError, TypeError), match="assign"):
        v.assign("text")


def test_assign_does_not_change_earlier_results() -> None:
    v = tf.variable(tf.tensor([1.0, 2]))
    before, alias = v.add(0), v.reshape([2, 1])
    v.assign(tf.tensor([9.0, 9]))
    assert before.array_sync() == [1, 2]
    assert alias.array_sync() == [[1], [2]]


def test_names_are_unique() -> None:
    a = tf.variable(tf.scalar(1), True, "weight")
    assert a.name == "weight"
    with pytest.raises(ValueError, match="weight"):
        tf.variable(tf.scalar(2), True, "weight")
    assert tf.variable(tf.scalar(1)).name != tf.variable(tf.scalar(1)).name
    a.dispose()
    assert tf.variable(tf.scalar(3), True, "weight").name == "weight"


def test_generated_names_skip_taken_ones() -> None:
    number = int(tf.variable(tf.scalar(1)).name)
    taken = tf.variable(tf.scalar(2), True, str(number + 1))
    assert tf.variable(tf.scalar(3)).name == str(number + 2)
    assert pickle.loads(pickle.dumps(taken)).name == str(number + 3)


def test_memory_of_string_variable_follows_assignment() -> None:
    before = tf.memory().num_bytes
    v = tf.variable(tf.tensor(["a", "b"]))
    assert tf.memory().num_bytes - before == 2
    v.assign(tf.tensor(["eleven", "words"]))
    assert tf.memory().num_bytes - before == 11


def test_dtype_and_trainability() -> None:
    v = tf.variable(tf.tensor([1.5]), False, None, "int32")
    assert (v.dtype, v.trainable, v.array_sync()) == ("int32", False, [1])
    assert tf.tensor([1.0]).variable().trainable


def test_variable_is_a_tensor() -> None:
    v = tf.variable(tf.tensor([1.0, 4]))
    assert isinstance(v, tf.Tensor)
    np.testing.assert_array_equal((v.sqrt() + v).numpy(), [2, 6])
    assert "Variable" in repr(v)
    assert "name=" in repr(v)


def test_dispose_variables() -> None:
    a, b = tf.variable(tf.scalar(1), True, "a"), tf.variable(tf.scalar(2), True, "b")
    tf.dispose_variables()
    assert a.is_disposed
    assert b.is_disposed
    with pytest.raises(RuntimeError, match="disposed"):
        a.assign(tf.scalar(1))


@pytest.mark.parametrize("operator", ["+", "-", "*", "/", "//", "%", "**", "@"])
def test_augmented_assignment_of_variable_raises(operator: str) -> None:
    names = {"v": tf.variable(tf.eye(2), name="weights")}
    with pytest.raises(TypeError, match="variable 'weights'") as caught:
        exec(f"v {operator}= v", names)
    assert f"v.assign(v {operator} …)" in str(caught.value)
    exec(f"v.assign(v {operator} v)", names)
    assert isinstance(names["v"], tf.Variable)


def test_value_does_not_keep_variable_alive() -> None:
    v = tf.variable(tf.ones([2]))
    value = value_of(v)
    assert variable_of(value) is v
    del v
    assert variable_of(value) is None
    with pytest.raises(TypeError, match=r"variable_grads.*var_list\[0\].*a variable"):
        tf.variable_grads(lambda: value.sum(), [value])


def test_variables_can_be_listed_during_concurrent_changes() -> None:
    done = Event()

    def create_and_drop() -> None:
        while not done.is_set():
            several = [tf.variable(tf.scalar(1)) for _ in range(20)]
            del several

    with ThreadPoolExecutor(2) as pool:
        busy = [pool.submit(create_and_drop) for _ in range(2)]
        try:
            for _ in range(3000):
                registered_variables()
        finally:
            done.set()
        for thread in busy:
            thread.result()


def test_copies_created_by_threads_have_unique_names() -> None:
    copied = pickle.dumps(tf.variable(tf.scalar(1), name="copied by threads"))
    for _ in range(50):
        barrier = Barrier(4)

        def load(_: int, barrier: Barrier = barrier) -> tf.Variable:
            barrier.wait()
            return pickle.loads(copied)

        with ThreadPoolExecutor(4) as pool:
            copies = list(pool.map(load, range(4)))
        assert len({v.name for v in copies}) == 4
