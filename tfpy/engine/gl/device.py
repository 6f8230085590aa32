"""A GPU device: access checks, dispatches with the barriers they need, transfers, counters.

The context belongs to the thread that opened it. OpenGL reports errors silently and late, so everything possible is
checked here first.
"""

from __future__ import annotations

import gc
import os
import sys
import weakref
from collections.abc import Callable, Hashable, Sequence
from threading import current_thread, get_ident, local, main_thread
from typing import Any, NamedTuple, Protocol

import numpy as np

from tfpy.engine.backend import Array
from tfpy.engine.gl.arrivals import Arrivals
from tfpy.engine.gl.compilers import compiler_of
from tfpy.engine.gl.context import Opened, shared_memory
from tfpy.engine.gl.memory_pool import Buffer, Lease, Pool
from tfpy.engine.gl.programs import Program, Programs
from tfpy.engine.gl.recipes import Recipes
from tfpy.engine.gl.signals import undisturbed
from tfpy.engine.gl.structures import Structures
from tfpy.engine.gl.uploads import Uploads
from tfpy.engine.gl.value import Value, stored_bytes

BARRIER = 0x2000 | 0x200, False  # GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT, everywhere
_BINDING_POINTS = 64  # for buffers: more than a shader has
_MAX_INPUT_BUFFERS = 10
_OUTPUT_BUFFERS = 5
_STAGING_BYTES = 1 << 26
_MAX_BLOCK_BYTES = 2**31 - 1
_SOFTWARE_ITERATIONS = 60_000


class Counts:
    """Counters of a device since it was opened; `fallbacks` counts kernel runs for which it has no shader."""

    __slots__ = ("copies", "dispatches", "downloads", "fallbacks", "uploads")

    def __init__(self) -> None:
        self.dispatches = self.copies = self.uploads = self.downloads = 0
        self.fallbacks: dict[str, int] = {}


class Dispatched(NamedTuple):
    """A dispatch, as logged in `Device.log`."""

    program: Program
    reads: Sequence[Buffer]
    writes: Sequence[Buffer]
    words: Sequence[int]
    groups: int
    layers: int


class Copied(NamedTuple):
    """A copy, as logged in `Device.log`."""

    reads: Sequence[Buffer]
    writes: Sequence[Buffer]
    nbytes: int


Log = list[Dispatched | Copied | Lease | None]
"""Recorded work: dispatches, copies, and the leases of uploads; None for work that cannot be repeated."""

Call = tuple[Callable[..., object], tuple[Any, ...]]
"""One of moderngl's own functions, and its arguments."""


class Cache(Protocol):
    """A holder of memory that can be freed when memory runs out."""

    def clear(self) -> None:
        """Free the memory."""


