"""GPU memory: buffers in size classes, reused instead of freed.

A buffer that Python drops returns to the pool immediately, on any thread; nothing is freed at that point. The owning
thread frees what exceeds the cap when it next requests a buffer.
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable
from typing import Any

SMALLEST_BYTES = 256
ALIGNMENT_BYTES = 256  # parts of buffers start at multiples of it, which every device supports
MAX_IDLE_BYTES = 1 << 30
CHECKED_BYTES = 1 << 24  # allocations from this size on are checked: drivers report lack of memory late, if at all


def size_class(nbytes: int) -> int:
    """The size of the buffer for this many bytes: four sizes for each power of two, all multiples of 16 bytes."""
    if nbytes <= SMALLEST_BYTES:
        return SMALLEST_BYTES
    step = 1 << ((nbytes - 1).bit_length() - 3)
    return -(-nbytes // step) * step


def aligned(nbytes: int) -> int:
    """This many bytes, rounded up to where the next part of a buffer may start; vectors can be read at the end."""
    return -(-nbytes // ALIGNMENT_BYTES) * ALIGNMENT_BYTES


Span = tuple[Callable[[int, int, int], None], int, int]
"""A range of the device's memory: the function that binds it, its offset, and its size in bytes."""


class Buffer:
    """A shader storage buffer, or a part of one that is bound as if it were one.

    Attributes:
        bind, write: methods of moderngl's inner object: without its Python layer, a call costs half.
        offset, size: the range in bytes.
        written: the number (see `Device`) of the last dispatch that wrote to it.
        used: the number of the last dispatch that read it or wrote to it.
    """

    __slots__ = ("bind", "gl", "offset", "size", "stamp", "used", "write", "written")

    def __init__(self, gl: Any, size: int, offset: int = 0) -> None:
        self.gl = gl
        self.size = size
        self.offset = offset
        self.bind: Callable[[int, int, int], None] = gl.mglo.bind_to_storage_buffer
        self.write: Callable[[Any, int], None] = gl.mglo.write
        self.written = self.used = -1
        self.stamp = 0


class Lease:
    """The use of a buffer by one value or several; the buffer returns to the pool when Python drops the lease."""

    __slots__ = ("_returned", "buffer")

    def __init__(self, buffer: Buffer, returned: deque[Buffer]) -> None:
        self._returned = returned
        self.buffer = buffer

    def span(self) -> Span:
        """The memory range."""
        buffer = self.buffer
        return buffer.bind, 0, buffer.size

    def __del__(self) -> None:
        buffer = getattr(self, "buffer", None)  # missing if an interrupt preempted `__init__`
        if buffer is not None:
            self._returned.append(buffer)


class Part(Lease):
    """The use of a part of a leased buffer, which is in use as long as one of its parts is.

    The whole is not informed of reads and writes in its parts until `inform_whole` is called: users of both must take
    care of barriers. Most parts are only ever bound together with others, so a part's `buffer` is created lazily.

    Attributes:
        whole: the lease of the buffer, also for a part of a part.
        offset, size: the range in bytes; parts start at multiples of 256 bytes, which every device supports.
    """

    __slots__ = ("_own", "offset", "size", "whole")

    whole: Lease
    offset: int

    def __init__(self, whole: Lease, offset: int, size: int) -> None:
        if isinstance(whole, Part):
            whole.inform_whole()
            offset += whole.offset
            whole = whole.whole
        self.whole = whole
        self.offset = offset
        self.size = size
        self._own: Buffer | None = None

    def __getattr__(self, name: str) -> Buffer:
        """The buffer, created on first access."""
        if name != "buffer":
            raise AttributeError(name)
        whole = self.whole.buffer
        self.buffer = self._own = Buffer(whole.gl, self.size, self.offset)
        self.buffer.used, self.buffer.written = whole.used, whole.written
        return self.buffer

    def span(self) -> Span:
        return self.whole.buffer.bind, self.offset, self.size

    def inform_whole(self) -> None:
        """Inform the whole of reads and writes in this part."""
        own = getattr(self, "_own", None)  # missing if an interrupt preempted `__init__`
        if own is not None:
            whole = self.whole.buffer
            whole.used, whole.written = max(whole.used, own.used), max(whole.written, own.written)

    __del__ = inform_whole


