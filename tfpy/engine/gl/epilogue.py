"""Tasks whose shader also computes the elementwise operations that follow: its epilogue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

from tfpy.engine.gl.device import Device
from tfpy.engine.gl.memory_pool import Buffer, Lease
from tfpy.engine.gl.templates import Fused, interned
from tfpy.engine.gl.value import Value


class Epilogue(NamedTuple):
    """The elementwise operations that a shader applies to each element of a task's result.

    Attributes:
        fused: the operations.
        words: their parameters.
        reads: the buffers that they read.
    """

    fused: Fused
    words: Sequence[int] = ()
    reads: Sequence[Buffer] = ()


def no_epilogue(dtype: str) -> Epilogue:
    """The epilogue that only stores the result of the task, which has this dtype."""
    return Epilogue(interned((("base", dtype),), ((0, dtype),)))


class EpilogueTask(ABC):
    """A task of which one method computes the value, with or without further operations."""

    takes_epilogue = True

    def run(self, device: Device, value: Value) -> Lease:
        lease = device.room(value)
        self.compute(device, value, no_epilogue(value.spec.dtype), [lease])
        return lease

    def run_with_epilogue(self, device: Device, value: Value, epilogue: Epilogue) -> list[Lease]:
        """Compute the value, and apply the epilogue to each element; returns a buffer for each of its results."""
        leases = [device.take(value.spec.size * width) for width in epilogue.fused.widths]
        self.compute(device, value, epilogue, leases)
        return leases

    @abstractmethod
    def compute(self, device: Device, value: Value, epilogue: Epilogue, leases: Sequence[Lease]) -> None:
        """Compute the value that has this task, and store the results of the epilogue in the leases."""
