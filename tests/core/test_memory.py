"""tidy, keep, dispose and memory: what is freed and when, also if the function raises."""

from __future__ import annotations

import asyncio
import gc
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pytest

import tfpy as tf
from tfpy.engine.state import local


class CustomError(Exception):
    pass


def test_memory_counts_tensors_buffers_and_bytes() -> None:
    before = tf.memory()
    a = tf.zeros([2, 3])
    b = a.reshape([3, 2])
    c = tf.tensor([True])
    counts = tf.memory()
    assert counts.num_tensors - before.num_tensors == 3
    assert counts.num_data_buffers - before.num_data_buffers == 2, "a reshape shares its data"
    assert counts.num_bytes - before.num_bytes == 24 + 24 + 1
    assert counts.numTensors == counts["numTensors"] == counts["num_tensors"] == counts.num_tensors
    with pytest.raises(AttributeError):
        counts.nothing  # noqa: B018
    del a, b, c
    assert tf.memory().num_tensors == before.num_tensors, "unreferenced tensors are freed at once"


def test_complex_tensor_counts_as_three() -> None:
    before = tf.memory()
    c = tf.complex([1.0, 2.0], [3.0, 4.0])
    assert tf.memory().num_tensors - before.num_tensors == 3
    c.dispose()
    assert tf.memory().num_tensors == before.num_tensors


@pytest.mark.parametrize("op", [tf.real, lambda x: tf.einsum("i->i", x), lambda x: tf.reshape(x, [2]), lambda x: x[:]])
def test_result_survives_disposal_of_alias(op: Callable[[tf.Tensor], tf.Tensor]) -> None:
    x = tf.tensor([1.0, 2.0])
    op(x).dispose()
    assert x.array_sync() == [1, 2]


def test_tensors_in_garbage_cycles_are_not_counted() -> None:
    before = tf.memory().num_tensors
    cycle: list[object] = [tf.ones([2])]
    cycle.append(cycle)
    assert tf.memory().num_tensors == before + 1
    gc.disable()
    try:
        del cycle
        assert tf.memory().num_tensors == before
    finally:
        gc.enable()


def test_ops_do_not_accumulate_objects() -> None:
    a = tf.ones([2, 2])
    for _ in range(10):
        a.add(a)
    gc.collect()
    objects = len(gc.get_objects())
    for _ in range(1000):
        a.add(a).relu()
    gc.collect()
    assert len(gc.get_objects()) - objects < 100


def test_tidy_frees_all_but_the_result() -> None:
    inner: list[tf.Tensor] = []

    def compute() -> dict[str, object]:
        t = tf.ones([3])
        inner.append(t)
        return {"sum": t.sum(), "nested": [(t.mul(2),)], "number": 3}

    found = tf.tidy(compute)
    assert inner[0].is_disposed
    assert found["sum"].array_sync() == 3  # type: ignore[attr-defined]
    assert found["nested"][0][0].array_sync() == [2, 2, 2]  # type: ignore[index]


def test_tidy_takes_a_name_and_is_a_context_manager() -> None:
    assert tf.tidy("sum", lambda: tf.ones([3]).sum()).array_sync() == 3
    with tf.tidy() as scope:
        lost = tf.ones([3])
        scope.result = lost.sum()
    assert lost.is_disposed
    assert scope.result.array_sync() == 3


def test_nested_tidies_pass_results_outwards() -> None:
    def outer() -> tf.Tensor:
        kept = tf.tidy(lambda: tf.scalar(1).add(1))
        assert not kept.is_disposed
        return kept.mul(3)

    assert tf.tidy(outer).array_sync() == 6


def tidy_in_generator() -> Iterator[tf.Tensor]:
    with tf.tidy():
        yield tf.ones([2])


def test_closing_a_generator_ends_only_its_own_tidy() -> None:
    generator = tidy_in_generator()
    first = next(generator)
    with tf.tidy() as scope:
        scope.result = tf.ones([3])
        generator.close()
        assert first.is_disposed
        assert not scope.result.is_disposed
    assert not local.state.scopes
    assert not scope.result.is_disposed