class Pool:
    """The buffers of one device.

    Attributes:
        allocated: bytes of all buffers, in use or idle.
        idle: bytes of the idle ones.
    """

    def __init__(
        self,
        allocate: Callable[[int], Any],
        out_of_memory: Callable[[], bool],
        cap: int = MAX_IDLE_BYTES,
        make_room: Callable[[], None] = lambda: None,
        parent: Pool | None = None,
    ) -> None:
        self.allocated = 0
        self.idle = 0
        self.count = 0
        self._allocate = allocate
        self._out_of_memory = out_of_memory
        self._cap = cap
        self._make_room = make_room
        self._parent = parent
        self._bins: dict[int, deque[Buffer]] = {}
        self._returned: deque[Buffer] = deque()
        self._adopted: deque[Pool] = deque()
        self._elsewhere: list[Pool] = []  # adopted pools; their `allocated` counts the bytes not returned yet
        self._made: set[int] = set()
        self._clock = 0

    def take(self, nbytes: int) -> Lease:
        """A buffer of at least this many bytes, with arbitrary contents.

        Raises:
            RuntimeError: the device is out of memory, even after the idle buffers were freed.
        """
        size, returned = SMALLEST_BYTES if nbytes <= SMALLEST_BYTES else size_class(nbytes), self._returned
        if returned or self._adopted:
            if len(returned) == 1:  # the buffer just dropped is usually the one needed next
                buffer = returned.pop()
                if buffer.size == size:
                    return Lease(buffer, returned)
                returned.append(buffer)
            self.collect()
            if self.idle > self._cap:
                self.trim(self._cap)
        waiting = self._bins.get(size)
        if waiting:
            buffer = waiting.pop()
            self.idle -= size
        else:
            buffer = self._new(size)
        return Lease(buffer, returned)

    def fresh(self, nbytes: int) -> Lease:
        """A buffer that has not been used since this pool was created."""
        return Lease(self._new(size_class(nbytes)), self._returned)

    def trim(self, cap: int = 0) -> None:
        """Free the buffers that have been idle longest until at most `cap` bytes are idle."""
        self.collect()
        while self.idle > cap:
            oldest = min((waiting for waiting in self._bins.values() if waiting), key=lambda waiting: waiting[0].stamp)
            buffer = self._remove(oldest.popleft())
            buffer.gl.release()

    def _hand_over(self, size: int) -> Buffer | None:
        """Hand an idle buffer over to another pool."""
        waiting = self._bins.get(size)
        return self._remove(waiting.pop()) if waiting else None

    def _remove(self, buffer: Buffer) -> Buffer:
        """Remove an idle buffer from this pool."""
        self._made.discard(id(buffer.gl))
        self.idle -= buffer.size
        self.allocated -= buffer.size
        self.count -= 1
        return buffer

    def spawn(self) -> Pool:
        """An empty pool on the same device, which takes over buffers that are idle now, and frees the rest if need be.

        Buffers that return to this pool later stay here, since the other one may have read their contents. The other
        pool has no cap on idle bytes: a recording will reuse all of them.
        """
        self.collect()
        return Pool(self._allocate, self._out_of_memory, sys.maxsize, self._free_idle, self)

    def _free_idle(self) -> None:
        self._make_room()
        self.trim()

    def adopt(self, other: Pool) -> None:
        """Take over the buffers of another pool, which is not used again; on any thread, without OpenGL calls."""
        self._adopted.append(other)

    def owns(self, buffer: Buffer) -> bool:
        """Whether a buffer, or the one that it is a part of, belongs to this pool."""
        return id(buffer.gl) in self._made

    def in_use(self) -> int:
        """Bytes of the buffers that values hold; on any thread."""
        returned = sum(buffer.size for pool in (self, *self._elsewhere) for buffer in list(pool._returned))
        return self.allocated - self.idle - returned + sum(other.in_use() for other in list(self._adopted))

    def collect(self) -> None:
        """Collect returned buffers, and those of adopted pools."""
        while self._adopted:
            self._take_over(self._adopted.popleft())
        self._drain(self._returned)
        for other in self._elsewhere:
            other.allocated -= self._drain(other._returned)
        self._elsewhere = [other for other in self._elsewhere if other.allocated]

    def _take_over(self, other: Pool) -> None:
        other.collect()
        self.allocated += other.allocated
        self.count += other.count
        self._made |= other._made
        for waiting in other._bins.values():
            self._returned.extend(waiting)
        other.allocated -= other.idle
        self._elsewhere += [other, *other._elsewhere]

    def _drain(self, returned: deque[Buffer]) -> int:
        """Make the returned buffers idle; their size in bytes."""
        before = self.idle
        while returned:
            buffer = returned.popleft()
            self._clock += 1
            buffer.stamp = self._clock
            self._bins.setdefault(buffer.size, deque()).append(buffer)
            self.idle += buffer.size
        return self.idle - before

    def allocate(self, size: int) -> Any:
        """Newly allocated memory.

        Raises:
            RuntimeError: the device is out of memory, even after everything dispensable was freed.
        """
        gl = self._attempt(size)
        if gl is None:
            self._make_room()
            self.trim()
            gl = self._attempt(size)
        if gl is None:
            raise RuntimeError(
                f"webgl: the GPU is out of memory: {size} bytes do not fit next to the {self.allocated} in use. "
                "Dispose tensors, compute in scopes (`tidy`), or make the batches smaller."
            )
        return gl

    def _new(self, size: int) -> Buffer:
        buffer = None if self._parent is None else self._parent._hand_over(size)
        if buffer is None:
            buffer = Buffer(self.allocate(size), size)
        self.allocated += size
        self.count += 1
        self._made.add(id(buffer.gl))
        return buffer

    def _attempt(self, size: int) -> Any:
        try:
            gl = self._allocate(size)
        except Exception:  # moderngl raises a bare Error
            return None
        if size >= CHECKED_BYTES and self._out_of_memory():
            gl.release()
            return None
        return gl
