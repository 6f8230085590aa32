"""Uploads to the GPU: directly into a buffer, or through a ring buffer.

NVIDIA's driver was seen to write to a buffer immediately while shaders dispatched earlier still had to read it,
regardless of barriers. It preserves the order of copies between buffers. So on hardware, uploads go through a ring
buffer that no shader uses.
"""

from __future__ import annotations

from typing import Any

from tfpy.engine.gl.memory_pool import Buffer

RING_BYTES = 1 << 24
_ALIGNMENT_BYTES = 256  # pieces start at multiples of it


class Uploads:
    """Uploads the host's bytes to buffers.

    Attributes:
        through_ring: whether they go through the ring buffer.
    """

    def __init__(self, context: Any, through_ring: bool, size: int = RING_BYTES) -> None:
        self.through_ring = through_ring
        self._context = context
        self._size = size
        self._ring: Any = None
        self._next = 0

    def write(self, buffer: Buffer, data: memoryview | bytes) -> None:
        """Fill a buffer from its start."""
        if not self.through_ring:
            buffer.write(data, buffer.offset)
            return
        for start in range(0, len(data), self._size):
            self._pass_on(buffer, data[start : start + self._size], start)

    def _pass_on(self, buffer: Buffer, piece: memoryview | bytes, start: int) -> None:
        if self._ring is None:
            self._ring = self._context.buffer(reserve=self._size)
        if self._next + len(piece) > self._size:
            self._context.finish()  # the copies from the start of the ring must be complete
            self._next = 0
        self._ring.write(piece, self._next)
        self._context.copy_buffer(
            buffer.gl, self._ring, len(piece), read_offset=self._next, write_offset=buffer.offset + start
        )
        self._next += -(-len(piece) // _ALIGNMENT_BYTES) * _ALIGNMENT_BYTES