def test_tidy_closes_scopes_left_open_inside() -> None:
    generator = tidy_in_generator()
    result = tf.tidy(lambda: (next(generator), tf.ones([3]))[1])
    assert not local.state.scopes
    with tf.tidy():
        other = tf.ones([3])
        generator.close()
        assert not other.is_disposed
    assert not result.is_disposed

    def left_open() -> None:
        tf.engine().start_scope()
        raise CustomError

    with pytest.raises(CustomError):
        tf.tidy(left_open)
    assert not local.state.scopes


def test_tidy_is_reentrant() -> None:
    scope = tf.tidy()
    with scope:
        outer = tf.ones([2])
        with scope:
            inner = tf.ones([2])
        assert inner.is_disposed
        assert not outer.is_disposed
    assert outer.is_disposed


@pytest.mark.parametrize(
    "failing",
    [lambda f: tf.tidy(f), lambda f: tf.grad(f)(tf.scalar(1)), lambda f: tf.value_and_grads(f)([tf.scalar(1)])],
)
def test_no_leaks_if_function_raises(failing: object) -> None:
    created: list[tf.Tensor] = []

    def function(*_: tf.Tensor) -> tf.Tensor:
        created.append(tf.ones([100]).square())
        raise CustomError

    before = tf.memory().num_tensors
    with pytest.raises(CustomError):
        failing(function)  # type: ignore[operator]
    assert not local.state.scopes
    assert not local.state.tapes
    created.clear()
    gc.collect()
    assert tf.memory().num_tensors == before


def test_variables_survive_a_tidy() -> None:
    v = tf.tidy(lambda: (tf.variable(tf.scalar(1)), None)[0])
    w: list[tf.Variable] = []
    tf.tidy(lambda: w.append(tf.variable(tf.scalar(2))))
    assert (float(v), float(w[0])) == (1, 2)


def test_kept_tensor_survives_until_disposed() -> None:
    kept: list[tf.Tensor] = []
    tf.tidy(lambda: tf.tidy(lambda: kept.append(tf.keep(tf.scalar(5)))))
    assert kept[0].array_sync() == 5
    kept[0].dispose()
    with pytest.raises(RuntimeError, match="disposed"):
        tf.keep(kept[0])
    with pytest.raises(TypeError, match="keep.*tensor"):
        tf.keep(3)  # type: ignore[type-var]


def test_dispose_walks_containers() -> None:
    a, b, c = tf.scalar(1), tf.scalar(2), tf.scalar(3)
    tf.dispose({"x": [a, (b, "text", 4)], "y": c, "z": None})
    assert a.is_disposed
    assert b.is_disposed
    assert c.is_disposed


@dataclass(slots=True)
class Slotted:
    tensor: tf.Tensor


class Private:
    __slots__ = ("__tensor",)

    def __init__(self, tensor: tf.Tensor) -> None:
        self.__tensor = tensor


def object_array(tensor: tf.Tensor) -> object:
    array = np.empty(1, object)
    array[0] = tensor
    return array


def nested_items_views(tensor: tf.Tensor) -> object:
    """Nested views, which create new items on each iteration, possibly at the address of a freed one."""
    return {"a": {"x": 1, "y": 2}.items(), "b": {"x": {"q": tensor}.items(), "y": 3}.items()}.items()


@pytest.mark.parametrize(
    "hold", [Slotted, Private, object_array, nested_items_views, lambda t: deque([t]), lambda t: {"x": t}.values()]
)
def test_tidy_and_dispose_find_tensors_in_containers(
    hold: Callable[[tf.Tensor], object],
) -> None:
    tensor = tf.ones([2])
    with tf.tidy() as scope:
        tensor = tensor.add(1)
        scope.result = hold(tensor)
    assert not tensor.is_disposed
    tf.dispose(scope.result)
    assert tensor.is_disposed


def test_invalid_arguments_of_tidy_raise() -> None:
    with pytest.raises(TypeError, match="tidy.*function"):
        tf.tidy("name", 3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="tidy"):
        tf.tidy(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="tidy: argument 'name_or_fn' must be a name"):
        tf.tidy(3, lambda: None)  # type: ignore[call-overload]


def test_async_function_in_tidy_warns() -> None:
    async def later() -> int:
        return 1

    with pytest.warns(UserWarning, match="tidy.*async"):
        pending = tf.tidy(later)
    assert asyncio.run(pending) == 1


def test_disposing_twice_keeps_clones() -> None:
    a = tf.tensor([1, 2])
    b = a.clone()
    a.dispose()
    a.dispose()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert b.array_sync() == [1, 2]
