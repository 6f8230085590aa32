"""Tasks whose shader also computes the elementwise operations that follow."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.pool import Buffer, Lease
from tfpy.engine.gl.templates import Fused, interned
from tfpy.engine.gl.value import Value


class ExtendingTask(ABC):
    """A task of which one method computes the value, with or without further steps."""

    extends = True

    def run(self, device: Device, value: Value) -> Lease:
        lease = device.room(value)
        self.compute(device, value, plain(value.spec.dtype), (), (), [lease])
        return lease

    def extend(
        self, device: Device, value: Value, fused: Fused, words: Sequence[int], others: Sequence[Buffer]
    ) -> list[Lease]:
        """Compute the value, and apply the steps to each element; returns a buffer for each of their results."""
        leases = [device.take(value.spec.size * width) for width in fused.widths]
        self.compute(device, value, fused, words, others, leases)
        return leases

    @abstractmethod
    def compute(
        self, device: Device, value: Value, fused: Fused, words: Sequence[int], others: Sequence[Buffer],
        leases: Sequence[Lease],
    ) -> None:  # fmt: skip
        """Compute the value that has this task, and apply the steps to each element.

        Args:
            words: the parameters of the steps.
            others: the buffers that they read.
            leases: where their results are stored.
        """


def plain(dtype: str) -> Fused:
    """The task's own result, without further steps."""
    return interned((("base", dtype),), ((0, dtype),))
