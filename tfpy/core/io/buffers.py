"""Bytes in pieces: the shards of a model's weights, read as if they were one."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import AsyncIterable
from typing import Any

import numpy as np

from tfpy.core.calling.ready import finish
from tfpy.core.calling.registry import export
from tfpy.core.io._camel import CompositeArrayBufferCamel
from tfpy.engine.errors import argument_error


@export(namespace="io", doc="Models / Loading")
class CompositeArrayBuffer(CompositeArrayBufferCamel):
    """Bytes in several pieces that are read as if they were one, without copying them together.

    Args:
        buffers: bytes, a numpy array, or a list of either; None means empty.

    Source: TF.js `tf.io.CompositeArrayBuffer`.
    """

    def __init__(self, buffers: Any = None) -> None:
        self._pieces = views_of("CompositeArrayBuffer", "buffers", buffers)
        self._ends = list(itertools.accumulate(map(len, self._pieces)))

    @property
    def byte_length(self) -> int:
        """The number of bytes."""
        return self._ends[-1] if self._ends else 0

    def slice(self, start: int = 0, end: int | None = None) -> bytes:
        """The bytes from start to end; both are clamped to the available range."""
        last = self.byte_length if end is None else min(max(end, 0), self.byte_length)
        return bytes(self.view(min(max(start, 0), last), last))

    def view(self, start: int, end: int) -> memoryview:
        """The bytes from start to end, which must exist; copied only across a boundary between pieces."""
        parts = []
        index = bisect_right(self._ends, start)
        while start < end:
            piece, before = self._pieces[index], self._ends[index] - len(self._pieces[index])
            parts.append(piece[start - before : end - before])
            start, index = self._ends[index], index + 1
        return parts[0] if len(parts) == 1 else memoryview(b"".join(parts))

    @staticmethod
    def join(buffers: Any = None) -> bytes:
        """Bytes, or a list of them, as one."""
        return concatenate_array_buffers(buffers)


@export(namespace="io", doc="Models / Loading")
def concatenate_array_buffers(buffers: Any) -> bytes:
    """Bytes, or a list of them, as one.

    Args:
        buffers: bytes, a numpy array, or a list of either; None means empty.

    Source: TF.js `tf.io.concatenateArrayBuffers`.
    """
    if isinstance(buffers, bytes):
        return buffers
    return b"".join(views_of("concatenate_array_buffers", "buffers", buffers))


def pieces_of(stream: Any) -> list[Any] | None:
    """The whole content of a stream; None if it is none.

    Args:
        stream: a file object; bytes; or an iterable or async iterable of bytes.
    """
    if hasattr(stream, "read"):
        return [finish(stream.read())]
    if hasattr(stream, "__aiter__"):
        return list(finish(_gathered(stream)))
    if isinstance(stream, (bytes, bytearray, memoryview)):
        return [stream]
    return list(stream) if hasattr(stream, "__iter__") else None


async def _gathered(stream: AsyncIterable[Any]) -> list[Any]:
    return [piece async for piece in stream]


def views_of(op: str, argument: str, buffers: Any) -> list[memoryview]:
    """The bytes of an argument: of one piece, of a list of them, or of None, which has none.

    Raises:
        TypeError: they are not bytes.
    """
    listed = buffers if isinstance(buffers, (list, tuple)) else [] if buffers is None else [buffers]
    return [_view(op, argument, buffer) for buffer in listed]


def _view(op: str, argument: str, buffer: Any) -> memoryview:
    if isinstance(buffer, np.ndarray) and buffer.dtype != object:
        return np.ascontiguousarray(buffer).reshape(-1).view(np.uint8).data
    if isinstance(buffer, CompositeArrayBuffer):
        return buffer.view(0, buffer.byte_length)
    if not isinstance(buffer, (bytes, bytearray, memoryview)):
        raise argument_error(op, argument, "bytes, or a list of them", buffer, TypeError)
    view = memoryview(buffer)
    if not view.nbytes:  # an empty view of another format cannot be cast
        return memoryview(b"")
    return (view if view.c_contiguous else memoryview(view.tobytes())).cast("B")
