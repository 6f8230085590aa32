"""math.scope, start_scope and end_scope, keep and track, async scopes, and safe mode."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import tfpy as tf
from tfpy import legacy as dl
from tfpy.engine.state import local


class ScopeError(Exception):
    pass


def test_scope_disposes_its_arrays(math: dl.NDArrayMathCPU) -> None:
    outside = dl.Array1D.new([1, 2])
    inside: list[dl.NDArray] = []

    def compute(keep: Any, track: Any) -> dl.NDArray:
        tracked = track(dl.Array1D.new([3, 4]))
        untracked = dl.Scalar.new(2)
        product = math.multiply(tracked, untracked)
        inside.extend([tracked, untracked, product, dl.NDArray.zeros([2]), tf.ones([2])])  # type: ignore[list-item]
        return math.add(outside, product)

    result = math.scope(compute)
    assert list(result.get_values()) == [7, 10]
    assert [a.is_disposed for a in inside] == [True] * 5
    assert not outside.is_disposed


def test_scope_function_takes_zero_to_two_arguments(math: dl.NDArrayMathCPU) -> None:
    assert math.scope(lambda: 1) == 1
    kept = math.scope(lambda keep: keep(dl.Scalar.new(2)))
    assert kept.get() == 2
    kept.dispose()
    assert math.scope(lambda keep, track: track(dl.Scalar.new(3))).get() == 3
    with pytest.raises(TypeError, match="scope_fn"):
        math.scope(5)  # type: ignore[arg-type]


def test_scope_returns_nested_containers(math: dl.NDArrayMathCPU) -> None:
    def compute() -> dict[str, Any]:
        x = dl.Scalar.new(1)
        return {"list": [math.neg(x), (math.exp(x),)], "number": 5, "none": None, "tensor": tf.scalar(3)}

    found = math.scope(compute)
    assert found["list"][0].get() == -1
    assert not found["list"][1][0].is_disposed
    assert found["tensor"].array_sync() == 3
    assert found["number"] == 5


def test_results_of_inner_scope_are_tracked_by_outer_scope(math: dl.NDArrayMathCPU) -> None:
    seen: list[dl.NDArray] = []

    def outer() -> dl.NDArray:
        inner = math.scope(lambda: math.square(dl.Scalar.new(3)))
        seen.append(inner)
        assert inner.get() == 9
        return math.neg(inner)

    assert math.scope(outer).get() == -9
    assert seen[0].is_disposed


def test_kept_arrays_survive_nested_scopes(math: dl.NDArrayMathCPU) -> None:
    kept: list[dl.NDArray] = []

    def inner(keep: Any) -> None:
        kept.append(keep(math.exp(dl.Scalar.new(0))))

    math.scope(lambda: math.scope(inner))
    assert kept[0].get() == 1
    kept[0].dispose()


def test_arrays_sharing_data_with_results_are_not_disposed(math: dl.NDArrayMathCPU) -> None:
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


def test_exception_ends_scopes_and_disposes_arrays(math: dl.NDArrayMathCPU) -> None:
    seen: list[dl.NDArray] = []

    def fail() -> None:
        seen.append(dl.Scalar.new(1))
        math.start_scope()
        seen.append(math.neg(seen[0]))
        raise ScopeError

    with pytest.raises(ScopeError):
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


def test_unreferenced_arrays_are_freed_immediately(math: dl.NDArrayMathCPU) -> None:
    before = math.get_num_arrays()

    def compute() -> None:
        x = dl.NDArray.ones([10])
        for _ in range(5):
            x = math.neg(x)
        assert math.getNumArrays() == before + 1

    math.scope(compute)
    compute()
    assert math.get_num_arrays() == before


def test_keep_and_track_arguments(math: dl.NDArrayMathCPU) -> None:
    with pytest.raises(TypeError, match="keep"):
        math.keep(5)  # type: ignore[type-var]
    a = dl.Scalar.new(1)
    assert math.track(a) is a


def test_tidy_and_scope_nest(math: dl.NDArrayMathCPU) -> None:
    seen: list[Any] = []

    def compute() -> dl.NDArray:
        seen.append(tf.scalar(1))
        return tf.tidy(lambda: math.add(seen[0], tf.scalar(2)))

    assert math.scope(compute).get() == 3
    assert seen[0].is_disposed


# Async functions


def test_async_scope_ends_with_its_coroutine(math: dl.NDArrayMathCPU) -> None:
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


def test_concurrent_tasks_have_separate_scopes(math: dl.NDArrayMathCPU) -> None:
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


def test_awaitable_result_of_sync_function_ends_the_scope(math: dl.NDArrayMathCPU) -> None:
    created: list[dl.NDArray] = []

    def compute() -> Any:
        created.append(dl.Scalar.new(1))
        return math.time(lambda: created.append(dl.Scalar.new(2)))

    assert math.scope(compute) >= 0
    assert all(array.is_disposed for array in created)


def test_exception_in_async_scope_disposes_arrays(math: dl.NDArrayMathCPU) -> None:
    seen: list[dl.NDArray] = []

    async def fail() -> None:
        seen.append(dl.Scalar.new(1))
        await asyncio.sleep(0)
        raise ScopeError

    async def main() -> None:
        with pytest.raises(ScopeError):
            await math.scope(fail)

    asyncio.run(main())
    assert seen[0].is_disposed


def test_cancelled_async_scope_disposes_arrays(math: dl.NDArrayMathCPU) -> None:
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
def test_safe_mode_outside_a_scope_raises(use: Any) -> None:
    math = dl.NDArrayMathCPU(True)
    with pytest.raises(RuntimeError, match=r"scope"):
        use(math)
    assert not local.state.scopes


def test_safe_mode_inside_a_scope() -> None:
    math = dl.NDArrayMathCPU(safe_mode=True)
    seen: list[float] = []

    def compute(keep: Any, track: Any) -> None:
        x = track(dl.Scalar.new(2))
        y = math.scope(lambda: math.exp(x))
        seen.append(math.log(y).get())

    math.scope(compute)
    assert seen == [2]


def test_end_scope_with_result_in_safe_mode_raises() -> None:
    math = dl.NDArrayMathCPU(True)
    math.start_scope()
    a = dl.Scalar.new(1)
    with pytest.raises(RuntimeError, match="outermost"):
        math.end_scope(a)


def test_async_scope_with_result_in_safe_mode_raises() -> None:
    math = dl.NDArrayMathCPU(True)

    async def compute() -> dl.NDArray:
        return dl.Scalar.new(1)

    async def main() -> None:
        with pytest.raises(RuntimeError, match="outermost"):
            await math.scope(compute)

    asyncio.run(main())


def test_safe_mode_of_the_global_math_applies_to_new_arrays() -> None:
    dl.NDArrayMathCPU(True)
    with pytest.raises(RuntimeError, match="scope"):
        dl.Scalar.new(1)
    dl.ENV.set_math(dl.NDArrayMathCPU(False))
    assert dl.Scalar.new(1).get() == 1


# Context manager


def test_scope_as_context_manager(math: dl.NDArrayMathCPU) -> None:
    with math.scope() as scope:
        a = dl.Scalar.new(3)
        scope.result = math.square(a)
    assert a.is_disposed
    assert scope.result.get() == 9
    seen: list[dl.NDArray] = []

    def fail() -> None:
        with math.scope():
            seen.append(dl.Scalar.new(3))
            raise ScopeError

    with pytest.raises(ScopeError):
        fail()
    assert seen[0].is_disposed
    with pytest.raises(RuntimeError, match="outermost"), dl.NDArrayMathCPU(True).scope() as scope:
        scope.result = dl.Scalar.new(1)
    assert not local.state.scopes
