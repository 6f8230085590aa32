"""math.scope, start_scope and end_scope, keep and track, safe mode: what is disposed when."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import tfpy as tf
from tfpy import legacy as dl
from tfpy.engine.state import local


class Oops(Exception):
    pass


def test_a_scope_disposes_what_was_made_in_it(math: dl.NDArrayMathCPU) -> None:
    outside = dl.Array1D.new([1, 2])
    inside: list[dl.NDArray] = []

    def compute(keep: Any, track: Any) -> dl.NDArray:
        made = track(dl.Array1D.new([3, 4]))
        untracked = dl.Scalar.new(2)
        product = math.multiply(made, untracked)
        inside.extend([made, untracked, product, dl.NDArray.zeros([2]), tf.ones([2])])  # type: ignore[list-item]
        return math.add(outside, product)

    result = math.scope(compute)
    assert list(result.get_values()) == [7, 10]
    assert [a.is_disposed for a in inside] == [True] * 5
    assert not outside.is_disposed


def test_a_scope_function_takes_as_many_arguments_as_it_likes(math: dl.NDArrayMathCPU) -> None:
    assert math.scope(lambda: 1) == 1
    kept = math.scope(lambda keep: keep(dl.Scalar.new(2)))
    assert kept.get() == 2
    kept.dispose()
    assert math.scope(lambda keep, track: track(dl.Scalar.new(3))).get() == 3
    with pytest.raises(TypeError, match="scope_fn"):
        math.scope(5)  # type: ignore[arg-type]


def test_what_a_scope_returns_may_be_nested(math: dl.NDArrayMathCPU) -> None:
    def compute() -> dict[str, Any]:
        x = dl.Scalar.new(1)
        return {"list": [math.neg(x), (math.exp(x),)], "number": 5, "none": None, "tensor": tf.scalar(3)}

    found = math.scope(compute)
    assert found["list"][0].get() == -1
    assert not found["list"][1][0].is_disposed
    assert found["tensor"].array_sync() == 3
    assert found["number"] == 5


def test_inner_results_belong_to_the_outer_scope(math: dl.NDArrayMathCPU) -> None:
    seen: list[dl.NDArray] = []

    def outer() -> dl.NDArray:
        inner = math.scope(lambda: math.square(dl.Scalar.new(3)))
        seen.append(inner)
        assert inner.get() == 9
        return math.neg(inner)

    assert math.scope(outer).get() == -9
    assert seen[0].is_disposed


def test_kept_arrays_survive_all_scopes(math: dl.NDArrayMathCPU) -> None:
    kept: list[dl.NDArray] = []

    def inner(keep: Any) -> None:
        kept.append(keep(math.exp(dl.Scalar.new(0))))

    math.scope(lambda: math.scope(inner))
    assert kept[0].get() == 1
    kept[0].dispose()


def test_arrays_that_share_the_data_of_a_result_survive_with_it(math: dl.NDArrayMathCPU) -> None:
    seen: list[dl.NDArray] = []

    def compute(keep: Any) -> dl.NDArray:
        flat, other = dl.Array1D.new([1, 2, 3, 4]), dl.Array1D.new([5])
        seen.extend([flat, other])
        view = keep(other.as_2d(1, 1))
        seen.append(view)
        return flat.as_2d(2, 2)

    result = math.scope(compute)
    assert result.get(1, 1) == 4
    assert [a.is_disposed for a in seen] == [False, False, False]
    for a in seen:
        a.dispose()


def test_an_exception_closes_the_scopes_and_disposes(math: dl.NDArrayMathCPU) -> None:
    seen: list[dl.NDArray] = []

    def fail() -> None:
        seen.append(dl.Scalar.new(1))
        math.start_scope()
        seen.append(math.neg(seen[0]))
        raise Oops

    with pytest.raises(Oops):
        math.scope(lambda: math.scope(fail))
    assert not local.state.scopes
    assert [a.is_disposed for a in seen] == [True, True]


def test_start_and_end_scope(math: dl.NDArrayMathCPU) -> None:
    math.start_scope()
    a = dl.Scalar.new(2)
    b = math.square(a)
    math.end_scope(b)
    assert a.is_disposed
    assert b.get() == 4
    math.startScope()
    math.endScope()
    with pytest.raises(RuntimeError, match="scope"):
        math.end_scope()


def test_arrays_that_nobody_refers_to_are_freed_at_once(math: dl.NDArrayMathCPU) -> None:
    before = math.get_num_arrays()

    def compute() -> None:
        x = dl.NDArray.ones([10])
        for _ in range(5):
            x = math.neg(x)
        assert math.getNumArrays() == before + 1

    math.scope(compute)
    compute()
    assert math.get_num_arrays() == before


def test_keep_and_track_take_arrays(math: dl.NDArrayMathCPU) -> None:
    with pytest.raises(TypeError, match="keep"):
        math.keep(5)  # type: ignore[type-var]
    a = dl.Scalar.new(1)
    assert math.track(a) is a


def test_tidy_and_scope_are_the_same_scopes(math: dl.NDArrayMathCPU) -> None:
    seen: list[Any] = []

    def compute() -> dl.NDArray:
        seen.append(tf.scalar(1))
        return tf.tidy(lambda: math.add(seen[0], tf.scalar(2)))

    assert math.scope(compute).get() == 3
    assert seen[0].is_disposed


# Async functions


def test_an_async_scope_ends_when_its_function_has_finished(math: dl.NDArrayMathCPU) -> None:
    seen: list[dl.NDArray] = []

    async def compute(keep: Any, track: Any) -> dl.NDArray:
        x = track(dl.Scalar.new(3))
        seen.append(x)
        await asyncio.sleep(0)
        assert not x.is_disposed
        y = math.square(x)
        assert await y.val() == 9
        inner = await math.scope(lambda: square_later(y))
        return math.add(y, inner)

    async def square_later(y: dl.NDArray) -> dl.NDArray:
        await asyncio.sleep(0)
        seen.append(math.neg(y))
        return math.square(y)

    async def main() -> dl.NDArray:
        return await math.scope(compute)

    assert asyncio.run(main()).get() == 90
    assert [a.is_disposed for a in seen] == [True, True]


def test_tasks_that_wait_do_not_get_each_others_arrays(math: dl.NDArrayMathCPU) -> None:
    async def square(value: float, waits: int) -> float:
        async def compute() -> dl.NDArray:
            x = dl.Scalar.new(value)
            for _ in range(waits):
                await asyncio.sleep(0)
            return math.square(x)

        result = await math.scope(compute)
        for _ in range(waits):
            await asyncio.sleep(0)
        return float(result.get())

    async def main() -> list[float]:
        return await asyncio.gather(*[square(i, (7 * i) % 5) for i in range(8)])

    assert asyncio.run(main()) == [i * i for i in range(8)]
    assert not local.state.scopes


def test_what_is_finished_and_may_be_awaited_ends_the_scope(math: dl.NDArrayMathCPU) -> None:
    made: list[dl.NDArray] = []

    def compute() -> Any:
        made.append(dl.Scalar.new(1))
        return math.time(lambda: made.append(dl.Scalar.new(2)))

    assert math.scope(compute) >= 0
    assert all(array.is_disposed for array in made)


def test_an_exception_in_an_async_scope_disposes(math: dl.NDArrayMathCPU) -> None:
    seen: list[dl.NDArray] = []

    async def fail() -> None:
        seen.append(dl.Scalar.new(1))
        await asyncio.sleep(0)
        raise Oops

    async def main() -> None:
        with pytest.raises(Oops):
            await math.scope(fail)

    asyncio.run(main())
    assert seen[0].is_disposed


def test_a_cancelled_async_scope_disposes(math: dl.NDArrayMathCPU) -> None:
    seen: list[dl.NDArray] = []

    async def wait() -> None:
        seen.append(dl.Scalar.new(1))
        await asyncio.sleep(60)

    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(math.scope(wait), 0.01)

    asyncio.run(main())
    assert seen[0].is_disposed


# Safe mode


@pytest.mark.parametrize(
    "use",
    [
        lambda math: math.add(tf.scalar(1), tf.scalar(2)),
        lambda math: dl.Scalar.new(1),
        lambda math: dl.NDArray.zeros([2]),
        lambda math: math.keep(tf.scalar(1)),
        lambda math: math.track(tf.scalar(1)),
        lambda math: math.scope(lambda: dl.Scalar.new(1)),
    ],
)
def test_in_safe_mode_arrays_need_a_scope(use: Any) -> None:
    math = dl.NDArrayMathCPU(True)
    with pytest.raises(RuntimeError, match=r"scope"):
        use(math)
    assert not local.state.scopes


def test_safe_mode_allows_everything_inside_a_scope() -> None:
    math = dl.NDArrayMathCPU(safe_mode=True)
    seen: list[float] = []

    def compute(keep: Any, track: Any) -> None:
        x = track(dl.Scalar.new(2))
        y = math.scope(lambda: math.exp(x))
        seen.append(math.log(y).get())

    math.scope(compute)
    assert seen == [2]


def test_end_scope_in_safe_mode_checks_what_leaves() -> None:
    math = dl.NDArrayMathCPU(True)
    math.start_scope()
    a = dl.Scalar.new(1)
    with pytest.raises(RuntimeError, match="outermost"):
        math.end_scope(a)


def test_safe_mode_checks_what_leaves_an_async_scope() -> None:
    math = dl.NDArrayMathCPU(True)

    async def compute() -> dl.NDArray:
        return dl.Scalar.new(1)

    async def main() -> None:
        with pytest.raises(RuntimeError, match="outermost"):
            await math.scope(compute)

    asyncio.run(main())


def test_the_global_math_decides_for_new_arrays() -> None:
    dl.NDArrayMathCPU(True)
    with pytest.raises(RuntimeError, match="scope"):
        dl.Scalar.new(1)
    dl.ENV.set_math(dl.NDArrayMathCPU(False))
    assert dl.Scalar.new(1).get() == 1


# As a context manager


def test_a_scope_is_a_context_manager_too(math: dl.NDArrayMathCPU) -> None:
    with math.scope() as scope:
        a = dl.Scalar.new(3)
        scope.result = math.square(a)
    assert a.is_disposed
    assert scope.result.get() == 9
    seen: list[dl.NDArray] = []

    def fail() -> None:
        with math.scope():
            seen.append(dl.Scalar.new(3))
            raise Oops

    with pytest.raises(Oops):
        fail()
    assert seen[0].is_disposed
    with pytest.raises(RuntimeError, match="outermost"), dl.NDArrayMathCPU(True).scope() as scope:
        scope.result = dl.Scalar.new(1)
    assert not local.state.scopes
