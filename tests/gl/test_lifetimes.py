"""Buffers stay alive until the shaders that read them have run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from layers.rows import ROWS
from layers.table import Row

import tfpy as tf
from tfpy.engine.gl import memory_pool
from tfpy.engine.gl.backend import GlBackend
from tfpy.engine.gl.device import Device
from tfpy.layers.symbolic import to_list

pytestmark = pytest.mark.gl


@pytest.fixture(autouse=True)
def check_buffer_lifetimes(gpu: GlBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable reuse of buffers, and fail if a shader runs on a released one."""
    holders: Counter[int] = Counter()

    class Lease(memory_pool.Lease):
        __slots__ = ()

        def __init__(self, buffer: memory_pool.Buffer, returned: Any) -> None:
            super().__init__(buffer, returned)
            holders[id(buffer.gl)] += 1

        def __del__(self) -> None:
            holders[id(self.buffer.gl)] -= 1
            super().__del__()

    dispatch = Device.dispatch

    def checked(
        device: Device,
        program: Any,
        reads: Sequence[memory_pool.Buffer],
        writes: Sequence[memory_pool.Buffer],
        *rest: Any,
    ) -> None:
        assert all(holders[id(buffer.gl)] for buffer in (*reads, *writes)), "a buffer has been released"
        dispatch(device, program, reads, writes, *rest)

    gpu.device.constants.clear()  # existing leases are not counted
    monkeypatch.setattr(memory_pool, "Lease", Lease)
    monkeypatch.setattr(memory_pool.Pool, "take", memory_pool.Pool.fresh)
    monkeypatch.setattr(Device, "dispatch", checked)


def _row() -> tf.Tensor:
    return tf.tensor([[1, 2, 3]]).mul(2).reshape([1, 3])


PROGRAMS: dict[str, Callable[[], tf.Tensor]] = {
    "operand computed from the other, a view": lambda: (row := _row()).mat_mul(
        row.mat_mul(tf.ones([3, 1])).mul(2), True
    ),
    "view in a chain": lambda: (row := _row()).add(row.mat_mul(tf.ones([3, 1])).reshape([1])),
    "rows of a product": lambda: tf.ones([70, 64]).mat_mul(tf.ones([64, 64])).slice([64, 0], [6, 64]).softmax().mul(2),
    "concatenation of views": lambda: tf.concat([_row(), _row().reverse(1), _row().mul(2).slice([0, 1], [1, 2])], 1),
    "convolution of a view": lambda: tf.ones([1, 36]).mul(2).reshape([1, 6, 6, 1]).conv2d(
        tf.ones([3, 3, 1, 2]), 1, "same"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_with_views(name: str) -> None:
    found = PROGRAMS[name]().array_sync()
    tf.set_backend("cpu")
    assert found == PROGRAMS[name]().array_sync()


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_layers_and_their_gradients(row: Row) -> None:
    layer, inputs = row.make(), row.inputs()

    def value() -> tf.Tensor:
        outputs = [t.cast("float32").sum() for t in to_list(layer.apply(inputs, **row.call))]
        return tf.add_n(outputs)

    assert np.isfinite(value().data_sync()).all()
    if layer.trainable_weights:
        result = tf.variable_grads(value)
        assert all(np.isfinite(grad.data_sync()).all() for grad in result.grads.values())
