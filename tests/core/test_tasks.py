"""Tasks of an event loop: `tidy` blocks that are open while other tasks run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import tfpy as tf
import tfpy.legacy as dl
from tfpy.engine.state import local

BLOCKS = [tf.tidy, lambda: dl.ENV.math.scope()]


@pytest.mark.parametrize("block", BLOCKS)
def test_block_does_not_dispose_tensors_of_other_tasks(block: Callable[[], Any]) -> None:
    async def task(i: int) -> list[float]:
        before = tf.scalar(i)
        with block():
            inside = before.mul(10)
            await asyncio.sleep(0.001 * (i % 3))
            after = inside.add(before)
            await asyncio.sleep(0.001)
            return [float(t) for t in (before, inside, after)]

    async def both() -> list[list[float]]:
        return await asyncio.gather(*[task(i) for i in range(10)])

    with pytest.warns(UserWarning, match="(tidy|scope): the block contains an `await`"):
        found = asyncio.run(both())
    assert found == [[i, 10 * i, 11 * i] for i in range(10)]
    assert not local.state.scopes


@pytest.mark.parametrize("block", BLOCKS)
def test_tensor_created_beside_open_block_survives(block: Callable[[], Any]) -> None:
    async def keep_open(opened: asyncio.Event, over: asyncio.Event) -> None:
        with block():
            opened.set()
            await over.wait()

    async def main() -> float:
        opened, over = asyncio.Event(), asyncio.Event()
        other = asyncio.create_task(keep_open(opened, over))
        await opened.wait()
        created = tf.scalar(7)
        over.set()
        await other
        return float(created)

    with pytest.warns(UserWarning, match="await"):
        assert asyncio.run(main()) == 7


@pytest.mark.parametrize("block", BLOCKS)
def test_block_without_await_disposes_as_usual(block: Callable[[], Any]) -> None:
    async def main() -> tuple[tf.Tensor, tf.Tensor]:
        await asyncio.sleep(0)
        with block() as scope:
            lost, scope.result = tf.scalar(1), tf.scalar(2)
            await lost.data()
        await asyncio.sleep(0)
        return lost, scope.result

    lost, result = asyncio.run(main())
    assert lost.is_disposed
    assert float(result) == 2


def test_cancelled_task_leaves_no_scope() -> None:
    async def wait() -> None:
        with tf.tidy():
            await asyncio.sleep(60)

    async def main() -> None:
        task = asyncio.create_task(wait())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.warns(UserWarning, match="await"), pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert not local.state.scopes
