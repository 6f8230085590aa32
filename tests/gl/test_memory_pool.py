"""The buffer pool: size classes, reuse, cap, memory shortage, adoption of pools, and uploads."""

from __future__ import annotations

import gc
import sys
from typing import Any

import numpy as np
import pytest
from gpu import computed
from hypothesis import given
from hypothesis import strategies as st

import tfpy as tf
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.memory_pool import CHECKED_BYTES, Lease, Part, Pool, size_class
from tfpy.engine.gl.uploads import Uploads

pytestmark = pytest.mark.gl


class FakeBuffer:
    """The part of the buffer interface that the pool uses."""

    def __init__(self) -> None:
        self.released = False
        self.mglo = self

    def bind_to_storage_buffer(self) -> None: ...

    def write(self) -> None: ...

    def release(self) -> None:
        self.released = True


class FakeMemory:
    """A device with a limited number of bytes."""

    def __init__(self, limit: int, late: bool = False) -> None:
        self.limit, self.late = limit, late
        self.allocations: list[tuple[int, FakeBuffer]] = []
        self.failed = False

    def allocate(self, size: int) -> Any:
        self.failed = self.used() + size > self.limit
        if self.failed and not self.late:
            raise Exception("cannot create buffer")
        self.allocations.append((size, FakeBuffer()))
        return self.allocations[-1][1]

    def used(self) -> int:
        return sum(size for size, b in self.allocations if not b.released)

    def out_of_memory(self) -> bool:
        return self.failed


def pool_of(memory: FakeMemory, cap: int = 1 << 30) -> Pool:
    return Pool(memory.allocate, memory.out_of_memory, cap)


@given(st.integers(1, 1 << 31))
def test_size_class_bounds(nbytes: int) -> None:
    size = size_class(nbytes)
    assert size >= nbytes
    assert size % 16 == 0, "not a whole number of vectors"
    assert size <= max(256, nbytes * 1.25 + 16)
    assert size_class(size) == size


def test_buffer_is_reused() -> None:
    pool = pool_of(FakeMemory(1 << 20))
    first = pool.take(1000)
    buffer = first.buffer
    second = pool.take(1000)
    assert second.buffer is not buffer
    del first
    assert pool.take(900).buffer is buffer
    assert pool.count == 2


def test_longest_idle_buffers_beyond_cap_are_freed() -> None:
    memory = FakeMemory(1 << 20)
    pool = pool_of(memory, cap=1024)
    leases = [pool.take(512) for _ in range(4)]
    while leases:
        leases.pop(0)
    small = pool.take(256)
    assert pool.idle == 1024
    assert [b.released for _, b in memory.allocations] == [True, True, False, False, False]
    del small


@pytest.mark.parametrize("late", [False, True])
def test_idle_buffers_are_freed_if_memory_is_short(late: bool) -> None:
    big = CHECKED_BYTES
    memory = FakeMemory(3 * big, late)
    pool = pool_of(memory)
    held = pool.take(big)
    idle = pool.take(big)
    del idle
    large = pool.take(2 * big)
    assert large.buffer.size == 2 * big
    with pytest.raises(RuntimeError, match=f"{2 * big} bytes"):
        pool.take(2 * big)
    del held, large


def test_child_pool_frees_idle_buffers_of_parent() -> None:
    pool = pool_of(FakeMemory(1024))
    pool.take(1024)  # freed at once, so idle
    assert pool.spawn().take(512).buffer.size == 512
    assert pool.allocated == 0


def test_buffers_of_adopted_pool_are_returned() -> None:
    pool = pool_of(FakeMemory(1 << 20))
    other = pool.spawn()
    held = [other.take(size) for size in (256, 512, 1024)]
    held.pop()
    pool.adopt(other)
    assert pool.in_use() == 256 + 512
    for used in (256, 0):
        held.pop()
        assert pool.in_use() == used
        pool.collect()
        assert (pool.in_use(), pool.idle) == (used, 1792 - used)
    assert not pool._elsewhere, "buffers are still expected"


def test_in_use_does_not_change_the_pool() -> None:
    """Another thread may call it while the owner takes and returns buffers."""
    pool = pool_of(FakeMemory(1 << 20))
    lease = pool.take(256)
    buffer = lease.buffer
    del lease
    assert pool.in_use() == 0
    assert list(pool._returned) == [buffer]