class Device:
    """The owner of a context.

    Dispatches are numbered, and may overlap where they do not depend on each other. A shader that reads what was
    written after the last barrier, or writes to what was used after it, gets a barrier first.

    Attributes:
        software: whether it is a software renderer.
        attempts: where a GPU was looked for.
        shared_bytes: the shared memory of a group of threads.
        exact_division: its division and square root are correctly rounded.
        compiler: what can be left to its compiler.
        counts: its counters.
        uploads: uploads bytes to it.
        arrivals: counters for shaders whose last group combines what the others found.
        pool: the pool of its buffers.
        pools: the pools of recorded plans.
        caches: holders of memory that can be freed.
        log: the log of its work, if it is being recorded.
        constants: small values that kernels need repeatedly, by key.
        blocks: how many buffers a shader may use.
        places: memory in which the results of tasks are wanted, for values for which that matters.
        structures, recipes: caches of what has been computed so far, and how.
        block_size: the maximum number of bytes of a buffer.
        most_groups: the maximum number of groups along the first axis.
        most_iterations: the limit for a thread's loops; Mesa's software renderer ends it after 65,535 iterations.
        memory_barrier, copy_bytes: moderngl's inner functions.
    """

    def __init__(self, opened: Opened) -> None:
        self.context = opened.context
        self.software = opened.software
        self.attempts = opened.attempts
        self.shared_bytes = shared_memory(opened.context)
        info = self.context.info
        self.renderer: str = info["GL_RENDERER"]
        self.compiler = compiler_of(info["GL_VENDOR"], opened.software)
        self.blocks = int(info["GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS"])
        self.structures = Structures(min(_MAX_INPUT_BUFFERS, self.blocks - _OUTPUT_BUFFERS))
        self.recipes = Recipes()
        self.places: dict[Value, Lease] = {}
        self.block_size = min(int(info["GL_MAX_SHADER_STORAGE_BLOCK_SIZE"]), _MAX_BLOCK_BYTES)
        self.most_groups = int(info["GL_MAX_COMPUTE_WORK_GROUP_COUNT"][0])
        self.most_iterations = _SOFTWARE_ITERATIONS if self.software else sys.maxsize
        self.counts = Counts()
        self.constants: dict[Hashable, Value] = {}
        self.log: Log | None = None
        self.caches: weakref.WeakSet[Cache] = weakref.WeakSet()
        self.pool = Pool(lambda size: self.context.buffer(reserve=size), self._out_of_memory, make_room=self.make_room)
        self.pools: weakref.WeakSet[Pool] = weakref.WeakSet()
        self._thread = get_ident()
        self._dead = ""
        self._fence = 1
        self._bound: list[Buffer | None] = [None] * _BINDING_POINTS
        self.arrivals = Arrivals(self.context)
        self.uploads = Uploads(self.context, not self.software)
        self._staging: Any = None
        self.memory_barrier: Callable[[int, bool], None] = self.context.mglo.memory_barrier
        self.copy_bytes: Callable[[Any, Any, int, int, int], None] = self.context.mglo.copy_buffer
        self.programs = Programs(self._compile, False)
        self.exact_division = self._divides_exactly()
        self.programs = Programs(self._compile, self.exact_division)
        _die_in_children(self)
        _die_with_thread(self)

    def take(self, nbytes: int, fresh: bool = False) -> Lease:
        """Memory for a result, with arbitrary contents. If `fresh`, it has not been used since the pool was created.

        Raises:
            ValueError: more than the device allows in one buffer. RuntimeError: out of memory.
        """
        if get_ident() != self._thread:
            raise self._refusal()
        if nbytes > self.block_size:
            raise ValueError(
                f"webgl: a tensor of {nbytes} bytes exceeds this GPU's limit of {self.block_size} for one buffer. "
                "Smaller batches avoid it, or the backend 'cpu'."
            )
        return self.pool.fresh(nbytes) if fresh else self.pool.take(nbytes)

    def dispatch(
        self, program: Program, reads: Sequence[Buffer], writes: Sequence[Buffer], words: Sequence[int], groups: int,
        layers: int = 1,
    ) -> None:  # fmt: skip
        """Run a shader with these parameters on buffers, bound in order from 0.

        Args:
            groups: the number of groups; beyond the limit of one axis they are laid out in two, which shaders undo.
            layers: the number of groups along the third axis.
        """
        if get_ident() != self._thread:
            raise self._refusal()
        if self.log is not None:
            self.log.append(Dispatched(program, tuple(reads), tuple(writes), words, groups, layers))
        counts, bound, fence = self.counts, self._bound, self._fence
        counts.dispatches = number = counts.dispatches + 1
        place = 0
        for buffer in reads:
            if buffer.written >= fence:
                fence = number
            if bound[place] is not buffer:
                bound[place] = buffer  # first, since Ctrl-C may interrupt after the call
                buffer.bind(place, buffer.offset, buffer.size)
            buffer.used = number
            place += 1
        for buffer in writes:
            if buffer.used >= fence:
                fence = number
            if bound[place] is not buffer:
                bound[place] = buffer
                buffer.bind(place, buffer.offset, buffer.size)
            buffer.used = buffer.written = number
            place += 1
        if fence == number:
            self.memory_barrier(*BARRIER)
            self._fence = number
        if words != program.words:
            program.set(words)
        across, down = (groups, 1) if groups <= self.most_groups else self.in_rows(groups)
        program.run(across, down, layers)

    def in_rows(self, groups: int) -> tuple[int, int]:
        """How many groups there are along the first two axes."""
        if groups <= self.most_groups:
            return groups, 1
        rows = -(-groups // self.most_groups)
        return -(-groups // rows), rows

    def run_again(self, calls: Sequence[Call], dispatches: int, copies: int) -> None:
        """Repeat recorded OpenGL calls, which include the given numbers of dispatches and copies.

        Barriers before and after make the buffers' own records unnecessary, even if an interrupt such as Ctrl-C cuts
        the calls short.
        """
        self.barrier()
        try:
            for call, arguments in calls:
                call(*arguments)
        finally:
            self._bound = [None] * _BINDING_POINTS
            self.counts.dispatches += dispatches
            self.counts.copies += copies
            self.barrier()

    def barrier(self) -> None:
        """Let subsequent shaders wait for all previous ones."""
        done = self.counts.dispatches
        if done >= self._fence:
            self.memory_barrier(*BARRIER)
            self._fence = done + 1

    def make_room(self) -> None:
        """Free memory that is held by caches, or by models that are no longer reachable."""
        gc.collect()
        for cache in list(self.caches):
            cache.clear()
        self.pool.collect()

    def upload(self, values: Array) -> Lease:
        """A buffer holding the bytes of an array.

        A recording does not repeat uploads: nothing else may be written to that buffer, before or after.
        """
        lease = self.take(values.nbytes, self.log is not None)
        self.fill(lease.buffer, values)
        if self.log is not None:
            self.log.append(lease)
        return lease

    def fill(self, buffer: Buffer, values: Array) -> None:
        """Write the bytes of an array to a buffer."""
        if buffer.used >= self._fence:
            self.barrier()
        if values.nbytes:
            data = np.ascontiguousarray(values).data.cast("B") if values.ndim else values.tobytes()
            self.uploads.write(buffer, data)
        self.counts.uploads += 1

    def copy(self, source: Buffer, target: Buffer, nbytes: int) -> None:
        """Copy the first bytes of a buffer to another."""
        if source.written >= self._fence or target.used >= self._fence:
            self.barrier()
        if self.log is not None:
            self.log.append(Copied((source,), (target,), nbytes))
        self.context.copy_buffer(target.gl, source.gl, nbytes, read_offset=source.offset, write_offset=target.offset)
        self.counts.copies += 1

    def room(self, v: Value) -> Lease:
        """Memory for a value: its wanted place, if there is one."""
        return self.places.get(v) or self.take(stored_bytes(v.spec))

    def download(self, buffer: Buffer, values: Array) -> None:
        """Fill a contiguous array from a buffer, through a staging buffer: mapping the buffer itself may move it.

        Raises:
            RuntimeError: the context was lost.
        """
        self.check_thread()
        self.barrier()
        if self.log is not None:
            self.log.append(None)
        self.counts.downloads += 1
        target = values.reshape(-1).view(np.uint8)
        for start in range(0, values.nbytes, _STAGING_BYTES):
            size = min(_STAGING_BYTES, values.nbytes - start)
            staging = self._staging_for(size)
            try:
                self.context.copy_buffer(staging, buffer.gl, size, read_offset=buffer.offset + start)
                staging.read_into(target[start : start + size], size)
            except Exception as error:  # moderngl raises a bare Error
                raise self._lost(error) from None

    def _staging_for(self, size: int) -> Any:
        if self._staging is not None and self._staging.size < size:
            self._staging.release()
            self._staging = None
        if self._staging is None:
            self._staging = self.pool.allocate(max(1 << (size - 1).bit_length(), 1 << 16))
        return self._staging

    def check(self) -> None:
        """Raise RuntimeError if OpenGL has a pending error; for tests and the self-test."""
        error = self.context.error
        if error != "GL_NO_ERROR":
            raise RuntimeError(f"webgl: OpenGL reports {error}.")

    @property
    def alive(self) -> bool:
        """Whether this process and thread can use the device."""
        return get_ident() == self._thread

    def finish(self) -> None:
        """Wait until the GPU has finished."""
        self.context.finish()

    def dispose(self) -> None:
        """Free the context if this thread may; otherwise it lives until the process ends."""
        if get_ident() == self._thread:
            self._kill("the backend was removed")
            self.context.release()

    def check_thread(self) -> None:
        """Raise RuntimeError if OpenGL must not be called: on other threads, and after the context is lost."""
        if get_ident() != self._thread:
            raise self._refusal()

    def _compile(self, source: str) -> Any:
        self.check_thread()
        return undisturbed(self.context.compute_shader, source)

    def _out_of_memory(self) -> bool:
        return str(self.context.error) == "GL_OUT_OF_MEMORY"

    def _kill(self, why: str) -> None:
        self._dead = why
        self._thread = -1  # so that the check for a foreign thread finds this, too

    def _lost(self, error: Exception) -> RuntimeError:
        self._kill(f"the GPU's context was lost ({error}); values that were only there are gone")
        return self._refusal()

    def _refusal(self) -> RuntimeError:
        if self._dead:
            return RuntimeError(f"webgl: {self._dead}. Continue with `set_backend('cpu')`.")
        return RuntimeError(
            "webgl: the GPU belongs to the thread that first used it, and this is another one. Compute there, or begin "
            "with `set_backend('cpu')`, which all threads may use; it holds for all of them."
        )

    def _divides_exactly(self) -> bool:
        """Whether the device's own division and square root are correctly rounded."""
        rng = np.random.default_rng(0)
        x, y = (np.exp(rng.uniform(-20, 20, 4096)).astype(np.float32) for _ in range(2))
        program = self.programs.compile(
            "layout(local_size_x = 64) in;\n"
            "layout(std430, binding = 0) readonly buffer A { float a[]; };\n"
            "layout(std430, binding = 1) readonly buffer B { float b[]; };\n"
            "layout(std430, binding = 2) writeonly buffer C { vec2 c[]; };\n"
            "void main() { uint i = gl_GlobalInvocationID.x; precise float q = a[i] / b[i];\n"
            "  precise float s = sqrt(a[i]); c[i] = vec2(q, s); }\n"
        )
        a, b, out = self.upload(x), self.upload(y), self.take(8 * x.size)
        self.dispatch(program, (a.buffer, b.buffer), (out.buffer,), (), x.size // 64)
        found = np.empty((x.size, 2), np.float32)
        self.download(out.buffer, found)
        return bool(np.array_equal(found[:, 0], x / y) and np.array_equal(found[:, 1], np.sqrt(x)))


def _die_in_children(device: Device) -> None:
    """Make the device refuse to work in forked children, where its context is invalid."""
    if not hasattr(os, "register_at_fork"):
        return
    reason = "this process was forked from one that uses the GPU; the GPU and its data are not available here"
    os.register_at_fork(after_in_child=_mark_of(device, reason))


def _mark_of(device: Device, reason: str) -> Callable[[], None]:
    """A function that marks a device, if it still exists, as closed."""
    ref = weakref.ref(device)

    def mark() -> None:
        alive = ref()
        if alive is not None:
            alive._kill(reason)

    return mark


class _Ended:
    """An object that a thread holds until it ends."""


_thread = local()


def _die_with_thread(device: Device) -> None:
    """Close the device when its thread ends: the context is unusable then, and thread ids are reused."""
    if current_thread() is main_thread():
        return
    _thread.until = _Ended()
    mark = _mark_of(device, "the thread that used the GPU has ended, and the data on it are lost")
    weakref.finalize(_thread.until, mark).atexit = False
