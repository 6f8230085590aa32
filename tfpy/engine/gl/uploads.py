"""Bytes on their way to the GPU: straight into a buffer, or by way of a ring.

NVIDIA's driver was seen to write bytes to a buffer at once while shaders that were started before still had to read it,
whatever barriers stood between. It keeps the order of copies from buffer to buffer. So hardware gets its bytes through
a ring of memory that no shader uses.
"""

from __future__ import annotations

from typing import Any

from tfpy.engine.gl.pool import Buffer

RING_BYTES = 1 << 24
_ALIGNMENT_BYTES = 256  # pieces begin at multiples of it


class Uploads:
    """How the host's bytes get into buffers.

    Attributes:
        through_ring: whether they go by way of the ring.
    """

    def __init__(self, context: Any, through_ring: bool, size: int = RING_BYTES) -> None:
        self.through_ring = through_ring
        self._context = context
        self._size = size
        self._ring: Any = None
        self._next = 0

    def write(self, buffer: Buffer, data: memoryview | bytes) -> None:
        """Fill a buffer from its beginning."""
        if not self.through_ring:
            buffer.write(data, buffer.offset)
            return
        for start in range(0, len(data), self._size):
            self._pass_on(buffer, data[start : start + self._size], start)

    def _pass_on(self, buffer: Buffer, piece: memoryview | bytes, start: int) -> None:
        if self._ring is None:
            self._ring = self._context.buffer(reserve=self._size)
        if self._next + len(piece) > self._size:
            self._context.finish()  # the copies from the ring's beginning must have been made
            self._next = 0
        self._ring.write(piece, self._next)
        self._context.copy_buffer(
            buffer.gl, self._ring, len(piece), read_offset=self._next, write_offset=buffer.offset + start
        )
        self._next += -(-len(piece) // _ALIGNMENT_BYTES) * _ALIGNMENT_BYTES
