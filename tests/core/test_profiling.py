"""profile, time, next_frame."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import tfpy as tf


def test_profile_counts_kernels_tensors_and_bytes() -> None:
    info = tf.profile(lambda: tf.ones([3]).add(1).sum())
    assert info.kernel_names == info.kernelNames == ["Fill", "Add", "Sum"]
    assert (info.new_tensors, info.newBytes) == (1, 4)
    assert info.peak_bytes >= 24
    assert float(info.result) == 6
    add = info.kernels[1]
    assert add.input_shapes == [(3,), ()]
    assert add.output_shapes == [(3,)]
    assert (add.bytesAdded, add.tensorsAdded) == (12, 1)
    assert add.kernel_time_ms >= 0
    assert "run" not in vars(tf.backend())


def test_profile_of_async_function_is_awaitable() -> None:
    async def work() -> Any:
        await tf.next_frame()
        return tf.ones([2]).neg()

    async def main() -> tuple[Any, Any]:
        return await tf.profile(work), await tf.profile(lambda: tf.ones([1]))

    first, second = asyncio.run(main())
    assert first.kernel_names == ["Fill", "Neg"]
    assert second.kernel_names == ["Fill"]


def test_profiling_ends_if_function_raises() -> None:
    with pytest.raises(ValueError, match="add"):
        tf.profile(lambda: tf.ones([2]).add(tf.ones([3])))
    assert "run" not in vars(tf.backend())


def test_time_reports_milliseconds() -> None:
    info = tf.time(lambda: tf.ones([100]).square())
    assert info.wall_ms >= info.kernelMs >= 0
    assert info.wall_ms > 0
    for function in (tf.profile, tf.time):
        with pytest.raises(TypeError):
            function(3)


@pytest.mark.parametrize("measure", [tf.time, tf.profile])
def test_profiled_kernels_are_executed(measure: Any) -> None:
    """Also on lazy backends, where they would otherwise be deferred."""
    x = tf.ones([8, 8])
    x.mat_mul(x).data_sync()
    before = tf.memory()
    measure(lambda: x.mat_mul(x).add(1).mat_mul(x))
    if "num_dispatches" in before:
        assert tf.memory().num_dispatches >= before.num_dispatches + 3


def test_next_frame_outside_of_event_loop() -> None:
    async def wait() -> None:
        await tf.nextFrame()

    assert tf.next_frame() is not None
    asyncio.run(wait())
