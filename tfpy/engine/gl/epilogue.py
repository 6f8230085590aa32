"""Tasks whose shader also computes the elementwise operations that follow: its epilogue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.memory_pool import Buffer, Lease
from tfpy.engine.gl.templates import Fused, interned
from tfpy.engine.gl.value import Value


class EpilogueTask(ABC):
    """A task of which one method computes the value, with or without an epilogue."""

    takes_epilogue = True

    def run(self, device: Device, value: Value) -> Lease:
        lease = device.room(value)
        self.compute(device, value, plain(value.spec.dtype), (), (), [lease])
        return lease

    def run_with_epilogue(
        self, device: Device, value: Value, fused: Fused, words: Sequence[int], others: Sequence[Buffer]
    ) -> list[Lease]:
        """Compute the value, and apply the epilogue to each element; returns a buffer for each of its results."""
        leases = [device.take(value.spec.size * width) for width in fused.widths]
        self.compute(device, value, fused, words, others, leases)
        return leases

    @abstractmethod
    def compute(
        self, device: Device, value: Value, fused: Fused, words: Sequence[int], others: Sequence[Buffer],
        leases: Sequence[Lease],
    ) -> None:  # fmt: skip
        """Compute the value that has this task, and apply the epilogue, `fused`, to each element.

        Args:
            words: the parameters of the epilogue.
            others: the buffers that it reads.
            leases: where its results are stored.
        """


def plain(dtype: str) -> Fused:
    """The epilogue that stores the task's own result."""
    return interned((("base", dtype),), ((0, dtype),))