def test_part_of_part() -> None:
    lease = pool_of(FakeMemory(1 << 20)).take(4096)
    part = Part(lease, 1024, 2048)
    part.buffer.written = part.buffer.used = 7
    inner = Part(part, 512, 256)
    assert (inner.buffer.gl, inner.buffer.offset, inner.buffer.size) == (lease.buffer.gl, 1536, 256)
    assert inner.span() == (inner.buffer.bind, 1536, 256)
    assert inner.buffer.written == 7, "reads must wait for earlier writes"


@pytest.mark.parametrize("kind", [Lease, Part])
def test_uninitialized_lease_is_deleted_without_error(kind: type[Lease], monkeypatch: pytest.MonkeyPatch) -> None:
    """As if an interrupt had prevented `__init__`."""
    complaints: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    kind.__new__(kind)
    assert not complaints


def test_out_of_memory_while_reading(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    big, small = (computed(tf.tensor(np.ones(size, np.float32)).add(1)) for size in (1_000_000, 10))
    device._staging = device.context.buffer(reserve=1 << 16)
    with monkeypatch.context() as patch:
        patch.setattr(type(device.pool), "_attempt", lambda *given: None)
        with pytest.raises(RuntimeError, match="out of memory"):
            big.data_sync()
    assert small.array_sync() == [2] * 10
    assert float(big.max()) == 2


def test_unreferenced_models_are_collected_if_memory_is_short(device: Device, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are in reference cycles, whose memory the garbage collector does not see."""
    real, most = device.pool._allocate, device.pool.allocated + (24 << 20)

    def allocate(size: int) -> Any:
        if device.pool.allocated + sum(pool.allocated for pool in device.pools) + size > most:
            raise MemoryError
        return real(size)

    monkeypatch.setattr(device.pool, "_allocate", allocate)
    gc.disable()
    try:
        for _ in range(12):
            model = tf.sequential(layers=[tf.layers.dense(units=1024, input_shape=[1024])])
            model.compile(optimizer="sgd", loss="meanSquaredError")
            model.train_on_batch(tf.zeros([1, 1024]), tf.zeros([1, 1024]))
    finally:
        gc.enable()


def test_loop_reuses_buffers(device: Device) -> None:
    x = computed(tf.tensor(np.ones((100, 100), np.float32)))

    def step() -> None:
        tf.tidy(lambda: float(x.mat_mul(x).relu().sum()))

    for _ in range(3):
        step()
    count = device.pool.count
    for _ in range(20):
        step()
    assert device.pool.count == count


def test_uploads_through_ring_buffer(device: Device) -> None:
    """Uploads larger than the ring, and ones that wrap around; this is the path used on hardware."""
    uploads = Uploads(device.context, True, 1 << 12)
    rng = np.random.default_rng(0)
    for size in (1, 3, 1000, 5000, 17, 300, 700):
        values = rng.integers(0, 1 << 30, size).astype(np.int32)
        lease = device.take(values.nbytes)
        uploads.write(lease.buffer, values.data.cast("B"))
        found = np.empty_like(values)
        device.download(lease.buffer, found)
        np.testing.assert_array_equal(found, values)
    device.check()


def test_child_pool_takes_idle_buffers() -> None:
    pool = pool_of(FakeMemory(1 << 20))
    held = [pool.take(size) for size in (256, 512, 1024)]
    idle, later, _ = (lease.buffer for lease in held)
    del held[0]
    other = pool.spawn()
    del held[0]
    taken = [other.take(256), other.take(512)]
    assert taken[0].buffer is idle
    assert taken[1].buffer is not later, "it may hold values that the owner of the parent still reads"
    assert other.owns(idle)
    assert not pool.owns(idle)
    assert (pool.allocated, pool.count, pool.in_use()) == (512 + 1024, 2, 1024)
    assert (other.allocated, other.count, other.in_use()) == (256 + 512, 2, 256 + 512)
    pool.adopt(other)
    del taken
    pool.collect()
    assert (pool.allocated, pool.count, pool.in_use()) == (256 + 512 + 512 + 1024, 4, 1024)
